"""Figures that leave the page: each panel of a run on its own, as SVG and PNG, with its notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from markupsafe import escape

from curvedoc.core.diagnosis import Diagnosis, RunDiagnosis
from curvedoc.core.late_regex import late_regex
from curvedoc.report import words
from curvedoc.report.charts.drawing import curve_name, drawing, line_color
from curvedoc.report.charts.panel_layers import RIGHT, layers
from curvedoc.report.charts.panel_svg import elements, panel_height
from curvedoc.report.charts.panels import RunPicture, panel_note, picture
from curvedoc.report.charts.vega import AXIS_WIDTH, color
from curvedoc.report.escape import clip, markdown, markdown_code, visible
from curvedoc.report.figures.raster import to_png
from curvedoc.report.redact import redact
from curvedoc.report.summary import worst_first

#: Buckets of one curve in a figure: about one for two pixels.
BUCKETS = 420
_WIDTH, _HEIGHT = 820, 240
#: White around a figure, and room for what stands above it.
_EDGE, _HEAD = 12, 40
_NAME = 60
#: Hues of the palette in words: a figure carries its legend in its subtitle.
HUES = {
    "s-train": "blue", "s-val": "vermilion", "s-gn": "purple", "s-lr": "green", "s-tp": "gray", "s-ref": "light gray",
}  # fmt: skip
_VARIABLE = late_regex(r"var\(--[\w-]+,([^()]*)\)")


@dataclass(frozen=True, slots=True)
class Figure:
    """One panel, ready to be drawn: a drawing of it alone, what stands above it, and the sentence in its place."""

    run: str
    name: str  # safe as a file name, unique among the figures of a diagnosis
    title: str
    alt: str
    heading: str
    legend: str
    drawn: dict[str, Any]


def flagged(d: Diagnosis) -> tuple[RunDiagnosis, ...]:
    """The runs that failed or have a warning, worst first; the only run whatever its verdict."""
    runs = worst_first(d)
    return runs if len(runs) == 1 else tuple(r for r in runs if r.verdict in ("failed", "warning"))


def figures(d: Diagnosis, most: int | None = None) -> Iterator[Figure]:
    """The panels of the flagged runs, of the `most` worst ones at most."""
    taken: set[str] = set()
    for run in flagged(d)[:most]:
        pic = picture(run)
        drawn = drawing(pic, BUCKETS)
        stem = stem_of(run.run)
        base, count = stem, 2
        while stem in taken:
            stem, count = f"{base}-{count}", count + 1
        taken.add(stem)
        for i, panel in enumerate(drawn["panels"]):
            # of one panel alone the first and the lowest are the same: it has the badges and the axis
            bands = drawn["bands"] if i == 0 else [{**b, "l": ""} for b in drawn["bands"]]
            alone = {**drawn, "bands": bands, "panels": [{**panel, "h": _HEIGHT}]}
            yield _figure(run, pic, i, alone, f"{stem}-{_slug(pic.panels[i].key)}-{i + 1}")


def _figure(run: RunDiagnosis, pic: RunPicture, index: int, drawn: dict[str, Any], name: str) -> Figure:
    shown = pic.panels[index]
    title = f"{shown.title} against {run.axis}"
    called = visible(words.run_name(run.run))
    if shown.rows:  # a strip has shades and no lines
        legend = visible(panel_note(shown, pic.end))
    elif len(shown.curves) > 1:
        legend = ", ".join(
            f"{visible(curve_name(c, shown))}: {HUES[line_color(shown, j)]}" for j, c in enumerate(shown.curves)
        )
    else:
        legend = visible(shown.curves[0].metric)
    heading = clip(f"{title}, {called}" if called else title, 110)
    return Figure(run.run, name, title, f"{title}. {run.headline}", heading, clip(legend, 140), drawn)


def svg(figure: Figure, name: str = "c0") -> str:
    """The figure as SVG on white, its clip path under the id `name`; without variables, for it has no style sheet."""
    p = layers(figure.drawn, 0, _WIDTH)
    width, height = AXIS_WIDTH + _WIDTH + RIGHT + 2 * _EDGE, panel_height(p) + _HEAD + 2 * _EDGE
    made = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}"><path fill="{color("card")}" d="M0 0H{width:g}V{height:g}H0Z"/>'
        f'<g font-family="system-ui, sans-serif"><text x="{_EDGE}" y="{_EDGE + 12}" font-size="14" font-weight="700" '
        f'fill="{color("ink")}">{escape(figure.heading)}</text><text x="{_EDGE}" y="{_EDGE + 28}" font-size="11.5" '
        f'fill="{color("ink3")}">{escape(figure.legend)}</text></g>'
        f'<g transform="translate({_EDGE},{_EDGE + _HEAD})">{elements(p, name)}</g></svg>'
    )
    return _VARIABLE.sub(r"\1", made)


def png(figure: Figure) -> bytes:
    """The figure as PNG, at twice its size."""
    return to_png(svg(figure))


def index(d: Diagnosis, drawn: tuple[Figure, ...]) -> str:
    """Markdown that shows every figure with the notes of its numbered marks."""
    out = ["# Figures", ""]
    last = None
    for figure in drawn:
        if figure.run != last:
            last = figure.run
            run = next(r for r in d.runs if r.run == figure.run)
            out += [
                f"## {markdown_code(clip(words.run_name(run.run) or 'this run', 160))}",
                "",
                markdown(redact(run.headline)),
            ]
            out += [
                "",
                *(
                    f"{p.number}. {markdown(clip(redact(p.text), 600))}, {words.unit(run.axis)} {p.step:,}"
                    for p in picture(run).pins
                ),
            ]
            out.append("")
        out += [f"![{markdown(figure.title)}]({figure.name}.png)", ""]
    out += [f"_curvedoc {markdown(d.version)}, rules `{d.rules_digest[:12]}`_"]  # so that the file is known as ours
    return "\n".join(out) + "\n"


def stem_of(name: str) -> str:
    """A file name of a run's name: letters, digits, dots and dashes of it."""
    return _slug(words.run_name(name) or "run")


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.")[:_NAME].strip("-.") or "figure"
