"""Levels, positions and windows of a series: the plain words of the rule language.

Non-finite points are left out unless a function says otherwise. Positions are steps. None means: cannot be judged.
"""

from __future__ import annotations

import math

import numpy as np

from curvedoc.series import Series


def _finite(s: Series) -> Series:
    return s.finite()


def first(s: Series) -> float | None:
    """The first finite value."""
    f = _finite(s)
    return float(f.value[0]) if len(f) else None


def last(s: Series) -> float | None:
    """The last finite value."""
    f = _finite(s)
    return float(f.value[-1]) if len(f) else None


def at(s: Series, step: float) -> float | None:
    """The finite value at a step, or the nearest one before it (the first one where there is none before)."""
    f = _finite(s)
    if not len(f):
        return None
    return float(f.value[max(0, int(np.searchsorted(f.step, step, side="right")) - 1)])


def median(s: Series) -> float | None:
    """The median of the finite values."""
    f = _finite(s)
    return float(np.median(f.value)) if len(f) else None


def mean(s: Series) -> float | None:
    """The mean of the finite values."""
    f = _finite(s)
    return float(np.mean(f.value / 2) * 2) if len(f) else None  # halved: 1e308 values must not overflow the sum


def quantile(s: Series, q: float) -> float | None:
    """The q-quantile (0..1) of the finite values."""
    f = _finite(s)
    return float(np.quantile(f.value, min(1.0, max(0.0, q)))) if len(f) else None


def peak(s: Series) -> float | None:
    """The largest finite value."""
    f = _finite(s)
    return float(np.max(f.value)) if len(f) else None


def low(s: Series) -> float | None:
    """The smallest finite value."""
    f = _finite(s)
    return float(np.min(f.value)) if len(f) else None


def spread(s: Series) -> float | None:
    """Robust spread of the finite values: half the width between the 5 % and 95 % quantiles."""
    f = _finite(s)
    if len(f) < 3:
        return None
    a, b = np.quantile(f.value, [0.05, 0.95])
    return float(b / 2 - a / 2)


def argmin(s: Series) -> float | None:
    """The step of the smallest finite value (the first of equals)."""
    f = _finite(s)
    return float(f.step[int(np.argmin(f.value))]) if len(f) else None


def argmax(s: Series) -> float | None:
    """The step of the largest finite value (the first of equals)."""
    f = _finite(s)
    return float(f.step[int(np.argmax(f.value))]) if len(f) else None


def first_step(s: Series) -> float | None:
    """The first step logged, whatever its value."""
    return float(s.step[0]) if len(s) else None


def last_step(s: Series) -> float | None:
    """The last step logged, whatever its value."""
    return float(s.step[-1]) if len(s) else None


def run_length(s: Series) -> float | None:
    """Steps from the first to the last logged point."""
    return float(s.step[-1] - s.step[0]) if len(s) else None


def interval(s: Series) -> float | None:
    """The median distance between logged points, in steps."""
    return float(np.median(np.diff(s.step))) if len(s) > 1 else None


def count_rows(s: Series) -> float:
    """How many points were logged, non-finite ones too."""
    return float(len(s))


def count_finite(s: Series) -> float:
    """How many finite points were logged."""
    return float(np.isfinite(s.value).sum())


def distinct(s: Series) -> float:
    """How many different finite values there are."""
    return float(len(np.unique(_finite(s).value)))


def is_constant(s: Series) -> bool | None:
    """Whether all finite values are the same, to one part in a billion."""
    f = _finite(s)
    if len(f) < 2:
        return None
    top, bottom = float(f.value.max()), float(f.value.min())
    return top - bottom <= 1e-9 * max(abs(top), abs(bottom))


def constant_tail_from(s: Series) -> float | None:
    """The first step of the run of exactly equal finite values at the end; the last step where there is no such run."""
    f = _finite(s)
    if not len(f):
        return None
    other = np.flatnonzero(f.value != f.value[-1])
    return float(f.step[int(other[-1]) + 1 if len(other) else 0])


def before(s: Series, step: float) -> Series:
    """The part before a step."""
    return s.cut(slice(0, int(np.searchsorted(s.step, step, side="left"))))


def after(s: Series, step: float) -> Series:
    """The part after a step."""
    return s.cut(slice(int(np.searchsorted(s.step, step, side="right")), len(s)))


def window(s: Series, start: float, end: float) -> Series:
    """The part from start to end, both included."""
    a, b = np.searchsorted(s.step, start, side="left"), np.searchsorted(s.step, end, side="right")
    return s.cut(slice(int(a), max(int(a), int(b))))


def _rows(s: Series, share: float) -> int:
    return max(1, math.ceil(len(s) * min(1.0, max(0.0, share))))


def head(s: Series, share: float) -> Series:
    """The first share (0..1) of the rows, at least one."""
    return s.cut(slice(0, _rows(s, share)))


def tail(s: Series, share: float) -> Series:
    """The last share (0..1) of the rows, at least one."""
    return s.cut(slice(max(0, len(s) - _rows(s, share)), len(s)))


def head_rows(s: Series, rows: float) -> Series:
    """The first rows."""
    return s.cut(slice(0, max(0, int(rows))))


def tail_rows(s: Series, rows: float) -> Series:
    """The last rows."""
    return s.cut(slice(max(0, len(s) - max(0, int(rows))), len(s)))


