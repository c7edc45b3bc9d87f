"""Captured console output as message rows: one per line, a traceback as one."""

from __future__ import annotations

import re

import polars as pl

from curvedoc.model import MESSAGES

#: Rows of one file; a progress bar that rewrites itself gives one per update.
MAX_ROWS = 100_000
MAX_TEXT = 8000

_ANSI = re.compile(r"\x1b\[[0-9;?:]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[@-Z\\^_=>78]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+")
_BREAK = re.compile(r"\r\n|\n|\r")
_LEVEL = re.compile(r"\b(?:(DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b|(\w*Warning):)")
_NAMES = {"WARN": "WARNING", "FATAL": "CRITICAL"}
_TRACEBACK = "Traceback (most recent call last)"
_CHAINED = ("During handling of the above", "The above exception was the direct")
#: What cannot be broken off yet is broken off here: output without a line end must not grow for ever.
_MAX_PENDING = 1 << 20

Row = tuple[float | None, int | None, str]


class Console:
    """Lines put together from chunks of several streams, in the order in which they were finished."""

    def __init__(self) -> None:
        self._pending: dict[int, str] = {}
        self._rows: list[Row] = []

    def write(self, stream: int, chunk: str, time: float | None, step: int | None) -> None:
        """One chunk of a stream, which may hold parts of lines."""
        lines = _BREAK.split(self._pending.get(stream, "") + chunk)
        rest = lines.pop()
        if len(rest) > _MAX_PENDING:
            lines.append(rest)
            rest = ""
        self._pending[stream] = rest
        self._add(lines, time, step)

    def flush(self, step: int | None) -> None:
        """The lines that were never finished."""
        for stream in sorted(self._pending):
            self._add([self._pending.pop(stream)], None, step)

    def _add(self, lines: list[str], time: float | None, step: int | None) -> None:
        for line in lines:
            text = _CONTROL.sub("", _ANSI.sub("", line[: 4 * MAX_TEXT])).rstrip()
            if text and len(self._rows) < MAX_ROWS:
                self._rows.append((time, step, text))

    def frame(self) -> pl.DataFrame:
        """The rows, columns `model.MESSAGES`; lines count from 1 without the blank ones."""
        kept = _blocks(self._rows)
        columns = {
            "source": [""] * len(kept),
            "line": [n for n, _, _ in kept],
            "time": [row[0] for _, _, row in kept],
            "level": [level for _, level, _ in kept],
            "step": [row[1] for _, _, row in kept],
            "rank": [0] * len(kept),
            "text": [row[2].encode("utf-8", "replace").decode()[:MAX_TEXT] for _, _, row in kept],
        }
        return pl.DataFrame(columns, schema=dict(MESSAGES))


def _blocks(rows: list[Row]) -> list[tuple[int, str, Row]]:
    """Line number, level and row, the lines of a traceback joined to one."""
    out: list[tuple[int, str, Row]] = []
    i = 0
    while i < len(rows):
        time, step, text = rows[i]
        if _TRACEBACK not in text:
            out.append((i + 1, _level(text), rows[i]))
            i += 1
            continue
        end = _end(rows, i)
        whole = "\n".join(r[2] for r in rows[i:end])
        if len(whole) > MAX_TEXT:  # the error stands at its end
            whole = whole[: MAX_TEXT // 4] + "\n...\n" + whole[-(MAX_TEXT * 3 // 4 - 5) :]
        out.append((i + 1, "TRACEBACK", (time, step, whole)))
        i = end
    return out


def _end(rows: list[Row], start: int) -> int:
    """The place behind a traceback: its frames are indented, the line after them names the error."""
    i = start + 1
    while i < len(rows):
        text = rows[i][2]
        if text[:1] in " \t" or _TRACEBACK in text or text.startswith(_CHAINED):
            i += 1
            continue
        i += 1
        chained = any(_TRACEBACK in r[2] or r[2].startswith(_CHAINED) for r in rows[i : i + 2])
        if not chained:
            return i
    return i


def _level(text: str) -> str:
    found = _LEVEL.search(text[:200])
    if found is None:
        return ""
    return _NAMES.get(found[1], found[1]) if found[1] else "WARNING"
