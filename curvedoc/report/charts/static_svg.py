"""Static SVG of a run's panels, drawn without a browser, so that a report is complete with scripts off."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from markupsafe import Markup, escape

from curvedoc.report import words
from curvedoc.report.charts.vega import WIDTH, color
from curvedoc.report.escape import visible
from curvedoc.report.redact import redact

_LEFT, _RIGHT = 46, 14
_BADGE = 25.0  # pixels between badges, so that each is a target of 24
_EDGE = 11.0  # from a badge's middle to the edge: beyond it a badge makes its panel narrower than the others
#: Pixels of one character of a band's label, for whether it fits.
_CHAR = 6.4
#: The lowest floor of a log scale: below it the logarithm of a double loses its digits.
_TINY = 1e-300
#: An id where it is given and where it is used.
_ID = re.compile(r'(\bid="|url\(#|href="#)([^")]+)(?=[")])')

#: A picture that was begun: gives its SVG.
Pending = Callable[[], str]
#: Begins a picture of a specification.
Begin = Callable[[str], Pending]


def begin_pictures(drawn: dict[str, Any], templates: dict[str, Any], begin: Begin | None = None) -> list[Pending]:
    """One picture per panel of a drawing (`drawing.drawing`), as first shown; drawn when it is taken, unless `begin`
    does it before."""
    specs = [json.dumps(filled(drawn, i, templates)) for i in range(len(drawn["panels"]))]
    return [partial(render, s) if begin is None else begin(s) for s in specs]


def render(spec: str) -> str:
    """The SVG of a specification, with what a page needs of it. Nothing outside is loaded."""
    import vl_convert

    return _smaller(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]))


def svg_of_pictures(pictures: Iterable[Pending], name: str, alts: Sequence[str]) -> list[Markup]:
    """The SVG of each picture, ids made unique by `name`.

    `alts` are the sentences that a screen reader says.
    """
    return [_tidy(take(), f"{name}p{i}", alts[i]) for i, take in enumerate(pictures)]


def filled(drawn: dict[str, Any], index: int, templates: dict[str, Any]) -> dict[str, Any]:
    """The template of one panel with its data sets and domains: what the page's script draws at first, too."""
    p = drawn["panels"][index]
    bottom = index == len(drawn["panels"]) - 1
    spec: dict[str, Any] = copy.deepcopy(templates[("log" if p["log"] else "lin") + ("_x" if bottom else "")])
    spec["height"] = p["h"]
    low, high = y_domain(p, drawn["view"])
    for param in spec["params"]:
        param["value"] = drawn["view"] if param["name"] == "xd" else [low, high]
    floor = low if p["log"] else None
    first = index == 0
    spec["datasets"] = {
        "bands": [_band(b, drawn["view"]) for b in drawn["bands"]],
        "env": [row for line in p["lines"][:1] for row in _env(line, floor)],
        "ref": [],
        "lines": [row for i, line in reversed([*enumerate(p["lines"])]) for row in _line(line, i, floor)],
        "dots": [row for i, line in enumerate(p["lines"]) for row in _dots(line, i, floor)],
        "levels": [{"v": v, "l": words.value(v)} for v in p["levels"]],
        "rules": [{"x": m["x"]} for m in drawn["marks"]],
        "badges": _badges(drawn) if first else [],
        "labels": [b for b in (_band(b, drawn["view"]) for b in drawn["bands"]) if b["l"]] if first else [],
    }
    return spec


