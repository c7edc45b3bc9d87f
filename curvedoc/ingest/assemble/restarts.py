"""Restarts: where a stream's step counter goes back, which points that overwrites, and what is no restart at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.run import Note
from curvedoc.core.series import Floats, Ints
from curvedoc.ingest.assemble.stream_curves import StreamBlock
from curvedoc.ingest.naming.log_words import spaced
from curvedoc.ingest.naming.split_words import scope_of
from curvedoc.ingest.trainings.starts import goes_on
from curvedoc.ingest.trainings.workers import of_workers

#: A counter that goes back by no more than this many logging intervals is disorder: evaluation rows written under an
#: earlier step, rows of asynchronous writers.
_INTERVALS = 2.0
#: A restart repeats more than one row.
_REPEATED = 2
#: So many rows make an attempt that one row behind it does not replace.
_ATTEMPT = 5
#: In a stream that is out of order all over, going back means nothing: this many rows must ascend together, typically.
_RUN_LENGTH = 4
#: So many periods of one length are a counter that starts anew every epoch.
_PERIODS = 3


@dataclass(frozen=True, slots=True)
class Rewind:
    """One restart: the row at which the counter went back, from where to where, and when (NaN: unknown)."""

    row: int
    from_step: int
    to_step: int
    time: float
    scratch: bool  # back to the very beginning: what stood before is another attempt altogether


def mark(strands: Sequence[StreamBlock]) -> tuple[list[StreamBlock], list[Note]]:
    """One stream's strands of one rank with `segment` and `superseded` filled in, and a note per restart.

    A counter that starts anew every epoch is unrolled into one that does not, with a note.
    """
    live = [s for s in strands if len(s)]
    if not live:
        return list(strands), []
    longest = max(live, key=len)
    strands, live = ([_without_last(s, longest) for s in group] for group in (strands, live))
    falling = [s for s in live if len(s) > 1 and bool((s.step[1:] < s.step[:-1]).any())]
    if not falling:
        return list(strands), []
    # what is written ten times at the last step of each epoch is longer, and says nothing of the counter
    main = max(falling, key=len)
    found = rewinds(main.step, main.time)
    if not found:
        return list(strands), []
    on = _counted_on(strands, main, found)
    if on is not None:
        text = "the step counter starts anew while the loss goes on from where it was; it was counted on"
        return on, [Note("step-unrolled", text, count=len(found))]
    unrolled = _unrolled(live, main, found)
    if unrolled is not None:
        period = int(np.diff([0, *(r.row for r in found)]).mean())
        text = f"the step counter starts anew about every {period} records, once per epoch; it was counted on"
        return unrolled, [Note("step-unrolled", text, count=len(found))]
    notes = [
        Note("step-rewind", f"the step counter goes back from {r.from_step} to {r.to_step}: a restart"
             + (" from the beginning" if r.scratch else "; rows written twice are kept apart"))
        for r in found
    ]  # fmt: skip
    return [_marked(s, main, found) if len(s) else s for s in strands], notes


def _without_last(s: StreamBlock, main: StreamBlock) -> StreamBlock:
    """The strand without its last row, where that of the main one alone is back at the very first step: another attempt
    began there and told no more, and would overwrite what the first one told."""
    if len(s) < 2 or s.step[-1] >= s.step[-2] or s.step[-1] != main.step[-1]:  # as of nearly every log
        return s
    begin = int(np.flatnonzero(np.r_[-1, np.diff(main.step)[:-1]] < 0)[-1])
    if len(main) - 1 - begin < _ATTEMPT or int(main.step[-1]) > int(main.step[begin]):
        return s
    return s.keep(np.arange(len(s)) < len(s) - 1)


def rewinds(step: Ints, time: Floats) -> list[Rewind]:
    """The restarts of one counter in file order. O(n)."""
    if len(step) < 3:
        return []
    rise = np.diff(step)
    positive = rise[rise > 0]
    interval = float(np.median(positive)) if len(positive) else 1.0
    top = np.maximum.accumulate(step)
    drop = np.flatnonzero((rise < 0) & (step[1:] < top[:-1] - _INTERVALS * interval)) + 1
    if not len(drop):
        return []
    runs = np.diff(np.flatnonzero(np.concatenate(([True], rise < 0, [True]))))
    if (len(drop) > _PERIODS and float(np.median(runs)) < _RUN_LENGTH) or of_workers(step):
        return []
    ends = np.append(drop[1:], len(step))
    out = []
    for row, end in zip(drop.tolist(), ends.tolist(), strict=True):
        before = int(step[row - 1])
        again = step[row:end]
        if int((again <= top[row - 1]).sum()) >= _REPEATED and int(again[-1]) > int(again[0]):
            first = int(step[0])
            scratch = int(step[row]) <= first + interval
            out.append(Rewind(row, before, int(step[row]), float(time[row]), scratch))
    return out


def _counted_on(strands: Sequence[StreamBlock], main: StreamBlock, found: Sequence[Rewind]) -> list[StreamBlock] | None:
    """The strands with a counter that goes on wherever it began anew and the loss did not: one training that was
    called on. None where the counter went back to anywhere else, or the loss with it."""
    if not all(r.scratch for r in found):
        return None
    losses = [s for s in strands if s.rank == main.rank and "loss" in spaced(s.metric)]
    trained = [s for s in losses if scope_of(spaced(s.metric)) in ("", "train")]
    loss = next((s for s in (*trained, *losses) if _has_all(s, main, found)), None)
    at = [0, *(r.row for r in found)]
    if loss is None or not all(goes_on(loss.value, row, True) for row in _rows_of(loss, main, found)):
        return None
    reach = [int(main.step[b - 1]) - int(main.step[a]) for a, b in pairwise(at)]
    stride = _stride(main.step, at) - reach[0]
    shift = np.concatenate(([0], np.cumsum(reach) + stride * np.arange(1, len(at))))
    return [replace(s, step=s.step + shift[_part_of(s, main, found)]) if len(s) else s for s in strands]


def _rows_of(s: StreamBlock, main: StreamBlock, found: Sequence[Rewind]) -> list[int]:
    """The row of a strand at which each rewind lies."""
    rows: list[int] = np.searchsorted(_part_of(s, main, found), np.arange(1, len(found) + 1)).tolist()
    return rows


def _has_all(s: StreamBlock, main: StreamBlock, found: Sequence[Rewind]) -> bool:
    """Whether a strand has rows before, between and behind all rewinds."""
    rows = [0, *_rows_of(s, main, found), len(s)]
    return all(a < b for a, b in pairwise(rows))


def _unrolled(strands: Sequence[StreamBlock], main: StreamBlock, found: Sequence[Rewind]) -> list[StreamBlock] | None:
    """The strands with a counter that goes on where each epoch's began anew, or None where these are restarts."""
    starts = [0, *(r.row for r in found)]
    lengths = np.diff([*starts, len(main.step)])
    epoch = next((s for s in strands if s.metric.rsplit("/", 1)[-1].lower() in ("epoch", "epochs")), None)
    same = bool((lengths[:-1] == lengths[0]).all()) and int(lengths[-1]) <= int(lengths[0])
    heads = {int(main.step[r]) for r in starts}
    if not same or len(heads) > 1 or not all(r.scratch for r in found):
        return None
    if epoch is None or len(epoch) != len(main):
        if len(starts) < _PERIODS:
            return None
    else:
        at_start = epoch.value[starts]
        if not bool((np.diff(at_start) > 0).all()):
            return None
    period = _stride(main.step, starts)
    out = []
    for s in strands:
        out.append(replace(s, step=s.step + _part_of(s, main, found) * period))
    return out


