"""Array helpers that every event statistic shares: rescaling, local noise scale, clipping of outliers."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from curvedoc.core.series import Floats, Ints, Series, once_a_series
from curvedoc.stats.basic.medians import bottom_of, inner_median5, median5, median_of, range_of, top_of

# MAD of the second differences of white noise with unit standard deviation: .6745 * sqrt(1 + 4 + 1).
MAD_D2 = 0.6745 * 6.0**0.5
# Same for the residual against a centered median of five (measured on Gaussian noise).
MAD_MEDIAN5 = 0.6745 * 0.80
# Standard deviation of rounding to steps of 1.
ROUNDING = float(12.0**-0.5)
# Neighboring rows whose distances are looked at before all values are sorted for the smallest.
NEIGHBORS = 32
# Rows per block from which a line for each block is quicker than looking the block of every row up.
LONG_BLOCK = 2_000
# Powers of two from here on are not all normal numbers, so that a product with them might round.
FAR = 1000
# Smallest noise that is believed, as a share of the whole range: below it lie rounding errors of the arithmetic.
NOISE_FLOOR = 1e-9


def unit(v: Floats) -> tuple[Floats, float, float]:
    """(u, center, scale) with v = center + scale * u and |u| <= 2, so that no later square or sum can overflow.

    v: finite float64 [n]. The scale is a power of two, so the rescaling is exact; a constant gives u = 0, scale 1.
    """
    if not len(v):
        return v, 0.0, 1.0
    half = v * 0.5
    middle = median_of(half)
    u = half - middle
    top = max(top_of(u), -bottom_of(u))
    if top == 0.0:
        return u, 2.0 * middle, 1.0
    exponent = math.frexp(top)[1]
    u = u * math.ldexp(1.0, -exponent) if abs(exponent) < FAR else np.ldexp(u, -exponent)
    return u, 2.0 * middle, math.ldexp(2.0, min(exponent, 1022))


@once_a_series
def unit_of(s: Series) -> tuple[Floats, float, float]:
    """unit() of the finite rows, read-only."""
    u, center, scale = unit(s.finite().value)
    u.setflags(write=False)
    return u, center, scale


def finite_rows(value: Floats) -> tuple[Floats, Ints]:
    """The finite values and their row numbers."""
    rows = np.flatnonzero(np.isfinite(value))
    return value[rows], rows


def second_differences(y: Floats) -> Floats:
    """y[i-1] - 2 y[i] + y[i+1], [n-2]: trend and slope drop out."""
    out: Floats = 2.0 * y[1:-1]
    np.subtract(y[2:], out, out=out)
    out += y[:-2]
    return out


def smallest_gap(y: Floats, sample: int = 20_000) -> float:
    """The smallest positive distance between two values, 0 below four distinct values; looks at `sample` rows."""
    stride = max(1, len(y) // sample)
    ordered = y[::stride].copy()
    ordered.sort()
    gaps = ordered[1:] - ordered[:-1]
    gaps = gaps[gaps > 0.0]
    return bottom_of(gaps) if len(gaps) >= 3 else 0.0


def hidden(y: Floats, least: float, sample: int = 20_000) -> float:
    """Standard deviation that the rounding of y hides, as smallest_gap tells it; 0 where it is surely below `least`.

    A few neighbors mostly settle that without a sort: no smallest gap exceeds the distance of any two values.
    """
    few = y[:: max(1, len(y) // sample)][:NEIGHBORS]
    near = np.abs(few[1:] - few[:-1])
    near = near[near > 0.0]
    if len(near) and bottom_of(near) * ROUNDING <= least:
        return 0.0
    return smallest_gap(y, sample) * ROUNDING


def mad_noise(y: Floats) -> float:
    """Noise of y by the median of the absolute second differences, never below what rounding of the values hides."""
    if len(y) < 3:
        return 0.0
    d = second_differences(y)
    sigma = median_of(np.abs(d, out=d)) / MAD_D2
    return max(sigma, hidden(y, sigma))


def block_medians(x: Floats, blocks: int) -> Floats:
    """Median (the upper one of two) of `blocks` equal stretches of x, the rest at the end left out, [blocks]."""
    length = len(x) // blocks
    cells = x[: length * blocks].reshape(blocks, length).copy()
    cells.partition(length // 2, axis=1)
    return np.asarray(cells[:, length // 2], dtype=np.float64)


def spread_blocks(level: Floats, n: int) -> Floats:
    """Block levels drawn out to n rows, linear between block centers, [n]."""
    if len(level) == 1:
        return np.full(n, level[0])
    centers = (np.arange(len(level)) + 0.5) * (n / len(level))
    if n < LONG_BLOCK * len(level):
        return np.interp(np.arange(n), centers, level)
    out = np.arange(n, dtype=np.float64)
    rows = np.ceil(centers).astype(np.int64).tolist()
    slope = (level[1:] - level[:-1]) / (centers[1:] - centers[:-1])
    for k, (first, last) in enumerate(pairwise(rows)):
        line = out[first:last]
        line -= centers[k]
        line *= slope[k]
        line += level[k]
    out[: rows[0]], out[rows[-1] :] = level[0], level[-1]
    return out


def local_noise(y: Floats, block: int = 256, floor: float = 0.1) -> Floats:
    """Noise scale at every row, [n]: block MAD of second differences, median of five blocks, joined by lines.

    Below `floor` times the median block and below the rounding of the values it does not go. All 0 for constants.
    """
    return spread_blocks(noise_levels(y, block, floor), len(y))


def noise_levels(y: Floats, block: int = 256, floor: float = 0.1) -> Floats:
    """local_noise at the centers of its blocks, [blocks]; one 0 below three rows."""
    n = len(y)
    if n < 3:
        return np.zeros(1)
    d = second_differences(y)
    np.abs(d, out=d)
    blocks = max(1, len(d) // min(block, max(16, n // 4)))
    level = block_medians(d, blocks) / MAD_D2
    if blocks >= 5:
        level = inner_median5(extended(level, 2))
    lowest = max(floor * median_of(level), NOISE_FLOOR * range_of(y))
    lowest = max(lowest, hidden(y, lowest))
    return np.maximum(level, lowest)


def median3(y: Floats) -> Floats:
    """Centered median of three rows, [n]; the ends repeat."""
    if len(y) < 3:
        return y.copy()
    p = np.concatenate([y[:1], y, y[-1:]])
    a, b, c = p[:-2], p[1:-1], p[2:]
    return np.asarray(np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c)), dtype=np.float64)


def clipped(y: Floats, k: float = 5.0) -> Floats:
    """y with single outliers drawn in to its median of five +- k local deviations, [n]. Levels and jumps stay."""
    n = len(y)
    if n < 5:
        return y.copy()
    middle = median5(y)
    r = y - middle
    size = np.abs(r)
    level = block_medians(size, max(1, min(64, n // 64))) / MAD_MEDIAN5
    level = np.maximum(level, max(0.2 * median_of(level), NOISE_FLOOR * range_of(y)))
    if top_of(size) <= k * bottom_of(level):
        return y.copy()
    limit = k * spread_blocks(level, n)
    np.minimum(r, limit, out=r)
    np.negative(limit, out=limit)
    np.maximum(r, limit, out=r)
    r += middle
    return r


def prefix(x: Floats) -> Floats:
    """0 followed by the running sums of x, [n+1]."""
    out = np.empty(len(x) + 1)
    out[0] = 0.0
    np.add.accumulate(x, out=out[1:])
    return out


def extended(x: Floats, rows: int) -> Floats:
    """x with its first and last value repeated `rows` times before and after it, [n + 2 rows]."""
    n = len(x)
    out = np.empty(n + 2 * rows)
    out[:rows], out[rows : rows + n], out[rows + n :] = x[0], x, x[-1]
    return out
