"""An accuracy whose name says no split, in a log that tells the loss of training and of other data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from curvedoc.ingest.naming.comparable_name import plain
from curvedoc.ingest.naming.languages import in_english
from curvedoc.ingest.naming.metric_name import Reading
from curvedoc.ingest.naming.signals import Signals
from curvedoc.ingest.naming.values.metric_values import MetricValues

F = TypeVar("F", bound=MetricValues)
_UNSEEN = ("val", "test")


def graded_by_evaluation(
    found: list[tuple[F, Reading]], metrics: Sequence[F], table: Signals
) -> list[tuple[F, Reading]]:
    """The readings, with the one accuracy that says no split as that of the data that the loss right before it is of
    ("train loss 0.5, val loss 0.6, accuracy 81%"): told as often, and behind it. A training that is graded itself says
    so before it tells of other data, or says both."""
    graded = [(f, r) for f, r in found if r.family == "accuracy"]
    if len(graded) != 1:
        return found
    [(acc, reading)] = graded
    told = set(in_english(plain(acc.metric)).split("_"))
    if reading.role != "accuracy" or not told.isdisjoint(table.splits):
        return found
    losses = {r.split: f for f, r in found if r.role in ("loss", "val_loss", "test_loss")}
    split = next((s for s in _UNSEEN if s in losses), None)
    order = [f.metric for f in metrics]
    if split is None or "train" not in losses or acc.points != losses[split].points:
        return found
    if order.index(acc.metric) < order.index(losses[split].metric):
        return found
    role = f"{split}_accuracy"
    return [(f, replace(r, role=role, split=split, trust="likely") if r is reading else r) for f, r in found]
