"""Carry: how much of what training learns holds on samples that it did not see."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Series
from curvedoc.stats.basic.grid import noise_of

LEAST = 3  # evaluations: two have no trend of their own
SURE = 2.6  # deviates: a training curve that falls by less may not fall at all
MOST = 1e6  # a training curve that falls by less than a millionth of what validation does says nothing of it


def carried_over(train: Series, val: Series) -> float | None:
    """Fall of validation over fall of training, from first to last evaluation: 1 where all that is learned holds.

    Both by straight lines, so that it is meant for curves that hardly move: 0 where validation stands still while
    training falls, negative where it rises (labels learned by heart), above 1 where validation falls faster (training
    targets that carry less than those of validation). None below three evaluations, or where training does not surely
    fall over them.

    >>> train, val = Series.of([2.30, 2.29, 2.28, 2.27, 2.26, 2.25]), Series.of([2.31, 2.33, 2.35], step=[1, 3, 5])
    >>> round(carried_over(train, val), 6)
    -1.0
    """
    v = val.finite()
    if len(v) < LEAST:
        return None
    half = (v.step[1] - v.step[0]) // 2
    inside = (train.step >= v.step[0] - half) & (train.step <= v.step[-1])
    t = train.cut(inside).finite()
    if len(t) < 2 * LEAST:
        return None
    learned, error = _fall(t)
    if learned <= SURE * error:
        return None
    held = _fall(v)[0]
    return held / learned if abs(held) < MOST * learned else None


def _fall(s: Series) -> tuple[float, float]:
    """Fall per step of a straight line through the rows, and its standard error by the noise of single rows."""
    x = s.step.astype(np.float64)
    x -= x.mean()
    power = float(x @ x)
    with np.errstate(over="ignore", invalid="ignore"):
        fall = -float(x @ (s.value - s.value.mean())) / power
        error = noise_of(s.value) / power**0.5
    return (fall, error) if np.isfinite(fall) and np.isfinite(error) else (0.0, 0.0)
