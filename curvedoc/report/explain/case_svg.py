"""A case as a small SVG: one strip per panel, the finding's onset across all of them. Light and dark by itself."""

from __future__ import annotations

import math
from collections.abc import Callable

from markupsafe import escape

from curvedoc.core.diagnosis import Curve
from curvedoc.core.numbers import spelled
from curvedoc.report.escape import clip, visible
from curvedoc.report.explain.case_drawing import Drawn, Strip

_WIDTH, _STRIP, _GAP = 640, 64, 18
_LEFT, _RIGHT, _TOP, _FOOT = 58, 10, 16, 16
_LOG_FROM = 8.0
#: Classes of the lines of a strip, in order.
_CLASSES = ("a", "b", "c", "d", "e")
#: What every picture is drawn with, in light and in dark.
_STYLE = "text{font:11px system-ui,sans-serif;fill:#69645b}path{fill:none;stroke-width:1.4}"
_DARK = "text{fill:#b9b3a8}"
#: The same by class, for the pictures in which it stands.
_BY_CLASS = {
    "k": (".k{stroke:#e5e2da}", ".k{stroke:#3a3732}"),
    "a": (".a{stroke:#0072b2}text.a{fill:#0072b2;stroke:none}", ".a{stroke:#56b4e9}text.a{fill:#56b4e9}"),
    "b": (".b{stroke:#d55e00}text.b{fill:#c24f00;stroke:none}", ".b{stroke:#f08a4a}text.b{fill:#f08a4a}"),
    "c": (".c{stroke:#7a4aa8}text.c{fill:#7a4aa8;stroke:none}", ".c{stroke:#c59cec}text.c{fill:#c59cec}"),
    "d": (".d{stroke:#00795c}text.d{fill:#00795c;stroke:none}", ".d{stroke:#4cc79f}text.d{fill:#4cc79f}"),
    "e": (".e{stroke:#a39d91}text.e{stroke:none}", ""),
    "o": (
        ".o{stroke:#b23c00;stroke-dasharray:3 2}text.o{fill:#b23c00;stroke:none}",
        ".o{stroke:#ff8f66}text.o{fill:#ff8f66}",
    ),
    "p": (".p{stroke:#69645b;stroke-dasharray:1 3}", ".p{stroke:#b9b3a8}"),
    "v": (".v{stroke:#57534c;stroke-dasharray:6 3}", ".v{stroke:#b9b3a8}"),
    "n": (".n{fill:#1d1b1814}", ".n{fill:#ffffff1a}"),
}


def _style(body: str) -> str:
    """The style of what a picture holds."""
    used = [rules for name, rules in _BY_CLASS.items() if f'class="{name}"' in body]
    light, dark = ("".join(side) for side in zip(*used, strict=True))
    return f"<style>{_STYLE}{light}@media(prefers-color-scheme:dark){{{_DARK}{dark}}}</style>"


def svg(drawn: Drawn) -> str:
    """The picture as one SVG document of a few kB; "" for a case without curves. Ends with a newline."""
    if not drawn.strips:
        return ""
    height = _TOP + len(drawn.strips) * (_STRIP + _GAP) - _GAP + _FOOT
    span = drawn.end - drawn.start

    def x(step: int) -> float:
        return round(_LEFT + (step - drawn.start) / span * (_WIDTH - _LEFT - _RIGHT), 1)

    said = f"{'Fires' if drawn.expect == 'fires' else 'Silent'}: {drawn.name}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" '
        f'role="img" aria-label="{escape(visible(said))}">'
    )
    out: list[str] = []
    bottom = height - _FOOT
    for i, strip in enumerate(drawn.strips):
        out += _strip(strip, _TOP + i * (_STRIP + _GAP), x, drawn)
    for step in drawn.points:
        out.append(f'<path class="p" d="M{x(step):g} {_TOP}V{bottom}"/>')
    out += [f'<text x="{_LEFT}" y="{height - 4}">{drawn.axis} {drawn.start:,}</text>']
    out.append(f'<text x="{_WIDTH - _RIGHT}" y="{height - 4}" text-anchor="end">{drawn.end:,}</text>')
    if drawn.onset is not None and drawn.start <= drawn.onset <= drawn.end:
        at = x(drawn.onset)
        out.append(f'<path class="o" d="M{at:g} {_TOP}V{bottom}"/>')
        anchor = "end" if at > _WIDTH * 0.8 else "start" if at < _WIDTH * 0.2 else "middle"
        if 130 < at < _WIDTH - 90:
            out.append(f'<text class="o" x="{at:g}" y="{height - 4}" text-anchor="{anchor}">{drawn.onset:,}</text>')
    body = "".join(out)
    return f"{head}{_style(body)}{body}</svg>\n"


