"""Reader of what users export from W&B: run.history() as JSON, CSV or parquet, and the CSV of its web pages."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note
from curvedoc.ingest.bytes.file import clean_head, decode, pointer, read_text, text_bytes
from curvedoc.ingest.contract import Log
from curvedoc.ingest.json.columns import rows_of
from curvedoc.ingest.json.objects import batches, document, is_document
from curvedoc.ingest.table.batch import RecordBatch
from curvedoc.ingest.table.columns import RecordColumn, RecordTable, table
from curvedoc.ingest.table.keys import WANDB_STEP_KEYS
from curvedoc.ingest.table.log import log_of_table
from curvedoc.ingest.table.wide import csv_frame, parquet_frame, wide_table
from curvedoc.ingest.wandb.web_csv import is_ui_header, ui_logs

NAME = "wandb-export"
FILES: tuple[str, ...] = ("*.csv", "*.json", "*.parquet")
ABOUT = "W&B exports: run.history() and the CSV of its web pages; any wide parquet table"

_MARKS = (b'"_step"', b'"_runtime"', b'"_timestamp"')
_PARQUET = b"PAR1"
#: The API hands out 500 rows at random unless asked for more, and never more than this many.
_MAX_SAMPLE = 10_000
_MIN_SAMPLE = 100
#: A counter moves by one figure from row to row in most rows of a complete history.
_REGULAR = 0.7


def claims(path: Path, head: bytes) -> bool:
    """Parquet of any wide kind, JSON or CSV with W&B's own columns, and CSV with its pages' column names."""
    if head.startswith(_PARQUET):
        return True
    clean = clean_head(head)
    start = clean.lstrip()
    if start[:1] in (b"[", b"{"):
        first = start if is_document(clean, whole=len(head) < 1 << 16) else start.split(b"\n", 1)[0]
        return path.name not in _SIDE_FILES and b'"log_history"' not in start and any(m in first for m in _MARKS)
    names = _header(clean)
    return len(names) > 1 and ("_step" in names or {"_runtime", "_timestamp"} <= set(names) or is_ui_header(names))


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file, or one a run where a page's export holds several."""
    return [log for path in paths for log in _read(path)]


_SIDE_FILES = ("wandb-history.jsonl", "wandb-events.jsonl", "wandb-summary.json", "wandb-metadata.json")


def _read(path: Path) -> list[Log]:
    data, notes = read_text(path, by_line=lambda head: not head.lstrip().startswith(b"["))
    size = len(data)
    stand_in = pointer(data)
    if stand_in is not None:
        return [Log(path, NAME, notes=(*notes, stand_in), bytes=size)]
    if data.startswith(_PARQUET):
        frame, more = parquet_frame(data)
        return [_history(path, _without_gaps(wide_table(frame)), size, (*notes, *more))]
    clean, decoded = text_bytes(data)
    notes = (*notes, *decoded)
    if clean.lstrip()[:1] in (b"[", b"{"):
        return [_history(path, _without_gaps(_records(clean)), size, notes)]
    frame, more = csv_frame(decode(clean)[0])
    notes = (*notes, *more)
    if not frame.width or not frame.height:
        return [Log(path, NAME, notes=coalesce([*notes, Note("empty", "no row in the file")]), bytes=size)]
    if is_ui_header(frame.columns) and "_step" not in frame.columns:
        return ui_logs(path, NAME, _named(frame), size, notes)
    # pandas writes the row number as a first column without a name
    frame = frame.drop([c for c in frame.columns[:1] if c in ("", "Unnamed: 0")])
    return [_history(path, wide_table(frame), size, notes)]


def _history(path: Path, found: RecordTable, size: int, notes: Sequence[Note]) -> Log:
    log = log_of_table(path, NAME, found, size, notes, WANDB_STEP_KEYS)
    step = found.numbers.get("_step")
    return log if step is None or not _looks_sampled(step) else replace(log, notes=(*log.notes, _SAMPLED))


_SAMPLED = Note(
    "looks-sampled", "_step has gaps of all lengths, as in the 500 random rows that run.history() gives by default"
)


def _looks_sampled(step: RecordColumn) -> bool:
    moves = np.diff(step.value[np.isfinite(step.value)])
    if not _MIN_SAMPLE <= len(moves) + 1 <= _MAX_SAMPLE or (moves <= 0).any():
        return False
    _, counts = np.unique(moves, return_counts=True)
    return bool(counts.max() < _REGULAR * len(moves) and len(counts) > 3)


def _records(clean: bytes) -> RecordTable:
    """A list or lines of records, or one object of columns."""
    if is_document(clean) or b"\n" not in clean.strip():
        value = document(clean)
        rows = rows_of(value) if isinstance(value, Mapping) else None
        if rows is not None:
            return table([RecordBatch(rows, range(1, len(rows) + 1))])
    return table(batches(clean))


def _without_gaps(found: RecordTable) -> RecordTable:
    """The table without the NaN that a data frame puts where a record lacks a metric.

    Such NaN stand between numbers all along the column; a NaN of the training comes to stay. Only a full rectangle of
    records can be a data frame's.
    """
    wide = [c for c in found.numbers.values() if len(c.at) == found.rows]
    if len(wide) < 2 or len(wide) < len(found.numbers):
        return found
    columns = dict(found.numbers)
    dropped = 0
    for name, c in found.numbers.items():
        gap = np.isnan(c.value) & (c.flags == 0)
        returns = int((gap[:-1] & ~gap[1:]).sum())
        if returns >= 3 and gap.sum() >= 0.3 * len(gap):
            columns[name] = RecordColumn(c.at[~gap], c.value[~gap], c.flags[~gap])
            dropped += int(gap.sum())
    if not dropped:
        return found
    note = Note(
        "nan-as-missing", "NaN all along a column is what a data frame writes for a missing value", count=dropped
    )
    return replace(found, numbers=columns, notes=(*found.notes, note))


def _header(clean: bytes) -> list[str]:
    line = clean.split(b"\n", 1)[0].decode("utf-8", "replace")
    try:
        return next(iter(csv.reader([line])), [])
    except csv.Error:
        return []


def _named(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame without columns that have no name, and without the tail that polars gives to a repeated one."""
    return frame.select([c for i, c in enumerate(frame.columns) if c.strip() and (i == 0 or "_duplicated_" not in c)])
