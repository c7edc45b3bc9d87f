"""Grid: the finite part of a series on a safe scale, its buckets, and the few distributions the tests need."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from curvedoc.core.series import Floats, Ints, Series, once_a_series
from curvedoc.stats.basic.medians import bottom_of, mean_of, median5, median_of, quantile_of, top_of
from curvedoc.stats.basic.robust import second_differences
from curvedoc.stats.basic.spacing import distinct, even_rows

MAD_TO_SD = 1.4826  # of a normal distribution
REST_ROWS = 3  # rows that show a level after a fall in the first one or two
HEAD_ROWS = 9  # a median of more rows gains little against noise and slides down where half is learned in a few


@dataclass(frozen=True, eq=False)
class GridCurve:
    """The finite rows of a series, values divided by `scale` so that squares neither overflow nor vanish.

    x: float64 [n] steps; y: float64 [n] within [-2, 2]; scale: a power of two, so that going there and back is exact
    """

    x: Floats
    y: Floats
    scale: float
    _kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)  # see once_a_series

    def __post_init__(self) -> None:
        self.x.setflags(write=False)
        self.y.setflags(write=False)

    def __len__(self) -> int:
        return len(self.y)

    @cached_property
    def noise(self) -> float:
        """noise_of(y)."""
        return noise_of(self.y)

    @cached_property
    def calm(self) -> Floats:
        """clipped(y)."""
        out = clipped(self.y, self.noise)
        out.setflags(write=False)
        return out

    @cached_property
    def head(self) -> float:
        """head_level(y)."""
        return head_level(self.y)

    @cached_property
    def tail(self) -> float:
        """tail_level(y)."""
        return tail_level(self.y)

    @cached_property
    def drift(self) -> Drift | None:
        """drift_of(calm)."""
        return drift_of(self.calm, self.noise if self.calm is self.y else None)


@once_a_series
def curve_of(s: Series) -> GridCurve:
    """The finite rows of `s` as floats, values scaled by their largest size."""
    f = s.finite()
    scale = scale_of(f.value)
    return GridCurve(f.step.astype(np.float64), f.value / scale, scale)


def scale_of(y: Floats) -> float:
    """The power of two just below the largest size in `y`; 1 where there is none."""
    top = max(top_of(y), -bottom_of(y)) if len(y) else 0.0
    return math.ldexp(1.0, math.frexp(top)[1] - 1) if top > 0.0 else 1.0


def back(value: float, scale: float) -> float | None:
    """`value` in the units of the log; None where that leaves the finite numbers."""
    out = float(value) * scale
    return out if np.isfinite(out) else None


def noise_of(y: Floats) -> float:
    """Standard deviation of the noise around a smooth curve: MAD of second differences, blind to trend and curvature.

    Where more than half of the second differences are exactly equal (a coarse quantum, exact repeats), their mean size
    stands in. 0 below three rows. Source: Gasser, Sroka, Jennen-Steinmetz 1986; Hall, Kay, Titterington 1990.
    """
    if len(y) < 3:
        return 0.0
    d = second_differences(y)
    np.abs(d, out=d)
    if top_of(d) == 0.0:  # a constant, as many rates are: equal values are the slowest to sort
        return 0.0
    mad = MAD_TO_SD * median_of(d)
    if mad == 0.0:
        mad = 1.2533 * mean_of(np.minimum(d, quantile_of(d, 0.95)))
    return float(mad / 6.0**0.5)


@lru_cache(maxsize=256)
def edges(n: int, m: int) -> Ints:
    """Row numbers that cut n rows into at most m nearly equal runs: int64 [m + 1], read-only."""
    cut = even_rows(0, n, min(m, n) + 1)
    cut.setflags(write=False)
    return cut


@lru_cache(maxsize=64)
def mixed_edges(n: int, m: int) -> Ints:
    """As `edges`, with half of the density in log rows: short buckets in the steep head, long ones in the tail."""
    row = np.arange(n + 1, dtype=np.float64)
    density = 0.5 * np.log1p(row) / np.log1p(float(n)) + 0.5 * row / n
    cut = distinct(density.searchsorted(np.linspace(0.0, 1.0, min(m, n) + 1)).clip(0, n).astype(np.int64))
    cut.setflags(write=False)
    return cut


def means(y: Floats, cut: Ints) -> Floats:
    """Mean of `y` within each run of rows that `cut` bounds."""
    out: Floats = np.add.reduceat(y, cut[:-1]) / (cut[1:] - cut[:-1])
    return out


def clipped(y: Floats, noise: float | None = None) -> Floats:
    """`y` with rows further than five noise widths from the median of their five neighbors pulled back to it.

    noise: noise_of(y) where it is known.
    """
    n = len(y)
    if n < 5:
        return y
    middle = median5(y)
    away = y - middle
    np.abs(away, out=away)
    noise = noise_of(y) if noise is None else noise
    if top_of(away) <= 5.0 * noise:
        return y
    # their median is below the noise where most of them are
    few = 2 * np.count_nonzero(MAD_TO_SD * away > noise) < n
    width = 5.0 * (noise if few else max(noise, MAD_TO_SD * median_of(away)))
    if width == 0.0:
        return y
    # in place: a curve of a million rows must not ask for new memory at every turn
    out = np.subtract(middle, width, out=away)
    np.maximum(y, out, out=out)
    middle += width
    return np.minimum(out, middle, out=out)


def head_level(y: Floats) -> float:
    """Level at the start: median of the first rows, few enough not to slide down a steep head.

    The first row itself where it or the first two make a fall larger than all that follows it: such a fall is over
    before a median sees it, and an outlier of that size at just that place is no accident.
    """
    n = len(y)
    for k in (1, 2):
        if n < k + REST_ROWS:
            break
        rest = y[k:]
        top = top_of(rest)
        if bottom_of(y[:k]) - top > top - bottom_of(rest):
            return float(y[0])
    return median_of(y[: max(1, min(5, n // 20), min(n // 50, HEAD_ROWS))])


def tail_level(y: Floats) -> float:
    """Level at the end: median of the last tenth, of three rows at least where there are six."""
    n = len(y)
    return median_of(y[-max(1, min(3, n // 2), n // 10) :])


def student(level: float, df: int) -> float:
    """Quantile of Student's t from the normal quantile `level` (1.645 for 95 %), by its Cornish-Fisher series.

    Within 2 % from 3 degrees of freedom on. Source: Abramowitz and Stegun 26.7.5.
    """
    z, v = level, float(max(df, 1))
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    )


def as_normal(t: float, df: int) -> float:
    """The normal deviate as rare as Student's `t` with `df` degrees of freedom.

    So one threshold means the same for eight rows and for a million. Source: Wallace 1959, within .1 % for df > 2.
    """
    v = float(max(df, 1))
    size = (v * np.log1p(t * t / v)) ** 0.5 * (8 * v + 1) / (8 * v + 3)
    return float(np.copysign(size, t))


@dataclass(frozen=True, slots=True)
class Drift:
    """Change over a window by batch means: its size, standard error, degrees of freedom."""

    change: float
    error: float
    df: int

    @property
    def z(self) -> float:
        """Change over its error, as a normal deviate; 0 where neither moves."""
        if self.error == 0.0:
            return 0.0 if self.change == 0.0 else float(np.copysign(40.0, self.change))
        return as_normal(min(max(self.change / self.error, -1e6), 1e6), self.df)

    def low(self, level: float = 1.645) -> float:
        """Lower end of the confidence interval (90 % two-sided by default)."""
        return self.change - student(level, self.df) * self.error

    def high(self, level: float = 1.645) -> float:
        """Upper end of the confidence interval (90 % two-sided by default)."""
        return self.change + student(level, self.df) * self.error


BATCHES = 16  # enough degrees of freedom, and batches long enough to be independent of each other


FEWEST = 7  # of long batches, where neighboring rows are strongly correlated
STRONG = 0.3  # lag-1 correlation about the line from which batches grow


def batches(y: Floats) -> int:
    """How many batch means a window of rows gives: three rows each at least where that leaves five batches.

    Fewer and longer ones where the rows about their line are strongly correlated and too few to average that out.
    """
    n = len(y)
    if n < 3 * BATCHES:
        return max(5, n // 3) if n >= 10 else n
    if n >= 40 * BATCHES:
        return BATCHES
    x = np.arange(n) - (n - 1) / 2
    rest = y - mean_of(y) - x * float(x @ y) / float(x @ x)
    power = float(rest @ rest)
    r = float(rest[1:] @ rest[:-1]) / power if power > 0.0 else 0.0
    # a batch should span twenty times the length over which the correlation dies out
    length = 10.0 * (1.0 + r) / max(1.0 - r, 0.02) if r > STRONG else 1.0
    return int(min(max(n / length, FEWEST), BATCHES))


def drift_of(y: Floats, noise: float | None = None) -> Drift | None:
    """Linear change over the rows of `y` with an error that holds under autocorrelation; None below five rows.

    Straight line through batch means, t with m - 2 degrees of freedom; the error is never below what white noise of
    the measured scale would give, so that few batches lying on a line by luck do not look certain.
    Source: Alexopoulos and Seila 1998 (batch means); measured size 4-6 % for lag-1 correlation up to .8.

    noise: noise_of(y) where it is known.
    """
    n = len(y)
    if n < 5:
        return None
    m = batches(y)
    cut = edges(n, m)
    b = means(y - y[-1], cut)  # a constant becomes exact zeros, not rounding
    m = len(b)
    x = 0.5 * (cut[1:] + cut[:-1])
    x = x - mean_of(x)
    sxx = float(x @ x)
    tilt = float(x @ b) / sxx
    rest = b - mean_of(b) - tilt * x
    error = (float(rest @ rest) / (m - 2) / sxx) ** 0.5 * n
    floor = (noise_of(y) if noise is None else noise) * (12.0 / n) ** 0.5 * 0.5
    return Drift(tilt * n, max(error, floor), m - 2)
