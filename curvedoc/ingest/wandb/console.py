"""Captured console output, chunk by chunk, as message rows like those of a text log."""

from __future__ import annotations

import polars as pl

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Note, empty_messages
from curvedoc.ingest.text.line.template import LINE_CAP, clean
from curvedoc.ingest.text.messages import find_blocks, messages

#: Lines kept of one file; a progress bar that rewrites itself gives one per update.
MAX_LINES = 200_000
#: What cannot be broken off yet is broken off here: output without a line end must not grow for ever.
_MAX_PENDING = 1 << 20

_BREAK = late_regex(r"(\r*\n|\r)")


class Console:
    """Lines put together from chunks of several streams, in the order in which they were finished."""

    def __init__(self) -> None:
        self._pending: dict[int, str] = {}
        self._texts: list[str] = []
        self._parts: list[bool] = []  # a carriage return ended the line: a progress bar
        self._times: list[float | None] = []
        self._steps: list[int | None] = []
        self._left_out = 0

    def write(self, stream: int, chunk: str, time: float | None, step: int | None) -> None:
        """One chunk of a stream, which may hold parts of lines."""
        text = self._pending.get(stream, "") + chunk
        held = "\r" if text.endswith("\r") else ""  # its LF may still come
        pieces = _BREAK.split(text[: len(text) - len(held)])
        rest = pieces.pop() + held
        for line, end in zip(pieces[::2], pieces[1::2], strict=True):
            self._add(line, end == "\r", time, step)
        if len(rest) > _MAX_PENDING:
            self._add(rest, False, time, step)
            rest = ""
        self._pending[stream] = rest

    def flush(self, step: int | None) -> None:
        """The lines that were never finished."""
        for stream in sorted(self._pending):
            self._add(self._pending.pop(stream).rstrip("\r"), False, None, step)

    def _add(self, line: str, part: bool, time: float | None, step: int | None) -> None:
        text = clean(line[:LINE_CAP]).rstrip()
        if not text.strip():
            return
        if len(self._texts) >= MAX_LINES:
            self._left_out += 1
            return
        self._texts.append(text.encode("utf-8", "replace").decode())
        self._parts.append(part)
        self._times.append(time)
        self._steps.append(step)

    def table(self) -> tuple[pl.DataFrame, tuple[Note, ...]]:
        """The rows, columns `model.MESSAGES`, and what was left out; lines count from 1 without the blank ones."""
        n = len(self._texts)
        if not n:
            return empty_messages(), ()
        lines = pl.DataFrame(
            {
                "text": self._texts,
                "part": self._parts,
                "time": pl.Series(self._times, dtype=pl.Float64),
                "step": pl.Series(self._steps, dtype=pl.Int64),
            }
        ).with_columns(
            pl.int_range(n, dtype=pl.Int64).alias("idx"),
            pl.int_range(1, n + 1, dtype=pl.Int64).alias("line"),
            pl.lit(None, pl.Int32).alias("rank"),
            pl.lit(True).alias("plain"),
        )
        taken, blocks = find_blocks(lines)
        said = lines.filter(~pl.Series(taken) | pl.col("idx").is_in(list(blocks)))
        table, notes = messages(said.drop("step"), lines.select("idx", "step"), blocks)
        # the lines of the console are no records; how far the history went on is told by the steps
        table = table.with_columns(pl.lit(None, dtype=pl.Int64).alias("after"))
        if self._left_out:
            text = f"only the first {MAX_LINES:,} lines of console output were kept"
            notes = [*notes, Note("messages-capped", text, count=self._left_out)]
        return table, tuple(notes)
