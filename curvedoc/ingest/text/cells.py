"""The numbers of the records of a text log, cut out in bulk: templates say what they mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.ingest.naming.log_words import spaced
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.slots import EPOCH, INNER, METRIC, PLACE, STEP
from curvedoc.ingest.text.line.words import SCALES
from curvedoc.ingest.trainings.counters import CounterEvents

#: Counters of other things than the run.
_NO_METRIC = frozenset({"v_num"})
#: On so many of its lines a counter without a name must agree with the epoch to be one.
_FOLLOWS = 0.8
#: Epochs within rounds begin anew so many times as often as the rounds do.
_ANEW = 3
_MARKS = " \t=:;,([{'\"|<>~$*#"
_PERCENT = 100.0
#: What counts in kilos.
_THOUSAND = 1_000.0

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LineNumbers:
    """The numbers of all lines that mean something, in file order.

    line: which of the lines; kind: the role of a number; value, of: the number and its total (10/500); name: index into
    `names`; factor: of its unit; n: number of lines
    """

    line: Ints
    kind: NDArray[np.int8]
    value: Floats
    of: Floats
    name: Ints
    factor: Floats
    names: list[str]
    n: int

    def column(self, which: int, source: Floats) -> Floats:
        """The first number of a role on each line."""
        out = np.full(self.n, np.nan)
        sel = self.kind == which
        out[self.line[sel][::-1]] = source[sel][::-1]
        return out

    def only(self, kept: NDArray[np.bool_]) -> LineNumbers:
        """Those of the lines that are kept."""
        mine = kept[self.line]
        place = np.cumsum(kept) - 1
        return LineNumbers(
            place[self.line[mine]], self.kind[mine], self.value[mine], self.of[mine], self.name[mine],
            self.factor[mine], self.names, int(kept.sum()),
        )  # fmt: skip

    def between(self, first: int, last: int) -> LineNumbers:
        """Those of the lines from `first` to before `last`."""
        a, b = np.searchsorted(self.line, [first, last])
        return LineNumbers(
            self.line[a:b] - first, self.kind[a:b], self.value[a:b], self.of[a:b], self.name[a:b], self.factor[a:b],
            self.names, last - first,
        )  # fmt: skip


def read_cells(lines: pl.DataFrame, plans: list[LinePlan]) -> LineNumbers:
    """The numbers of the lines (columns tokens, tid), each of which follows a plan with slots."""
    count = lines["tokens"].list.len().cast(pl.Int64).to_numpy()
    tid = lines["tid"].to_numpy()
    starts = np.cumsum(count) - count
    total = int(count.sum())
    line = np.repeat(np.arange(len(count)), count)
    slot = np.arange(total) - np.repeat(starts, count)
    offset, role, name, factor, percent, names = _table(plans)
    at = offset[tid[line]] + np.minimum(slot, (offset[1:] - offset[:-1])[tid[line]] - 1) if total else line
    use = (role[at] >= 0) if total else np.zeros(0, bool)
    tokens = lines["tokens"].explode().filter(pl.Series(use)) if total else pl.Series([], dtype=pl.String)
    line, at = line[use], at[use]
    value, of = numbers(tokens)
    scale = factor[at]
    if percent.any():
        scale[_percents(name[at], value, percent[at])] = 1 / _PERCENT
    return LineNumbers(line, role[at], value, of, name[at], scale, names, len(count))


def _percents(name: Ints, value: Floats, percent: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The numbers in percent of measures that other lines tell as shares of 1 ("acc=0.377", "best: acc 37.7%")."""
    found = np.zeros(len(name), bool)
    for each in np.unique(name[percent]):
        mine = name == each
        plain, told = value[mine & ~percent], value[mine & percent]
        if len(plain) and float(np.nanmax(plain, initial=0.0)) <= 1.0 < float(np.nanmax(told, initial=0.0)):
            found |= mine & percent
    return found


