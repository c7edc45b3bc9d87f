"""Pair: two runs of one configuration on common steps: where they part, by how much, and data order."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Floats, Ints, Series
from curvedoc.stats.basic.grid import MAD_TO_SD, drift_of, noise_of, scale_of
from curvedoc.stats.basic.medians import median_of

LEAST = 20  # common rows for a statement about noise
SETTLE = 200  # rows at the start that all runs share, as the loss falls the same way
LAGS = 3  # rows: a resume that is off by one or two


def common(a: Series, b: Series) -> tuple[Ints, Floats, Floats]:
    """Steps that both have, and the values of each there: int64 [n], float64 [n], float64 [n]; not finite stays."""
    step, i, j = np.intersect1d(a.step, b.step, assume_unique=True, return_indices=True)
    return step, a.value[i], b.value[j]


def first_difference(a: Series, b: Series) -> float | None:
    """First common step at which the logged values differ at all; None when none does, or without common steps.

    Bit by bit: two NaN are equal.

    >>> first_difference(Series.of([3.0, 2.0, 1.0]), Series.of([3.0, 2.0, 1.1]))
    2.0
    """
    step, p, q = common(a, b)
    rows = np.flatnonzero(~((p == q) | (np.isnan(p) & np.isnan(q))))
    return float(step[rows[0]]) if len(rows) else None


def departs_at(a: Series, b: Series, rel: float) -> float | None:
    """First common step from which three rows in a row differ by more than `rel` of their size; None when none do.

    >>> departs_at(Series.of([3.0, 2.0, 1.0, 1.0, 1.0]), Series.of([3.0, 2.0, 2.0, 2.0, 2.0]), 0.1)
    2.0
    """
    step, p, q = common(a, b)
    with np.errstate(all="ignore"):
        apart = np.abs(p - q) > rel * np.maximum(np.abs(p), np.abs(q))
    apart |= np.isfinite(p) != np.isfinite(q)
    if len(apart) < 3:
        return None
    rows = np.flatnonzero(apart[:-2] & apart[1:-1] & apart[2:])
    return float(step[rows[0]]) if len(rows) else None


def share_equal_pairs(a: Series, b: Series) -> float | None:
    """Share of the common steps at which both values are the same; None without common steps.

    >>> share_equal_pairs(Series.of([3.0, 2.0]), Series.of([3.0, 1.0]))
    0.5
    """
    _, p, q = common(a, b)
    return float(np.mean((p == q) | (np.isnan(p) & np.isnan(q)))) if len(p) else None


def noise_correlation(a: Series, b: Series) -> float | None:
    """Correlation of the noise of two runs, best of lags -3 to 3 rows: above .5 they saw the data in one order.

    Second differences clipped at four deviations; the first 200 rows are left out where 200 remain. Measured: .985
    and more with one order, within .05 of zero with another. None below 20 common finite rows or without noise.

    >>> x = [((i * i * 7919) % 101) / 101 for i in range(300)]
    >>> round(noise_correlation(Series.of(x), Series.of([v + 1 for v in x])), 2)
    1.0
    """
    _, p, q = common(a, b)
    ok = np.isfinite(p) & np.isfinite(q)
    p, q = p[ok] / scale_of(p[ok]), q[ok] / scale_of(q[ok])
    if len(p) >= 2 * SETTLE:
        p, q = p[SETTLE:], q[SETTLE:]
    if len(p) < LEAST:
        return None
    x, y = _bends(p), _bends(q)
    if x is None or y is None:
        return None
    best = 0.0
    for lag in range(-LAGS, LAGS + 1):
        u, v = (x[lag:], y[: len(y) - lag]) if lag >= 0 else (x[:lag], y[-lag:])
        size = float(np.sqrt((u @ u) * (v @ v)))
        r = float(u @ v) / size if size > 0.0 else 0.0
        best = r if r > best else best
    return best


def _bends(y: Floats) -> Floats | None:
    """Second differences over their robust deviation, clipped at four; None where nothing moves."""
    d = y[2:] - 2.0 * y[1:-1] + y[:-2]
    spread = MAD_TO_SD * median_of(np.abs(d))
    return None if spread <= 1e-12 else np.clip(d / spread, -4.0, 4.0)


def same_order(a: Series, b: Series) -> bool | None:
    """Whether two runs saw their data in one order: noise correlation above .5; None where it cannot be told.

    Below four standard errors (few common rows) the answer is None unless the correlation is near 1.

    >>> same_order(Series.of([1.0] * 30), Series.of([2.0] * 30)) is None
    True
    """
    r = noise_correlation(a, b)
    if r is None:
        return None
    rows = len(common(a, b)[0])
    unsure = 4.0 * 1.5 / rows**0.5
    if r > max(0.5, min(unsure, 0.95)):
        return True
    return False if unsure < 0.5 else None


def paired_shift(a: Series, b: Series) -> float | None:
    """Level of `a` minus level of `b` over the last quarter of their common steps; None below eight common rows.

    >>> paired_shift(Series.of([2.0] * 40), Series.of([1.0] * 40))
    1.0
    """
    found = _difference(a, b)
    if found is None:
        return None
    d, scale = found
    out = median_of(d[-max(4, len(d) // 4) :]) * scale
    return out if np.isfinite(out) else None


def paired_z(a: Series, b: Series) -> float | None:
    """Whether `a` ends above `b`, as a normal deviate of the mean difference over the last quarter; None below 20 rows.

    Batch means of the paired difference, so runs on one data order are compared with a thirtieth of the noise.

    >>> paired_z(Series.of([2.0] * 40), Series.of([1.0] * 40))
    40.0
    """
    found = _difference(a, b)
    if found is None or len(found[0]) < LEAST:
        return None
    d = found[0][-max(10, len(found[0]) // 4) :]
    trend = drift_of(d)
    if trend is None:
        return None
    # the slope of n rows has error sigma * sqrt(12 / n), their mean sigma / sqrt(n)
    error = max(trend.error / 12.0**0.5, noise_of(d) / len(d) ** 0.5)
    middle = float(np.mean(d))
    if error <= 1e-12:
        return 0.0 if abs(middle) <= 1e-12 else float(np.copysign(40.0, middle))
    return float(np.clip(middle / error, -40.0, 40.0))


def _difference(a: Series, b: Series) -> tuple[Floats, float] | None:
    """Difference on common finite rows, in a safe scale; None below eight rows."""
    _, p, q = common(a, b)
    ok = np.isfinite(p) & np.isfinite(q)
    if int(ok.sum()) < 8:
        return None
    scale = max(scale_of(p[ok]), scale_of(q[ok]))
    return p[ok] / scale - q[ok] / scale, scale
