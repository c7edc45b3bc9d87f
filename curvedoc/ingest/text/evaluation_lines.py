"""Evaluations printed under the names of the training: told by what else they hold and how seldom they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome, is_rate
from curvedoc.ingest.naming.split_words import has_scope, scope_of
from curvedoc.ingest.text.cells import LineNumbers
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.slots import COUNTERS, EPOCH, INNER, METRIC, STEP, NumberSlot
from curvedoc.ingest.text.line.template import FRACTION
from curvedoc.ingest.text.record_scopes import MEAN, headings

#: An evaluation is printed at most once in so many records of the training.
SELDOM = 5
#: Nearly all lines of a total stand under a heading, or nearly none.
_MOST = 0.9
#: Bars of several lengths that come by turns, so often each, are of training and of these.
TURNS, PASSES = 3, ("val", "test")
#: Lines of one shape that make a curve.
OFTEN = 2
Ints = NDArray[np.int64]
_LOSS = late_regex(r"(?i)loss|\bnll\b|cross.?entropy")


def with_evaluations(plans: list[LinePlan], tid: Sequence[int], kind: Sequence[str]) -> list[LinePlan]:
    """The plans, with those of unnamed evaluations scoped as validation.

    "Loss: 0.985, MeanIU: 0.4960" without a counter, once in hundreds of "Epoch 3 iter 20 Loss: 1.4" that never tell a
    MeanIU, is no point of the training loss; neither is "[Batch 40/131] loss=0.56", which counts the batches of an
    evaluation, beside "[Epoch 1 Batch 80/274] loss=0.48, lr=1e-5"; and the loss of "test acc: 76 %, loss: 0.7" is the
    test's where another line says "train acc: 78 %, loss: 0.6".

    Where the training loss has a line of its own that says so ("Train loss: 0.61") and no line names other data, a line
    of another loss and its grades ("AUC: 0.69 - logloss: 0.57") that comes about as often is the evaluation.

    tid, kind: of each line, its plan and what it is taken for
    """
    taken = np.isin(np.asarray(kind, dtype=str), ("record", "loose"))
    found = np.bincount(np.asarray(tid, dtype=np.int64)[taken], minlength=len(plans))
    uses = {int(t): int(found[t]) for t in np.flatnonzero(found)}
    training: Counter[str] = Counter()
    for t, count in uses.items():
        if plans[t].counted:
            training.update({s.name: count for s in plans[t].slots if s.role == METRIC})
    out = list(plans)
    paced = [_names(plans[t]) for t in uses if _roles(plans[t]) >= {EPOCH, INNER}]
    for t in uses:
        if _roles(plans[t]) & set(COUNTERS) == {INNER} and _is_pass(plans[t], paced):
            out[t] = scoped_plan(plans[t])
    for t, count in uses.items():
        if count >= OFTEN and not plans[t].counted and _evaluates(plans[t], training, count):
            out[t] = scoped_plan(plans[t])
    for t in _unseen(out, uses):
        out[t] = scoped_plan(out[t])
    told = {n for t in uses if _scopes(out[t]) == {"train"} for n in _open(out[t])}
    for t in uses:
        scopes = _scopes(out[t]) - {"train"}
        if len(scopes) == 1 == len(_scopes(out[t])) and told.intersection(_open(out[t])):
            out[t] = scoped_plan(out[t], next(iter(scopes)))
    return out


def _unseen(plans: Sequence[LinePlan], uses: Mapping[int, int]) -> list[int]:
    """The plans of lines without a counter and a split that tell a loss and a grade of it, beside those of lines that
    tell the loss of training by its name; none where a name says other data."""
    scopes = [_scopes(plans[t]) for t in uses]
    trained = max((n for t, n in uses.items() if any(map(_of_train, _outcomes(plans[t])))), default=0)
    if trained < OFTEN or any(s - {"train"} for s in scopes):
        return []
    own = {t: _open(plans[t]) for t, n in uses.items() if OFTEN <= n <= 2 * trained and not plans[t].counted}
    return [t for t, names in own.items() if len(names) > 1 and not plans[t].scope and any(map(_LOSS.search, names))]


def _of_train(name: str) -> bool:
    return has_scope(name) and scope_of(name.replace("_", " ")) == "train" and _LOSS.search(name) is not None


def _outcomes(plan: LinePlan) -> list[str]:
    return [s.name for s in plan.slots if s.role == METRIC and is_outcome(s.name)]


def _scopes(plan: LinePlan) -> set[str]:
    """The splits that the names of a line say."""
    return {scope_of(s.name) for s in plan.slots if s.role == METRIC and has_scope(s.name)}


def _open(plan: LinePlan) -> list[str]:
    """The outcomes of a line that say no split."""
    return [s.name for s in plan.slots if s.role == METRIC and is_outcome(s.name) and not has_scope(s.name)]


def _roles(plan: LinePlan) -> set[int]:
    return {s.role for s in plan.slots}


def _names(plan: LinePlan) -> set[str]:
    return {s.name for s in plan.slots if s.role == METRIC}


def _is_pass(plan: LinePlan, paced: Sequence[set[str]]) -> bool:
    """Whether a line that counts batches of no epoch tells what lines of an epoch's batches tell, without the rate."""
    own = _names(plan)
    if plan.scope or not any(is_outcome(n) for n in own):
        return False
    return any(own < names and any(is_rate(n) for n in names - own) for names in paced)


