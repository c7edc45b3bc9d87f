"""Points of the records of one training in a text log, and the curve that tells how far it is."""

from __future__ import annotations

from dataclasses import field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.core.run import POINTS, Flag, empty_points
from curvedoc.ingest.naming.log_words import is_outcome, spaced
from curvedoc.ingest.naming.split_words import has_scope, scope_of
from curvedoc.ingest.text.cells import LineNumbers, ranks_of
from curvedoc.ingest.text.line.slots import EPOCH, METRIC, RANK, STEP
from curvedoc.ingest.trainings.counters import CounterEvents, resolve, rows

_LIMIT = float(2**62)
#: Fewer epochs show no rhythm.
_HELD_BACK = 4
#: So many bars at one position are the ends of so many epochs.
_ENDS = 3
#: No log is written by more handlers than that, each of which says every line.
_HANDLERS = 8
#: A bar is at its end where so many times less is left than was done since it was drawn last.
_CLOSE = 100

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Read:
    """Points, the last step at each line (`idx`, `step`, ascending) and what the steps count, of one training."""

    points: pl.DataFrame
    steps: pl.DataFrame
    axis: str


def read_points(lines: pl.DataFrame, cells: LineNumbers, events: CounterEvents) -> Read:
    """Points of the lines (columns idx, time, rank) of one training."""
    metric = cells.kind == METRIC
    rank = cells.column(RANK, cells.value)
    ranks = np.where(np.isnan(rank), ranks_of(lines), rank)
    main = main_curve(cells, events, ranks)
    if len(main.again):
        metric &= ~np.isin(cells.line, main.again)
    steps = resolve(events, main.rows)
    if steps.axis != "epoch":
        metric |= (cells.kind == EPOCH) & events.record[cells.line]
    if steps.axis != "step":  # the steps of an episode
        metric |= (cells.kind == STEP) & events.record[cells.line]
    line = cells.line[metric]
    step = steps.step
    if steps.axis == "row" and bool(np.isnan(step).all()):
        step = _rows(cells.n, line, [cells.names[i] for i in cells.name[metric]], events.record)
    else:
        step = _untrained(_at_epochs(step, cells, events), cells)
    of = cells.of
    shown = cells.value * np.where(np.isnan(of) | (of == 0), 1.0, 1.0 / np.where(of == 0, 1.0, of)) * cells.factor
    names = pl.Series("metric", cells.names or [""], dtype=pl.String)
    rank_of = pl.Series(ranks[line], dtype=pl.Float64).cast(pl.Int32, strict=False)
    frame = pl.DataFrame(
        {
            "metric": names[cells.name[metric]],  # numpy's texts would be made one by one
            "step": _integers(step[line]),
            "value": pl.Series(np.where(cells.kind == METRIC, shown, cells.value)[metric], dtype=pl.Float64),
            "time": lines["time"][line],
            "rank": rank_of.fill_null(0) if rank_of.null_count() else rank_of,
            "flags": pl.Series(np.where(events.averaged[line], int(Flag.AVERAGED), 0).astype(np.uint16)),
            "bar": (events.bar | events.averaged)[line],
        }
    )
    known = pl.DataFrame({"idx": lines["idx"], "step": _integers(step)})
    return Read(_last_of_bars(frame), known, steps.axis)


@dataclass(frozen=True, slots=True)
class MainCurve:
    """The lines with the metric that tells how far the training is, and its values; of the first rank.

    again: lines that say one before them again, where these are most of those that tell some metric
    """

    rows: Ints
    values: Floats
    again: Ints = field(default_factory=lambda: np.zeros(0, np.int64))


def main_curve(cells: LineNumbers, events: CounterEvents, ranks: Floats) -> MainCurve:
    """The metric that is logged most while training, a loss before others; a line said twice counts once."""
    ok = (cells.kind == METRIC) & (events.record & ~events.evaluation)[cells.line]
    if not bool(ok.any()):
        ok = (cells.kind == METRIC) & events.record[cells.line]
    if not bool(ok.any()):
        return MainCurve(np.zeros(0, np.int64), np.zeros(0))
    told = np.array([is_outcome(spaced(n)) for n in cells.names], bool)
    if bool(told[cells.name[ok]].any()):  # a rate or a setting says nothing of how far the training is
        ok &= told[cells.name]
    curve, again = _most_logged(cells, events, ranks, ok)
    if len(again) > len(curve.rows):  # a line that is said at each step of an episode is logged no more often
        return replace(_most_logged(cells, events, ranks, ok & ~np.isin(cells.line, again))[0], again=again)
    return curve


def _most_logged(
    cells: LineNumbers, events: CounterEvents, ranks: Floats, ok: NDArray[np.bool_]
) -> tuple[MainCurve, Ints]:
    """The main curve of some numbers, and the lines that say it again."""
    count = np.bincount(cells.name[ok], minlength=len(cells.names))
    fit = np.flatnonzero(2 * count >= count.max()).tolist()
    best = max(fit, key=lambda i: (_worth(cells.names[i]), int(count[i]), -i))
    mine = np.flatnonzero(ok & (cells.name == best))
    mine = mine[ranks[cells.line[mine]] == ranks[cells.line[mine]].min()]
    rows, first = np.unique(cells.line[mine], return_index=True)
    values = cells.value[mine][first]
    again = np.zeros(len(rows), bool)
    again[1:] = (np.diff(rows) == 1) & (values[1:] == values[:-1])
    for count in (events.step[rows], events.inner[rows], events.epoch[rows]):
        again[1:] &= (count[1:] == count[:-1]) | np.isnan(count[1:])
    if 3 * int(again.sum()) >= len(rows):  # what else they say is asked only where it can decide
        again[1:] &= ~_differ(cells, rows)
    counted = np.isfinite(np.stack([events.step[rows], events.inner[rows], events.epoch[rows]])).any(axis=0)
    held = np.diff(np.flatnonzero(np.r_[~again, True])).max(initial=0) > _HANDLERS and not bool(counted.any())
    if 3 * int(again.sum()) < len(rows) or held:
        again[:] = False  # not the habit of the log: values that happen to be equal, a level that is held
    return MainCurve(rows[~again], values[~again]), rows[again]