def counters(cells: LineNumbers, tid: Ints, plans: list[LinePlan]) -> CounterEvents:
    """The counters of the lines that the cells are of."""
    total_of = cells.column(STEP, cells.of)
    inner_total = cells.column(INNER, cells.of)
    flags = _flags(plans)
    step, inner, epoch = (cells.column(role, cells.value) for role in (STEP, INNER, EPOCH))
    step = _ones(np.where(_sizes(step, flags["evaluation"][tid]), np.nan, step))
    planned = _planned(epoch, cells.column(EPOCH, cells.of), flags["record"][tid])
    epoch = np.where(planned | _set(epoch, flags["record"][tid], tid, plans), np.nan, epoch)
    within = _nested(epoch, tid, plans)
    inner, epoch = np.where(within & np.isnan(inner), epoch, inner), np.where(within, np.nan, epoch)
    inner_total = np.where(within, cells.column(EPOCH, cells.of), inner_total)
    by_epoch = _epoch_and_batch(inner, inner_total, epoch, ~flags["evaluation"][tid])
    epoch, inner = np.where(by_epoch, inner, epoch), np.where(by_epoch, inner_total, inner)
    inner_total = np.where(by_epoch, np.nan, inner_total)
    place = cells.column(PLACE, cells.value)
    if not np.isnan(place).all():
        if _follows(place, epoch) or _in_part(place):
            epoch = np.where(np.isnan(epoch), place, epoch)
        elif np.isnan(inner).all():
            step = np.where(np.isnan(step), place, step)
    return CounterEvents(
        step=step, inner=inner,
        total=np.where(np.isnan(inner_total), total_of, inner_total), epoch=epoch,
        evaluation=flags["evaluation"][tid], record=flags["record"][tid], bar=flags["bar"][tid],
        averaged=flags["averaged"][tid], samples=flags["samples"][tid],
    )  # fmt: skip


