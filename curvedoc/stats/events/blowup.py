"""Blow-ups: where a rise that the series never came back from began, how far and how fast it went, who moved first."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Series, once_a_series
from curvedoc.stats.basic.medians import mean_of, top_of
from curvedoc.stats.basic.windows import log_of_wide
from curvedoc.stats.shape.rise import MIN_ROWS, ends_high, find_rise, growth


def blowup_onset(s: Series) -> float | None:
    """Step at which the rise began that the series did not come back from; None without such a rise.

    The rise must stand at the end of the finite rows, clear 6 deviations of the noise and 5 % of the span before it,
    and last four rows (or end in a non-finite value). Median error about half an e-folding time. None below 10 finite
    rows; below 30 rows the last row near the minimum counts as onset.

    >>> blowup_onset(Series.of([1 / (i + 1) for i in range(60)] + [0.1 * 2**i for i in range(10)]))
    59.0
    """
    rise = find_rise(s)
    return None if rise is None else float(s.finite().step[rise.row])


def blowup_factor(s: Series) -> float | None:
    """Highest value of the terminal rise over the median of (up to 50) rows before it; 1 where nothing rises.

    None below 10 finite rows and where the level before is not positive.

    >>> blowup_factor(Series.of([1.0, 1.1] * 30 + [2.0, 4.0, 8.0, 16.0, 33.0])) > 20
    True
    """
    if len(s.finite()) < MIN_ROWS:
        return None
    rise = find_rise(s)
    if rise is None:
        return 1.0
    before = rise.center + rise.scale * rise.before
    top = rise.center + rise.scale * top_of(rise.y[rise.row :])
    return _finite(top / before) if before > 0.0 else None


def blowup_score(s: Series) -> float | None:
    """Height of the terminal rise in standard deviations of the noise before it, 0 where nothing rises.

    None below 10 finite rows.
    """
    if len(s.finite()) < MIN_ROWS:
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
    seen = growth(rise.y, rise.row, rise.before)
    if seen is None:
        return None
    rows, height = seen
    x = s.finite().step[rows.astype(np.int64)].astype(np.float64)
    x = x - mean_of(x)
    power = float(x @ x)
    if power <= 0.0:
        return None
    slope = float(x @ np.log2(height)) / power
    return _finite(1.0 / slope) if slope > 0.0 else None


def _finite(x: float) -> float | None:
    return x if np.isfinite(x) else None


@once_a_series
def mirrored(s: Series) -> Series:
    """The finite rows with the sign of their values turned."""
    v = s.finite()
    return Series(v.step, -v.value, v.metric)


@once_a_series
def departure(s: Series) -> float | None:
    """Step at which s left its own baseline for good: upward, upward in its logarithm, or downward late in the run.

    The earlier of the two upward onsets counts. Downward only after the first fifth of the rows, where a fall is no
    longer the start of training. None where it did not leave.
    """
    logs = log_of_wide(s)
    up = [x for x in (blowup_onset(s), blowup_onset(logs) if logs is not None else None) if x is not None]
    if up:
        return min(up)
    v, fall = s.finite(), ends_high(mirrored(s))
    if fall is None or fall.late < len(v) // 5:
        return None  # the onset lies no later, so that it need not be sought
    down = blowup_onset(mirrored(s))
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
