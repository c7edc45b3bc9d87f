"""Figures that leave the page: each panel of a run on its own, as SVG and PNG, with its notes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curvedoc.core.diagnosis import Diagnosis, RunDiagnosis
from curvedoc.report import words
from curvedoc.report.charts.drawing import curve_name, drawing, line_color
from curvedoc.report.charts.panels import RunPicture, picture
from curvedoc.report.charts.static_svg import filled
from curvedoc.report.escape import clip, markdown, markdown_code, visible
from curvedoc.report.redact import redact
from curvedoc.report.summary import worst_first

#: Buckets of one curve in a figure: about one for two pixels.
BUCKETS = 420
_WIDTH, _HEIGHT = 820, 240
_NAME = 60
#: Hues of the palette in words: a figure carries its legend in its subtitle.
_HUES = {
    "s-train": "blue", "s-val": "vermilion", "s-gn": "purple", "s-lr": "green", "s-tp": "gray", "s-ref": "light gray",
}  # fmt: skip
_VARIABLE = re.compile(r"var\(--[\w-]+,([^()]*)\)")


@dataclass(frozen=True, slots=True)
class Figure:
    """One panel, ready to be drawn: a whole Vega-Lite spec without variables."""

    run: str
    name: str  # safe as a file name, unique among the figures of a diagnosis
    title: str
    alt: str
    spec: dict[str, Any]


def templates() -> dict[str, Any]:
    """The panel templates that ship with curvedoc."""
    path = Path(__file__).parent.parent / "html" / "assets" / "panels.json"
    return json.loads(path.read_text("utf-8"))["templates"]  # type: ignore[no-any-return]


def flagged(d: Diagnosis) -> tuple[RunDiagnosis, ...]:
    """The runs that failed or have a warning, worst first; the only run whatever its verdict."""
    runs = worst_first(d)
    return runs if len(runs) == 1 else tuple(r for r in runs if r.verdict in ("failed", "warning"))


def figures(d: Diagnosis, most: int | None = None) -> Iterator[Figure]:
    """The panels of the flagged runs, of the `most` worst ones at most."""
    shapes = templates()
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
            yield _figure(run, pic, i, filled(alone, 0, shapes), f"{stem}-{_slug(pic.panels[i].key)}-{i + 1}")


def _figure(run: RunDiagnosis, pic: RunPicture, index: int, spec: dict[str, Any], name: str) -> Figure:
    panel = pic.panels[index]
    title = f"{panel.title} against {run.axis}"
    shown = visible(words.run_name(run.run))
    keys = [f"{visible(curve_name(c, panel))}: {_HUES[line_color(panel, j)]}" for j, c in enumerate(panel.curves)]
    lines = [", ".join(keys)] if len(keys) > 1 else [visible(panel.curves[0].metric)]
    spec["title"] = {
        "text": clip(f"{title}, {shown}" if shown else title, 110),
        "subtitle": [clip(text, 160) for text in lines],
        "anchor": "start", "fontSize": 14, "subtitleFontSize": 11.5, "subtitleColor": "#69645b", "color": "#1d1b18",
        "offset": 8,
    }  # fmt: skip
    spec["width"] = _WIDTH
    spec["background"] = "#ffffff"
    spec["autosize"] = {"type": "pad"}
    spec["padding"] = 12
    return Figure(run.run, name, title, f"{title}. {run.headline}", solved(spec))


def solved(node: Any) -> Any:
    """The spec with every CSS variable replaced by its fallback: a figure has no style sheet around it."""
    match node:
        case str():
            return _VARIABLE.sub(r"\1", node)
        case list():
            return [solved(v) for v in node]
        case dict():
            return {k: solved(v) for k, v in node.items()}
    return node


def svg(figure: Figure) -> str:
    """The figure as SVG."""
    import vl_convert

    text: str = vl_convert.vegalite_to_svg(json.dumps(figure.spec), allowed_base_urls=[])
    # vl-convert counts its ids over the life of the process; here they count from zero
    for i, known in enumerate(dict.fromkeys(re.findall(r'\bid="([^"]+)"', text))):
        text = re.sub(rf'(\bid="|url\(#|href="#){re.escape(known)}(?=["\)])', rf"\g<1>c{i}", text)
    return text


def png(figure: Figure) -> bytes:
    """The figure as PNG, at twice its size."""
    import vl_convert

    made: bytes = vl_convert.vegalite_to_png(json.dumps(figure.spec), scale=2, allowed_base_urls=[])
    return made


def index(d: Diagnosis, drawn: tuple[Figure, ...]) -> str:
    """Markdown that shows every figure with the notes of its numbered marks."""
    out = ["# Figures", ""]
    last = None
    for figure in drawn:
        if figure.run != last:
            last = figure.run
            run = next(r for r in d.runs if r.run == figure.run)
            out += [f"## {markdown_code(clip(words.run_name(run.run) or 'this run', 160))}", "", markdown(run.headline)]
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