def head_level(s: Series, share: float) -> float | None:
    """The median over the first share of the finite rows."""
    return median(head(_finite(s), share))


def tail_level(s: Series, share: float) -> float | None:
    """The median over the last share of the finite rows."""
    return median(tail(_finite(s), share))


def share_above(s: Series, x: float) -> float | None:
    """The share of finite points above x."""
    f = _finite(s)
    return float(np.mean(f.value > x)) if len(f) else None


def share_below(s: Series, x: float) -> float | None:
    """The share of finite points below x."""
    f = _finite(s)
    return float(np.mean(f.value < x)) if len(f) else None


def share_equal(s: Series, x: float, tol: float) -> float | None:
    """The share of finite points within tol (absolute) of x."""
    f = _finite(s)
    return float(np.mean(np.abs(f.value / 2 - x / 2) <= tol / 2)) if len(f) else None


def first_above(s: Series, x: float) -> float | None:
    """The first step with a finite value above x."""
    hit = np.flatnonzero(np.isfinite(s.value) & (s.value > x))
    return float(s.step[hit[0]]) if len(hit) else None


def first_below(s: Series, x: float) -> float | None:
    """The first step with a finite value below x."""
    hit = np.flatnonzero(np.isfinite(s.value) & (s.value < x))
    return float(s.step[hit[0]]) if len(hit) else None


def last_above(s: Series, x: float) -> float | None:
    """The last step with a finite value above x."""
    hit = np.flatnonzero(np.isfinite(s.value) & (s.value > x))
    return float(s.step[hit[-1]]) if len(hit) else None


def last_below(s: Series, x: float) -> float | None:
    """The last step with a finite value below x."""
    hit = np.flatnonzero(np.isfinite(s.value) & (s.value < x))
    return float(s.step[hit[-1]]) if len(hit) else None


def first_nonfinite(s: Series) -> float | None:
    """The first step with a NaN or infinite value."""
    hit = np.flatnonzero(~np.isfinite(s.value))
    return float(s.step[hit[0]]) if len(hit) else None


def smooth(s: Series, rows: float) -> Series:
    """The centred running mean over an odd number of finite rows, narrower at the ends.

    Centred on purpose: an exponential average lags and moves every onset and turn to the right.
    """
    f = _finite(s)
    half = max(0, int(rows)) // 2
    if half == 0 or len(f) < 3:
        return f
    scale = float(np.max(np.abs(f.value))) or 1.0
    total = np.concatenate([[0.0], np.cumsum(f.value / scale)])
    row = np.arange(len(f))
    reach = np.minimum(half, np.minimum(row, len(f) - 1 - row))
    mean_ = (total[row + reach + 1] - total[row - reach]) / (2 * reach + 1)
    return Series(f.step.copy(), mean_ * scale, s.metric)


def steady(s: Series, rows: float) -> Series:
    """The centred running median over an odd number of finite rows: smooth, but one outlier leaves no trace."""
    f = _finite(s)
    half = min(max(0, int(rows)) // 2, max(0, (len(f) - 1) // 2))
    if half == 0:
        return f
    wide = np.lib.stride_tricks.sliding_window_view(np.pad(f.value, half, mode="edge"), 2 * half + 1)
    return Series(f.step.copy(), np.median(wide, axis=1), s.metric)


def log_of(s: Series) -> Series:
    """The natural logarithm of the positive finite values; the other rows are left out."""
    f = _finite(s)
    p = f.cut(f.value > 0)
    return Series(p.step.copy(), np.log(p.value), s.metric)


def diff(s: Series) -> Series:
    """The change from each finite row to the next, at the later step."""
    f = _finite(s)
    return Series(f.step[1:].copy(), np.diff(f.value / 2) * 2, s.metric)


def log(x: float) -> float | None:
    """The natural logarithm; unknown at or below 0."""
    return math.log(x) if x > 0 else None


def exp(x: float) -> float | None:
    """e to the x; unknown where it overflows."""
    return math.exp(x) if x < 700 else None


def sqrt(x: float) -> float | None:
    """The square root; unknown below 0."""
    return math.sqrt(x) if x >= 0 else None


def size(x: float) -> float:
    """The absolute value."""
    return abs(x)


def nearest(x: float) -> float:
    """The nearest whole number."""
    return float(round(x))


def ramp(x: float, low_end: float, high_end: float) -> float:
    """0 at low_end, 1 at high_end, straight between, flat outside (the ends may stand in either order)."""
    if high_end == low_end:
        return 1.0 if x >= high_end else 0.0
    return min(1.0, max(0.0, (x - low_end) / (high_end - low_end)))


def near(x: float, anchor: float, rel: float) -> bool:
    """Whether x is within rel (relative to the anchor) of the anchor."""
    return abs(x - anchor) <= rel * abs(anchor)


BASIC = (
    first, last, at, median, mean, quantile, peak, low, spread, argmin, argmax, first_step, last_step, run_length,
    interval, count_rows, count_finite, distinct, is_constant, constant_tail_from,
    before, after, window, head, tail, head_rows, tail_rows,
    head_level, tail_level, share_above, share_below, share_equal, first_above, first_below, last_above, last_below,
    first_nonfinite, smooth, steady, log_of, diff, log, exp, sqrt, size, nearest, ramp, near,
)  # fmt: skip
