"""One curve as the columns that are drawn: its buckets, and near a finding every row in the place of its bucket."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from curvedoc.core.diagnosis import Curve
from curvedoc.core.frozen import dataclass

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class DrawnColumns:
    """What is drawn of one curve, in order of step; NaN where nothing was finite.

    A row that stands for itself has its value as mean, low and high. `every` holds the first and last step of the
    stretches in which all rows do.
    """

    step: tuple[int, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    every: tuple[Span, ...] = ()


def columns(curve: Curve, most: int, raw: bool = True) -> DrawnColumns:
    """The curve in at most `most` buckets, give or take the ends of stretches, and with `raw` the rows near findings.

    Neighboring buckets are merged, so lows and highs stay what they were.
    """
    rows = _rows(curve) if raw else {}
    if not rows:
        less = thinned(curve, most)
        return DrawnColumns(less.step, less.mean, less.low, less.high)
    replaced = set(rows)
    left = [i for i in range(len(curve.step)) if i not in replaced]
    size = -(-max(1, len(left)) // max(1, most))
    starts: list[int] = []
    ends: list[int] = []
    # merged between two stretches only: consecutive indices keep their distance to a counter
    for _, part in groupby(enumerate(left), key=lambda pair: pair[1] - pair[0]):
        members = [i for _, i in part]
        starts += members[::size]
        ends += [i + 1 for i in (*members[size - 1 :: size], *([members[-1]] if len(members) % size else []))]
    drawn = _merged(curve, starts, ends)
    known = ((step, v if math.isfinite(v) else math.nan) for bucket in rows.values() for step, v in bucket)
    drawn += [(step, v, v, v) for step, v in known]
    drawn.sort(key=lambda row: row[0])
    step, mean, low, high = zip(*drawn, strict=True)
    return DrawnColumns(step, mean, low, high, every(curve))


def every(curve: Curve) -> tuple[Span, ...]:
    """The stretches of which every row is drawn."""
    out: list[Span] = []
    for _, part in groupby(enumerate(_rows(curve).items()), key=lambda pair: pair[1][0] - pair[0]):
        steps = [step for _, (_, bucket) in part for step, _ in bucket]
        if len(steps) > 1:
            out.append((steps[0], steps[-1]))
    return tuple(out)


def _rows(curve: Curve) -> dict[int, list[tuple[int, float]]]:
    """Bucket -> its rows, for the buckets of which every row was kept.

    All rows of a bucket are there when it begins inside a stretch of kept rows and the next one does, too; the last
    bucket has none after it, so a kept row behind its first one must do.
    """
    known = dict(zip(*curve.raw, strict=False))
    starts = curve.step
    if not known or not starts:
        return {}
    by_bucket: dict[int, list[tuple[int, float]]] = {}
    for step in sorted(known):
        by_bucket.setdefault(bisect_right(starts, step) - 1, []).append((step, known[step]))
    last = len(starts) - 1

    def whole(i: int) -> bool:
        if i < 0 or starts[i] not in known:
            return False
        return starts[i + 1] in known if i < last else len(by_bucket[i]) > 1

    return {i: rows for i, rows in by_bucket.items() if whole(i)}


def _merged(curve: Curve, starts: Sequence[int], ends: Sequence[int]) -> list[tuple[int, float, float, float]]:
    """One row for each stretch of neighboring buckets: first step, mean of means, lowest low, highest high."""
    if not starts:
        return []
    # reduceat takes every place as a start: each second row is what lies between two stretches
    cuts = np.stack([starts, ends], axis=1).ravel()

    def fold(values: Sequence[float], how: np.ufunc, nothing: float) -> list[float]:
        v = np.array([*values, np.nan])
        known = np.isfinite(v)
        count = np.add.reduceat(known.astype(np.int64), cuts)[::2]
        scale = 1.0
        if how is np.add and known.any():  # a sum may overflow; by a power of two nothing is rounded
            scale = float(2.0 ** min(1023, int(np.frexp(np.abs(v[known]).max())[1])))
        found = how.reduceat(np.where(known, v / scale, nothing), cuts)[::2]
        if how is np.add:
            found = found / np.maximum(count, 1) * scale
        made: list[float] = np.where(count > 0, found, np.nan).tolist()
        return made

    steps = [curve.step[i] for i in starts]
    columns = fold(curve.mean, np.add, 0.0), fold(curve.low, np.minimum, np.inf), fold(curve.high, np.maximum, -np.inf)
    return list(zip(steps, *columns, strict=True))


def thinned(curve: Curve, most: int) -> Curve:
    """The curve in at most `most` buckets: neighbors merged, so lows and highs stay what they were."""
    n = len(curve.step)
    if n <= most:
        return curve
    size = -(-n // most)
    starts = list(range(0, n, size))
    step, mean, low, high = zip(*_merged(curve, starts, [*starts[1:], n]), strict=True)
    return Curve(curve.metric, curve.role, curve.label, step, mean, low, high, curve.points, curve.nonfinite, curve.raw)
