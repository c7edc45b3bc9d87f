"""Extrema: the valleys and peaks of a curve that stand out from its noise, in order."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.series import Series
from curvedoc.stats.basic.grid import curve_of, means, mixed_edges
from curvedoc.stats.basic.medians import median_of


@dataclass(frozen=True, slots=True)
class Turn:
    """One turning point of a curve: step, bucket mean there (in the log's units), valley or peak."""

    step: float
    value: float
    valley: bool


def turns(s: Series) -> tuple[Turn, ...]:
    """Valleys and peaks whose reversal exceeds five standard errors, in order; empty below 12 finite rows.

    Zigzag over at most 64 bucket means, finer in the head.

    >>> [t.valley for t in turns(Series.of([3, 2, 1, 0, 1, 2, 3, 2, 1, 0, -1, -2]))]
    [True, False]
    """
    c = curve_of(s)
    n = len(c)
    if n < 12:
        return ()
    cut = mixed_edges(n, 64 if n >= 192 else max(12, n // 3))
    y = c.calm
    b, x, rows = means(y, cut), means(c.x, cut), cut[1:] - cut[:-1]
    noise = c.noise
    bend = np.abs(b[2:] - 2 * b[1:-1] + b[:-2]) / np.sqrt(1 / rows[2:] + 4 / rows[1:-1] + 1 / rows[:-2])
    # buckets that scatter more than their rows: noise is autocorrelated, so the buckets' own scatter counts
    error = (max(noise, 1.4826 * median_of(bend) if len(b) > 24 else 0.0) / np.sqrt(rows)).tolist()
    return tuple(_zigzag(x.tolist(), b.tolist(), error, c.scale))


def _zigzag(x: list[float], b: list[float], error: list[float], scale: float) -> Iterator[Turn]:
    """Reversals of b beyond five errors, in order; plain floats, which a walk reads faster than an array's."""
    low = high = 0
    falling: bool | None = None
    for i in range(1, len(b)):
        high = i if b[i] > b[high] else high
        low = i if b[i] < b[low] else low
        if falling is not False and b[i] - b[low] > max(5.0 * math.hypot(error[i], error[low]), 1e-9):
            if falling is not None or low > 0:
                yield Turn(x[low], b[low] * scale, True)
            falling, high = False, i
        elif falling is not True and b[high] - b[i] > max(5.0 * math.hypot(error[i], error[high]), 1e-9):
            if falling is not None:
                yield Turn(x[high], b[high] * scale, False)
            falling, low = True, i