def _differ(cells: LineNumbers, rows: Ints) -> NDArray[np.bool_]:
    """For each of the lines but the first, whether it gives something by the name of the line before and another
    value: two records whose loss is the same, not one that is said twice."""
    ok = np.flatnonzero((cells.kind == METRIC) & np.isin(cells.line, rows))
    frame = pl.DataFrame({"line": cells.line[ok], "name": cells.name[ok], "value": cells.value[ok]})
    frame = frame.unique(["line", "name"], keep="first", maintain_order=True)
    both = frame.join(frame.with_columns(pl.col("line") + 1), on=["line", "name"], suffix="_before")
    other = both.filter(pl.col("value") != pl.col("value_before"))["line"].unique()
    return np.isin(rows[1:], other.to_numpy())


def _worth(name: str) -> int:
    """How well a metric tells how far the training is: losses do, other outcomes may."""
    low = spaced(name)
    if "loss" in low and scope_of(low) in ("", "train"):
        return 3
    return 2 if is_outcome(low) and not has_scope(low) else 1 if is_outcome(low) else 0


def _at_epochs(step: Floats, cells: LineNumbers, events: CounterEvents) -> Floats:
    """The steps, with those of what has no counter and stands at one step as often as there were epochs: a program
    held its output back until it ended, and said it at the end of each epoch."""
    known = np.flatnonzero(~np.isnan(events.epoch) & ~np.isnan(step))
    ends = step[known[np.r_[np.diff(events.epoch[known]) != 0, True]]] if len(known) else step[:0]
    if len(ends) < _HELD_BACK or bool((np.diff(ends) <= 0).any()):
        return step
    own = np.isnan(events.step) & np.isnan(events.inner) & np.isnan(events.epoch) & events.record
    metric = (cells.kind == METRIC) & own[cells.line]
    out = step.copy()
    for name in np.unique(cells.name[metric]).tolist():
        line = cells.line[(cells.kind == METRIC) & (cells.name == name)]
        if len(ends) - 1 <= len(line) <= len(ends) and own[line].all() and np.unique(step[line]).size == 1:
            out[line] = ends[: len(line)]
    return out


def _untrained(step: Floats, cells: LineNumbers) -> Floats:
    """The steps, with that of an evaluation of the untrained model, printed ahead of all that is counted: one pace
    before the first."""
    known = step[~np.isnan(step)]
    first = int(np.argmax(~np.isnan(step)))
    told = np.array([is_outcome(n) for n in cells.names] or [False])
    mine = (cells.kind == METRIC) & (cells.line < first) & told[cells.name]
    scopes = np.array([scope_of(n) if has_scope(n) else "" for n in cells.names] or [""])
    scope, line = scopes[cells.name[mine]], cells.line[mine]
    ahead = np.setdiff1d(line, line[(scope == "") | (scope == "train")])
    if len(ahead):  # it may have been put to what is trained on as well
        ahead = np.setdiff1d(line, line[scope == ""])
    paces = np.diff(np.unique(known))
    if not len(ahead) or not len(paces):
        return step
    out = step.copy()
    out[ahead] = max(0.0, known[0] - float(np.median(paces)))
    return out


def _integers(values: NDArray[np.float64]) -> pl.Series:
    ok = np.isfinite(values) & (np.abs(values) < _LIMIT)
    return pl.Series(np.where(ok, values, 0.0)).cast(pl.Int64).set(pl.Series(~ok), None)


def _rows(n: int, line: NDArray[np.int64], names: list[str], record: NDArray[np.bool_]) -> NDArray[np.float64]:
    of: list[list[str]] = [[] for _ in range(n)]
    for at, what in zip(line.tolist(), names, strict=True):
        of[at].append(what)
    return np.array(rows(of), dtype=np.float64)


def _last_of_bars(frame: pl.DataFrame) -> pl.DataFrame:
    """Points in file order; of what a progress bar wrote for one step, and right before its end, only the last.

    A bar that was drawn again for its last batch alone, as where a message came between, tells an epoch twice. Where
    bars are only shown at their end (somebody kept those lines alone), each is an epoch, and none names a step.
    """
    drawn = frame.filter(pl.col("bar")) if frame["bar"].any() else frame.head(0)
    if len(drawn) and drawn["step"].n_unique() == 1 and max(drawn["metric"].value_counts()["count"]) >= _ENDS:
        frame = frame.with_columns(step=pl.when("bar").then(None).otherwise("step"))
    elif len(drawn):
        frame = frame.with_row_index("at")
        bars = frame.filter(pl.col("bar")).unique(["metric", "rank", "step"], keep="last", maintain_order=True)
        step, group = pl.col("step"), ["metric", "rank"]
        since = (step - step.shift(1, fill_value=0)).over(group)
        until = (step.shift(-1) - step).over(group).fill_null(-1)
        bars = bars.filter((until < 0) | (until * _CLOSE >= since))
        frame = pl.concat([frame.filter(~pl.col("bar")), bars]).sort("at")
    return frame[list(POINTS)] if len(frame) else empty_points()
