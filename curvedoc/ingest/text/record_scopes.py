"""What records without a counter of their own speak of: the evaluation or the heading that they stand under, or the
epoch that counted records led up to."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.ingest.naming.log_words import is_outcome, is_usual
from curvedoc.ingest.naming.split_words import SCOPES, has_scope, scope_of
from curvedoc.ingest.naming.word_set import word_set
from curvedoc.ingest.text.cells import LineNumbers
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.prefix import read_prefix
from curvedoc.ingest.text.line.slots import EPOCH, INNER, METRIC, PLACE, STEP
from curvedoc.ingest.text.line.template import CLOCK, FRACTION, NUMBER

#: A heading is short.
_HEADING = 100
_BESIDE = word_set(
    """set sets results result metrics phase start starting on of the evaluate data model performance stats statistics
    summary dataset split loop begin running measures measure scores values report losses loss accuracy"""
)
#: What the mean over an epoch is called beside the records within it.
MEAN = "epoch"

Ints = NDArray[np.int64]


def scoped(lines: pl.DataFrame, events: pl.DataFrame, cells: LineNumbers, plans: list[LinePlan]) -> LineNumbers:
    """The numbers with the names that tell apart what lines of several kinds give by one name.

    lines: columns idx, kind, template; events: idx, tid of the lines that the numbers are of
    """
    tid = events["tid"].to_numpy()
    metric = cells.kind == METRIC
    if not len(tid) or not bool(metric.any()):
        return cells
    within = np.array([not p.averaged and any(s.role in (STEP, INNER, PLACE) for s in p.slots) for p in plans], bool)
    free = np.array([not p.bar and not p.counted and not any(s.role == PLACE for s in p.slots) for p in plans], bool)
    batches = {n for p in plans for n in _of_batches(p)}
    whole = [
        not any(s.role in (STEP, INNER, PLACE) for s in p.slots) or (_at_step(p) and not batches.isdisjoint(_told(p)))
        for p in plans
    ]
    plain = np.array([w and (p.counted or not p.bar) for w, p in zip(whole, plans, strict=True)], bool)
    averaged = np.array([p.averaged and p.bar for p in plans], bool)
    if not bool((plain | averaged)[np.unique(tid)].any()):
        return cells
    above = _above(lines, events["idx"].to_numpy(), tid, plans, free, _again(cells, tid, plans))
    outcome = np.array([is_outcome(n) for n in cells.names], bool)
    open_ = np.array([not has_scope(n) for n in cells.names], bool)
    own = np.array([p.scope != "" or _of_training(p) for p in plans], bool)
    of = tid[cells.line]
    under = above[cells.line]
    moved = metric & free[of] & ~own[of] & (open_ & outcome)[cells.name] & (under != "") & (under != "train")
    evaluated = metric & open_[cells.name] & ~own[of] & _evaluated(cells, tid, plans)[cells.line]
    under[evaluated] = "eval"
    moved |= evaluated
    often = np.bincount(cells.name[metric & within[of]], minlength=len(cells.names))
    seldom = np.bincount(cells.name[metric & plain[of] & ~moved], minlength=len(cells.names))
    told = outcome | np.array([not is_usual(n) for n in cells.names], bool)
    both = told & (often >= 2) & (often >= seldom)
    mean = metric & plain[of] & ~moved & both[cells.name]
    if not bool((moved | mean).any()):
        return cells
    names, name = list(cells.names), cells.name.copy()
    at: dict[str, int] = {}
    for i in np.flatnonzero(moved | mean).tolist():
        label = f"{under[i] if moved[i] else MEAN} {names[cells.name[i]]}"
        if label not in at:
            at[label] = names.index(label) if label in names else len(names)
            if at[label] == len(names):
                names.append(label)
        name[i] = at[label]
    return replace(cells, name=name, names=names)


def _told(plan: LinePlan) -> set[str]:
    """The outcomes of a line, by name."""
    return {s.name for s in plan.slots if s.role == METRIC and is_outcome(s.name)}


def _of_batches(plan: LinePlan) -> set[str]:
    """What a line tells that counts the batches of an epoch and the steps beside them."""
    return _told(plan) if {s.role for s in plan.slots} >= {EPOCH, INNER, STEP} else set()


def _at_step(plan: LinePlan) -> bool:
    """Whether a line says the epoch and the step that it ended at, and no batch: the mean of the epoch where others say
    all three ("epoch 3 | loss 2.1 | num_updates 900" beside "epoch 3: 200 / 300 loss=2.0, num_updates=800")."""
    return {s.role for s in plan.slots} & {EPOCH, INNER, STEP} == {EPOCH, STEP}


def _of_training(plan: LinePlan) -> bool:
    """Whether a name on the line says that it is of the training ("Train Loss: 0.7 | Dice: 0.6")."""
    return any(s.role == METRIC and has_scope(s.name) and scope_of(s.name) == "train" for s in plan.slots)


def _evaluated(cells: LineNumbers, tid: Ints, plans: list[LinePlan]) -> NDArray[np.bool_]:
    """Bars with running averages that go to another total than the first bar of their epoch: `evaluate` after `fit`."""
    averaged = np.array([p.averaged and p.bar for p in plans], bool)[tid]
    total = np.where(averaged, cells.column(INNER, cells.of), np.nan)
    known = np.flatnonzero(~np.isnan(total))
    out = np.zeros(cells.n, bool)
    if not len(known):
        return out
    epoch = np.cumsum(~np.isnan(cells.column(EPOCH, cells.value)))
    group, first = np.unique(epoch[known], return_index=True)
    begun = total[known[first]][np.searchsorted(group, epoch[known])]
    out[known] = (total[known] != begun) & (epoch[known] > 0)
    return out


def _again(cells: LineNumbers, tid: Ints, plans: list[LinePlan]) -> NDArray[np.bool_]:
    """Lines that name the epoch of the line before once more, and no outcome: what stands above them still holds."""
    alone = np.array([not p.scope and not any(is_outcome(s.name) for s in p.slots) for p in plans], bool)[tid]
    epoch = cells.column(EPOCH, cells.value)
    known = np.flatnonzero(~np.isnan(epoch))
    out = np.zeros(cells.n, bool)
    out[known[1:]] = epoch[known[1:]] == epoch[known[:-1]]
    out &= alone
    return out


def _above(
    lines: pl.DataFrame,
    idx: Ints,
    tid: Ints,
    plans: list[LinePlan],
    free: NDArray[np.bool_],
    again: NDArray[np.bool_],
) -> NDArray[np.object_]:
    """For each event of the plans that are free, what the heading above it says, or the evaluation that was counted
    last; "" for the training, and for all others. again: lines that count nothing new"""
    out = np.full(len(tid), "", dtype=object)
    mine = np.flatnonzero(free[tid])
    if not len(mine):
        return out
    said_at = headings(lines)
    place = np.array([i for i, _ in said_at], dtype=np.int64)
    said = np.array([scope for _, scope in said_at] + [""], dtype=object)
    scope = np.array(["" if p.scope == "other" else p.scope for p in plans], dtype=object)
    counted = np.array([p.counted or p.bar for p in plans], bool)[tid] & ~again
    counted &= ~_within_evaluation(tid, plans)
    at = np.maximum.accumulate(np.where(counted, np.arange(len(tid)), -1))[mine]
    head = np.searchsorted(place, idx[mine]) - 1
    counts = np.where(at >= 0, scope[tid[np.maximum(at, 0)]], "")
    if not len(place):
        out[mine] = counts
        return out
    later = (head >= 0) & ((at < 0) | (place[np.maximum(head, 0)] > idx[np.maximum(at, 0)]))
    out[mine] = np.where(later, said[head], counts)
    return out


def _within_evaluation(tid: Ints, plans: list[LinePlan]) -> NDArray[np.bool_]:
    """Lines that count nothing but the batches of the evaluation whose epoch was named last."""
    roles = [{s.role for s in p.slots} for p in plans]
    batch = np.array([r == {INNER} and not p.scope for r, p in zip(roles, plans, strict=True)], bool)[tid]
    named = np.array([EPOCH in r for r in roles], bool)[tid]
    scope = np.array([p.scope not in ("", "train", "other") for p in plans], bool)[tid]
    last = np.maximum.accumulate(np.where(named, np.arange(len(tid)), -1))
    out: NDArray[np.bool_] = batch & (last >= 0) & scope[np.maximum(last, 0)]
    return out


def headings(lines: pl.DataFrame) -> list[tuple[int, str]]:
    """(place, scope) of the lines that say nothing but a split."""
    short = pl.col("template").str.len_chars().is_between(3, _HEADING)
    bare = ~pl.col("template").str.contains_any([NUMBER, FRACTION]) & (pl.col("kind") == "")
    named = pl.col("template").str.to_lowercase().str.contains_any(list(SCOPES))
    said = lines.filter(short & bare & named)
    known = {t: _heading(t) for t in said["template"].unique().to_list()}
    return [(i, known[t]) for i, t in zip(said["idx"].to_list(), said["template"].to_list(), strict=True) if known[t]]


def _heading(template: str) -> str:
    body = template[read_prefix(template).end :].replace(CLOCK, " ")
    said = [w.lower() for w in re.findall(r"[^\W\d_]+", body)]
    if not said or len(said) > 5 or not all(w in SCOPES or w in _BESIDE for w in said):
        return ""
    scopes = [SCOPES[w] for w in said if w in SCOPES]
    return next((s for s in scopes if s != "eval"), scopes[0] if scopes else "")  # "evaluating on the dev set"
