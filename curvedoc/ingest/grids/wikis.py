"""Tables between marks at the beginnings of lines: wikis, Markdown, AsciiDoc, reStructuredText, Org."""

from __future__ import annotations

from collections.abc import Iterator

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.grids.grid import Grid, grid_of

#: MediaWiki: "{|", "|-" between rows, "! a !! b" over "| 1 || 2".
_OPEN, _CLOSE = "{|", "|}"
_INLINE = late_regex(r"\|\||!!")
#: What is said of a cell ahead of it: 'align="right" | 2.3'.
_STYLE = late_regex(r"^[\w-]+ *= *(?:\"[^\"|]*\"|[\w%-]+) *\|(?!\|)")
#: DokuWiki's "^ a ^ b ^", Creole's "|=a|=b|", Trac's "||= a =||", Textile's "|_. a |_. b |".
_PARTS = late_regex(r"\|\||[|^│┆]")
_APART = late_regex(r"\s{2,}")
#: Frames as polars, Julia and databases print them are drawn with these, which nearly all lines have.
_DRAWN = late_regex(r"[│┆┌╞├└─═╪┼]")
_MARKED = " =~"
_RULE = late_regex(r"[\s|:+=-]+")
_HEADING = late_regex(r"(?:#{1,6} |={1,6} ?|h[1-6]\. |\*{1,4} |\.)(.{1,120}?) ?=*")
#: "|===" of AsciiDoc.
_FENCE = "|==="
#: Directives of reStructuredText.
_CSV, _LIST = ".. csv-table::", ".. list-table::"
_FIELD = late_regex(r"\s*:header(?:-rows)?:\s*(.*)")


def is_drawn(text: str) -> bool:
    """Whether nearly all lines of a text are those of a table that is drawn."""
    lines = [r for r in text.split("\n") if r.strip()]
    return sum(_DRAWN.search(r) is not None for r in lines) > 0.8 * len(lines)


def wiki_grids(text: str) -> list[Grid]:
    """The tables of a text in any of these languages."""
    lines = text.split("\n")
    found = [*_of_media(lines)] if _OPEN in text else []
    if ".. " in text and (_CSV in text or _LIST in text):
        found += _of_directives(lines)
    found += _of_pipes(lines)
    grids = (grid_of(title, rows) for title, rows in found)
    return [g for g in grids if g is not None]


Rows = list[list[str]]


def _of_media(lines: list[str]) -> Iterator[tuple[str, Rows]]:
    title, rows, inside = "", list[list[str]](), False
    for line in map(str.strip, lines):
        if line.startswith(_OPEN):
            rows, inside = [[]], True
        elif inside and line.startswith(_CLOSE):
            yield title, rows
            inside = False
        elif inside and line.startswith("|-"):
            rows.append([])
        elif inside and line.startswith("|+"):
            title = line[2:].strip()
        elif inside and line[:1] in ("|", "!"):
            rows[-1] += [_STYLE.sub("", c.strip()).strip() for c in _INLINE.split(line[1:])]
        elif not inside and (heading := _HEADING.fullmatch(line)):
            title = heading[1].strip()


def _of_pipes(lines: list[str]) -> Iterator[tuple[str, Rows]]:
    """Rows of cells between bars, one a line, with the heading above them."""
    title, rows = "", list[list[str]]()
    for line in (*map(str.strip, lines), ""):
        if line[:1] in "┌╞├└─═" and line:
            continue
        line = line.removeprefix("│").removesuffix("│") if "│" in line[:1] + line[-1:] else line
        if line.count("│") == 1:  # the rows are numbered ahead of the bar, and the columns stand apart
            left, _, right = line.partition("│")
            rows.append([left.strip(), *_APART.split(right.strip())])
            continue
        barred = (
            "│" in line
            or "┆" in line
            or line.startswith(("|", "^"))
            or (rows and line.count("|") >= 1)
            or " | " in line
        )
        if line.startswith(_FENCE) or (line[:1] in "+|:-=" and _RULE.fullmatch(line)):
            continue
        if barred and not line.startswith(("|-", "|}", _OPEN)):
            inner = line[2:] if line.startswith("||") else line[1:] if line[:1] in "|^" else line
            inner = inner.rstrip().removesuffix("|").removesuffix("|").removesuffix("^")
            rows.append([c.strip().removeprefix("_.").strip(_MARKED) for c in _PARTS.split(inner)])
            continue
        if rows and (line or len(rows) > 1):
            yield title, rows
            rows = []
        heading = _HEADING.fullmatch(line)
        if heading is not None:
            title = heading[1].strip()


def _of_directives(lines: list[str]) -> Iterator[tuple[str, Rows]]:
    """Tables that a directive of reStructuredText holds, as rows between commas or as a list of lists."""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line.startswith((_CSV, _LIST)):
            continue
        title, listed, rows = line.partition("::")[2].strip(), line.startswith(_LIST), list[list[str]]()
        while at < len(lines) and (not lines[at].strip() or lines[at][:1].isspace()):
            said, own = lines[at].strip(), _FIELD.fullmatch(lines[at])
            at += 1
            if own is not None and not listed:
                rows.append(_cells(own[1]))
            elif listed and said.startswith("* -"):
                rows.append([said[3:].strip()])
            elif listed and said.startswith("- ") and rows:
                rows[-1].append(said[2:].strip())
            elif said and not said.startswith(":") and not listed:
                rows.append(_cells(said))
        yield title, rows


def _cells(row: str) -> list[str]:
    return [c.strip(' "') for c in row.split(",")]
