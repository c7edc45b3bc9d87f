"""What a logged histogram says as numbers: min, max, mean, std, absmax and, where its buckets can tell, zero_frac."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: A bucket counts as "zero" when it holds 0 and is no wider than this share of the largest magnitude.
_ZERO_WIDTH = 1e-3


def of_proto(h: Any) -> dict[str, float]:
    """Measures of a HistogramProto (exact moments, buckets by their right edges); empty where it holds no values."""
    if not h.num > 0:
        return {}
    mean = h.sum / h.num
    square = h.sum_squares / h.num - mean * mean
    right = np.array(h.bucket_limit, np.float64)
    count = np.array(h.bucket, np.float64)
    zero = math.nan
    if len(right) == len(count) and len(right):
        left = np.concatenate(([min(h.min, right[0])], right[:-1]))
        zero = _zero_share(left, right, count, h.min, h.max)
    return _measures(h.min, h.max, mean, square, zero)


def of_buckets(left: Floats, right: Floats, count: Floats) -> dict[str, float]:
    """Measures of buckets [k] alone: moments from the middles, extremes from the edges; empty where all are empty."""
    held = count > 0
    if not held.any():
        return {}
    low, high = float(left[held].min()), float(right[held].max())
    with np.errstate(all="ignore"):  # edges may be infinite or NaN
        total = float(count[held].sum())
        middle = (left[held] + right[held]) / 2
        mean = float((middle * count[held]).sum()) / total
        square = float(((middle - mean) ** 2 * count[held]).sum()) / total
    return _measures(low, high, mean, square, _zero_share(left, right, count, low, high))


def _zero_share(left: Floats, right: Floats, count: Floats, low: float, high: float) -> float:
    """Share of the values that are zero, as far as the buckets are fine enough to tell; else NaN."""
    top = max(abs(low), abs(high))
    if top == 0:
        return 1.0
    if low > 0 or high < 0:
        return 0.0
    held = (left <= 0) & (right >= 0) & (count > 0)
    with np.errstate(all="ignore"):
        wide = bool((right[held] - left[held] > _ZERO_WIDTH * top).any())
    return math.nan if wide or not count.sum() > 0 else float(count[held].sum() / count.sum())


def _measures(low: float, high: float, mean: float, square: float, zero: float) -> dict[str, float]:
    std = math.sqrt(square) if square > 0 else 0.0 if square <= 0 else math.nan
    out = {"min": low, "max": high, "mean": mean, "std": std, "absmax": max(abs(low), abs(high))}
    return out if math.isnan(zero) else {**out, "zero_frac": zero}
