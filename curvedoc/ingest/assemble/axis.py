"""Steps for what was logged without one: record order, the clock, or the steps of the metrics beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from curvedoc.core.run import Note
from curvedoc.core.series import Floats, Ints
from curvedoc.ingest.assemble.stream_curves import StreamBlock

#: Fewer points than this at one step are a summary, not a curve that lost its steps.
_CURVE = 3
#: Whole numbers from here on are not all float64; a curve with so large a share of repeated steps has lost them.
_EXACT = 1 << 53
_MERGED = 0.1
#: A curve without steps that has more records than this for each step named beside it would be a few heaps of points.
_HEAP = 20


def number_rows(strands: Sequence[StreamBlock]) -> tuple[list[StreamBlock], bool, list[Note]]:
    """One stream's strands with every step known, and whether steps are record order now.

    No step at all, or all of them the same, or so large that neighbors became one in the file's numbers, or named by a
    few summaries (the closing line of a run): the most logged metric counts its records, and the others are laid along
    it by the clock, or evenly where there is none. Some steps missing: filled from the clock or from the records beside
    them.
    """
    useless = (_stuck(strands) or _blurred(strands) or _of_summaries(strands)) if strands else False
    if not strands or (all(bool(s.known.all()) for s in strands) and not useless):
        return list(strands), False, []
    if useless or not any(bool(s.known.any()) for s in strands):
        notes = [Note("step-from-order", "no usable step was logged; records are counted instead")]
        return _counted(strands), True, notes
    missing = sum(int((~s.known).sum()) for s in strands)
    notes = [Note("step-filled", "records without a step were placed by their neighbors", count=missing)]
    return _filled(strands), False, notes


def _stuck(strands: Sequence[StreamBlock]) -> bool:
    """Whether a curve was logged with every point at one and the same step, and no other at any."""
    known = [s.step[s.known] for s in strands if bool(s.known.any())]
    if any(step[0] != step[-1] for step in known) or max((len(step) for step in known), default=0) < _CURVE:
        return False
    return len({int(v) for step in known for v in (step.min(), step.max())}) == 1


def _blurred(strands: Sequence[StreamBlock]) -> bool:
    """Whether steps are too large for a float64, which stood between the file and here, to tell neighbors apart."""
    main = max(strands, key=len)
    if len(main) < _CURVE or not bool(main.known.all()) or int(main.step.max()) < _EXACT:
        return False
    return float(np.mean(np.diff(main.step) == 0)) > _MERGED


def _of_summaries(strands: Sequence[StreamBlock]) -> bool:
    """Whether the longest curve names no step, and what names one does so far too seldom to place its records."""
    main = max(strands, key=len)
    if bool(main.known.any()) or len(main) < _CURVE:
        return False
    return len(main) > _HEAP * len({int(v) for s in strands for v in s.step[s.known]})


def _counted(strands: Sequence[StreamBlock]) -> list[StreamBlock]:
    main = max(strands, key=len)
    clock = main.time if bool(np.isfinite(main.time).all()) and bool((np.diff(main.time) >= 0).all()) else None
    out = []
    for s in strands:
        if len(s) == len(main):
            step = np.arange(len(s), dtype=np.int64)
        elif clock is not None and bool(np.isfinite(s.time).all()):
            step = np.maximum(np.searchsorted(clock, s.time, side="right") - 1, 0).astype(np.int64)
        else:
            step = _even(len(s), 0, len(main) - 1)
        out.append(replace(s, step=step, known=np.ones(len(s), dtype=np.bool_)))
    return out


def _filled(strands: Sequence[StreamBlock]) -> list[StreamBlock]:
    main = max(strands, key=lambda s: int(s.known.sum()))
    steps = main.step[main.known]
    times = main.time[main.known]
    if not bool(np.isfinite(times).all()) or not bool((np.diff(times) >= 0).all()):
        times = np.zeros(0)
    return [s if bool(s.known.all()) else _fill(s, steps, times) for s in strands]


def _fill(s: StreamBlock, steps: Ints, times: Floats) -> StreamBlock:
    step = s.step.copy()
    gap = ~s.known
    if len(times) and bool(np.isfinite(s.time[gap]).all()):
        step[gap] = steps[np.maximum(np.searchsorted(times, s.time[gap], side="right") - 1, 0)]
    elif bool(s.known.any()):
        last = np.maximum.accumulate(np.where(s.known, np.arange(len(s)), -1))
        step = np.where(last >= 0, s.step[np.maximum(last, 0)], s.step[s.known][0])
    else:
        step = _even(len(s), int(steps.min()), int(steps.max()))
    return replace(s, step=step, known=np.ones(len(s), dtype=np.bool_))


def _even(n: int, first: int, last: int) -> Ints:
    """n steps spread over (first, last] with the last one on its end, as evaluations at the end of a period are."""
    return np.rint(first + (last - first) * np.arange(1, n + 1) / n).astype(np.int64)
