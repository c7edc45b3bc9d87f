"""Lines of styled terminal text: wrapped, fitted and escaped at one place, painted at the end."""

from __future__ import annotations

import io

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from curvedoc.report.escape import clip, to_ascii, visible
from curvedoc.report.redact import redact

Part = tuple[str, str]  # (text, rich style)


class Lines:
    """A growing list of lines no wider than `width` terminal columns. All text is escaped on its way in."""

    def __init__(self, width: int, ascii_only: bool = False) -> None:
        self.width = width
        self.ascii_only = ascii_only
        self._lines: list[Text] = []

    def __len__(self) -> int:
        return len(self._lines)

    def clean(self, text: str) -> str:
        """The text without control characters and credentials, in ASCII where the encoding has nothing else."""
        shown = visible(redact(text))
        return to_ascii(shown) if self.ascii_only else shown

    @property
    def more(self) -> str:
        """The sign for what was cut off."""
        return "..." if self.ascii_only else "…"

    def fit(self, text: str, width: int, end: bool = False) -> str:
        """The text in exactly `width` columns: clipped in its middle (or at its `end`) or filled up with spaces."""
        shown = self.clean(text)
        if cell_len(shown) > width:
            room = max(0, width - len(self.more))
            if end:
                shown = shown[: _column(shown, room)] + self.more
            elif cell_len(shown) == len(shown):
                shown = clip(shown, width, self.more)
            else:  # letters of two columns each: the end of a name tells it from the next
                tail = _column(shown[::-1], room // 2)
                shown = shown[: _column(shown, room - room // 2)] + self.more + shown[-tail:]
        return set_cell_size(shown, width)

    def blank(self) -> None:
        """An empty line, unless there is one already or nothing stands above."""
        if self._lines and self._lines[-1].plain:
            self._lines.append(Text())

    def add(self, *parts: Part, indent: int = 0, hang: int = 0, wrap: bool = True, most: int = 40) -> None:
        """One paragraph of at most `most` lines; continuation lines are set in by `hang` more columns.

        Without `wrap` it is one line, cut at the width.
        """
        text = Text(end="")
        for part, style in parts:
            text.append(self.clean(part), style=style)
        text.rstrip()
        if not wrap:
            text.truncate(max(1, self.width - indent))
            self._lines.append(Text(" " * indent) + text)
            return
        room = max(10, self.width - indent - hang)
        lines = _wrap(text, self.width - indent, room)
        if len(lines) > most:
            lines = lines[:most]
            lines[-1].truncate(max(1, room - len(self.more)))
            lines[-1].append(self.more)
        for i, line in enumerate(lines):
            self._lines.append(Text(" " * (indent + (hang if i else 0))) + line)

    def extend(self, other: Lines) -> None:
        """The lines of another list, after these."""
        self._lines.extend(other._lines)

    def render(self, color: bool) -> str:
        """The text, with ANSI colors or without; ends with a newline."""
        if not color:
            return "".join(line.plain.rstrip() + "\n" for line in self._lines)
        from rich.console import Console

        sink = io.StringIO()
        console = Console(file=sink, force_terminal=True, color_system="standard", no_color=False, width=self.width + 1)
        for line in self._lines:
            console.print(line, soft_wrap=True, highlight=False)
        return sink.getvalue()


def _wrap(text: Text, first: int, rest: int) -> list[Text]:
    """Lines of at most `first`, then `rest` columns; broken at spaces, inside a word only where it is too long."""
    lines = []
    room = first
    while cell_len(text.plain) > room:
        hard = _column(text.plain, room)
        soft = text.plain.rfind(" ", 0, hard + 1)
        cut = soft if soft > room // 3 else hard
        head, text = text[:cut], text[cut:]
        head.rstrip()
        lines.append(head)
        skip = len(text.plain) - len(text.plain.lstrip(" "))
        text = text[skip:]
        room = rest
    return [*lines, text] if text.plain or not lines else lines


def _column(plain: str, room: int) -> int:
    """How many characters fit into `room` columns; at least one."""
    used = 0
    for i, char in enumerate(plain):
        used += cell_len(char)
        if used > room:
            return max(1, i)
    return len(plain)
