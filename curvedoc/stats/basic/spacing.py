"""Spacing: the gaps of a step axis, quickly where all are equal."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.series import Ints
from curvedoc.stats.basic.medians import median_of

_Number = TypeVar("_Number", bound=np.generic)


def evenly_spaced(step: Ints) -> bool:
    """All gaps of the step axis are equal."""
    gaps = step[1:] - step[:-1]
    return len(gaps) == 0 or bool((gaps == gaps[0]).all())


#: Times that the wide gaps of a log exceed its narrow ones where rows no longer stand for time.
CHANGED = 4.0


def share_of_rows(step: Ints, share: float, late: bool) -> int:
    """How many rows make up the first (or, with late, the last) share of a log, one at least.

    Of its rows where they are evenly logged. Where the interval changes (dense at first, then one in hundreds), of its
    steps: the last tenth is then the last tenth of the time.
    """
    n, part = len(step), min(1.0, max(0.0, share))
    rows = max(1, math.ceil(n * part))
    gaps = step[1:] - step[:-1]
    if n < 3 or not len(gaps) or bool((gaps == gaps[0]).all()):
        return rows
    # the wide tenth against the narrow one: a lone gap changes no interval
    ordered = np.sort(gaps)
    narrow, wide = ordered[len(gaps) // 10], ordered[len(gaps) - 1 - len(gaps) // 10]
    if wide <= CHANGED * narrow:
        return rows
    reach = part * float(step[-1] - step[0])
    if late:
        return max(1, n - int(np.searchsorted(step, step[-1] - reach, side="left")))
    return max(1, int(np.searchsorted(step, step[0] + reach, side="right")))


def distinct(rows: NDArray[_Number]) -> NDArray[_Number]:
    """The different ones of sorted numbers: a tenth of the time that np.unique takes on a few hundred."""
    new = np.ones(len(rows), dtype=np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=new[1:])
    return rows[new]


def even_rows(first: int, last: int, count: int) -> Ints:
    """At most `count` row numbers spread evenly from first to last, both included."""
    return distinct(np.linspace(first, last, count).astype(np.int64))


def typical_gap(step: NDArray[Any]) -> float:
    """Median of the gaps between steps that count up; NaN below two of them."""
    gaps = step[1:] - step[:-1]
    if not len(gaps):
        return float("nan")
    return float(gaps[0]) if bool((gaps == gaps[0]).all()) else median_of(gaps)
