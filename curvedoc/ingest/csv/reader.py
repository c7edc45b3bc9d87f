"""CSV and TSV of metrics: Lightning and Keras loggers, and whatever else writes a header and rows of numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.block import Block
from curvedoc.core.late_regex import late_regex
from curvedoc.core.notes import coalesce
from curvedoc.core.run import POINTS, Note
from curvedoc.ingest.bytes.file import pointer, read_text, text_bytes
from curvedoc.ingest.contract import Log
from curvedoc.ingest.csv.as_records import as_records, cell_columns
from curvedoc.ingest.csv.axis import CsvAxis, axis_of, time_of, usable
from curvedoc.ingest.csv.bulk import plain_section
from curvedoc.ingest.csv.cells import CellColumn, list_items, nan_for_missing, numbers
from curvedoc.ingest.csv.claim import NAME_COLUMNS, PACKED, VALUE_COLUMNS, column_names, is_long
from curvedoc.ingest.csv.claim import claims as claims
from curvedoc.ingest.csv.claim import guesses as guesses
from curvedoc.ingest.csv.header_lines import tidied
from curvedoc.ingest.csv.lost_cells import with_lost
from curvedoc.ingest.csv.lost_head import headed
from curvedoc.ingest.csv.sections import CsvSection, is_header, sections, separator_of, without_summaries
from curvedoc.ingest.csv.split_column import phase_of
from curvedoc.ingest.table import fill_values
from curvedoc.ingest.table.curve import LogCurve, end_to_end, points_of
from curvedoc.ingest.table.inference.run_columns import MOST_NAMED, is_naming
from curvedoc.ingest.table.inference.structure import TableShape, shape_of
from curvedoc.ingest.table.log import logs_of_table
from curvedoc.ingest.table.values import number

NAME = "csv"
FILES: tuple[str, ...] = ("*.csv", "*.tsv", "*.txt", "*.log")
ABOUT = "CSV and TSV of metrics: Lightning, Keras and any other header over rows of numbers"

#: No log has more metrics, and every column has a cost of its own.
MAX_COLUMNS = 10_000
#: What stands beside step and value where a file holds one metric: clocks, and an index written along.
_BESIDE = frozenset(("wall time", "timestamp", "time", "column 1", "unnamed: 0", "relative time"))
_SEPARATORS = (",", ";", "\t")
_BEST_OF = late_regex(r"(?:run-.*-tag-|run-)")


def read(paths: Sequence[Path]) -> list[Log]:
    """One log per file or training."""
    return [log for path in paths for log in _read(path)]


def read_mapped(paths: Sequence[Path], columns: Mapping[str, str]) -> list[Log]:
    """As `read`; columns: which column holds the step, the time, names, values or splits."""
    return [log for path in paths for log in _read(path, columns)]


def _read(path: Path, columns: Mapping[str, str] | None = None) -> list[Log]:
    data, notes = read_text(path)
    found = pointer(data)
    if found is not None:
        return [Log(path, NAME, notes=(*notes, found), bytes=len(data))]
    told = list(notes)
    tables, size = _tables(data, told), len(data)
    del data
    if not tables:
        return [Log(path, NAME, notes=tuple(told), bytes=size)]
    if len(tables) == 1 and (columns or _is_unknown(tables[0])):
        rows = as_records(tables[0])
        if columns or shape_of(rows) != TableShape():
            return logs_of_table(path, NAME, rows, size, told, columns=columns)
    if len(tables) == 1 and (any(is_naming(name) for name in tables[0].names) or _is_told_apart(tables[0])):
        several = logs_of_table(path, NAME, as_records(tables[0]), size, told)
        if len(several) > 1:
            return several
    parts, axes, row = [], [], 0
    for table in tables:
        axis = axis_of(table.names)
        if axis.rank is None and not is_long(list(table.names)):  # with these, many rows are of one epoch
            axis = usable(axis, table.names, partial(_values, table))
        table = without_summaries(table, axis.column, told)
        parts.append(_points(table, axis, row, path, told))
        axes.append(axis)
        row += len(table)
    points = parts[0] if len(parts) == 1 else end_to_end(parts)
    filled = points.height if isinstance(points, pl.DataFrame) else len(points)
    kind = _kind(axes[0], path)
    if filled and kind == "epoch":
        told.append(Note("step-from-epoch", "no column names the step; the epoch stands in its place"))
    if filled and kind == "row":
        told.append(Note("no-step", "no column names the step; each row counts as one"))
    return [Log(path, NAME, data=points, notes=coalesce(told), bytes=size, axis=kind)]


def _is_told_apart(table: CsvSection) -> bool:
    """Whether a column of a few texts may tell trainings apart."""
    texts = (table.cells[str(i)] for i in range(len(table.names)) if i not in table.values)
    return any(number(c[0] or "0") is None and 1 < c.n_unique() <= MOST_NAMED for c in texts if len(c))


def _is_unknown(table: CsvSection) -> bool:
    """Whether no column of the table is known by name to count, to tell the time, or to name metrics."""
    names = list(table.names)
    axis = axis_of(table.names)
    return not axis.known() and axis.rank is None and not is_long(names)


def _values(table: CsvSection, i: int) -> NDArray[np.float64]:
    """The numbers of one column, NaN where there is none."""
    return (table.values[i] if i in table.values else numbers(table.cells[str(i)])).value


def _tables(data: bytes, told: list[Note]) -> list[CsvSection]:
    """The tables of the file, none with a note where there is nothing to read."""
    data, notes = text_bytes(data)
    told += notes
    whole, lost = headed(tidied(data))
    if lost:
        told.append(Note("no-header", lost))
    data = _narrow(whole, told)
    plain = plain_section(data, told)
    if plain is not None:
        return [plain]
    text = data.decode("utf-8", "replace")
    if not text.strip():
        told.append(Note("empty", "the file is empty"))
        return []
    tables, found = sections(text)
    told += found
    if not tables or not is_header(list(tables[0].names)):
        told.append(Note("not-a-log", "the first line names no columns"))
        return []
    return tables if text.endswith("\n") else _uncut(tables, text[text.rfind("\n") + 1 :], told)


def _narrow(data: bytes, told: list[Note]) -> bytes:
    """The text without what stands behind the first 10,000 columns."""
    head = data[: data.find(b"\n")]
    if max(map(head.count, (b",", b";", b"\t"))) < MAX_COLUMNS:
        return data
    sep = separator_of([head[:4096].decode("utf-8", "replace")]).encode()
    told.append(Note("too-many-keys", f"columns behind the first {MAX_COLUMNS:,} were left out"))
    return b"\n".join(sep.join(line.split(sep, MAX_COLUMNS)[:MAX_COLUMNS]) for line in data.split(b"\n"))


def _kind(axis: CsvAxis, path: Path) -> str:
    if axis.kind == "step" and "_Samples_" in path.name:
        return "samples"  # DeepSpeed's csv_monitor counts samples in its column "step" and says so in the file's name
    return axis.kind


def _uncut(tables: list[CsvSection], line: str, told: list[Note]) -> list[CsvSection]:
    """The tables without the last cell of a file that ends inside a line: its number may have lost digits."""
    last = tables[-1]
    sep = line[-1:]
    if not len(last.cells) or (sep in _SEPARATORS and line.count(sep) >= len(last.names) - 1):
        return tables  # every cell has its end, and the last one is empty
    row = last.cells.row(-1)
    filled = [i for i, c in enumerate(row) if c is not None]
    at = filled[-1] if filled else 0
    complete, before = at == len(row) - 1, last.cells[str(at)].head(-1).drop_nulls().tail(50)
    if not row[at] or (complete and _same_shape(before, row[at])):
        return tables
    cells = last.cells.with_columns(
        pl.when(pl.int_range(pl.len()) == pl.len() - 1).then(None).otherwise(pl.col(str(at))).alias(str(at))
    )
    if axis_of(last.names).column == at:
        cells = cells.head(-1)
    if complete and _as_long(before, row[at]):  # most likely nothing but the newline is missing
        told.append(Note("bad-cells", "the last line has no end; its last value may lack digits and was left out"))
    else:
        torn = "the last line has no end; its last value was left out"
        told.append(Note("truncated", torn, line=int(last.lines[-1])))
    return [*tables[:-1], CsvSection(last.names, cells, last.lines[: len(cells)])]


def _as_long(before: pl.Series, value: str) -> bool:
    """Whether a number has as many decimals as cells before it have, and three at least; none has an exponent."""
    others = [_decimals(c) for c in before.to_list() if c]
    return len(others) >= 2 and min(others) >= 0 and _decimals(value) >= max(min(others), 3)


def _decimals(cell: str) -> int:
    """How many digits stand behind the point of a plain number; -1 where an exponent does, or none."""
    match = re.fullmatch(r"\s*[+-]?\d*\.(\d*)\s*", cell)
    return len(match[1]) if match else -1


def _same_shape(before: pl.Series, value: str) -> bool:
    """Whether the cells before always have as many decimals as this one."""
    form = re.sub(r"\d+(?=\D|$)", lambda m: "0" * len(m.group()), value).lstrip("+-0")
    others = {re.sub(r"\d+(?=\D|$)", lambda m: "0" * len(m.group()), c).lstrip("+-0") for c in before.to_list() if c}
    return len(before) >= 5 and others == {form} and form.startswith(".")


def _points(
    table: CsvSection, axis: CsvAxis, row: int, path: Path, told: list[Note]
) -> pl.DataFrame | tuple[Block, ...]:
    """The points of one table, as in `Log.data`."""
    n = len(table)
    if not n:
        return ()
    columns, lost = with_lost(table.names, cell_columns(table))
    if lost:
        text = f"blank cells of {lost[0]!r} in rows that go on to the end were taken for NaN"
        told.append(Note("null-as-nan", text, count=len(lost)))
    step = axis.steps(columns, row)
    time, time_column = time_of(table.names, table.cells, columns)
    rank = np.zeros(n, np.int32) if axis.rank is None else _whole(columns[axis.rank].value)
    phase = phase_of(table.names, table.cells, columns)
    named = _long(table, columns, path)
    if named is not None:
        frame = pl.DataFrame(
            {"metric": named[0] if phase is None else phase.named(named[0]), "value": named[1],
             "step": pl.Series(step).fill_nan(None),
             "time": pl.Series(np.full(n, np.nan) if time is None else time).fill_nan(None),
             "rank": rank, "flags": np.zeros(n, np.uint16)}
        )  # fmt: skip
        return frame.filter(pl.col("value").is_not_null()).select(pl.col(c).cast(t) for c, t in POINTS.items())
    around = step, np.full(n, np.nan) if time is None else time, rank, np.zeros(n, np.uint16)
    skip = {axis.column, axis.rank, axis.inner, time_column, None if phase is None else phase.column}
    steady = fill_values.sure(table.names)
    filled = {i: c.value for i, c in enumerate(columns) if not c.text}
    apart = fill_values.apart(filled, {i for i in filled if table.names[i] in steady})
    curves = []
    for i, name in enumerate(table.names):
        if i not in skip:
            for label, c in _metrics(name, table, i, columns[i], told, apart.get(i)):
                parts = ((label, c),) if phase is None else phase.parts(label, c)
                curves += [_curve(part, rows, around) for part, rows in parts]
    curves = [c for c in curves if len(c.value)]
    return points_of(curves)


Around = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32], NDArray[np.uint16]]


def _curve(name: str, column: CellColumn, around: Around) -> LogCurve:
    """A column with the steps, times and ranks of the rows in which it is filled."""
    step, time, rank, flags = around
    at = column.there
    if at is None:
        return LogCurve(name, step, column.value, time, rank, flags)
    return LogCurve(name, step[at], column.value[at], time[at], rank[at], flags[at])


def _whole(value: NDArray[np.float64]) -> NDArray[np.int32]:
    """Ranks: 0 where there is none or one of no sense."""
    good = np.abs(value) < 2**31
    return np.where(good, value, 0).astype(np.int32)


def _metrics(
    name: str, table: CsvSection, i: int, column: CellColumn, told: list[Note], apart: NDArray[np.bool_] | None
) -> list[tuple[str, CellColumn]]:
    """The metrics of one column: one, none for text, several for lists. apart: rows in which NaN is no value."""
    if column.text:
        items = list_items(table.cells[str(i)])
        return [(f"{name}[{k}]", item) for k, item in enumerate(items)]
    if column.bad is not None:
        at = int(table.lines[int(np.argmax(column.bad))])
        told.append(
            Note(
                "bad-cells", f"cells of {name!r} that are no number were left out", line=at, count=int(column.bad.sum())
            )
        )
    there = column.there
    if apart is not None and bool((gone := apart if there is None else there & apart).any()):
        told.append(Note("nan-for-missing", f"NaN of {name!r} in rows of another kind was taken for: nothing logged"))
        column = CellColumn(column.value, ~gone if there is None else there & ~gone)
    elif nan_for_missing(column.kept()):
        told.append(Note("nan-for-missing", f"NaN in the sparse column {name!r} was taken for: nothing logged"))
        column = CellColumn(column.value, ~np.isnan(column.value))
    return [(name, column)]


def _long(table: CsvSection, columns: list[CellColumn], path: Path) -> tuple[pl.Series, pl.Series] | None:
    """(names, values) of a table with one row per metric and step, as TensorBoard downloads and own writers have it."""
    low = column_names(table.names)
    at = next((low.index(n) for n in VALUE_COLUMNS if n in low), None)
    if at is None:
        return None
    column = columns[at]
    values = pl.Series(column.value)
    if column.there is not None:
        values = values.set(pl.Series(~column.there), None)
    for name in (*NAME_COLUMNS, "variable"):
        if name in low and columns[low.index(name)].text:
            return table.cells[str(low.index(name))].fill_null(""), values
    if "step" in low and (len(low) <= 3 or set(low) - _BESIDE == {"step", "value"}):
        stem = _BEST_OF.sub("", Path(PACKED.sub("", path.name)).stem) or "value"
        return pl.repeat(stem, len(values), eager=True), values
    return None
