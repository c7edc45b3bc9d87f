"""Pace: how long steps take, and whether they take lastingly longer from some point on. Robust to heavy tails."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.core.series import Floats, Ints, Series, once_a_series
from curvedoc.stats.basic.medians import bottom_of, median_of, quantile_of, row_medians
from curvedoc.stats.basic.spacing import even_rows

OPENING = 0.05  # of the rows: compilation and cold caches make the first rows slow
LEAST = 5  # rows on either side of a change
LEAST_SHARE = 0.1  # of the rows on either side of a change
MOST = 200  # rows to search; longer series are drawn together by medians
TRIALS = 40  # places tried for the change
TICKS = 5.0  # a clock coarser than a fifth of the time between rows tells nothing
CLOCKS = (60.0, 1.0, 0.1, 0.01, 0.001)  # seconds
EQUAL = 1e-12  # of a cost: what the order of its sum makes of it
LOW, HIGH = 0.2, 0.8  # quantiles between which the bulk of jittering step times lies, pauses left out


@dataclass(frozen=True, slots=True)
class Change:
    """The best split of a series of positive values into two levels: step, ratio of levels, distance of the bulks."""

    step: float
    factor: float
    clear: float


def row_seconds(s: Series) -> Series:
    """Seconds per step between logged rows, at the later row; empty without a clock or with one that is too coarse.

    Rows at which the clock stands or goes back are left out. Pauses (evaluation, checkpoints) stay, as outliers.

    >>> from dataclasses import replace
    >>> import numpy as np
    >>> s = replace(Series.of([1.0] * 4, step=[0, 10, 20, 30]), time=np.array([0.25, 1.75, 3.25, 4.75]))
    >>> row_seconds(s).value.tolist()
    [0.15, 0.15, 0.15]
    """
    empty = Series(np.empty(0, dtype=np.int64), np.empty(0), s.metric)
    if s.time is None:
        return empty
    known = np.isfinite(s.time)
    time, step = s.time[known], s.step[known]
    if len(time) < 2:
        return empty
    gap, steps = time[1:] - time[:-1], step[1:] - step[:-1]
    if median_of(gap) < TICKS * _tick(time):
        return empty
    good = gap > 0.0
    return Series(step[1:][good].copy(), gap[good] / steps[good], s.metric)


def _tick(time: Floats) -> float:
    """Unit in which a clock counts: the coarsest usual one of which all times are multiples, 0 when finer than 1 ms."""
    for unit in CLOCKS:
        counts = time / unit
        if bool((np.abs(counts - np.round(counts)) < 0.02).all()):
            return unit
    return 0.0


def inverse(s: Series) -> Series:
    """1 / value of the positive finite rows: a throughput as a time.

    >>> inverse(Series.of([4.0, 2.0])).value.tolist()
    [0.25, 0.5]
    """
    f = s.finite()
    p = f.cut(f.value > 1e-300)
    return Series(p.step.copy(), 1.0 / p.value, s.metric)


@once_a_series
def _change(s: Series) -> Change | None:
    """The split of log(value) into two levels of least absolute deviation, the opening left out; None when short."""
    f = s.finite()
    p = f.cut(f.value > 0.0)
    p = p.cut(slice(max(1, int(len(p) * OPENING)), len(p)))
    if len(p) < 2 * LEAST:
        return None
    step, y = p.step.astype(np.float64), np.log(p.value)
    if len(y) > MOST:
        length = -(-len(y) // MOST)
        n = len(y) // length
        y = row_medians(y[: n * length].reshape(n, length))
        step = step[: n * length : length]
    edge = max(LEAST, int(len(y) * LEAST_SHARE))
    if len(y) < 2 * edge:
        return None
    best = _split(y, even_rows(edge, len(y) - edge, TRIALS))
    a, b = y[:best], y[best:]
    factor = float(np.exp(np.clip(median_of(b) - median_of(a), -700, 700)))
    clear = float(np.exp(np.clip(quantile_of(b, LOW) - quantile_of(a, HIGH), -700, 700)))
    return Change(float(step[best]), factor, clear)


def _split(y: Floats, trials: Ints) -> int:
    """The row of `trials` (1 to n - 1) before and after which y lies closest to two medians, the first of equals."""
    row = np.arange(len(y))
    before = row < trials[:, None]
    away = np.abs(y - np.where(before, _medians(y, before, trials), _medians(y, ~before, len(y) - trials)))
    cost = away.sum(axis=1)
    # values between the two medians cost the same on either side: equal but for rounding
    return int(trials[int(np.argmax(cost <= bottom_of(cost) * (1.0 + EQUAL)))])


def _medians(y: Floats, inside: NDArray[np.bool_], count: Ints) -> Floats:
    """The median of the values that each row of `inside` selects, `count` of them, [trials, 1]."""
    ordered = np.where(inside, y, np.inf)
    ordered.sort(axis=1)
    trial = np.arange(len(count))
    return np.asarray(0.5 * (ordered[trial, (count - 1) // 2] + ordered[trial, count // 2]))[:, None]


def slow_step(s: Series) -> float | None:
    """Step from which a time is at another level up to the end, found by two medians; None below ten positive rows.

    Always some step: whether the change is one, `slow_factor` and `slow_clear` tell.

    >>> slow_step(Series.of([1.0] * 20 + [2.0] * 20))
    20.0
    """
    c = _change(s)
    return None if c is None else c.step


def slow_factor(s: Series) -> float | None:
    """Median time after the change over the median before it, opening rows left out; None below ten positive rows.

    >>> round(slow_factor(Series.of([1.0] * 20 + [2.0] * 20)), 3)
    2.0
    """
    c = _change(s)
    return None if c is None else c.factor


def slow_clear(s: Series) -> float | None:
    """Fast times after the change (20 %) over slow times before it (80 %): above 1 the two hardly overlap.

    Jitter, bursts and pauses give values below 1. None below ten positive rows.

    >>> round(slow_clear(Series.of([1.0] * 20 + [2.0] * 20)), 3)
    2.0
    """
    c = _change(s)
    return None if c is None else c.clear
