"""Tables that lie on their side: a row of counters, and below it a row for each metric."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.text.line import words

#: So much of a text is looked at for the first row of counters, which stands near the top of such a log.
_HEAD = 1 << 14
_COUNTER = r"(?:epochs?|ep|steps?|iter(?:ation)?s?|round)"
_BEGINS = late_regex(
    rf"(?im)^[ \t|,;#]*{_COUNTER}[ \t|,;:]+\d+(?:[ \t|,;]+\d+){{2}}|\|[ \t]*{_COUNTER} ?\d+ *\| *{_COUNTER} ?\d+"
)
_COUNTED = late_regex(rf"(?i)(?:{_COUNTER}[ _]?)?#?(\d{{1,12}})")
_VALUE = late_regex(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,4})?%?|(?i:[-+]?(?:nan|inf))|-+")
_NAME = late_regex(r"[^\W\d][\w ./@%()-]{0,60}?[:=]?")
_GAP = late_regex(r"[ \t]*[|,;\t][ \t]*|[ \t]+")
_RULE = late_regex(r"[\s|:+=-]+")
#: So many columns in all, and rows below a row of counters.
_LEAST, _MOST_ROWS = 6, 30


@dataclass(frozen=True, slots=True)
class _Table:
    """Where a table lies in the lines, what it counts and up to where, and its rows by name."""

    first: int
    last: int
    counter: str
    counts: tuple[int, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def upright(text: str) -> str:
    """The text, with each column of such tables as a line of its own."""
    if not _BEGINS.search(text, 0, _HEAD):
        return text
    lines = text.split("\n")
    tables: list[_Table] = []
    at = 0
    while at < len(lines):
        found = _table(lines, at)
        if found is not None:
            tables.append(found)
        at = found.last if found is not None else at + 1
    if sum(len(t.counts) for t in tables) < _LEAST or any(a.counts[-1] >= b.counts[0] for a, b in pairwise(tables)):
        return text
    for t in reversed(tables):
        lines[t.first : t.last] = [
            " | ".join([f"{t.counter} {n}", *(f"{name}: {row[i]}" for name, row in t.rows if row[i].strip("-"))])
            for i, n in enumerate(t.counts)
        ]
    return "\n".join(lines)


def _table(lines: Sequence[str], at: int) -> _Table | None:
    """The table whose row of counters is a line; None where none is, or nothing is measured below it."""
    name, cells = _row(lines[at])
    counted = [_COUNTED.fullmatch(c) for c in cells]
    counts = [int(m[1]) for m in counted if m is not None]
    if len(counts) < max(2, len(cells)) or len({b - a for a, b in pairwise(counts)}) != 1 or counts[0] >= counts[1]:
        return None
    counter = name.lower().strip(":=# ") or cells[0].rstrip("0123456789 _#").lower()
    if counter not in words.EPOCH_WORDS and counter not in words.STEP_WORDS:
        return None
    rows: list[tuple[str, tuple[str, ...]]] = []
    end = at + 1
    while end < len(lines) and len(rows) < _MOST_ROWS:
        if not (lines[end].strip() and _RULE.fullmatch(lines[end])):
            said, values = _row(lines[end])
            again = said.lower().strip(":=# ") == counter
            if (
                again
                or len(values) != len(counts)
                or not _NAME.fullmatch(said)
                or not all(map(_VALUE.fullmatch, values))
            ):
                break
            rows.append((said.strip(":= "), tuple(values)))
        end += 1
    return _Table(at, end, counter, tuple(counts), tuple(rows)) if rows else None


def _row(line: str) -> tuple[str, list[str]]:
    """The words that a row begins with, and its cells."""
    barred = line.strip()
    if barred.startswith("|"):
        cells = [c.strip() for c in barred.strip("|").split("|")]
        return cells[0], cells[1:]
    cells = [c for c in _GAP.split(barred) if c]
    ahead = 0
    while ahead < len(cells) and not (_VALUE.fullmatch(cells[ahead]) or _COUNTED.fullmatch(cells[ahead])):
        ahead += 1
    return " ".join(cells[:ahead]), cells[ahead:]
