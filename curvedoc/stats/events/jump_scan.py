"""The jump scan: where a curve changes level at once, told apart from steep decay, noise and outliers.

At row t and half width h: J = left end of the line through [t, t+h) minus right end of the line through [t-h, t).
Curvature cancels between the two sides, so a smooth decay gives J = 0 up to its third derivative; the staircases that
piecewise-constant changepoint methods make of a decay do not arise.

Source: moving sums (Eichinger & Kirch 2018) with local lines and narrowest-over-threshold selection (Baranowski, Chen &
Fryzlewicz 2019); the autocorrelation inflation is computed from the weights of J; quantile guard and confirmation are
our own and calibrated on simulated decays.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.series import Floats, Ints
from curvedoc.stats.basic.autocorrelation import lag_one, whitened
from curvedoc.stats.basic.medians import median_of, range_of, top_of
from curvedoc.stats.basic.robust import (
    MAD_D2,
    ROUNDING,
    block_medians,
    clipped,
    prefix,
    second_differences,
    smallest_gap,
    spread_blocks,
)
from curvedoc.stats.events.jump_proof import abrupt, confirmed, deviation, edges, inflation, lasting, line_weights
from curvedoc.stats.shape.decay import Ground, fit_shape, positions

FINE = (6, 8, 12, 16)
COARSE = (12, 16)
# Rows of which J is a product with its weights sooner than by running sums.
FEW = 512
# Rows worked on together: their sums and moments stay in the processor's second cache.
CHUNK = 16_384
# A window may not reach closer to the start than 4 times its half width: the steep head of a decay is not linear.
HEAD = 4
MIN_ROWS = 60
# Means of a scale, at the least.
COARSEST = 24
# Share of the threshold that the regression with a step has to confirm.
CONFIRM = 0.67
# Strong autocorrelation is never quite AR(1): the threshold grows by this share per unit of phi above .6.
SMOOTHED = 1.2


@dataclass(frozen=True, slots=True)
class Jump:
    """A jump on rescaled values. row: first row of the new level; before, after: edge levels; half: rows each side."""

    row: int
    z: float
    before: float
    after: float
    half: int


@lru_cache(maxsize=512)
def _normal_point(p: float) -> float:
    from statistics import NormalDist  # which brings fractions; most runs do not come here

    return NormalDist().inv_cdf(p)


def threshold(n: int, alpha: float) -> float:
    """Score from which a jump counts among n rows."""
    return float(np.sqrt(2.0 * np.log(n))) + alpha


def _scale(r: Floats, phi: float, rounding: float) -> Floats:
    """Noise at every row from second differences, corrected for autocorrelation, [n]."""
    d = np.abs(second_differences(r))
    level = block_medians(d, max(1, min(48, len(r) // 64))) / MAD_D2
    level = np.maximum(level, max(0.2 * median_of(level), rounding))
    return np.asarray(spread_blocks(level, len(r)) / whitened(phi), dtype=np.float64)


def contrasts(x: Floats, widths: tuple[int, ...] = FINE) -> Iterator[tuple[int, Floats]]:
    """(h, J) for the half widths (ascending) that fit twice into x; J[i] is the jump at row h + i."""
    m = len(x)
    widths = tuple(h for h in widths if 2 * h <= m)
    if m <= FEW:
        yield from ((h, np.correlate(x, line_weights(h), "valid")) for h in widths)
        return
    jumps = {h: np.empty(m - 2 * h + 1) for h in widths}
    overlap = 2 * max(widths, default=1) - 1
    for start in range(0, m - overlap, CHUNK):
        part = x[start : start + CHUNK + overlap]
        row = np.arange(len(part) + 1, dtype=np.float64)
        sums, moments = prefix(part), prefix(part * row[:-1])
        for h in widths:
            mean = sums[h:] - sums[:-h]
            # moment about the middle of the window, turned into half of what its line rises over it
            reach = row[:-h] + (h - 1) / 2.0
            reach *= mean
            np.subtract(moments[h:] - moments[:-h], reach, out=reach)
            reach *= 6.0 / (h * h - 1.0)
            mean *= 1.0 / h
            left, right = (mean + reach)[:-h], np.subtract(mean, reach, out=mean)[h:]
            np.subtract(right, left, out=jumps[h][start : start + len(right)])
    yield from jumps.items()


def _guard(a: Floats, h: int, m: int) -> float:
    """How much heavier the scores of one scale are than normal ones at a high quantile, 1..3."""
    if len(a) < 64:
        return 1.0
    sample = a[:: max(1, len(a) // 20_000)]
    p = min(0.5, max(0.004, 8.0 * h / m))
    k = int((1.0 - p) * (len(sample) - 1))
    return float(min(3.0, max(1.0, np.partition(sample, k)[k] / _normal_point(1.0 - p / 2.0))))


def _halved(x: Floats) -> list[tuple[int, Floats]]:
    """(rows in one, means of so many rows) for 2, 4, 8 ... rows, down to 24 means."""
    found: list[tuple[int, Floats]] = []
    fold = 1
    while len(x) >= 2 * COARSEST:
        pairs = len(x) // 2
        x, fold = 0.5 * (x[: 2 * pairs : 2] + x[1 : 2 * pairs : 2]), 2 * fold
        found.append((fold, x))
    return found


def _candidates(r: Floats, sigma: Floats, phi: float, limit: float) -> list[tuple[int, int, float]]:
    """(half width in rows, row, guarded score) of the local maxima above the limit, on all scales."""
    return sorted(
        [
            *_peaks(FINE, [(1, r)], sigma, phi, limit),
            *_peaks(COARSE, _halved(r), sigma, phi, limit),
        ]
    )


def _peaks(
    widths: tuple[int, ...], scales: list[tuple[int, Floats]], sigma: Floats, phi: float, limit: float
) -> Iterator[tuple[int, int, float]]:
    """_candidates of some scales: (rows in one, means) each, one behind the other so that they are scanned at once."""
    if not scales:
        return
    x = np.concatenate([means for _, means in scales]) if len(scales) > 1 else scales[0][1]
    noise = np.concatenate([sigma[: len(means) * fold : fold] for fold, means in scales])
    n = len(sigma)
    for h, score in contrasts(x, widths):
        np.abs(score, out=score)
        score /= noise[h : len(noise) - h + 1]
        end = 0
        for fold, means in scales:
            start, m, wide = end, len(means), h * fold
            end = start + m
            if wide > max(6, n // HEAD):
                continue
            unit = math.sqrt(2.0 * (1.0 / h + 3.0 * h / (h * h - 1.0)) * inflation(wide, phi) / fold)
            part = score[start + (HEAD - 1) * h : start + max(0, m - 2 * h + 1)]
            # the guard only raises the limit
            if len(part) and top_of(part) > limit * unit:
                yield from ((wide, (top + HEAD * h) * fold, z) for top, z in _tops(part / unit, h, m, limit))


def _tops(score: Floats, h: int, m: int, limit: float) -> Iterator[tuple[int, float]]:
    """(place, guarded score) of the highest score of every stretch above the guarded limit."""
    guard = _guard(score, h, m)
    above = np.flatnonzero(score > limit * guard)
    for group in np.split(above, np.flatnonzero(np.diff(above) > h) + 1) if len(above) else ():
        top = int(group[score[group].argmax()])
        yield top, float(score[top]) / guard


def scan(y: Floats, step: Ints, alpha: float, known: Ground | None = None) -> list[Jump]:
    """Jumps of finite values |y| <= 2 that were logged at one cadence, in order; [] below 60 rows.

    known: the ground of y, where it was worked out before.
    """
    n = len(y)
    if n < MIN_ROWS:
        return []
    flat = clipped(y) if known is None else known.calm
    r = flat - (fit_shape(y, step, flat).at(positions(step)) if known is None else known.model)
    # Autocorrelation is a property of the whole: 100,000 rows tell it.
    phi = min(0.95, max(0.0, lag_one(r[:100_000]) or 0.0))
    rounding = max(smallest_gap(y) * ROUNDING, 1e-6 * range_of(y))
    if rounding <= 0.0:
        return []
    sigma = _scale(r, phi, rounding)
    limit = threshold(n, alpha) * (1.0 + SMOOTHED * max(0.0, phi - 0.6))
    kept: list[tuple[int, int, float]] = []
    for half, row, z in _candidates(r - median_of(r), sigma, phi, limit):
        # Narrow candidates come first, so that every kept one is at most as wide as this.
        i = bisect_left(kept, (row,))
        if any(abs(row - other) <= 1.5 * half for other, _, _ in kept[max(0, i - 1) : i + 1]):
            continue
        t, place = confirmed(flat, row, half)
        noise = float(sigma[min(place, n - 1)])
        sure = t / np.sqrt(inflation(half, phi)) >= CONFIRM * limit
        if sure and abrupt(r, place, half, noise, phi) and lasting(r, place, half):
            insort(kept, (place, half, z))
    return _levels(flat, r, sigma, phi, kept)


def _levels(y: Floats, r: Floats, sigma: Floats, phi: float, kept: list[tuple[int, int, float]]) -> list[Jump]:
    """Each found place with the best score over all half widths up to its neighbors, and its two levels."""
    n = len(y)
    places = [0, *(row for row, _, _ in kept), n]
    jumps = []
    for i, (row, half, z) in enumerate(kept):
        room = min(row - places[i], places[i + 2] - row)
        best, h = z, min(half, max(room, 4))
        width = 8
        while width <= min(room, max(8, row // HEAD)):
            before, after = edges(r, row, width)
            score = abs(after - before) / (float(sigma[row]) * deviation(width, phi))
            if score > best:
                best, h = score, width
            width *= 2
        before, after = edges(y, row, min(h, row, n - row))
        jumps.append(Jump(row, best, before, after, h))
    return jumps
