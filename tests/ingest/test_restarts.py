"""Which points a restart overwrote, against a slow and obvious account of it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from curvedoc.ingest.assemble.restarts import Rewind, _marked, _part_of
from curvedoc.ingest.assemble.stream_curves import StreamBlock


def strand(step: list[int]) -> StreamBlock:
    n = len(step)
    return StreamBlock(
        "loss", 0, np.array(step, dtype=np.int64), np.zeros(n), np.full(n, np.nan), np.zeros(n, np.uint16),
        np.ones(n, np.bool_), stream=0, file=np.zeros(n, np.int64),
    )  # fmt: skip


def overwritten(step: list[int], segment: list[int], found: list[Rewind]) -> list[bool]:
    """A point is superseded where a later segment began anew, or went back to its step or below and came past it."""
    out = []
    for s, g in zip(step, segment, strict=True):
        gone = False
        for k, r in enumerate(found, start=1):
            later = [v for v, h in zip(step, segment, strict=True) if h >= k]
            if k > g and later:
                gone |= r.scratch or r.to_step <= s <= max(later)
        out.append(gone)
    return out


PIECES = st.lists(st.tuples(st.integers(0, 30), st.integers(2, 9), st.booleans()), min_size=1, max_size=8)


@given(PIECES)
def test_points_are_superseded_as_the_slow_account_says(pieces: list[tuple[int, int, bool]]) -> None:
    step: list[int] = []
    found: list[Rewind] = []
    for start, length, scratch in pieces:
        if step:
            found.append(Rewind(len(step), step[-1], start, float("nan"), scratch))
        step += range(start, start + length)
    s = strand(step)
    if not found:
        return
    marked = _marked(s, s, found)
    assert marked.segment.tolist() == [sum(r.row <= i for r in found) for i in range(len(step))]
    assert marked.superseded.tolist() == overwritten(step, marked.segment.tolist(), found)


@given(PIECES, st.lists(st.integers(0, 40), max_size=30))
def test_a_metric_of_its_own_rows_goes_back_no_more_often_than_the_counter(
    pieces: list[tuple[int, int, bool]], own: list[int]
) -> None:
    found = [Rewind(10 * k, 40, start, float("nan"), scratch) for k, (start, _, scratch) in enumerate(pieces, start=1)]
    part = _part_of(strand(own), strand([0, 1, 2]), found).tolist() if own != [0, 1, 2] else []
    seen, slow = 0, []
    for i, s in enumerate(own if part else []):
        if i and s <= own[i - 1]:
            goes = next((k for k in range(seen, len(found)) if found[k].to_step <= s), None)
            seen = seen if goes is None else goes + 1
        slow.append(seen)
    assert part == slow
