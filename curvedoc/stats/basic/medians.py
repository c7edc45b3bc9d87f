"""Medians of plain arrays: exact, and several times as fast as the general ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.series import Floats

# Rows worked on together: the seven arrays of the network stay in the processor's second cache.
CHUNK = 16_384
# Values that are sorted sooner than one of them is selected.
FEW = 512
# Values of overlapping windows that are copied; of more, polars keeps each window sorted from row to row.
CELLS = 1 << 15
# Places in order, of some 64, within which a place is looked for.
REACH = 8
# Columns of rows that are sorted sooner than one of them is selected.
NARROW = 64


def top_of(y: NDArray[Any]) -> float:
    """The largest value of a one-dimensional array; NaN where one is NaN. ValueError without values.

    By its place: a third of the time that numpy's maximum takes on the few thousand rows of a usual log.
    """
    return float(y[y.argmax()])


def bottom_of(y: NDArray[Any]) -> float:
    """The smallest value; as top_of."""
    return float(y[y.argmin()])


def range_of(y: NDArray[Any]) -> float:
    """The largest value less the smallest; as top_of."""
    return float(y[y.argmax()]) - float(y[y.argmin()])


def mean_of(y: NDArray[Any]) -> float:
    """The mean of a one-dimensional array with values: what np.mean gives, without its general part."""
    return float(np.add.reduce(y)) / len(y)


def _two_of(y: NDArray[Any], place: int) -> tuple[float, float]:
    """The value at a place in order, and at the next: of more than FEW values, none of them NaN.

    A few of the rows tell between which two values the place lies, mostly, and only what lies there is sorted: half of
    the time of numpy's selection.
    """
    some = y[:: len(y) >> 6].copy()
    some.sort()
    k = place * len(some) // len(y)
    low, high = some[max(k - REACH, 0)], some[min(k + REACH, len(some) - 1)]
    under = y < low
    near = y[(y <= high) ^ under]
    at = place - int(np.count_nonzero(under))
    if 0 <= at < len(near) - 1:
        near.sort()
        return float(near[at]), float(near[at + 1])
    ordered = y.copy()
    ordered.partition(place)
    return float(ordered[place]), bottom_of(ordered[place + 1 :])


def median_of(y: NDArray[Any]) -> float:
    """Median of a one-dimensional array, the mean of the middle two where their number is even.

    NaN where one of the values is NaN, or without values.
    """
    n = len(y)
    if n == 0:
        return float("nan")
    half = n // 2
    if n <= FEW:
        ordered = y.copy()
        ordered.sort()
        # NaN is sorted to the end
        top, high, low = float(ordered[-1]), float(ordered[half]), float(ordered[half - 1])
    else:
        top = top_of(y)
        if top == top:
            low, high = _two_of(y, half - 1)
    if top != top:
        return top
    return high if n % 2 else 0.5 * (low + high)


def quantile_of(y: NDArray[Any], share: float) -> float:
    """Quantile of a one-dimensional array, linear between the two places around it: what np.quantile gives.

    share: 0..1. NaN where one of the values is NaN, or without values. A tenth of the time on short arrays.
    """
    n = len(y)
    if n == 0:
        return float("nan")
    at = (n - 1) * share
    low = min(int(at), n - 1)
    if n <= FEW:
        ordered = y.copy()
        ordered.sort()
        top, a, b = float(ordered[-1]), float(ordered[low]), float(ordered[min(low + 1, n - 1)])
    else:
        top = top_of(y)
        if top == top:
            a, b = _two_of(y, low) if low + 1 < n else (top, top)
    if top != top:
        return top
    part = at - low
    # as numpy does it, so that the last digit is the same
    return a + (b - a) * part if part < 0.5 else b - (b - a) * (1.0 - part)


def neighbors(y: Floats, width: int) -> Floats:
    """Every `width` neighboring rows, [n - width + 1, width], no copy: numpy's own takes as long as sorting a few."""
    y = np.ascontiguousarray(y)
    step = y.itemsize
    return np.ndarray((len(y) - width + 1, width), y.dtype, y, 0, (step, step))


def row_medians(cells: NDArray[Any]) -> Floats:
    """Medians of the rows of a finite two-dimensional array with a column at least, [rows]; as np.median on axis 1."""
    width = cells.shape[1]
    half, ordered = width // 2, cells.copy()
    if width <= NARROW:
        ordered.sort(axis=1)
    else:
        ordered.partition(half, axis=1)
    if width % 2:
        return np.asarray(ordered[:, half], dtype=np.float64)
    lower = ordered[:, half - 1] if width <= NARROW else ordered[:, :half].max(axis=1)
    return np.asarray((lower + ordered[:, half]) / 2.0, dtype=np.float64)


def moving_median(y: Floats, width: int) -> Floats:
    """Medians of every `width` neighboring rows of finite values, [n - width + 1]."""
    if width % 2 and len(y) * width > CELLS:
        import polars as pl

        return pl.Series(y).rolling_median(width).to_numpy()[width - 1 :].copy()
    # a copy, since a column would keep all of the windows
    return row_medians(neighbors(y, width)).copy()


def median5(y: Floats) -> Floats:
    """Centered median of five rows, mirrored at the ends, [n]; y itself (a copy) below three rows.

    A network of minima and maxima, in stretches that fit the cache: 40 times as fast as sorting windows.
    """
    if len(y) < 3:
        return y.copy()
    return _network(np.concatenate([y[2:3], y[1:2], y, y[-2:-1], y[-3:-2]]))


def inner_median5(y: Floats) -> Floats:
    """Median of every five neighboring rows, [n - 4]; empty below five rows."""
    return _network(y) if len(y) >= 5 else y[:0].copy()


def _network(p: Floats) -> Floats:
    """Median of every five neighbors of p, [len(p) - 4]."""
    n = len(p) - 4
    out = np.empty(n)
    size = min(n, CHUNK)
    low, high, other = np.empty(size), np.empty(size), np.empty(size)
    for start in range(0, n, CHUNK):
        m = min(CHUNK, n - start)
        a, b, c, d, e = (p[start + i : start + i + m] for i in range(5))
        f, g, h, to = low[:m], high[:m], other[:m], out[start : start + m]
        np.minimum(a, b, out=f)
        np.minimum(c, d, out=h)
        np.maximum(f, h, out=f)
        np.maximum(a, b, out=g)
        np.maximum(c, d, out=h)
        np.minimum(g, h, out=g)
        # the median lies between the inner two of four; e decides where
        np.minimum(f, g, out=h)
        np.maximum(f, g, out=g)
        np.minimum(g, e, out=g)
        np.maximum(h, g, out=to)
    return out
