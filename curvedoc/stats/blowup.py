"""Blow-ups: where a rise that the series never came back from began, how far and how fast it went, who moved first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from curvedoc.series import Floats, Series
from curvedoc.stats.buckets import bucket_means
from curvedoc.stats.decay import fit_shape
from curvedoc.stats.noise import lag_one
from curvedoc.stats.robust import finite_rows, local_noise, median3, unit

MIN_ROWS = 10
# Rows from which the decay before the rise is modeled; shorter series take the last row near the minimum.
MODEL_ROWS = 30
# Back at the running minimum, in deviations; and what the rise must reach above it.
NEAR, CLEAR = 2.0, 6.0
# The rise must also exceed this share of the span of the values before it, so that it can be seen.
VISIBLE = 0.05
# A rise counts from this many rows, unless a non-finite value ends it.
TAIL_ROWS = 4
# Growth shapes that are tried: a ramp and exponentials of these rates per window, values capped (deviations).
RATES = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
CAP = 60.0
DRIFT, CUSUM_LOW, CUSUM_HIGH = 0.25, -3.0, 5.0
PROFILE_BUCKETS = 200
BEFORE_ROWS = 50
# Share of the full height from which growth counts as over.
CEILING = 0.8


@dataclass(frozen=True, slots=True)
class Rise:
    """The terminal rise of one series. row: first row of it among the finite rows; z: height in deviations of noise.

    y: finite values rescaled by (center, scale), before: level before the rise, in rescaled units.
    """

    row: int
    z: float
    y: Floats
    center: float
    scale: float
    before: float


def _baseline(y: Floats) -> tuple[Floats, int]:
    """(lowest bucket median so far at every row [n], row after the bucket of the lowest of all)."""
    n = len(y)
    size = max(3, min(20, n // 20))
    blocks = n // size
    level = np.median(y[: blocks * size].reshape(blocks, size), axis=1)
    base = np.repeat(np.minimum.accumulate(level), size)
    return np.concatenate([base, np.full(n - len(base), base[-1])]), (int(np.argmin(level)) + 1) * size


def _noise_before(y: Floats, until: int) -> float:
    """Noise of the rows before the rise as a mean of ten rows feels it: inflated by autocorrelation."""
    head = y[: max(until, min(len(y), 20))]
    sigma = float(np.median(local_noise(head)))
    phi = min(0.9, max(0.0, (lag_one(head) or 0.0) if len(head) >= 50 else 0.0))
    white = max((6.0 - 8.0 * phi + 2.0 * phi * phi) / 6.0, 0.05)
    return sigma * float(np.sqrt((1.0 + phi) / (1.0 - phi) / white))


def find_rise(s: Series) -> Rise | None:
    """The rise at the end of the finite rows, None if there is none or fewer than ten rows."""
    value, rows = finite_rows(s.value)
    n = len(value)
    if n < MIN_ROWS:
        return None
    y, center, scale = unit(value)
    base, lowest = _baseline(y)
    sigma = max(_noise_before(y, lowest), 1e-9 * float(np.ptp(y[:lowest])))
    smooth = median3(y)
    near = np.flatnonzero(smooth <= base + NEAR * sigma)
    late = int(near[-1]) + 1 if len(near) else 0
    ends_bad = len(rows) > 0 and int(rows[-1]) + 1 < len(s)
    if late >= n and ends_bad and y[-1] > base[-1] + 2.0 * CLEAR * sigma:
        # The median of three hides a last row that stands alone before the first NaN.
        late = n - 1
    if n - late < (1 if ends_bad else TAIL_ROWS):
        return None
    level = float(base[min(late, n - 1)])
    top = float((y if ends_bad else smooth)[late:].max())
    if top - level < max(CLEAR * sigma, VISIBLE * float(np.ptp(y[: max(late, 2)]))) or top <= level:
        return None
    row = late if n < MODEL_ROWS or late < 8 else _onset(y, sigma, late, lowest, level)
    before = float(np.median(y[max(0, row - BEFORE_ROWS) : max(row, 1)]))
    return Rise(row, (top - level) / sigma if sigma > 0 else CAP, y, center, scale, before)


def _onset(y: Floats, sigma: float, late: int, lowest: int, level: float) -> int:
    """Row at which the rise began, at most `late`: from the residual of the decay before it.

    The last minimum of a drifted running sum is the earliest candidate, the crossing the latest; between them the best
    start of zero-then-growth (ramp or exponentials) under Huber loss.
    """
    n = len(y)
    if sigma <= 0.0:
        return late
    fit_rows = max(MODEL_ROWS, min(late, lowest))
    shape = fit_shape(y[:fit_rows])
    r = (y - shape.at((np.arange(n) + 1.0) / fit_rows)) / sigma
    over = np.flatnonzero(y[late:] > level + CAP * sigma)
    end = late + int(over[0]) + 1 if len(over) else n
    walk = np.cumsum(np.clip(r[:end], CUSUM_LOW, CUSUM_HIGH) - DRIFT)
    early = int(np.argmin(walk[: late + 1]))
    low = max(0, early - max(40, (end - early) // 2))
    if end - low < 6:
        return late
    edges = np.unique(np.linspace(low, end, min(end - low, PROFILE_BUCKETS) + 1).astype(np.int64))
    x = (edges[:-1] + edges[1:] - 1) / 2.0
    mean = bucket_means(np.clip(r[low:end], -6.0, CAP), edges - low)
    weight = np.diff(edges).astype(np.float64)
    width = float(max(end - early, 4))
    quiet = mean[x < early]
    mean = mean - (float(np.median(quiet)) if len(quiet) > 5 else 0.0)
    best, place = np.inf, float(late)
    for start in x[(x >= early - 0.1 * width) & (x <= late + 1)]:
        d = np.maximum(x - start, 0.0)
        shapes = np.vstack([d, np.expm1(np.minimum(RATES[:, None] / width * d, 30.0))])
        top = shapes.max(axis=1)
        if float(top.min()) <= 0.0:
            continue
        shapes = shapes / top[:, None]
        power = (shapes * shapes) @ weight
        gain = (shapes * weight) @ mean / power
        miss = np.abs(mean - gain[:, None] * shapes) * np.sqrt(weight)
        cost = np.where(miss < 3.0, miss * miss, 6.0 * miss - 9.0).sum(axis=1)
        cost = np.where(gain > 0.0, cost, np.inf)
        if float(cost.min()) < best:
            best, place = float(cost.min()), float(start)
    return int(min(max(round(place), 0), late))


def blowup_onset(s: Series) -> float | None:
    """Step at which the rise began that the series did not come back from; None without such a rise.

    The rise must stand at the end of the finite rows, clear 6 deviations of the noise and 5 % of the span before it,
    and last four rows (or end in a non-finite value). Median error about half an e-folding time. None below 10 finite
    rows; below 30 rows the last row near the minimum counts as onset.

    >>> blowup_onset(Series.of([1 / (i + 1) for i in range(60)] + [0.1 * 2**i for i in range(10)]))
    59.0
    """
    rise = find_rise(s)
    return None if rise is None else float(s.step[finite_rows(s.value)[1][rise.row]])


def blowup_factor(s: Series) -> float | None:
    """Highest value of the terminal rise over the median of (up to 50) rows before it; 1 where nothing rises.

    None below 10 finite rows and where the level before is not positive.

    >>> blowup_factor(Series.of([1.0, 1.1] * 30 + [2.0, 4.0, 8.0, 16.0, 33.0])) > 20
    True
    """
    if int(np.isfinite(s.value).sum()) < MIN_ROWS:
        return None
    rise = find_rise(s)
    if rise is None:
        return 1.0
    before = rise.center + rise.scale * rise.before
    top = rise.center + rise.scale * float(rise.y[rise.row :].max())
    return _finite(top / before) if before > 0.0 else None


def blowup_score(s: Series) -> float | None:
    """Height of the terminal rise in standard deviations of the noise before it, 0 where nothing rises.

    None below 10 finite rows.
    """
    if int(np.isfinite(s.value).sum()) < MIN_ROWS:
        return None
    rise = find_rise(s)
    return 0.0 if rise is None else _finite(rise.z)


def doubling_time(s: Series) -> float | None:
    """Steps in which the terminal rise above its level before doubles; None without a rise or with fewer than 3 rows.

    Log-linear fit from the last row at the level before to the first one near the top.
    """
    rise = find_rise(s)
    if rise is None:
        return None
    step = s.step[finite_rows(s.value)[1]].astype(np.float64)
    climb = rise.y[rise.row :] - rise.before
    # What follows the first row near the top is a ceiling and no growth.
    peak = rise.row + int(np.argmax(climb >= CEILING * float(climb.max())))
    height = climb[: peak - rise.row + 1]
    ok = height > 0.0
    # From the last row at or below the level before on: before it the height is noise.
    if not bool(ok.all()):
        ok[: int(np.flatnonzero(~ok)[-1]) + 1] = False
    if int(ok.sum()) < 3:
        return None
    x = step[rise.row : peak + 1][ok]
    x = x - float(x.mean())
    power = float(x @ x)
    if power <= 0.0:
        return None
    slope = float(x @ np.log2(height[ok])) / power
    return _finite(1.0 / slope) if slope > 0.0 else None


def _finite(x: float) -> float | None:
    return x if np.isfinite(x) else None


def log_of_positive(s: Series) -> Series | None:
    """log(s) of the finite rows if all are positive and span a factor of ten, else None."""
    v = s.finite()
    if not len(v) or float(v.value.min()) <= 0.0:
        return None
    logs = np.log(v.value)
    return Series(v.step, logs, v.metric, v.time) if float(np.ptp(logs)) > np.log(10.0) else None


def departure(s: Series) -> float | None:
    """Step at which s left its own baseline for good: upward, upward in its logarithm, or downward late in the run.

    The earlier of the two upward onsets counts. Downward only after the first fifth of the rows, where a fall is no
    longer the start of training. None where it did not leave.
    """
    logs = log_of_positive(s)
    up = [x for x in (blowup_onset(s), blowup_onset(logs) if logs is not None else None) if x is not None]
    if up:
        return min(up)
    v = s.finite()
    down = blowup_onset(Series(v.step, -v.value, v.metric))
    return down if down is not None and down >= float(v.step[len(v) // 5]) else None


def first_to_move(a: Series, b: Series) -> float | None:
    """Steps by which a left its baseline before b did: positive, a moved first; None unless both moved for good.

    Each departure is known to about half an e-folding of its rise, and to the logging interval: a lead below the larger
    of the two intervals says nothing.

    >>> quiet = [1.0, 1.1] * 20
    >>> a = Series.of(quiet + [2.0**i for i in range(2, 16)])
    >>> b = Series.of(quiet + [1.0, 1.1] * 3 + [2.0**i for i in range(2, 10)])
    >>> first_to_move(a, b) > 0
    True
    """
    left, right = departure(a), departure(b)
    return None if left is None or right is None else right - left
