"""Rows of a table of targets: what was asked, what was measured, how sure that is, whether it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

NORMAL_95 = 1.96
RESAMPLES = 400


@dataclass(frozen=True, slots=True)
class Row:
    """One target.

    asked, measured, interval: text; cases: how many simulations (0 where that means nothing)
    held: the measured value meets the target; possible: some value of its 95 % interval does
    """

    name: str
    asked: str
    measured: str
    interval: str
    cases: int
    held: bool
    possible: bool


#: A target measured with `share` of the full number of simulations.
Target = Callable[[float], Iterable[Row]]


def some(full: int, share: float) -> int:
    """How many simulations to make; five at least."""
    return max(5, round(full * share))


def wilson(k: int, n: int) -> tuple[float, float]:
    """95 % interval of a share of k in n."""
    z = NORMAL_95 * NORMAL_95 / n
    center, half = (k / n + z / 2) / (1 + z), (z * (k / n * (1 - k / n) + z / 4)) ** 0.5 / (1 + z)
    return max(0.0, center - half), min(1.0, center + half)


def rate(name: str, hits: Sequence[bool], low: float = 0.0, high: float = 1.0) -> Row:
    """A share that is asked to lie between `low` and `high`."""
    k, n = sum(bool(h) for h in hits), len(hits)
    a, b = wilson(k, n)
    asked = (
        f"{low:.3g} to {high:.3g}" if low > 0.0 and high < 1.0 else f">= {low:.3g}" if low > 0.0 else f"<= {high:.3g}"
    )
    return Row(name, asked, f"{k / n:.4f}", f"{a:.4f} to {b:.4f}", n, low <= k / n <= high, a <= high and b >= low)


def quantile(name: str, values: Sequence[float], q: float, most: float, unit: str = "") -> Row:
    """A quantile that is asked to be at most `most`; its interval by resampling."""
    v = np.sort(np.asarray(values, dtype=np.float64))
    draw = np.random.default_rng(0).integers(0, len(v), (RESAMPLES, len(v)))
    made = np.quantile(v[draw], q, axis=1)
    a, b, at = float(np.quantile(made, 0.025)), float(np.quantile(made, 0.975)), float(np.quantile(v, q))
    text = f" {unit}" if unit else ""
    return Row(name, f"<= {most:g}{text}", f"{at:.3g}{text}", f"{a:.3g} to {b:.3g}", len(v), at <= most, a <= most)


def figure(name: str, value: float, most: float, unit: str, least_seen: float | None = None) -> Row:
    """One measured quantity that is asked to be at most `most`; least_seen: the smallest of several takes."""
    low = value if least_seen is None else least_seen
    interval = "" if least_seen is None else f"from {low:.3g}"
    return Row(name, f"<= {most:g} {unit}", f"{value:.3g} {unit}", interval, 0, value <= most, low <= most)


def fact(name: str, asked: str, true: bool) -> Row:
    """Something that is so or not."""
    return Row(name, asked, "yes" if true else "no", "", 0, true, true)
