"""Records as they come out of a file of JSON, some thousands at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.core.run import Note

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Loose:
    """A line that is no record: what a program printed between them. `before` counts the batch's rows ahead of it."""

    line: int
    text: str
    before: int


@dataclass(frozen=True, slots=True)
class Bulk:
    """Records as columns: under each path of keys (joined with "/") its numbers or its strings.

    Strings are a polars series with a cell a record.
    null: what a column has not got was written as null; else the record lacks the key
    """

    rows: int
    columns: Sequence[tuple[str, Cells | pl.Series]]
    null: bool = False


@dataclass(frozen=True, slots=True)
class Cells:
    """Numbers, and the records that have one, ascending and counted from the first (None: each record)."""

    value: NDArray[np.float64]
    at: NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True)
class RecordBatch:
    """Records in file order with their 1-based lines (record numbers inside one document), and what lay between.

    bulk: the records as columns instead; `rows` is empty then
    """

    rows: Sequence[Row]
    lines: Sequence[int]
    loose: Sequence[Loose] = ()
    notes: tuple[Note, ...] = ()
    bulk: Bulk | None = None

    @property
    def size(self) -> int:
        """How many records there are."""
        return len(self.rows) if self.bulk is None else self.bulk.rows
