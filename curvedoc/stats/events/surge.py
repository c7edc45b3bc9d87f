"""Surges: values far above anything a series held before, and the rounding that a log was written with."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Series, once_a_series
from curvedoc.stats.basic.medians import inner_median5, median_of, top_of

#: Rows whose median is a level (inner_median5): one outlier, or two, leave no trace in it.
WINDOW = 5
#: Powers of ten that a log may be rounded to: coarser than units is no rounding, finer than 1e-9 is full precision.
DECIMALS = 9


@once_a_series
def _surge(s: Series) -> tuple[float, float] | None:
    """The largest ratio of a positive finite value to the highest level before it, the first being 1, and its step;
    None below two rows."""
    f = s.finite()
    positive = f.value > 0.0
    value = f.value[positive]
    n = len(value)
    if n < 2:
        return None
    level = np.empty(n - 1)
    # before five rows there are, their highest value is the level
    opening = min(n - 1, WINDOW - 1)
    level[:opening] = np.maximum.accumulate(value[:opening])
    if n > WINDOW:
        trailing = inner_median5(value[:-1])
        start = median_of(value[:WINDOW])
        level[opening:] = np.maximum(start, np.maximum.accumulate(trailing))
    with np.errstate(over="ignore"):
        found = np.concatenate(([1.0], np.divide(value[1:], level, out=level)))
    row = int(found.argmax())
    return float(found[row]), float(f.step[positive][row])


def surge_factor(s: Series) -> float | None:
    """Largest ratio of a value to the highest level held before it; near 1 where nothing surges, None below two rows.

    The level is the highest five-row median so far, so a norm that only returns to where it began is no surge. Among
    the first four rows it is the highest value so far. Positive finite values only.

    >>> surge_factor(Series.of([1.0] * 20 + [50.0] + [1.0] * 20))
    50.0
    >>> surge_factor(Series.of([9.0] * 5 + [0.1] * 20 + [6.0] + [0.1] * 5)) < 1.1
    True
    """
    found = _surge(s)
    if found is None:
        return None
    top = found[0]
    return top if np.isfinite(top) else float(np.finfo(np.float64).max)


def surge_step(s: Series) -> float | None:
    """Step of the value behind `surge_factor`; None below two rows.

    >>> surge_step(Series.of([1.0] * 20 + [50.0] + [1.0] * 20))
    20.0
    """
    found = _surge(s)
    return None if found is None else found[1]


def rounding(s: Series) -> float | None:
    """The power of ten that every value is a multiple of, 1 at most: 0.0001 for a log with four decimals.

    0 where nine decimals are not enough (full precision); None without a finite value. At most 2,000 rows are looked
    at, spread evenly.

    >>> rounding(Series.of([0.25, 1.5, 3.0])), rounding(Series.of([1 / 3, 0.5]))
    (0.01, 0.0)
    """
    value = s.value[np.isfinite(s.value)]
    if not len(value):
        return None
    if len(value) > 2000:
        value = value[np.linspace(0, len(value) - 1, 2000).astype(np.int64)]
    size = np.abs(value)
    for decimals in range(DECIMALS + 1):
        scaled = size * 10.0**decimals
        # beyond 2**40 a float cannot tell a decimal grid from its own
        if top_of(scaled) > 2.0**40:
            return 0.0
        if bool((np.abs(scaled - np.round(scaled)) <= 1e-4 * 10.0 ** (decimals - DECIMALS) + 4e-15 * scaled).all()):
            return float(10.0**-decimals)
    return 0.0
