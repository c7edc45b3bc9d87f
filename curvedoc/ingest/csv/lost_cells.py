"""Cells that were left blank because their value was no number any more: a loss that ends while its row goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from curvedoc.ingest.csv.cells import CellColumn
from curvedoc.ingest.naming.log_words import is_usual
from curvedoc.ingest.table.inference.structure import counts, is_clock

Bools = NDArray[np.bool_]
#: A metric that stood in so many rows is missed when it stays away for so many.
_STOOD, _AWAY = 10, 3
#: Columns of one kind of row share nearly all of their rows.
_SHARED = 0.98


def with_lost(names: Sequence[str], columns: Sequence[CellColumn]) -> tuple[list[CellColumn], list[str]]:
    """The columns with NaN in cells that stay blank to the end although the others of their kind of row go on; and the
    names of those columns.

    Rows of another kind (an evaluation, a summary) say nothing: in them the others are blank too. What counts or tells
    the time stands in every kind of row and is asked nothing.
    """
    if all(c.there is None for c in columns):
        return list(columns), []
    masks = [np.ones(len(c.value), np.bool_) if c.there is None else c.there for c in columns]
    metric = [not c.text and not _orders(c) for c in columns]
    out, told = list(columns), []
    for i, (name, column) in enumerate(zip(names, columns, strict=True)):
        if column.there is None or not metric[i] or not is_usual(name):
            continue
        rows = np.flatnonzero(masks[i])
        if len(rows) < _STOOD:
            continue
        last = int(rows[-1])
        beside = [m for k, m in enumerate(masks) if k != i and metric[k] and _alike(masks[i], m, last)]
        if not beside:
            continue
        going = np.mean([m[last + 1 :] for m in beside], axis=0) > 0.5
        if int(going.sum()) < _AWAY or not bool(going[-_AWAY:].any()):
            continue
        there = masks[i].copy()
        there[last + 1 :] = going
        value = column.value.copy()
        value[last + 1 :] = np.nan
        out[i] = replace(column, value=value, there=there)
        told.append(name)
    return out, told


def _alike(own: Bools, other: Bools, last: int) -> bool:
    """Whether two columns stand in the same rows, up to the last of the one."""
    return bool(float((own[: last + 1] == other[: last + 1]).mean()) >= _SHARED)


def _orders(column: CellColumn) -> bool:
    kept = column.kept()
    return counts(kept) or is_clock(kept)
