"""Plateau: from which step on a curve is flat, at what level, and whether it ever left its first level."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Series
from curvedoc.stats.basic.grid import (
    MAD_TO_SD,
    GridCurve,
    back,
    curve_of,
    drift_of,
    edges,
    means,
)
from curvedoc.stats.basic.medians import bottom_of, median_of, top_of

NEAR = 0.02  # of the total drop: how far from its end level a plateau may begin
SHORTEST = 0.1  # of the rows: a shorter flat end is not called a plateau
BUCKETS = 100
UNSURE = 4.0  # times the band: a wider standard error of the first level can confirm nothing


def hovers(s: Series, band: float) -> bool | None:
    """Whether a curve stands still up to a faint scatter that goes nowhere; None below five finite rows.

    Every row but the first lies within `band` of the median (as a share of its size), and the trend over these rows is
    within three deviations. So does the validation loss of a model whose weights rest while the statistics of its
    normalization still move: these have not settled at the first evaluation.

    >>> hovers(Series.of([2.19, 2.178, 2.177, 2.179, 2.177, 2.178, 2.179]), 0.003)
    True
    >>> hovers(Series.of([2.19, 2.179, 2.178, 2.177, 2.176, 2.175, 2.174]), 0.003)
    False
    """
    v = s.finite()
    if len(v) < 5:
        return None
    y = v.value[1:]
    scale = float(np.abs(y).max())
    if scale > 0.0:
        y = y / scale  # values near the largest float would overflow in a difference
    level = median_of(y)
    if bool((np.abs(y - level) > band * abs(level)).any()):
        return False
    steps = v.step[1:] - v.step[1:].mean()
    slope = float((steps * (y - y.mean())).sum() / (steps * steps).sum())
    rest = y - y.mean() - slope * steps
    error = float(np.sqrt((rest * rest).sum() / max(1, len(y) - 2) / (steps * steps).sum()))
    return abs(slope) <= 3.0 * error


def flat_from_start(s: Series, band: float) -> bool | None:
    """Whether the curve never left its initial level by more than `band` of that level's size.

    True: every later bucket mean stays within the band, or within half of the row noise, of the first level. False:
    one lies outside, beyond three standard errors. None: between the two, or fewer than eight finite rows.
    The band widens to half of the noise of one row, since no eye would call that a departure, but five times at most.

    >>> flat_from_start(Series.of([2.3, 2.31, 2.29, 2.3] * 10), 0.02)
    True
    >>> flat_from_start(Series.of([2.3] * 10 + [1.0] * 30), 0.02)
    False
    """
    c = curve_of(s)
    n = len(c)
    if n < 8:
        return None
    y, noise, start = c.calm, c.noise, c.head
    limit = max(band * abs(start), min(0.5 * noise, 5.0 * band * abs(start)))
    cut = edges(n, 12)
    away = np.abs(means(y, cut) - start)
    rows_at_start = max(1, min(5, n // 20), n // 50)
    error = np.hypot(1.25 * noise / rows_at_start**0.5, noise / np.sqrt(cut[1:] - cut[:-1]))
    if bool((away > limit + 3.0 * error).any()):
        return False
    if bool((away <= limit + error).all()) and top_of(error) <= UNSURE * limit:
        return True
    d = c.drift
    return True if d is not None and -limit < d.low() and d.high() < limit else None


def plateau_start(s: Series) -> float | None:
    """Step from which the rest of the curve stays at its end level; None when it is not flat at the end.

    The end level is the median of the last quarter; "stays" is 2 % of the total drop or four standard errors of
    a bucket mean. None below 16 finite rows, when the flat part is shorter than a tenth of the rows, or when that
    part itself still drifts by more than the tolerance.

    >>> plateau_start(Series.of([3.0, 3.0, 3.0, 2.0] + [1.0] * 96))
    4.0
    """
    row = _plateau_row(curve_of(s))
    return None if row is None else float(curve_of(s).x[row])


def plateau_level(s: Series) -> float | None:
    """Median from `plateau_start` on; None when there is no flat end.

    >>> plateau_level(Series.of([3.0, 3.0, 3.0, 2.0] + [1.0] * 96))
    1.0
    """
    c = curve_of(s)
    row = _plateau_row(c)
    return None if row is None else back(median_of(c.y[row:]), c.scale)


def plateau_share(s: Series) -> float | None:
    """Share of the run, in steps, spent on the flat end; 0 when there is none, None below 16 finite rows.

    >>> plateau_share(Series.of([3.0] * 50 + [1.0] * 51))
    0.5
    """
    c = curve_of(s)
    if len(c) < 16:
        return None
    row = _plateau_row(c)
    return 0.0 if row is None else float((c.x[-1] - c.x[row]) / (c.x[-1] - c.x[0]))


def _plateau_row(c: GridCurve) -> int | None:
    """First row of the flat end, or None."""
    n = len(c)
    if n < 16:
        return None
    y, noise = c.calm, c.noise
    cut = edges(n, BUCKETS if n >= 4 * BUCKETS else max(8, n // 4))
    b = means(y, cut)
    end = median_of(y[-max(4, n // 4) :])
    tail = b[-max(3, len(b) // 4) :]
    wander = MAD_TO_SD * median_of(np.abs(tail - median_of(tail)))
    error = max(noise / bottom_of(cut[1:] - cut[:-1]) ** 0.5, wander)
    drop = max(abs(c.head - end), c.head - bottom_of(b))
    limit = max(NEAR * drop, 4.0 * error)
    outside = np.flatnonzero(np.abs(b - end) > limit)
    first = int(cut[outside[-1] + 1]) if len(outside) else 0
    if first >= n or n - first < max(4, SHORTEST * n):
        return None
    # the bucket that straddles the edge: its flat rows belong to the plateau
    while first > 0 and len(outside) and first > cut[outside[-1]] and abs(y[first - 1] - end) <= limit:
        first -= 1
    d = drift_of(y[first:])
    if d is not None and (d.low() > limit or d.high() < -limit):
        return None
    return first
