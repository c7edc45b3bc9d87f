"""Tables of pages and of what spreadsheets and word processors write as XML: elements of rows and cells."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.grids.grid import Grid, grid_of

_ROWS = frozenset(("tr", "row", "table:table-row"))
_CELLS = frozenset(("td", "th", "entry", "cell", "table:table-cell"))
_TABLES = frozenset(("table", "tgroup", "table:table"))
_TITLES = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "caption", "title"))
#: A page of more cells is a data set.
_MOST = 1_000_000
_WIDEST = 200
_SHUT = late_regex(r"(?i)</(?:script|style|head)>")
_UNSHOWN = late_regex(r"(?i)<(?:script|style|head)\b")
_BREAK = late_regex(r"(?i)<(?:br|p|li|div|tr|h\d|pre|/pre|/p|/li|/div)\b[^>]{0,500}>")
_TAG = late_regex(r"<[^<>]{1,500}>")
_SPAN = late_regex(r"\d{1,2}")
#: "[td]2.3[/td]" of message boards.
_SQUARE = late_regex(r"(?i)\[(/?(?:table|tr|td|th))\]")


def is_page(text: str) -> bool:
    """Whether a text is a page of HTML."""
    return text[:500].lstrip().lower().startswith(("<!doctype html", "<html", "<pre", "<body"))


def page_text(text: str) -> str:
    """What a page shows, line by line."""
    *shut, rest = _SHUT.split(text)
    shown = "".join(_UNSHOWN.split(part, 1)[0] for part in shut) + rest
    return unescape(_TAG.sub("", _BREAK.sub("\n", shown)))


class _Tables(HTMLParser):
    """The tables of a page, in order: what stands above each, and its rows."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[tuple[str, list[list[str]]]] = []
        self.title, self.count = "", 0
        self.inside = ""  # the cell or the title whose words come
        self.span = self.deep = 1
        self.below: dict[int, int] = {}  # columns that a cell above fills, and over how many rows

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _TABLES and not (self.tables and not self.tables[-1][1]):
            self.tables.append((self.title, []))
        elif tag in _ROWS:
            if not self.tables:
                self.tables.append((self.title, []))
            self.tables[-1][1].append([])
            self._fill()
        elif tag in _CELLS and self.tables and self.tables[-1][1] and self.count < _MOST:
            self.tables[-1][1][-1].append("")
            said = dict(attrs)
            self.inside = "cell"
            self.span, self.deep = (
                int(v) if _SPAN.fullmatch(v := said.get(k) or "") else 1 for k in ("colspan", "rowspan")
            )
            self.count += 1
        elif tag in _TITLES:
            self.inside, self.title = "title", ""

    def handle_endtag(self, tag: str) -> None:
        if tag in _CELLS:
            if self.inside == "cell" and self.tables[-1][1]:
                row = self.tables[-1][1][-1]
                if self.deep > 1:
                    self.below[len(row) - 1] = self.deep
                row += [""] * (self.span - 1)
                self._fill()
            self.inside = ""
        elif tag in _TITLES:
            self.inside = ""
            if tag == "caption" and self.tables:
                self.tables[-1] = (self.title.strip(), self.tables[-1][1])

    def _fill(self) -> None:
        """Blank cells where cells of rows above reach down to."""
        row = self.tables[-1][1][-1]
        if not row:
            self.below = {at: left - 1 for at, left in self.below.items() if left > 1}
        while self.below.get(len(row), 0) > 0 and len(row) < _WIDEST:
            row.append("")

    def handle_data(self, data: str) -> None:
        if self.inside == "title":
            self.title += data
        elif self.inside == "cell" and self.tables[-1][1] and self.tables[-1][1][-1]:
            self.tables[-1][1][-1][-1] += data


def page_grids(text: str) -> list[Grid]:
    """The tables in a page, or in another text of such elements."""
    parser = _Tables()
    parser.feed(_SQUARE.sub(r"<\1>", text) if "[t" in text or "[T" in text else text)
    found = (grid_of(re.sub(r"\s+", " ", title).strip(), rows) for title, rows in parser.tables)
    return [g for g in found if g is not None]
