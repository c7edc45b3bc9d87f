"""Running means that no word but "avg" names: of the metric whose mean over its last values they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from curvedoc.core.series import Floats
from curvedoc.ingest.naming.metric_name import Reading, split_and_rest
from curvedoc.ingest.naming.signals import Signals, plain
from curvedoc.ingest.naming.values.metric_values import MetricValues

#: Of how many values such means are, besides that of all so far; fewer values show no mean.
_WINDOWS, _FEWEST = (5, 10, 20, 25, 30, 50, 100), 12
#: A printed mean is rounded; most of them fit where the log begins elsewhere.
_ROUNDED, _MOST = 0.01, 0.9
_GRADED = frozenset(("reward", "loss", "accuracy", "metric"))

F = TypeVar("F", bound=MetricValues)


def running_means(free: Sequence[F], found: Sequence[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings of metrics that are called a mean and nothing else, as averages of what they are the mean of."""
    means = [f for f in free if _is_called_mean(f.metric, table) and len(f.finite) >= _FEWEST]
    graded = [(f, r) for f, r in found if r.family in _GRADED] if means else []
    out: list[tuple[F, Reading]] = []
    for f in means:
        of = [(g, r) for g, r in graded if is_running_mean(f.finite, g.finite)]
        if len(of) == 1:
            g, r = of[0]
            label = r.label or plain(f.metric)
            why = f"the running mean of {g.metric}"
            out.append((f, replace(r, label=label, why=why, average=r.average + 1, trust="likely")))
    return out


def is_running_mean(mean: Floats, of: Floats) -> bool:
    """Whether values are the means of other ones, of all so far or of the last so many."""
    if len(mean) != len(of) or len(of) < _FEWEST or float(np.ptp(of)) == 0.0:
        return False
    total = np.concatenate([[0.0], np.cumsum(of)])
    count = np.arange(1, len(of) + 1)
    near = _ROUNDED * float(np.std(of))
    for window in (len(of), *(w for w in _WINDOWS if w < len(of))):
        first = np.maximum(count - window, 0)
        if float((np.abs((total[count] - total[first]) / (count - first) - mean) <= near).mean()) >= _MOST:
            return True
    return False


def _is_called_mean(name: str, table: Signals) -> bool:
    words = plain(name).split("_")
    return not table.average.isdisjoint(words) and not split_and_rest(name, table)[1]
