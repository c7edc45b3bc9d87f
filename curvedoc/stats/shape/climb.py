"""Climb: how evenly the low points of a series rise."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Series

LEAST = 8  # rows
STRETCHES = 16
WARM = 1 / 8  # of the rows: caches and allocators fill up first


def climbing_share(s: Series) -> float | None:
    """Share of up to 16 stretches whose lowest value is above that of the stretch before, the first eighth left out.

    Near 1 for a leak, about one half for a random walk, 0 for a constant. None below eight finite rows.

    >>> climbing_share(Series.of([100.0 + i for i in range(200)]))
    1.0
    """
    y = s.finite().value
    if len(y) < LEAST:
        return None
    y = y[int(len(y) * WARM) :]
    cut = np.linspace(0, len(y), min(STRETCHES, len(y)) + 1).astype(np.int64)[:-1]
    return float(np.mean(np.diff(np.minimum.reduceat(y, cut)) > 0.0))
