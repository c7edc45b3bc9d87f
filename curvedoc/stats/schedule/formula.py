"""Families: which formula a descending learning rate follows, fitted to the exactness of the printed values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from curvedoc.core.series import Floats
from curvedoc.stats.basic.grid import GridCurve
from curvedoc.stats.basic.medians import bottom_of, range_of, top_of
from curvedoc.stats.basic.spacing import typical_gap

Family = Literal["linear", "exponential", "cosine", "inverse-sqrt", "polynomial", "one-minus-sqrt", "other"]

MOST = 240  # rows of a fit; more of an exact formula say nothing new
LOOSE = 1.5e-4  # of the peak: float32 arithmetic, off-by-one steps
ONE_DIGIT = 5  # different digits: a rate of single digits takes so many only where it was printed so
REPEATED = 3.0  # rows of one value: what was printed in single digits repeats
CLOSE = 0.012  # of the range: a fit worse than its printing but no worse than this still names the family
POWERS = (0.5, 0.9, 1.5, 2.0, 3.0)
STARTS = (0.0, 0.5, 1.0, 0.25, 0.75)  # rows before the first one at which the descent may have begun
PLAIN = 1.1  # a curved family must beat the straight line, and each later family the best so far, by this factor


@dataclass(frozen=True, slots=True)
class Fit:
    """One family fitted to one descent.

    end:   step at which the formula ends (cosine at its low, linear and polynomial at zero); None where it has no end
    error: largest distance from the values in units of their printing tolerance; up to 1 is exact
    miss:  largest distance as a share of the range of the values
    """

    family: Family
    end: float | None
    error: float
    miss: float


def tolerance(c: GridCurve) -> Floats:
    """How far each value may lie from its formula, in the scale of `c`: printed decimals and digits, float32 rounding.

    Digits are those of the values as logged, so the scale is undone for them.
    """
    y = c.y * c.scale
    top = top_of(np.abs(y))
    sample = y[:: max(1, len(y) // 200)]
    printed = np.maximum(0.6 * _decimal(sample, top), 1.2 * _digits(sample) * np.abs(y))
    return np.asarray(np.maximum(printed, LOOSE * top) / c.scale, dtype=np.float64)


def _decimal(y: Floats, top: float) -> float:
    """Unit of the last printed decimal place; 0 when values have more places than matter."""
    if top <= 1e-12:
        return 0.0
    for places in range(0, 12):
        unit = 10.0**-places
        if unit < 1e-5 * top:
            return 0.0
        if top_of(np.abs(y / unit - np.round(y / unit))) < 1e-9 * max(1.0, top / unit):
            return unit
    return 0.0


def _digits(y: Floats) -> float:
    """Half of a unit in the last printed significant digit, relative; 0 beyond six digits."""
    size = np.abs(y[y != 0.0])
    if not len(size) or bottom_of(size) < 1e-290:
        return 0.0
    exponent = np.floor(np.log10(size))
    mantissa = size / 10.0**exponent
    few = len(np.unique(np.round(mantissa, 9))) < ONE_DIGIT  # 0.1, 0.01, 0.001 are drops that were chosen
    few = few or len(size) < REPEATED * len(np.unique(size))  # 1, 0.9, 0.8 are values of their own
    for digits in range(2 if few else 1, 7):
        scaled = mantissa * 10.0 ** (digits - 1)
        if top_of(np.abs(scaled - np.round(scaled))) < 1e-6 * 10.0 ** (digits - 1):
            return float(0.5 * 10.0 ** (1 - digits))
    return 0.0


def _line(basis: Floats, v: Floats, tol: Floats) -> Floats:
    """Values of the weighted least-squares line of `v` on each row of `basis`: float64 [k, n]."""
    w = 1.0 / (tol * tol)
    total = float(w.sum())
    mx, mv = basis @ w / total, float(v @ w) / total
    centered = basis - mx[:, None]
    sxx = (centered * centered) @ w
    slope = np.where(sxx > 0, (centered * (v - mv)) @ w / np.where(sxx > 0, sxx, 1.0), 0.0)
    return np.asarray(mv + slope[:, None] * centered, dtype=np.float64)


def _search(shape: Callable[[Floats], Floats], ends: Floats, v: Floats, tol: Floats) -> tuple[float, Floats]:
    """The end (in units of the descent seen) whose shape fits best, by refinement, and the values it gives."""
    best_end, best, least = float(ends[0]), v * 0.0, np.inf
    grid = ends
    for _ in range(5):
        model = _line(shape(grid), v, tol)
        error = np.sqrt(np.mean(((model - v) / tol) ** 2, axis=1))
        k = int(error.argmin())
        if error[k] < least:
            best_end, best, least = float(grid[k]), model[k], float(error[k])
        if len(grid) < 3:
            break
        grid = np.linspace(grid[max(0, k - 1)], grid[min(len(grid) - 1, k + 1)], 15)
    return best_end, best


def _cosine(u: Floats, ends: Floats) -> Floats:
    """Half a cosine from 0 to each of `ends`, then its low: float64 [k, n]."""
    return np.asarray(np.cos(np.pi * np.minimum(u / ends[:, None], 1.0)), dtype=np.float64)


def _root(x: Floats, v: Floats, tol: Floats) -> tuple[Floats, float]:
    """What falls from the first value by a square root: its values, and the x at which it reaches zero.

    The square of the fall is a line, which also tells where between the first two rows it began.
    """
    top = float(v[0])
    fall = np.maximum(top - v, 0.0)
    line = _line(x[None, 1:], fall[1:] ** 2, np.maximum(2.0 * fall[1:] * tol[1:], 1e-300))[0]
    slope = float(line[-1] - line[0]) / float(x[-1] - x[1])
    model = top - np.sqrt(np.maximum(np.concatenate([[0.0], line]), 0.0))
    return model, float(x[1] + (top * top - line[0]) / slope) if slope > 0.0 else float("inf")


def _power(x: Floats, power: float, ends: Floats) -> Floats:
    """The power of what is left of the way to each of `ends`: float64 [k, n]."""
    return np.asarray(np.clip(1.0 - x / ends[:, None], 0.0, 1.0) ** power, dtype=np.float64)


def fit_descent(c: GridCurve, tol: Floats) -> Fit | None:
    """The family that follows the falling values of `c` most closely; None below three rows or without a fall.

    Values may reach their floor only in the last row. "other" when nothing comes within 1.2 % of the range.
    """
    n = len(c)
    if n < 3:
        return None
    keep = np.unique(np.linspace(0, n - 1, min(n, MOST)).astype(np.int64))
    t, v, near = c.x[keep], c.y[keep], tol[keep]
    span, length = range_of(v), float(t[-1] - t[0])
    if span <= 0.0 or length <= 0.0:
        return None
    x = (t - t[0]) / length
    row = typical_gap(c.x) / length
    found: list[Fit] = []

    def add(family: Family, model: Floats, end: float | None) -> None:
        away = np.abs(model - v)
        if bool(np.isfinite(away).all()):
            found.append(Fit(family, end, top_of(away / near), top_of(away) / span))

    line = _line(x[None, :], v, near)[0]
    fall = float(line[0] - line[-1])
    zero = t[0] + length * float(line[0]) / fall if fall > 0.0 else None
    add("linear", line, zero)
    if found and found[0].error <= 1.0:
        return found[0]
    if bottom_of(v) > 0.0:
        log = np.log(v)
        add("exponential", np.exp(_line(x[None, :], log, np.maximum(near / v, 1e-9))[0]), None)
        inverse = 1.0 / (v * v)
        square = _line(x[None, :], inverse, np.maximum(2.0 * near / v**3, 1e-300))[0]
        if bottom_of(square) > 0.0:
            add("inverse-sqrt", 1.0 / np.sqrt(square), None)
    for start in STARTS:
        u = x + start * row
        ends = np.geomspace(0.995 * (1.0 + start * row), 40.0, 60)
        end, model = _search(partial(_cosine, u), ends, v, near)
        add("cosine", model, t[0] + length * (end - start * row))
        if found and found[-1].error <= 0.5:
            break
    root, zero = _root(x, v, near)
    add("one-minus-sqrt", root, t[0] + length * zero)
    for power in POWERS:
        ends = np.geomspace(1.0, 30.0, 40)
        end, model = _search(partial(_power, x, power), ends, v, near)
        add("polynomial", model, t[0] + length * end)
    if not found:
        return None
    best = found[0]
    for fit in found[1:]:
        if max(fit.error, 0.5) * PLAIN < max(best.error, 0.5):
            best = fit
    if best.error > 1.0 and best.miss > CLOSE:
        return Fit("other", None, best.error, best.miss)
    return best
