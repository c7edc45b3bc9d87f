"""Tasks that are learned at once: what bears the name of a task, beside a grade of it on other samples, is its loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from curvedoc.ingest.naming.metric_name import Reading
from curvedoc.ingest.naming.signals import Signals, plain
from curvedoc.ingest.naming.values import curve_shape
from curvedoc.ingest.naming.values.metric_values import MetricValues

#: So many tasks tell that it is no chance.
_FEWEST = 2
_GRADES = frozenset(("accuracy", "metric"))

F = TypeVar("F", bound=MetricValues)


def of_graded_tasks(metrics: Sequence[F], found: list[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings with the losses of tasks ("digit", beside "val digit_acc") as parts of what is trained.

    The grade of one task stands in for no loss of validation then.
    """
    family = table.family("loss")
    if family is None or "train" not in family.parts_as:
        return found
    read = {f.metric for f, _ in found}
    graded = {r.label for _, r in found if r.family in _GRADES and r.split != "train" and r.label}
    losses = [
        f
        for f in metrics
        if f.metric not in read
        and plain(f.metric) in graded
        and len(f.finite) >= curve_shape.FEWEST
        and bool((f.finite >= 0.0).all() and (f.finite != np.floor(f.finite)).any())
    ]
    told = {plain(f.metric) for f in losses}
    if len(told) < _FEWEST:
        return found
    why = "bears the name of a task that is graded on other samples"
    role = family.parts_as["train"]
    parts = [
        (f, Reading(role, "train", plain(f.metric), why, family.bounds, family.name, part=True, trust="likely"))
        for f in losses
    ]
    kept = [(f, replace(r, base=f"{r.label}_{r.base}") if r.label in told else r) for f, r in found]
    return [*kept, *parts]
