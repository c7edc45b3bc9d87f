"""Objects in a file of JSON records, whatever its layout: lines, one array, pretty-printed or run together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

import orjson

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Note
from curvedoc.ingest.json.chunks import CHUNK_BYTES, by_line, rows_by_line
from curvedoc.ingest.json.line import objects, parse_line
from curvedoc.ingest.json.nested_records import nested_records, rows_of
from curvedoc.ingest.json.salvage import one_by_one
from curvedoc.ingest.table.batch import RecordBatch
from curvedoc.ingest.table.keys import is_record

#: A single document above this would cost gigabytes as Python objects.
MAX_DOCUMENT = 1 << 27
_SAMPLE_LINES = 30

_SOMETHING = late_regex(rb"\s*\{")
_DOCUMENT = late_regex(rb'\s*(?:\[\s*(?:[\[{"\]]|$)|\{\s*(?:["}]|$))')


def is_document(data: bytes, whole: bool = True) -> bool:
    """Whether the text is one JSON value (or several over many lines) and not one record a line.

    With `whole` False, `data` is the head of a longer file, and its last line is left out.
    """
    return _is_document(data[: 1 << 16], whole and len(data) <= 1 << 16)


@lru_cache(maxsize=4)  # several readers ask it of the same head
def _is_document(head: bytes, whole: bool) -> bool:
    if not _DOCUMENT.match(head):
        return False
    lines = list(islice(filter(bytes.strip, head.split(b"\n")), _SAMPLE_LINES + 1))
    if len(lines) > 1 and (len(lines) > _SAMPLE_LINES or not whole):
        lines.pop()
    if len(lines) == 1:
        return lines[0].lstrip().startswith(b"[")
    if objects(lines) is not None or parse_line(lines[0].strip())[1] == "record":
        # no document begins with a whole record: what follows it may be a long traceback
        return False
    return 2 * sum(parse_line(line.strip())[1] == "record" for line in lines) < len(lines)


def document(data: bytes) -> Any | None:
    """The one JSON value that the text is (NaN and Infinity allowed), None where it is not or is too large."""
    if len(data) > MAX_DOCUMENT:
        return None
    try:
        return orjson.loads(data)
    except ValueError:
        pass
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def batches(data: bytes) -> Iterator[RecordBatch]:
    """The records of clean text (see `text_bytes`), thousands at a time; damage ends up in the batches' notes."""
    alone = _SOMETHING.match(data) is not None and b"\n" not in data[:CHUNK_BYTES].strip() and b"\n" not in data.strip()
    few = rows_by_line(data) if len(data) < CHUNK_BYTES and not alone else None
    if few is not None:
        yield few
        return
    if not alone and not is_document(data):
        yield from by_line(data)
        return
    value = document(data)
    if isinstance(value, dict):
        rows = rows_of(value)
        yield RecordBatch(rows, range(1, len(rows) + 1))
    elif isinstance(value, list) and (several := nested_records(value)):
        yield RecordBatch(several, range(1, len(several) + 1))
    elif isinstance(value, list):
        flat = [d for e in value for d in (e if isinstance(e, list) else [e])]
        rows = [d for d in flat if isinstance(d, dict)]
        odd = len(flat) - len(rows)
        notes = (Note("damaged", "entries of the array that are no objects were skipped", count=odd),) if odd else ()
        yield RecordBatch(rows, range(1, len(rows) + 1), notes=notes)
    elif len(data) > MAX_DOCUMENT:
        yield RecordBatch([], [], notes=(Note("too-large", "one JSON document of more than 128 MB was not read"),))
    else:
        rows, torn = one_by_one(data.decode("utf-8", "replace"))
        if len(rows) > 1 and not is_record(rows[0]) and is_record(rows[1]):
            rows[0] = {"config": rows[0]}  # what a program prints of its settings ahead of its records
        yield RecordBatch(rows, range(1, len(rows) + 1), notes=torn)
