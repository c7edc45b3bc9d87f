"""Nulls: a NaN that the writer could not spell, or a value that was not there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from curvedoc.ingest.strands import Strand
from curvedoc.model import Flag, Note

#: A metric with this share of the records of its stream is logged in nearly every record.
_EVERY_RECORD = 0.9
#: Between its first and last value such a metric is rarely null; a column that is mostly null is sparse.
_MOSTLY_THERE = 0.5


def settle(strands: Sequence[Strand]) -> tuple[list[Strand], list[Note]]:
    """One stream's strands without the nulls that mean "missing"; those that mean NaN stay, as NaN, with their flag.

    A null means NaN in a metric that stands in nearly every record, after a first value, unless the metric is mostly
    null between its values. A metric that is null from beginning to end stays only if nothing else of the stream has
    values and nulls alike, that is, if every record was written with it.
    """
    bits = [(s.flags & np.uint16(Flag.NULL)) != 0 for s in strands]
    if not any(bool(b.any()) for b in bits):
        return list(strands), []
    records = max(len(s) for s in strands)
    out: list[Strand] = []
    kept = 0
    for s, null in zip(strands, bits, strict=True):
        if not bool(null.any()):
            out.append(s)
            continue
        missing = null.copy()
        there = np.flatnonzero(~null)
        if len(s) >= _EVERY_RECORD * records:
            if len(there):
                inner = null[there[0] : there[-1] + 1]
                if 1 - inner.mean() >= _MOSTLY_THERE:
                    missing[there[0] :] = False
            elif _is_loss(s.metric):  # NaN from the first step on
                missing[:] = False
        kept += int((null & ~missing).sum())
        s = s.keep(~missing)
        if len(s):
            out.append(s)
    notes = (
        [Note("null-as-nan", "null where a number had been logged before is taken for NaN", count=kept)] if kept else []
    )
    return out, notes


def _is_loss(metric: str) -> bool:
    """Whether a metric is the loss by its bare name: a column of nulls under another name was never filled."""
    words = metric.lower().replace("/", "_").replace(".", "_").split("_")
    return set(words) <= {"train", "training", "loss", "total", "lm"} and "loss" in words
