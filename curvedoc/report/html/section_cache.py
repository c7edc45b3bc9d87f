"""Parts of a page that several levels of detail share: made once, taken again by the next level."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from markupsafe import Markup

from curvedoc.report.html.neighbor import Neighbor
from curvedoc.report.html.rows import Row
from curvedoc.report.html.section import RunSection
from curvedoc.report.html.template import environment

T = TypeVar("T")


class Pieces:
    """What was made for one diagnosis, by what it is made of."""

    def __init__(self) -> None:
        self._made: dict[object, Any] = {}

    def once(self, key: object, make: Callable[[], T]) -> T:
        """What `key` stands for, made where it is asked for the first time."""
        if key not in self._made:
            self._made[key] = make()
        found: T = self._made[key]
        return found

    def row(self, row: Row, number: int) -> Markup:
        """A line of the table of runs, and which line it is."""
        # the run tells all else that a line shows
        key = ("row", row.run.run, row.id, row.spark, number)
        return self.once(key, lambda: _macro("parts.html.j2", "line")(row, number))

    def section(self, s: RunSection, many: bool, reference: Neighbor | None, known: frozenset[str]) -> Markup:
        """A run in full, among others or alone, drawn beside `reference`; known: the ids that the page explains."""
        key = ("html", s.row.run.run, s.row.id, s.short, bool(s.panels and s.panels[0].svg), many, reference)
        return self.once(key, lambda: _macro("run.html.j2", "section")(s, many, reference, known))

    def told(self, row: Row) -> Markup:
        """A run in a few sentences."""
        return self.once(("told", row.run.run, row.id), lambda: _macro("run.html.j2", "told")(row))


def _macro(file: str, name: str) -> Callable[..., Markup]:
    made: Callable[..., Markup] = getattr(environment().get_template(file).module, name)
    return made
