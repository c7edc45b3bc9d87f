"""Net fall: how far a curve surely came down, and how far it can have come at most. Vocabulary of the rules."""

from __future__ import annotations

from curvedoc.core.series import Series, once_a_series
from curvedoc.stats.basic.grid import curve_of, edges, means, student
from curvedoc.stats.basic.medians import bottom_of, median_of, top_of

LEAST = 5  # finite rows
FIRST_ROWS = 3  # whose median is the entry: one row of a noisy log is no level
STRETCHES = 5  # the lowest of so many parts of a curve
CHOSEN = 2.0  # deviates that the lowest of five means lies below their common level now and then
LEVEL = 1.645  # of a one-sided 95 %


@once_a_series
def _entry(s: Series) -> float:
    y = curve_of(s).y
    return median_of(y[: max(FIRST_ROWS, min(9, len(y) // 20))])


@once_a_series
def surely_fell(s: Series) -> float | None:
    """Share of the entry level that the lowest fifth of the curve surely lies below it, however it ended; 0 for none.

    The noise of the entry and of the lowest fifth are taken off. None below five finite rows or at an entry of zero.

    >>> round(surely_fell(Series.of([4.0, 4.0, 4.0, 2.0, 1.0, 1.0, 1.0, 1.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0])), 1)
    0.5
    >>> surely_fell(Series.of([1.0] * 20))
    0.0
    """
    c = curve_of(s)
    n = len(c)
    if n < LEAST:
        return None
    entry = _entry(s)
    if entry == 0.0:
        return None
    cut = edges(n, STRETCHES)
    rows = int((cut[1:] - cut[:-1]).min())
    error = c.noise * (1.0 / rows + 1.0 / FIRST_ROWS) ** 0.5
    fall = entry - bottom_of(means(c.calm, cut)) - CHOSEN * error
    return max(0.0, fall / abs(entry)) if fall < 1e300 * abs(entry) else None


def fell_at_most(s: Series) -> float | None:
    """Upper end of the 90 % interval of the linear fall over the run, as a share of the median level.

    Below zero where it surely rose. A curve that goes nowhere has a small one, and one whose noise could hide a fall
    has not. None below ten finite rows or at a level of zero.

    >>> fell_at_most(Series.of([1.0] * 20))
    0.0
    >>> fell_at_most(Series.of([2.0 - 0.05 * i for i in range(20)])) > 0.5
    True
    """
    c = curve_of(s)
    level = median_of(c.y) if len(c) else 0.0
    d = c.drift if len(c) >= 2 * LEAST else None
    if d is None or level == 0.0:
        return None
    high = -d.change + student(LEVEL, d.df) * d.error
    return high / abs(level) if abs(high) < 1e300 * abs(level) else None


def lost_of_gain(s: Series) -> float | None:
    """For a curve that should rise: share of what it had gained that is gone at the end; None where it gained nothing.

    The gain is that of the highest fifth over the entry beyond noise. 1: back where it began; above: below that.

    >>> lost_of_gain(Series.of([0.0, 0.0, 0.0, 1.0, 2.0, 4.0, 4.0, 4.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
    1.0
    """
    c = curve_of(s)
    n = len(c)
    if n < 2 * LEAST:
        return None
    cut = edges(n, STRETCHES)
    parts, entry = means(c.calm, cut), _entry(s)
    rows = int((cut[1:] - cut[:-1]).min())
    error = c.noise * (1.0 / rows + 1.0 / FIRST_ROWS) ** 0.5
    gained = top_of(parts) - entry
    if gained <= 2.0 * CHOSEN * error or gained == 0.0:
        return None
    lost = (top_of(parts) - float(parts[-1])) / gained
    return lost if lost < 1e300 else None
