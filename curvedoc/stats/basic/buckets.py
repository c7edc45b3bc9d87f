"""Buckets: a long curve as some 120 means that keep both the steep head and the long tail."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from curvedoc.core.series import Floats, Ints
from curvedoc.stats.basic.spacing import distinct

BUCKETS = 120


@lru_cache(maxsize=256)
def mix_edges(n: int, buckets: int = BUCKETS) -> Ints:
    """Row edges of at most `buckets` buckets over n rows, half of them spent on the logarithm of the row.

    int64, first 0, last n, strictly increasing, read-only; fewer buckets where rows run out.

    >>> mix_edges(12, 4).tolist()
    [0, 2, 4, 8, 12]
    """
    if n < 1:
        return np.zeros(1, dtype=np.int64)
    # 4,000 knots of the density are enough to place 120 edges at any n.
    if n <= 4000:
        knots = np.arange(n + 1, dtype=np.float64)
    else:
        knots = distinct(np.concatenate([np.arange(0.0, 1000.0), np.geomspace(1000.0, n, 3000)]))
    density = 0.5 * np.log1p(knots) / np.log1p(n) + 0.5 * knots / n
    edges = np.interp(np.linspace(0.0, 1.0, buckets + 1), density, knots)
    edges[-1] = n
    cut = distinct(np.round(edges).astype(np.int64))
    cut.setflags(write=False)
    return cut


def bucket_means(y: Floats, edges: Ints) -> Floats:
    """Mean of y in every bucket, [len(edges) - 1]; y finite."""
    return np.asarray(np.add.reduceat(y, edges[:-1]) / (edges[1:] - edges[:-1]), dtype=np.float64)