def _sizes(step: Floats, evaluation: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The lines of evaluations that say of how many batches each was, where training counts its steps
    ("Iter(val) [500]" behind "Iter [4000/20000]"): one number on all of them, which training had left behind."""
    mine = np.flatnonzero(evaluation & ~np.isnan(step))
    known = np.flatnonzero(~evaluation & ~np.isnan(step))
    found = np.zeros(len(step), bool)
    if len(mine) < 2 or not len(known) or bool((step[mine] != step[mine[0]]).any()):
        return found
    before = np.searchsorted(known, mine[1:]) - 1
    found[mine] = bool((before >= 0).all() and (step[known[before]] > step[mine[0]]).all())
    return found


def _ones(step: Floats) -> Floats:
    """Steps that are told in thousands ("iter 0.5", "iter 1.0") as they are."""
    known = ~np.isnan(step)
    if not bool((step[known] != np.floor(step[known])).any()):
        return step
    ones = np.round(_THOUSAND * step)
    return ones if np.allclose(ones[known], _THOUSAND * step[known]) else step


def _planned(epoch: Floats, of: Floats, record: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The lines that say how many epochs there will be ("epochs: 50" ahead of "Epoch 1/50"): each says the total of the
    counter behind it."""
    bare = np.flatnonzero(~np.isnan(epoch) & np.isnan(of) & ~record)
    total = np.flatnonzero(~np.isnan(of))
    found = np.zeros(len(epoch), bool)
    if not len(bare) or not len(total) or len(bare) >= len(total):
        return found
    behind = np.searchsorted(total, bare)
    known = behind < len(total)
    says = of[total[behind[known]]] == epoch[bare[known]]
    found[bare] = len(says) > 0 and float(says.mean()) >= _FOLLOWS
    return found


def _set(epoch: Floats, record: NDArray[np.bool_], tid: Ints, plans: list[LinePlan]) -> NDArray[np.bool_]:
    """The line "epochs = 50" that stands once, ahead of all records."""
    several = [any(s.role == EPOCH and spaced(s.name).endswith("epochs") for s in p.slots) for p in plans]
    at = np.flatnonzero(np.array(several, bool)[tid] & ~np.isnan(epoch) & ~record)
    found = np.zeros(len(epoch), bool)
    if len(at) == 1 and not record[: at[0]].any():
        found[at] = True
    return found


def _nested(epoch: Floats, tid: Ints, plans: list[LinePlan]) -> NDArray[np.bool_]:
    """The lines whose epochs are those within a longer round that other lines count by another word ("Epoch 2/3" of
    "Episode 17"): they begin anew several times as often."""
    none = np.zeros(len(epoch), bool)
    said = [next((spaced(s.name).split()[-1:] for s in p.slots if s.role == EPOCH), []) for p in plans]
    word = np.array([w[0] if w else "" for w in said], dtype=object)[tid]
    lines = {w: np.flatnonzero((word == w) & ~np.isnan(epoch)) for w in sorted({w[0] for w in said if w})}
    anew = {w: int((np.diff(epoch[at]) < 0).sum()) for w, at in lines.items() if len(at) > _ANEW}
    if len(anew) < 2:
        return none
    inner = max(anew, key=lambda w: anew[w])
    outer = max((w for w in anew if w != inner), key=lambda w: len(lines[w]))
    if anew[inner] < _ANEW * max(1, anew[outer]):
        return none
    # each time another round had been counted in between
    begun = lines[inner][1:][np.diff(epoch[lines[inner]]) < 0]
    counted = np.searchsorted(lines[outer], begun)
    if float((np.diff(counted) > 0).mean()) < _FOLLOWS:
        return none
    none[lines[inner]] = True
    return none


def _epoch_and_batch(inner: Floats, total: Floats, epoch: Floats, train: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The lines whose "Batch 3/200" is batch 200 of epoch 3: the second number counts up, and begins anew where the
    first one counts on."""
    both = ~np.isnan(inner) & ~np.isnan(total) & np.isnan(epoch)
    first, second = inner[both & train], total[both & train]
    same = first[1:] == first[:-1]
    up, on = second[1:][same] > second[:-1][same], ~same & (first[1:] == first[:-1] + 1)
    anew = second[1:][on] < second[:-1][on]
    sure = len(up) >= len(anew) > 0 and float(up.mean()) >= _FOLLOWS and bool(anew.all())
    return both if sure and int((same | on).sum()) == len(same) else np.zeros(len(inner), bool)


def _follows(place: Floats, epoch: Floats) -> bool:
    """Whether a counter without a name says what the epoch is on the lines before it."""
    at = np.maximum.accumulate(np.where(np.isnan(epoch), -1, np.arange(len(epoch))))
    known = ~np.isnan(place) & (at >= 0)
    return bool(known.any()) and float((place[known] == epoch[at[known]]).mean()) >= _FOLLOWS


def _in_part(place: Floats) -> bool:
    """Whether a counter without a name counts parts of an epoch ("3.05", "3.10"): no step is a fraction."""
    known = place[~np.isnan(place)]
    return float((known == np.floor(known)).mean()) < 0.5 and bool((known[1:] - known[:-1] <= 1).all())


def numbers(tokens: pl.Series) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(values, totals) of cut-out numbers; the total of "10/500" is 500, NaN for a plain number."""
    text = tokens.str.strip_chars_start(_MARKS)
    plain = text.cast(pl.Float64, strict=False)
    if not plain.null_count():  # as of most logs, which are read without another look
        return plain.to_numpy(), np.full(len(text), np.nan)
    text = text.str.replace_all("[,_]", "")
    split = text.str.contains("/", literal=True)
    if not bool(split.any()):
        return text.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy(), np.full(len(text), np.nan)
    parts = pl.DataFrame([text.alias("t")]).select(pl.col("t").str.split_exact("/", 1).alias("p")).unnest("p")
    both = [
        parts[c].str.strip_chars().cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()
        for c in parts.columns
    ]
    return both[0], both[1]


def ranks_of(lines: pl.DataFrame) -> Floats:
    """The rank that each line names (column rank), 0 where it names none."""
    rank = lines["rank"]
    nulls = rank.null_count()
    if nulls == len(rank):
        return np.zeros(len(rank))
    return (rank.fill_null(0) if nulls else rank).to_numpy().astype(np.float64)


def _table(plans: list[LinePlan]) -> tuple[Any, Any, Any, Any, Any, list[str]]:
    """Dense lookup (template, slot) -> role, index of the name, factor, whether in percent; the last slot of each
    template is "none"."""
    names: dict[str, int] = {}
    base: dict[str, str] = {}
    offsets, roles, name, factor, percent = [0], [], [], [], []
    for plan in plans:
        last = max((s.slot for s in plan.slots), default=-1)
        row: list[tuple[int, int, float, bool]] = [(-1, 0, 1.0, False)] * (last + 2)
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
            row[s.slot] = (s.role, names.setdefault(label, len(names)), scale, s.role == METRIC and s.unit == "%")
        offsets.append(offsets[-1] + len(row))
        roles += [r[0] for r in row]
        name += [r[1] for r in row]
        factor += [r[2] for r in row]
        percent += [r[3] for r in row]
    return (
        np.array(offsets), np.array(roles, np.int8), np.array(name, np.int64), np.array(factor),
        np.array(percent, bool), list(names),
    )  # fmt: skip


def _flags(plans: list[LinePlan]) -> dict[str, NDArray[np.bool_]]:
    return {
        "evaluation": np.array([p.scope not in ("", "train") for p in plans], bool),
        "record": np.array([p.kind in ("record", "loose", "spoken", "member", "pairs") for p in plans], bool),
        "bar": np.array([p.bar for p in plans], bool),
        "averaged": np.array([p.averaged for p in plans], bool),
        "samples": np.array([p.samples for p in plans], bool),
    }
