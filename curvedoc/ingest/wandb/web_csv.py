"""CSV files that the web pages of W&B export: one column a run and metric, with the bounds of each bucket."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.notes import coalesce
from curvedoc.core.run import Flag, Note
from curvedoc.ingest.contract import Log
from curvedoc.ingest.table.columns import RecordColumn
from curvedoc.ingest.table.curve import LogCurve, points_of
from curvedoc.ingest.table.values import clock, moment
from curvedoc.ingest.table.wide import parsed

_MIN, _MAX = "__MIN", "__MAX"
_BY = " - "
_STEP_NAMES = ("step", "_step", "global_step", "trainer/global_step", "train/global_step", "iteration", "iter")
#: A value that a float prints in fewer digits than its bounds is no bucket's mean.
_SAME = 1e-9


def is_ui_header(names: Sequence[str]) -> bool:
    """Whether these column names are a page's export: an axis, then metrics with their bounds or runs' metrics."""
    rest = names[1:]
    if any(n.endswith((_MIN, _MAX)) for n in rest):
        return True
    first = names[0].lower() if names else ""
    is_axis = first in (*_STEP_NAMES, "epoch", "runtime") or first.startswith(("relative time", "wall time"))
    return is_axis and any(_BY in n for n in rest)


def ui_logs(path: Path, format: str, frame: pl.DataFrame, size: int, notes: Sequence[Note]) -> list[Log]:
    """One log a run of the export; its points are marked where a bucket's bounds differ from its value."""
    names = list(frame.columns)
    axis, step, time, more = _axis(names[0], frame[names[0]])
    mains = list(dict.fromkeys(n.removesuffix(_MIN).removesuffix(_MAX) for n in names[1:]))
    by_run: dict[str | None, list[LogCurve]] = {}
    found: list[Note] = [*notes, *more]
    for main, (run, metric) in zip(mains, split_names(mains), strict=True):
        if metric == "_step" and not axis:
            continue
        columns = {s: _numbers(frame, main + s) for s in ("", _MIN, _MAX)}
        curves, aggregated = _curves(metric, columns, step, time)
        if aggregated:
            text = "values are means of buckets, with the least and the greatest of each beside them"
            found.append(Note("aggregated", text, count=aggregated))
        by_run.setdefault(run, []).extend(curves)
    logs = [Log(path, format, points_of(curves), bytes=size, run=run, axis=axis) for run, curves in by_run.items()]
    return [replace(log, notes=coalesce(found)) for log in logs]


def split_names(names: Sequence[str]) -> list[tuple[str | None, str]]:
    """Run and metric of each column; both may hold " - " themselves.

    The cut is the last whose right side several columns share, else the last whose left side they share, else the last.
    """
    cuts = [[(n[:i], n[i + len(_BY) :]) for i in range(len(n)) if n.startswith(_BY, i)] for n in names]
    rights = Counter(right for cut in cuts for right in {r for _, r in cut})
    lefts = Counter(left for cut in cuts for left in {run for run, _ in cut})
    out: list[tuple[str | None, str]] = []
    for name, cut in zip(names, cuts, strict=True):
        shared = [c for c in cut if rights[c[1]] > 1] or [c for c in cut if lefts[c[0]] > 1] or cut
        out.append(shared[-1] if shared else (None, name))
    return out


def _axis(name: str, cells: pl.Series) -> tuple[str, NDArray[np.float64], NDArray[np.float64], tuple[Note, ...]]:
    """What the first column counts, each row's step and time (NaN: unknown)."""
    n = len(cells)
    nothing = np.full(n, np.nan)
    column, rest = parsed(cells, np.flatnonzero(cells.is_not_null().to_numpy()))
    value = nothing.copy()
    if column is not None:
        value[column.at] = column.value
    low = name.lower()
    if low.startswith(("relative time", "wall time", "runtime", "timestamp")):
        if rest is not None and column is None:
            times = [moment(t) for t in rest.text]
            value[rest.at] = [np.nan if t is None else t for t in times]
        elif low.startswith("wall"):
            value = np.array([c if (c := clock(v)) is not None else np.nan for v in value.tolist()])
        return "row", nothing, value, (Note("step-from-row", f"'{name}' is a time; records are in its order"),)
    known = value[np.isfinite(value)]
    if len(known) and not (known == np.floor(known)).all():
        note = Note("step-from-row", f"'{name}' is not whole; the record's number stands in its place")
        return "row", np.arange(n, dtype=np.float64), nothing, (note,)
    if low.rsplit("/", 1)[-1] in ("epoch", "epochs"):
        return "epoch", value, nothing, (Note("step-from-epoch", f"'{name}' stands in the step's place"),)
    return "step", value, nothing, ()


def _numbers(frame: pl.DataFrame, name: str) -> RecordColumn | None:
    if name not in frame.columns:
        return None
    cells = frame[name]
    return parsed(cells, np.flatnonzero(cells.is_not_null().to_numpy()))[0]


def _curves(
    metric: str, columns: dict[str, RecordColumn | None], step: NDArray[np.float64], time: NDArray[np.float64]
) -> tuple[list[LogCurve], int]:
    """The metric's curve, and its bounds where they differ from it anywhere."""
    rank = np.zeros(len(step), np.int32)
    main, low, high = columns[""], columns[_MIN], columns[_MAX]
    wide = np.zeros(len(step), bool)
    if low is not None and high is not None:
        spread = np.full(len(step), 0.0)
        spread[high.at] = high.value
        spread[low.at] -= low.value
        scale = np.zeros(len(step))
        scale[high.at] = np.abs(high.value)
        with np.errstate(invalid="ignore"):
            wide = np.abs(spread) > _SAME * np.maximum(scale, 1e-300)
        both = np.zeros(len(step), bool)
        both[np.intersect1d(low.at, high.at)] = True
        wide &= both
    curves = []
    for suffix, column in (("", main), (_MIN, low), (_MAX, high)):
        if column is None or (suffix and not wide.any() and main is not None):
            continue
        at = column.at
        flags = np.where(wide[at] | (suffix != ""), Flag.AGGREGATED, 0).astype(np.uint16)
        curves.append(LogCurve(metric + suffix, step[at], column.value, time[at], rank[at], flags))
    return curves, int(wide.sum())
