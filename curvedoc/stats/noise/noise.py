"""Noise of a series: its scale, its growth, its autocorrelation, the heaviness of its tails, its rounding."""

from __future__ import annotations

import math

import numpy as np

from curvedoc.core.series import Floats, Series, once_a_series
from curvedoc.stats.basic.autocorrelation import TINY, lag_one
from curvedoc.stats.basic.medians import bottom_of, median_of, quantile_of
from curvedoc.stats.basic.robust import (
    block_medians,
    mad_noise,
    second_differences,
    smallest_gap,
    spread_blocks,
    unit_of,
)

# Second differences of fewer rows say too little about a scale (standard deviation of the estimate about a half).
MIN_ROWS = 8
# Rows from which thirds of a series have a noise of their own.
MIN_GROWTH_ROWS = 30
MIN_PHI_ROWS = 50
MIN_TAIL_ROWS = 50
# 95 % point of |N(0,1)| over its median.
GAUSS_TAIL = 1.96 / 0.6745


@once_a_series
def noise(s: Series) -> float | None:
    """Robust standard deviation of the row-to-row noise, in units of the value.

    Median of the absolute second differences / (.6745 sqrt 6): trend, slope and single outliers drop out. Never below
    the standard deviation that rounding to the printed digits hides. 0 for constants. Non-finite rows are left out;
    None below 8 finite rows. On autocorrelated noise it reads low (.65 of the true scale at phi = .5).

    Source: Gasser, Sroka & Jennen-Steinmetz (1986) and Hall, Kay & Titterington (1990) for differences; MAD for mean.

    >>> round(noise(Series.of([0, 1, 0, 1, 0, 1, 0, 1])), 2)
    1.21
    """
    y, _, scale = unit_of(s)
    return None if len(y) < MIN_ROWS else mad_noise(y) * scale


def noise_rel(s: Series) -> float | None:
    """noise(s) as a share of the median absolute value; None where that is 0.

    >>> round(noise_rel(Series.of([10, 11, 10, 11, 10, 11, 10, 11])), 3)
    0.115
    """
    sigma = noise(s)
    if sigma is None:
        return None
    level = 2.0 * median_of(np.abs(s.finite().value) * 0.5)
    ratio = sigma / level if level > 0 else np.inf
    return ratio if np.isfinite(ratio) else None


@once_a_series
def noise_head(s: Series) -> float | None:
    """Noise of the first third of the finite rows; None below 30."""
    v = s.finite()
    return None if len(v) < MIN_GROWTH_ROWS else noise(v.cut(slice(0, len(v) // 3)))


@once_a_series
def noise_tail(s: Series) -> float | None:
    """Noise of the last third of the finite rows; None below 30."""
    v = s.finite()
    return None if len(v) < MIN_GROWTH_ROWS else noise(v.cut(slice(len(v) - len(v) // 3, len(v))))


def noise_growth(s: Series) -> float | None:
    """log2 of the noise in the last third over the noise in the first: 1 = doubled, -1 = halved.

    None below 30 finite rows and where either third has no noise, or more than a float can hold.

    >>> noise_growth(Series.of([1, -1] * 15 + [0, 0] * 15 + [2, -2] * 15))
    1.0
    """
    head, tail = noise_head(s), noise_tail(s)
    if not head or not tail or not (math.isfinite(head) and math.isfinite(tail)):
        return None
    return float(np.log2(tail) - np.log2(head))


def tail_ratio(s: Series) -> float | None:
    """How heavy the noise tails are: 95 % point over median of |second differences|, 1 for Gaussian noise.

    Real training losses: .95 to 1.1, heavy ones above 3. None below 50 finite rows or where half the rows do not move.
    """
    v = s.finite().value
    return None if len(v) < MIN_TAIL_ROWS else tail_weight(unit_of(s)[0])


def tail_weight(y: Floats) -> float | None:
    """tail_ratio of plain finite values (|y| moderate); None where the median movement is 0."""
    n = len(y)
    d = np.abs(second_differences(y))
    blocks = max(1, min(48, n // 64))
    level = spread_blocks(block_medians(d, blocks), len(d))
    if bottom_of(level) < TINY:
        return None
    size = (d / level)[:: max(1, n // 20_000)]
    middle = quantile_of(size, 0.5)
    return quantile_of(size, 0.95) / middle / GAUSS_TAIL if middle > 0 else None


def phi(s: Series) -> float | None:
    """Lag-1 autocorrelation of the noise around the local level, about -1..1; above .85 the logger has smoothed.

    Row-wise, on the residual against a moving mean of min(61, n/8) rows, outliers clipped at 3 deviations, corrected
    for what the moving mean takes away. None below 50 finite rows and for constants.
    """
    v = s.finite().value
    return None if len(v) < MIN_PHI_ROWS else lag_one(unit_of(s)[0])


def quantum(s: Series) -> float | None:
    """Smallest distance between two different values: the rounding of the log where it is coarse.

    Non-finite rows are left out; at most 20,000 rows are looked at. None below four distinct values.

    >>> quantum(Series.of([0.5, 0.75, 1.0, 1.5]))
    0.25
    """
    v = s.finite().value
    if not len(v):
        return None
    y, _, scale = unit_of(s)
    return smallest_gap(y) * scale or None
