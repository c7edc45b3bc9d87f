"""A learning rate that climbs in the middle of a run, step by step: a ramp, which is no warm-up and no leap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from curvedoc.core.series import Series
from curvedoc.stats.basic.medians import top_of
from curvedoc.stats.schedule.phases import SAME, rates_of

#: Rises in a row that make a ramp: fewer are a leap.
FEWEST = 3
#: Times the rate that it began with: less is no news.
TIMES = 2.0
#: Of more climbs than this none is a ramp: such a rate goes in cycles.
MOST = 2


class Ramp(NamedTuple):
    """From which step to which the rate rose, and to how many times where it began."""

    first: float
    last: float
    times: float


def ramp(lr: Series) -> Ramp | None:
    """The steepest climb after the rate had stood still or had fallen; None without one.

    >>> ramp(Series.of([1.0, 1.0, 1.0, 2.0, 3.0, 4.0]))
    Ramp(first=2.0, last=5.0, times=4.0)
    >>> ramp(Series.of([0.0, 1.0, 2.0, 3.0, 2.0, 1.0])), ramp(Series.of([1.0, 1.0, 1.0, 9.0, 9.0]))
    (None, None)
    """
    c = rates_of(lr)
    if c is None or len(c) < FEWEST + 2:
        return None
    rises = np.diff(c.y) > SAME * top_of(c.y)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], rises, [False]]).astype(np.int8)))
    found = []
    for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if a > 0 and b - a >= FEWEST and c.y[a] > 0.0 and c.y[b] >= TIMES * c.y[a]:
            found.append(Ramp(float(c.x[a]), float(c.x[b]), float(c.y[b]) / float(c.y[a])))
    return max(found, key=lambda r: r.times) if 0 < len(found) <= MOST else None
