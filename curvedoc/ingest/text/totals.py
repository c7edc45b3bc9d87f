"""How long a training is meant to go, by the totals that its lines print: `Epoch 3/100`, `step 20 / 5000`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Scalar
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.slots import EPOCH, INNER, STEP

#: Lines at the end that are looked at: what is printed last is the plan that held last.
_LAST = 400
#: A total that is printed once may be anything.
_LEAST = 2
_FRACTION = late_regex(r"([0-9][0-9,]*)(?:\.[0-9]+)? */ *([0-9][0-9,]*)\s*$")
#: A part of an epoch.
_PART = late_regex(r"\.0*[1-9][0-9]*\s*$")
_KINDS = ("record", "loose", "anchor", "bar")


def printed_totals(lines: pl.DataFrame, plans: list[LinePlan]) -> dict[str, Scalar]:
    """The planned epochs and steps as configuration, from the lines (columns kind, tid, tokens) of a log.

    A position inside the epoch says how long an epoch is; of the whole it tells only where no line names an epoch.
    Where parts of an epoch are named ("'epoch': 0.34"), a position is of the whole or of an evaluation.
    """
    kind = lines["kind"]
    last = np.flatnonzero(np.logical_or.reduce([(kind == k).to_numpy() for k in _KINDS]))[-_LAST:]
    wanted = [[s for s in p.slots if s.role in (EPOCH, STEP, INNER)] for p in plans]
    found: dict[int, list[tuple[int, int]]] = {EPOCH: [], STEP: [], INNER: []}
    counted = 0  # lines that name an epoch: one alone is a setting
    averaged = counted_in_samples = parts = False
    for tid, tokens in zip(lines["tid"][last].to_list(), lines["tokens"][last].to_list(), strict=True):
        if plans[tid].slots:
            counted_in_samples |= plans[tid].samples
            averaged |= plans[tid].averaged
        for slot in wanted[tid]:
            counted += slot.role == EPOCH
            if tokens is None or slot.slot >= len(tokens):
                continue
            parts |= slot.role == EPOCH and bool(_PART.search(tokens[slot.slot]))
            match = _FRACTION.search(tokens[slot.slot]) if "/" in tokens[slot.slot] else None
            if match:
                found[slot.role].append((int(match[1].replace(",", "")), int(match[2].replace(",", ""))))
    out: dict[str, Scalar] = {}
    epochs = counted >= _LEAST
    total = _total(found[EPOCH], within=len(set(found[INNER])) > 1)
    if total is not None:
        out["printed.epochs"] = total
    steps = _total(found[STEP]) if found[STEP] or epochs else _total(found[INNER])
    if steps is not None and not epochs:
        out["printed.max_steps"] = steps
    within = {of for _, of in found[INNER]}
    if steps is not None and not epochs and _went_through(found[STEP] or found[INNER]):
        return out
    if (epochs or averaged) and not (counted_in_samples or parts) and len(found[INNER]) >= _LEAST and len(within) == 1:
        out["printed.steps_per_epoch"] = within.pop()
    return out


def _went_through(positions: list[tuple[int, int]]) -> bool:
    """Whether the positions went once from their start to their total, or to the last one before it: what is counted
    so is the whole, since few trainings stop where their first epoch ends."""
    at = [n for n, _ in positions]
    widest = max((b - a for a, b in pairwise(at)), default=0)
    return min((b - a for a, b in pairwise(at)), default=0) >= 0 and positions[-1][1] - at[-1] <= widest


def _total(positions: list[tuple[int, int]], within: bool = False) -> int | None:
    """The one total of all positions, where the positions move toward it; None where there are several.

    within: what is counted inside one position moves, so that one alone may be all that was seen
    """
    totals = {of for _, of in positions}
    if len(positions) < _LEAST or len(totals) != 1:
        return None
    [total] = totals
    at = [n for n, _ in positions]
    # one position again and again is no progress, and one beyond its total none toward it
    return total if (within or len(set(at)) > 1) and max(at) <= total and at[-1] == max(at) and total > 1 else None
