"""Rates with their intervals, and how well stated probabilities hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from curvedoc.core.errors import not_installed

#: Bins of the reliability table. Wider than the customary tenths: some two hundred runs fill no more than these.
EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class Rate:
    """k of n."""

    k: int
    n: int

    @property
    def value(self) -> float | None:
        """k / n, None where nothing was counted."""
        return self.k / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The Wilson score interval at 95 %, None where nothing was counted.

        Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.

        >>> [round(x, 3) for x in Rate(0, 100).interval]
        [0.0, 0.037]
        """
        if not self.n:
            return None
        try:
            from scipy.stats import binomtest
        except ModuleNotFoundError as error:
            raise not_installed("scipy", "an interval") from error
        found = binomtest(self.k, self.n).proportion_ci(0.95, method="wilson")
        return float(found.low), float(found.high)


def rate(hits: Iterable[bool]) -> Rate:
    """How many of the answers are true."""
    answers = list(hits)
    return Rate(sum(answers), len(answers))


@dataclass(frozen=True, slots=True)
class Bin:
    """The statements whose probability lies in [low, high): what they said on average and how often they held."""

    low: float
    high: float
    said: float
    right: Rate


def reliability(pairs: Sequence[tuple[float, bool]], edges: Sequence[float] = EDGES) -> tuple[Bin, ...]:
    """The bins that hold a statement. pairs: (stated probability, whether it was right); the last bin includes 1."""
    bins = []
    for low, high in pairwise(edges):
        inside = [(p, r) for p, r in pairs if low <= p < high or (high == edges[-1] and p == high)]
        if inside:
            said = math.fsum(p for p, _ in inside) / len(inside)
            bins.append(Bin(low, high, said, rate(r for _, r in inside)))
    return tuple(bins)


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """The expected calibration error: the mean distance of said and held, by statements. None without any.

    Source: Naeini, Cooper, Hauskrecht (2015), Obtaining well calibrated probabilities using Bayesian binning.
    """
    total = sum(b.right.n for b in bins)
    return math.fsum(abs(b.said - b.right.k / b.right.n) * b.right.n for b in bins) / total if total else None
