"""Train against validation: two curves on common steps, their gap, its trend, and where they cross."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Series
from curvedoc.stats.basic.grid import curve_of, drift_of, noise_of, scale_of, tail_level
from curvedoc.stats.basic.medians import bottom_of, mean_of, median5


def aligned(a: Series, b: Series) -> Series:
    """`a` on the steps of `b`: its mean over the steps nearest to each of them; rows without a value are left out.

    Each step of `b` owns the steps up to half way to its neighbors. Where `a` has no row there, it is
    interpolated, never beyond its own ends. Non-finite rows of `a` are skipped, those of `b` keep their step.

    >>> aligned(Series.of([1.0, 2.0, 3.0, 4.0, 5.0]), Series.of([0.0, 0.0], step=[1, 3])).value.tolist()
    [1.5, 3.5]
    """
    f = a.finite()
    if len(f) == 0 or len(b) == 0:
        return Series.of([], metric=a.metric)
    if len(f) == len(b) and bool((f.step == b.step).all()):
        return Series(b.step, f.value, a.metric)
    at = b.step.astype(np.float64)
    x = f.step.astype(np.float64)
    if len(at) > 1:
        half = 0.5 * np.diff(at)
        bounds = np.concatenate([[at[0] - half[0]], at[:-1] + half, [at[-1] + half[-1]]])
    else:
        bounds = np.array([at[0] - 0.5, at[0] + 0.5])
    place = x.searchsorted(bounds, side="left")
    first, last = place[:-1], place[1:]
    count = last - first
    scale = scale_of(f.value)
    y = f.value / scale
    value = np.interp(at, x, y)
    filled = np.flatnonzero(count > 0)
    if len(filled):
        # rows between the first and last bound are covered without gaps, so reduceat over the filled starts is exact
        value[filled] = np.add.reduceat(y[: last[-1]], first[filled]) / count[filled]
    keep = (count > 0) | ((at >= x[0]) & (at <= x[-1]))
    return Series(b.step[keep].copy(), value[keep] * scale, a.metric)


def _pair(a: Series, b: Series) -> tuple[Series, Series]:
    """`a` and `b` at the finite rows of the sparser one, row by row comparable."""
    a, b = a.finite(), b.finite()
    if len(a) >= len(b):
        left = aligned(a, b)
        return left, _on(b, left)
    right = aligned(b, a)
    return _on(a, right), right


def _on(s: Series, other: Series) -> Series:
    """The rows of `s` whose step `other` has too."""
    # the steps of `other` were taken from `s`: as many are all
    return s if len(other) == len(s) else s.cut(np.isin(s.step, other.step))


def difference(a: Series, b: Series) -> Series:
    """`a` minus `b` on the steps of the sparser one, the denser one averaged around them; finite rows only.

    >>> difference(Series.of([3.0, 2.0]), Series.of([1.0, 1.0])).value.tolist()
    [2.0, 1.0]
    """
    p, q = _pair(a, b)
    with np.errstate(over="ignore"):
        return Series(p.step.copy(), p.value - q.value, a.metric).finite()


def ratio(a: Series, b: Series) -> Series:
    """`a` over `b` on the steps of the sparser one, the denser one averaged around them; finite rows only.

    >>> ratio(Series.of([3.0, 2.0]), Series.of([1.0, 0.0])).value.tolist()
    [3.0]
    """
    p, q = _pair(a, b)
    with np.errstate(all="ignore"):
        return Series(p.step.copy(), p.value / q.value, a.metric).finite()


def gap_end(train: Series, val: Series) -> float | None:
    """Level of `val` at the end minus level of `train` there, over their common steps; None without common steps.

    >>> gap_end(Series.of([3.0, 1.0, 1.0, 1.0]), Series.of([3.0, 2.0, 2.0, 2.0]))
    1.0
    """
    gap = curve_of(difference(val, train))
    return None if len(gap) == 0 else tail_level(gap.y) * gap.scale


def gap_ratio(train: Series, val: Series) -> float | None:
    """Gap at the end over the level of `train` there: .5 is a validation loss half again as high.

    None without common steps or where the training level is not above zero; one that is printed as zero, of a curve
    that never is below, counts as the least value printed.

    >>> gap_ratio(Series.of([3.0, 1.0, 1.0, 1.0]), Series.of([3.0, 2.0, 2.0, 2.0]))
    1.0
    >>> gap_ratio(Series.of([3.0, 0.1, 0.0, 0.0]), Series.of([3.0, 2.0, 2.0, 2.0]))
    19.0
    """
    p, q = _pair(train, val)
    if len(p) == 0:
        return None
    t, v = curve_of(p), curve_of(q)
    low, high = tail_level(t.y) * t.scale, tail_level(v.y) * v.scale
    if low == 0.0 and float(np.min(t.y)) >= 0.0 and bool((t.y > 0.0).any()):
        low = float(np.min(t.y[t.y > 0.0])) * t.scale
    if low <= 0.0:
        return None
    out = high / low - 1.0 if high < 1e300 * min(low, 1.0) else float("inf")
    return out if np.isfinite(out) else None


def gap_of_drop(train: Series, val: Series) -> float | None:
    """Gap at the end in units of what the training curve lost from its start; None without a loss.

    >>> gap_of_drop(Series.of([3.0, 1.0, 1.0, 1.0]), Series.of([3.0, 2.0, 2.0, 2.0]))
    0.5
    """
    gap = gap_end(train, val)
    t = curve_of(train)
    if gap is None or len(t) < 2:
        return None
    drop = (float(t.y[0]) - tail_level(t.y)) * t.scale
    return None if drop <= 0.0 or abs(gap) > 1e300 * min(drop, 1.0) else gap / drop


def gap_trend_z(train: Series, val: Series) -> float | None:
    """Trend of the gap `val` - `train` as a normal deviate, positive when it opens; None below five common rows.

    >>> gap_trend_z(Series.of([float(-i) for i in range(60)]), Series.of([0.0] * 60)) > 5
    True
    """
    d = drift_of(curve_of(difference(val, train)).calm)
    return None if d is None else d.z


def val_noise_ratio(train: Series, val: Series) -> float | None:
    """Noise of one evaluation over the noise of the training curve averaged around the evaluations.

    Both by second differences, so trends do not count. None below eight common rows, or without training noise.

    >>> val_noise_ratio(Series.of([1.0] * 20), Series.of([1.0, 2.0] * 10)) is None
    True
    """
    p, q = _pair(train, val)
    if len(p) < 8:
        return None
    t, v = curve_of(p), curve_of(q)
    low, high = t.noise * t.scale, v.noise * v.scale
    return None if low <= 1e-12 * t.scale or high > 1e300 * min(low, 1.0) else high / low


def val_jitter(val: Series) -> float | None:
    """Noise of one evaluation in the later half, over the whole fall of the curve: .1 hides a tenth of the progress.

    Second differences, so trends do not count; 10 at most. Tells a jumping validation curve from a small one:
    `val_noise_ratio` alone is large wherever the training curve has run out of noise. None below eight finite rows.

    >>> val_jitter(Series.of([3.0, 2.0] + [1.0] * 10))
    0.0
    """
    c = curve_of(val)
    n = len(c)
    if n < 8:
        return None
    noise = noise_of(c.y[n // 2 :] if n >= 16 else c.y[n // 3 :])
    fall = float(c.y[0]) - bottom_of(c.y)
    if noise == 0.0:
        return 0.0
    return 10.0 if noise >= 10.0 * fall else noise / fall


def better_throughout(train: Series, val: Series) -> float | None:
    """Share of the common steps at which `val` lies below `train`; None below three common rows.

    >>> better_throughout(Series.of([3.0, 2.0, 1.0]), Series.of([2.0, 1.0, 0.5]))
    1.0
    """
    gap = difference(val, train)
    return None if len(gap) < 3 else mean_of(gap.value < 0.0)


def crossing_step(train: Series, val: Series) -> float | None:
    """Step from which `val` stays above `train` after it was below; None when it does not cross for good.

    Single rows do not count: the gap is a moving median of five, and must clear three standard errors at the end.

    >>> crossing_step(Series.of([4.0 - i for i in range(20)]), Series.of([2.0 - i / 2 for i in range(20)]))
    5.0
    """
    gap = difference(val, train)
    c = curve_of(gap)
    n = len(c)
    if n < 8:
        return None
    y = median5(c.y)
    error = c.noise / float(n // 5 or 1) ** 0.5
    if mean_of(y[-max(2, n // 5) :]) <= 3.0 * error:
        return None
    below = np.flatnonzero(y <= 0.0)
    if len(below) < 2 or below[-1] + 1 >= n:
        return None
    return float(c.x[below[-1] + 1])
