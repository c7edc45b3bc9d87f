"""Steps: abrupt drops and treads of a value that is set and not measured, its sweep, and events that coincide."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Floats, Ints, Series
from curvedoc.stats.basic.grid import GridCurve, curve_of
from curvedoc.stats.basic.medians import bottom_of, mean_of, median_of, top_of

DROP = 0.1  # of the value before: a smaller drop is a slope
STEEPER = 5.0  # times the rows beside it: a drop that stands out is a step
SWEEP = 100.0  # first to last rate of a range test, two decades
STRAIGHT = 0.02  # of the log range: how far a sweep may leave its line
DECIMALS = 20.0  # units of the last printed decimal: below that a sweep is stairs
TREAD = 3  # rows of a tread at least


def drop_rows(c: GridCurve) -> Ints:
    """Rows whose value is abruptly below the one before, by a tenth of it and five times what the rows beside move."""
    d = np.diff(c.y)
    size = np.concatenate([[0.0], np.abs(d), [0.0]])
    beside = np.maximum(size[:-2], size[2:])
    before = c.y[:-1]
    found: Ints = np.flatnonzero((before > 0) & (-d >= DROP * before) & (-d >= STEEPER * beside)) + 1
    return found


def lr_drop_steps(lr: Series) -> Series:
    """Steps at which the rate drops abruptly, with the ratio of the rate after to the rate before as value.

    >>> lr_drop_steps(Series.of([1.0, 1.0, 1.0, 0.1, 0.1, 0.1])).value.tolist()
    [0.1]
    """
    c = curve_of(lr)
    rows = drop_rows(c) if len(c) > 1 else np.empty(0, dtype=np.int64)
    after = np.maximum(c.y[rows], 0.0) / c.y[rows - 1]
    return Series(lr.finite().step[rows].copy(), after, lr.metric)


def is_treads(c: GridCurve) -> bool:
    """Whether the values go down by at least one step between treads of three rows or more, and hardly otherwise."""
    n = len(c)
    if n < 2 * TREAD:
        return False
    top = top_of(np.abs(c.y))
    moves = np.flatnonzero(np.abs(np.diff(c.y)) > 1e-6 * top)
    if len(moves) == 0 or (c.y[-1] >= c.y[0] and c.y[-1] >= top * (1 - 1e-6)):
        return False
    lengths = np.diff(np.concatenate([[0], moves + 1, [n]]))
    long = lengths >= TREAD
    down = mean_of(np.diff(c.y)[moves] < 0)
    return bool(lengths[long].sum() >= 0.8 * n and median_of(lengths) >= TREAD and down >= 0.5)


def is_staircase(lr: Series) -> bool | None:
    """Whether the rate goes down in treads: constant, abrupt drop, constant; None below six finite rows.

    A warm-up before the first tread does not count against it.

    >>> is_staircase(Series.of([1.0] * 5 + [0.1] * 5)), is_staircase(Series.of([1.0, 0.9, 0.8, 0.7, 0.6, 0.5]))
    (True, False)
    """
    c = curve_of(lr)
    if len(c) < 2 * TREAD:
        return None
    first = int(c.y.argmax())
    return is_treads(GridCurve(c.x[first:], c.y[first:], c.scale))


def is_range_test(lr: Series) -> bool | None:
    """Whether the rate sweeps exponentially upward over two decades or more; None below eight finite rows.

    The sweep fills nine tenths of the rows at least, is straight in the logarithm, and straighter there than in the
    rate itself, so that a warm-up (linear, however low it starts) is none.

    >>> is_range_test(Series.of([1e-6 * 10 ** (i / 10) for i in range(50)]))
    True
    >>> is_range_test(Series.of([1e-6 + 1e-4 * i for i in range(50)]))
    False
    """
    c = curve_of(lr)
    if len(c) < 8:
        return None
    up = int(c.y.argmax()) + 1
    start = _resolved(c.y[:up])
    y, x = c.y[start:up], c.x[start:up]
    if (
        len(y) < max(8, 0.5 * len(c))
        or up < 0.9 * len(c)
        or bottom_of(y) <= 0.0
        or bool((np.diff(y) < 0).any())
        or y[-1] < SWEEP * y[0]
    ):
        return False
    log = np.log(y)
    return bool(_bend(x, log) <= STRAIGHT and _bend(x, log) < 0.2 * _bend(x, y))


def _resolved(y: Floats) -> int:
    """First row of a rise that its printed decimals resolve; 0 where no row repeats the one before."""
    d = np.diff(y)
    if not len(d) or float(d[0]) > 0.0 or top_of(d) <= 0.0:
        return 0
    return int(np.argmax(y >= DECIMALS * bottom_of(d[d > 0.0]) if bool((d > 0.0).any()) else y > y[-1]))


def _bend(x: Floats, y: Floats) -> float:
    """Root mean square distance of `y` from its line over `x`, as a share of the range of `y`."""
    t = (x - x[0]) / (x[-1] - x[0])
    t = t - mean_of(t)
    rest = y - mean_of(y)
    rest = rest - t * float(t @ rest) / float(t @ t)
    return float(np.sqrt(np.mean(rest * rest)) / np.ptp(y))


def coincide(a: Series, b: Series, tol: float) -> float | None:
    """Share of the steps of `a` that lie within `tol` steps of a step of `b`; None where either is empty.

    Only positions count, values do not.

    >>> coincide(Series.of([0.1, 0.1], step=[100, 200]), Series.of([0.5, 0.5], step=[103, 300]), 5.0)
    0.5
    """
    if len(a) == 0 or len(b) == 0:
        return None
    p, q = a.step.astype(np.float64), b.step.astype(np.float64)
    after = q.searchsorted(p).clip(0, len(q) - 1)
    before = (after - 1).clip(0)
    near = np.minimum(np.abs(q[after] - p), np.abs(q[before] - p))
    return mean_of(near <= tol)
