"""Tables in dumps: rows that SQL inserts, and ARFF."""

from __future__ import annotations

from collections.abc import Iterator

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.grids.grid import Grid, grid_of

_NAME = r"[`\"\[]?([A-Za-z_][\w.]{0,80})[`\"\]]?"
_CREATED = late_regex(rf"(?i)CREATE TABLE (?:IF NOT EXISTS )?{_NAME}\s*\(([^;]{{1,4000}})\)")
_INSERTED = late_regex(rf"(?i)INSERT (?:OR \w+ )?INTO {_NAME}\s*(?:\(([^()]{{1,2000}})\)\s*)?VALUES\s*")
_ROW = late_regex(r"\s*\(([^()]{1,4000})\)\s*[,;]?")
#: What stands in the declaration of a table beside its columns.
_NO_COLUMN = ("primary", "foreign", "unique", "constraint", "check", "key", "index")
_ATTRIBUTE = late_regex(r"(?im)^@attribute\s+(?:'([^'\n]{1,80})'|\"([^\"\n]{1,80})\"|(\S{1,80}))\s")
_DATA = late_regex(r"(?im)^@data\b.*$")


def dump_grids(text: str) -> list[Grid]:
    """The tables of a dump, those of SQL by name."""
    data = _DATA.search(text)
    if data is not None:
        names = [a or b or c for a, b, c in _ATTRIBUTE.findall(text[: data.start()])]
        rows = [r.split(",") for r in text[data.end() :].split("\n") if r.strip() and not r.startswith("%")]
        grid = grid_of("", [names, *rows])
        return [grid] if grid is not None else []
    tables: dict[str, list[list[str]]] = {}
    declared = {m[1]: list(_columns(m[2])) for m in _CREATED.finditer(text)}
    for m in _INSERTED.finditer(text):
        names = [c.strip(' `"[]') for c in m[2].split(",")] if m[2] else declared.get(m[1], [])
        rows = tables.setdefault(m[1], [names])
        at, row = m.end(), _ROW.match(text, m.end())
        while row is not None:
            rows.append([c.strip(" '\"") for c in row[1].split(",")])
            at = row.end()
            row = _ROW.match(text, at) if text[at - 1] == "," else None
    return [g for name, rows in tables.items() if (g := grid_of(name, rows)) is not None]


def _columns(declared: str) -> Iterator[str]:
    for part in declared.split(","):
        words = part.split()
        if words and words[0].lower() not in _NO_COLUMN and not words[0][:1].isdigit():
            yield words[0].strip('`"[]')
