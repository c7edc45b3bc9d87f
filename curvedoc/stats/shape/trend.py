"""Trend: how far a curve moved, how fast, and whether that is more than noise. Vocabulary of the rules."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Floats, Series
from curvedoc.stats.basic.grid import GridCurve, back, curve_of, drift_of, edges, means
from curvedoc.stats.basic.medians import bottom_of, mean_of, median_of, top_of

SLOPE_BUCKETS = 64  # 2,016 pairs: Theil-Sen at a fixed price, whatever the length
LEAST = 4  # rows below which a trend is not judged
SHORT = 6  # rows below which no final slope is drawn
SURE = 1.645  # deviates: a final slope less certain than the whole drop says nothing


def slope(s: Series) -> float | None:
    """Median slope per step (Theil-Sen) over at most 64 bucket means; None below four finite rows.

    Source: Sen 1968. Buckets keep the price fixed and cost no accuracy at these sizes.

    >>> slope(Series.of([4.0, 3.0, 2.0, 1.0], step=[0, 10, 20, 30]))
    -0.1
    """
    c = curve_of(s)
    if len(c) < LEAST:
        return None
    cut = edges(len(c), SLOPE_BUCKETS)
    x, y = means(c.x, cut), means(c.y, cut)
    i, j = np.triu_indices(len(x), 1)
    return back(median_of((y[j] - y[i]) / (x[j] - x[i])), c.scale)


def trend_z(s: Series) -> float | None:
    """Linear trend over the whole series as a normal deviate, negative when falling; None below five finite rows.

    Batch means, so autocorrelated noise does not pass for a trend; comparable between short and long series.

    >>> trend_z(Series.of(float(v) for v in range(100, 0, -1))) < -5
    True
    """
    d = curve_of(s).drift
    return None if d is None else d.z


def total_change(s: Series) -> float | None:
    """Level at the end minus level at the start, both robust to single rows; None below four finite rows.

    >>> total_change(Series.of([3.0, 2.0, 1.5, 1.25, 1.0, 1.0]))
    -2.0
    """
    c = curve_of(s)
    return None if len(c) < LEAST else back(c.tail - c.head, c.scale)


def total_drop(s: Series) -> float | None:
    """Level at the start minus level at the end: positive for a loss that went down; None below four finite rows.

    >>> total_drop(Series.of([3.0, 2.0, 1.5, 1.25, 1.0, 1.0]))
    2.0
    """
    change = total_change(s)
    return None if change is None else -change


def progress(s: Series) -> float | None:
    """Share of the initial level that was lost by the end, negative for a rise; None when it starts at zero.

    >>> progress(Series.of([4.0, 2.0, 1.0, 1.0, 1.0, 1.0]))
    0.75
    """
    c = curve_of(s)
    if len(c) < LEAST:
        return None
    start = c.head
    return None if start == 0.0 else _ratio(start - c.tail, abs(start))


def best_progress(s: Series) -> float | None:
    """Share of the initial level that was lost at the lowest bucket, however the run ended; None at a zero start.

    >>> best_progress(Series.of([4.0, 2.0, 1.0, 1.0, 4.0, 4.0]))
    0.75
    """
    c = curve_of(s)
    if len(c) < LEAST:
        return None
    start = c.head
    return None if start == 0.0 else _ratio(start - lowest_level(c), abs(start))


def lowest_level(c: GridCurve) -> float:
    """Lowest bucket mean of at most 32, in the curve's own scale."""
    y = c.calm
    return bottom_of(means(y, edges(len(y), 32 if len(y) >= 96 else max(3, len(y) // 3))))


def drop_in_noise(s: Series) -> float | None:
    """Total drop in units of the noise of single rows; None below eight rows or without noise.

    >>> drop_in_noise(Series.of([1.0] * 30)) is None
    True
    """
    c = curve_of(s)
    noise = c.noise
    if len(c) < 8 or noise == 0.0:
        return None
    return _ratio(c.head - c.tail, noise)


def fraction_done(s: Series) -> float | None:
    """Share of the total change that was made by half of the run, in steps; None without a change beyond noise.

    Near .5: as fast at the end as at the start. Near 1: the second half brought nothing.

    >>> round(fraction_done(Series.of([float(v) for v in range(200, 0, -1)])), 1)
    0.5
    """
    c = curve_of(s)
    if len(c) < 8:
        return None
    change = c.tail - c.head
    if abs(change) <= 2.0 * c.noise:
        return None
    y = c.calm
    half = 0.5 * (c.x[0] + c.x[-1])
    at = int(c.x.searchsorted(half))
    reach = max(1, len(c) // 20)
    near = y[max(0, at - reach) : at + reach]
    return _ratio(mean_of(near) - c.head, change)


def speed_left(s: Series) -> float | None:
    """Drop that another run of the same length would bring at the final slope, over the drop made so far.

    1 is a straight line that has not begun to level off; 0 is a flat end. The final slope is that of the last quarter
    of the steps: by batch means over eight rows and more, by a line through the last three rows at least in a short
    log. None below six finite rows, without a drop beyond noise, or where noise hides a flat end from a straight line.

    >>> round(speed_left(Series.of(float(v) for v in range(200, 0, -1))))
    1
    >>> round(speed_left(Series.of([2.3, 2.2, 2.1, 2.0, 1.9, 1.8, 1.7])), 1)
    1.2
    """
    c = curve_of(s)
    n = len(c)
    if n < SHORT:
        return None
    drop = c.head - c.tail
    if drop <= 2.0 * c.noise:
        return None
    span = float(c.x[-1] - c.x[0])
    k = n - int(c.x.searchsorted(c.x[-1] - 0.25 * span))
    k = max(k, 8) if n >= 16 else max(k, 3)
    # of a few rows none can be told to be an outlier
    x, y = c.x[-k:], (c.calm if n >= 16 else c.y)[-k:]
    d = drift_of(y) if k >= 8 else None
    if d is not None and evenly(x):
        change, error = d.change * (k - 1) / k, d.error
    else:
        away = x - mean_of(x)
        power = float(away @ away)
        change = float(away @ y) / power * float(x[-1] - x[0])
        error = c.noise * float(x[-1] - x[0]) / power**0.5
    times = span / float(x[-1] - x[0])
    return None if error * times * SURE > drop else _ratio(-change * times, drop)


def evenly(x: Floats) -> bool:
    """Whether no gap of the steps is four times another: rows then stand for time."""
    gaps = x[1:] - x[:-1]
    return top_of(gaps) <= 4.0 * bottom_of(gaps)


def _ratio(a: float, b: float) -> float | None:
    """a / b, or None where that is not a finite number."""
    if b == 0.0 or abs(a) > 1e300 * abs(b):
        return None
    return float(a / b)
