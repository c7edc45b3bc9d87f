"""The log that a table of records is: points, messages and configuration."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.core.notes import coalesce
from curvedoc.core.run import Flag, Note
from curvedoc.ingest.contract import Log
from curvedoc.ingest.naming.chosen import meant
from curvedoc.ingest.table import fill_values
from curvedoc.ingest.table.axis import RecordAxis, axis_of, counted_by, step_before
from curvedoc.ingest.table.batch import RecordBatch
from curvedoc.ingest.table.columns import RecordColumn, RecordTable, table
from curvedoc.ingest.table.curve import LogCurve, mark_filtered, points_of
from curvedoc.ingest.table.inference.run_columns import tables_of_runs
from curvedoc.ingest.table.inference.structure import TableShape, shape_of
from curvedoc.ingest.table.keys import HAS_SPLIT
from curvedoc.ingest.table.messages import frame
from curvedoc.ingest.table.record_context import clock_of, ranks_of, splits_of
from curvedoc.ingest.table.record_settings import settings_of

#: Where a record is one value of one metric, these hold the metric's name and its value.
_NAME_KEYS = ("name", "metric", "tag", "key", "metric_name", "metricName", "variable")
_VALUE_KEYS = ("value", "scalar", "val", "simple_value", "metric_value", "metricValue")
#: Containers that say nothing about what they hold (verl's {"step": 1, "data": {...}}).
_PLAIN_CONTAINERS = ("data/", "metrics/", "scalars/", "values/")
#: What W&B adds to every record.
_BOOKKEEPING = {"_step", "_runtime", "_timestamp", "_wandb"}


@dataclass(frozen=True, slots=True)
class _Around:
    """What each record has besides its metrics. `split` indexes `words`, -1 for a record that names none.

    timed: some time is known; ranked: some rank is not 0
    """

    step: NDArray[np.float64]
    time: NDArray[np.float64]
    rank: NDArray[np.int32]
    split: NDArray[np.int64] | None
    words: tuple[str, ...]
    timed: bool
    ranked: bool


def log_of(
    path: Path,
    format: str,
    batches: Iterable[RecordBatch],
    size: int,
    notes: Sequence[Note] = (),
    prefer: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
) -> Log:
    """The records as one log. `prefer` names step keys to try ahead of the usual ones; columns: see `log_of_table`."""
    return log_of_table(path, format, table(batches), size, notes, prefer, columns)


def logs_of_table(
    path: Path,
    format: str,
    found: RecordTable,
    size: int,
    notes: Sequence[Note] = (),
    prefer: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
) -> list[Log]:
    """As `log_of_table`, one log for each training that columns of the table name."""
    several = tables_of_runs(found) if not columns and not found.messages else []
    if not several:
        return [log_of_table(path, format, found, size, notes, prefer, columns)]
    return [replace(log_of_table(path, format, r.table, size, notes, prefer), run=r.name) for r in several]


def log_of_table(
    path: Path,
    format: str,
    found: RecordTable,
    size: int,
    notes: Sequence[Note] = (),
    prefer: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
) -> Log:
    """The columns as one log; its axis is "row" where they hold no counter, and steps are null if they hold a clock.

    columns: what the user says they are ("step", "time", "name", "value", "split"), over what is found
    """
    said = _said(found, columns or {})
    ranks, rank_key = ranks_of(found)
    splits = splits_of(found)
    axis = axis_of(found, prefer, splits)
    time, time_keys = clock_of(found)
    shape = said or _shape(found, axis, {*axis.keys, *time_keys, *_BOOKKEEPING, *((rank_key,) if rank_key else ())})
    if not splits and shape.split:
        splits = splits_of(found, shape.split)
    if shape.step and (said is not None or axis.kind == "row"):
        axis = counted_by(found, shape.step, splits) or axis
    if shape.time and (said is not None or not time_keys):
        time, time_keys = clock_of(found, shape.time)
    skip = axis.keys | time_keys | _BOOKKEEPING | ({rank_key} if rank_key else set())
    settings, aside, config_keys = settings_of(found, axis, skip)
    found = _without_gaps(found)
    skip |= config_keys
    words = tuple(dict.fromkeys(s for s in splits if s))
    split = np.array([words.index(s) if s else -1 for s in splits]) if words else None
    # Without a counter the clock places records beside those of the run's other files; their number would not.
    step = np.full(found.rows, np.nan) if axis.kind == "row" and time_keys else axis.step
    around = _Around(step, time, ranks, split, words, bool(time_keys), bool(ranks.any()))
    curves = list(_curves(found, around, skip, aside, shape))
    curves, filtered = mark_filtered(curves)
    notes = [*notes, *found.notes, *(axis.notes if curves else ()), *filtered]
    if not curves and not found.messages:
        notes.append(Note("empty" if not found.rows else "not-a-log", "no record holds a metric"))
    only = np.unique(ranks) if rank_key else np.array([], np.int32)
    rank = int(only[0]) if len(only) == 1 else None
    return Log(
        path,
        format,
        points_of(curves),
        frame(found.messages, step_before(axis.step), rank or 0, found.rows if curves else 0),
        settings,
        coalesce(notes),
        size,
        rank=rank,
        axis=axis.kind,
        is_text=any(m.level for m in found.messages),
    )


def _said(found: RecordTable, columns: Mapping[str, str]) -> TableShape | None:
    """The structure as the user says it; None where nothing is said of a column that is here."""
    of = {k: meant(v, (*found.numbers, *found.texts)) for k, v in columns.items()}
    numbers = {k: v for k, v in of.items() if v in found.numbers and k in ("step", "time", "value")}
    texts = {k: v for k, v in of.items() if v in found.texts and k in ("name", "split")}
    return TableShape(**numbers, **texts) if numbers or texts else None


def _shape(found: RecordTable, axis: RecordAxis, known: Collection[str]) -> TableShape:
    """The structure that the values show, looked for where names do not tell it."""
    if _by_name(found, TableShape()) is not None and axis.kind != "row":
        return TableShape(split=shape_of(found, known).split)
    if axis.kind != "row" and not found.texts:
        return TableShape()
    return shape_of(found, known)


def _without_gaps(found: RecordTable) -> RecordTable:
    """The table without the NaN that only fill what a record of another kind does not hold."""
    lost = {key for key, c in found.numbers.items() if np.count_nonzero(np.isnan(c.value) & (c.flags == 0))}
    if not lost:
        return found
    dense = {key: _dense(c, found.rows) for key, c in found.numbers.items()}
    gaps = fill_values.apart(dense, fill_values.sure(dense))
    gaps |= {k: np.isnan(dense[k]) for k in lost - gaps.keys() if fill_values.periodic(found.numbers[k].value)}
    numbers, count = dict(found.numbers), 0
    for key in lost & gaps.keys():
        c = numbers[key]
        gone = gaps[key][c.at] & np.isnan(c.value) & (c.flags == 0)
        numbers[key] = RecordColumn(c.at[~gone], c.value[~gone], c.flags[~gone])
        count += int(gone.sum())
    if not count:
        return found
    told = Note("nan-for-missing", "NaN in records of another kind was taken for: nothing logged", count=count)
    return replace(found, numbers=numbers, notes=(*found.notes, told))


def _dense(column: RecordColumn, rows: int) -> NDArray[np.float64]:
    value = np.full(rows, np.nan)
    value[column.at] = column.value
    return value


def _curves(
    found: RecordTable, around: _Around, skip: Collection[str], aside: NDArray[np.bool_], shape: TableShape
) -> Iterable[LogCurve]:
    by_name = _by_name(found, shape)
    taken = aside.copy()
    if by_name is not None:
        names, column = by_name
        taken[column.at] = True
        keep = ~aside[column.at]
        codes = {name: i for i, name in enumerate(dict.fromkeys(names))}
        code = np.fromiter(map(codes.__getitem__, names), np.int64, len(names))
        code[~keep] = len(codes)
        order = np.argsort(code, kind="stable")
        bounds = np.searchsorted(code[order], np.arange(len(codes) + 1))
        for name, i in codes.items():
            where = order[bounds[i] : bounds[i + 1]]
            if not len(where):
                continue
            part = RecordColumn(column.at[where], column.value[where], column.flags[where])
            yield from _split(name, part, around)
    names_of = _plain_names(found, skip)
    for key, column in found.numbers.items():
        if key in skip:
            continue
        keep = ~taken[column.at]
        whole = np.count_nonzero(keep) == len(keep)
        part = column if whole else RecordColumn(column.at[keep], column.value[keep], column.flags[keep])
        if len(part.at) and (not part.flags[0] or not (part.flags & np.uint16(Flag.NULL)).all()):
            yield from _split(names_of[key], part, around)


def _split(name: str, column: RecordColumn, around: _Around) -> Iterable[LogCurve]:
    """The column as one curve, or one for each split that its records name."""
    if around.split is None or HAS_SPLIT.match(name):
        yield _curve(name, column, around, slice(None))
        return
    of = around.split[column.at]
    for code in np.unique(of).tolist():
        yield _curve(f"{around.words[code]}/{name}" if code >= 0 else name, column, around, of == code)


def _curve(name: str, column: RecordColumn, around: _Around, where: slice | NDArray[np.bool_]) -> LogCurve:
    if isinstance(where, slice) and len(column.at) == len(around.step):
        # a value in every record: nothing to pick
        return LogCurve(name, around.step, column.value, around.time, around.rank, column.flags)
    at = column.at[where]
    # where all records have one time or rank, or none, nothing needs to be picked
    time = around.time[at] if around.timed else around.time[: len(at)]
    rank = around.rank[at] if around.ranked else around.rank[: len(at)]
    return LogCurve(name, around.step[at], column.value[where], time, rank, column.flags[where])


def _by_name(found: RecordTable, shape: TableShape) -> tuple[list[str], RecordColumn] | None:
    """Names and values of records that hold one value of one metric each, None where records are not of that kind."""
    for name_key in (shape.name, *_NAME_KEYS) if shape.name else _NAME_KEYS:
        for value_key in (shape.value, *_VALUE_KEYS) if shape.value else _VALUE_KEYS:
            texts, column = found.texts.get(name_key), found.numbers.get(value_key)
            if texts is None or column is None:
                continue
            at, left, right = np.intersect1d(texts.at, column.at, assume_unique=True, return_indices=True)
            if 2 * len(at) >= len(column.at):
                return [texts.text[i] for i in left.tolist()], RecordColumn(
                    at, column.value[right], column.flags[right]
                )
    return None


def _plain_names(found: RecordTable, skip: Collection[str]) -> dict[str, str]:
    """Each key's metric name: itself, without a container that says nothing where that is unambiguous."""
    names = {}
    for key in found.numbers:
        short = next((key.removeprefix(c) for c in _PLAIN_CONTAINERS if key.startswith(c)), key)
        names[key] = short if short not in found.numbers or short in skip else key
    return names
