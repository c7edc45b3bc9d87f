"""Schedule: where a logged learning rate comes to rest: its floor, its lowest level, where it is negligible."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Series
from curvedoc.stats.basic.grid import GridCurve
from curvedoc.stats.basic.medians import bottom_of, top_of
from curvedoc.stats.schedule.phases import RISE, SAME, rates_of, warmup_row
from curvedoc.stats.schedule.steps import is_treads

FLOOR = 1e-4  # of the peak: within this of its minimum the rate rests on its floor
FAR_BELOW = 0.5  # a floor is no floor unless this far under the peak
NEGLIGIBLE = 1e-4  # of the peak: a staircase may end on a low tread, but not so low that nothing learns
LONG_TREAD = 2 / 3  # of the run: a staircase that rests so long on a low last tread came down too early
LOW_TREAD = 0.05  # of the peak: how low that tread is


def floor_row(c: GridCurve) -> int | None:
    """First row from which the rate rests on its minimum to the end, or None when it has no floor.

    The minimum must lie far below the peak. After abrupt drops (a staircase) the last tread is the plan, not a
    floor, unless it is negligible, or low and two thirds of the run.
    """
    top, low = top_of(c.y), bottom_of(c.y[warmup_row(c) :])
    if low > FAR_BELOW * top or c.y[-1] > low + FLOOR * top:
        return None
    above = np.flatnonzero(c.y > low + FLOOR * top)
    row = int(above[-1]) + 1
    if row >= len(c) - 1:
        return None
    if low <= NEGLIGIBLE * top:
        return row
    if low <= LOW_TREAD * top and c.x[-1] - c.x[row] >= LONG_TREAD * (c.x[-1] - c.x[0]):
        return row
    leap = float(c.y[row - 1] - c.y[row])
    treads = is_treads(c) or (leap > 0.3 * float(c.y[row - 1]) and leap > RISE * top)
    return None if treads else row


def decays_to_floor(lr: Series) -> bool | None:
    """Whether the rate comes down to a floor far below its peak and rests there; None below four finite rows.

    >>> decays_to_floor(Series.of([1.0, 0.8, 0.6, 0.4, 0.2, 0.0, 0.0, 0.0]))
    True
    """
    c = rates_of(lr)
    return None if c is None or len(c) < 4 else floor_row(c) is not None


def floor_from(lr: Series) -> float | None:
    """First step from which the rate rests on its floor to the end; None without a floor.

    The last tread of a staircase is one only below 1/10,000 of the peak, or below 1/20 for two thirds of the run.

    >>> floor_from(Series.of([1.0, 0.8, 0.6, 0.4, 0.2, 0.0, 0.0, 0.0]))
    5.0
    """
    c = rates_of(lr)
    row = None if c is None or len(c) < 4 else floor_row(c)
    return None if c is None or row is None else float(c.x[row])


def floor_share(lr: Series) -> float | None:
    """Share of the run's steps that the rate rests on its floor; 0 without a floor, None below four finite rows.

    >>> floor_share(Series.of([1.0, 0.5, 0.0, 0.0, 0.0]))
    0.5
    """
    c = rates_of(lr)
    if c is None or len(c) < 4:
        return None
    row = floor_row(c)
    return 0.0 if row is None else float((c.x[-1] - c.x[row]) / (c.x[-1] - c.x[0]))


def lowest_share(lr: Series) -> float | None:
    """Share of the run's steps after the last change down to the lowest rate, whatever the shape; 0 if not at it.

    >>> lowest_share(Series.of([1.0, 0.1, 0.01, 0.01, 0.01])), lowest_share(Series.of([1.0, 1.0, 1.0]))
    (0.5, 0.0)
    """
    c = rates_of(lr)
    if c is None or len(c) < 3:
        return None
    top, low = top_of(c.y), bottom_of(c.y[warmup_row(c) :])
    if c.y[-1] > low + SAME * top or low >= top * (1 - SAME):
        return 0.0
    row = int(np.flatnonzero(c.y > low + SAME * top)[-1]) + 1
    return float((c.x[-1] - c.x[min(row, len(c) - 1)]) / (c.x[-1] - c.x[0]))


def negligible_from(lr: Series, ratio: float) -> float | None:
    """First step from which the rate stays below `ratio` of its peak to the end; None when it does not.

    >>> negligible_from(Series.of([1.0, 0.1, 0.01, 0.001, 0.0001]), 0.005)
    3.0
    """
    c = rates_of(lr)
    if c is None:
        return None
    row = int(np.flatnonzero(c.y >= ratio * top_of(c.y))[-1]) + 1 if ratio <= 1.0 else 0
    return None if row >= len(c) else float(c.x[row])
