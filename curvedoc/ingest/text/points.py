"""Points of the records of a text log, taken in bulk: numbers are cut out once, templates say what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.run import POINTS, Flag, empty_points
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.slots import EPOCH, INNER, METRIC, RANK, STEP
from curvedoc.ingest.text.line.words import SCALES
from curvedoc.ingest.text.steps import CounterEvents, resolve, rows

#: Counters of other things than the run.
_NO_METRIC = frozenset({"v_num"})
_MARKS = " \t=:,([{'\"|<>~$*#"
_LIMIT = float(2**62)


@dataclass(frozen=True, slots=True)
class Read:
    """Points, the last step at each line (`idx`, `step`, ascending), what the steps count, and the record lines."""

    points: pl.DataFrame
    steps: pl.DataFrame
    axis: str


def read_points(lines: pl.DataFrame, plans: list[LinePlan]) -> Read:
    """Points of the lines (columns idx, tokens, tid, time, rank), each of which follows a plan with slots."""
    lens = lines.select("tokens", "tid")
    count = lens["tokens"].list.len().cast(pl.Int64).to_numpy()
    tid = lens["tid"].to_numpy()
    starts = np.cumsum(count) - count
    total = int(count.sum())
    line = np.repeat(np.arange(len(count)), count)
    slot = np.arange(total) - np.repeat(starts, count)
    offset, role, name, factor, names = _table(plans, int(count.max()) if len(count) else 0)
    at = offset[tid[line]] + np.minimum(slot, (offset[1:] - offset[:-1])[tid[line]] - 1) if total else line
    use = (role[at] >= 0) if total else np.zeros(0, bool)
    tokens = lens["tokens"].explode().filter(pl.Series(use)) if total else pl.Series([], dtype=pl.String)
    line, at = line[use], at[use]
    value, of = numbers(tokens)
    kind = role[at]
    n = len(count)

    def column(which: int, source: NDArray[np.float64]) -> NDArray[np.float64]:
        out = np.full(n, np.nan)
        sel = kind == which
        out[line[sel][::-1]] = source[sel][::-1]
        return out

    total_of = column(STEP, of)
    inner_total = column(INNER, of)
    flags = _flags(plans)
    events = CounterEvents(
        step=column(STEP, value), inner=column(INNER, value),
        total=np.where(np.isnan(inner_total), total_of, inner_total), epoch=column(EPOCH, value),
        evaluation=flags["evaluation"][tid], record=flags["record"][tid], bar=flags["bar"][tid],
        averaged=flags["averaged"][tid], samples=flags["samples"][tid],
    )  # fmt: skip
    steps = resolve(events)
    metric = kind == METRIC
    if steps.axis != "epoch":
        metric |= (kind == EPOCH) & events.record[line]
    step = steps.step
    if steps.axis == "row":
        step = _rows(n, line[metric], [names[i] for i in name[at[metric]]], events.record)
    rank = column(RANK, value)
    ranks = np.where(np.isnan(rank), lines["rank"].fill_null(0).to_numpy(), rank)
    shown = value * np.where(np.isnan(of) | (of == 0), 1.0, 1.0 / np.where(of == 0, 1.0, of)) * factor[at]
    frame = pl.DataFrame(
        {
            "metric": pl.Series(np.array(names or [""])[name[at[metric]]], dtype=pl.String),
            "step": _integers(step[line[metric]]),
            "value": pl.Series(np.where(kind == METRIC, shown, value)[metric], dtype=pl.Float64),
            "time": lines["time"].gather(line[metric]),
            "rank": pl.Series(ranks[line[metric]], dtype=pl.Float64).cast(pl.Int32, strict=False).fill_null(0),
            "flags": pl.Series(np.where(events.averaged[line[metric]], int(Flag.AVERAGED), 0).astype(np.uint16)),
            "bar": (events.bar | events.averaged)[line[metric]],
        }
    )
    known = pl.DataFrame({"idx": lines["idx"], "step": _integers(step)})
    return Read(_last_of_bars(frame), known, steps.axis)


def numbers(tokens: pl.Series) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(values, totals) of cut-out numbers; the total of "10/500" is 500, NaN for a plain number."""
    text = tokens.str.strip_chars_start(_MARKS).str.replace_all("[,_]", "")
    split = text.str.contains("/", literal=True)
    if not bool(split.any()):
        return text.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy(), np.full(len(text), np.nan)
    parts = pl.DataFrame([text.alias("t")]).select(pl.col("t").str.split_exact("/", 1).alias("p")).unnest("p")
    both = [
        parts[c].str.strip_chars().cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()
        for c in parts.columns
    ]
    return both[0], both[1]


def _integers(values: NDArray[np.float64]) -> pl.Series:
    ok = np.isfinite(values) & (np.abs(values) < _LIMIT)
    return pl.Series(np.where(ok, values, 0.0)).cast(pl.Int64).set(pl.Series(~ok), None)


def _table(plans: list[LinePlan], widest: int) -> tuple[Any, Any, Any, Any, list[str]]:
    """Dense lookup (template, slot) -> role, index of the name, factor; the last slot of each template is "none"."""
    names: dict[str, int] = {}
    base: dict[str, str] = {}
    offsets, roles, name, factor = [0], [], [], []
    for plan in plans:
        last = max((s.slot for s in plan.slots), default=-1)
        row: list[tuple[int, int, float]] = [(-1, 0, 1.0)] * (last + 2)
        for s in plan.slots:
            if s.role == METRIC and s.name in _NO_METRIC:
                continue
            label = "epoch" if s.role == EPOCH else s.name
            scale = 1.0
            if s.role == METRIC and s.unit in SCALES:
                dimension, to = SCALES[s.unit]
                first = base.setdefault(label, s.unit if dimension else "")
                if dimension == "":
                    scale = to
                elif SCALES.get(first, ("", 0.0))[0] == dimension:
                    scale = to / SCALES[first][1]
            elif s.role == METRIC:
                base.setdefault(label, s.unit)
            row[s.slot] = (s.role, names.setdefault(label, len(names)), scale)
        offsets.append(offsets[-1] + len(row))
        roles += [r[0] for r in row]
        name += [r[1] for r in row]
        factor += [r[2] for r in row]
    return np.array(offsets), np.array(roles, np.int8), np.array(name, np.int64), np.array(factor), list(names)


def _flags(plans: list[LinePlan]) -> dict[str, NDArray[np.bool_]]:
    return {
        "evaluation": np.array([p.scope not in ("", "train") for p in plans], bool),
        "record": np.array([p.kind in ("record", "loose", "member") for p in plans], bool),
        "bar": np.array([p.bar for p in plans], bool),
        "averaged": np.array([p.averaged for p in plans], bool),
        "samples": np.array([p.samples for p in plans], bool),
    }


def _rows(n: int, line: NDArray[np.int64], names: list[str], record: NDArray[np.bool_]) -> NDArray[np.float64]:
    of: list[list[str]] = [[] for _ in range(n)]
    for at, what in zip(line.tolist(), names, strict=True):
        of[at].append(what)
    return np.array(rows(of), dtype=np.float64)


def _last_of_bars(frame: pl.DataFrame) -> pl.DataFrame:
    """Points in file order; of what a progress bar wrote for one step, only the last."""
    if bool(frame["bar"].any()):
        frame = frame.with_row_index("at")
        bars = frame.filter(pl.col("bar")).unique(["metric", "rank", "step"], keep="last", maintain_order=True)
        frame = pl.concat([frame.filter(~pl.col("bar")), bars]).sort("at")
    return frame.select(pl.col(c).cast(t) for c, t in POINTS.items()) if len(frame) else empty_points()
