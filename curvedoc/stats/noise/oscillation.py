"""Oscillation: how far a curve swings about its trend, and whether that is movement of the model or batch noise."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Floats, Series, once_a_series
from curvedoc.stats.basic.grid import MAD_TO_SD, curve_of, edges, means, noise_of, scale_of
from curvedoc.stats.basic.medians import bottom_of, mean_of, median_of, quantile_of, top_of
from curvedoc.stats.noise.period import period_amplitude
from curvedoc.stats.shape.decay import ground

LEAST = 40  # rows
WIDE = 0.9  # share of the values that a swing spans, so that single spikes do not count
FLIPS = 0.8  # of the differences change sign: 2/3 is white noise
BACK_AND_FORTH = -0.3  # lag-1 correlation of a step-to-step oscillation
ACCIDENT = 12.0  # robust deviations: beyond every tail of batch noise, so the value belongs to one batch
WAVE = 0.4  # of the swing lies between crest and trough of a period: of noise that repeats each epoch a third at most
WANDERS = 4.0  # times what white noise would leave in a bucket mean


@once_a_series
def _made(s: Series) -> float | None:
    """Initial level minus lowest bucket mean in the scale of the curve, never below zero; None below 40 finite rows."""
    c = curve_of(s)
    n = len(c)
    return None if n < LEAST else max(0.0, c.head - bottom_of(means(c.calm, edges(n, 16))))


@once_a_series
def swing(s: Series) -> float | None:
    """How far the values range about their trend in the second half, over the whole progress made; 10 at most.

    Range of the middle 90 % of the values less their local trend (a line through each quarter), over initial level
    minus lowest bucket mean. .1: a run that settled. 1 and above: it swings as far as it ever came. Counts batch
    noise as well as oscillation; None below 40 finite rows or where nothing moves.

    >>> swing(Series.of([3.0 * 0.9**i for i in range(100)])) < 0.05
    True
    """
    y, made = curve_of(s).y, _made(s)
    if made is None:
        return None
    n = len(y)
    quarter = n // 4
    spans = [_range(_straightened(_without_accidents(y[n - (i + 1) * quarter : n - i * quarter]))) for i in range(2)]
    return _share(sum(spans) / len(spans), made)


def _share(span: float, made: float) -> float | None:
    """span over the progress made, 10 at most; None where nothing moves."""
    if span == 0.0:
        return None if made == 0.0 else 0.0
    return 10.0 if span >= 10.0 * made else span / made


def _without_accidents(y: Floats) -> Floats:
    """`y` with values beyond `ACCIDENT` robust deviations pulled in to there: one bad batch is no swing."""
    middle = median_of(y)
    away = np.abs(y - middle)
    reach = ACCIDENT * MAD_TO_SD * median_of(away)
    if reach <= 0.0 or top_of(away) <= reach:
        return y
    return np.minimum(np.maximum(y, middle - reach), middle + reach)


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
    c, g = curve_of(s), ground(s)
    return None if g is None or len(c) < LEAST else _lag1(g.rest(c.scale))


def _lag1(rest: Floats) -> float | None:
    rest = rest - median_of(rest)
    spread = MAD_TO_SD * median_of(np.abs(rest))
    if spread == 0.0:
        return None
    x = np.minimum(np.maximum(rest / spread, -4.0), 4.0)
    x = x - mean_of(x)
    power = float(x @ x)
    return None if power == 0.0 else float(x[1:] @ x[:-1]) / power


@once_a_series
def wander(s: Series) -> float | None:
    """How far the local level wanders about its trend in the second half, over the whole progress made; 10 at most.

    As `swing`, but on bucket means (16 rows at most), so that noise from batch to batch averages out and only slow
    swings of the model remain. None below 40 finite rows or where nothing moves.

    >>> wander(Series.of([3.0 * 0.9**i for i in range(100)])) < 0.05
    True
    """
    made = _made(s)
    if made is None:
        return None
    b = _local(curve_of(s).y)
    return _share(_range(_straightened(b)) if len(b) >= 5 else 0.0, made)


def _local(y: Floats) -> Floats:
    """Bucket means of the second half, 4 to 16 rows each."""
    half = _without_accidents(y[len(y) // 2 :])
    rows = min(16, max(4, len(half) // 16))
    return means(half, edges(len(half), len(half) // rows))


@once_a_series
def wanders(s: Series) -> bool | None:
    """Whether the local level moves more than batch noise explains: bucket means scatter four times too widely.

    None below 40 finite rows.

    >>> import math
    >>> wanders(Series.of([math.sin(i / 9) + (i * 7919 % 13) / 40 for i in range(300)]))
    True
    """
    y = curve_of(s).y
    if len(y) < LEAST:
        return None
    half = y[len(y) // 2 :]
    b = _straightened(_local(y))
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

    Such a pattern is: back and forth from row to row, or a wave with a period, or a local level that wanders, by
    `least` itself. False for plain noise however large (see `swing` for that), also where the same batches come in the
    same order each epoch: such noise has a period and no wave. None below 40 finite rows or where nothing moves.

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
    wave = period_amplitude(s)
    made = _made(s)
    return wave is not None and made is not None and 2.0 * wave >= WAVE * size * made * scale_of(s.finite().value)
