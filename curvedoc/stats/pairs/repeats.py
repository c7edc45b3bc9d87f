"""Repeat: where two logs of what should be the same numbers part for good, beyond their last printed digit."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Floats, Ints, Series
from curvedoc.stats.pairs.runs import common

DIGIT = 1.5  # units of the last printed digit: rounding the same number twice differs by one
PLACES = 8  # decimals that a log prints at most where rounding still matters
SAMPLE = 2000  # rows to look at for the number of decimals
FLOAT32 = 2e-6  # relative: what one changed order of a float32 sum gives


def _apart(a: Series, b: Series) -> tuple[Ints, Floats, Floats] | None:
    """Common steps, |a - b| beyond the last digit (0 where within it, inf where one is not finite), size of values."""
    step, p, q = common(a, b)
    if not len(step):
        return None
    unit = max(_unit(p), _unit(q))
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(p), np.abs(q))
        distance = np.abs(p / 2 - q / 2) * 2
        inside = (p == q) | (np.isnan(p) & np.isnan(q)) | (distance <= np.maximum(DIGIT * unit, FLOAT32 * size))
    gap = np.where(inside, 0.0, distance)
    gap[~inside & ~np.isfinite(gap)] = np.inf
    return step, np.asarray(gap, dtype=np.float64), np.asarray(size, dtype=np.float64)


def _unit(y: Floats) -> float:
    """Unit of the last decimal that all values are printed with; 0 for full precision."""
    v = y[np.isfinite(y) & (np.abs(y) < 1e6)]
    v = v[:: max(1, len(v) // SAMPLE)]
    if not len(v):
        return 0.0
    for places in range(1, PLACES + 1):
        scaled = v * 10.0**places
        if bool((np.abs(scaled - np.round(scaled)) < 1e-5).all()):
            return float(10.0**-places)
    return 0.0


def parting_step(a: Series, b: Series) -> float | None:
    """First common step at which two series differ by more than their last printed digit; None when none does.

    >>> parting_step(Series.of([3.0, 2.0, 1.0, 0.5]), Series.of([3.0, 2.0, 1.0, 0.9]))
    3.0
    """
    found = _apart(a, b)
    if found is None:
        return None
    rows = np.flatnonzero(found[1] > 0.0)
    return float(found[0][rows[0]]) if len(rows) else None


def parting_share(a: Series, b: Series) -> float | None:
    """Share of the common steps from the parting on at which they differ beyond the last digit; 0 when they never part.

    None without common steps.

    >>> parting_share(Series.of([3.0, 2.0, 1.0, 0.5]), Series.of([3.0, 2.5, 1.5, 0.5]))
    0.6666666666666666
    """
    found = _apart(a, b)
    if found is None:
        return None
    rows = np.flatnonzero(found[1] > 0.0)
    return float(np.mean(found[1][rows[0] :] > 0.0)) if len(rows) else 0.0


def parting_gap(a: Series, b: Series) -> float | None:
    """Relative difference at the step at which two series part, at most 1; None when they never do.

    About 1e-6 is another order of a sum; a few percent is another batch or another start.

    >>> round(parting_gap(Series.of([4.0, 2.0, 1.0, 0.5]), Series.of([4.0, 2.0, 0.8, 0.4])), 3)
    0.2
    """
    found = _apart(a, b)
    if found is None:
        return None
    rows = np.flatnonzero(found[1] > 0.0)
    return _relative(found[1][rows[:1]], found[2][rows[:1]])[0] if len(rows) else None


def typical_gap(a: Series, b: Series) -> float | None:
    """Median relative difference over the second half of the common steps, at most 1; None without common steps.

    Differences within the last printed digit count as 0, a non-finite value beside a finite one as 1.

    >>> typical_gap(Series.of([1.0] * 10), Series.of([1.0] * 5 + [2.0] * 5))
    0.5
    """
    found = _apart(a, b)
    if found is None:
        return None
    half = len(found[0]) // 2
    return float(np.median(_relative(found[1][half:], found[2][half:])))


def _relative(gap: Floats, size: Floats) -> list[float]:
    with np.errstate(all="ignore"):
        share = np.where(gap > 0.0, gap / size, 0.0)
    return [float(v) for v in np.minimum(np.nan_to_num(share, nan=1.0, posinf=1.0), 1.0)]


def relative_gap(a: Series, b: Series) -> Series:
    """|a - b| over the larger of the two sizes, at most 1, on the common steps where both are finite."""
    step, p, q = common(a, b)
    ok = np.isfinite(p) & np.isfinite(q)
    step, p, q = step[ok], p[ok], q[ok]
    size = np.maximum(np.maximum(np.abs(p), np.abs(q)), 1e-300)
    return Series(step.copy(), np.minimum(np.abs(p / size - q / size), 1.0), a.metric)
