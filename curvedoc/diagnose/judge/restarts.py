"""Where a run was taken up again: the steps that its counter went back to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from curvedoc.core.block import Block
from curvedoc.core.series import Series


def restarts_of(blocks: Sequence[Block]) -> Series:
    """One row per restart: the step it went back to, value the step it came from."""
    rows = _restarted(blocks)
    steps = sorted(rows)
    return Series(np.array(steps, dtype=np.int64), np.array([rows[s] for s in steps], dtype=np.float64), "restarts")


def _restarted(blocks: Sequence[Block]) -> dict[int, float]:
    """Where the step counter went back to -> where it came from."""
    rows: dict[int, float] = {}
    if all(b.segment is None for b in blocks):
        return rows
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    for b in blocks:
        segment = np.zeros(len(b), np.int64) if b.segment is None else b.segment
        for at in np.unique(segment).tolist():
            step = b.step[segment == at]
            low, high = spans.get((b.rank, at), (int(step[0]), int(step[0])))
            spans[b.rank, at] = min(low, int(step.min())), max(high, int(step.max()))
    previous: dict[int, int] = {}
    for (rank, _), (low, high) in sorted(spans.items()):
        if rank in previous and low <= previous[rank]:
            rows[low] = float(previous[rank])
        previous[rank] = max(high, previous.get(rank, high))
    return rows
