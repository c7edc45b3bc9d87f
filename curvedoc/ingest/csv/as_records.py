"""Tables of CSV text in the shape of JSON records, for what is told of both in one way."""

from __future__ import annotations

import numpy as np

from curvedoc.ingest.csv.cells import CellColumn, is_comma_decimal, numbers
from curvedoc.ingest.csv.sections import CsvSection
from curvedoc.ingest.table.columns import RecordColumn, RecordTable, Texts


def cell_columns(section: CsvSection, comma: bool | None = None) -> list[CellColumn]:
    """Every column read as numbers. comma: the decimal mark is one (None: as the cells show)."""
    if comma is None:
        comma = is_comma_decimal(section.cells, _separator(section))
    return [
        section.values[i] if i in section.values else numbers(section.cells[str(i)], comma)
        for i in range(len(section.names))
    ]


def as_records(section: CsvSection) -> RecordTable:
    """The section's columns, numbers apart from texts; a blank cell is one that was not logged."""
    found: dict[str, RecordColumn] = {}
    texts: dict[str, Texts] = {}
    for i, (name, column) in enumerate(zip(section.names, cell_columns(section), strict=True)):
        if column.text:
            cells = section.cells[str(i)]
            kept = (cells.is_not_null() & (cells != "")).fill_null(False)
            if not kept.any():  # what every line ends in a separator for
                continue
            texts[name] = Texts(np.flatnonzero(kept.to_numpy()), cells.filter(kept).to_list())
            continue
        there = np.ones(len(column.value), np.bool_) if column.there is None else column.there
        if column.bad is not None:
            there = there & ~column.bad
        at = np.flatnonzero(there)
        found[name] = RecordColumn(at, column.value[at], np.zeros(len(at), np.uint16))
    return RecordTable(len(section), found, texts, (), ())


def _separator(section: CsvSection) -> str:
    """A separator other than the comma when cells hold commas although none was quoted away."""
    cells = section.cells
    commas = any(bool(cells[c].head(200).str.contains(",", literal=True).any()) for c in cells.columns)
    return ";" if commas else ","
