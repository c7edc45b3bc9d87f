"""The terminal rise of a series: whether it ends on one, at which row that began, how high it stands."""

from __future__ import annotations

import math

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.series import Floats, Series, once_a_series
from curvedoc.stats.basic.autocorrelation import lag_one, whitened
from curvedoc.stats.basic.buckets import bucket_means
from curvedoc.stats.basic.medians import bottom_of, mean_of, median_of, range_of, row_medians, top_of
from curvedoc.stats.basic.robust import median3, noise_levels, spread_blocks, unit_of
from curvedoc.stats.basic.spacing import even_rows
from curvedoc.stats.shape.decay import MIN_ROWS as FIT_ROWS
from curvedoc.stats.shape.decay import fit_shape

MIN_ROWS = 10
# Rows from which the decay before the rise is modeled; shorter series take the last row near the minimum.
MODEL_ROWS = 30
# Back at the running minimum, in deviations; and what the rise must reach above it.
NEAR, CLEAR = 2.0, 6.0
# The rise must also exceed this share of the span of the values before it, so that it can be seen.
VISIBLE = 0.05
# A rise counts from this many rows, unless a non-finite value ends it.
TAIL_ROWS = 4
# A rise by tenfold is one from half again the level on, however loud the noise is measured so near to it.
TENFOLD, HALF_AGAIN = 10.0, 1.5
# A series still on its way down has not begun to rise: what may be left of the way, of the drop and in deviations.
LEFT, LEFT_NOISE = 0.05, 3.0
# Growth shapes that are tried: a ramp and exponentials of these rates per window, values capped (deviations).
RATES = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
CAP = 60.0
FINEST = 1e-150  # of the rescaled values: what is divided by a smaller noise overflows
DRIFT, CUSUM_LOW, CUSUM_HIGH = 0.25, -3.0, 5.0
PROFILE_BUCKETS = 200
# Starts that are weighed together, for the memory of their shapes.
TOGETHER = 8
# The level before is the median of so many rows; of a short run a quarter of them, so that its head does not count.
BEFORE_ROWS = 50
# Autocorrelation cannot be measured on fewer rows: then it is taken to be some.
PHI_ROWS, UNKNOWN_PHI = 60, 0.4
# Share of the full height from which growth counts as over.
CEILING = 0.8
# Growth traced back to one deviation may have begun so many e-foldings before it was seen.
TRACE = 3.0


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
    level = row_medians(y[: blocks * size].reshape(blocks, size))
    base = np.empty(n)
    base[: blocks * size] = np.minimum.accumulate(level).repeat(size)
    base[blocks * size :] = base[blocks * size - 1]
    return base, (int(level.argmin()) + 1) * size


def _hanging(head: Floats) -> float:
    """How much more than its noise a mean of ten rows of y feels where the noise is autocorrelated, 1 and more."""
    phi = min(0.9, max(0.0, lag_one(head) or 0.0)) if len(head) >= PHI_ROWS else UNKNOWN_PHI
    return math.sqrt((1.0 + phi) / (1.0 - phi)) / whitened(phi)


def _late(smooth: Floats, base: Floats, sigma: float) -> int:
    """Row after the last one that is back at the lowest level so far, 0 where none is."""
    near = np.flatnonzero(smooth <= base + NEAR * sigma)
    return int(near[-1]) + 1 if len(near) else 0


@dataclass(frozen=True, slots=True)
class High:
    """A series that ends high: where it was last at its level and how far above that it came; onset not yet sought.

    late: row after the last one at the lowest level so far (`base`, [n]); sigma: noise before; lowest: row after the
    lowest bucket. Values rescaled.
    """

    late: int
    top: float
    sigma: float
    base: Floats
    lowest: int


@once_a_series
def ends_high(s: Series) -> High | None:
    """Whether the finite rows end on a rise, without its onset, which lies at `late` or before it.

    None if they do not, or below ten rows.
    """
    n = len(s.finite())
    if n < MIN_ROWS:
        return None
    y, center, scale = unit_of(s)
    base, lowest = _baseline(y)
    smooth = median3(y)
    ends_bad = not np.isfinite(s.value[-1])
    tenfold = _tenfold(y, base, center / scale, ends_bad)
    settles = tenfold == n and not ends_bad
    if settles and bool((smooth[-TAIL_ROWS:] <= base[-TAIL_ROWS:]).any()):
        return None  # back at the lowest level so far, whatever the noise is
    head = y[: max(lowest, min(n, 20))]
    levels = noise_levels(head)
    if settles and n - _late(smooth, base, bottom_of(levels)) < TAIL_ROWS:
        return None  # nor with more noise than the least: most series that do not rise end here
    sigma = max(median_of(spread_blocks(levels, len(head))) * _hanging(head), 1e-9 * range_of(y[:lowest]))
    late = _late(smooth, base, sigma)
    if late >= n and ends_bad and y[-1] > base[-1] + 2.0 * CLEAR * sigma:
        # The median of three hides a last row that stands alone before the first NaN.
        late = n - 1
    late = min(late, tenfold)
    if n - late < (1 if ends_bad else TAIL_ROWS):
        return None
    level = float(base[late])
    top = top_of((y if ends_bad else smooth)[late:])
    if top - level < max(CLEAR * sigma, VISIBLE * range_of(y[: max(late, 2)])) or top <= level:
        return None
    return High(late, top, sigma, base, lowest)


