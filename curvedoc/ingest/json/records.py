"""Reader of JSON records: one a line, in one array, pretty-printed, or wrapped by a logging library."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.bytes.file import clean_head, pointer, read_text, text_bytes
from curvedoc.ingest.contract import Log
from curvedoc.ingest.json.line import objects, parse_line
from curvedoc.ingest.json.nested_records import MAX_DEPTH, nested_records
from curvedoc.ingest.json.objects import batches, document, is_document
from curvedoc.ingest.table.batch import RecordBatch
from curvedoc.ingest.table.columns import table
from curvedoc.ingest.table.inference.proof import is_log
from curvedoc.ingest.table.inference.samples import counted, of_runs, why_samples
from curvedoc.ingest.table.keys import COUNTERS, is_record, records_of
from curvedoc.ingest.table.log import logs_of_table

NAME = "jsonl"
FILES: tuple[str, ...] = ("*.jsonl", "*.ndjson", "*.json", "*.log")
ABOUT = "JSON records: one a line, in an array, pretty-printed, or wrapped by loguru or structlog"

_LINE_NAMES = (".jsonl", ".ndjson", ".jsonlines", ".log.json")
_SAMPLE = 50
#: A string that never ends is one to the end: looked for anew from each of its quotes, it would take for ever.
_TOKEN = late_regex(rb'"(?:[^"\\]|\\.?)*+(?:"|\Z)|[{}\[\]]')
_FIRST = late_regex(rb"\s*\{")


def claims(path: Path, head: bytes) -> bool:
    """Whether the head is mostly JSON records that have a counter or a metric, whatever the file's name."""
    if b"{" not in head or head.startswith(b":::ML"):  # MLPerf's lines are a text log's
        return False
    clean = clean_head(head)
    if is_document(clean, whole=len(head) < 1 << 16):
        return shows_records(clean)
    # A progress bar rewrites its line: a run's settings printed as JSON with one bar behind them are two lines to "\n",
    # and where each record stands behind one the lines are a console's.
    shown = list(filter(None, map(bytes.strip, clean.split(b"\n"))))
    lines = list(filter(None, map(bytes.strip, clean.replace(b"\r", b"\n").split(b"\n"))))
    if len(lines) > len(shown) and 2 * sum(map(_opens, shown)) < len(shown):
        return False
    if len(lines) > 1 and len(head) >= 1 << 16:
        lines.pop()
    named = path.name.lower().removesuffix(".gz").removesuffix(".zst").endswith(_LINE_NAMES)
    # A fairseq log opens with pages of settings, so a text log is looked at to the end of its head.
    sample = lines[:_SAMPLE]
    rows = objects(sample) or []
    parsed = [[row] for row in rows] if rows else [parse_line(line)[0] for line in sample]
    rows = [row for found in parsed for row in found]
    if 2 * sum(map(bool, parsed)) < len(sample) and not (named and rows):
        rows = [row for line in lines if b'| {"' in line for row in parse_line(line)[0]]
        return len(rows) >= 3 and any(is_record(row) for row in rows)
    if len(lines) == 1 and not named:
        return any(
            COUNTERS & {k.lower() for k, v in row.items() if not isinstance(v, list)} or records_of(row) for row in rows
        )
    return any(is_record(row) for row in rows) and not _samples(rows)


def _opens(line: bytes) -> bool:
    """Whether a line begins with a record, or with what a logger puts ahead of one."""
    return line.startswith((b"{", b"[")) or (b'{"' in line and b"\r" not in line)


def _samples(rows: list[dict[str, Any]]) -> bool:
    """Whether the records are things rather than moments: predictions, data, results of many runs."""
    keys = list(map(str, dict.fromkeys(chain.from_iterable(rows))))
    return (of_runs(keys) or not counted(keys)) and bool(
        why_samples(table([RecordBatch(rows, range(1, len(rows) + 1))]))
    )


def guesses(path: Path, head: bytes, named: bool) -> bool:
    """Whether records of unknown keys are a log by their values. named: the file was given by name."""
    if b"{" not in head[: 1 << 12] or head.startswith(b":::ML"):
        return False
    clean = clean_head(head)
    if len(head) >= 1 << 16:
        clean = clean[: clean.rfind(b"\n") + 1] or clean
    found = table(batches(clean))
    return found.rows > 0 and not found.messages and is_log(found, named)


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file or training; what is no record becomes a message or a note."""
    return [log for path in paths for log in _read(path)]


def read_mapped(paths: Sequence[Path], columns: Mapping[str, str]) -> list[Log]:
    """As `read`; columns: which key holds the step, the time, names, values or splits."""
    return [log for path in paths for log in _read(path, columns)]


def _read(path: Path, columns: Mapping[str, str] | None = None) -> list[Log]:
    data, notes = read_text(path, by_line=_by_line)
    size = len(data)
    stand_in = pointer(data)
    if stand_in is not None:
        return [Log(path, NAME, notes=(*notes, stand_in), bytes=size)]
    clean, more = text_bytes(data)
    return logs_of_table(path, NAME, table(batches(clean)), size, (*notes, *more), columns=columns)


def _by_line(head: bytes) -> bool:
    """Whether the head is one of a record a line; a single endless line is none."""
    clean = clean_head(head)
    return not is_document(clean, whole=False) and b"\n" in clean


def shows_records(clean: bytes) -> bool:
    """Whether a document's head shows an array of records, pretty-printed records, or an object around an array."""
    start = clean.lstrip()
    if start.startswith(b"{"):
        value = document(clean)
        if value is not None:  # one object alone is a configuration or a summary
            return records_of(value) is not None or bool(nested_records(value))
        inside = _array_inside(start)
        start = start[inside:] if inside is not None else start
    elif b"[" in start[1:] and (value := document(clean)) is not None and nested_records(value):
        return True
    found = _first_object(start.lstrip(b"[ \n\t"))
    return found is not None and (is_record(found) or _records_follow(start))


def _records_follow(start: bytes) -> bool:
    """Whether records stand one a line behind a pretty-printed object of settings."""
    at = start.find(b"\n}")
    after = start[at + 2 :].lstrip() if at >= 0 else b""
    lines = [line for line in after.split(b"\n", _SAMPLE)[:_SAMPLE] if line.strip()]
    rows = objects(lines[:-1] if len(lines) > 1 else lines)
    return any(map(is_record, rows or ()))


def _array_inside(start: bytes) -> int | None:
    """Where the first object of an array stands that the opening object holds as a field, or some levels below."""
    open_: list[bytes] = []
    for token in _TOKEN.finditer(start):
        sign = token[0]
        if sign == b"[" and 0 < len(open_) <= MAX_DEPTH and b"[" not in open_:
            first = _FIRST.match(start, token.end())
            if first is not None:
                return first.end() - 1
        if sign in (b"{", b"["):
            open_.append(sign)
        elif sign in (b"}", b"]"):
            if len(open_) < 2:  # the object ends here; what follows is another one
                return None
            open_.pop()
    return None


def _first_object(text: bytes) -> dict[str, Any] | None:
    try:
        value, _ = json.JSONDecoder().raw_decode(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
