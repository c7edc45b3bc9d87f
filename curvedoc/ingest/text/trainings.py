"""The trainings in one text, each with its lines and its points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.ingest.naming.log_words import is_loss, is_outcome, spaced
from curvedoc.ingest.naming.split_words import scope_of
from curvedoc.ingest.text.cells import LineNumbers, counters, ranks_of, read_cells
from curvedoc.ingest.text.evaluation_lines import settled
from curvedoc.ingest.text.layouts.announced import announced, not_gone_on, settings_again, shapes
from curvedoc.ingest.text.layouts.boxes import Boxes
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.slots import EPOCH, METRIC, RANK, STEP
from curvedoc.ingest.text.points import Read, main_curve, read_points
from curvedoc.ingest.text.record_scopes import scoped
from curvedoc.ingest.text.repeats import repeated
from curvedoc.ingest.trainings.counters import CounterEvents, epochs_of
from curvedoc.ingest.trainings.stages import counted_on, next_stages
from curvedoc.ingest.trainings.starts import MAX_TRAININGS, Progress, Returns, cut, returns, starts

#: So many epochs of each make two trainings of what is told by two names.
_TRAINED = 5
#: What the last record of a training of Hugging Face's Trainer tells.
_CLOSING = "train_runtime"

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TextTraining:
    """One training: its lines (`idx` from `first` to before `last`), what was read of them, and how many tasks it
    learned behind the first one."""

    first: int
    last: int
    read: Read
    tasks: int = 0


def trainings_of(lines: pl.DataFrame, plans: list[LinePlan]) -> list[TextTraining]:
    """The trainings among the lines (columns idx, kind, template, tokens, tid, time, rank), one where none begins
    anew."""
    events = lines[["idx", "tokens", "tid", "time", "rank"]].filter(lines["kind"] != "")
    cells = read_cells(events, plans)
    again = repeated(events, cells, plans)
    if bool(again.any()):
        events, cells = events.filter(pl.Series(~again)), cells.only(~again)
    tid = events["tid"].to_numpy()
    cells = settled(scoped(lines, events, cells, plans), tid, plans)
    count = counters(cells, tid, plans)
    way = _progress(events, cells, count)
    tasks = _tasks(lines, events, count, way)
    if tasks:
        cells = _counted_on(cells, tasks)
        count = counters(cells, tid, plans)
        way = _progress(events, cells, count)
    at = _after_closing(cells, count, way[0], _starts(lines, events, count, way, cells.names))
    at += _under_other_names(events, cells, count, at)
    idx = events["idx"].to_numpy()
    firsts = [_boundary(lines, int(idx[a - 1]) + 1, int(idx[a]), int(idx[0])) for a in at]
    out = []
    for (a, b), (first, last) in zip(cut(at, len(events)), cut(firsts, len(lines)), strict=True):
        mine = cells.between(a, b)
        read = read_points(events.slice(a, b - a), mine, counters(mine, tid[a:b], plans) if at else count)
        out.append(TextTraining(first, last, read, sum(a < t < b for t in tasks)))
    return out


def boxed_trainings(lines: pl.DataFrame, boxes: Boxes) -> list[tuple[int, int]]:
    """(first, past the last) of the lines of each training of which there are only boxes."""
    named = boxes.points["metric"].to_list()
    outcome = next((n for n in dict.fromkeys(named) if is_outcome(n)), None)
    whole = [(0, len(lines))]
    if outcome is None:
        return whole
    mine = pl.DataFrame({"idx": boxes.at, "metric": named, "value": boxes.points["value"]})
    mine = mine.filter(pl.col("metric") == outcome).join(boxes.steps, on="idx").sort("idx")
    count = mine["step"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    p = Progress(np.full(len(mine), np.nan), count, mine["value"].to_numpy())
    found = returns(p)
    if not len(found.early):
        return whole
    idx = mine["idx"].to_numpy()
    at = starts(p, found, announced(lines, idx, found)[0] > 0)
    firsts = [_boundary(lines, int(idx[a - 1]) + 1, int(idx[a]), int(idx[0])) for a in at]
    return cut(firsts, len(lines))


def _progress(events: pl.DataFrame, cells: LineNumbers, ev: CounterEvents) -> tuple[Ints, Progress]:
    """The events of the main curve, and how far it is at each."""
    rank = cells.column(RANK, cells.value)
    ranks = np.where(np.isnan(rank), ranks_of(events), rank)
    main = main_curve(cells, ev, ranks)
    rows = main.rows
    whole = bool((ev.epoch[~np.isnan(ev.epoch)] == np.floor(ev.epoch[~np.isnan(ev.epoch)])).all())
    step = ev.step if not np.isnan(ev.step[rows]).all() else ev.inner
    # parts of an epoch count where nothing else does
    epoch = epochs_of(ev) if whole or np.isnan(step[rows]).all() else np.full(len(ev.epoch), np.nan)
    return rows, Progress(epoch[rows], _carried(np.where(ev.evaluation, np.nan, step))[rows], main.values)


def _tasks(lines: pl.DataFrame, events: pl.DataFrame, ev: CounterEvents, way: tuple[Ints, Progress]) -> list[int]:
    """The events from which on the model learns the next of several tasks, with counters that begin anew."""
    rows, p = way
    back = returns(p).early.tolist() if len(rows) > 1 else []
    if not back or len(back) >= MAX_TRAININGS:
        return []
    idx = events["idx"].to_numpy()
    record = np.searchsorted(lines["idx"].to_numpy(), idx[rows])
    begin = next_stages(lines["text"].to_list(), record.tolist(), back)
    # what leads up to the first record of a task (its epoch, on a line of its own) is a part of it
    return [_led_up_to(ev, int(rows[i]), int(rows[i - 1])) for i in begin]


def _led_up_to(ev: CounterEvents, at: int, last: int) -> int:
    """The first of the lines behind `last` that count up to the record at `at` without being one; where it says no
    counter itself, other records may stand between."""
    counted = ~np.isnan(ev.epoch) | ~np.isnan(ev.step) | ~np.isnan(ev.inner)
    if not counted[at]:
        behind = next((i + 1 for i in range(at - 1, last, -1) if counted[i]), at)
        at = at if ev.record[behind - 1] else behind
    while at - 1 > last and counted[at - 1] and not ev.record[at - 1]:
        at -= 1
    return at


def _counted_on(cells: LineNumbers, tasks: list[int]) -> LineNumbers:
    """The numbers with epochs and steps counted on from task to task, and without the totals of one task."""
    value, of = cells.value.copy(), cells.of.copy()
    for kind in (EPOCH, STEP):
        mine = cells.kind == kind
        value[mine] = counted_on(value[mine], np.searchsorted(cells.line[mine], tasks).tolist())
        of[mine] = np.nan
    return replace(cells, value=value, of=of)


def _starts(
    lines: pl.DataFrame, events: pl.DataFrame, ev: CounterEvents, way: tuple[Ints, Progress], names: list[str]
) -> list[int]:
    """The events at which another training begins."""
    rows, p = way
    if len(rows) < 2:
        return []
    found = returns(p)
    idx = events["idx"].to_numpy()
    if not len(found.early):
        uncounted = bool(np.isnan(p.epoch).any() and np.isnan(p.count).any()) and any(map(is_loss, names))
        return [int(rows[i]) for i in settings_again(lines, idx[rows], p.loss)] if uncounted else []
    said, told = announced(lines, idx[rows], found)
    told = not_gone_on(said, p.loss) | told | _replaced(events["tid"].to_numpy()[rows], found)
    begin = starts(p, found, told)
    # what leads up to the first record of a training (its epoch, on a line of its own) is a part of it
    out = []
    for i in begin:
        a, low = int(rows[i]), int(rows[i - 1])
        out.append(min(_led_up_to(ev, a, low), _fallen(ev.step, low + 1, a)))
    return out


def _after_closing(cells: LineNumbers, ev: CounterEvents, rows: Ints, at: list[int]) -> list[int]:
    """The events at which another training begins, with those behind a record that sums a training up and ahead of
    records that stand at an earlier epoch, however far that is from the start: the first ones may be evaluations."""
    named = [i for i, n in enumerate(cells.names) if n == _CLOSING]
    closing = np.unique(cells.line[(cells.kind == METRIC) & np.isin(cells.name, named)])
    ahead = np.searchsorted(rows, closing, side="right")
    closing, ahead = (x[(ahead < len(rows)) & (np.searchsorted(rows, closing) > 0)] for x in (closing, ahead))
    epoch, ahead = _carried(ev.epoch), rows[ahead]
    earlier = epoch[ahead] < epoch[closing]
    closing, ahead = closing[earlier], ahead[earlier]
    # a start between a closing record and the first one behind it is that training's; the last one ahead tells
    begin = np.array(at, dtype=np.int64)
    last = np.searchsorted(closing, begin) - 1
    inside = (last >= 0) & (begin <= np.r_[ahead, -1][last])
    out = sorted({*begin[~inside].tolist(), *(closing + 1).tolist()})
    return out if len(out) < MAX_TRAININGS else []


def _under_other_names(events: pl.DataFrame, cells: LineNumbers, ev: CounterEvents, at: list[int]) -> list[int]:
    """The event behind all others of the main curve at which a training begins that tells its loss by another name: its
    epochs begin where those of the first began, and are counted on."""
    ranks = ranks_of(events)
    epoch = _carried(ev.epoch)
    first = at[-1] if at else 0
    mine = main_curve(cells.between(first, len(events)), _events_from(ev, first), ranks[first:]).rows + first
    rest = int(mine[-1]) + 1 if len(mine) else len(events)
    if len(mine) < _TRAINED or not np.isfinite(epoch[mine]).all() or epoch[mine[-1]] <= epoch[mine[0]]:
        return []
    tail = main_curve(cells.between(rest, len(events)), _events_from(ev, rest), ranks[rest:])
    rows = tail.rows + rest
    if len(rows) < _TRAINED or ev.evaluation[rows].any() or not np.isfinite(ev.epoch[rest:][tail.rows]).all():
        return []
    named = {cells.names[i] for i in cells.name[(cells.kind == METRIC) & np.isin(cells.line, rows)].tolist()}
    own = any("loss" in spaced(n) and scope_of(spaced(n)) in ("", "train") for n in named)
    counted = bool((np.diff(epoch[rows]) >= 0).all()) and epoch[rows[-1]] > epoch[rows[0]]
    return [int(rows[0])] if own and counted and epoch[rows[0]] <= epoch[mine[0]] else []


def _events_from(ev: CounterEvents, first: int) -> CounterEvents:
    """The counters of the lines from `first` on."""
    return CounterEvents(*(getattr(ev, f)[first:] for f in CounterEvents.__slots__))


def _fallen(count: NDArray[np.float64], first: int, last: int) -> int:
    """The first of the events from `first` to before `last` whose counter is below the one before it; `last` for none.

    Records of other metrics may stand between the last record of a training and the first one of the next.
    """
    known = np.flatnonzero(~np.isnan(count[:last]))
    known = known[max(int(np.searchsorted(known, first)) - 1, 0) :]
    down = np.flatnonzero(np.diff(count[known]) < 0)
    return int(known[down[0] + 1]) if len(down) else last


def _carried(values: NDArray[np.float64]) -> NDArray[np.float64]:
    at = np.maximum.accumulate(np.where(np.isnan(values), -1, np.arange(len(values))))
    return np.where(at >= 0, values[np.maximum(at, 0)], np.nan)


def _replaced(tid: Ints, found: Returns) -> Bools:
    """For each record, whether the counters fell there and no record before it is of a shape that comes after it: a
    second stage that prints otherwise counts anew."""
    out = np.zeros(len(tid), bool)
    kinds, first = np.unique(tid, return_index=True)
    last = len(tid) - 1 - np.unique(tid[::-1], return_index=True)[1]
    for row in found.early.tolist():
        gone = last[first < row]
        out[row] = len(kinds) > 1 and bool((gone < row).all())
    return out


def _boundary(lines: pl.DataFrame, first: int, last: int, head: int) -> int:
    """The first of the lines between two trainings that belongs to the second: one that was printed before the very
    first record too; of several starts, of which others only evaluated, that of the last."""
    if first >= last:
        return last
    known = shapes(lines.head(head)).drop_nulls()
    between = lines.slice(first, last - first)
    shape = shapes(between)
    same = shape.is_in(known.implode()).fill_null(False).arg_true()
    if not len(same):
        return last
    again = (shape == shape[int(same[0])]).fill_null(False).arg_true().to_numpy()
    told = np.flatnonzero((between["kind"] != "").to_numpy())
    own = again[1:][np.searchsorted(told, again[1:]) > np.searchsorted(told, again[:-1])]
    return first + int(own[-1] if len(own) else again[0])
