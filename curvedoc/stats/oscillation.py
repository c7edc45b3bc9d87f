"""Oscillation: how far a curve swings about its trend, and whether that is movement of the model or batch noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from curvedoc.series import Floats, Series, kept
from curvedoc.stats.decay import ground
from curvedoc.stats.grid import MAD_TO_SD, Curve, curve_of, edges, head_level, means, noise_of
from curvedoc.stats.medians import bottom_of, mean_of, median_of, quantile_of
from curvedoc.stats.period import period_score, significant

LEAST = 40  # rows
WIDE = 0.9  # share of the values that a swing spans, so that single spikes do not count
FLIPS = 0.8  # of the differences change sign: 2/3 is white noise
BACK_AND_FORTH = -0.3  # lag-1 correlation of a step-to-step oscillation
ACCIDENT = 12.0  # robust deviations: beyond every tail of batch noise, so the value belongs to one batch
WANDERS = 4.0  # times what white noise would leave in a bucket mean


@dataclass(frozen=True, slots=True, eq=False)
class Around:
    """A curve around its smooth decay, in the scale of the curve.

    rest: float64 [n] values minus decay; drop: initial level minus lowest bucket mean, never below zero
    """

    curve: Curve
    rest: Floats
    drop: float


@kept
def around(s: Series) -> Around | None:
    """The finite rows of `s` around their smooth decay; None below 40 of them."""
    c, g = curve_of(s), ground(s)
    n = len(c)
    if n < LEAST or g is None:
        return None
    rest = g.rest(c.scale)
    rest.setflags(write=False)
    lowest = bottom_of(means(c.calm, edges(n, 16)))
    return Around(c, rest, max(0.0, head_level(c.y) - lowest))


def swing(s: Series) -> float | None:
    """How far the values range about their trend in the second half, over the whole progress made; 10 at most.

    Range of the middle 90 % of the values less their local trend (a line through each quarter), over initial level
    minus lowest bucket mean. .1: a run that settled. 1 and above: it swings as far as it ever came. Counts batch
    noise as well as oscillation; None below 40 finite rows or where nothing moves.

    >>> swing(Series.of([3.0 * 0.9**i for i in range(100)])) < 0.05
    True
    """
    a = around(s)
    if a is None:
        return None
    n = len(a.rest)
    quarter = n // 4
    spans = [
        _range(_straightened(_without_accidents(a.curve.y[n - (i + 1) * quarter : n - i * quarter]))) for i in range(2)
    ]
    span = sum(spans) / len(spans)
    if span == 0.0:
        return None if a.drop == 0.0 else 0.0
    return 10.0 if span >= 10.0 * a.drop else span / a.drop


def _without_accidents(y: Floats) -> Floats:
    """`y` with values beyond `ACCIDENT` robust deviations pulled in to there: one bad batch is no swing."""
    middle = median_of(y)
    reach = ACCIDENT * MAD_TO_SD * median_of(np.abs(y - middle))
    out: Floats = np.clip(y, middle - reach, middle + reach) if reach > 0.0 else y
    return out


def _range(y: Floats) -> float:
    return quantile_of(y, 0.5 + WIDE / 2) - quantile_of(y, 0.5 - WIDE / 2)


def _straightened(y: Floats) -> Floats:
    """`y` less its least-squares line."""
    x = np.arange(len(y)) - (len(y) - 1) / 2
    out: Floats = y - mean_of(y)
    slope = float(x @ out) / float(x @ x)
    x *= slope
    out -= x
    return out


def flip_rate(s: Series) -> float | None:
    """Share of successive movements that change direction: 2/3 for white noise, 1 for back and forth, 0 for a trend.

    Rows that do not move are left out. None below ten movements.

    >>> flip_rate(Series.of([1.0, 2.0] * 10))
    1.0
    """
    y = curve_of(s).y
    d = np.sign(y[1:] - y[:-1])
    d = d[d != 0]
    return None if len(d) < 10 else mean_of(d[1:] != d[:-1])


def lag1(s: Series) -> float | None:
    """Correlation of neighboring rows about the smooth decay: -1 back and forth, 0 white noise, near 1 wandering.

    Values are clipped at four robust deviations. None below 40 finite rows or where nothing moves.

    >>> lag1(Series.of([1.0, 2.0] * 30)) < -0.9
    True
    """
    a = around(s)
    return None if a is None else _lag1(a.rest)


def _lag1(rest: Floats) -> float | None:
    rest = rest - median_of(rest)
    spread = MAD_TO_SD * median_of(np.abs(rest))
    if spread == 0.0:
        return None
    x = np.minimum(np.maximum(rest / spread, -4.0), 4.0)
    x = x - mean_of(x)
    power = float(x @ x)
    return None if power == 0.0 else float(x[1:] @ x[:-1]) / power


def wander(s: Series) -> float | None:
    """How far the local level wanders about its trend in the second half, over the whole progress made; 10 at most.

    As `swing`, but on bucket means (16 rows at most), so that noise from batch to batch averages out and only slow
    swings of the model remain. None below 40 finite rows or where nothing moves.

    >>> wander(Series.of([3.0 * 0.9**i for i in range(100)])) < 0.05
    True
    """
    a = around(s)
    if a is None:
        return None
    b = _local(a.curve.y)
    span = _range(_straightened(b)) if len(b) >= 5 else 0.0
    if span == 0.0:
        return None if a.drop == 0.0 else 0.0
    return 10.0 if span >= 10.0 * a.drop else span / a.drop


def _local(y: Floats) -> Floats:
    """Bucket means of the second half, 4 to 16 rows each."""
    half = _without_accidents(y[len(y) // 2 :])
    rows = min(16, max(4, len(half) // 16))
    return means(half, edges(len(half), len(half) // rows))


def wanders(s: Series) -> bool | None:
    """Whether the local level moves more than batch noise explains: bucket means scatter four times too widely.

    None below 40 finite rows.

    >>> import math
    >>> wanders(Series.of([math.sin(i / 9) + (i * 7919 % 13) / 40 for i in range(300)]))
    True
    """
    a = around(s)
    if a is None:
        return None
    half = a.curve.y[len(a.curve) // 2 :]
    b = _straightened(_local(a.curve.y))
    rows = len(half) / len(b)
    noise = noise_of(half)
    scatter = MAD_TO_SD * median_of(np.abs(b - median_of(b)))
    return scatter > WANDERS * noise / rows**0.5 and scatter > 1e-9


def back_and_forth(s: Series) -> bool | None:
    """Whether the curve jumps up and down from row to row, as a rate at the edge of stability makes it.

    Lag-1 correlation of -.3 or below with eight of ten movements changing direction. None below 40 finite rows.

    >>> back_and_forth(Series.of([1.0, 2.0] * 30))
    True
    """
    r, flips = lag1(s), flip_rate(s)
    return None if r is None or flips is None else r <= BACK_AND_FORTH and flips >= FLIPS


def oscillating(s: Series, least: float) -> bool | None:
    """Whether a curve swings by `least` of its whole progress or more in a pattern that batch noise does not make.

    Such a pattern is: back and forth from row to row, a period, or a local level that wanders by `least` itself.
    False for plain noise however large (see `swing` for that); None below 40 finite rows or where nothing moves.

    >>> oscillating(Series.of([3.0 * 0.9**i for i in range(100)]), 0.5)
    False
    """
    size = swing(s)
    if size is None:
        return None
    if size < least:
        return False
    slow = wander(s)
    if back_and_forth(s) or (slow is not None and slow >= least and wanders(s)):
        return True
    score = period_score(s)
    return score is not None and significant(score, len(s.finite()))
