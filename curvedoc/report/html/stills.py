"""Curves as static pictures, for a page that is read with scripts off: begun early, put in last."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.report.charts.panels import RunPicture
from curvedoc.report.html.section_cache import Pieces

if TYPE_CHECKING:
    from curvedoc.report.charts.static_svg import Begin, Pending


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


def with_stills(text: str, stills: Iterable[Still], templates: dict[str, Any], pieces: Pieces, room: float) -> str:
    """The page with its pictures where their marks are; "" as soon as they are longer than there is room."""
    pictures: dict[str, Markup] = {}
    for s in stills:
        for place, svg in zip(s.places, baked(s, templates, pieces), strict=True):
            pictures[place] = svg
            room += len(place) - len(svg)
        if room < 0:
            return ""
    first, *rest = text.split("\0")
    # every second part is a mark
    return "".join([first, *(pictures[f"\0{part}\0"] if i % 2 == 0 else part for i, part in enumerate(rest))])


def begun(still: Still, templates: dict[str, Any], pieces: Pieces, begin: Begin | None) -> list[Pending]:
    """Its pictures, begun once for all levels of detail that draw the same."""
    from curvedoc.report.charts.static_svg import begin_pictures

    return pieces.once(("begun", json.dumps(still.data)), lambda: begin_pictures(still.data, templates, begin))


def baked(still: Still, templates: dict[str, Any], pieces: Pieces) -> list[Markup]:
    from curvedoc.report.charts.static_svg import svg_of_pictures

    alts = [f"{p.title} against {still.run.axis}. {still.run.headline}" for p in still.picture.panels]
    return pieces.once(
        ("baked", still.name, json.dumps(still.data)),
        lambda: svg_of_pictures(begun(still, templates, pieces, None), still.name, alts),
    )
