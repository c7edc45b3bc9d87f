"""A table of a document: what it is called, the names of its columns, and rows of as many cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.csv.header_lines import spanned
from curvedoc.ingest.naming.log_words import is_outcome, spaced
from curvedoc.ingest.table.keys import COUNTERS
from curvedoc.ingest.table.values import number

#: Fewer rows are a table of results.
MIN_ROWS = 4
#: Rows of names at most, and cells of a row.
_HEADS, _WIDE = 3, 200
#: Of so many rows one may begin a training anew.
_AGAIN = 0.25
#: How a cell is set in bold or as a formula, what is said of its place, and a unit set apart by a backslash.
_DRESS = late_regex(r"\*\*|__|'''?|`|\$|\\(?:textbf|textit|text|num|mathbf|bf|emph)\b ?|[{}\\]|&nbsp;|\u00a0|\u202f")
_COMMA = late_regex(r"[-+]?\d+,\d+(?:[eE][-+]?\d+)?(?: ?%)?")
_POINT = late_regex(r"[-+]?\d*\.\d")
#: Rules and kinds of columns below the names, as frames are printed with.
_SAYS_NOTHING = late_regex(
    r"(?i)[-=─═… ]*|<?(?:[iuf]\d{2}|str|(?:u?int|float)\d{2}\??|double|int|dbl|chr|fct|bigint|varchar)>?"
)
#: What a counter may be called in the head of a column: "Epoch", "# epoch", "Epoch no.", "Epochs [-]".
_AROUND = late_regex(r"[^\w]+|\b(?:no|nr|number|idx|index|count)\b")


@dataclass(frozen=True, slots=True)
class Grid:
    """One table. title: what stands above it, "" for nothing"""

    title: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def counter(self) -> int | None:
        """The column that counts the rows: called so, of whole numbers that rise; None where there is none."""
        for i, name in enumerate(self.names):
            if counts(name):
                cells = [number(r[i]) for r in self.rows if r[i]]
                known = [c for c in cells if c is not None]
                falls = sum(a >= b for a, b in pairwise(known))
                again = sum(a == known[0] for a in known) - 1  # another training below the one before
                rising = falls <= min(again, _AGAIN * len(known))
                return i if rising and len(known) >= MIN_ROWS and 2 * len(known) > len(self.rows) else None
        return None


def counts(name: str) -> bool:
    """Whether the head of a column says a counter."""
    said = spaced(_AROUND.sub(" ", name.lower()))
    return said.replace(" ", "_") in COUNTERS


def plain(cell: str) -> str:
    """The words or the number of a cell without how it is set."""
    return re.sub(r"\s+", " ", _DRESS.sub("", cell)).strip()


def grid_of(title: str, rows: Sequence[Sequence[str]]) -> Grid | None:
    """The table of some rows, the first of which are names; None where no names stand over rows of as many cells."""
    cells = [[plain(c) for c in r[:_WIDE]] for r in rows if any(c.strip() for c in r)]
    cells = _upright([r for r in cells if not all(map(_SAYS_NOTHING.fullmatch, r))])
    first = next((i for i, r in enumerate(cells) if any(number(c) is not None for c in r)), 0)
    if not 0 < first <= _HEADS or len(cells) - first < MIN_ROWS:
        return None
    width = len(cells[first])
    heads = [h for h in cells[:first] if len(h) == width]
    names = spanned(heads) if len(heads) > 1 else heads[0] if heads else None
    body = [r for r in cells[first:] if len(r) == width]
    if names is None or width < 2 or 2 * len(body) <= len(cells) - first:
        return None
    if any(_COMMA.fullmatch(c) for r in body for c in r) and not any(_POINT.match(c) for r in body for c in r):
        body = [[c.replace(",", ".") if _COMMA.fullmatch(c) else c for c in r] for r in body]
    named = tuple(n or f"column {i + 1}" for i, n in enumerate(names))
    return Grid(title, named, tuple(tuple(r) for r in body)) if len(set(named)) == width else None


def _upright(rows: list[list[str]]) -> list[list[str]]:
    """The rows, those of a table on its side as its columns: the first counts from its second cell on."""
    first = rows[0] if rows else []
    if len(first) <= len(rows) or not first or not counts(first[0]) or any(number(c) is None for c in first[1:]):
        return rows
    if any(len(r) != len(first) or number(r[0]) is not None for r in rows):
        return rows
    return [list(column) for column in zip(*rows, strict=True)]


def _are_things(cells: Sequence[str]) -> bool:
    """Whether the cells of a column are names, each of another thing."""
    return len(set(cells)) == len(cells) and all(c[:1].isalpha() and number(c) is None for c in cells)


def trains(grid: Grid) -> bool:
    """Whether the rows of a table are moments of a training: counted, and measured by what trainings are."""
    at = grid.counter
    if at is None or any(_are_things([r[i] for r in grid.rows]) for i in range(len(grid.names)) if i != at):
        return False
    measured = [i for i, name in enumerate(grid.names) if i != at and is_outcome(name)]
    values = [[v for r in grid.rows if (v := number(r[i])) is not None] for i in measured]
    return any(2 * len(v) > len(grid.rows) and any(x != int(x) for x in v if abs(x) < 1e15) for v in values)
