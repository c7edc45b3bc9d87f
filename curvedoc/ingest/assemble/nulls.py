"""Nulls: a NaN that the writer could not spell, or a value that was not there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from curvedoc.core.block import Bools
from curvedoc.core.run import Flag, Note
from curvedoc.ingest.assemble.stream_curves import StreamBlock

#: A metric with this share of the records of its stream is logged in nearly every record.
_EVERY_RECORD = 0.9
#: Between its first and last value such a metric is rarely null; a column that is mostly null is sparse.
_MOSTLY_THERE = 0.5
#: Metrics that share no more than this part of their records are written by records of two kinds.
_SHARED = 0.1
#: So do metrics of which one has a value nearly wherever the other is null.
_COVERED = 0.9
#: A column that comes back after as many gaps, which make up this share of it, is filled in every so many records.
_GAPS, _GAP_SHARE = 3, 0.2
#: Patterns of nulls that are compared with each other; a log has a handful.
_PATTERNS = 64


def settle_nulls(strands: Sequence[StreamBlock]) -> tuple[list[StreamBlock], list[Note]]:
    """One stream's strands without the nulls that mean "missing"; those that mean NaN stay, as NaN, with their flag.

    A null means NaN in a metric that stands in nearly every record, after a first value, unless the metric is mostly
    null between its values, comes and goes, or stands in a record of another kind (an evaluation among training steps,
    told by a metric that has a value there and never beside this one). A metric that is null from beginning to end
    stays only if nothing else of the stream has values and nulls alike, that is, if every record was written with it.
    """
    if not any(np.count_nonzero(flags) for flags in {id(s.flags): s.flags for s in strands}.values()):
        return list(strands), []
    bits = [(s.flags & np.uint16(Flag.NULL)) != 0 for s in strands]
    if not any(bool(b.any()) for b in bits):
        return list(strands), []
    records = max(len(s) for s in strands)
    out: list[StreamBlock] = []
    kept = 0
    aside = _other_kinds(strands, bits, records)
    for s, null in zip(strands, bits, strict=True):
        if not bool(null.any()):
            out.append(s)
            continue
        missing = null.copy()
        there = np.flatnonzero(~null)
        other = aside.get(null.tobytes())
        own = np.ones(len(s), dtype=np.bool_) if other is None else ~other
        if len(s) >= _EVERY_RECORD * records:
            if len(there):
                inner = null[there[0] : there[-1] + 1][own[there[0] : there[-1] + 1]]
                if 1 - inner.mean() >= _MOSTLY_THERE and not _comes_and_goes(inner):
                    missing[there[0] :] = ~own[there[0] :] & null[there[0] :]
            elif _is_loss(s.metric):  # NaN from the first step on
                missing[:] = False
        missing |= null & _alone(s, null, strands)
        kept += int((null & ~missing).sum())
        s = s.keep(~missing)
        if len(s):
            out.append(s)
    notes = (
        [Note("null-as-nan", "null where a number had been logged before is taken for NaN", count=kept)] if kept else []
    )
    return out, notes


def _alone(s: StreamBlock, null: Bools, strands: Sequence[StreamBlock]) -> Bools:
    """Nulls in records that have none of the metrics that stand beside this one's values: those of another phase."""
    steps = s.step[~null & s.known]
    if not len(steps):
        return np.zeros(len(s), dtype=np.bool_)
    beside = [p for p in strands if p is not s and np.isin(steps, p.step[p.known]).mean() >= _EVERY_RECORD]
    if not beside:
        return np.zeros(len(s), dtype=np.bool_)
    present = sum(np.isin(s.step, p.step[p.known]).astype(np.int64) for p in beside)
    return np.asarray((present == 0) & s.known, dtype=np.bool_)


def _other_kinds(strands: Sequence[StreamBlock], bits: Sequence[Bools], records: int) -> dict[bytes, Bools]:
    """By pattern of nulls: the records that another kind of metric fills, which has hardly a record with this one."""
    patterns = {b.tobytes(): b for s, b in zip(strands, bits, strict=True) if len(s) == records and bool(b.any())}
    if not 1 < len(patterns) <= _PATTERNS:
        return {}
    out: dict[bytes, Bools] = {}
    for key, null in patterns.items():
        others = [~b for b in patterns.values() if b is not null and not bool(b.all())]
        apart = [
            o
            for o in others
            if int((o & ~null).sum()) <= _SHARED * int(o.sum()) or int((o & null).sum()) >= _COVERED * int(null.sum())
        ]
        if apart:
            out[key] = np.asarray(np.logical_or.reduce(apart) & null, dtype=np.bool_)
    return out


def _comes_and_goes(null: Bools) -> bool:
    """Whether values return after gap upon gap: training that is NaN does not come back so often."""
    gaps = int((null[1:] & ~null[:-1]).sum()) + int(null[0]) if len(null) else 0
    return gaps >= _GAPS and float(null.mean()) >= _GAP_SHARE


def _is_loss(metric: str) -> bool:
    """Whether a metric is the loss by its bare name: a column of nulls under another name was never filled."""
    words = metric.lower().replace("/", "_").replace(".", "_").split("_")
    return set(words) <= {"train", "training", "loss", "total", "lm"} and "loss" in words
