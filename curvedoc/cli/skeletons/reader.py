"""The skeleton of a reader."""

from __future__ import annotations

READER = '''\
"""Reader of @WORDS@ logs: say here who writes them.

A reader never raises for the data: a damaged file gives its good part and a note. Put the module into the entry point
group `curvedoc.readers`, or (inside curvedoc) into `ingest/registry.py`, the specific before the generic.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from curvedoc.core.run import POINTS, Note
from curvedoc.ingest.bytes.file import decode, read_bytes
from curvedoc.ingest.contract import Log

NAME = "@NAME@"
FILES = ("*.@NAME@",)
ABOUT = "@WORDS@ logs: `@120 loss=2.31 lr=0.01`"

#: One record: the step, then names with their values.
_RECORD = re.compile(r"@(\\d+)\\s+(.*)")
_VALUE = re.compile(r"([A-Za-z_][\\w./-]*)=(\\S+)")


def claims(path: Path, head: bytes) -> bool:
    """Whether the file is such a log, from its name and its first 64 KiB alone."""
    first = head.split(b"\\n", 1)[0].decode("utf-8", "replace")
    return _RECORD.fullmatch(first.strip()) is not None


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file."""
    return [_read(path) for path in paths]


def _read(path: Path) -> Log:
    data, notes = read_bytes(path)
    text, more = decode(data)
    rows: list[tuple[str, int, float]] = []
    bad = 0
    for line in text.splitlines():
        record = _RECORD.fullmatch(line.strip())
        if record is None:
            bad += bool(line.strip())
            continue
        for name, value in _VALUE.findall(record[2]):
            try:
                rows.append((name, int(record[1]), float(value)))
            except (ValueError, OverflowError):
                bad += 1
    told = (Note("garbage-lines", "lines that are no records were skipped", count=bad),) if bad else ()
    points = pl.DataFrame(rows, schema={n: POINTS[n] for n in ("metric", "step", "value")}, orient="row")
    points = points.select(
        "metric",
        "step",
        "value",
        pl.lit(None, POINTS["time"]).alias("time"),
        pl.lit(0, POINTS["rank"]).alias("rank"),
        pl.lit(0, POINTS["flags"]).alias("flags"),
    )
    return Log(path, NAME, points, notes=(*notes, *more, *told), bytes=len(data))
'''


def reader_skeleton(name: str) -> str:
    """The text of a reader's module, which reads the logs that its own ABOUT shows."""
    return READER.replace("@NAME@", name).replace("@WORDS@", name.replace("_", " "))
