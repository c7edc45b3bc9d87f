"""Records of a file with one record a line, many lines at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from curvedoc.core.run import Note
from curvedoc.ingest.json import bulk as json_bulk
from curvedoc.ingest.json.line import parse_line
from curvedoc.ingest.table.batch import Loose, RecordBatch, Row

#: Lines of about this many bytes are joined into one array, so that one call into C parses thousands of them.
#: More of them would not stay in the processor's cache until their columns are made.
CHUNK_BYTES = 1 << 18
#: Of long lines at least so many, up to BULK_BYTES: what is laid out by chunks costs its time for each column of each.
CHUNK_LINES = 64
#: From the first lines the keys and types of the next ones are known, mostly.
FIRST_BYTES = 1 << 16
#: As columns, this much at a time, and to begin with: what fails is parsed once more.
BULK_BYTES = 1 << 23
TRIAL_BYTES = 1 << 20
#: After a failure, so many chunks are parsed by rows and looked at.
_AGAIN = 4
#: Lines with NaN or Infinity are parsed apart where they are less than one in so many; else all of them are.
_FEW = 4
#: No record of scalars is longer; a line that is was meant for something else.
MAX_LINE = 1 << 26
_LINE_END, _COLON = b"\n:"


def by_line(data: bytes) -> Iterator[RecordBatch]:
    """The records of clean text with a record a line, in order.

    The keys and types of records that were parsed one by one say how to parse the next ones as columns. Where that
    fails, the same lines are parsed one by one and looked at again; where it goes on failing, less and less often.
    """
    start, line = 0, 1
    schema: json_bulk.Schema | None = None
    by_rows, again = 1, 1  # chunks to be parsed by rows from here on, and after the next failure
    # a list's entries are columns in the order in which a chunk has them, and never come in bulk
    brief = len(data) > CHUNK_BYTES and data.find(b"[", 0, CHUNK_BYTES) < 0
    by_row_bytes, bulk_bytes = FIRST_BYTES if brief else CHUNK_BYTES, TRIAL_BYTES
    while start < len(data):
        bulk = schema is not None and by_rows <= 0
        cut = data.find(b"\n", min(start + (bulk_bytes if bulk else by_row_bytes), len(data)))
        end = len(data) if cut < 0 else cut + 1
        body = data[start : end - 1 if cut >= 0 else end]
        inside = json_bulk.count(body, _LINE_END)
        found: RecordBatch | None = None
        if len(body) < MAX_LINE:
            if bulk and schema is not None:
                records = body.rstrip(b"\n")
                lines = inside + 1 - (len(body) - len(records))
                columns = json_bulk.bulk_of(records, lines, schema)
                if columns is None:
                    by_rows, again, bulk_bytes = max(again, _AGAIN), 2 * again, TRIAL_BYTES
                    continue
                found, again, bulk_bytes = RecordBatch([], range(line, line + lines), bulk=columns), 1, BULK_BYTES
            else:
                found = _joined(body, inside + 1, line)
        if not bulk:
            lines_long = CHUNK_LINES * (end - start) // (inside + 1)
            by_rows, by_row_bytes = by_rows - 1, max(CHUNK_BYTES, min(lines_long, BULK_BYTES))
            if found is not None and by_rows < _AGAIN and end < len(data):
                schema = json_bulk.joined(schema, json_bulk.schema_of(found.rows))
                if schema is None and by_rows <= 0:
                    by_rows, again = again, 2 * again
        yield found or _line_by_line(data[start:end], line, start, last=end == len(data))
        line += inside + (cut >= 0)
        start = end


def rows_by_line(data: bytes) -> RecordBatch | None:
    """The records of a short text that is nothing but several objects, one a line; None of any other text."""
    lines = data.count(b"\n")
    if lines < 2 or not data.startswith(b"{") or not data.endswith(b"}\n"):
        return None
    return _joined(data[:-1], lines, 1)


def _joined(chunk: bytes, lines: int, line: int) -> RecordBatch | None:
    """The records of `lines` lines, parsed in one go; None where that cannot be."""
    body = chunk.rstrip()
    n = lines - chunk.count(b"\n", len(body))
    joined = b"".join((b"[", body.replace(b"\n", b","), b"]"))
    try:
        rows = orjson.loads(joined)
    except ValueError:
        rows = _with_literals(body, joined, n)
    # Two broken lines can fuse into one object: only as many objects as lines proves that none did.
    if not isinstance(rows, list) or len(rows) != n or set(map(type, rows)) != {dict}:
        return None
    return RecordBatch(rows, range(line, line + n), notes=_twice(joined, rows))


def _line_by_line(chunk: bytes, line: int, offset: int, last: bool) -> RecordBatch:
    rows: list[Row] = []
    lines: list[int] = []
    loose: list[Loose] = []
    notes: list[Note] = []
    at = offset
    parts = chunk.split(b"\n")
    for i, raw in enumerate(parts):
        stripped = raw.strip()
        if len(stripped) > MAX_LINE:
            notes.append(Note("too-large", "lines of more than 64 MB were skipped", line + i, at))
        elif stripped:
            found, verdict = parse_line(stripped)
            torn = last and i == len(parts) - 1 and verdict in ("damaged", "odd")
            if torn and not found:
                notes.append(Note("truncated", "the file ends inside a record", line + i, at))
            elif verdict == "damaged":
                notes.append(Note("damaged", "broken records were skipped", line + i, at))
            elif verdict == "text":
                loose.append(Loose(line + i, raw.decode("utf-8", "replace").rstrip(), len(rows)))
            elif verdict == "odd":
                notes.append(Note("damaged", "lines that are JSON but no objects were skipped", line + i, at))
            rows += found
            lines += [line + i] * len(found)
        at += len(raw) + 1
    return RecordBatch(rows, lines, loose, tuple(notes))


def _with_literals(body: bytes, joined: bytes, lines: int) -> list[Any] | None:
    """The values of all lines where NaN or Infinity kept the strict parser from them; None where other damage did.

    A few lines with such words are parsed apart from the rest, by the slower parser that takes them.
    """
    apart = {}
    for word in (b"NaN", b"Infinity"):
        at = body.find(word)
        while at >= 0:
            end = body.find(b"\n", at)
            end = len(body) if end < 0 else end
            apart[body.rfind(b"\n", 0, at) + 1] = end
            at = body.find(word, end)
    if not apart:
        return None
    try:
        if _FEW * len(apart) > lines:
            rows: list[Any] = json.loads(joined.decode("utf-8", "replace"))
            return rows
        return _around(body, sorted(apart.items()))
    except (ValueError, RecursionError):
        return None


def _around(body: bytes, apart: Sequence[tuple[int, int]]) -> list[Any]:
    """The values of all lines, those `apart` (start, end) by Python's parser; ValueError where a line is no value."""
    pieces: list[bytes] = []
    values: dict[int, Any] = {}
    at = line = 0
    for start, end in apart:
        line += body.count(b"\n", at, start)
        values[line] = json.loads(body[start:end].decode("utf-8", "replace"))
        pieces += (body[at:start], b"0")
        at = end
    pieces.append(body[at:])
    rows: list[Any] = orjson.loads(b"".join((b"[", b"".join(pieces).replace(b"\n", b","), b"]")))
    if len(rows) <= line:
        raise ValueError("fewer values than lines")
    for i, value in values.items():
        rows[i] = value
    return rows


def _twice(joined: bytes, rows: Sequence[Row]) -> tuple[Note, ...]:
    """A note where a key stands twice in one record: the parser keeps the last without a word."""
    if json_bulk.count(joined, _COLON) <= sum(map(len, rows)):
        return ()
    try:
        kept = orjson.dumps(rows).count(b'":')
    except (TypeError, ValueError):  # an integer past 64 bits
        return ()
    if joined.count(b'":') <= kept:
        return ()
    twice = 0

    def pairs(items: list[tuple[str, Any]]) -> Row:
        nonlocal twice
        made = dict(items)
        twice += len(items) - len(made)
        return made

    json.loads(joined.decode("utf-8", "replace"), object_pairs_hook=pairs)
    return (
        (Note("duplicate-keys", "keys that stand twice in a record: the last was taken", count=twice),) if twice else ()
    )
