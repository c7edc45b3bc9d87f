"""Scalars as TensorBoard's page gives them away: a JSON list of [wall time, step, value], called as the file is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from curvedoc.core.late_regex import late_regex
from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note
from curvedoc.ingest.bytes.compression import unpacked_name
from curvedoc.ingest.bytes.file import read_text
from curvedoc.ingest.contract import Log
from curvedoc.ingest.table.curve import LogCurve, points_of

NAME = "scalar-json"
FILES: tuple[str, ...] = ("*.json",)
ABOUT = "TensorBoard's JSON downloads: a list of wall time, step and value, called as the file is"

_NUMBER = rb"-?\d{1,20}(?:\.\d{0,25})?(?:[eE][-+]?\d{1,3})?|\"?NaN\"?|\"?-?Infinity\"?"
_ROW = late_regex(rb"\[\s*(%b)\s*,\s*(\d{1,18})(?:\.0)?\s*,\s*(%b)\s*\]" % (_NUMBER, _NUMBER))
_OPENED = late_regex(rb"\s*\[\s*\[")
#: "run-exp1_train-tag-loss.json"
_TAGGED = late_regex(r"^run-.*-tag-")
#: A wall time is in seconds since 1970, later than 2001.
_FIRST_TIME = 1e9
#: Fewer rows are a matrix of three columns.
_ROWS = 3


def claims(path: Path, head: bytes) -> bool:
    """A list of lists of three numbers, whose first are times and whose second counts."""
    if not _OPENED.match(head) or not unpacked_name(path.name.lower()).endswith(".json"):
        return False
    rows = _ROW.findall(head[:4096])
    times, steps = [_float(t) for t, _, _ in rows], [int(s) for _, s, _ in rows]
    return len(rows) >= _ROWS and min(times) > _FIRST_TIME and steps == sorted(steps)


def read(paths: Sequence[Path]) -> list[Log]:
    """One log of one metric per file."""
    return [_read(path) for path in paths]


def _read(path: Path) -> Log:
    data, notes = read_text(path)
    rows = _ROW.findall(data)
    told = list(notes)
    opened = data.count(b"[") - 1
    if opened > len(rows):
        told.append(Note("damaged", "entries that are no time, step and value were left out", count=opened - len(rows)))
    elif not data.rstrip().endswith(b"]]"):
        told.append(Note("truncated", "the file ends inside the list"))
    time, step, value = (np.array([_float(r[i]) for r in rows], dtype=np.float64) for i in range(3))
    name = _TAGGED.sub("", Path(unpacked_name(path.name)).stem)
    curve = replace(LogCurve.plain(name, step, value), time=time)
    return Log(path, NAME, data=points_of([curve]), notes=coalesce(told), bytes=len(data))


def _float(cell: bytes) -> float:
    return float(cell.strip(b'"'))
