"""A curve as one small picture: block characters for the terminal, an SVG path for the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from operator import lt
from typing import NamedTuple

from curvedoc.core.diagnosis import Curve
from curvedoc.core.frozen import dataclass

BLOCKS = "▁▂▃▄▅▆▇█"
#: A curve that is positive and spans at least this factor is drawn on a log scale: otherwise its start is all one sees.
_LOG_FROM = 8.0
#: A peak inside a cell is drawn as well when it stands out by this share of the height; smaller ones are noise.
_PEAK = 0.07
#: Columns of a picture on the page.
_COLUMNS = 60


class Cell(NamedTuple):
    """One column of a small picture; heights are 0..1, None where nothing finite was logged."""

    step: int  # of the last value
    peak: float | None
    last: float | None
    top: int = -1  # step of the peak
    dead: bool = False  # values were logged here, none of them finite


def cells(curve: Curve, count: int, end: int) -> tuple[Cell, ...]:
    """The curve over steps 0 (or its first) to `end` in at most `count` columns, cut after its last value.

    A column keeps the highest bucket mean in it, so that a spike survives. Empty for a curve without buckets.
    """
    if not curve.step or count < 1:
        return ()
    start = min(curve.step[0], 0)
    width = max(1, end - start + 1) / count
    height = _scale(curve)
    columns: list[list[int]] = [[] for _ in range(count)]
    for i, s in enumerate(curve.step):
        place = int((s - start) / width)
        columns[0 if place < 0 else place if place < count else -1].append(i)
    while not columns[-1]:
        columns.pop()
    step, mean = curve.step, curve.mean
    finite = list(map(math.isfinite, mean))
    found = []
    for column in columns:
        if not column:
            found.append(_EMPTY)
            continue
        best = last = column[0]
        if len(column) > 1:
            at = [i for i in column if finite[i]] or column
            best, last = max(at, key=mean.__getitem__), at[-1]
        if finite[best]:
            peak = height(mean[best])
            found.append(Cell(step[last], peak, peak if last == best else height(mean[last]), step[best]))
        else:
            found.append(Cell(step[column[-1]], None, None, dead=True))
    return tuple(found)


_EMPTY = Cell(-1, None, None)


class _scale:
    """Heights 0..1 of values: logarithmic where the curve is positive and spans much, else linear."""

    def __init__(self, curve: Curve) -> None:
        known = [v for v in curve.mean if math.isfinite(v)]
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        self.log = low > 0 and high / low >= _LOG_FROM
        self.low, self.high = (math.log(low), math.log(high)) if self.log else (low, high)
        self.span = self.high - self.low
        self.spans = self.span > 0 and math.isfinite(self.span)

    def __call__(self, v: float) -> float:
        if not self.spans:
            return 0.5
        h = ((math.log(v) if self.log else v) - self.low) / self.span
        return 0.0 if h < 0.0 else h if h < 1.0 else 1.0

    def all(self, values: Sequence[float]) -> list[float]:
        """The height of each."""
        if not self.spans:
            return [0.5] * len(values)
        low, span = self.low, self.span
        heights = [(v - low) / span for v in (map(math.log, values) if self.log else values)]
        return [0.0 if h < 0.0 else h if h < 1.0 else 1.0 for h in heights]


def blocks(curve: Curve, count: int, end: int) -> str:
    """Block characters: `█▃▂▁▁▁▁▅····`, dots where no value was finite; between sparse points the last value holds."""
    out: list[str] = []
    for c in cells(curve, count, end):
        if c.peak is None:
            out.append("·" if c.dead else (out[-1] if out else " "))
        else:
            out.append(BLOCKS[min(len(BLOCKS) - 1, int(c.peak * len(BLOCKS)))])
    return "".join(out)


def _single(curve: Curve, count: int, end: int) -> bool:
    """Whether every bucket has a column of its own, and a finite value."""
    if not curve.step or len(curve.step) > count or not all(map(math.isfinite, curve.mean)):
        return False
    start = min(curve.step[0], 0)
    width = max(1, end - start + 1) / count
    place = [int((s - start) / width) for s in curve.step]
    return place[-1] < count and all(map(lt, place, place[1:]))


@dataclass(frozen=True, slots=True)
class Spark:
    """A small picture in SVG coordinates."""

    path: str  # "M0,3.1L2,8" with one M after every gap
    onset: float | None  # x of the onset
    end: tuple[float, float] | None  # where the last finite value stands


def spark(curve: Curve, end: int, onset: int | None, width: int = 132, height: int = 30) -> Spark:
    """The curve as an SVG path of about 70 columns, with the x of the onset and the last finite point."""
    start = min(curve.step[0], 0) if curve.step else 0
    span = max(1, end - start)

    def x(step: int) -> float:
        return round((step - start) / span * width, 1)

    def y(h: float) -> float:
        return round(height - 3 - h * (height - 6), 1)

    if _single(curve, _COLUMNS, end):  # as the loop below draws it, in a third of its time
        xs = [round((s - start) / span * width, 1) for s in curve.step]
        ys = [round(height - 3 - h * (height - 6), 1) for h in _scale(curve).all(curve.mean)]
        path = ("L%g,%g" * len(xs))[1:] % tuple(chain.from_iterable(zip(xs, ys, strict=True)))
        return Spark("M" + path, x(onset) if onset is not None else None, (xs[-1], ys[-1]))
    parts, pen, last = [], "M", None
    for c in cells(curve, _COLUMNS, end):
        if c.last is None or c.peak is None:
            pen = "M" if c.dead else pen
            continue
        both = ((c.top, c.peak), (c.step, c.last))
        for step, h in both if c.peak - c.last > _PEAK else both[1:]:
            last = (x(step), y(h))
            parts.append(f"{pen}{last[0]:g},{last[1]:g}")
            pen = "L"
    return Spark("".join(parts), x(onset) if onset is not None else None, last)
