"""What the others of a group do: the rank, layer or repeat in hand is held against the middle of its company."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from curvedoc.core.run import Run
from curvedoc.core.series import Series

#: so many others say what is usual; of more, these are drawn evenly, so that a thousand ranks are not each held
#: against a thousand
MOST_OTHERS = 64
Member = TypeVar("Member")


def some(members: Sequence[Member]) -> Sequence[Member]:
    """All members; of more than MOST_OTHERS, so many or fewer, drawn evenly.

    >>> len(some(range(1000)))
    63
    """
    return members[:: -(-len(members) // MOST_OTHERS) or 1]


def usual(others: Sequence[Series], on: Series) -> Series | None:
    """The element-wise median of series on the steps of `on` that all of them logged; None where there are none.

    A value that is not finite counts for nothing; a step where none is finite is NaN.
    """
    step = on.step
    for other in others:
        if not np.array_equal(step, other.step):
            step = np.intersect1d(step, other.step, assume_unique=True)
    if not len(step) or not others:
        return None
    rows = np.stack([other.value[np.searchsorted(other.step, step)] for other in others])
    finite = np.isfinite(rows).any(axis=0)
    value = np.full(len(step), np.nan)
    if finite.any():
        # halved, so that the mean of two middle values cannot overflow
        known = np.where(np.isfinite(rows[:, finite]), 0.5 * rows[:, finite], np.nan)
        value[finite] = 2.0 * np.nanmedian(known, axis=0)
    return Series(step, value, others[0].metric)


class Ranks:
    """The ranks of a run, each with its curve of a role."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.labels = run.ranks()
        self._company: dict[str, Sequence[tuple[int, Series]]] = {}

    def series(self, role: str, rank: int) -> Series | None:
        """The curve of a role that one rank logged."""
        for match in self.run.matches(role):
            found = self.run.metric(match.metric, rank)
            if found is not None:
                return found
        return None

    def others(self, role: str, rank: int) -> Series | None:
        """The middle of what the other ranks logged; of many ranks, of some drawn evenly."""
        if role not in self._company:
            known = ((r, self.series(role, r)) for r in self.labels)
            logged = [(r, s) for r, s in known if s is not None]
            self._company[role] = some(logged)
        rest = [s for r, s in self._company[role] if r != rank]
        # a rank that stopped logging is judged against what the others went on to log
        return usual(rest, max(rest, key=len)) if rest else None
