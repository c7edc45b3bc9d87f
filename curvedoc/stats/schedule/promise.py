"""Promise: what rate and gradient say a loss should have lost, its course by the rate spent; what goes one way."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Floats, Series
from curvedoc.stats.pairs.train_val import aligned

LEAST = 5  # rows: four in one order happen by chance
_WHOLE = 1e9  # places on the axis of a rate that was spent


def promised_fall(lr: Series, grad: Series) -> float | None:
    """How far steps of this rate along these gradients lower a loss at least, to first order; None without common rows.

    A step of plain gradient descent lowers the loss by rate times squared norm, one of an optimizer that divides by the
    size of the gradients by rate times the sum of their magnitudes, which is at least the norm. Both are above rate
    times the smaller of norm and squared norm, summed here over the steps: a row stands for those up to the next one.
    The noise of batches is part of the norm, so that a loss seldom falls by more than a part of this.

    >>> round(promised_fall(Series.of([0.1, 0.1, 0.1]), Series.of([0.5, 2.0, 0.5])), 3)
    0.225
    """
    g = grad.finite()
    rate = aligned(lr, g)
    if len(rate) < 2:
        return None
    g = g.cut(np.isin(g.step, rate.step))
    norm, steps = np.abs(g.value[:-1]), np.diff(g.step).astype(np.float64)
    with np.errstate(over="ignore"):
        told = float((np.abs(rate.value[:-1]) * np.minimum(norm, norm * norm) * steps).sum())
    return told if np.isfinite(told) else None


def by_rate(s: Series, lr: Series) -> Series:
    """`s` over the rate that was spent so far instead of over steps; empty without a rate above zero.

    A step counts as much as its rate, so that a fall which only slows because the rate runs down is a straight line.
    The axis runs from 0 to _WHOLE; rows of one place stay in order.

    >>> by_rate(Series.of([3.0, 2.0, 1.5, 1.5]), Series.of([2.0, 2.0, 0.0, 0.0])).step.tolist()
    [0, 666666667, 1000000002, 1000000003]
    """
    f = s.finite()
    rate = aligned(lr, f)
    f = f.cut(np.isin(f.step, rate.step))
    speed = np.abs(rate.value)
    if len(f) < 2 or not bool(np.isfinite(speed).all()):
        return Series.of([], metric=s.metric)
    top = float(speed.max())
    with np.errstate(over="ignore"):
        spent = np.cumsum(0.5 * (speed[1:] / top + speed[:-1] / top) * np.diff(f.step)) if top > 0.0 else np.zeros(1)
    if not 0.0 < spent[-1] < np.inf:
        return Series.of([], metric=s.metric)
    place = np.concatenate([[0.0], spent / spent[-1]]) * _WHOLE
    return Series(place.astype(np.int64) + np.arange(len(f)), f.value.copy(), s.metric)


def one_way(s: Series) -> float | None:
    """Rank correlation of values and steps: -1 falls at every row, 1 rises; None below five rows or for a constant.

    Equal values share their rank, so that a curve of few printed digits is judged by the digits it has.
    Source: Spearman 1904, with ties.

    >>> one_way(Series.of([5.0, 4.9, 4.8, 4.7, 4.0, 1.0]))
    -1.0
    """
    y = s.finite().value
    if len(y) < LEAST or bool((y == y[0]).all()):
        return None
    value = _ranks(y)
    row = np.arange(len(y), dtype=np.float64)
    row -= row.mean()
    value -= value.mean()
    found = float((row * value).sum() / np.sqrt((row * row).sum() * (value * value).sum()))
    return round(found, 12)


def _ranks(y: Floats) -> Floats:
    """The rank of every value, the mean of their ranks where several are equal."""
    _, place, count = np.unique(y, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - 0.5 * (count - 1))[place], dtype=np.float64)
