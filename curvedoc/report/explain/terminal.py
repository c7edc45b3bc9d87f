"""A page of the reference for the terminal."""

from __future__ import annotations

import textwrap

from curvedoc.report.charts.spark import blocks
from curvedoc.report.escape import to_ascii, visible, visible_block
from curvedoc.report.explain.case_drawing import Drawn
from curvedoc.report.explain.page import Block, CasePicture, Code, Items, Page, PageTable, Prose

#: Columns of a curve's name, and of the curve itself.
_NAME, _BLOCKS = 22, 48


def to_terminal(page: Page, width: int = 96, ascii_only: bool = False) -> str:
    """The page as plain text of at most `width` columns (40 or more), its cases as block characters."""
    width = max(40, width)
    out = [*textwrap.wrap(f"{page.id}  [{page.tag}]", width), *textwrap.wrap(page.title, width)]
    for section in page.sections:
        out += ["", *textwrap.wrap(section.heading, width)]
        for i, block in enumerate(section.blocks):
            made = _block(block, width)
            out += ["", *made] if i and made and not isinstance(block, Prose) else made
    text = "\n".join(visible_block(line.rstrip()) for line in out) + "\n"
    return to_ascii(text) if ascii_only else text


def _block(block: Block, width: int) -> list[str]:
    match block:
        case Prose(text):
            return _wrapped(text, width, "  ")
        case Items(texts, ordered):
            marks = [f"  {i}. " if ordered else "  - " for i in range(1, len(texts) + 1)]
            return [line for mark, text in zip(marks, texts, strict=True) for line in _wrapped(text, width, mark)]
        case PageTable(head, rows):
            return _table(head, rows, width)
        case Code(text):
            return [f"  {line}" for line in text.splitlines()]
        case CasePicture(drawn):
            return picture(drawn, width)


def _plain(text: str) -> str:
    return " ".join(text.replace("`", "").split())


def _wrapped(text: str, width: int, lead: str) -> list[str]:
    return textwrap.wrap(
        _plain(text), width, initial_indent=lead, subsequent_indent=" " * len(lead), break_on_hyphens=False
    )


def _table(head: tuple[str, ...], rows: tuple[tuple[str, ...], ...], width: int) -> list[str]:
    """Short columns side by side; the longest takes what is left and wraps."""
    cells = [[_plain(c) for c in row] for row in (head, *rows)]
    wide = [max(len(row[i]) for row in cells) for i in range(len(head))]
    main = max(range(len(head)), key=lambda i: wide[i])
    rest = sum(w for i, w in enumerate(wide) if i != main) + 2 * len(head)
    wide[main] = min(wide[main], width - rest)
    if wide[main] < 16:  # no room for columns: one row, one paragraph
        return [
            line for row in cells[1:] for line in _wrapped(": ".join(dict.fromkeys(c for c in row if c)), width, "  - ")
        ]
    out = []
    for row in cells:
        folded = textwrap.wrap(row[main], wide[main], break_on_hyphens=False) or [""]
        for k, part in enumerate(folded):
            shown = [part if i == main else c if k == 0 else "" for i, c in enumerate(row)]
            out.append("  " + "  ".join(f"{c:<{w}}" for c, w in zip(shown, wide, strict=True)))
    return out


def picture(drawn: Drawn, width: int) -> list[str]:
    """Each curve of a case as a line of blocks, with a caret where the finding begins."""
    names = [line.name for strip in drawn.strips for line in strip.lines]
    column = min(max(map(len, names), default=0), width // 4, _NAME)
    room = min(_BLOCKS, width - column - 5)
    out = _wrapped(f"{drawn.expect}: {drawn.name}", width, "  ")
    for strip in drawn.strips:
        for line in strip.lines:
            out.append(f"    {line.name[:column]:{column}} {blocks(line.curve, room, drawn.end)}")
    if drawn.strips and drawn.onset is not None:
        share = (drawn.onset - drawn.start) / max(1, drawn.end - drawn.start + 1)
        at = 5 + column + min(room - 1, max(0, int(share * room)))
        said = f"{drawn.axis} {drawn.onset:,}"
        fits = at + 2 + len(said) <= width
        out.append(" " * at + f"^ {said}" if fits else f"{said} ^".rjust(at + 1))
    out += [visible(f"    log: {line}")[:width] for line in drawn.log]
    for text in drawn.said:
        out += _wrapped(text, width, "    > ")
    return out
