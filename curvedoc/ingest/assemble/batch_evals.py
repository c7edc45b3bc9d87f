"""Evaluations logged batch by batch: what one pass over the data found is the mean of its batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.run import Flag, Note, RoleMatch
from curvedoc.core.series import Ints
from curvedoc.ingest.assemble.stream_curves import StreamBlock

#: So many passes of so many batches: two values at a step may be of two data sets.
_PASSES, _BATCHES = 3, 3
#: Share of the passes that are of one length; a last batch may be left out, and a last pass cut off.
_EVEN = 0.8
#: Between two passes lie more than so many of the steps from batch to batch. Evaluations of whole epochs that take the
#: step of the last logged row stand one or two logging intervals apart.
_GAP = 2.5


@dataclass(frozen=True, slots=True)
class _Passes:
    """The rows at which passes begin, and the step of each."""

    begins: Ints
    step: Ints


def with_means(strands: Sequence[StreamBlock], roles: Sequence[RoleMatch]) -> tuple[list[StreamBlock], list[Note]]:
    """The strands with one value a pass of each evaluation that was logged batch by batch, and a note that says so."""
    role = {m.metric: m.role for m in reversed(roles)}
    train = max((s for s in strands if role.get(s.metric) == "loss"), key=len, default=None)
    out, names = [], []
    for s in strands:
        known = role.get(s.metric, "").startswith(("val_", "test_")) and (
            s.superseded is None or not s.superseded.any()
        )
        passes = _passes(s.step, train) if known and train is not None and train.rank == s.rank else None
        if passes is not None:
            names.append(s.metric)
            s = _means(s, passes)
        out.append(s)
    text = f"logged batch by batch; the mean of each pass over the data was taken: {', '.join(names[:5])}"
    return out, [Note("batches-averaged", text, count=len(names))] if names else []


def _passes(step: Ints, train: StreamBlock) -> _Passes | None:
    """The passes that the steps of an evaluation show, None where each value stands for itself."""
    if len(step) < _PASSES * _BATCHES:
        return None
    rise = np.diff(step)
    stride = float(np.median(rise))
    if stride < 0 or bool((rise < 0).any()):
        return None
    begins = np.flatnonzero(np.concatenate(([True], rise > _GAP * stride)))
    size = np.diff(np.append(begins, len(step)))
    usual = int(np.median(size))
    if len(begins) < _PASSES or usual < _BATCHES or float((np.abs(size - usual) <= 1).mean()) < _EVEN:
        return None
    if stride == 0:  # batches that take the step that training had reached
        return _Passes(begins, step[begins])
    # batches that are counted as those of training are: a pass ends with the epoch
    ends = np.append(step[begins[1:]], max(int(train.step.max()) + 1, int(step[-1]) + 1))
    at = np.searchsorted(train.step, ends, side="left") - 1
    within = float(((train.step[at] >= step[begins]) & (at >= 0)).mean())
    ascends = bool((train.step[1:] >= train.step[:-1]).all())
    return _Passes(begins, train.step[np.maximum(at, 0)]) if ascends and within >= _EVEN else None


def _means(s: StreamBlock, passes: _Passes) -> StreamBlock:
    """The mean of each pass; of running means the last."""
    ends = np.append(passes.begins[1:], len(s))
    first = np.zeros(len(s), np.bool_)
    first[passes.begins] = True
    running = bool((s.flags & np.uint16(Flag.AVERAGED)).any())
    with np.errstate(invalid="ignore", over="ignore"):  # a batch that is not finite makes its pass so
        mean = s.value[ends - 1] if running else np.add.reduceat(s.value, passes.begins) / (ends - passes.begins)
    return replace(s.keep(first), step=passes.step, value=mean)
