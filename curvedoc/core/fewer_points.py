"""Fewer points of a curve that has too many: the extremes of each stretch, what is not finite, and the end whole."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.block import Block

#: Points that are kept of a stretch: the first, the lowest, the highest, one that is not finite.
_EACH = 4
#: The share of what is kept that is the end, whole.
_END = 8


def fewer(block: Block, keep: int) -> Block:
    """About so many points, in file order. Stretches are of equal steps, so that it may be done again and again."""
    n = len(block)
    if n <= keep or keep < 2 * _EACH:
        return block
    end = keep // _END
    chosen = np.concatenate([_chosen(block, n - end, (keep - end) // _EACH), np.arange(n - end, n)])
    at = np.unique(chosen)
    parts = (block.time, block.flags, block.known, block.segment, block.superseded)
    time, flags, known, segment, superseded = (None if p is None else p[at] for p in parts)
    return Block(
        block.metric, block.rank, block.step[at], block.value[at], time, flags, known, segment, superseded
    )  # fmt: skip


def _chosen(block: Block, n: int, stretches: int) -> NDArray[np.int64]:
    """Places among the first n points."""
    step, value = block.step[:n].astype(np.float64), block.value[:n]
    low, high = float(step.min()), float(step.max())
    if high - low < stretches:
        step, low, high = np.arange(n, dtype=np.float64), 0.0, float(n)
    stretch = np.minimum((step - low) * (stretches / (high - low + 1)), stretches - 1).astype(np.int64)
    lost = np.isnan(value)
    found = [_firsts(stretch, np.arange(n))]
    known = np.flatnonzero(~lost)
    by_value = known[np.lexsort((value[known], stretch[known]))]
    found.append(_firsts(stretch[by_value], by_value))
    found.append(_firsts(stretch[by_value[::-1]], by_value[::-1]))
    gone = np.flatnonzero(lost)
    found.append(_firsts(stretch[gone], gone))
    return np.concatenate(found)


def _firsts(stretch: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first of the places in each run of one stretch."""
    if not len(places):
        return places
    return places[np.concatenate(([True], stretch[1:] != stretch[:-1]))]
