"""The log that a table of records is: points, messages and configuration."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.ingest.contract import Log
from curvedoc.ingest.json_axis import axis_of, clock_of, ranks_of, splits_of, step_before
from curvedoc.ingest.json_batch import Batch
from curvedoc.ingest.json_messages import clean, frame
from curvedoc.ingest.json_settings import settings_of
from curvedoc.ingest.json_table import Column, Table, table
from curvedoc.ingest.noting import coalesce
from curvedoc.ingest.strands import nothing, spelled
from curvedoc.model import POINTS, Flag, Note, empty_points

#: Where a record is one value of one metric, these hold the metric's name and its value.
_NAME_KEYS = ("name", "metric", "tag", "key", "metric_name")
_VALUE_KEYS = ("value", "scalar", "val", "simple_value")
#: Containers that say nothing about what they hold (verl's {"step": 1, "data": {...}}).
_PLAIN_CONTAINERS = ("data/", "metrics/", "scalars/", "values/")
_HAS_SPLIT = re.compile(r"(train|training|val|valid|validation|dev|eval|test)[_/. -]", re.IGNORECASE)
#: What W&B adds to every record.
_BOOKKEEPING = {"_step", "_runtime", "_timestamp", "_wandb"}


@dataclass(frozen=True, slots=True)
class Curve:
    """One metric's points as arrays of one length: NaN where step or time is unknown."""

    metric: str
    step: NDArray[np.float64]
    value: NDArray[np.float64]
    time: NDArray[np.float64]
    rank: NDArray[np.int32]
    flags: NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class _Around:
    """What each record has besides its metrics. `split` indexes `words`, -1 for a record that names none."""

    step: NDArray[np.float64]
    time: NDArray[np.float64]
    rank: NDArray[np.int32]
    split: NDArray[np.int64] | None
    words: tuple[str, ...]


def log_of(
    path: Path, format: str, batches: Iterable[Batch], size: int, notes: Sequence[Note] = (), prefer: Sequence[str] = ()
) -> Log:
    """The records as one log. `prefer` names step keys to try ahead of the usual ones."""
    return log_of_table(path, format, table(batches), size, notes, prefer)


def log_of_table(
    path: Path, format: str, found: Table, size: int, notes: Sequence[Note] = (), prefer: Sequence[str] = ()
) -> Log:
    """The columns as one log; its axis is "row" where they hold no counter, and steps are null if they hold a clock."""
    splits = splits_of(found)
    axis = axis_of(found, prefer, splits)
    time, time_keys = clock_of(found)
    ranks, rank_key = ranks_of(found)
    skip = axis.keys | time_keys | _BOOKKEEPING | ({rank_key} if rank_key else set())
    settings, aside, config_keys = settings_of(found, axis, skip)
    skip |= config_keys
    words = tuple(dict.fromkeys(s for s in splits if s))
    split = np.array([words.index(s) if s else -1 for s in splits]) if words else None
    # Without a counter the clock places records beside those of the run's other files; their number would not.
    step = np.full(found.rows, np.nan) if axis.kind == "row" and time_keys else axis.step
    curves = list(_curves(found, _Around(step, time, ranks, split, words), skip, aside))
    curves, filtered = mark_filtered(curves)
    notes = [*notes, *found.notes, *(axis.notes if curves else ()), *filtered]
    if not curves and not found.messages:
        notes.append(Note("empty" if not found.rows else "not-a-log", "no record holds a metric"))
    only = np.unique(ranks) if rank_key else np.array([], np.int32)
    return Log(
        path,
        format,
        points_of(curves),
        frame(found.messages, step_before(axis.step), int(only[0]) if len(only) == 1 else 0),
        settings,
        coalesce(notes),
        size,
        rank=int(only[0]) if len(only) == 1 else None,
        axis=axis.kind,
        is_text=any(m.level for m in found.messages),
        blocks=blocks_of(curves),
    )


def mark_filtered(curves: Sequence[Curve]) -> tuple[list[Curve], tuple[Note, ...]]:
    """The curves with Flag.FILTERED on each loss of exactly 0 whose gradient norm is NaN at that step.

    The Trainer of Hugging Face replaces a non-finite loss by default (`logging_nan_inf_filter`), but no gradient norm;
    `nan_to_num` in a training loop leaves the same trace.
    """
    norms = {c.metric: c for c in curves if c.metric.endswith("grad_norm")}
    out: list[Curve] = []
    hits = 0
    for c in curves:
        norm = norms.get(c.metric.removesuffix("loss") + "grad_norm") if c.metric.endswith("loss") else None
        if norm is not None:
            hit = (c.value == 0.0) & np.isin(c.step, norm.step[np.isnan(norm.value)])
            hits += int(hit.sum())
            c = replace(c, flags=c.flags | np.where(hit, Flag.FILTERED, 0).astype(np.uint16))
        out.append(c)
    text = "a loss of exactly 0 beside a NaN gradient norm: a non-finite loss was replaced before it was logged"
    return out, (Note("nan-filtered", text, count=hits),) if hits else ()


