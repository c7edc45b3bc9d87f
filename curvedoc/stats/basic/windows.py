"""Parts and smoothed forms of a series. Positions are steps."""

from __future__ import annotations

import math

import numpy as np

from curvedoc.core.series import Series, once_a_series
from curvedoc.stats.basic.medians import bottom_of, inner_median5, moving_median, range_of, top_of
from curvedoc.stats.basic.robust import extended, prefix
from curvedoc.stats.basic.spacing import share_of_rows

#: The width that has a network of its own.
FIVE = 5
#: A logarithm that spans less shows nothing that the values do not.
TENFOLD = math.log(10.0)


def before(s: Series, step: float) -> Series:
    """The part before a step."""
    return s.cut(slice(0, int(s.step.searchsorted(step, side="left"))))


def after(s: Series, step: float) -> Series:
    """The part after a step."""
    return s.cut(slice(int(s.step.searchsorted(step, side="right")), len(s)))


def window(s: Series, start: float, end: float) -> Series:
    """The part from start to end, both included."""
    a, b = s.step.searchsorted(start, side="left"), s.step.searchsorted(end, side="right")
    return s.cut(slice(int(a), max(int(a), int(b))))


def head(s: Series, share: float) -> Series:
    """The first share (0..1) of the rows, at least one.

    Of the steps where the interval of logging changes.
    """
    return s.cut(slice(0, share_of_rows(s, share, late=False)))


def tail(s: Series, share: float) -> Series:
    """The last share (0..1) of the rows, at least one.

    Of the steps where the interval of logging changes.
    """
    return s.cut(slice(max(0, len(s) - share_of_rows(s, share, late=True)), len(s)))


def head_rows(s: Series, rows: float) -> Series:
    """The first rows."""
    return s.cut(slice(0, max(0, int(rows))))


def tail_rows(s: Series, rows: float) -> Series:
    """The last rows."""
    return s.cut(slice(max(0, len(s) - max(0, int(rows))), len(s)))


def smooth(s: Series, rows: float) -> Series:
    """The centered running mean over an odd number of finite rows, narrower at the ends.

    Centered on purpose: an exponential average lags and moves every onset and turn to the right.
    """
    f = s.finite()
    half = max(0, int(rows)) // 2
    if half == 0 or len(f) < 3:
        return f
    n = len(f)
    half = min(half, (n - 1) // 2)
    scale = top_of(np.abs(f.value)) or 1.0
    total = prefix(f.value / scale)
    mean_ = np.empty(n)
    mean_[half : n - half] = (total[2 * half + 1 :] - total[: n - 2 * half]) / (2 * half + 1)
    narrow = np.arange(1, 2 * half, 2)
    mean_[:half] = total[narrow] / narrow
    mean_[n - half :] = ((total[n] - total[n - narrow]) / narrow)[::-1]
    return Series(f.step.copy(), mean_ * scale, s.metric)


def steady(s: Series, rows: float) -> Series:
    """The centered running median over an odd number of finite rows: smooth, but one outlier leaves no trace."""
    f = s.finite()
    n = len(f)
    half = min(max(0, int(rows)) // 2, max(0, (n - 1) // 2))
    if half == 0:
        return f
    padded = extended(f.value, half)
    if half == FIVE // 2:
        return Series(f.step.copy(), inner_median5(padded), s.metric)
    width = 2 * half + 1
    return Series(f.step.copy(), moving_median(padded, width), s.metric)


def log_of(s: Series) -> Series:
    """The natural logarithm of the positive finite values; the other rows are left out."""
    f = s.finite()
    p = f.cut(f.value > 0)
    return Series(p.step.copy(), np.log(p.value), s.metric)


@once_a_series
def log_of_wide(s: Series) -> Series | None:
    """log_of where all finite values are positive and span a factor of ten: what falls or rises by factors there.

    None elsewhere: what is seen in the logarithm of the others is seen in their values.
    """
    v = s.finite()
    if not len(v) or bottom_of(v.value) <= 0.0:
        return None
    logs = np.log(v.value)
    return Series(v.step, logs, v.metric, v.time) if range_of(logs) > TENFOLD else None


def diff(s: Series) -> Series:
    """The change from each finite row to the next, at the later step; infinite where no float holds it."""
    f = s.finite()
    with np.errstate(over="ignore"):
        return Series(f.step[1:].copy(), f.value[1:] - f.value[:-1], s.metric)


WINDOWS = (before, after, window, head, tail, head_rows, tail_rows, smooth, steady, log_of, diff)
