"""What a jump must stand: its variance under autocorrelation, a regression with a step, a closer look, medians."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from curvedoc.core.series import Floats
from curvedoc.stats.basic.medians import mean_of, median_of
from curvedoc.stats.basic.robust import prefix

# Means that a long window is thinned to.
WINDOW_MOST = 1024
# Lags of the autocorrelation of the weights that are summed up.
LAGS = 96
# Half widths to look again through, the deviations a jump needs to be seen there, and the share that must remain.
FINE_TO_WIDE = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096)
SEEN, SAME = 5.0, 0.5
# Share of a jump that medians of twice as many rows (at least 16) must show, up to widths that an outlier can smear.
LASTING, SMEARED, MEDIAN_ROWS = 0.4, 64, 16


@lru_cache(maxsize=128)
def line_weights(half: int) -> Floats:
    """What J weighs the rows with: minus the right end of the line on the left, the left end of the right one."""
    i = np.arange(half) + 0.5
    # Edge value of a line through h rows: mean + slope * h/2, slope weights 12 (i - mean) / (h (h^2 - 1)).
    side = 1.0 / half + (half / 2.0) * 12.0 * (half / 2.0 - i) / (half * (half * half - 1.0))
    weights = np.concatenate([-side[::-1], side])
    weights.setflags(write=False)
    return weights


@lru_cache(maxsize=128)
def _weight_lags(half: int) -> Floats:
    """Autocorrelation of the weights of J at lags 1.., [min(2 half, 97) - 1]."""
    w = line_weights(half)
    power = float(w @ w)
    return np.array([float(w[k:] @ w[:-k]) / power for k in range(1, min(2 * half, LAGS + 1))])


@lru_cache(maxsize=16)
def _correlation(phi: float) -> Floats:
    """Autocorrelation of AR(1) noise at lags 1 to LAGS, [LAGS]: asked for at every width of a scan."""
    return np.asarray(phi ** np.arange(1, LAGS + 1), dtype=np.float64)


def inflation(half: int, phi: float) -> float:
    """Variance of J under AR(1) noise over its variance under white noise of the same scale, >= 1."""
    if phi <= 0.0:
        return 1.0
    if half > 1024:
        return (1.0 + phi) / (1.0 - phi)
    r = _weight_lags(half)
    return max(1.0, 1.0 + 2.0 * float(r @ _correlation(phi)[: len(r)]))


def deviation(h: int, phi: float) -> float:
    """Standard deviation of J at half width h for noise of standard deviation 1."""
    return math.sqrt(2.0 * (1.0 / h + 3.0 * h / (h * h - 1.0)) * inflation(h, phi))


def edges(r: Floats, row: int, h: int) -> tuple[float, float]:
    """Levels just before and just at `row` by lines through h rows on either side."""
    x = np.arange(h) - (h - 1) / 2.0
    power = h * (h * h - 1.0) / 12.0
    a, b = r[row - h : row], r[row : row + h]
    return (
        float(mean_of(a) + (x @ a) / power * (h / 2.0)),
        float(mean_of(b) - (x @ b) / power * (h / 2.0)),
    )


@lru_cache(maxsize=16)
def _cubics(n: int) -> tuple[Floats, Floats]:
    """An orthonormal basis of the cubics on n rows, [n, 4], and its running sums after a 0, [n + 1, 4]; read-only."""
    x = (np.arange(n) - (n - 1) / 2.0) / n
    basis = np.linalg.qr(np.vander(x, 4))[0]
    sums = np.concatenate([np.zeros((1, 4)), np.cumsum(basis, axis=0)])
    basis.setflags(write=False)
    sums.setflags(write=False)
    return basis, sums


def confirm(w: Floats, row: int, reach: int) -> tuple[float, int]:
    """(|t|, row) of the best step near `row` in a regression of w on 1, x, x^2, x^3 and that step.

    The best split within `reach` rows; 0 where no split has three rows on either side.
    Source: Frisch & Waugh (1933): the cubic is projected out once, the steps by running sums.
    """
    n = len(w)
    split = np.arange(max(3, row - reach), min(n - 3, row + reach) + 1)
    if len(split) == 0:
        return 0.0, row
    basis, sums = _cubics(n)
    r = w - basis @ (basis.T @ w)
    gone = prefix(r)
    numerator = gone[-1] - gone[split]
    left = sums[-1] - sums[split]
    power = np.maximum((n - split) - (left * left).sum(axis=1), 1e-9)
    gain = numerator * numerator / power
    best = int(gain.argmax())
    rest = max(float(r @ r) - float(gain[best]), 0.0) / max(n - 5, 1)
    return float(np.sqrt(gain[best] / max(rest, 1e-300))), int(split[best])


def confirmed(y: Floats, row: int, half: int) -> tuple[float, int]:
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


def abrupt(r: Floats, row: int, half: int, noise: float, phi: float) -> bool:
    """A jump seen through a wide window is also one through the narrowest window that the noise lets see it.

    A smooth fall with little noise (a breakthrough, a moving average) explains itself better by a step than by a cubic,
    and is none: close to, it is a slope.
    """
    wide = min(half, row, len(r) - row)
    before, after = edges(r, row, wide)
    size = abs(after - before)
    for h in (h for h in FINE_TO_WIDE if h < wide):
        if size >= SEEN * noise * deviation(h, phi):
            near = [edges(r, at, h) for at in range(max(h, row - 1), min(len(r) - h, row + 1) + 1)]
            return max((abs(b - a) for a, b in near), default=0.0) >= SAME * size
    return True


def lasting(r: Floats, row: int, half: int) -> bool:
    """The medians of the rows on either side differ too: an outlier that fades over a few rows moves lines only."""
    if half > SMEARED:
        return True
    wide = min(max(2 * half, MEDIAN_ROWS), row, len(r) - row)
    before, after = edges(r, row, min(half, row, len(r) - row))
    if wide < 4:
        return False
    left, right = r[row - wide : row], r[row : row + wide]
    change = median_of(right) - median_of(left)
    # What both sides climb or fall by anyway does not count; an outlier tilts one side only.
    tilts = [(median_of(x[wide // 2 :]) - median_of(x[: wide // 2])) / (wide - wide // 2) for x in (left, right)]
    if tilts[0] * tilts[1] > 0.0:
        change -= wide * min(tilts, key=abs)
    return bool(change * np.sign(after - before) >= LASTING * abs(after - before))
