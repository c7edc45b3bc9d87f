"""What is told of each generation of a population: its best, its mean and the spread of its fitness."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

import numpy as np

from curvedoc.core.series import Floats
from curvedoc.ingest.naming.metric_name import Reading
from curvedoc.ingest.naming.signals import Signals, plain
from curvedoc.ingest.naming.values.metric_values import MetricValues
from curvedoc.ingest.naming.word_set import word_set

#: The words, and those of what a population is asked for, that may stand beside them.
_BEST, _MEAN, _SPREAD = word_set("best"), word_set("mean avg average"), word_set("std sd stdev stddev")
_LEAST, _MOST = word_set("min minimum"), word_set("max maximum")
_ASKED = word_set("fitness fit cost obj objective value pop population score f")
#: Beside anything else, a least and a most are its.
_COUNTS = word_set("epoch step_time throughput samples lr")
_STATISTICS = (("best", _BEST), ("mean", _MEAN), ("spread", _SPREAD), ("least", _LEAST), ("most", _MOST))
#: Outcomes beside which these are statistics of something else.
_OTHERS = word_set("loss reward val_loss val_reward game_loss")
_WHY = "the mean over a population, beside its best"

F = TypeVar("F", bound=MetricValues)


def of_a_population(metrics: Sequence[F], found: list[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings with the mean of a population as its loss, where the best is never above it, or as its reward.

    Between its least and its most, of which none is called the best, it is a reward where it rises.

    The spread of its fitness is no spread of representations.
    """
    if any(r.role in _OTHERS for _, r in found):
        return found
    said = {word: f for f in metrics for word in [_statistic(f.metric)] if word}
    best, mean = said.get("best"), said.get("mean")
    if best is None and mean is not None and not any(r.role not in _COUNTS for _, r in found):
        best = said.get("most" if rises_by_half(mean.finite) else "least") if {"most", "least"} <= said.keys() else None
    if best is None or mean is None or not {"spread", "least"} & said.keys() or len(best.finite) != len(mean.finite):
        return found
    least, most = bool(np.all(best.finite <= mean.finite)), bool(np.all(best.finite >= mean.finite))
    family = table.family("loss" if least else "reward")
    if least == most or family is None:
        return found
    kept = [(f, r) for f, r in found if f is not mean and f is not best and f is not said.get("spread")]
    reading = Reading(family.roles["train"], "train", "", _WHY, family.bounds, family.name, trust="likely")
    return [*kept, (mean, reading)]


def rises_by_half(value: Floats) -> bool:
    """Whether the second half of the values lies above the first."""
    half = len(value) // 2
    return bool(half) and float(np.median(value[-half:])) > float(np.median(value[:half]))


@lru_cache(maxsize=1024)
def _statistic(name: str) -> str:
    """Which of the three a name tells, "" for none."""
    words = set(plain(name).split("_")) - _ASKED
    if len(words) != 1:
        return ""
    (word,) = words
    return next((k for k, of in _STATISTICS if word in of), "")
