"""How a logged value settles within each epoch: the trace of an average that starts anew."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Series
from curvedoc.stats.basic.levels import interval
from curvedoc.stats.basic.medians import median_of

#: The opening of an epoch, where a fresh average holds few batches, and its late part, where it holds many.
OPENING, LATE = 0.2, 0.5
#: Epochs with fewer rows have no late part to compare with.
ROWS_EACH = 8
#: Fewer epochs may differ by chance.
EPOCHS = 3


def epoch_settling(s: Series, epoch_steps: float) -> float | None:
    """How many times larger neighbors differ in the opening fifth of an epoch than in its second half.

    The mean of the k batches since the start of the epoch moves by about 1/k of what a batch moves: a running average
    settles tenfold and more within an epoch of forty rows, while single batches, in whatever order, differ by as much
    late as early. The median over the epochs; differences across a boundary do not count. None below three epochs of
    eight finite rows, or where nothing moves. NaN rows are left out.

    >>> mean = [sum((i * 7919 % 13) / 13 for i in range(k + 1)) / (k + 1) for k in range(40)]
    >>> epoch_settling(Series.of(mean * 5), 40.0) > 4
    True
    """
    v = s.finite()
    gap = interval(v)
    if gap is None or not gap > 0 or not epoch_steps / gap >= ROWS_EACH:
        return None
    place = (v.step % epoch_steps) / epoch_steps
    epoch = np.floor_divide(v.step, epoch_steps)
    scale = float(np.max(np.abs(v.value), initial=0.0))
    if not scale > 0.0:
        return None
    move, inside = np.abs(np.diff(v.value / scale)), epoch[1:] == epoch[:-1]
    ratios = []
    for e in np.unique(epoch):
        own = inside & (epoch[1:] == e)
        early, late = own & (place[1:] < OPENING), own & (place[1:] >= LATE)
        if early.sum() + late.sum() < ROWS_EACH // 2 or not early.any() or not late.any():
            continue
        calm = float(np.mean(move[late]))
        if calm > 0.0:
            ratios.append(float(np.mean(move[early])) / calm)
    return median_of(np.asarray(ratios)) if len(ratios) >= EPOCHS else None
