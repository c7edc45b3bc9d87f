"""Tables of CSV text in which nothing is out of place, in one call; None for all others."""

from __future__ import annotations

import io
from itertools import islice

import polars as pl
from polars.exceptions import PanicException, PolarsError

from curvedoc.ingest.csv_split import LINE_CAP, Section, is_header, separator_of, split_line, unique
from curvedoc.ingest.json_bulk import count
from curvedoc.model import Note

#: Rows by which columns of numbers are told from columns of text.
_SAMPLE = 200


def plain_section(data: bytes, notes: list[Note]) -> Section | None:
    """The one table of the text, columns of numbers already read as such (null: a blank cell).

    None unless the first line is a header, every row has as many cells, none is quoted, and every filled cell of a
    numeric column is a number as it stands: a repeated header, a cut row or a cell of damage is for `sections`.
    """
    if not data.endswith(b"\n") or b'"' in data:
        return None
    start = data.find(b"\n") + 1
    rows = count(data, ord("\n")) - 1
    if not 0 < start <= LINE_CAP or rows < 1:
        return None
    sample = list(islice(io.StringIO(data[: 1 << 20].decode("utf-8", "replace")), _SAMPLE))
    sample = [line.rstrip("\n") for line in (sample[:-1] if len(data) > 1 << 20 else sample)]
    sep = separator_of(sample[:50])
    names = split_line(sample[0], sep)
    wanted = (rows + 1) * (len(names) - 1)
    if len(names) < 2 or not names[-1] or not is_header(names) or count(data, ord(sep)) != wanted:
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
    cells = pl.DataFrame(texts).select(pl.all().str.strip_chars(" \t'"))
    values = {i: s for i, s in enumerate(frame.get_columns()) if s.dtype == pl.Float64}
    return Section(unique(names, notes), cells, pl.int_range(2, rows + 2, dtype=pl.UInt32, eager=True), values)


def _schema(rows: list[list[str]], width: int) -> dict[str, type[pl.DataType]] | None:
    """Which columns are numbers. None where the first is not: then a comment or a header could pass for a row."""
    if not rows or any(len(row) != width for row in rows):
        return None
    kinds = [all(_numeric(row[i]) for row in rows) for i in range(width)]
    return {str(i): pl.Float64 if n else pl.String for i, n in enumerate(kinds)} if kinds[0] else None


def _numeric(cell: str) -> bool:
    if not cell:
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell and cell == cell.strip()