def _strip(strip: Strip, top: int, x: Callable[[int], float], drawn: Drawn) -> list[str]:
    curves = [line.curve for line in strip.lines]
    low, high, log = _scale(curves, strip.levels)

    def y(v: float) -> int:
        share = (math.log(v) - math.log(low)) / (math.log(high) - math.log(low)) if log else (v - low) / (high - low)
        return round(top + _STRIP - 2 - min(1.0, max(0.0, share)) * (_STRIP - 4))

    out = [f'<path class="k" d="M{_LEFT} {top}V{top + _STRIP}H{_WIDTH - _RIGHT}"/>']
    for a, b in curves[0].nonfinite[:4]:
        left, right = x(a), x(min(max(b, a + 1), drawn.end))
        out.append(f'<rect class="n" x="{left:g}" y="{top}" width="{max(1.0, right - left):.1f}" height="{_STRIP}"/>')
    for level in strip.levels:
        if math.isfinite(level) and not (log and level <= 0):
            out.append(f'<path class="v" d="M{_LEFT} {y(level)}H{_WIDTH - _RIGHT}"/>')
    # the first on top: it is the one that the others are compared with
    for k, curve in reversed([*enumerate(curves)]):
        out.append(f'<path class="{_CLASSES[k]}" d="{_path(curve, x, y, log)}"/>')
    for value, at in ((high, top + 10), (low, top + _STRIP - 2)):
        out.append(f'<text x="{_LEFT - 5}" y="{at}" text-anchor="end">{spelled(value)}</text>')
    said = ([strip.name] if strip.name.startswith("layer ") else []) + (["log scale"] if log else [])
    out.append(
        f'<text x="{_WIDTH - _RIGHT}" y="{top - 3}" text-anchor="end">{escape(", ".join(said))}</text>' * bool(said)
    )
    left = _LEFT + 6
    for k, line in enumerate(strip.lines):
        name = clip(visible(line.name), 34)
        out.append(f'<text class="{_CLASSES[k]}" x="{left}" y="{top - 3}">{escape(name)}</text>')
        left += 7 * len(name) + 14
    return out


def _scale(curves: list[Curve], levels: tuple[float, ...]) -> tuple[float, float, bool]:
    """(lowest, highest, whether logarithmic) of what is drawn."""
    known = [v for c in curves for v in (*c.low, *c.high) if math.isfinite(v)]
    known += [v for v in levels if math.isfinite(v)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    if low > 0 and high / low >= _LOG_FROM:
        return low, high, True
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        low, high = low - (abs(low) * 0.1 or 0.5), high + (abs(high) * 0.1 or 0.5)
    return low, high, False


def _path(curve: Curve, x: Callable[[int], float], y: Callable[[float], int], log: bool) -> str:
    """Through the mean of each bucket, with a stroke from its low to its high where they differ in the picture."""
    out: list[str] = []
    pen, across, up = "M", 0, 0
    for step, mean, low, high in zip(curve.step, curve.mean, curve.low, curve.high, strict=True):
        if not math.isfinite(mean) or (log and low <= 0):
            pen = "M"
            continue
        bottom, top = y(low), y(high)
        here, there = round(x(step)), top if bottom != top else y(mean)
        # relative moves are a third shorter, and level ones half as long again
        level = f"h{here - across}" if there == up else f"l{here - across} {there - up}".replace(" -", "-")
        out.append(f"M{here} {there}" if pen == "M" else level)
        if bottom != top:
            out.append(f"v{bottom - there}")
        pen, across, up = "l", here, bottom if bottom != top else there
    if len(out) == 1:
        out.append("h3")  # a lone value has no length of its own
    return "".join(out)
