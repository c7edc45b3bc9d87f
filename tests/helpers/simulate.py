"""Simulated curves with known truth, for the accuracy tests of every statistic.

Smooth decays (power law, exponential, a mix of both, a power law with the extra gain of a cosine schedule) under four
noise laws (Gaussian, Student t3, Laplace, skewed gamma), white or AR(1), constant or proportional to the level.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.series import Series

Floats = NDArray[np.float64]
Base = Literal["power", "exponential", "mix", "cosine", "flat"]
Law = Literal["gauss", "t3", "laplace", "skew"]
BASES: tuple[Base, ...] = ("power", "exponential", "mix", "cosine")
LAWS: tuple[Law, ...] = ("gauss", "t3", "laplace", "skew")


@dataclass(frozen=True, slots=True)
class Curve:
    """smooth: truth without noise; sigma: true noise at every row; value: what a log would hold."""

    smooth: Floats
    sigma: Floats
    value: Floats
    base: Base
    law: Law
    phi: float

    def series(self, every: int = 1) -> Series:
        return Series(np.arange(len(self.value), dtype=np.int64) * every, self.value.copy(), "train/loss")

    def plus(self, change: Floats) -> Curve:
        """The same curve with `change` added to truth and values."""
        return replace(self, smooth=self.smooth + change, value=self.value + change)


def decay(n: int, base: Base, rng: np.random.Generator) -> Floats:
    """A smooth falling curve, [n]."""
    t = np.arange(1, n + 1, dtype=np.float64)
    match base:
        case "power":
            offset = rng.uniform(1.0, max(1.5, 0.02 * n))
            exponent = rng.uniform(0.15, 0.8)
            return rng.uniform(0.0, 3.0) + rng.uniform(2.0, 9.0) * ((t + offset) / offset) ** -exponent
        case "exponential":
            return rng.uniform(0.05, 2.0) + rng.uniform(1.0, 6.0) * np.exp(-t / (n * rng.uniform(0.05, 0.4)))
        case "mix":
            return 0.6 * decay(n, "power", rng) + 0.4 * decay(n, "exponential", rng)
        case "cosine":
            y = decay(n, "power", rng)
            gain = rng.uniform(0.01, 0.06) * (y[0] - y[-1])
            return y - gain * (1.0 - np.cos(np.pi * t / n)) / 2.0
        case "flat":
            return np.full(n, rng.uniform(0.5, 4.0))


def noise(n: int, law: Law, rng: np.random.Generator, phi: float = 0.0) -> Floats:
    """Unit-variance noise, AR(1) with coefficient phi, [n]."""
    match law:
        case "gauss":
            e = rng.standard_normal(n)
        case "t3":
            e = rng.standard_t(3, n) / 3.0**0.5
        case "laplace":
            e = rng.laplace(size=n) / 2.0**0.5
        case "skew":
            e = (rng.gamma(4.0, 1.0, n) - 4.0) / 2.0
    if phi == 0.0:
        return np.asarray(e, dtype=np.float64)
    out = np.empty(n)
    last = float(e[0])
    share = (1.0 - phi * phi) ** 0.5
    for i, x in enumerate(e.tolist()):
        last = phi * last + share * x if i else x
        out[i] = last
    return out


def curve(
    n: int,
    rng: np.random.Generator,
    base: Base | None = None,
    law: Law | None = None,
    phi: float | None = None,
    relative: float | None = None,
) -> Curve:
    """A healthy curve: what is not given is drawn. relative: noise as a share of the whole fall (.5 to 5 %)."""
    base = base or BASES[int(rng.choice(4, p=[0.45, 0.25, 0.15, 0.15]))]
    law = law or LAWS[int(rng.integers(4))]
    phi = float(rng.choice([0.0, 0.0, 0.2, 0.5])) if phi is None else phi
    smooth = decay(n, base, rng)
    fall = float(smooth[0] - smooth[-1]) if base != "flat" else 1.0
    sigma = np.full(n, fall * (float(rng.choice([0.005, 0.02, 0.05])) if relative is None else relative))
    if rng.random() < 0.5:
        sigma = sigma * smooth / smooth.mean()
    return Curve(smooth, sigma, smooth + sigma * noise(n, law, rng, phi), base, law, phi)


def step_change(n: int, row: int, size: float) -> Floats:
    """0 before `row`, `size` from it on, [n]."""
    return np.where(np.arange(n) >= row, size, 0.0)


def spike_change(n: int, row: int, size: float, tau: float) -> Floats:
    """`size` at `row`, fading with time constant `tau` rows (0: one row only), [n]."""
    after = np.arange(n) - row
    if tau <= 0.0:
        return np.where(after == 0, size, 0.0)
    return np.where(after >= 0, size * np.exp(-np.maximum(after, 0) / tau), 0.0)


def growth_change(n: int, row: int, efold: float, start: float, cap: float) -> Floats:
    """Exponential growth from `row`: start * (exp((t - row) / efold) - 1), at most `cap`, [n]."""
    after = np.maximum(np.arange(n) - row, 0) / efold
    return np.minimum(start * np.expm1(np.minimum(after, 700.0)), cap)
