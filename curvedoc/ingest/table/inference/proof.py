"""Whether a table of unknown columns is the log of a training: structure, and curves that behave over it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.table.axis import axis_of
from curvedoc.ingest.table.columns import RecordTable
from curvedoc.ingest.table.inference.samples import why_samples
from curvedoc.ingest.table.inference.structure import TableShape, behaves, shape_of
from curvedoc.ingest.table.record_context import clock_of

#: Rows of a table that nobody pointed at, and of one that was given by name.
_ROWS, _ROWS_NAMED = 20, 4
#: A curve that learns ends so far from its beginning, in steps from one value to the next.
_AWAY = 1.5
#: The part of a table, one of so many, in which its curves may have come down already.
_OPENING = 4

Floats = NDArray[np.float64]


def is_log(table: RecordTable, named: bool) -> bool:
    """Whether the rows are moments of a training. named: somebody pointed at the file, which is held to less.

    A table that was met on a walk needs a counter or a clock and a curve that both behaves and goes somewhere, or a
    word of training among its names and a curve that behaves; without anything that orders its rows, two of them.
    """
    if table.rows < (_ROWS_NAMED if named else _ROWS) or why_samples(table):
        return False
    axis = axis_of(table)
    _, timed = clock_of(table)
    shape = shape_of(table, (*axis.keys, *timed))
    ordered = axis.kind != "row" or bool(timed) or shape.step is not None or shape.time is not None
    curves = list(_curves(table, shape, {*axis.keys, *timed}))
    if named:
        return bool(curves) and (ordered or shape.name is not None or any(behaves(v) for _, v in curves))
    # what was learned within the first quarter is noise to the end
    told = sum(is_outcome(name) and (behaves(v) or behaves(v[: len(v) // _OPENING])) for name, v in curves)
    if not ordered:  # two columns of one table are not sorted at once
        return told > 1
    return told > 0 or any(behaves(v) and _learns(v) for _, v in curves)


def _curves(table: RecordTable, shape: TableShape, known: set[str]) -> Iterator[tuple[str, Floats]]:
    """Names and values of what may be curves: numbers that are not all whole, by metric where a column names them."""
    if shape.name is not None and shape.value is not None:
        texts, column = table.texts[shape.name], table.numbers[shape.value]
        _, left, right = np.intersect1d(texts.at, column.at, assume_unique=True, return_indices=True)
        names = np.asarray(texts.text, dtype=object)[left].astype(str)
        for name in np.unique(names).tolist():
            yield name, column.value[right][names == name]
        return
    for key, column in table.numbers.items():
        finite = column.value[np.isfinite(column.value)]
        if key not in {*known, shape.step, shape.time} and bool((finite != np.floor(finite)).any()):
            yield key, finite


def _learns(value: Floats) -> bool:
    """Whether a curve ends away from its beginning, moves most at first, and scatters: a drift or a sine does not."""
    n = len(value)
    if n < _ROWS or not bool(np.isfinite(value).all()):
        return False
    parts = [float(np.median(p)) for p in np.array_split(value, 4)]
    first, last = parts[1] - parts[0], parts[3] - parts[2]
    noise = float(np.median(np.abs(np.diff(value))))
    scattered = float(np.mean(np.diff(np.sign(np.diff(value))) != 0)) > 0.2
    return (
        scattered
        and first * (parts[3] - parts[0]) > 0
        and abs(first) > abs(last)
        and (abs(parts[3] - parts[0]) > _AWAY * noise)
    )