def _evaluates(plan: LinePlan, training: Counter[str], count: int) -> bool:
    names = [s.name for s in plan.slots if s.role == METRIC]
    if plan.scope or any(has_scope(n) for n in names):
        return False
    shared = [n for n in names if is_outcome(n) and n in training]
    own = [n for n in names if is_outcome(n) and n not in training]
    return bool(shared and own) and all(count * SELDOM <= training[n] for n in shared)


def scoped_plan(plan: LinePlan, scope: str = "val") -> LinePlan:
    """The plan, with what it tells as of a split."""
    mine = set(_open(plan))
    slots = [
        NumberSlot(s.role, s.slot, f"{scope} {s.name}", s.unit) if s.role == METRIC and s.name in mine else s
        for s in plan.slots
    ]
    return replace(plan, slots=tuple(slots), scope=scope)


def with_passes(lines: pl.DataFrame, plans: list[LinePlan]) -> tuple[pl.DataFrame, list[LinePlan]]:
    """The lines (columns idx, kind, template, tid, tokens) and the plans, where passes over other data that count their
    batches as the training does have plans of their own: told by the heading above them, and by a total that no other
    lines have ("Eval begin...", then "step 10/88 - loss: 0.5" beside "step 10/614 - loss: 0.4")."""
    counter = [_own_counter(p) for p in plans]
    could = np.array([c >= 0 for c in counter], bool)[lines["tid"].to_numpy()]
    could &= (lines["kind"] == "record").to_numpy()
    at = np.flatnonzero(could)
    if not len(at):
        return lines, plans
    tid = lines["tid"].to_numpy()[at]
    one_each = lines["template"][at[np.unique(tid, return_index=True)[1]]]
    if not any(FRACTION in t for t in one_each):
        return lines, plans
    own = pl.Series([counter[t] for t in tid], dtype=pl.Int64)
    total = lines["tokens"].gather(at).list.get(own, null_on_oob=True).str.extract(r"/ *([0-9]+)").fill_null("")
    if total.n_unique() < 2 or not (said := headings(lines)):
        return lines, plans
    idx = lines["idx"].to_numpy()
    named = np.array([any(s.role == EPOCH for s in p.slots) for p in plans], bool)[lines["tid"].to_numpy()]
    begun = np.r_[-1, idx[named & (lines["kind"] != "").to_numpy()]]
    place = np.array([i for i, _ in said], dtype=np.int64)
    head = np.searchsorted(place, idx[at]) - 1
    under = (head >= 0) & (place[np.maximum(head, 0)] > begun[np.searchsorted(begun, idx[at]) - 1])
    scope = np.array([s for _, s in said], dtype=object)[np.maximum(head, 0)]
    under &= scope != "train"
    share = pl.DataFrame({"total": total, "under": under}).group_by("total").agg(pl.col("under").mean())
    passes = share.filter(pl.col("under") >= _MOST)["total"].to_list()
    if not passes or not bool((share["under"] <= 1 - _MOST).any()):
        return lines, plans
    mine = under & total.is_in(passes).to_numpy()
    out, moved, more = lines["tid"].to_numpy().copy(), {}, list(plans)
    for row in np.flatnonzero(mine).tolist():
        key = (int(tid[row]), str(scope[row]))
        if key not in moved:
            moved[key] = len(more)
            more.append(scoped_plan(plans[key[0]], key[1]))
        out[at[row]] = moved[key]
    return lines.with_columns(pl.Series("tid", out)), more


def _own_counter(plan: LinePlan) -> int:
    """The place of the one counter of a line that names no epoch and no split, -1 for none."""
    found: Sequence[int] = [s.slot for s in plan.slots if s.role in (STEP, INNER)]
    epoch = any(s.role == EPOCH for s in plan.slots)
    return found[0] if len(found) == 1 and not epoch and not plan.scope and not plan.bar else -1


