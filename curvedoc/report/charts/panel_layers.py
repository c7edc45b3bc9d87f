"""What one panel of a drawing is made of, from back to front, as first shown. The page's script makes the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from curvedoc.core.frozen import dataclass
from curvedoc.report.charts.strip import BROKEN, opacity
from curvedoc.report.charts.ticks import LINE, labels, linear, logarithmic, step_labels
from curvedoc.report.charts.vega import AXIS_WIDTH, WIDTH, color

#: Room to the right of the curves.
RIGHT = 14
_BADGE = 25.0  # pixels between badges, so that each is a target of 24
_HEAD, _TEXT = 30.0, 16.0  # room above the curve for badges, and for the names of phases
_STEPS = 110.0  # pixels between labels of the steps
_EDGE = 11.0  # from a badge's middle to the edge: beyond it a badge makes its panel narrower than the others
#: Pixels of one character of a band's label, for whether it fits.
_CHAR = 6.4
#: The lowest floor of a log scale: below it the logarithm of a double loses its digits.
_TINY = 1e-300
_LARGE = 1e300

#: (step, value) of a curve, None where nothing was finite.
Points = tuple[Sequence[float], Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class Axis:
    """A visible domain, and where it is labeled."""

    start: float
    end: float
    at: Sequence[float]
    labels: Sequence[str]


@dataclass(frozen=True, slots=True)
class CurveLine:
    """One curve: its points, those that stand as dots, and the band from its lows to its highs, if it has one."""

    points: Points
    dots: Sequence[tuple[float, float]]
    color: str
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()


@dataclass(frozen=True, slots=True)
class Stretch:
    """A shaded stretch of steps, with its name and where that stands; rows are those of a strip."""

    start: float
    end: float
    color: str
    name: str = ""
    middle: float = 0.0
    row: int = 0
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Badge:
    """A numbered mark: its step, and the pixel at which its badge stands."""

    step: float
    pixel: float
    text: str
    color: str


@dataclass(frozen=True, slots=True)
class PanelLayers:
    """One panel; all colors are CSS variables with a fallback. top: pixels that the badges take."""

    width: float
    height: float
    top: float
    log: bool
    bottom: bool  # carries the labels of the steps
    x: Axis
    y: Axis
    bands: Sequence[Stretch]
    cells: Sequence[Stretch]
    lines: Sequence[CurveLine]  # the first in front
    levels: Sequence[tuple[float | None, str]]
    marks: Sequence[float]
    badges: Sequence[Badge]


def layers(drawn: dict[str, Any], index: int, width: float = WIDTH - AXIS_WIDTH - RIGHT) -> PanelLayers:
    """The layers of one panel of a drawing (`drawing.drawing`), `width` pixels between its axes."""
    p, view = drawn["panels"][index], drawn["view"]
    first = index == 0
    bands = [_band(b, view, width, first) for b in drawn["bands"]]
    badges = _badges(drawn, width) if first else []
    top = _HEAD if badges else 0.0
    low, high = y_domain(p, view, top + _TEXT * any(b.name for b in bands))
    floor = low if p["log"] else None
    x, y = _axes(drawn, p, (low, high), width)
    return PanelLayers(
        width, p["h"], top, p["log"], index == len(drawn["panels"]) - 1, x, y, bands, list(_cells(p)),
        [_line(line, floor, i == 0) for i, line in enumerate(p["lines"])],
        [(level["v"], level["l"]) for level in p["levels"]], [m["x"] for m in drawn["marks"]], badges,
    )  # fmt: skip


def _axes(drawn: dict[str, Any], p: dict[str, Any], y: tuple[float, float], width: float) -> tuple[Axis, Axis]:
    start, end = drawn["view"]
    per = drawn["per"]
    xt = [v * per for v in linear(start / per, end / per, max(2, int(width / _STEPS)), whole=True)]
    x = Axis(start, end, xt, step_labels([v / per for v in xt], drawn["unit"]))
    if "cells" in p:
        n = len(p["cells"]["names"])
        rows = linear(1, n, max(2, int(p["h"] / LINE / 1.6)), whole=True)
        return x, Axis(n, 0, [v - 0.5 for v in rows], [f"{v:.0f}" for v in rows])
    yt = logarithmic(*y, p["h"]) if p["log"] else linear(*y, max(3, int(p["h"] / 30)))
    return x, Axis(*y, yt, labels(yt))


def _cells(p: dict[str, Any]) -> Iterable[Stretch]:
    made = p.get("cells", {"a": (), "b": (), "r": (), "s": ()})
    strong, broken = color("s-gn"), color("fail")
    for a, b, r, s in zip(made["a"], made["b"], made["r"], made["s"], strict=True):
        yield Stretch(a, b, broken if s == BROKEN else strong, row=r, opacity=opacity(s))


def y_domain(p: dict[str, Any], view: list[int], head: float = 0.0) -> tuple[float, float]:
    """The visible values of a panel: a little room on both sides, `head` pixels above, zero included for a rate."""
    seen: list[float] = [x["v"] for x in p["levels"] if x["v"] is not None]
    for line in p["lines"]:
        for key in ("v", "lo", "hi"):
            rows = zip(line["x"], line.get(key, ()), strict=False)
            seen += [v for x, v in rows if v is not None and x <= view[1]]
    if p["log"]:
        seen = [v for v in seen if v > 0]
    if not seen:
        return (1.0, 10.0) if p["log"] else (0.0, 1.0)
    low, high = min(seen), max(seen)
    clip = p.get("clip")
    if clip and clip[0] < high and clip[1] > low:  # as the page's script does: a range beside the values shows none
        low, high = max(low, clip[0]), min(high, clip[1])
    share = min(0.6, head / p["h"])
    if p["log"]:
        low, high = max(low * 0.94, _TINY), max(high * 1.12, _TINY * 10)
        return low, min(high * (high / low) ** (share / (1 - share)), _LARGE)
    if p["k"] == "lr":
        low, high = min(0.0, low), high * 1.08 if high > 0 else 1.0
    else:
        pad = (high - low) * (0.16 if p["levels"] else 0.06) or abs(high) * 0.1 or 1.0  # a level carries its label
        low, high = (max(0.0, low - pad) if low >= 0 else low - pad), high + pad
    return low, high + (high - low) * share / (1 - share)


def _line(line: dict[str, Any], floor: float | None, band: bool) -> CurveLine:
    x, v = line["x"], _floored(line["v"], floor)
    # every value of a short curve; of a long one those between two that are not finite, which no line shows
    beside = [None, *v, None]
    dots = [
        (s, at)
        for i, (s, at) in enumerate(zip(x, v, strict=True))
        if at is not None and (line["dots"] or (beside[i] is None and beside[i + 2] is None))
    ]
    if not band or "lo" not in line:
        return CurveLine((x, v), dots, line["c"])
    return CurveLine((x, v), dots, line["c"], _floored(line["lo"], floor), _floored(line["hi"], floor))


def _floored(column: Sequence[float | None], floor: float | None) -> list[float | None]:
    return [v if v is None or floor is None or v > floor else floor for v in column]


def _band(b: dict[str, Any], view: list[int], width: float, named: bool) -> Stretch:
    a, z = max(b["a"], view[0]), min(b["b"], view[1])
    fits = named and (z - a) / (view[1] - view[0]) * width > len(b["l"]) * _CHAR + 12
    return Stretch(b["a"], b["b"], color(f"b-{b['k']}"), b["l"] if fits else "", (a + z) / 2)


def _badges(drawn: dict[str, Any], width: float) -> list[Badge]:
    start, end = drawn["view"]
    scale = width / (end - start)
    seen = [m for m in drawn["marks"] if start <= m["x"] <= end]
    at, last = [], _EDGE - _BADGE
    for m in seen:
        last = max((m["x"] - start) * scale, last + _BADGE)
        at.append(last)
    last = width - _EDGE + _BADGE
    for i in reversed(range(len(at))):
        last = at[i] = min(at[i], last - _BADGE)
    return [Badge(m["x"], px, m["n"], color("fail" if m["f"] else "ink")) for m, px in zip(seen, at, strict=True)]
