"""The text that each code cell of a notebook left behind, tables of HTML laid out as columns."""

from __future__ import annotations

from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

#: More cells or outputs are a data set.
_CELLS, _OUTPUTS = 5_000, 20_000
#: A table of more cells is no record of a training.
_TABLE = 200_000


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """One code cell: its place (from 1) and what it printed."""

    number: int
    text: str


def cells_of(notebook: Any) -> list[NotebookCell]:
    """The code cells that printed anything; none where the document is no notebook."""
    if not isinstance(notebook, dict):
        return []
    found = notebook.get("cells")
    if not isinstance(found, list):  # nbformat 3
        sheets = notebook.get("worksheets")
        sheets = [s.get("cells") for s in sheets if isinstance(s, dict)] if isinstance(sheets, list) else []
        found = [c for cells in sheets if isinstance(cells, list) for c in cells]
    out = []
    for number, cell in enumerate(found[:_CELLS], 1):
        outputs = cell.get("outputs") if isinstance(cell, dict) else None
        if isinstance(outputs, list):
            parts = [t for o in outputs[:_OUTPUTS] if isinstance(o, dict) and (t := _output(o))]
            text = "".join(p if p.endswith(("\n", "\r")) else p + "\n" for p in _joined(parts))
            if text.strip():
                out.append(NotebookCell(number, text))
    return out


def _joined(parts: list[tuple[str, str]]) -> list[str]:
    """Pieces of one stream belong together, whatever stands at their ends."""
    out: list[str] = []
    last = ""
    for kind, text in parts:
        if kind == "stream" and last == "stream":
            out[-1] += text
        else:
            out.append(text)
        last = kind
    return out


def _output(output: dict[str, Any]) -> tuple[str, str] | None:
    """(kind, text) of one output, None where it shows no text."""
    kind = output.get("output_type")
    if kind == "stream":
        return "stream", _text(output.get("text"))
    if kind in ("error", "pyerr"):
        frames = output.get("traceback")
        text = "\n".join(f for f in frames if isinstance(f, str)) if isinstance(frames, list) else ""
        ending = f"{output.get('ename', 'Error')}: {output.get('evalue', '')}"
        head = "" if "Traceback (most recent call last)" in text else "Traceback (most recent call last)\n"
        return "error", head + text + ("" if ending in text else "\n" + ending) + "\n"
    data = output.get("data")
    if not isinstance(data, dict):
        data = output
    html = _text(data.get("text/html", data.get("html")))
    if "<table" in html.lower():
        return "table", _table_text(html)
    plain = _text(data.get("text/plain"))
    return ("plain", plain) if plain and not plain.startswith("<") else None


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(v for v in value if isinstance(v, str))
    return value if isinstance(value, str) else ""


class _TableRows(HTMLParser):
    """Rows of the tables in a piece of HTML."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[str]] = []
        self.count = 0
        self.open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows and self.count < _TABLE:
            self.rows[-1].append("")
            self.count += 1
            self.open = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.open = False

    def handle_data(self, data: str) -> None:
        if self.open and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def _table_text(html: str) -> str:
    """The rows as lines of columns that are two blanks apart, names of several words joined."""
    parser = _TableRows()
    parser.feed(html)
    lines = []
    for row in parser.rows:
        cells = ["_".join(c.split()) or "-" for c in row]
        if cells:
            lines.append("  ".join(cells))
    return "\n".join(lines) + "\n"
