"""Many curves of one kind as a strip: a row for each layer, a cell for each stretch of steps, shaded by its value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from curvedoc.core.diagnosis import Curve
from curvedoc.report.charts.columns import thinned

#: Columns of a strip, and shades that can be told apart.
_COLUMNS, _SHADES = 60, 12
#: Shades of a value of zero or less, which has no logarithm, and of one that is not finite.
ZERO, BROKEN = 0, -1
#: The strip spans at most so many decades below its highest value; the rest is as pale as can be.
_DECADES = 12.0


def cells(curves: Sequence[Curve], end: int) -> dict[str, Any]:
    """The strip as columns: first step, last step, row and shade (0 pale to 12 dark, -1 not finite) of each cell.

    Neighbors of one shade are one cell. `low` and `high` are the values of the palest and the darkest shade.
    """
    thin = [thinned(c, _COLUMNS) for c in curves]
    known = [v for c in thin for v in c.mean if math.isfinite(v) and v > 0]
    high = max(known, default=1.0)
    low = max(min(known, default=1.0), high * 10.0**-_DECADES)
    span = math.log10(high) - math.log10(low)

    def shade(v: float) -> int:
        if not math.isfinite(v):
            return BROKEN
        if v <= 0:
            return ZERO
        share = (math.log10(max(v, low)) - math.log10(low)) / span if span > 0 else 0.5
        return 1 + round(share * (_SHADES - 1))

    out: dict[str, Any] = {"a": [], "b": [], "r": [], "s": []}
    for row, c in enumerate(thin):
        ends = [*c.step[1:], max(end, c.step[-1] + 1)] if c.step else []
        columns = zip(c.step, ends, map(shade, c.mean), strict=True)
        for s, members in groupby(columns, key=lambda m: m[2]):
            part = list(members)
            for key, value in (("a", part[0][0]), ("b", part[-1][1]), ("r", row), ("s", s)):
                out[key].append(value)
    return out | {"low": low, "high": high, "names": [c.label or c.metric for c in curves]}


def opacity(shade: int) -> float:
    """How dark a shade is drawn; what is broken is drawn in full, in another color."""
    return 1.0 if shade == BROKEN else 0.04 if shade == ZERO else round(0.08 + 0.92 * shade / _SHADES, 3)
