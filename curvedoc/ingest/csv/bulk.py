"""Tables of CSV text in which nothing is out of place, in one call; None for all others."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import numpy as np
import orjson
import polars as pl
from polars.exceptions import PanicException, PolarsError

from curvedoc.core.run import Note
from curvedoc.ingest.csv.cells import CellColumn, all_numbers
from curvedoc.ingest.csv.sections import LINE_CAP, CsvSection, is_header, separator_of, split_line, unique
from curvedoc.ingest.json.bulk import count

#: Rows by which columns of numbers are told from columns of text.
_SAMPLE = 200
_SAMPLE_BYTES = 1 << 16
#: Below this size, the cells cost less than a call that reads them all.
_SMALL = 1 << 16
#: What numbers are spelled with, NaN and infinity too, and what stands between them.
_SPELLING = b"0123456789.+-eEnaNAifIFtyTY\n"
_NO_CELLS = pl.DataFrame()


def plain_section(data: bytes, notes: list[Note]) -> CsvSection | None:
    """The one table of the text, columns of numbers already read as such.

    None unless the first line is a header, every row has as many cells, none is quoted, and every filled cell of a
    numeric column is a number as it stands: a repeated header, a cut row or a cell of damage is for `sections`.
    """
    if not data.endswith(b"\n") or b'"' in data:
        return None
    start = data.find(b"\n") + 1
    if not 0 < start <= min(LINE_CAP, len(data) - 1):
        return None
    sample = data[: max(_SAMPLE_BYTES, 4 * start)].decode("utf-8", "replace").split("\n", _SAMPLE)[:-1]
    if not sample:
        return None
    sep = separator_of(sample[:50])
    names = split_line(sample[0], sep)
    if len(names) < 2 or not names[-1] or not is_header(names):
        return None
    if len(data) <= _SMALL:
        few = _few(data[start:-1], sep, len(names))
        if few is not None:
            return CsvSection(unique(names, notes), _NO_CELLS, range(2, len(few[0].value) + 2), dict(enumerate(few)))
    rows = count(data, ord("\n")) - 1
    if count(data, ord(sep)) != (rows + 1) * (len(names) - 1):
        return None
    schema = _schema([line.split(sep) for line in sample[1:]], len(names))
    if schema is None:
        return None
    try:
        frame = pl.read_csv(
            io.BytesIO(data), separator=sep, has_header=False, skip_rows=1, schema=schema, quote_char=None
        )
    except (PolarsError, PanicException, ValueError):
        return None
    if frame.height != rows:
        return None
    texts = [s for s in frame.get_columns() if s.dtype == pl.String]
    cells = pl.DataFrame(texts).select(pl.all().str.strip_chars(" \t'")) if texts else _NO_CELLS
    values = {i: all_numbers(s) for i, s in enumerate(frame.get_columns()) if s.dtype == pl.Float64}
    return CsvSection(unique(names, notes), cells, range(2, rows + 2), values)


def _few(body: bytes, sep: str, width: int) -> list[CellColumn] | None:
    """The columns of some rows in which every cell is a number or blank, and so many stand in each; else None."""
    if body.translate(None, _SPELLING + sep.encode()):  # no space or underscore either, which Python would pass over
        return None
    try:  # none of JSON's words can be spelled so: what it reads are numbers, several times as fast as one by one
        numbers = orjson.loads(b"[[" + body.replace(sep.encode(), b",").replace(b"\n", b"],[") + b"]]")
    except orjson.JSONDecodeError:
        return _one_by_one(body.decode(), sep, width)
    if set(map(len, numbers)) != {width}:
        return None
    return [CellColumn(np.fromiter(column, np.float64, len(numbers))) for column in zip(*numbers, strict=True)]


def _one_by_one(text: str, sep: str, width: int) -> list[CellColumn] | None:
    """The same of cells that may be blank, NaN or infinite, or numbers that JSON spells otherwise."""
    if {row.count(sep) for row in text.split("\n")} != {width - 1}:
        return None
    cells = text.replace("\n", sep).split(sep)
    try:
        return [_numbers(cells[i::width]) for i in range(width)]
    except ValueError:
        return None


def _numbers(cells: Sequence[str]) -> CellColumn:
    """The column of these numbers; ValueError where one is none."""
    try:
        return CellColumn(np.fromiter(map(float, cells), np.float64, len(cells)))
    except ValueError:
        there = np.fromiter(map(bool, cells), np.bool_, len(cells))
        value = np.fromiter((float(c) if c else np.nan for c in cells), np.float64, len(cells))
        return CellColumn(value, None if there.all() else there)


def _schema(rows: list[list[str]], width: int) -> Mapping[str, type[pl.DataType]] | None:
    """Which columns are numbers. None where the first is not: then a comment or a header could pass for a row."""
    if not rows or any(len(row) != width for row in rows):
        return None
    kinds = list(map(_numeric, zip(*rows, strict=True)))
    return {str(i): pl.Float64 if n else pl.String for i, n in enumerate(kinds)} if kinds[0] else None


def _numeric(cells: Sequence[str]) -> bool:
    """Whether the cells are numbers as they stand, or blank."""
    try:
        list(map(float, filter(None, cells)))
    except ValueError:
        return False
    text = "".join(cells)
    return "_" not in text and len(text.split()) <= 1 and text == text.strip()
