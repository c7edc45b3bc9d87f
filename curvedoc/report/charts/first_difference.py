"""Where a curve leaves that of another run for good: the first point of parting."""

from __future__ import annotations

import numpy as np

from curvedoc.core.diagnosis import Curve

#: Fewer common points say nothing.
_FEW = 12
#: A distance of so many times the scatter of the curves is a parting, where it lasts over this share of the rest.
_FAR, _LASTS = 5.0, 0.9


def parting(own: Curve, other: Curve) -> int | None:
    """The first step from which on the curves stay apart beyond their scatter; None where they do not, or at once."""
    x, y = _finite(own)
    ox, oy = _finite(other)
    inside = (x >= ox[0]) & (x <= ox[-1]) if len(ox) else np.zeros(len(x), dtype=bool)
    x, y = x[inside], y[inside]
    if len(x) < _FEW or len(ox) < _FEW:
        return None
    there = np.interp(x, ox, oy)
    if min(y.min(), there.min()) > 0:
        y, there, oy = np.log(y), np.log(there), np.log(oy)
    scatter = max(_scatter(y), _scatter(oy), 1e-9)
    far = np.abs(y - there) > _FAR * scatter
    # share of what is far among all that follows, for each point
    after = np.cumsum(far[::-1])[::-1] / np.arange(len(far), 0, -1)
    begins = far.copy()
    begins[:-1] &= far[1:]  # a single point that is far off is none
    found = np.flatnonzero(begins & (after >= _LASTS))
    return int(x[found[0]]) if len(found) and len(far) - found[0] >= 3 else None


def _finite(c: Curve) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.array(c.step, dtype=np.float64), np.clip(np.array(c.mean, dtype=np.float64), -1e100, 1e100)
    known = np.isfinite(y)
    return x[known], y[known]


def _scatter(y: np.ndarray) -> float:
    """The usual distance of a point from the middle of its neighbors."""
    return float(np.median(np.abs(y[1:-1] - (y[:-2] + y[2:]) / 2))) if len(y) > 2 else 0.0
