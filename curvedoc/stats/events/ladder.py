"""Ladder: values that climb and never come back, as leaking memory or unchecked weight norms do."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Floats, Series
from curvedoc.stats.basic.grid import GridCurve, curve_of, drift_of, edges
from curvedoc.stats.basic.medians import median_of

LEAST = 32  # rows
BUCKETS = 32
SLOWED = 0.2  # of the growth in the last third: a straight line makes .33, a square root .18
WARM = 1 / 8  # of the run: allocators and caches fill up first
_EARLIER = np.triu(np.ones((BUCKETS, BUCKETS)), 1)  # 1 where the row's bucket stands before the column's


def _minima(c: GridCurve) -> tuple[Floats, Floats] | None:
    """Lowest value and middle step of up to 32 buckets after the warm part; None below 32 rows."""
    n = len(c)
    if n < LEAST:
        return None
    first = int(n * WARM)
    cut = first + edges(n - first, min(BUCKETS, (n - first) // 3))
    low = np.minimum.reduceat(c.y, cut[:-1])
    middle = c.x[(cut[:-1] + cut[1:] - 1) // 2]
    return middle, low


def ladder_z(s: Series) -> float | None:
    """How consistently the low points climb, as the normal deviate of Kendall's rank correlation; above 5 is a leak.

    Lowest values of up to 32 stretches, so that the sawtooth of a garbage collector does not count, without the
    first eighth of the run. 0 for a constant; None below 32 finite rows. Source: Kendall 1975 with ties.

    >>> ladder_z(Series.of([1000.0 + i for i in range(200)])) > 5
    True
    """
    found = _minima(curve_of(s))
    if found is None:
        return None
    low = found[1]
    m = len(low)
    # a pair that climbs counts 1, one that falls -1
    score = float((np.sign(low[None, :] - low[:, None]) * _EARLIER[:m, :m]).sum())
    _, ties = np.unique(low, return_counts=True)
    variance = (m * (m - 1) * (2 * m + 5) - float((ties * (ties - 1.0) * (2 * ties + 5)).sum())) / 18
    return 0.0 if variance <= 0.0 or score == 0.0 else (score - float(np.sign(score))) / variance**0.5


def ladder_growth(s: Series) -> float | None:
    """Growth of the low points from the end of the warm part to the end of the run, as a share of their first level.

    >>> round(ladder_growth(Series.of([100.0 + i for i in range(200)])), 1)
    1.2
    """
    found = _minima(curve_of(s))
    if found is None or found[1][0] <= 0.0:
        return None
    low = found[1]
    k = max(1, len(low) // 10)
    start, end = median_of(low[:k]), median_of(low[-k:])
    return None if start <= 0.0 or end > 1e300 * start else end / start - 1.0


def ladder_steady(s: Series) -> float | None:
    """Share of the growth of the low points that the largest single rise did not make: near 1 climbs, 0 is one step.

    None where the low points do not grow.

    >>> ladder_steady(Series.of([1.0] * 100 + [2.0] * 100))
    0.0
    """
    found = _minima(curve_of(s))
    if found is None:
        return None
    low = found[1]
    growth = float(low[-1] - low[0])
    return None if growth <= 0.0 else max(0.0, 1.0 - float(np.max(np.diff(low))) / growth)


def growth_per_step(s: Series) -> float | None:
    """Median climb per step of the low points (Theil-Sen over the stretches); None below 32 finite rows.

    >>> growth_per_step(Series.of([100.0 + 2 * i for i in range(200)]))
    2.0
    """
    c = curve_of(s)
    found = _minima(c)
    if found is None:
        return None
    x, low = found
    i, j = np.triu_indices(len(x), 1)
    out = median_of((low[j] - low[i]) / (x[j] - x[i])) * c.scale
    return out if np.isfinite(out) else None


def projected_step(s: Series, capacity: float) -> float | None:
    """Step at which the climb reaches `capacity`; None when it does not climb. Units as the values'.

    >>> projected_step(Series.of([100.0 + 2 * i for i in range(200)]), 1000.0)
    450.0
    """
    c = curve_of(s)
    climb = growth_per_step(s)
    if climb is None or climb <= 0.0:
        return None
    last = median_of(c.y[-max(1, len(c) // 20) :] - 0.0) * c.scale
    at = median_of(c.x[-max(1, len(c) // 20) :])
    step = at + (capacity - last) / climb
    return step if np.isfinite(step) else None


def growth_z(s: Series) -> float | None:
    """Trend over the second half as a normal deviate: above 3 it still grows when the run ends.

    >>> growth_z(Series.of([float(i) for i in range(100)])) > 5
    True
    """
    c = curve_of(s)
    d = drift_of(c.y[len(c) // 2 :])
    return None if d is None else d.z


def growth_factor(s: Series) -> float | None:
    """Last level over first level (medians of a tenth of the rows at either end); None at a first level of zero.

    >>> round(growth_factor(Series.of([1.0] * 10 + [2.0] * 80 + [4.0] * 10)))
    4
    """
    c = curve_of(s)
    if len(c) < 4:
        return None
    k = max(1, len(c) // 10)
    first, last = median_of(c.y[:k]), median_of(c.y[-k:])
    return None if first <= 0.0 or abs(last) > 1e300 * first else last / first


def late_growth(s: Series) -> float | None:
    """Share of the whole growth that the last third of the run made: 1/3 is a straight line, .18 a square root.

    Above 1/3 growth accelerates. Levels are medians over a twentieth of the rows. None below 12 finite rows, or
    without growth beyond four times the noise and a hundredth of the first level.

    >>> round(late_growth(Series.of([1.0 + i for i in range(100)])), 1)
    0.3
    """
    c = curve_of(s)
    n = len(c)
    if n < 12:
        return None
    reach = max(1, n // 20)
    middle = 2 * n // 3
    first, last = median_of(c.y[:reach]), median_of(c.y[-reach:])
    before = median_of(c.y[middle - reach : middle + reach + 1])
    growth = last - first
    if growth <= max(4.0 * c.noise, 0.01 * abs(first), 1e-9):
        return None
    return (last - before) / growth


def levelling(s: Series) -> bool | None:
    """Whether growth slows down: the last third of the run makes less than a fifth of all of it.

    None below 12 finite rows, or where there is no growth beyond noise.

    >>> levelling(Series.of([1 - 0.95**i for i in range(100)])), levelling(Series.of([1.0 * i for i in range(100)]))
    (True, False)
    """
    late = late_growth(s)
    return None if late is None else late < SLOWED


def collapse_factor(s: Series) -> float | None:
    """Last level over highest bucket mean: 1 for what stays up, near 0 for what shrank away; None at zero.

    >>> round(collapse_factor(Series.of([4.0] * 20 + [0.4] * 20)), 1)
    0.1
    """
    c = curve_of(s)
    n = len(c)
    if n < 4:
        return None
    cut = edges(n, min(BUCKETS, n))
    top = float(np.max(np.add.reduceat(c.y, cut[:-1]) / np.diff(cut)))
    last = median_of(c.y[-max(1, n // 10) :])
    return None if top <= 0.0 or abs(last) > 1e300 * top else last / top
