"""The loss of other data beside rows of numbers that no word names: the column that goes where it goes is the loss of
training, be it lost or not."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.ingest.naming.log_words import spaced
from curvedoc.ingest.naming.split_words import has_scope
from curvedoc.ingest.text.cells import numbers
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.slots import METRIC
from curvedoc.ingest.text.line.template import slots

#: So many evaluations are looked at, and fewer show nothing.
_LOOKED, _FEW = 2_000, 2
#: The losses of training and of other data at one place differ by no more, as a logarithm.
_NEAR = 1.6

Floats = NDArray[np.float64]
Unseen = tuple[NDArray[np.int64], Floats]


def of_unseen(lines: pl.DataFrame, rows: pl.DataFrame, plans: Mapping[str, LinePlan]) -> Unseen | None:
    """(the rows before evaluations of which a loss is told, and what it was), None where none is."""
    slot_of = {
        t: next((s.slot for s in p.slots if s.role == METRIC and "loss" in spaced(s.name) and has_scope(s.name)), -1)
        for t, p in plans.items()
        if p.kind in ("record", "loose")
    }
    told = lines.filter(pl.col("template").is_in([t for t, slot in slot_of.items() if slot >= 0])).head(_LOOKED)
    if not len(told):
        return None
    tokens = told.select(slots(pl.col("masked")).alias("t"))["t"].to_list()
    said = [t[slot_of[x]] if slot_of[x] < len(t) else "nan" for t, x in zip(tokens, told["template"], strict=True)]
    before = np.searchsorted(rows["idx"].to_numpy(), told["idx"].to_numpy()) - 1
    return before, numbers(pl.Series(said, dtype=pl.String))[0]


def is_like(v: Floats, unseen: Unseen | None) -> bool:
    """Whether a column goes where the loss of other data goes: it is that of training, be it lost or not."""
    if unseen is None:
        return False
    at, loss = unseen
    held = (at >= 0) & (at < len(v)) & np.isfinite(loss) & (loss > 0)
    beside = v[at[held]]
    if len(beside) < _FEW or not bool((beside > 0).all()):
        return False
    far = np.abs(np.log(beside / loss[held]))
    return bool(np.median(far) < _NEAR)
