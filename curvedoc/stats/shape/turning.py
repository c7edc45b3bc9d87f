"""Turning: where a validation curve turns, how far it comes back up, and whether it ever improved."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.series import Floats, Ints, Series, once_a_series
from curvedoc.stats.basic.grid import (
    MAD_TO_SD,
    GridCurve,
    as_normal,
    back,
    curve_of,
    edges,
    means,
    noise_of,
)
from curvedoc.stats.basic.medians import bottom_of, mean_of, median_of, quantile_of, range_of, top_of

LEAST = 5  # evaluations below which a turn is not judged
HEADROOM = 2.0  # times the way from lowest to median value, above the median: higher values only bend the smooth
LEAST_FOR_RANGE = 15  # below this no interval of the turn covers what it promises
WIDTH = 1 / 6  # of the rows on either side: bandwidth of the local quadratic
DRAWS = 200  # bootstrap curves of the interval
TAIL_DF = 10  # of the t distribution that the chosen minimum and the measured noise make of falling curves
MOST = 150  # buckets, so that the hat matrix stays small


@dataclass(frozen=True, slots=True, eq=False)
class Smooth:
    """A local-quadratic smooth on bucket means.

    x: float64 [m] steps; raw, fit: float64 [m] in the curve's scale; hat: float64 [m, m] with fit = hat @ raw
    """

    x: Floats
    raw: Floats
    fit: Floats
    hat: Floats


@lru_cache(maxsize=16)
def _hat(m: int, width: float) -> Floats:
    """The matrix that smooths m bucket means, read-only: it does not depend on them."""
    row = np.arange(m, dtype=np.float64)
    away = (row[None, :] - row[:, None]) / max(m * width, 4.0)
    weight = np.clip(1.0 - np.abs(away) ** 3, 0.0, None) ** 3
    # one weighted 3 x 3 system for each row; rows of the inverse that give the value at the center
    power = np.stack([np.ones_like(away), away, away * away])
    gram = np.einsum("imk,jmk,mk->mij", power, power, weight) + 1e-12 * np.eye(3)
    first = np.linalg.solve(gram, np.broadcast_to(np.array([[1.0], [0.0], [0.0]]), (m, 3, 1)))[:, :, 0]
    hat = np.einsum("mi,imk->mk", first, power) * weight
    hat.setflags(write=False)
    return np.asarray(hat, dtype=np.float64)


def smooth_of(c: GridCurve, width: float = WIDTH) -> Smooth:
    """The local-quadratic smooth of `c` (tricube weights over `width` of the rows, four at least, on either side).

    Source: Cleveland 1979 with degree 2; the argmin of this smooth lies closest to the true turn of those tried.
    """
    y = c.calm
    cut: Ints = edges(len(y), MOST) if len(y) > MOST else np.arange(len(y) + 1, dtype=np.int64)
    x, raw = means(c.x, cut), means(y, cut)
    hat = _hat(len(x), width)
    return Smooth(x, raw, hat @ raw, hat)


@once_a_series
def _cap(c: GridCurve) -> float:
    low, middle = bottom_of(c.y), median_of(c.y)
    return middle + HEADROOM * (middle - low)


@once_a_series
def _valley(c: GridCurve) -> Smooth:
    """The smooth of `c` with its heights cut off: a parabola fitted to a steep head would dip below the floor."""
    found = _cut_smooth(c, WIDTH)
    for shared in (found.x, found.raw, found.fit):
        shared.setflags(write=False)
    return found


def _cut_smooth(c: GridCurve, width: float) -> Smooth:
    return smooth_of(GridCurve(c.x, np.minimum(c.y, _cap(c)), c.scale), width)


def _low_noise(c: GridCurve) -> float:
    """Noise of the rows below the cut: second differences over a steep head are its curvature."""
    y = c.y
    d = np.abs(y[2:] - 2.0 * y[1:-1] + y[:-2])
    top = np.maximum(np.maximum(y[2:], y[1:-1]), y[:-2])
    d = d[top <= _cap(c)]
    return min(noise_of(y), MAD_TO_SD * median_of(d) / 6.0**0.5) if len(d) >= 3 else noise_of(y)


def _lowest(fit: Floats) -> int:
    """Row of the lowest point; of those within a thousandth of the range of it, the last one."""
    return int(np.flatnonzero(fit <= bottom_of(fit) + 1e-3 * range_of(fit))[-1])


def turn_step(s: Series) -> float | None:
    """Step of the lowest point of the smoothed curve; None below five finite rows.

    >>> turn_step(Series.of([5.0, 3.5, 2.5, 2.0, 1.9, 2.0, 2.5, 3.5, 5.0]))
    4.0
    """
    c = curve_of(s)
    if len(c) < LEAST:
        return None
    found = _valley(c)
    return float(found.x[_lowest(found.fit)])


def turn_low(s: Series) -> float | None:
    """Lower end of the 90 % interval of `turn_step`; None below 15 finite rows.

    >>> turn_low(Series.of([1.0, 2.0])) is None
    True
    """
    found = _turn_range(curve_of(s))
    return None if found is None else found[0]


def turn_high(s: Series) -> float | None:
    """Upper end of the 90 % interval of `turn_step`; None below 15 finite rows.

    >>> turn_high(Series.of([1.0, 2.0])) is None
    True
    """
    found = _turn_range(curve_of(s))
    return None if found is None else found[1]


def _turn_range(c: GridCurve) -> tuple[float, float] | None:
    """90 % interval of the turn: 5 and 95 % of the argmin over curves drawn from smooth + shuffled residuals."""
    if len(c) < LEAST_FOR_RANGE:
        return None
    found = _cut_smooth(c, WIDTH / 2)
    rest = found.raw - found.fit
    # residuals of a smoother are too small by its leverage
    rest = rest / np.sqrt(np.clip(1.0 - np.diag(found.hat), 0.2, None))
    rest = rest - mean_of(rest)
    draws = np.random.default_rng(0).choice(rest, size=(DRAWS, len(rest)))
    places = found.x[np.argmin((found.fit + draws) @ found.hat.T, axis=1)]
    low, high = quantile_of(places, 0.05), quantile_of(places, 0.95)
    # a wide parabola is drawn to the flatter side of a lopsided valley; a narrow one shows by how much
    wide = _valley(c)
    places = np.array([low, high, found.x[_lowest(found.fit)], wide.x[_lowest(wide.fit)]])
    return bottom_of(places), top_of(places)


@once_a_series
def _rise(s: Series) -> tuple[float, float, float, float] | None:
    """Level at the smoothed minimum, level at the end, error of their difference, level at the start."""
    c = curve_of(s)
    n = len(c)
    if n < LEAST:
        return None
    found = _valley(c)
    y = c.calm
    best = int(c.x.searchsorted(found.x[_lowest(found.fit)]))
    reach = max(1, n // 10)
    a, b = max(0, best - reach), min(n, best + reach + 1)
    k = max(2, n // 5)
    # where no row comes down to it, the smooth has dipped below the curve
    low = max(bottom_of(found.fit), bottom_of(y[a:b]))
    # the two windows must not share rows, or a rise that has just begun is averaged away
    tail = y[max(n - k, b) :]
    end = mean_of(tail) if len(tail) else low
    error = _low_noise(c) * (1.0 / (b - a) + 1.0 / max(1, len(tail))) ** 0.5
    return low, end, error, c.head


def rise_after(s: Series) -> float | None:
    """Rise from the smoothed minimum to the end level, relative to the size of that minimum; None below five rows.

    >>> round(rise_after(Series.of([5.0, 4.0, 3.0, 2.0, 2.0, 2.0, 2.0, 3.0, 4.0, 4.0, 4.0])))
    1
    """
    found = _rise(s)
    if found is None or found[0] == 0.0:
        return None
    rise = max(0.0, found[1] - found[0])
    return None if rise > 1e300 * abs(found[0]) else rise / abs(found[0])


def rise_of_drop(s: Series) -> float | None:
    """Rise from the smoothed minimum to the end level in units of the fall before it; None without a fall.

    >>> rise_of_drop(Series.of([3.0] * 10)) is None
    True
    """
    found = _rise(s)
    if found is None:
        return None
    low, end, _, start = found
    rise = max(0.0, end - low)
    return None if start <= low or rise > 1e300 * (start - low) else rise / (start - low)


def rise_z(s: Series) -> float | None:
    """Rise from the minimum to the end as a normal deviate: above 2.6 in 1 % of curves with white noise that only fall.

    The choice of the minimum is allowed for, correlated noise is not: at a lag-1 correlation of .5 it is 6 %, and 1 %
    above 4. None below five rows. Without any noise: 40 for a rise, 0 for none.

    >>> rise_z(Series.of([5.0, 4.0, 3.0, 2.5, 2.2, 2.1, 2.05, 2.0, 2.0, 2.0])) < 2.5
    True
    """
    found = _rise(s)
    if found is None:
        return None
    low, end, error, _ = found
    if error == 0.0:
        return 40.0 if end - low > 1e-9 else 0.0
    return as_normal(min(max((end - low) / error, -1e6), 1e6), TAIL_DF)


def best_level(s: Series) -> float | None:
    """Lowest value of the smoothed curve, in the units of the log; None below five finite rows.

    >>> round(best_level(Series.of([3.0] * 10)), 6)
    3.0
    """
    c = curve_of(s)
    found = _rise(s)
    return None if found is None else back(found[0], c.scale)


def improves(s: Series) -> bool | None:
    """Whether the curve ever went below its first values by more than noise; None when unclear or below four rows.

    >>> improves(Series.of([3.0, 2.0, 1.5, 1.2, 1.1, 1.0])), improves(Series.of([1.0, 1.5, 2.0, 2.5, 3.0, 3.5]))
    (True, False)
    """
    c = curve_of(s)
    n = len(c)
    if n < 4:
        return None
    y = c.calm
    first = float(y[0]) if n < 40 else median_of(y[: n // 40 + 2])
    k = 1 if n < 8 else max(2, n // 8)
    total = np.concatenate([[0.0], np.cumsum(y[1:] - first)])
    low = first + bottom_of(total[k:] - total[:-k]) / k
    noise = _eval_noise(y)
    fall = first - low
    error = noise * (1.0 + 1.0 / k) ** 0.5
    if fall > 3.0 * error and fall > 1e-6:
        return True
    return False if fall < 2.0 * error or fall <= 1e-6 else None


def never_improves(s: Series) -> bool | None:
    """Whether the curve never went below its first values by more than noise; None where `improves` cannot tell.

    >>> never_improves(Series.of([1.0, 1.5, 2.0, 2.5, 3.0, 3.5]))
    True
    """
    better = improves(s)
    return None if better is None else not better


def _eval_noise(y: Floats) -> float:
    """Noise of a short curve: second differences of its later half, where the head's curvature is not in them."""
    n = len(y)
    return noise_of(y[n // 2 - 1 :]) if 6 <= n < 24 else noise_of(y)
