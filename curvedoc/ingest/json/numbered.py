"""Reader of one file an epoch, as AllenNLP and many loops write them (metrics_epoch_0.json, metrics_epoch_1 ...): JSON,
YAML, or a name and a number a line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from curvedoc.core.late_regex import late_regex
from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note
from curvedoc.ingest.bytes.file import pointer, read_bytes, text_bytes
from curvedoc.ingest.contract import Log
from curvedoc.ingest.json.objects import document
from curvedoc.ingest.table.batch import RecordBatch
from curvedoc.ingest.table.columns import table
from curvedoc.ingest.table.keys import COUNTERS, is_record, records_of
from curvedoc.ingest.table.log import logs_of_table
from curvedoc.ingest.table.values import number

NAME = "json-epochs"
FILES: tuple[str, ...] = ("metrics_epoch_<n>.json",)
ABOUT = "one JSON object a file, numbered by epoch, step or round: AllenNLP's metrics and others of that kind"

#: What the number counts stands before it. seed_1, fold_1 and run_1 are runs of their own.
NUMBERED = late_regex(
    r"(.*?)(epoch|ep|step|iteration|iter|round|ckpt|checkpoint)([ _.-]?)(\d{1,9})(\.(?:json|ya?ml|txt|csv))",
    re.IGNORECASE,
)
#: "loss: 0.5", and so many of them at most.
_PAIR = late_regex(r"([^\W\d][^:=,\n]{0,80}?)\s*[:=,]\s*(\S{1,40})")
_LINES = 100
#: Two files may be a result before and one after.
_FEWEST = 3
#: A folder of a million files is no log, and a record is not a data set.
_MOST, _LARGEST = 100_000, 1 << 16


def claims(path: Path, head: bytes) -> bool:
    """An object with a counter or a metric, in one of several files that differ in the number of their name."""
    if _stem(path.name) is None or len(head) >= _LARGEST:
        return False
    value = _object(head, path.suffix)
    if not isinstance(value, dict) or records_of(value) is not None:
        return False
    if not any(is_record(v) for v in (value, *value.values()) if isinstance(v, dict)):
        return False
    return len(_series(path)) >= _FEWEST


def same_series(one: Path, other: Path) -> bool:
    """Whether the names of two files of one folder differ in nothing but the number."""
    own = _stem(one.name)
    return own is not None and own == _stem(other.name)


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a series, called by the file that stands for it; a file that is no object is left out with a note."""
    return [log for path in paths for log in _read(path)]


def _read(path: Path) -> list[Log]:
    rows: list[dict[str, Any]] = []
    notes: list[Note] = []
    size = 0
    for count, counter, file in _series(path):
        data, told = read_bytes(file, _LARGEST)
        size += len(data)
        stand_in = pointer(data)
        value = None if stand_in else _object(data, file.suffix)
        notes += [*told, *((stand_in,) if stand_in else ())]
        if isinstance(value, dict):
            counted = any(str(k).lower() in COUNTERS for k in value)
            rows.append(value if counted else {counter: count, **value})
        elif stand_in is None:
            notes.append(Note("damaged", "files of the series that hold no whole object were skipped"))
    found = table([RecordBatch(rows, range(1, len(rows) + 1))])
    return logs_of_table(path, NAME, found, size, coalesce(notes))


def _series(path: Path) -> list[tuple[int, str, Path]]:
    """The files of a series by their numbers, with what they count. Links are left out: one may lead anywhere."""
    return sorted(_numbered(path), key=lambda entry: entry[0])[:_MOST]


def _numbered(path: Path) -> Iterator[tuple[int, str, Path]]:
    own = _stem(path.name)
    with os.scandir(path.parent) as scan:
        for entry in scan:
            name = NUMBERED.fullmatch(entry.name)
            if name is None or name.group(1, 2, 3, 5) != own or not entry.is_file(follow_symlinks=False):
                continue
            word = name[2].lower()
            yield int(name[4]), {"ep": "epoch", "ckpt": "step", "checkpoint": "step"}.get(word, word), Path(entry.path)


def _object(data: bytes, suffix: str) -> Any:
    """The object in a file: JSON, YAML, a name and a number a line, or one row below its names."""
    clean = text_bytes(data)[0]
    if suffix.lower() == ".json":
        return document(clean)
    text = clean.decode("utf-8", "replace")
    lines = [r.strip() for r in text.split("\n") if r.strip()]
    if suffix.lower() == ".csv" and len(lines) == 2 and lines[0].count(",") > 1:
        names, cells = (r.split(",") for r in lines)
        pairs = list(zip(names, cells, strict=False)) if len(names) == len(cells) else []
    else:
        pairs = [(m[1], m[2]) for m in map(_PAIR.fullmatch, lines) if m is not None]
        if len(pairs) < len(lines) - (suffix.lower() == ".csv") or len(lines) > _LINES:
            return None
    found = {name.strip(" \"'"): value for name, cell in pairs if (value := number(cell.strip(" \"'"))) is not None}
    return found or None


def _stem(name: str) -> tuple[str, ...] | None:
    """What the names of a series have in common, None for the name of no such file."""
    said = NUMBERED.fullmatch(name)
    return None if said is None else said.group(1, 2, 3, 5)
