"""A table whose head is gone: its columns are numbered, or take the names that are left from the right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.csv.axis import axis_of
from curvedoc.ingest.csv.sections import is_header, separator_of, split_line
from curvedoc.ingest.table.inference.structure import counts
from curvedoc.ingest.table.values import number

#: Fewer lines of numbers without a header say nothing; more need not be looked at.
_ROWS, _LOOK = 4, 20
_LOOK_BYTES = 1 << 16
#: So many rows stand under a damaged header, which damage may have broken into a few lines.
_SOUND, _BROKEN = 8, 9
_CONTROL = late_regex("[\x00-\x08\x0e-\x1f\ufffd]")
_NAME = late_regex(r"[A-Za-z_][\w./ @%()-]{0,60}")


def headed(data: bytes) -> tuple[bytes, str]:
    """The text under a line that names each of its columns, and what had to be done for that, "" for nothing.

    A first line of numbers is a row, or what is left of one. A header of fewer names than every row has cells has lost
    its beginning, or its first column never had a name (as pandas writes the index). One that is damaged keeps the
    names before the damage.
    """
    body = data.lstrip(b"\n\r")
    if data.count(b"\n", 0, _LOOK_BYTES) < _ROWS:
        return data, ""
    lines = body[:_LOOK_BYTES].decode("utf-8", "replace").split("\n", _LOOK + 1)[:-1]
    first, rows = lines[0], [r for r in lines[1:] if r.strip() and not r.startswith("#")]
    if len(rows) < _ROWS - 1:
        return data, ""
    if first.count('"') % 2 and not any('"' in row for row in rows):  # it would take the whole table for one name
        head, _, rest = body.partition(b"\n")
        found, said = headed(head.replace(b'"', b"") + b"\n" + rest)
        return found, said or "a quote in the header is not closed; it was left out"
    sep = separator_of([*rows[-2:], first])
    names, width = split_line(first, sep), len(split_line(rows[0], sep))
    # of nearly all tables the first row tells that the header has a name for each column
    below = [split_line(r, sep) for r in rows] if width > len(names) else []
    alike = bool(below) and all(len(r) == width and is_row(r) for r in below)
    if alike and (is_header(names) or all(not c or number(c) is not None for c in names)) and all(r[-1] for r in below):
        rest = body[body.find(b"\n") + 1 :]
        if not is_header(names):
            return _numbered(width, sep, rest), "no header names the columns, and the first row is not whole"
        unnamed = [f"column {i + 1}" for i in range(width)]
        first_ones = _fits(names, below)
        whole = [*names, *unnamed[len(names) :]] if first_ones else [*unnamed[: width - len(names)], *names]
        text = f"the header names {len(names)} of {width} columns; its names were taken for the"
        return sep.join(whole).encode() + b"\n" + rest, f"{text} {'first' if first_ones else 'last'} ones"
    if len(names) > 1 and is_row(names):
        return _numbered(len(names), sep, body), "no header names the columns; they are told by their values"
    return _under_damage(body, lines) or (data, "")


def _under_damage(body: bytes, lines: Sequence[str]) -> tuple[bytes, str] | None:
    """The rows under a header that is no text any more, or that goes on with the numbers of a row; None for any other
    table."""
    sep = separator_of([*lines[-2:]])
    cells, width = split_line(lines[0], sep), len(split_line(lines[-1], sep))
    torn = bool(_NAME.fullmatch(cells[0])) and number(cells[-1]) is not None
    if not torn and not _CONTROL.search("".join(lines[:_BROKEN])):
        return None
    alike = [len(cells) == width and is_row(cells) for cells in (split_line(line, sep) for line in lines)]
    first = next((i for i in range(len(alike)) if all(alike[i:])), len(alike))
    if width < 2 or not 0 < first <= _BROKEN or len(lines) - first < _SOUND:
        return None
    if len(cells) == width and not _CONTROL.search(lines[0]) and all(number(c) is None for c in cells):
        return None  # the header is whole, and the damage lies in a row under it
    if not (torn and first == 1) and not any(_CONTROL.search(line) for line in lines[:first]):
        return None
    # the last of them may have lost its end
    whole = next((i for i, c in enumerate(cells) if not _NAME.fullmatch(c)), len(cells) - 1)
    names = [c if i < whole else f"column {i + 1}" for i, c in enumerate((*cells, *[""] * width)[:width])]
    rest = body
    for _ in range(first):
        rest = rest[rest.find(b"\n") + 1 :]
    said = "the header is damaged; the columns without a name are told by their values"
    return sep.join(names).encode() + b"\n" + rest, said


def is_row(cells: Sequence[str]) -> bool:
    """Whether the cells are numbers, as the first line of a table without a header holds."""
    found = sum(number(c) is not None for c in cells)
    return found > len(cells) / 2 and all(not c or number(c) is not None for c in cells)


def _numbered(width: int, sep: str, rows: bytes) -> bytes:
    return sep.join(f"column {i + 1}" for i in range(width)).encode() + b"\n" + rows


def _fits(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the names may stand for the first columns: what counts is called so, or nothing does."""
    column = np.array([number(r[0]) for r in rows], dtype=np.float64)
    return axis_of(tuple(names[:1])).known() or not counts(column)
