"""Mirror: a learning rate that comes back up the way it went down."""

from __future__ import annotations

import math

import numpy as np

from curvedoc.series import Floats, Series
from curvedoc.stats.schedule import restart_step

#: Fewer rows on either side of the lowest rate show no shape.
_ROWS = 6
#: Share of the descent that the rise must have repeated.
_BACK = 0.5
#: Mean distance, in units of the whole descent, up to which two shapes are one; a cosine is 0.07 from a straight line.
_CLOSE = 0.03


def mirrored_cosine(lr: Series) -> bool | None:
    """Whether the rate comes down along a cosine and goes back up along the same cosine, as past the end of its plan.

    A restart leaps and a triangular cycle is straight; neither is mirrored. None below 12 finite rows.
    """
    s = lr.finite()
    if len(s) < 2 * _ROWS:
        return None
    turn = restart_step(s)
    if turn is None:
        return False
    low = int(np.searchsorted(s.step, turn, side="right")) - 1
    top = low - int(np.argmax(s.value[: low + 1][::-1]))
    fall, floor = float(s.value[top]) - float(s.value[low]), float(s.value[low])
    length = float(s.step[low] - s.step[top])
    if low - top < _ROWS or not 0.0 < fall < math.inf or length <= 0.0:
        return False
    # by steps, not rows: the log may be denser on one side
    down: Floats = (s.step[top : low + 1] - s.step[top]) / length
    if _distance(s.value[top : low + 1] / fall - floor / fall, (1.0 + np.cos(np.pi * down)) / 2.0) > _CLOSE:
        return False
    after = s.step[low:] - s.step[low]
    rise = after <= length
    if int(rise.sum()) < _ROWS or float(after[rise][-1]) < _BACK * length:
        return False
    back: Floats = after[rise] / length
    return _distance(s.value[low:][rise] / fall - floor / fall, (1.0 - np.cos(np.pi * back)) / 2.0) <= _CLOSE


def _distance(a: Floats, b: Floats) -> float:
    return float(np.mean(np.abs(a - b)))
