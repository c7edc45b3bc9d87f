"""Means that start anew: the steps after which a logged value begins its average again, found by how it settles."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from curvedoc.core.series import Floats, Ints, Series, once_a_series
from curvedoc.stats.basic.medians import mean_of, quantile_of, top_of
from curvedoc.stats.basic.spacing import typical_gap

#: Fewer rows hold no four means of eight rows each.
LEAST = 40
#: Rows of a mean: below, 1/k has hardly room to fall.
SHORTEST = 8
#: A mean must start anew that often: three declines in a row happen to any noise.
TIMES = 4
MOST = 1 << 11  # rows; of a longer curve, the last ones
#: Correlation of the moves with those one mean later: of means it is 0.3 to 0.6.
ALIKE = 0.15
CANDIDATES = 4
#: Rows that are set beside themselves sooner than transformed.
FEW = 512
#: Bins of a period in which its beginning is sought.
BINS = 64
#: The k-th move of a mean is about 1/k of what a batch moves it: on logarithms a slope of -1, flatter where rows are
#: left out or the loss falls at the same time.
FLATTEST, STEEPEST = 0.65, 1.5
#: Of the moves beyond chance: batches in one order move the loss the same way in every epoch.
REPEATED = 0.4
#: Correlation of the course with that of one length before; teeth of a mean that falls come to 0.9.
WAVE = 0.93
#: Standard errors of that slope. Of 350 trained runs none that logs single batches came to 6 (with four repeats and
#: such a slope), means of 20 rows and more to 7 and above.
CLEAR = 6.5
#: The same of the moves averaged over the repeats: batches in one order repeat whatever moves they make.
CLEAR_FOLDED = 5.0


@once_a_series
def mean_period(s: Series) -> float | None:
    """Steps after which a mean over all rows so far begins anew; None where the curve is no such mean.

    The mean of k batches moves by about 1/k of what one batch moves it. So the logarithm of the size of its moves falls
    like -log k from one beginning to the next. The length comes from the autocorrelation of these logarithms about
    their drift over the run, the beginning from the shift that fits best, and a regression on -log k decides: it must
    have about that slope, far beyond its error. A pattern of the data repeats values, not how far they settle. NaN rows
    are left out; None below 40 rows, or where many rows repeat the one before.

    >>> batches = [math.sin(7919.0 * i * i) for i in range(200)]
    >>> mean = [sum(batches[40 * (i // 40) : i + 1]) / (i % 40 + 1) for i in range(200)]
    >>> round(mean_period(Series.of(mean)) or 0.0), mean_period(Series.of(batches))
    (40, None)
    """
    v = s.finite()
    if len(v) < LEAST:
        return None
    value, step = v.value[-MOST:], v.step[-MOST:]
    gap, scale = typical_gap(step), top_of(np.abs(value))
    if not gap > 0.0 or not scale > 0.0:
        return None
    scaled = value / scale
    moves = scaled[1:] - scaled[:-1]
    size = np.abs(moves)
    moved = size[size > 0.0]
    if len(moved) < 0.8 * len(size):
        return None
    y = np.log(np.maximum(size, quantile_of(moved, 0.02)))
    drift = _drifts(len(y))
    y = y - drift @ (y @ drift)
    spread = 4.0 * _deviations(y)
    y = np.minimum(np.maximum(y, -spread), spread)
    clear = [found for near in _lengths(y) for found in _clear(y, near)]
    rows = max(clear)[1] if clear else math.nan
    return rows * gap if clear and not _same_again(moves, rows) else None


# The runs of a tree are mostly of a few lengths.
@lru_cache(maxsize=4)
def _drifts(n: int) -> Floats:
    """Orthonormal constant, line and parabola of n rows, [n, 3]."""
    return np.linalg.qr(np.vander(np.linspace(-1.0, 1.0, n), 3))[0]


def _lengths(y: Floats) -> list[int]:
    """Candidates for the length in rows: the highest peaks of the autocorrelation."""
    n = len(y)
    most = n // TIMES + 2
    if n <= FEW:
        alike = np.correlate(np.concatenate([y, np.zeros(most - 1)]), y, "valid")
    else:
        size = 1 << (n + most - 1).bit_length()  # another size with room for these lags takes up to five times as long
        alike = np.fft.irfft(np.abs(np.fft.rfft(y, size)) ** 2)[:most]
    if not alike[0] > 0.0:
        return []
    alike = alike / alike[0] * (n / np.arange(n, n - len(alike), -1))
    inner = alike[SHORTEST:-1]
    peaks = np.flatnonzero((inner >= alike[SHORTEST - 1 : -2]) & (inner >= alike[SHORTEST + 1 :]) & (inner > ALIKE))
    peaks += SHORTEST
    return [int(k) for k in peaks[np.argsort(-alike[peaks])][:CANDIDATES]] if len(peaks) else []


@lru_cache(maxsize=32)
def _folding(near: int, n: int) -> tuple[Floats, int, Ints, Floats]:
    """(lengths about a whole number of rows, so fine that the last beginning is met; bins of each; the bin of each of n
    rows, one length behind the other; rows in each bin, at least 1).
    """
    off = 0.7 * near / n
    lengths = np.linspace(near * (1.0 - off), near * (1.0 + off), 15)
    at, bins = np.arange(n, dtype=np.float64), max(SHORTEST, min(BINS, near))
    place = np.minimum((at % lengths[:, None] / lengths[:, None] * bins).astype(np.int64), bins - 1)
    place = (place + bins * np.arange(len(lengths))[:, None]).ravel()
    return lengths, bins, place, np.maximum(np.bincount(place, minlength=bins * len(lengths)), 1)


@lru_cache(maxsize=16)
def _settling(bins: int) -> tuple[Floats, float]:
    """(-log k over a mean in so many bins, about its average, begun at every bin [bin, beginning]; its power)."""
    fall = -np.log((np.arange(bins) + 0.5) / bins)
    fall -= mean_of(fall)
    return fall[(np.arange(bins)[:, None] - np.arange(bins)) % bins], float(fall @ fall)


def _clear(y: Floats, near: int) -> list[tuple[float, float]]:
    """(standard errors of the slope on -log k at the beginning that fits best, length in rows) of the lengths about a
    whole number of rows at which the curve is such a mean.
    """
    lengths, bins, place, filled = _folding(near, len(y))
    total = np.bincount(place, weights=np.tile(y, len(lengths)), minlength=bins * len(lengths))
    folded = (total / filled).reshape(-1, bins)
    begun, power = _settling(bins)
    match = folded @ begun
    shifts = match.argmax(axis=1)
    best = match.max(axis=1)
    # what the slope leaves of the variance, in which the slope is measured
    left = bins * _deviations(folded) ** 2 - best * best / power
    found = []
    # of few bins, and of all lengths at once, so it is asked first
    for i in np.flatnonzero((best > 0.0) & (best * best * bins > CLEAR_FOLDED**2 * power * left)).tolist():
        rows, shift = float(lengths[i]), int(shifts[i])
        at = np.arange(len(y), dtype=np.float64)
        slope, z = _slopes(-np.log((at - shift * rows / bins) % rows / rows + 0.5 / rows), y)
        if z > CLEAR and FLATTEST < slope < STEEPEST:
            found.append((float(z), rows))
    return found


def _same_again(moves: Floats, rows: float) -> bool:
    """Whether the later half goes as it went one length before: batches in one order, or a wave; no mean of new ones.

    By the signs of the moves, since those of a mean shrink (one that falls over the run moves down more often than up),
    and by the course about its average over one length, which the noise of many small moves does not hide.
    """
    later, lag = moves[len(moves) // 2 :], round(rows)
    if 2 * lag >= len(later):
        return False
    sign = np.sign(later)
    up = float((sign > 0.0).mean())
    alike = float((sign[lag:] == sign[:-lag]).mean())
    by_chance = up * up + (1.0 - up) * (1.0 - up)
    course = np.cumsum(later)
    rest = course[lag // 2 : len(course) - (lag - 1 - lag // 2)] - np.convolve(course, np.full(lag, 1.0 / lag), "valid")
    a, b = rest[lag:], rest[:-lag]
    both = float(np.sqrt((a @ a) * (b @ b)))
    waves = len(a) > lag and both > 0.0 and float(a @ b) > WAVE * both
    return waves or alike - by_chance > REPEATED * (1.0 - by_chance)


def _deviations(y: Floats) -> Floats:
    """y.std(axis=-1) without its general part."""
    away = y - np.add.reduce(y, axis=-1, keepdims=True) / y.shape[-1]
    return np.asarray(np.sqrt(np.add.reduce(away * away, axis=-1) / y.shape[-1]))


def _slopes(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """(slope of a straight line, the same in its standard errors) of every row of y."""
    u, v = x - mean_of(x), y - np.add.reduce(y, axis=-1, keepdims=True) / y.shape[-1]
    power = float(u @ u)
    slope = v @ u / power
    left = _deviations(v - np.multiply.outer(slope, u))
    with np.errstate(divide="ignore", invalid="ignore"):
        return slope, np.where(left > 0.0, slope * math.sqrt(power) / left, math.inf)