def points_of(curves: Sequence[Curve]) -> pl.DataFrame:
    """The points frame of these curves, one after the other."""
    if not curves:
        return empty_points()
    sizes = [len(c.value) for c in curves]
    # most curves share the arrays of their records: these are looked at once
    whole = {key: _whole(step) for key, step in {id(c.step): c.step for c in curves}.items()}
    clocks = {key: np.isfinite(time) for key, time in {id(c.time): c.time for c in curves}.items()}
    step, known = (np.concatenate([whole[id(c.step)][i] for c in curves]) for i in (0, 1))
    ranked = any(c.any() for c in {id(c.rank): c.rank for c in curves}.values())
    timed = any(t.any() for t in clocks.values())
    frame = pl.DataFrame(
        {
            "metric": spelled([clean(c.metric) for c in curves], sizes),
            "step": step,
            "value": np.concatenate([c.value for c in curves]),
            "time": np.concatenate([c.time for c in curves]) if timed else nothing(len(step)),
            "rank": np.concatenate([c.rank for c in curves]) if ranked else np.zeros(len(step), np.int32),
            "flags": np.concatenate([c.flags for c in curves]),
        },
        schema_overrides={"flags": POINTS["flags"]},
    )
    masks = [("step", known)]
    if timed:
        masks.append(("time", np.concatenate([clocks[id(c.time)] for c in curves])))
    for name, mask in masks:
        if not mask.any():
            frame = frame.with_columns(nothing(len(step)).cast(POINTS[name]).alias(name))
        elif not mask.all():
            frame = frame.with_columns(pl.when(pl.Series(mask)).then(pl.col(name)).alias(name))
    return frame


def blocks_of(curves: Sequence[Curve]) -> tuple[tuple[str, int], ...]:
    """`Log.blocks` of `points_of`: none where curves share a name."""
    names = [clean(c.metric) for c in curves]
    if len(set(names)) < len(names):
        return ()
    return tuple(zip(names, (len(c.value) for c in curves), strict=True))


def _whole(step: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Steps as whole numbers, 0 where there is none, and where there is one."""
    known = np.isfinite(step) & (np.abs(step) < 2**62)
    return (step if known.all() else np.where(known, step, 0)).astype(np.int64), known


def _curves(found: Table, around: _Around, skip: Collection[str], aside: NDArray[np.bool_]) -> Iterable[Curve]:
    by_name = _by_name(found)
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
            part = Column(column.at[where], column.value[where], column.flags[where])
            yield from _split(name, part, around)
    names_of = _plain_names(found, skip)
    for key, column in found.numbers.items():
        if key in skip:
            continue
        keep = ~taken[column.at]
        part = column if keep.all() else Column(column.at[keep], column.value[keep], column.flags[keep])
        if len(part.at) and not (part.flags & np.uint16(Flag.NULL)).all():
            yield from _split(names_of[key], part, around)


def _split(name: str, column: Column, around: _Around) -> Iterable[Curve]:
    """The column as one curve, or one for each split that its records name."""
    if around.split is None or _HAS_SPLIT.match(name):
        yield _curve(name, column, around, slice(None))
        return
    of = around.split[column.at]
    for code in np.unique(of).tolist():
        yield _curve(f"{around.words[code]}/{name}" if code >= 0 else name, column, around, of == code)


def _curve(name: str, column: Column, around: _Around, where: slice | NDArray[np.bool_]) -> Curve:
    if isinstance(where, slice) and len(column.at) == len(around.step):
        # a value in every record: nothing to pick
        return Curve(name, around.step, column.value, around.time, around.rank, column.flags)
    at = column.at[where]
    return Curve(name, around.step[at], column.value[where], around.time[at], around.rank[at], column.flags[where])


def _by_name(found: Table) -> tuple[list[str], Column] | None:
    """Names and values of records that hold one value of one metric each, None where records are not of that kind."""
    for name_key in _NAME_KEYS:
        for value_key in _VALUE_KEYS:
            texts, column = found.texts.get(name_key), found.numbers.get(value_key)
            if texts is None or column is None:
                continue
            at, left, right = np.intersect1d(texts.at, column.at, assume_unique=True, return_indices=True)
            if 2 * len(at) >= len(column.at):
                return [texts.text[i] for i in left.tolist()], Column(at, column.value[right], column.flags[right])
    return None


def _plain_names(found: Table, skip: Collection[str]) -> dict[str, str]:
    """Each key's metric name: itself, without a container that says nothing where that is unambiguous."""
    names = {}
    for key in found.numbers:
        short = next((key.removeprefix(c) for c in _PLAIN_CONTAINERS if key.startswith(c)), key)
        names[key] = short if short not in found.numbers or short in skip else key
    return names
