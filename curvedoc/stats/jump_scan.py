"""The jump scan: where a curve changes level at once, told apart from steep decay, noise and outliers.

At row t and half width h: J = left end of the line through [t, t+h) minus right end of the line through [t-h, t).
Curvature cancels between the two sides, so a smooth decay gives J = 0 up to its third derivative; the staircases that
piecewise-constant changepoint methods make of a decay do not arise.

Source: moving sums (Eichinger & Kirch 2018) with local lines and narrowest-over-threshold selection (Baranowski, Chen &
Fryzlewicz 2019); the autocorrelation inflation is computed from the weights of J; quantile guard and confirmation are
our own and calibrated on simulated decays.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from curvedoc.series import Floats, Ints
from curvedoc.stats.decay import fit_shape, positions
from curvedoc.stats.noise import lag_one, whitened
from curvedoc.stats.robust import (
    MAD_D2,
    ROUNDING,
    block_medians,
    clipped,
    prefix,
    second_differences,
    smallest_gap,
    spread_blocks,
)

FINE = (6, 8, 12, 16)
COARSE = (12, 16)
# A window may not reach closer to the start than 4 times its half width: the steep head of a decay is not linear.
HEAD = 4
MIN_ROWS = 60
# Share of the threshold that the regression with a step has to confirm.
CONFIRM = 0.67
WINDOW_MOST = 1024
# Strong autocorrelation is never quite AR(1): the threshold grows by this share per unit of phi above .6.
SMOOTHED = 1.2
LAGS = 96
# Half widths to look again through, the deviations a jump needs to be seen there, and the share that must remain.
FINE_TO_WIDE = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096)
SEEN, SAME = 5.0, 0.5
# Share of a jump that the medians of twice as many rows must show, up to the width that an outlier can smear.
LASTING, SMEARED = 0.4, 64


@dataclass(frozen=True, slots=True)
class Jump:
    """A jump on rescaled values. row: first row of the new level; before, after: edge levels; half: rows each side."""

    row: int
    z: float
    before: float
    after: float
    half: int


@lru_cache(maxsize=128)
def _weight_lags(half: int) -> Floats:
    """Autocorrelation of the weights of J at lags 1.., [min(2 half, 97) - 1]."""
    i = np.arange(half) + 0.5
    # Edge value of a line through h rows: mean + slope * h/2, slope weights 12 (i - mean) / (h (h^2 - 1)).
    side = 1.0 / half + (half / 2.0) * 12.0 * (half / 2.0 - i) / (half * (half * half - 1.0))
    w = np.concatenate([-side[::-1], side])
    power = float(w @ w)
    return np.array([float(w[k:] @ w[:-k]) / power for k in range(1, min(2 * half, LAGS + 1))])


def inflation(half: int, phi: float) -> float:
    """Variance of J under AR(1) noise over its variance under white noise of the same scale, >= 1."""
    if phi <= 0.0:
        return 1.0
    if half > 1024:
        return (1.0 + phi) / (1.0 - phi)
    r = _weight_lags(half)
    return max(1.0, 1.0 + 2.0 * float(r @ phi ** np.arange(1, len(r) + 1)))


@lru_cache(maxsize=512)
def _normal_point(p: float) -> float:
    return NormalDist().inv_cdf(p)


def threshold(n: int, alpha: float) -> float:
    """Score from which a jump counts among n rows."""
    return float(np.sqrt(2.0 * np.log(n))) + alpha


def _scale(r: Floats, phi: float, rounding: float) -> Floats:
    """Noise at every row from second differences, corrected for autocorrelation, [n]."""
    d = np.abs(second_differences(r))
    level = block_medians(d, max(1, min(48, len(r) // 64))) / MAD_D2
    level = np.maximum(level, max(0.2 * float(np.median(level)), rounding))
    return np.asarray(spread_blocks(level, len(r)) / whitened(phi), dtype=np.float64)


def contrasts(x: Floats) -> Iterator[tuple[int, Floats]]:
    """(h, J) for the half widths of one level; J[i] is the jump at row h + i."""
    m = len(x)
    sums, moments = prefix(x), prefix(x * np.arange(m))
    for h in FINE if m else ():
        if 2 * h > m:
            return
        s = sums[h:] - sums[:-h]
        start = np.arange(m - h + 1)
        slope = (moments[h:] - moments[:-h] - (start + (h - 1) / 2.0) * s) * (12.0 / (h * (h * h - 1.0)))
        mean, reach = s / h, slope * (h / 2.0)
        yield h, (mean - reach)[h:] - (mean + reach)[:-h]


def _guard(a: Floats, h: int, m: int) -> float:
    """How much heavier the scores of one scale are than normal ones at a high quantile, 1..3."""
    if len(a) < 64:
        return 1.0
    sample = a[:: max(1, len(a) // 20_000)]
    p = min(0.5, max(0.004, 8.0 * h / m))
    k = int((1.0 - p) * (len(sample) - 1))
    return float(min(3.0, max(1.0, np.partition(sample, k)[k] / _normal_point(1.0 - p / 2.0))))


def _candidates(r: Floats, sigma: Floats, phi: float, limit: float) -> list[tuple[int, int, float]]:
    """(half width in rows, row, guarded score) of the local maxima above the limit, on all scales."""
    n = len(r)
    found: list[tuple[int, int, float]] = []
    x, fold = r, 1
    while len(x) >= 24:
        m = len(x)
        for h, jump in contrasts(x):
            wide = h * fold
            if wide > max(6, n // HEAD):
                break
            if fold > 1 and h not in COARSE:
                continue
            deviation = np.sqrt(2.0 * (1.0 / h + 3.0 * h / (h * h - 1.0)) * inflation(wide, phi) / fold)
            rows = np.arange(h, m - h + 1)
            score = np.abs(jump) / (sigma[np.minimum(rows * fold, n - 1)] * deviation)
            first = max(h, -(-HEAD * wide // fold)) - h
            score = score[first:]
            guard = _guard(score, h, m)
            above = np.flatnonzero(score > limit * guard)
            if not len(above):
                continue
            for group in np.split(above, np.flatnonzero(np.diff(above) > h) + 1):
                top = int(group[np.argmax(score[group])])
                found.append((wide, (top + first + h) * fold, float(score[top]) / guard))
        pairs = m // 2
        x, fold = 0.5 * (x[: 2 * pairs : 2] + x[1 : 2 * pairs : 2]), 2 * fold
    return sorted(found)


def confirm(w: Floats, row: int, reach: int) -> tuple[float, int]:
    """(|t|, row) of the best step near `row` in a regression of w on 1, x, x^2, x^3 and that step.

    The best split within `reach` rows; 0 where no split has three rows on either side.
    Source: Frisch & Waugh (1933): the cubic is projected out once, the steps by running sums.
    """
    n = len(w)
    split = np.arange(max(3, row - reach), min(n - 3, row + reach) + 1)
    if len(split) == 0:
        return 0.0, row
    x = (np.arange(n) - (n - 1) / 2.0) / n
    q = np.linalg.qr(np.vander(x, 4))[0]
    r = w - q @ (q.T @ w)
    gone, basis = prefix(r), np.concatenate([np.zeros((1, 4)), np.cumsum(q, axis=0)])
    numerator = gone[-1] - gone[split]
    left = basis[-1] - basis[split]
    power = np.maximum((n - split) - (left * left).sum(axis=1), 1e-9)
    gain = numerator * numerator / power
    best = int(np.argmax(gain))
    rest = max(float(r @ r) - float(gain[best]), 0.0) / max(n - 5, 1)
    return float(np.sqrt(gain[best] / max(rest, 1e-300))), int(split[best])


def scan(y: Floats, step: Ints, alpha: float) -> list[Jump]:
    """Jumps of finite values |y| <= 2 that were logged at one cadence, in order; [] below 60 rows."""
    n = len(y)
    if n < MIN_ROWS:
        return []
    flat = clipped(y)
    r = flat - fit_shape(y, step).at(positions(step))
    # Autocorrelation is a property of the whole: 100,000 rows tell it.
    phi = min(0.95, max(0.0, lag_one(r[:100_000]) or 0.0))
    rounding = max(smallest_gap(y) * ROUNDING, 1e-6 * float(np.ptp(y)))
    if rounding <= 0.0:
        return []
    sigma = _scale(r, phi, rounding)
    limit = threshold(n, alpha) * (1.0 + SMOOTHED * max(0.0, phi - 0.6))
    kept: list[tuple[int, int, float]] = []
    for half, row, z in _candidates(r - float(np.median(r)), sigma, phi, limit):
        # Narrow candidates come first, so that every kept one is at most as wide as this.
        i = bisect_left(kept, (row,))
        if any(abs(row - other) <= 1.5 * half for other, _, _ in kept[max(0, i - 1) : i + 1]):
            continue
        t, place = _confirmed(flat, row, half)
        noise = float(sigma[min(place, n - 1)])
        sure = t / np.sqrt(inflation(half, phi)) >= CONFIRM * limit
        if sure and abrupt(r, place, half, noise, phi) and lasting(r, place, half):
            insort(kept, (place, half, z))
    return _levels(flat, r, sigma, phi, kept)


def _confirmed(y: Floats, row: int, half: int) -> tuple[float, int]:
    """confirm() on the window of `half` rows about `row`, thinned to at most WINDOW_MOST means where it is long."""
    low, high = max(0, row - half), min(len(y), row + half)
    fold = max(1, (high - low) // WINDOW_MOST)
    count = (high - low) // fold
    thin = y[low : low + count * fold].reshape(count, fold).mean(axis=1) if fold > 1 else y[low:high]
    t, at = confirm(thin, (row - low) // fold, max(2, half // (3 * fold)))
    place = low + at * fold
    if fold > 1:
        low, high = max(0, place - WINDOW_MOST), min(len(y), place + WINDOW_MOST)
        place = low + confirm(y[low:high], place - low, 2 * fold)[1]
    return t, place


def _edges(r: Floats, row: int, h: int) -> tuple[float, float]:
    """Levels just before and just at `row` by lines through h rows on either side."""
    x = np.arange(h) - (h - 1) / 2.0
    power = h * (h * h - 1.0) / 12.0
    a, b = r[row - h : row], r[row : row + h]
    return (
        float(a.mean() + (x @ a) / power * (h / 2.0)),
        float(b.mean() - (x @ b) / power * (h / 2.0)),
    )


def abrupt(r: Floats, row: int, half: int, noise: float, phi: float) -> bool:
    """A jump seen through a wide window is also one through the narrowest window that the noise lets see it.

    A smooth fall with little noise (a breakthrough, a moving average) explains itself better by a step than by a cubic,
    and is none: close to, it is a slope.
    """
    wide = min(half, row, len(r) - row)
    before, after = _edges(r, row, wide)
    size = abs(after - before)
    for h in (h for h in FINE_TO_WIDE if h < wide):
        if size >= SEEN * noise * _deviation(h, phi):
            near = [_edges(r, at, h) for at in range(max(h, row - 1), min(len(r) - h, row + 1) + 1)]
            return max((abs(b - a) for a, b in near), default=0.0) >= SAME * size
    return True


def lasting(r: Floats, row: int, half: int) -> bool:
    """The medians of the rows on either side differ too: an outlier that fades over a few rows moves lines only."""
    if half > SMEARED:
        return True
    wide = min(max(2 * half, COARSE[-1]), row, len(r) - row)
    before, after = _edges(r, row, min(half, row, len(r) - row))
    if wide < 4:
        return False
    left, right = r[row - wide : row], r[row : row + wide]
    change = float(np.median(right) - np.median(left))
    # What both sides climb or fall by anyway does not count; an outlier tilts one side only.
    tilts = [float(np.median(x[wide // 2 :]) - np.median(x[: wide // 2])) / (wide - wide // 2) for x in (left, right)]
    if tilts[0] * tilts[1] > 0.0:
        change -= wide * min(tilts, key=abs)
    return bool(change * np.sign(after - before) >= LASTING * abs(after - before))


def _deviation(h: int, phi: float) -> float:
    """Standard deviation of J at half width h for noise of standard deviation 1."""
    return float(np.sqrt(2.0 * (1.0 / h + 3.0 * h / (h * h - 1.0)) * inflation(h, phi)))


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
            before, after = _edges(r, row, width)
            score = abs(after - before) / (float(sigma[row]) * _deviation(width, phi))
            if score > best:
                best, h = score, width
            width *= 2
        before, after = _edges(y, row, min(h, row, n - row))
        jumps.append(Jump(row, best, before, after, h))
    return jumps
