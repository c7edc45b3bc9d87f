"""What stands above the rows of a table beside one line of names: titles and settings above it, and names in several
lines ("ResNet" over "loss" and "accuracy")."""

from __future__ import annotations

from collections.abc import Sequence

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.csv.axis import axis_of
from curvedoc.ingest.csv.sections import is_header, separator_of, split_line, uncommented
from curvedoc.ingest.table.values import number

#: So much of a file is looked at, so many lines stand above the names at most, and so many rows show what they name.
_LOOK, _TITLES, _ROWS = 1 << 14, 30, 3
_UNIT = late_regex(r"[\[(<].{0,12}[\])>]|-")
#: Where as many commas stand in a row as of another, they are those of numbers.
_SEPARATORS = (";", "\t", "|", ",")
#: Lines of names.
_HEADS = 3


def tidied(data: bytes) -> bytes:
    """The text of a table with one line of names at its top; any other text as it is, but for what `uncommented` does.

    Names of several lines are put together, and what stands above them is left out.
    """
    return uncommented(data if _is_plain(data) else with_one_head(_untitled(data)))


def _is_plain(data: bytes) -> bool:
    """Whether a first line names the columns of the next few, as of most tables: nothing is to be put together."""
    lines = _lines(data, 1 + _ROWS)
    if data.startswith(b"#") or len(lines) < 1 + _ROWS:
        return False
    sep = _separator(lines[1:])
    cells = [split_line(r, sep) for r in lines]
    return any(map(_is_number, cells[1])) and _stands_over(cells)


def _separator(rows: Sequence[str]) -> str:
    return max(_SEPARATORS, key=lambda s: min(r.count(s) for r in rows))


def spanned(heads: Sequence[Sequence[str]]) -> list[str] | None:
    """One name for each column of lines of names, the upper ones spread over the blank cells behind them; None where
    no upper cell stands over more than one column."""
    *upper, lowest = heads
    spread = [_spread(h) for h in upper]
    if any(len(h) != len(lowest) for h in heads) or not any(len({*h} - {""}) < len(h) - 1 for h in spread):
        return None
    columns = zip(*spread, lowest, strict=True)
    return [" ".join(dict.fromkeys(c for c in cells if c)) for cells in columns]


def with_one_head(data: bytes) -> bytes:
    """The text of a table with its first two or three lines of names as one; any other text as it is."""
    lines = _lines(data, _HEADS + 2)
    if len(lines) < _HEADS + 1 or any(c in lines[0] for c in '#"{['):
        return data
    sep = separator_of(lines)
    cells = [split_line(r, sep) for r in lines]
    width, tall = len(cells[0]), next((i for i, r in enumerate(cells) if any(map(_is_number, r))), 0)
    heads = cells[:tall]
    if width < _ROWS or not 1 < tall <= _HEADS or any(len(r) != width for r in cells[: tall + 1]):
        return data
    if not all(map(is_header, heads)):
        return data
    if not any(heads[-1][1:]) and tall == _HEADS:  # a frame of several levels names its index on a line of its own
        heads = [["", *heads[0][1:]], [heads[-1][0], *heads[1][1:]]]
    elif not any(heads[-1][1:]) or (heads[0][0] and heads[-1][0] and heads[0][0] != heads[-1][0]):
        return data  # units below the names
    names = spanned(heads)
    if names is None or len(set(names)) < len(names):
        return data
    return sep.join(names).encode() + b"\n" + _below(data, tall)


def _untitled(data: bytes) -> bytes:
    """The text without the lines above a line of names that stands over rows of as many cells; those have fewer cells,
    and hold no row."""
    if data.startswith(b"#"):  # a comment, of which others know what to do
        return data
    lines = _lines(data, _TITLES)
    rows = [r for r in lines if r.strip()][-_ROWS:]
    if len(lines) <= _ROWS + 1 or not rows:
        return data
    sep = _separator(rows)
    if not any(sep in r and _is_number(split_line(r, sep)[0]) for r in rows):  # lines of another log
        return data
    cells = [split_line(r, sep) for r in lines]
    at = next((i for i in range(len(cells) - _ROWS) if _stands_over(cells[i : i + 1 + _ROWS])), 0)
    names = [c for c in cells[at] if c] if at else []
    counted = len(names) > 1 and axis_of(tuple(names)).known()
    for said in cells[:at]:
        filled = [c for c in said if c]
        if len(filled) > len(names) - (not counted or len(names) > _ROWS) or (filled and not said[0]):
            return data
        if sum(map(_is_number, filled)) > 1 or axis_of(tuple(filled)).known():
            return data
    return _below(data, at)


def _stands_over(cells: Sequence[Sequence[str]]) -> bool:
    """Whether a first line names the columns of the next."""
    names, *rows = cells
    if all(not c or _UNIT.fullmatch(c) for c in rows[0]):  # a line of units below the names
        rows = rows[1:]
    if len(names) < 2 or not is_header(list(names)) or not all(names[:-1]):
        return False
    return all(len(r) == len(names) and _is_number(r[0]) and sum(map(_is_number, r)) > len(r) / 2 for r in rows)


def _is_number(cell: str) -> bool:
    return number(cell.replace(",", ".")) is not None


def _lines(data: bytes, most: int) -> list[str]:
    """The first lines of a text that are whole."""
    head = data[:_LOOK]
    lines = head.split(b"\n", most)
    whole = lines[:-1] if len(lines) > most or len(data) > _LOOK else lines
    return [r.decode("utf-8", "replace").strip("\r\ufeff") for r in whole]


def _below(data: bytes, lines: int) -> bytes:
    at = 0
    for _ in range(lines):
        at = data.find(b"\n", at) + 1
    return data[at:]


def _spread(head: Sequence[str]) -> list[str]:
    """The cells of an upper line, each over the blank ones behind it; the first one is over the counter alone."""
    out: list[str] = [head[0]]
    for cell in head[1:]:
        out.append(cell or (out[-1] if len(out) > 1 else ""))
    return out
