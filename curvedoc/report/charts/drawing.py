"""A run's picture as plain drawing data: columns that the page's script and the baked pictures share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import orjson

from curvedoc.core.diagnosis import Curve
from curvedoc.report.charts.columns import columns
from curvedoc.report.charts.panels import Panel, RunPicture
from curvedoc.report.charts.strip import cells
from curvedoc.report.charts.vega import color
from curvedoc.report.redact import redact

_LINE_COLORS = ("s-val", "s-gn", "s-lr", "s-tp", "s-ref")
_MAIN_COLOR = {"loss": "s-train", "grad_norm": "s-gn", "lr": "s-lr"}
#: Curves of at most this many buckets show each value as a dot: a line alone hides where they are.
_DOTS = 60
_DIGITS = 4
#: Buckets that a further curve of a panel keeps.
_FEWEST = 40
#: Beyond it a range overflows when it is computed; a curve that reached it shows that well enough.
_HUGE = 1e100


def line_color(panel: Panel, index: int) -> str:
    """The color of one curve of a panel: its role's for the main one, then the others of the palette."""
    main = _MAIN_COLOR.get(panel.key, "s-tp")
    return main if index == 0 else [c for c in _LINE_COLORS if c != main][(index - 1) % (len(_LINE_COLORS) - 1)]


def curve_name(curve: Curve, panel: Panel) -> str:
    """The name in the legend: its label, or what sets it apart from the others of its panel."""
    base = (
        "validation" if curve.role.startswith(("val_", "eval_")) else "test" if curve.role.startswith("test_") else ""
    )
    if curve.label:
        return f"{base} {curve.label}".strip()
    if base:
        return base
    alone = sum(c.role == curve.role for c in panel.curves) == 1
    if alone and len(panel.curves) > 1:
        return "train"
    return curve.metric


def drawing(pic: RunPicture, most: int, raw: bool = True) -> dict[str, Any]:
    """The picture as JSON values in columns, at most `most` buckets a curve; null where nothing was finite.

    With `raw`, the values near a finding stand one by one in the place of their buckets; `every` tells where.
    """
    panels = []
    for p in pic.panels:
        if p.rows:
            panels.append({"k": p.key, "t": p.title, "h": p.height, "log": False, "can": False, "lines": [],
                           "levels": [], "cells": cells(p.curves, pic.end)})  # fmt: skip
            continue
        lines = [_columns(c, most if i == 0 else max(_FEWEST, most // 2), i == 0, raw) for i, c in enumerate(p.curves)]
        for i, (line, c) in enumerate(zip(lines, p.curves, strict=True)):
            line["c"] = color(line_color(p, i))
            line["n"] = curve_name(c, p)
        panels.append(
            {
                "k": p.key,
                "t": p.title,
                "log": p.log,
                "can": p.can_log,
                "h": p.height,
                "lines": lines,
                "levels": [{"v": short(x.value), "l": x.name} for x in pic.levels if x.panel == p.key],
                "clip": [short(v) for v in p.clip] if p.clip else None,
            }
        )
    return {
        "x": [pic.start, pic.end],
        "view": list(pic.view),
        "panels": panels,
        "bands": [{"a": b.start, "b": b.end, "k": b.kind, "l": b.text if b.label else ""} for b in pic.bands],
        "marks": [{"x": p.step, "n": str(p.number), "t": redact(p.text), "f": p.lead} for p in pic.pins],
        "unit": pic.axis,
        "per": pic.per,
        "zoom": list(pic.zoom) if pic.zoom else None,
    }


def _columns(c: Curve, most: int, band: bool, raw: bool) -> dict[str, Any]:
    made = columns(c, most, raw)
    out: dict[str, Any] = {
        "x": list(made.step),
        "v": shorts(made.mean),
        "dots": len(made.step) <= _DOTS,
    }
    if band and any(a < b for a, b in zip(made.low, made.high, strict=True)):
        out["lo"] = shorts(made.low)
        out["hi"] = shorts(made.high)
    if made.every:
        out["every"] = [list(span) for span in made.every]
    return out


def shorts(column: Sequence[float]) -> list[float | int | None]:
    """`short` of each number."""
    text = (f"%.{_DIGITS}g," * len(column))[:-1] % tuple(column)
    # all at once, but for numbers past four digits, which are spelled with an exponent, and those that are none
    if "e+" in text or "n" in text:
        return [short(v) for v in column]
    made: list[float | int | None] = orjson.loads(f"[{text}]")
    return made


def short(v: float) -> float | int | None:
    """A drawn number at 4 significant digits: a tenth of a pixel."""
    if not math.isfinite(v):
        return None
    out = float(f"{min(_HUGE, max(-_HUGE, v)):.{_DIGITS}g}")
    return int(out) if out.is_integer() and abs(out) < 1e15 else out
