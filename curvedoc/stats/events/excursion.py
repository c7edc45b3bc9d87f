"""Excursion: a short stretch that leaves the level of its neighbors on both sides and comes back."""

from __future__ import annotations

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.series import Series, once_a_series

LONGEST = 3  # rows: a longer stretch is a level of its own
LEAST = 4  # finite rows
CLEAR = 1.25  # times both neighbors: smaller ones are not looked at


@dataclass(frozen=True, slots=True)
class _Excursion:
    """row, rows: where it lies and how long; times: its least value over the larger of its two neighbors."""

    row: int
    rows: int
    times: float


@once_a_series
def _largest(s: Series) -> _Excursion | None:
    """The stretch that stands highest above both neighbors, as a factor; None where none does, or below four rows."""
    f = s.finite()
    y = f.value
    best: _Excursion | None = None
    if len(y) < LEAST or bool((y <= 0.0).any()):
        return None
    inside = y[1:]
    for rows in range(1, LONGEST + 1):
        inside = np.minimum(inside[:-1], y[rows:-1])  # the least of so many neighbors
        if not len(inside):
            break
        # halves, so that no quotient of two finite numbers overflows
        times = inside * 0.5 / np.maximum(y[: len(inside)], y[rows + 1 :])
        at = int(times.argmax())
        found = _Excursion(at + 1, rows, min(2.0 * float(times[at]), 1e300))
        if found.times > CLEAR and (best is None or found.times > best.times):
            best = found
    return best


def excursion_times(s: Series) -> float | None:
    """How many times both neighbors the highest lone stretch of one to three rows stands; 1 where none stands out.

    None where a value is not positive, or below four finite rows.

    >>> excursion_times(Series.of([2.0, 1.0, 0.5, 20.0, 18.0, 0.4, 0.3]))
    36.0
    """
    f = s.finite()
    if len(f) < LEAST or bool((f.value <= 0.0).any()):
        return None
    found = _largest(s)
    return 1.0 if found is None else found.times


def excursion_step(s: Series) -> float | None:
    """Step at which that stretch begins; None where there is none.

    >>> excursion_step(Series.of([2.0, 1.0, 0.5, 20.0, 18.0, 0.4, 0.3]))
    3.0
    """
    found = _largest(s)
    return None if found is None else float(s.finite().step[found.row])


def excursion_end(s: Series) -> float | None:
    """Step of the first row after that stretch; None where there is none.

    >>> excursion_end(Series.of([2.0, 1.0, 0.5, 20.0, 18.0, 0.4, 0.3]))
    5.0
    """
    found = _largest(s)
    return None if found is None else float(s.finite().step[found.row + found.rows])


def excursion_top(s: Series) -> float | None:
    """The least value of that stretch: how high all of it stood; None where there is none.

    >>> excursion_top(Series.of([2.0, 1.0, 0.5, 20.0, 18.0, 0.4, 0.3]))
    18.0
    """
    found = _largest(s)
    if found is None:
        return None
    return float(s.finite().value[found.row : found.row + found.rows].min())
