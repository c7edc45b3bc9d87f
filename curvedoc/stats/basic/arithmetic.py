"""Plain arithmetic of the rule language. None means: has no value."""

from __future__ import annotations

import math


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


NUMBERS = (log, exp, size, nearest, ramp, near)