def with_second_bars(lines: pl.DataFrame, plans: list[LinePlan]) -> tuple[pl.DataFrame, list[LinePlan]]:
    """The lines and the plans, with bars of two or three lengths that come by turns taken apart: what has fewer batches
    than the first and comes behind it, or says no epoch where the first does, is the pass over other data that no word
    tells ("30/30 [.., loss=0.2]", then "8/8 [.., loss=0.3]", epoch by epoch)."""
    bare = [p.bar and not p.scope and _bar_counter(p) >= 0 and bool(_open(p)) for p in plans]
    if not any(bare):
        return lines, plans
    tid = lines["tid"].to_numpy()
    at = np.flatnonzero(np.array(bare, bool)[tid] & (lines["kind"] != "").to_numpy())
    own = pl.Series([_bar_counter(plans[t]) for t in tid[at]], dtype=pl.Int64)
    said = lines["tokens"].gather(at).list.get(own, null_on_oob=True).str.extract(r"/ *([0-9]{1,9})")
    total = said.cast(pl.Int64).fill_null(-1).to_numpy()
    turn = total[np.flatnonzero(np.diff(total, prepend=-2))]  # each bar once, however often it was drawn
    lengths, often = np.unique(turn, return_counts=True)
    turn = turn[np.isin(turn, lengths[often >= TURNS])]  # a download is over soon
    turn = turn[np.flatnonzero(np.diff(turn, prepend=-2))]
    order = list(dict.fromkeys(turn[: len(PASSES) + 2].tolist()))
    wheel = np.resize(order, len(turn))
    if not 2 <= len(order) <= len(PASSES) + 1 or len(turn) < TURNS * len(order) or bool((turn != wheel).any()):
        return lines, plans
    kinds = [np.unique(tid[at[total == n]]).tolist() for n in order]
    names = [set().union(*(_open(plans[t]) for t in mine)) for mine in kinds]
    epochs = [any(s.role == EPOCH for t in mine for s in plans[t].slots) for mine in kinds]
    out, more = tid.copy(), list(plans)
    for n, mine, told, counted, split in zip(order[1:], kinds[1:], names[1:], epochs[1:], PASSES, strict=False):
        fewer = 0 < n < order[0] or (epochs[0] and not counted)
        if fewer and (told == names[0] or not any(map(_LOSS.search, told))):
            for t in mine:
                out[at[(total == n) & (tid[at] == t)]] = len(more)
                more.append(scoped_plan(plans[t], split))
    return lines.with_columns(pl.Series("tid", out)), more


def _bar_counter(plan: LinePlan) -> int:
    """The place of the counter of a bar, -1 for none."""
    found = [s.slot for s in plan.slots if s.role in (STEP, INNER)]
    if len(found) != 1:
        found = [s.slot for s in plan.slots if s.role in COUNTERS]
    return found[0] if len(found) == 1 else -1


def settled(cells: LineNumbers, tid: Ints, plans: Sequence[LinePlan]) -> LineNumbers:
    """The numbers, of each evaluation that is told batch by batch what the line behind it says of the whole ("Test:
    [50/79] Acc 0.92", " * Acc 0.91"), and else the last of its running means."""
    passes = [p.scope not in ("", "train", "other") and any(s.role == INNER for s in p.slots) for p in plans]
    batch = np.array(passes, bool)[tid]
    if not bool(batch.any()):
        return cells
    running = np.array([p.running for p in plans], bool)[tid][cells.line]
    metric = cells.kind == METRIC
    mine = metric & batch[cells.line]
    at = np.flatnonzero(batch)
    inner = cells.column(INNER, cells.value)[at]
    begins = np.r_[True, ~(inner[1:] > inner[:-1])]
    last = np.zeros(cells.n, bool)
    last[at[np.r_[begins[1:], True]]] = True
    name = cells.name.copy()
    for i in np.unique(name[mine]).tolist():
        whole = metric & ~batch[cells.line] & ((name == i) | (name == _index(cells.names, f"{MEAN} {cells.names[i]}")))
        if 2 * int(whole.sum()) > int(begins.sum()):
            name[whole] = i
            metric &= ~mine | (name != i)
    kept = (cells.kind != METRIC) | (metric & ~(mine & running & ~last[cells.line]))
    return LineNumbers(
        cells.line[kept], cells.kind[kept], cells.value[kept], cells.of[kept], name[kept], cells.factor[kept],
        cells.names, cells.n,
    )  # fmt: skip


def _index(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else -1
