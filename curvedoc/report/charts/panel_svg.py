"""A panel as static SVG, so that a report is complete with scripts off, and in the way in which its script draws it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from markupsafe import Markup, escape

from curvedoc.core.frozen import dataclass
from curvedoc.report.charts.panel_layers import RIGHT, Badge, CurveLine, PanelLayers, layers
from curvedoc.report.charts.vega import AXIS_WIDTH, color
from curvedoc.report.escape import visible
from curvedoc.report.redact import redact

_TOP, _BOTTOM, _LABELS = 3, 2, 18  # pixels around the curves, and below those of the lowest panel
_DOT, _ROUND, _BADGE_AT = 1.9, 8.6, 11.0
#: Pixels of one character of an axis label, and between two labels.
_CHAR, _APART = 6.4, 6.0


def svg_of_panels(drawn: dict[str, Any], name: str, alts: Sequence[str]) -> list[Markup]:
    """The SVG of each panel of a drawing, ids made unique by `name`; `alts` are the sentences a screen reader says."""
    return [svg(layers(drawn, i), f"{name}p{i}", alts[i]) for i in range(len(drawn["panels"]))]


def svg(p: PanelLayers, name: str, alt: str) -> Markup:
    """The SVG of one panel with one label for the whole. Safe as markup: numbers, our own colors, escaped texts."""
    width, height = AXIS_WIDTH + p.width + RIGHT, panel_height(p)
    label = escape(visible(redact(alt)))
    return Markup(
        f'<svg role="img" aria-label="{label}" xmlns="http://www.w3.org/2000/svg" width="{_n(width)}" '
        f'height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}">{elements(p, name)}</svg>'
    )


def panel_height(p: PanelLayers) -> float:
    """The pixels that a panel takes."""
    return p.height + _TOP + _BOTTOM + _LABELS * p.bottom


def elements(p: PanelLayers, name: str) -> Markup:
    """The elements of a panel, its clip path under the id `name`."""
    at = _Places(p)
    inside = "".join(
        (
            _bands(p, at), _cells(p, at), "".join(_area(line, at) for line in p.lines[:1]), _levels(p, at),
            "".join(_curve(line, at) for line in reversed(p.lines)), "".join(_dots(line, at) for line in p.lines),
            _rules(p, at), _names(p, at),
        )
    )  # fmt: skip
    box = f"M0 0H{_n(p.width)}V{_n(p.height)}H0Z"
    return Markup(
        f'<g fill="none" font-family="system-ui, sans-serif" font-size="11" transform="translate({AXIS_WIDTH},{_TOP})">'
        f'<clipPath id="{name}"><path d="{box}"/></clipPath>{_axes(p, at)}<g clip-path="url(#{name})">{inside}</g>'
        f"{_badges(p.badges, p.top, at)}</g>"
    )


@dataclass(frozen=True, slots=True)
class _Places:
    """Pixels of steps and of values; values beyond the scale stand at its edge."""

    p: PanelLayers

    def x(self, step: float) -> float:
        """The pixel of a step, which may lie beyond the edges."""
        start, end = self.p.x.start, self.p.x.end
        return (step - start) / (end - start) * self.p.width

    def y(self, value: float) -> float:
        """The pixel of a value, from the top."""
        low, high = self.p.y.start, self.p.y.end
        if self.p.log:
            low, high, value = math.log(low), math.log(high), math.log(max(value, low))
        return (1.0 - min(1.0, max(0.0, (value - low) / (high - low)))) * self.p.height


def _n(v: float) -> str:
    """A number at a tenth of a pixel."""
    text = f"{v:.1f}"
    return text[:-2] if text.endswith(".0") else text


def _axes(p: PanelLayers, at: _Places) -> str:
    xs = [round(at.x(v)) + 0.5 for v in p.x.at]
    ys = [round(at.y(v)) + 0.5 for v in p.y.at]
    grid = "".join(f"M{x} 0V{_n(p.height)}" for x in xs) + "".join(f"M0 {y}H{_n(p.width)}" for y in ys)
    domain = f"M0.5 0V{p.height + 0.5}H{_n(p.width)}" + "".join(f"M0 {y}H-5" for y in ys)
    domain += "".join(f"M{x} {p.height + 0.5}v5" for x in xs) if p.bottom else ""
    values = "".join(f'<text x="-7" y="{_n(y + 3)}">{escape(s)}</text>' for y, s in zip(ys, p.y.labels, strict=True))
    steps = "".join(_step_labels(p, xs)) if p.bottom else ""
    return (
        f'<path stroke="{color("grid")}" d="{grid}"/><path stroke="{color("line")}" d="{domain}"/>'
        f'<g fill="{color("ink3")}" text-anchor="end">{values}</g>'
    ) + (f'<g fill="{color("ink3")}" text-anchor="middle">{steps}</g>' if steps else "")


def _step_labels(p: PanelLayers, xs: Sequence[float]) -> Iterator[str]:
    """Labels that do not touch, flush with both edges."""
    free = -math.inf
    for x, text in zip(xs, p.x.labels, strict=True):
        wide = len(text) * _CHAR
        left = min(max(0.0, x - wide / 2), p.width - wide)
        anchor = ' text-anchor="start"' if x < wide / 2 else ' text-anchor="end"' if x > p.width - wide / 2 else ""
        if left < free:
            continue
        free = left + wide + _APART
        place = {"": x, ' text-anchor="start"': 0.0, ' text-anchor="end"': p.width}[anchor]
        yield f'<text{anchor} x="{_n(place)}" y="{_n(p.height + 16)}">{escape(text)}</text>'


def _bands(p: PanelLayers, at: _Places) -> str:
    return "".join(
        f'<path fill="{b.color}" d="M{_n(at.x(b.start))} 0H{_n(at.x(b.end))}V{_n(p.height)}H{_n(at.x(b.start))}Z"/>'
        for b in p.bands
    )


def _cells(p: PanelLayers, at: _Places) -> str:
    return "".join(
        f'<path fill="{c.color}" opacity="{c.opacity}" d="M{_n(at.x(c.start))} {_n(at.y(c.row))}H{_n(at.x(c.end))}'
        f'V{_n(at.y(c.row + 1))}H{_n(at.x(c.start))}Z"/>'
        for c in p.cells
    )


def _pieces(x: Sequence[float], *columns: Sequence[float | None]) -> Iterator[list[tuple[float, ...]]]:
    """Rows between those in which something is missing."""
    piece: list[tuple[float, ...]] = []
    for row in zip(x, *columns, strict=True):
        known = tuple(v for v in row if v is not None)
        if len(known) == len(row):
            piece.append(known)
        elif piece:
            yield piece
            piece = []
    if piece:
        yield piece


def _through(points: Iterable[tuple[float, float]], at: _Places) -> str:
    return "L".join(f"{_n(at.x(x))} {_n(at.y(v))}" for x, v in points)


def _area(line: CurveLine, at: _Places) -> str:
    if not line.high:
        return ""
    rows = [*_pieces(line.points[0], line.low, line.high)]
    d = "".join(
        f"M{_through(((x, hi) for x, _, hi in r), at)}L{_through(((x, lo) for x, lo, _ in reversed(r)), at)}Z"
        for r in rows
    )
    return f'<path fill="{line.color}" opacity="0.2" d="{d}"/>'


def _curve(line: CurveLine, at: _Places) -> str:
    pieces = _pieces(*line.points)
    d = "".join(f"M{_through(((x, v) for x, v in piece), at)}" for piece in pieces if len(piece) > 1)
    return f'<path stroke="{line.color}" stroke-width="1.6" stroke-miterlimit="10" d="{d}"/>' if d else ""


def _dots(line: CurveLine, at: _Places) -> str:
    d = "".join(_circle(at.x(x), at.y(v), _DOT) for x, v in line.dots)
    return f'<path fill="{line.color}" d="{d}"/>' if d else ""


def _circle(x: float, y: float, r: float) -> str:
    return f"M{_n(x - r)} {_n(y)}a{r} {r} 0 1 1 {_n(2 * r)} 0a{r} {r} 0 1 1 {_n(-2 * r)} 0"


def _levels(p: PanelLayers, at: _Places) -> str:
    known = [(at.y(v), text) for v, text in p.levels if v is not None and (v > 0 or not p.log)]
    d = "".join(f"M0 {_n(y)}H{_n(p.width)}" for y, _ in known)
    if not d:
        return ""
    texts = "".join(f'<text x="{_n(p.width - 4)}" y="{_n(y - 5)}">{escape(visible(s))}</text>' for y, s in known)
    return (
        f'<path stroke="{color("mark")}" stroke-width="1.2" stroke-dasharray="6,3" d="{d}"/>'
        f'<g text-anchor="end" fill="{color("ink2")}" stroke="{color("card")}" stroke-width="4" '
        f'paint-order="stroke">{texts}</g>'
    )


def _rules(p: PanelLayers, at: _Places) -> str:
    d = "".join(f"M{_n(at.x(v))} {_n(p.top)}V{_n(p.height)}" for v in p.marks)
    return f'<path stroke="{color("mark")}" stroke-dasharray="2,3" d="{d}"/>' if d else ""


def _names(p: PanelLayers, at: _Places) -> str:
    texts = "".join(
        f'<text x="{_n(at.x(b.middle))}" y="{_n(p.top + 12)}">{escape(visible(b.name))}</text>'
        for b in p.bands
        if b.name
    )
    return f'<g text-anchor="middle" font-size="11.5" fill="{color("ink3")}">{texts}</g>' if texts else ""


def _badges(badges: Sequence[Badge], top: float, at: _Places) -> str:
    if not badges:
        return ""
    lines = "".join(f"M{_n(b.pixel)} {_BADGE_AT}L{_n(at.x(b.step))} {_n(top)}" for b in badges)
    rounds = "".join(
        f'<path fill="{b.color}" stroke="{color("card")}" stroke-width="1.5" '
        f'd="{_circle(b.pixel, _BADGE_AT, _ROUND)}"/>'
        for b in badges
    )
    texts = "".join(f'<text x="{_n(b.pixel)}" y="14.5">{escape(b.text)}</text>' for b in badges)
    return (
        f'<path stroke="{color("mark")}" d="{lines}"/>{rounds}'
        f'<g text-anchor="middle" font-weight="700" fill="{color("card")}">{texts}</g>'
    )