def y_domain(p: dict[str, Any], view: list[int]) -> tuple[float, float]:
    """The visible values of a panel: a little room on both sides, zero included for a rate."""
    seen: list[float] = [v for v in p["levels"] if v is not None]
    for line in p["lines"]:
        for key in ("v", "lo", "hi"):
            rows = zip(line["x"], line.get(key, ()), strict=False)
            seen += [v for x, v in rows if v is not None and x <= view[1]]
    if p["log"]:
        seen = [v for v in seen if v > 0]
    if not seen:
        return (1.0, 10.0) if p["log"] else (0.0, 1.0)
    low, high = min(seen), max(seen)
    if p["log"]:
        return max(low * 0.94, _TINY), max(high * 1.12, _TINY * 10)
    if p["k"] == "lr":
        return min(0.0, low), high * 1.08 if high > 0 else 1.0
    pad = (high - low) * (0.16 if p["levels"] else 0.06) or abs(high) * 0.1 or 1.0  # a level carries its label
    return (max(0.0, low - pad) if low >= 0 else low - pad), high + pad


def _floored(v: float | None, floor: float | None) -> float | None:
    return v if v is None or floor is None or v > floor else floor


def _env(line: dict[str, Any], floor: float | None) -> list[dict[str, Any]]:
    if "lo" not in line:
        return []
    rows = zip(line["x"], line["lo"], line["hi"], strict=True)
    return [{"x": x, "lo": _floored(lo, floor), "hi": _floored(hi, floor), "c": line["c"]} for x, lo, hi in rows]


def _line(line: dict[str, Any], index: int, floor: float | None) -> list[dict[str, Any]]:
    return [
        {"x": x, "v": _floored(v, floor), "k": index, "c": line["c"]} for x, v in zip(line["x"], line["v"], strict=True)
    ]


def _dots(line: dict[str, Any], index: int, floor: float | None) -> list[dict[str, Any]]:
    """Every value of a short curve; of a long one those between two that are not finite, which no line shows."""
    rows, v = _line(line, index, floor), [None, *line["v"], None]
    return [r for i, r in enumerate(rows) if line["dots"] or (v[i] is None and v[i + 2] is None)]


def _band(b: dict[str, Any], x: list[int]) -> dict[str, Any]:
    a, z = max(b["a"], x[0]), min(b["b"], x[1])
    fits = (z - a) / (x[1] - x[0]) * (WIDTH - _LEFT - _RIGHT) > len(b["l"]) * _CHAR + 12
    return {"a": b["a"], "b": b["b"], "m": (a + z) / 2, "l": b["l"] if fits else "", "c": color(f"b-{b['k']}")}


def _badges(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    start, end = drawn["view"]
    width = WIDTH - _LEFT - _RIGHT
    scale = width / (end - start)
    seen = [m for m in drawn["marks"] if start <= m["x"] <= end]
    at, last = [], _EDGE - _BADGE
    for m in seen:
        last = max((m["x"] - start) * scale, last + _BADGE)
        at.append(last)
    last = width - _EDGE + _BADGE
    for i in reversed(range(len(at))):
        last = at[i] = min(at[i], last - _BADGE)
    return [{"bx": start + px / scale, "n": m["n"]} for m, px in zip(seen, at, strict=True)]


def _smaller(svg: str) -> str:
    """The SVG with numbers cut to 0.1 pixel, and without roles inside."""
    svg = re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\d+\.\d)\d+", r"\1", tag[0]), svg)  # texts keep their digits
    return re.sub(r' (?:aria-[a-z]+|role|class|xmlns:xlink|version)="[^"]*"', "", svg)


def _tidy(svg: str, name: str, alt: str) -> Markup:
    """The SVG with ids of its own and one label for the whole.

    Safe as markup: vl-convert escapes the texts inside, and the label is escaped here.
    """
    # vl-convert counts its ids over the life of the process; here they count from zero in each picture.
    known = {made: f"{name}c{i}" for i, made in enumerate(dict.fromkeys(re.findall(r'\bid="([^"]+)"', svg)))}
    svg = _ID.sub(lambda m: m[1] + known.get(m[2], m[2]), svg)
    label = escape(visible(redact(alt)))
    return Markup(re.sub(r"^<svg ", lambda _: f'<svg role="img" aria-label="{label}" ', svg, count=1))
