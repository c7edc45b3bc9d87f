"""Mirror: a learning rate that comes back up the way it went down."""

from __future__ import annotations

import math

import numpy as np

from curvedoc.core.series import Floats, Series
from curvedoc.stats.schedule.phases import restart_step

#: Fewer rows on either side of the lowest rate show no shape.
_ROWS = 6
#: Share of the descent, in steps, that the rise must have repeated.
_BACK = 0.5
#: Mean distance, in units of the height compared, up to which two sides are one curve.
_CLOSE = 0.03
#: And from which on a side is bent: half a cosine lies 0.07 from a straight line, its lower half 0.13.
_BENT = 0.05
_GRID = 64


def mirrored_cosine(lr: Series) -> bool | None:
    """Whether the rate goes back up along the bent curve on which it came down, as a cosine does past its end.

    A restart leaps and a triangular cycle is straight; neither is such a mirror. A warm-up may hide the upper part
    of the descent. None below 12 finite rows.
    """
    s = lr.finite()
    if len(s) < 2 * _ROWS:
        return None
    turn = restart_step(s)
    if turn is None:
        return False
    low = int(s.step.searchsorted(turn, side="right")) - 1
    top = low - int(np.argmax(s.value[: low + 1][::-1]))
    length = float(min(s.step[low] - s.step[top], s.step[-1] - s.step[low]))
    if low - top < _ROWS or length < _BACK * float(s.step[low] - s.step[top]) or length <= 0.0:
        return False
    away = (s.step - s.step[low]).astype(np.float64)
    if int(((away > 0) & (away <= length)).sum()) < _ROWS:
        return False
    # by steps, not rows: the log may be denser on one side
    grid = np.linspace(0.0, length, _GRID)
    floor, height = float(s.value[low]), float(np.interp(-length, away, s.value)) - float(s.value[low])
    if not 0.0 < height < math.inf:
        return False
    down: Floats = np.interp(-grid, away, s.value) / height - floor / height
    up: Floats = np.interp(grid, away, s.value) / height - floor / height
    return _distance(down, up) <= _CLOSE and _distance(down, np.linspace(0.0, 1.0, _GRID)) >= _BENT


def _distance(a: Floats, b: Floats) -> float:
    return float(np.mean(np.abs(a - b)))
