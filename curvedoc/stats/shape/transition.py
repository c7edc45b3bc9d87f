"""Transition: sudden learning after a plateau, the half-way step of a rise, epoch-wise double descent."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise

import numpy as np

from curvedoc.core.series import Floats, Ints, Series
from curvedoc.stats.basic.grid import GridCurve, curve_of, edges, means, mixed_edges, noise_of
from curvedoc.stats.basic.medians import bottom_of, median_of, range_of, top_of
from curvedoc.stats.basic.windows import log_of_wide
from curvedoc.stats.shape.extrema import turns
from curvedoc.stats.shape.trend import total_change

LEAST = 8  # rows
BUCKETS = 200
WAIT = 0.2  # of the run: how long a plateau before a breakthrough lasts at least
SUDDEN = 0.15  # of the run: how long the fall after it takes at most
FALL = 0.3  # of the whole range: how much that fall brings at least
STILL = 0.05  # of the whole range: how much the plateau before it may drift
FIFTH = 5.0  # times as low as the plateau: a fall by factors that is worth telling
LATE = 0.2  # of the run: no breakthrough before that
LONG = 3.0  # times the steps that training took, before validation so much as begins
BUMP = 0.05  # of the range, and of the level: a smaller one is no second descent


def isotonic(y: Floats, weight: Floats) -> Floats:
    """The best non-decreasing fit to `y`, float64 [n] (pool adjacent violators). Source: Robertson et al. 1988.

    Ours, though scipy.optimize has it too: importing that takes longer than judging a small run.
    """
    level: list[float] = []
    mass: list[float] = []
    count: list[int] = []
    for v, w in zip(y.tolist(), weight.tolist(), strict=True):
        k = 1
        while level and level[-1] > v:
            u, m = level.pop(), mass.pop()
            v, w, k = (v * w + u * m) / (w + m), w + m, k + count.pop()
        level.append(v)
        mass.append(w)
        count.append(k)
    return np.repeat(np.array(level), np.array(count, dtype=np.int64))


def half_time(s: Series) -> float | None:
    """Step at which a rising metric crosses half way between its first and last level, by isotonic regression.

    Interpolated between at most 200 buckets, finer at the start. None below eight finite rows, or without a rise
    beyond five times the noise.

    >>> half_time(Series.of([0.0] * 20 + [1.0] * 20))
    19.5
    """
    return _crossing(s, 1.0, 0.5)


def half_fall_time(s: Series) -> float | None:
    """As `half_time`, for a metric that falls.

    >>> half_fall_time(Series.of([1.0] * 20 + [0.0] * 20))
    19.5
    """
    return _crossing(s, -1.0, 0.5)


def _crossing(s: Series, sign: float, share: float) -> float | None:
    """Step at which a metric (rising, or falling with sign -1) has made `share` of its way."""
    c = curve_of(s)
    n = len(c)
    if n < LEAST:
        return None
    y = sign * c.calm
    cut = mixed_edges(n, BUCKETS)
    x, weight = means(c.x, cut), np.diff(cut).astype(np.float64)
    fit = isotonic(means(y, cut), weight)
    k = max(1, len(fit) // 20)
    low, high = median_of(fit[:k]), median_of(fit[-k:])
    if high - low <= max(5.0 * c.noise, 1e-9):
        return None
    middle = low + share * (high - low)
    at = int(fit.searchsorted(middle))
    if at == 0:
        return float(x[0])
    part = (middle - fit[at - 1]) / (fit[at] - fit[at - 1])
    return float(x[at - 1] + part * (x[at] - x[at - 1]))


def grokking_gap(train: Series, val: Series) -> float | None:
    """Half-way step of the validation metric over that of the training metric, both rising (accuracy).

    About 1 to 3 in ordinary runs; 5 and more is grokking. Steps count from 1. None where either does not rise.

    >>> train = Series.of([0.1] * 10 + [1.0] * 290)
    >>> val = Series.of([0.1] * 200 + [1.0] * 100)
    >>> round(grokking_gap(train, val))
    21
    """
    a, b = half_time(train), half_time(val)
    return None if a is None or b is None else max(b, 1.0) / max(a, 1.0)


def delay_share(train: Series, val: Series) -> float | None:
    """Steps between the half-way points of training and validation metric, over the length of the run.

    >>> round(delay_share(Series.of([0.1] * 10 + [1.0] * 290), Series.of([0.1] * 200 + [1.0] * 100)), 2)
    0.64
    """
    a, b = half_time(train), half_time(val)
    if a is None or b is None:
        return None
    return (b - a) / max(float(train.step[-1]) - float(train.step[0]), 1.0)


def grokking_step(train: Series, val: Series) -> float | None:
    """Step at which the validation metric is half-way up, when it rose long after the training metric was up.

    Long: the validation metric makes its first quarter at three times the step at which the training metric had made
    nine tenths, and their half-way points lie a fifth of the run apart. Both rise (accuracy), the validation metric by
    a third of what the training metric gained at least. None otherwise.

    >>> grokking_step(Series.of([0.1] * 10 + [1.0] * 290), Series.of([0.1] * 200 + [1.0] * 100)) is None
    False
    """
    up, begun, half = _crossing(train, 1.0, 0.9), _crossing(val, 1.0, 0.25), half_time(val)
    apart = delay_share(train, val)
    gains = total_change(train), total_change(val)
    if up is None or begun is None or half is None or apart is None or gains[0] is None or gains[1] is None:
        return None
    if 3.0 * gains[1] < gains[0]:
        return None
    return half if begun >= LONG * max(up, 1.0) and apart >= LATE else None


def late_breakthrough(s: Series) -> float | None:
    """Step at which a long plateau is left by a sudden fall; None without one or below 40 finite rows.

    The plateau lasts a fifth of the run at least and drifts by less than a twentieth of the whole range; the fall
    brings three tenths of that range within 15 % of the run, at ten times the plateau's pace, stays down, and begins
    after a fifth of the run. The place is where the curve leaves the plateau's level for good. Of a positive series
    that spans ten, and shows no such fall, the same of its logarithm, where it stays down at a fifth of the plateau.

    >>> late_breakthrough(Series.of([3.0] * 10 + [2.0] * 50 + [0.1] * 40))
    60.0
    """
    found = _breakthrough(s)
    return _breakthrough(logs, math.log(FIFTH)) if found is None and (logs := log_of_wide(s)) is not None else found


def _breakthrough(s: Series, least: float = 0.0) -> float | None:
    """least: by how much it stays down, in units of the values"""
    c = curve_of(s)
    n = len(c)
    if n < 40:
        return None
    y = c.calm
    cut = edges(n, min(100, n // 2))
    b, x = means(y, cut), means(c.x, cut)
    m = len(b)
    share = (x - x[0]) / max(float(x[-1] - x[0]), 1.0)
    noise = max(c.noise / (n / m) ** 0.5, 1e-9)
    whole = top_of(b[: max(2, m // 20)]) - bottom_of(b)
    if whole <= 8.0 * noise:
        return None
    best: tuple[float, int] | None = None
    for start, i, end in _still_then_low(b, share, max(3 * STILL * whole, 8.0 * noise), max(FALL * whole, 8.0 * noise)):
        before, after = b[start:i], b[i:end]
        level = median_of(before)
        third = max(1, len(before) // 3)
        drift = abs(median_of(before[:third]) - median_of(before[-third:]))
        fall = level - bottom_of(after)
        if drift > max(STILL * whole, 3.0 * noise):
            continue
        pace = 10.0 * drift / WAIT * SUDDEN
        stays = level - median_of(b[end - 1 :]) >= max(0.5 * fall, least / c.scale)
        if fall >= max(FALL * whole, 8.0 * noise, pace) and stays and (best is None or fall >= 0.98 * best[0]):
            best = (fall, i)
    return None if best is None else _leaves(c, y, cut[best[1]], n)


def _still_then_low(b: Floats, share: Floats, most: float, least: float) -> list[tuple[int, int, int]]:
    """(start, i, end) where b[start:i] ranges over no more than `most` and b[i:end] goes `least` below its highest.

    What every breakthrough has, asked of all places at once: most curves have no such place.
    """
    before, after = _stretches(share.tobytes())
    if not len(before):
        return []
    padded = np.concatenate([b, b[-1:]])  # a stretch may end with the last row
    top, low = np.maximum.reduceat(padded, before)[::2], np.minimum.reduceat(padded, before)[::2]
    floor = np.minimum.reduceat(padded, after)[::2]
    found = np.flatnonzero((top - low <= most) & (top - floor >= least)) * 2
    return list(zip(before[found].tolist(), after[found].tolist(), after[found + 1].tolist(), strict=True))


# The curves of a run, and the runs of a tree, are mostly logged at the same steps.
@lru_cache(maxsize=8)
def _stretches(shares: bytes) -> tuple[Ints, Ints]:
    """(start and i, i and end) of every place i where a breakthrough may lie, alternating. shares: float64 bytes."""
    share = np.frombuffer(shares)
    m = len(share)
    i = np.arange(4, m - 2)
    i = i[share[i] >= LATE]
    start = share.searchsorted(share[i] - WAIT)
    end = np.minimum(m, share.searchsorted(share[i] + SUDDEN) + 1)
    fits = (i - start >= 4) & (end - i >= 2)
    i, start, end = i[fits], start[fits], end[fits]
    return np.stack([start, i], axis=1).ravel(), np.stack([i, end], axis=1).ravel()


def _leaves(c: GridCurve, y: Floats, row: int, n: int) -> float:
    """First step near `row` from which the curve stays under the level of the rows before it."""
    start = max(0, min(row - max(4, n // 10), n - 2))
    level = median_of(y[start : max(row, start + 1)])
    end = min(n, row + int(1.5 * SUDDEN * n) + 2)
    fall = level - bottom_of(y[row:end])
    limit = level - max(0.1 * fall, min(3.0 * noise_of(y), 0.5 * fall))
    above = np.flatnonzero(y[start:end] > limit)
    last = int(above[-1]) if len(above) else -1
    return float(c.x[min(n - 1, start + last + 1)])


def double_descent(val: Series) -> float | None:
    """Step of the peak between two descents, the second going below the first; None without one.

    Valley and peak each stand out by five standard errors, and the last level lies below the valley by three. The
    bump is a twentieth of the whole range, and of the level in the valley, at least.

    >>> double_descent(Series.of([5, 4, 3, 2, 2, 3, 4, 4, 3, 2, 1, 0.5, 0.3, 0.2, 0.1, 0.1]))
    6.0
    """
    found = turns(val)
    c = curve_of(val)
    if len(found) < 2 or len(c) < 12:
        return None
    k = max(2, len(c) // 10)
    end, noise = median_of(c.y[-k:]) * c.scale, c.noise * c.scale / k**0.5
    whole = range_of(c.calm) * c.scale
    for valley, peak in pairwise(found):
        bump = peak.value - valley.value
        if valley.valley and end < valley.value - 3.0 * noise and bump >= max(BUMP * whole, BUMP * abs(valley.value)):
            return peak.step
    return None
