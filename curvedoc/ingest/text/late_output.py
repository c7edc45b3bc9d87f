"""Whether the lines after the last traceback were printed before it.

What a program prints into a file is held back in blocks of 8 KiB, errors are not: a log of both (`> log 2>&1`) has the
traceback ahead of the last lines, which are written when the process ends. Such a traceback stands where the printed
bytes before it are a whole number of blocks, and less than one block follows it.
"""

from __future__ import annotations

import polars as pl

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.text.tracebacks import HEADER

#: io.DEFAULT_BUFFER_SIZE of Python, by which the C library of pipes and files goes too in most builds.
BLOCK = 8192
#: Warnings go the way of errors: they are no part of the blocks.
_UNHELD = late_regex(r"(?m)^[^\n]*\b[A-Z]\w{0,60}Warning: [^\n]*\n(?:[ \t][^\n]*\n)?")
_INSIDE = (" ", "\t", "During handling of", "The above exception", HEADER)


def held_back(text: str) -> bool:
    """Whether the last traceback of a log stands ahead of output that is older than itself."""
    at = text.rfind(HEADER)
    if at < 0:
        return False
    first = text.find(HEADER)
    before, lines = text[:first], text[first:].split("\n")
    end = _end(lines)
    rest = "\n".join(lines[end:])
    if not rest.strip() or HEADER in rest:
        return False
    printed = len(_UNHELD.sub("", before).encode("utf-8", "replace"))
    return printed % BLOCK == 0 and len(rest.encode("utf-8", "replace")) <= BLOCK


def moved_to_end(messages: pl.DataFrame, last_step: int | None) -> pl.DataFrame:
    """The messages with tracebacks after everything else that was logged."""
    late = pl.col("level") == "TRACEBACK"
    return messages.with_columns(
        pl.when(late).then(pl.lit(last_step, dtype=pl.Int64)).otherwise(pl.col("step")).alias("step"),
        pl.when(late).then(pl.lit(0, dtype=pl.Int64)).otherwise(pl.col("after")).alias("after"),
    )


def _end(lines: list[str]) -> int:
    """The line after the error's own line of the block (with its chained exceptions) that begins at line 0."""
    i = 1
    while i < len(lines):
        line = lines[i]
        if not line.strip() or line.startswith(_INSIDE):
            i += 1
            continue
        follows = next((k for k in range(i + 1, min(i + 4, len(lines))) if lines[k].strip()), None)
        if follows is not None and lines[follows].startswith(_INSIDE[2:4]):
            i = follows + 1
            continue
        return i + 1
    return i
