"""Points as blocks and as a frame are the same points, and a block's series is what a plain loop makes of them."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.block import Block, as_frame, by_rank, joined, of_frame, to_frame
from curvedoc.core.run import ASSEMBLED, POINTS, Run, empty_messages

SETTINGS = settings(max_examples=50, deadline=None)
VALUES = st.one_of(st.floats(-1e6, 1e6), st.sampled_from([math.nan, math.inf, -math.inf]))
ROWS = st.lists(
    st.tuples(st.integers(0, 12), VALUES, st.one_of(st.floats(0, 1e9), st.just(math.nan)), st.booleans()), max_size=30
)


def block(rows: list[tuple[int, float, float, bool]], metric: str = "loss", rank: int = 0) -> Block:
    step, value, time, old = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Block(
        metric, rank, np.array(step, np.int64), np.array(value, np.float64), np.array(time, np.float64),
        superseded=np.array(old, np.bool_) if any(old) else None,
        segment=np.array([0 if o else 1 for o in old], np.int64) if any(old) else None,
    )  # fmt: skip


@SETTINGS
@given(ROWS)
def test_a_series_has_the_last_value_of_each_step_that_was_not_written_again(
    rows: list[tuple[int, float, float, bool]],
) -> None:
    want: dict[int, tuple[float, float]] = {}
    for step, value, time, old in rows:
        if not old:
            want[step] = value, time
    got = block(rows).series()
    if not want:
        assert got is None
        return
    assert got is not None
    assert got.step.tolist() == sorted(want)
    assert got.value.tolist() == pytest.approx([want[s][0] for s in sorted(want)], nan_ok=True, abs=0)
    times = [want[s][1] for s in sorted(want)]
    if all(math.isnan(t) for t in times):
        assert got.time is None
    else:
        assert got.time is not None
        assert got.time.tolist() == pytest.approx(times, nan_ok=True, abs=0)


@SETTINGS
@given(st.lists(ROWS.filter(bool), min_size=1, max_size=4))
def test_blocks_come_back_from_the_frame_that_they_made(parts: list[list[tuple[int, float, float, bool]]]) -> None:
    blocks = [block(rows, f"m{i // 2}", i % 2) for i, rows in enumerate(parts)]
    frame = to_frame(blocks, ASSEMBLED)
    assert dict(frame.schema) == dict(ASSEMBLED)
    back = of_frame(frame)
    assert [(b.metric, b.rank, len(b)) for b in back] == [(b.metric, b.rank, len(b)) for b in blocks]
    assert to_frame(back, ASSEMBLED).equals(frame)


def test_rows_of_a_metric_that_stand_apart_in_a_frame_are_one_block_in_their_order() -> None:
    frame = pl.DataFrame(
        {"metric": ["a", "b", "a"], "step": [1, 1, 2], "value": [1.0, 5.0, 2.0], "time": [None, None, None],
         "rank": [0, 0, 0], "flags": [0, 0, 0], "segment": [0, 0, 0], "superseded": [False] * 3},
        schema=dict(ASSEMBLED),
    )  # fmt: skip
    a, b = of_frame(frame)
    assert (a.metric, a.value.tolist(), b.value.tolist()) == ("a", [1.0, 2.0], [5.0])
    run = Run("r", frame, empty_messages(), (), {}, {}, ())
    assert run.metrics() == ("a", "b")
    assert run.points is frame


def test_what_has_no_step_is_null_in_the_frame_and_no_row_of_the_series() -> None:
    b = Block("loss", 0, np.array([0, 4]), np.array([9.0, 1.0]), known=np.array([False, True]))
    frame = as_frame((b,), POINTS)
    assert frame["step"].to_list() == [None, 4]
    assert frame["time"].to_list() == [None, None]
    series = b.series()
    assert series is not None
    assert series.step.tolist() == [4]


def test_ranks_part_a_block_and_parts_join_to_it_again() -> None:
    b = block([(k, float(k), math.nan, False) for k in range(6)])
    parts = by_rank(b, np.array([2, 0, 2, 0, 0, 2], np.int32))
    assert [(p.rank, p.step.tolist()) for p in parts] == [(2, [0, 2, 5]), (0, [1, 3, 4])]
    flagged = Block("loss", 0, np.array([7]), np.array([1.0]), flags=np.array([4], np.uint16))
    whole = joined([parts[1], flagged])
    assert whole.step.tolist() == [1, 3, 4, 7]
    assert whole.flags is not None
    assert whole.flags.tolist() == [0, 0, 0, 4]
    assert whole.known is None


def test_a_frame_of_no_points_has_the_columns_all_the_same() -> None:
    assert dict(to_frame((), POINTS).schema) == dict(POINTS)
    assert of_frame(to_frame((), ASSEMBLED)) == ()
