"""End state: whether a curve is still falling, flat or rising when it ends, or whether the log cannot tell."""

from __future__ import annotations

from curvedoc.core.series import Series
from curvedoc.stats.basic.grid import Drift, back, curve_of, drift_of, edges, means
from curvedoc.stats.basic.medians import bottom_of, median_of

WINDOW = 0.25  # of the rows: the end of a run
BAND = 0.01  # of the total drop: a change over the window that no one would train on for
SHORTEST = 8  # rows of a window


def end_drift(s: Series, share: float) -> tuple[Drift, float] | None:
    """Change over the last `share` of the rows, and the unit it is judged by; None when too short.

    The window has 16 rows at least as far as half of the series allows, and never fewer than eight. The unit is the
    distance from the initial level to the level of the window, or to the lowest bucket where that is farther.
    Both in the scale of the curve.
    """
    c = curve_of(s)
    n = len(c)
    if n < 2 * SHORTEST or not 0.0 < share <= 1.0:
        return None
    k = min(n, max(int(n * share), min(16, n // 2), SHORTEST))
    y = c.calm
    d = drift_of(y[-k:])
    if d is None:
        return None
    start = c.head
    low = bottom_of(means(y, edges(n, 32)))
    return d, max(abs(start - median_of(y[-k:])), start - low)


def change_over(s: Series, share: float) -> float | None:
    """Change over the last `share` of the run in units of the total drop, negative when falling; None when unclear.

    >>> change_over(Series.of([3.0] * 4 + [1.0] * 60), 0.5)
    0.0
    """
    return _relative(s, share, 0.0)


def change_low(s: Series, share: float) -> float | None:
    """Lower end of the 90 % interval of `change_over`.

    >>> change_low(Series.of([3.0] * 4 + [1.0] * 60), 0.5)
    0.0
    """
    return _relative(s, share, -1.645)


def change_high(s: Series, share: float) -> float | None:
    """Upper end of the 90 % interval of `change_over`.

    >>> change_high(Series.of([3.0] * 4 + [1.0] * 60), 0.5)
    0.0
    """
    return _relative(s, share, 1.645)


def _relative(s: Series, share: float, level: float) -> float | None:
    found = end_drift(s, share)
    if found is None or found[1] == 0.0:
        return None
    d, unit = found
    value = d.change if level == 0.0 else (d.low(-level) if level < 0.0 else d.high(level))
    return None if abs(value) > 1e300 * unit else float(value / unit) + 0.0


def flat_within(s: Series, share: float, band: float) -> bool | None:
    """Whether the change over the last `share` stays inside `band` of the total drop, shown by equivalence.

    True: the 90 % interval of the change lies inside. False: it lies outside on one side. None: noise hides it.
    A constant series is flat. Source: Schuirmann 1987 (two one-sided tests).

    >>> flat_within(Series.of([1.0] * 60), 0.25, 0.01)
    True
    """
    found = end_drift(s, share)
    if found is None:
        return None
    d, unit = found
    if d.change == 0.0 and d.error == 0.0:
        return True
    low, high, limit = d.low(), d.high(), band * unit
    if low > -limit and high < limit:
        return True
    return False if high < -limit or low > limit else None


def flat_end(s: Series) -> bool | None:
    """Whether the last quarter is flat: True inside 1 % of the total drop, False when moving, None when unclear.

    >>> flat_end(Series.of([3.0, 2.0] + [1.0] * 60)), flat_end(Series.of(float(-i) for i in range(60)))
    (True, False)
    """
    return flat_within(s, WINDOW, BAND)


def still_falling(s: Series) -> bool | None:
    """Whether the last quarter falls by more than 1 % of the total drop; None when noise hides it.

    >>> still_falling(Series.of(float(-i) for i in range(60))), still_falling(Series.of([1.0] * 60))
    (True, False)
    """
    return _moves(s, -1.0)


def rising_end(s: Series) -> bool | None:
    """Whether the last quarter rises by more than 1 % of the total drop; None when noise hides it.

    >>> rising_end(Series.of([3.0] * 20 + [float(i) for i in range(60)]))
    True
    """
    return _moves(s, 1.0)


def _moves(s: Series, sign: float) -> bool | None:
    """Whether the change in the direction of `sign` is beyond the band (True), surely not (False), or unclear."""
    found = end_drift(s, WINDOW)
    if found is None:
        return None
    d, unit = found
    if d.change == 0.0 and d.error == 0.0:
        return False
    near, far = (d.low(), d.high()) if sign > 0 else (-d.high(), -d.low())
    if near > BAND * unit:
        return True
    return False if far < BAND * unit else None


def end_slope(s: Series) -> float | None:
    """Slope per step over the last quarter by batch means; None below 16 finite rows.

    >>> end_slope(Series.of([2.0 * i for i in range(60)]))
    2.0
    """
    c = curve_of(s)
    n = len(c)
    if n < 2 * SHORTEST:
        return None
    k = max(int(n * WINDOW), min(16, n // 2), SHORTEST)
    d = drift_of(c.calm[-k:])
    width = (c.x[-1] - c.x[-k]) * k / (k - 1)
    return None if d is None or width <= 0.0 else back(round(d.change / width, 15), c.scale)
