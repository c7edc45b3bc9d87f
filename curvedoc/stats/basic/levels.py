"""Levels and positions of a series: the plain words of the rule language.

Non-finite points are left out unless a function says otherwise. Positions are steps. None means: cannot be judged.
"""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Series
from curvedoc.stats.basic.medians import bottom_of, mean_of, median_of, quantile_of, top_of
from curvedoc.stats.basic.spacing import share_of_rows, typical_gap


def first(s: Series) -> float | None:
    """The first finite value."""
    f = s.finite()
    return float(f.value[0]) if len(f) else None


def last(s: Series) -> float | None:
    """The last finite value."""
    f = s.finite()
    return float(f.value[-1]) if len(f) else None


def at(s: Series, step: float) -> float | None:
    """The finite value at a step, or the nearest one before it (the first one where there is none before)."""
    f = s.finite()
    if not len(f):
        return None
    return float(f.value[max(0, int(f.step.searchsorted(step, side="right")) - 1)])


def median(s: Series) -> float | None:
    """The median of the finite values."""
    f = s.finite()
    return median_of(f.value) if len(f) else None


def mean(s: Series) -> float | None:
    """The mean of the finite values."""
    f = s.finite()
    return float(np.mean(f.value / 2) * 2) if len(f) else None  # halved: 1e308 values must not overflow the sum


def quantile(s: Series, q: float) -> float | None:
    """The q-quantile (0..1) of the finite values."""
    f = s.finite()
    return quantile_of(f.value, min(1.0, max(0.0, q))) if len(f) else None


def peak(s: Series) -> float | None:
    """The largest finite value."""
    f = s.finite()
    return top_of(f.value) if len(f) else None


def low(s: Series) -> float | None:
    """The smallest finite value."""
    f = s.finite()
    return bottom_of(f.value) if len(f) else None


def spread(s: Series) -> float | None:
    """Robust spread of the finite values: half the width between the 5 % and 95 % quantiles."""
    f = s.finite()
    if len(f) < 3:
        return None
    return quantile_of(f.value, 0.95) / 2 - quantile_of(f.value, 0.05) / 2


def argmin(s: Series) -> float | None:
    """The step of the smallest finite value (the first of equals)."""
    f = s.finite()
    return float(f.step[int(f.value.argmin())]) if len(f) else None


def argmax(s: Series) -> float | None:
    """The step of the largest finite value (the first of equals)."""
    f = s.finite()
    return float(f.step[int(f.value.argmax())]) if len(f) else None


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
    return typical_gap(s.step) if len(s) > 1 else None


def count_rows(s: Series) -> float:
    """How many points were logged, non-finite ones too."""
    return float(len(s))


def count_finite(s: Series) -> float:
    """How many finite points were logged."""
    return float(len(s.finite()))


def distinct(s: Series) -> float:
    """How many different finite values there are."""
    ordered = np.sort(s.finite().value)
    return float(np.count_nonzero(ordered[1:] != ordered[:-1]) + (len(ordered) > 0))


def is_constant(s: Series) -> bool | None:
    """Whether all finite values are the same, to one part in a billion."""
    f = s.finite()
    if len(f) < 2:
        return None
    top, bottom = top_of(f.value), bottom_of(f.value)
    return top - bottom <= 1e-9 * max(abs(top), abs(bottom))


def constant_tail_from(s: Series) -> float | None:
    """The first step of the run of exactly equal finite values at the end; the last step where there is no such run."""
    f = s.finite()
    if not len(f):
        return None
    other = np.flatnonzero(f.value != f.value[-1])
    return float(f.step[int(other[-1]) + 1 if len(other) else 0])


def head_level(s: Series, share: float) -> float | None:
    """The median over the first share of the finite rows.

    Of the steps where the interval of logging changes.
    """
    f = s.finite()
    return median_of(f.value[: share_of_rows(f, share, late=False)]) if len(f) else None


def tail_level(s: Series, share: float) -> float | None:
    """The median over the last share of the finite rows.

    Of the steps where the interval of logging changes.
    """
    f = s.finite()
    return median_of(f.value[-share_of_rows(f, share, late=True) :]) if len(f) else None


def share_above(s: Series, x: float) -> float | None:
    """The share of finite points above x."""
    f = s.finite()
    return mean_of(f.value > x) if len(f) else None


def share_below(s: Series, x: float) -> float | None:
    """The share of finite points below x."""
    f = s.finite()
    return mean_of(f.value < x) if len(f) else None


def share_equal(s: Series, x: float, tol: float) -> float | None:
    """The share of finite points within tol (absolute) of x."""
    f = s.finite()
    return mean_of(np.abs(f.value / 2 - x / 2) <= tol / 2) if len(f) else None


def first_above(s: Series, x: float) -> float | None:
    """The first step with a finite value above x."""
    f = s.finite()
    hit = f.value > x
    return float(f.step[hit.argmax()]) if bool(hit.any()) else None


def first_below(s: Series, x: float) -> float | None:
    """The first step with a finite value below x."""
    f = s.finite()
    hit = f.value < x
    return float(f.step[hit.argmax()]) if bool(hit.any()) else None


def last_above(s: Series, x: float) -> float | None:
    """The last step with a finite value above x."""
    f = s.finite()
    hit = np.flatnonzero(f.value > x)
    return float(f.step[hit[-1]]) if len(hit) else None


def last_below(s: Series, x: float) -> float | None:
    """The last step with a finite value below x."""
    f = s.finite()
    hit = np.flatnonzero(f.value < x)
    return float(f.step[hit[-1]]) if len(hit) else None


BASIC = (
    first,
    last,
    at,
    median,
    mean,
    quantile,
    peak,
    low,
    spread,
    argmin,
    argmax,
    first_step,
    last_step,
    run_length,
    interval,
    count_rows,
    count_finite,
    distinct,
    is_constant,
    constant_tail_from,
    head_level,
    tail_level,
    share_above,
    share_below,
    share_equal,
    first_above,
    first_below,
    last_above,
    last_below,
)
