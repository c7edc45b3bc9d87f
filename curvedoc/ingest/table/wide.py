"""Tables of one column a metric, as CSV or parquet, in the shape of JSON records."""

from __future__ import annotations

import csv
import io

import numpy as np
import polars as pl

from curvedoc.core.run import Flag, Note
from curvedoc.ingest.table.columns import RecordColumn, RecordTable, Texts
from curvedoc.ingest.table.values import numbers

#: A parquet file of kilobytes can stand for billions of equal cells.
MAX_CELLS = 200_000_000
#: One with more cells than this to a byte is such a file; of it this many cells are read.
_CELLS_PER_BYTE = 20
PARQUET = b"PAR1"
_FREE_CELLS = 2_000_000


def csv_frame(text: str) -> tuple[pl.DataFrame, tuple[Note, ...]]:
    """All columns as strings (blank: null) under their headers; a last line without its end loses its last cell."""
    notes: list[Note] = []
    if text and not text.endswith("\n") and "\n" in text and not text.endswith('"'):
        at = text.rfind("\n") + 1
        comma = text.rfind(",", at)
        text = text[: comma if comma > 0 else at]
        notes.append(Note("truncated", "the last line has no end; its last value may be cut and was left out"))
    if not text.strip():
        return pl.DataFrame(), (*notes, Note("empty", "no line in the file"))
    try:
        frame = pl.read_csv(io.BytesIO(text.encode()), infer_schema=False, truncate_ragged_lines=True)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as e:
        notes.append(Note("damaged", f"uneven quotes or rows: {str(e).splitlines()[0][:100]}"))
        frame = _by_hand(text)
    blank = pl.col(pl.String).str.strip_chars() == ""
    return frame.with_columns(pl.when(~blank).then(pl.col(pl.String)).name.keep()), tuple(notes)


def parquet_frame(data: bytes) -> tuple[pl.DataFrame, tuple[Note, ...]]:
    """The frame of a parquet file, empty with a note where it is damaged."""
    if not data.endswith(PARQUET):
        return pl.DataFrame(), (
            Note("truncated", "the end of the parquet file, which says where its columns are, is missing"),
        )
    try:
        columns = len(pl.read_parquet_schema(io.BytesIO(data)))
        rows = int(pl.scan_parquet(io.BytesIO(data)).select(pl.len()).collect().item())
        most = MAX_CELLS if rows * columns <= _CELLS_PER_BYTE * len(data) else _FREE_CELLS
        if rows * columns > most:
            limit = most // max(1, columns)
            note = Note("too-large", f"only the first {limit} of {rows} rows were read")
            return pl.read_parquet(io.BytesIO(data), n_rows=limit), (note,)
        return pl.read_parquet(io.BytesIO(data)), ()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as e:
        return pl.DataFrame(), (Note("damaged", f"no readable parquet: {str(e).splitlines()[0][:100]}"),)


def wide_table(frame: pl.DataFrame) -> RecordTable:
    """The frame's columns as a table: nulls are cells that were not logged, nested columns are left out."""
    found: dict[str, RecordColumn] = {}
    texts: dict[str, Texts] = {}
    notes: list[Note] = []
    quiet = 0
    for name, series in zip(frame.columns, frame, strict=True):
        at = np.flatnonzero(series.is_not_null().to_numpy())
        if not len(at):
            continue
        if series.dtype.is_temporal() and series.dtype in (pl.Datetime, pl.Date):
            seconds = series.cast(pl.Datetime("us")).dt.epoch("us").cast(pl.Float64) / 1e6
            found[name] = RecordColumn(at, seconds.drop_nulls().to_numpy(), np.zeros(len(at), np.uint16))
        elif series.dtype.is_numeric() or series.dtype == pl.Boolean:
            found[name] = RecordColumn(
                at, series.cast(pl.Float64).drop_nulls().to_numpy(), np.zeros(len(at), np.uint16)
            )
        elif series.dtype in (pl.String, pl.Categorical, pl.Enum):
            column, rest = parsed(series.cast(pl.String), at)
            if column is not None:
                found[name] = column
            if rest is not None:
                texts[name] = rest
        else:
            quiet += 1
    if quiet:
        notes.append(Note("media-skipped", "columns of lists and structures were skipped", count=quiet))
    return RecordTable(frame.height, found, texts, (), tuple(notes))


def parsed(
    series: pl.Series, at: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> tuple[RecordColumn | None, Texts | None]:
    """A column of strings as numbers where it spells them, and the rest of it."""
    text = series.drop_nulls()
    quick = text.str.strip_chars().cast(pl.Float64, strict=False)
    if not quick.null_count():
        return RecordColumn(at, quick.to_numpy(), np.zeros(len(at), np.uint16)), None
    cells = text.to_list()
    value, flags, kept = numbers(cells)
    kept &= flags & Flag.NULL == 0
    column = RecordColumn(at[kept], value[kept], np.zeros(int(kept.sum()), np.uint16)) if kept.any() else None
    rest = Texts(at[~kept], [c for c, k in zip(cells, kept, strict=True) if not k]) if not kept.all() else None
    return column, rest


def _by_hand(text: str) -> pl.DataFrame:
    """The same by Python's own reader, row by row, for what polars refuses."""
    rows = []
    for line in text.split("\n"):
        try:
            rows += list(csv.reader([line.replace("\x00", "")]))
        except csv.Error:
            continue
    rows = [r for r in rows if r]
    if not rows:
        return pl.DataFrame()
    header = list(dict.fromkeys(rows[0]))
    cells = [[r[i] if i < len(r) and r[i] != "" else None for r in rows[1:]] for i in range(len(header))]
    return pl.DataFrame({h: pl.Series(c, dtype=pl.String) for h, c in zip(header, cells, strict=True)})