def _stride(step: Ints, starts: Sequence[int]) -> int:
    """How far one epoch carries the counter: its last step, plus one interval, less its first."""
    first = step[starts[0] : starts[1]]
    interval = int(np.median(np.diff(first))) if len(first) > 1 else 1
    return int(first[-1] - first[0]) + max(interval, 1)


def _part_of(s: StreamBlock, main: StreamBlock, found: Sequence[Rewind]) -> Ints:
    """How many of the rewinds lie before each point: by the row where the strand stands in the same records as the
    counter, by the clock, or by the point's own steps going back."""
    if len(s) == len(main) and bool((s.step == main.step).all()):
        return np.searchsorted([r.row for r in found], np.arange(len(s)), side="right").astype(np.int64)
    times = np.array([r.time for r in found])
    if bool(np.isfinite(times).all()) and bool((np.diff(times) >= 0).all()) and bool(np.isfinite(s.time).all()):
        by_clock = np.searchsorted(times, s.time, side="right").astype(np.int64)
        if bool((np.diff(by_clock) >= 0).all()):
            return by_clock
    back = np.flatnonzero(np.diff(s.step) <= 0) + 1 if len(s) > 1 else np.zeros(0, dtype=np.int64)
    # A sparse metric may pass a short restart without going back; it can never go back more often than the counter did.
    goals = np.array([r.to_step for r in found])
    lowest_left = np.minimum.accumulate(goals[::-1])[::-1].tolist()
    went: list[int] = []
    parts: list[int] = []
    seen = 0
    for row in back.tolist():
        step = int(s.step[row])
        if seen < len(found) and lowest_left[seen] <= step:
            while found[seen].to_step > step:
                seen += 1
            seen += 1
            went.append(row)
            parts.append(seen)
    return np.array([0, *parts], dtype=np.int64)[np.searchsorted(went, np.arange(len(s)), side="right")]


def _marked(s: StreamBlock, main: StreamBlock, found: Sequence[Rewind]) -> StreamBlock:
    """The strand with the segment of each point, and whether a later segment wrote its step again. O(n log n)."""
    segment = _part_of(s, main, found)
    highest = np.full(len(found) + 1, -np.inf)
    np.maximum.at(highest, segment, s.step)
    # how far everything from a rewind on came, falling from rewind to rewind
    reach = np.maximum.accumulate(highest[::-1])[::-1][1:]
    scratch = np.array([r.scratch for r in found])
    goal = np.where(scratch, np.inf, [r.to_step for r in found])
    anew = np.append(np.maximum.accumulate((scratch & np.isfinite(reach))[::-1])[::-1], False)
    last = np.searchsorted(-reach, -s.step, side="right")
    superseded = anew[segment] | (_least_between(goal, segment, last) <= s.step)
    return replace(s, segment=segment, superseded=superseded)


def _least_between(values: Floats, first: Ints, last: Ints) -> Floats:
    """The least of values[first:last] for each pair; infinity where that is empty."""
    rows = [values]
    while 1 << len(rows) <= len(values):
        half = 1 << (len(rows) - 1)
        rows.append(np.minimum(rows[-1][:-half], rows[-1][half:]))
    out = np.full(len(first), np.inf)
    length = last - first
    for level, row in enumerate(rows):
        here = (length >= 1 << level) & (length < 2 << level)
        out[here] = np.minimum(row[first[here]], row[last[here] - (1 << level)])
    return out
