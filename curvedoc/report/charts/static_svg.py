"""Static SVG of a run's panels, drawn without a browser, so that a report is complete with scripts off."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from markupsafe import Markup, escape

from curvedoc.report.charts.strip import BROKEN, opacity
from curvedoc.report.charts.ticks import LINE, labels, linear, logarithmic, step_labels
from curvedoc.report.charts.vega import WIDTH, color
from curvedoc.report.escape import visible
from curvedoc.report.redact import redact

_LEFT, _RIGHT = 46, 14
_BADGE = 25.0  # pixels between badges, so that each is a target of 24
_HEAD, _TEXT = 30.0, 16.0  # room above the curve for badges, and for the names of phases
_STEPS = 110.0  # pixels between labels of the steps
_EDGE = 11.0  # from a badge's middle to the edge: beyond it a badge makes its panel narrower than the others
#: Pixels of one character of a band's label, for whether it fits.
_CHAR = 6.4
#: The lowest floor of a log scale: below it the logarithm of a double loses its digits.
_TINY = 1e-300
_LARGE = 1e300
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
    first = index == 0
    bands = [_band(b, drawn["view"]) for b in drawn["bands"]]
    texts = [b for b in bands if b["l"]] if first else []
    badges = _badges(drawn) if first else []
    top = _HEAD if badges else 0.0
    low, high = y_domain(p, drawn["view"], top + _TEXT * bool(texts))
    params = parameters(drawn, p, (low, high), WIDTH - _LEFT - _RIGHT) | {"top": top}
    for param in spec["params"]:
        param["value"] = params[param["name"]]
    floor = low if p["log"] else None
    spec["datasets"] = {
        "bands": bands,
        "cells": _cells(p),
        "env": [row for line in p["lines"][:1] for row in _env(line, floor)],
        "ref": [],
        "lines": [row for i, line in reversed([*enumerate(p["lines"])]) for row in _line(line, i, floor)],
        "dots": [row for i, line in enumerate(p["lines"]) for row in _dots(line, i, floor)],
        "levels": p["levels"],
        "rules": [{"x": m["x"]} for m in drawn["marks"]],
        "badges": badges,
        "labels": texts,
    }
    return spec


def parameters(drawn: dict[str, Any], p: dict[str, Any], y: tuple[float, float], width: float) -> dict[str, Any]:
    """The domains of a panel, and where its axes are labeled."""
    start, end = drawn["view"]
    per = drawn["per"]
    xt = [v * per for v in linear(start / per, end / per, max(2, int(width / _STEPS)), whole=True)]
    if "cells" in p:
        n = len(p["cells"]["names"])
        yt = linear(1, n, max(2, int(p["h"] / LINE / 1.6)), whole=True)
        named = [f"{v:.0f}" for v in yt]
        return {"xd": [start, end], "yd": [n, 0], "xt": xt, "xl": _axis(xt, drawn), "yt": [v - 0.5 for v in yt],
                "yl": named}  # fmt: skip
    yt = logarithmic(*y, p["h"]) if p["log"] else linear(*y, max(3, int(p["h"] / 30)))
    return {"xd": [start, end], "yd": [*y], "xt": xt, "xl": _axis(xt, drawn), "yt": yt, "yl": labels(yt)}


def _axis(values: Sequence[float], drawn: dict[str, Any]) -> list[str]:
    return step_labels([v / drawn["per"] for v in values], drawn["unit"])


def _cells(p: dict[str, Any]) -> list[dict[str, Any]]:
    made = p.get("cells", {"a": (), "b": (), "r": (), "s": ()})
    rows = zip(made["a"], made["b"], made["r"], made["s"], strict=True)
    strong, broken = color("s-gn"), color("fail")
    return [
        {"a": a, "b": b, "r": r, "q": r + 1, "c": broken if s == BROKEN else strong, "o": opacity(s)}
        for a, b, r, s in rows
    ]


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
    if p.get("clip"):
        low, high = max(low, p["clip"][0]), min(high, p["clip"][1])
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
    return [
        {"bx": start + px / scale, "x": m["x"], "n": m["n"], "c": color("fail" if m["f"] else "ink")}
        for m, px in zip(seen, at, strict=True)
    ]


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
