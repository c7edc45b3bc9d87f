"""Treads: a learning rate that is set once an epoch, told from drops at chosen steps, and read once a tread."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Floats
from curvedoc.stats.basic.grid import GridCurve
from curvedoc.stats.basic.medians import mean_of, median_of, top_of
from curvedoc.stats.basic.spacing import typical_gap

SAME = 1e-6  # of the peak: float32 rounding and below
FEWEST = 5  # moves from which an even beat can be told from drops at chosen steps
UNEVEN = 1.25  # rows: a tread may begin a row early or late, as rows fall unevenly on epochs
STRAY = 0.05  # of the moves may lie off the beat: a resumed log shifts its rows
PRINTED = 3.0  # times the tolerance of printing: values that move by no more stand still because of it
BEATS = 4000  # more treads than this are rows


def by_tread(c: GridCurve) -> GridCurve | None:
    """`c` read once a tread where it moves on an even beat of two rows or more; None where it does not.

    x: the step at which each tread begins by the beat. A hold is as many treads as fit into it.
    """
    top = top_of(c.y)
    d = np.abs(np.diff(c.y))
    moves = np.flatnonzero(d > SAME * top) + 1
    if len(moves) < FEWEST or len(moves) > len(c) // 2:
        return None
    at, row = c.x[moves], typical_gap(c.x)
    gaps = np.diff(at)
    length = median_of(gaps)
    for _ in range(3):  # the beat is the slope of step over number of treads
        number = np.concatenate([[0.0], np.cumsum(np.maximum(np.round(gaps / length), 1.0))])
        length = float((at[-1] - at[0]) / number[-1])
    start = median_of(at - number * length)
    off = np.abs(at - (start + number * length)) > UNEVEN * row
    before = int(np.ceil((start - c.x[0] - UNEVEN * row) / length))
    count = before + int((c.x[-1] - start) / length) + 1
    if mean_of(off) > STRAY or length < 1.5 * row or count > BEATS:
        return None
    begin = start + length * np.arange(-before, count - before)
    # the middle of a tread, so that an uneven row does not matter
    middle = np.minimum(begin + 0.5 * (length - row), c.x[-1])
    rows = np.searchsorted(0.5 * (c.x[1:] + c.x[:-1]), middle)
    inside = np.abs(c.x[rows] - middle) <= 0.5 * length
    return GridCurve(np.maximum(begin, c.x[0])[inside], c.y[rows[inside]], c.scale)


def printed_treads(c: GridCurve, tol: Floats) -> bool:
    """Whether the values stand still only because few digits were printed: they move by little more than `tol`."""
    d = np.abs(np.diff(c.y))
    moves = np.flatnonzero(d > SAME * top_of(c.y))
    return len(moves) >= FEWEST and float(np.quantile(d[moves] / tol[moves + 1], 0.75)) <= PRINTED
