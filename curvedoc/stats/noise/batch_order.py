"""Batches in one order: whether the loss makes the same moves at the same places of every epoch."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from curvedoc.core.series import Floats, Series
from curvedoc.stats.basic.medians import median_of
from curvedoc.stats.basic.spacing import typical_gap

#: Moves of an epoch, and pairs of epochs: by chance a median of four correlations of ten moves comes to 0.5 once in
#: some thousand.
MOVES, PAIRS = 10, 4
#: Rows stand at the same places of each epoch where its length is so close to a whole number of gaps, in rows a run.
LINED_UP = 0.5


def order_kept(s: Series, epoch_steps: float) -> float | None:
    """How alike the moves from row to row are in one epoch and in the next: the median rank correlation of neighboring
    epochs.

    A model that goes through the data in one order meets each batch at its place again, so that what was hard is hard,
    however far the loss has come down since; of shuffled batches it is near 0. The move across a boundary is left out:
    steps from epoch to epoch are no order. Ranks, since one outlier decides other correlations. s: any curve; rows that
    are not finite leave their moves out. None where rows do not stand at the same places of each epoch, below ten
    moves an epoch or five epochs.

    >>> import random
    >>> hard = [random.Random(i).random() for i in range(20)]
    >>> round(order_kept(Series.of([hard[i % 20] * 0.99**i for i in range(200)]), 20.0), 1)
    1.0
    >>> order_kept(Series.of(hard), 20.0) is None
    True
    """
    if len(s) < (PAIRS + 1) * (MOVES + 1):
        return None
    step = s.step.astype(np.float64)
    gap = typical_gap(step)
    if not MOVES * gap < epoch_steps <= len(s) * gap / (PAIRS + 1):
        return None
    per = round(epoch_steps / gap)
    epochs = len(s) // per
    drift = abs(epoch_steps / gap - per) * epochs
    if per <= MOVES or epochs <= PAIRS or max(drift, abs((step[-1] - step[0]) / gap - len(s) + 1)) > LINED_UP:
        return None
    rows = s.value[len(s) - epochs * per :].reshape(epochs, per)
    with np.errstate(over="ignore", invalid="ignore"):
        move = np.diff(rows, axis=1)
    found = [r for a, b in pairwise(move) if (r := _alike(a, b)) is not None]
    return median_of(np.array(found)) if len(found) >= PAIRS else None


def _alike(a: Floats, b: Floats) -> float | None:
    """Rank correlation of two lists of moves where both are finite; None for too few, or where one is constant."""
    both = np.isfinite(a) & np.isfinite(b)
    if int(both.sum()) < MOVES:
        return None
    if not all(bool((v[both] != v[both][0]).any()) for v in (a, b)):
        return None
    x, y = (np.argsort(np.argsort(v[both])).astype(np.float64) for v in (a, b))
    x, y = x - x.mean(), y - y.mean()
    return float(x @ y / np.sqrt((x @ x) * (y @ y)))
