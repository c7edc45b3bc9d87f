"""Held values: an evaluation that is written again with every training row until the next one replaces it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from curvedoc.core.block import Bools
from curvedoc.core.frozen import dataclass
from curvedoc.core.run import Note, RoleMatch
from curvedoc.core.series import Ints
from curvedoc.ingest.assemble.stream_curves import StreamBlock

#: Fewer rows or stretches of one value are chance.
_ROWS, _STRETCHES = 20, 4
#: Rows that an evaluation is held, at least: of two equal neighbors one may be a coincidence.
_HELD = 3
#: Share of the stretches that last one interval between evaluations or a multiple of it, and how exactly.
_REGULAR, _NEAR = 0.8, 0.25
#: Share of the rows at which the training loss moves while the evaluation stands.
_MOVES = 0.9


@dataclass(frozen=True, slots=True)
class _Rhythm:
    """The rows at which evaluations were new, of metrics with these steps."""

    step: Ints
    new: Bools


def without_repeats(strands: Sequence[StreamBlock], roles: Sequence[RoleMatch]) -> tuple[list[StreamBlock], list[Note]]:
    """The strands with each evaluation once, at the first row that tells it, and a note that says so.

    A validation loss is held where its stretches of one exact value are of one length (or whole multiples) while the
    training loss moves from row to row; the other evaluations of the same rows are thinned alike. Evaluations that
    are logged when they are made stay as they are, equal ones too.
    """
    role = {m.metric: m.role for m in reversed(roles)}
    train = [s for s in strands if role.get(s.metric) == "loss"]
    found: list[_Rhythm] = []
    for s in strands:
        if role.get(s.metric) == "val_loss" and any(_moves_beside(t, s) for t in train):
            new = _new_rows(s)
            if new is not None:
                found.append(_Rhythm(s.step, new))
    if not found:
        return list(strands), []
    out, names = [], []
    for s in strands:
        rhythm = next((r for r in found if len(r.step) == len(s) and bool((r.step == s.step).all())), None)
        if rhythm is not None and role.get(s.metric, "").startswith(("val_", "test_")):
            names.append(s.metric)
            s = s.keep(rhythm.new)
        out.append(s)
    text = (
        f"each evaluation was written again with every row until the next one and is kept once: {', '.join(names[:5])}"
    )
    return out, [Note("values-held", text, count=len(names))]


def _moves_beside(train: StreamBlock, val: StreamBlock) -> bool:
    """Whether the training loss has a value of its own at nearly every row of the evaluation."""
    if train.rank != val.rank or len(train) < _MOVES * len(val) or len(train) < 2:
        return False
    return float((train.value[1:] != train.value[:-1]).mean()) >= _MOVES


def _new_rows(s: StreamBlock) -> Bools | None:
    """The rows that begin a new evaluation, None where values are not held."""
    n = len(s)
    if n < _ROWS:
        return None
    same = (s.value[1:] == s.value[:-1]) | (np.isnan(s.value[1:]) & np.isnan(s.value[:-1]))
    if 3 * int(np.count_nonzero(same)) < n - 3:  # then more than half of the stretches are one row long
        return None
    begins = np.flatnonzero(np.concatenate(([True], ~same)))
    # the first stretch begins with the log and the last one ends with it, wherever the interval stands
    inner = np.diff(begins)[1:]
    if len(begins) < _STRETCHES or not len(inner) or float(np.median(inner)) < _HELD:
        return None
    interval = float(np.median(inner))
    times = np.maximum(np.rint(inner / interval), 1.0)
    if float((np.abs(inner - times * interval) <= _NEAR * interval).mean()) < _REGULAR:
        return None
    new = np.zeros(n, dtype=np.bool_)
    for start, end in zip(begins.tolist(), [*begins[1:].tolist(), n], strict=True):
        # an evaluation that gave the same value again is one of its own
        new[np.rint(np.arange(start, max(start + 1, end - interval / 2), interval)).astype(np.int64)] = True
    return new
