"""A series thinned for drawing: extremes, non-finite spans and what is near a finding survive."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from curvedoc.core.diagnosis import Curve
from curvedoc.core.series import Floats, Ints, Series
from curvedoc.stats.basic.grid import edges
from curvedoc.stats.basic.medians import top_of
from curvedoc.stats.basic.spacing import distinct

#: Rows kept one by one on each side of where a finding begins, and how many such stretches a curve has.
AROUND = 60
MOST_STRETCHES = 3

Rows = tuple[int, int]  # first row, row after the last


def thin(series: Series, role: str, label: str, buckets: int, near: Sequence[int] = ()) -> Curve:
    """Buckets of equal row counts with mean, low and high of their finite values.

    The rows around the steps of `near`, at most `MOST_STRETCHES` times twice `AROUND` and one, are kept one by one as
    well where buckets hold more than a row. A stretch of such rows begins and ends with a bucket, and the row after it
    is kept too, so that a drawing can put the rows in the place of their buckets.
    """
    n = len(series)
    cut: Ints = edges(n, buckets)
    kept = _stretches(series, near, -(-n // max(1, buckets))) if n > buckets else []
    if kept:
        cut = distinct(np.sort(np.concatenate([cut, np.array([e for s in kept for e in s], dtype=np.int64)])))
    start = cut[:-1]
    mean, low, high = _levels(series, cut)
    raw = [(series.step[a : b + 1], series.value[a : b + 1]) for a, b in kept]
    return Curve(
        metric=series.metric,
        role=role,
        label=label,
        step=tuple(series.step[start].tolist()),
        mean=tuple(mean.tolist()),
        low=tuple(low.tolist()),
        high=tuple(high.tolist()),
        points=n,
        nonfinite=_spans(series),
        raw=(tuple(chain(*(s.tolist() for s, _ in raw))), tuple(chain(*(v.tolist() for _, v in raw)))),
    )


def _levels(series: Series, cut: Ints) -> tuple[Floats, Floats, Floats]:
    """Mean, lowest and highest finite value between the rows of `cut`; NaN where none is."""
    value, start = series.value, cut[:-1]
    finite = series.finite()
    scale = top_of(np.abs(finite.value)) if len(finite) else 1.0
    scale = scale if scale > 0 else 1.0
    if finite is series:
        share = np.add.reduceat(value / scale, start) / (cut[1:] - start)
        return share * scale, np.minimum.reduceat(value, start), np.maximum.reduceat(value, start)
    ok = np.isfinite(value)
    count = np.add.reduceat(ok.astype(np.int64), start)
    total = np.add.reduceat(np.where(ok, value / scale, 0.0), start)
    low = np.minimum.reduceat(np.where(ok, value, np.inf), start)
    high = np.maximum.reduceat(np.where(ok, value, -np.inf), start)
    mean = total / np.maximum(count, 1) * scale  # a sum of huge values would overflow, their mean does not
    for level in (mean, low, high):
        level[count == 0] = np.nan
    return mean, low, high


def _stretches(series: Series, near: Sequence[int], bucket: int) -> list[Rows]:
    """The rows around the first of those steps that lie in the series; ones less than two buckets apart are one."""
    n = len(series)
    chosen: list[Rows] = []
    for step in near:
        if not series.step[0] <= step <= series.step[-1]:
            continue
        at = int(np.searchsorted(series.step, step))
        if not any(a <= at < b for a, b in chosen) and len(chosen) < MOST_STRETCHES:
            chosen.append((max(0, at - AROUND), min(n, at + AROUND + 1)))
    out: list[Rows] = []
    for a, b in sorted(chosen):
        # between two stretches a bucket must begin, or they could not be told apart
        if out and a - out[-1][1] <= 2 * bucket:
            out[-1] = (out[-1][0], b)
        else:
            out.append((a, b))
    return out


def _spans(series: Series) -> tuple[tuple[int, int], ...]:
    """(first, last step) of every run of non-finite rows, at most 50."""
    if series.finite() is series:
        return ()
    edge = np.diff(np.concatenate([[0], (~np.isfinite(series.value)).astype(np.int8), [0]]))
    begins, ends = np.flatnonzero(edge == 1), np.flatnonzero(edge == -1)
    return tuple((int(series.step[a]), int(series.step[b - 1])) for a, b in zip(begins[:50], ends[:50], strict=True))
