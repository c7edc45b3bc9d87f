"""Curves as static pictures, for a page that is read with scripts off, put in last."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from markupsafe import Markup

from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.core.frozen import dataclass
from curvedoc.report.charts.panel_svg import svg_of_panels
from curvedoc.report.charts.panels import RunPicture
from curvedoc.report.html.section_cache import Pieces


@dataclass(frozen=True, slots=True)
class Still:
    """A run whose panels are drawn as static pictures, and what stands for each until then."""

    run: RunDiagnosis
    picture: RunPicture
    data: dict[str, Any]
    name: str

    @property
    def places(self) -> list[Markup]:
        """A mark for each panel that no text of a page can hold: control characters are spelled out everywhere."""
        return [Markup(f"\0{self.name}p{i}\0") for i in range(len(self.picture.panels))]


def with_stills(text: str, stills: Iterable[Still], pieces: Pieces, room: float) -> str:
    """The page with its pictures where their marks are; "" as soon as they are longer than there is room."""
    pictures: dict[str, Markup] = {}
    for s in stills:
        for place, svg in zip(s.places, baked(s, pieces), strict=True):
            pictures[place] = svg
            room += len(place) - len(svg)
        if room < 0:
            return ""
    first, *rest = text.split("\0")
    # every second part is a mark
    return "".join([first, *(pictures[f"\0{part}\0"] if i % 2 == 0 else part for i, part in enumerate(rest))])


def baked(still: Still, pieces: Pieces) -> list[Markup]:
    """Its pictures, drawn once for all levels of detail that draw the same."""
    alts = [f"{p.title} against {still.run.axis}. {still.run.headline}" for p in still.picture.panels]
    key = ("baked", still.name, json.dumps(still.data))
    return pieces.once(key, lambda: svg_of_panels(still.data, still.name, alts))
