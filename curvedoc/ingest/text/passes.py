"""Passes over other data that count their batches as the training does: told by the heading above them, and by a total
of their own ("Eval begin...", then "step 10/88 - loss: 0.5" beside "step 10/614 - loss: 0.4")."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from curvedoc.ingest.text.evaluation_lines import scoped_plan
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.slots import EPOCH, INNER, STEP
from curvedoc.ingest.text.record_scopes import headings

#: Nearly all lines of a total stand under a heading, or nearly none.
_MOST = 0.9


def with_passes(lines: pl.DataFrame, plans: list[LinePlan]) -> tuple[pl.DataFrame, list[LinePlan]]:
    """The lines (columns idx, kind, template, tid, tokens) and the plans, those of passes with plans of their own."""
    counter = [_counter(p) for p in plans]
    could = np.array([c >= 0 for c in counter], bool)[lines["tid"].to_numpy()]
    could &= (lines["kind"] == "record").to_numpy()
    at = np.flatnonzero(could)
    if not len(at) or not (said := headings(lines)):
        return lines, plans
    tid = lines["tid"].to_numpy()[at]
    own = pl.Series([counter[t] for t in tid], dtype=pl.Int64)
    total = lines["tokens"].gather(at).list.get(own, null_on_oob=True).str.extract(r"/ *([0-9]+)").fill_null("")
    if total.n_unique() < 2:
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


def _counter(plan: LinePlan) -> int:
    """The place of the one counter of a line that names no epoch and no split, -1 for none."""
    found: Sequence[int] = [s.slot for s in plan.slots if s.role in (STEP, INNER)]
    epoch = any(s.role == EPOCH for s in plan.slots)
    return found[0] if len(found) == 1 and not epoch and not plan.scope and not plan.bar else -1
