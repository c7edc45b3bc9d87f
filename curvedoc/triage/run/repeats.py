"""Which bundles hold repeats of one configuration, told from their outcomes."""

from __future__ import annotations

from collections.abc import Mapping

from curvedoc.diagnose.many import identity_of
from curvedoc.triage.store.outcome import Outcome


def repeated(outcomes: Mapping[int, Outcome]) -> list[list[int]]:
    """Bundles that hold repeats of one configuration, at least two; one with several runs ties its groups together."""
    first: dict[object, int] = {}
    top = {index: index for index in outcomes}

    def head(index: int) -> int:
        while top[index] != index:
            index = top[index] = top[top[index]]
        return index

    for index, outcome in outcomes.items():
        for run in outcome.runs:
            identity = identity_of(run.config, next((s.metric for s in run.signals if s.role == "loss"), ""))
            if identity:
                top[head(index)] = head(first.setdefault(identity, index))
    members: dict[int, list[int]] = {}
    for index in sorted(outcomes):
        members.setdefault(head(index), []).append(index)
    return [m for m in members.values() if len(m) > 1]
