"""Rows that several writers appended to one table by turns: parallel workers of one training, and several trainings
that the columns of their settings tell apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from curvedoc.core.block import Block, part
from curvedoc.core.frozen import dataclass
from curvedoc.core.run import Scalar
from curvedoc.core.series import Floats, Ints
from curvedoc.ingest.naming.log_words import is_outcome, is_rate

#: So many falls of a counter are a habit, and fewer rows of each writer none.
_FALLS, _ROWS = 8, 3
#: Workers write nearly every step more than once, and most often go back by less than half of what was reached.
_TWICE, _MOSTLY, _NEAR = 1.5, 0.8, 0.5
#: Settings have no more values than that together, and rows of other ones come by turns, so often for each.
_MOST, _TURNS = 1_000, 3
#: So many of the trainings count from their first row to their last, through the same numbers as others.
_COUNTED, _SHARED = 0.9, 0.5


def of_workers(step: Ints | Floats) -> bool:
    """Whether a counter goes back by little again and again, and nearly each of its steps is there twice or more: each
    worker counts on by itself. What is taken up from checkpoints repeats less, and another training begins anew."""
    fell = np.flatnonzero(step[1:] < step[:-1])
    if len(fell) < _FALLS or len(step) < _TWICE * len(np.unique(step)):
        return False
    to, reached, first = step[fell + 1], np.maximum.accumulate(step)[fell], step[0]
    return float((to - first >= _NEAR * (reached - first)).mean()) >= _MOSTLY


@dataclass(frozen=True, slots=True)
class OneOfSeveral:
    """The rows of one training of a table that several wrote by turns, and the settings that are its own."""

    config: dict[str, Scalar]
    data: tuple[Block, ...]


def by_settings(blocks: Sequence[Block], count: Floats) -> list[OneOfSeveral]:
    """The trainings of a table, by the fewest columns in whose values the counter goes on from row to row where it
    falls again and again in the table as a whole; none where rows of the same values stand together, or the columns of
    the table are not all filled.

    count: the counter of each row
    """
    if int((count[1:] < count[:-1]).sum()) < _FALLS:
        return []
    if any(len(b) != len(count) or b.known is not None for b in blocks):
        return []
    code: dict[str, Ints] = {}
    for b in blocks:
        if is_outcome(b.metric) or np.array_equal(b.value, count):
            continue
        if bool(np.isfinite(b.value).all()):
            values, own = np.unique(b.value, return_inverse=True)
            if 2 <= len(values) <= _MOST and len(values) * _ROWS <= len(count):
                code[b.metric] = own.reshape(-1)
    chosen = dict(code)
    if not chosen or not _told_apart(chosen, count):
        return []
    # a rate tells trainings apart where nothing else does: it changes while one goes on as well
    for name in sorted(code, key=lambda k: (not is_rate(k), -int(code[k].max()))):
        fewer = {k: c for k, c in chosen.items() if k != name}
        if fewer and _told_apart(fewer, count):
            chosen = fewer
    together = _together(chosen)
    value = {b.metric: b.value for b in blocks if b.metric in chosen}
    out = []
    for g in dict.fromkeys(together.tolist()):
        rows = np.flatnonzero(together == g)
        config: dict[str, Scalar] = {k: float(v[rows[0]]) for k, v in value.items()}
        out.append(OneOfSeveral(config, tuple(part(b, b.rank, rows) for b in blocks if b.metric not in chosen)))
    return out


def _together(code: dict[str, Ints]) -> Ints:
    return np.unique(np.stack([*code.values()]), axis=1, return_inverse=True)[1].reshape(-1)


def _told_apart(code: dict[str, Ints], count: Floats) -> bool:
    """Whether the rows of each value come by turns with others, and the counter goes on in nearly each."""
    together = _together(code)
    groups = int(together.max()) + 1
    if groups < 2 or groups > _MOST or int((np.diff(together) != 0).sum()) < _TURNS * groups:
        return False
    order = np.argsort(together, kind="stable")
    same = np.diff(together[order]) == 0
    falls = np.bincount(together[order][1:][same & (np.diff(count[order]) <= 0)], minlength=groups)
    rows = np.bincount(together, minlength=groups)
    often = np.unique(count, return_counts=True)[1]
    return (
        float((falls == 0).mean()) >= _COUNTED
        and float((rows >= _ROWS).mean()) >= _COUNTED
        and float((often > 1).mean()) >= _SHARED
    )