@once_a_series
def find_rise(s: Series) -> Rise | None:
    """The rise at the end of the finite rows, None if there is none or fewer than ten rows."""
    high = ends_high(s)
    if high is None:
        return None
    y, center, scale = unit_of(s)
    base, sigma, late = high.base, high.sigma, high.late
    row = late if len(y) < MODEL_ROWS or late < 8 else _onset(y, base, sigma, late, high.lowest)
    window = max(5, min(BEFORE_ROWS, row // 4))
    before = median_of(y[max(0, row - window) : max(row, 1)])
    return Rise(row, (high.top - float(base[late])) / sigma if sigma > 0 else CAP, y, center, scale, before)


def _tenfold(y: Floats, base: Floats, zero: float, ends_bad: bool) -> int:
    """First row of a rise by ten times or more at the end of a positive series, else n. Value = scale * (y + zero)."""
    n = len(y)
    tail = y[n - (1 if ends_bad else TAIL_ROWS) :]
    if float(base[-1]) + zero <= 0.0 or bottom_of(tail) + zero < TENFOLD * (float(base[-1]) + zero):
        return n
    return int(np.flatnonzero(y + zero <= HALF_AGAIN * (base + zero))[-1]) + 1


def growth(y: Floats, row: int, before: float) -> tuple[Floats, Floats] | None:
    """(rows, heights above `before`) from the last row at that level to the first near the top; None below three."""
    climb = y[row:] - before
    # What follows the first row near the top is a ceiling and no growth.
    peak = int(np.argmax(climb >= CEILING * top_of(climb)))
    low = np.flatnonzero(climb[: peak + 1] <= 0.0)
    start = int(low[-1]) + 1 if len(low) else 0
    if peak + 1 - start < 3:
        return None
    return np.arange(row + start, row + peak + 1, dtype=np.float64), climb[start : peak + 1]


def _traced(y: Floats, level: float, sigma: float, late: int) -> float:
    """Earliest row that the growth seen after `late` can have begun at, by its own pace; 0 where it has none."""
    seen = growth(y, late, level)
    if seen is None:
        return 0.0
    x, height = seen
    logs = np.log(np.maximum(height, sigma) / sigma)
    middle = mean_of(x)
    slope = float((x - middle) @ logs) / float((x - middle) @ (x - middle))
    return middle - (mean_of(logs) + TRACE) / slope if slope > 0.0 else 0.0


def _onset(y: Floats, base: Floats, sigma: float, late: int, lowest: int) -> int:
    """Row at which the rise began, at most `late`: from the residual of the decay before it.

    The last minimum of a drifted running sum is the earliest candidate, the crossing the latest; between them the best
    start of zero-then-growth (ramp or exponentials) under Huber loss. No candidate lies where the series is still on
    its way down, or so early that the growth, traced back at its own pace, was not there yet.
    """
    n = len(y)
    if sigma <= FINEST:
        return late
    level = float(base[late])
    fit_rows = min(late, max(FIT_ROWS, lowest))
    shape = fit_shape(y[:fit_rows])
    r = (y - shape.at((np.arange(n) + 1.0) / fit_rows)) / sigma
    over = np.flatnonzero(y[late:] > level + CAP * sigma)
    end = late + int(over[0]) + 1 if len(over) else n
    left = level + max(LEFT_NOISE * sigma, LEFT * (float(base[0]) - level))
    first = max(int(np.argmax(base <= left)), int(_traced(y, level, sigma, late)))
    walk = np.cumsum(np.minimum(np.maximum(r[:end], CUSUM_LOW), CUSUM_HIGH) - DRIFT)
    early = int(walk[: late + 1].argmin())
    low = max(0, early - max(40, (end - early) // 2))
    if end - low < 6 or first >= late:
        return late
    edges = even_rows(low, end, min(end - low, PROFILE_BUCKETS) + 1)
    x = (edges[:-1] + edges[1:] - 1) / 2.0
    mean = bucket_means(np.clip(r[low:end], -6.0, CAP), edges - low)
    weight = (edges[1:] - edges[:-1]).astype(np.float64)
    width = float(max(end - early, 4))
    quiet = mean[x < early]
    mean = mean - (median_of(quiet) if len(quiet) > 5 else 0.0)
    starts = x[(x >= max(early - 0.1 * width, first)) & (x <= late + 1) & (x < x[-1])]
    parts = [starts[i : i + TOGETHER] for i in range(0, len(starts), TOGETHER)]
    cost = np.concatenate([_misfits(x - part[:, None], mean, weight, width) for part in parts] or [np.empty(0)])
    best = int(cost.argmin()) if len(cost) else 0
    place = float(starts[best]) if len(cost) and cost[best] < np.inf else float(late)
    return int(min(max(round(place), 0), late))


def _misfits(since: Floats, mean: Floats, weight: Floats, width: float) -> Floats:
    """Huber loss of the best growth shape that begins where a row of `since` passes 0, inf where none grows; [rows]."""
    d = np.maximum(since, 0.0)[:, None, :]
    shapes = np.concatenate([d, np.expm1(np.minimum(RATES[:, None] / width * d, 30.0))], axis=1)
    shapes /= shapes.max(axis=2, keepdims=True)
    gain = (shapes * weight) @ mean / ((shapes * shapes) @ weight)
    miss = np.abs(mean - gain[:, :, None] * shapes) * np.sqrt(weight)
    cost = np.where(miss < 3.0, miss * miss, 6.0 * miss - 9.0).sum(axis=2)
    return np.asarray(np.where(gain > 0.0, cost, np.inf).min(axis=1), dtype=np.float64)
