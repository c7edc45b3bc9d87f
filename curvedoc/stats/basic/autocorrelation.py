"""Autocorrelation of noise from one row to the next."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Floats
from curvedoc.stats.basic.medians import bottom_of, mean_of, median_of, quantile_of
from curvedoc.stats.basic.robust import block_medians, prefix, spread_blocks

# Of rescaled values: what lies below overflows when something is divided by it.
TINY = 1e-150


def lag_one(y: Floats, share: float = 0.5, block: int = 64) -> float | None:
    """phi of plain finite values (|y| moderate, at least 8); None where nothing moves.

    The median (or another quantile `share`) over blocks of rows, so that one spike or shift does not pass for
    autocorrelation.
    """
    n = len(y)
    window = max(5, min(61, n // 8)) | 1
    if n <= window + 4:
        return None
    sums = prefix(y)
    half = window // 2
    r = y[half : n - half] - (sums[window:] - sums[:-window]) / window
    blocks = max(1, min(48, len(r) // 64))
    level = block_medians(np.abs(r), blocks) / 0.6745
    if blocks > 1:  # one, as of most short logs, is the level of all rows
        level = spread_blocks(np.maximum(level, 0.2 * median_of(level)), len(r))
    if bottom_of(level) < TINY:
        return None
    x = np.minimum(np.maximum(r / level, -3.0), 3.0)
    x = x - mean_of(x)
    blocks = max(1, min(48, len(r) // block))
    length = (len(x) - 1) // blocks
    late, early = x[1 : length * blocks + 1], x[: length * blocks]
    pairs = np.add.reduce((late * early).reshape(blocks, length), axis=1)
    power = np.add.reduce((early * early).reshape(blocks, length), axis=1)
    if bottom_of(power) < TINY:
        return None
    r1 = quantile_of(pairs / power, share)
    return r1 + (1.0 + 3.0 * r1) / window


def whitened(phi: float) -> float:
    """What second differences see of the standard deviation of AR(1) noise: 1 at phi = 0, .65 at .5, .22 at most."""
    return float(np.sqrt(max((6.0 - 8.0 * phi + 2.0 * phi * phi) / 6.0, 0.05)))
