"""Objects in a file of JSON records, whatever its layout: lines, one array, pretty-printed or run together."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from curvedoc.ingest.json_keys import unwrapped
from curvedoc.ingest.json_line import parse_line
from curvedoc.ingest.json_salvage import one_by_one
from curvedoc.ingest.opening import decode
from curvedoc.model import Note

Row = dict[str, Any]

#: Lines of about this many bytes are joined into one array, so that one call into C parses thousands of them.
#: More of them would not stay in the processor's cache until their columns are made.
CHUNK_BYTES = 1 << 18
#: Lines with NaN or Infinity are parsed apart where they are less than one in so many; else all of them are.
_FEW = 4
#: A single document above this would cost gigabytes as Python objects.
MAX_DOCUMENT = 1 << 27
#: No record of scalars is longer; a line that is was meant for something else.
MAX_LINE = 1 << 26
_SAMPLE_LINES = 30
_LINE_END, _COLON = b"\n:"

_SOMETHING = re.compile(rb"\s*\{")
_DOCUMENT = re.compile(rb'\s*(?:\[\s*(?:[\[{"\]]|$)|\{\s*(?:["}]|$))')


@dataclass(frozen=True, slots=True)
class Loose:
    """A line that is no record: what a program printed between them. `before` counts the batch's rows ahead of it."""

    line: int
    text: str
    before: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Records in file order with their 1-based lines (record numbers inside one document), and what lay between."""

    rows: Sequence[Row]
    lines: Sequence[int]
    loose: Sequence[Loose] = ()
    notes: tuple[Note, ...] = ()


def text_bytes(data: bytes) -> tuple[bytes, tuple[Note, ...]]:
    """The file as clean UTF-8 with "\\n" as line end; plain ASCII passes untouched."""
    if data.isascii() and b"\r" not in data and b"\x00" not in data:
        return data, ()
    text, notes = decode(data)
    return text.encode(), notes


def is_document(data: bytes, whole: bool = True) -> bool:
    """Whether the text is one JSON value (or several over many lines) and not one record a line.

    With `whole` False, `data` is the head of a longer file, and its last line is left out.
    """
    lines = [line for line in data[: 1 << 16].split(b"\n") if line.strip()]
    if len(lines) > 1 and (not whole or len(data) > 1 << 16):
        lines.pop()
    lines = lines[:_SAMPLE_LINES]
    if not lines or not _DOCUMENT.match(data):
        return False
    if len(lines) == 1:
        return lines[0].lstrip().startswith(b"[")
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


def batches(data: bytes) -> Iterator[Batch]:
    """The records of clean text (see `text_bytes`), thousands at a time; damage ends up in the batches' notes."""
    alone = (
        _SOMETHING.match(data) is not None and b"\n" not in data[:CHUNK_BYTES].lstrip() and b"\n" not in data.strip()
    )
    if not alone and not is_document(data):
        yield from _by_line(data)
        return
    value = document(data)
    if isinstance(value, dict):
        rows = unwrapped(value)
        yield Batch(rows, range(1, len(rows) + 1))
    elif isinstance(value, list):
        flat = [d for e in value for d in (e if isinstance(e, list) else [e])]
        rows = [d for d in flat if isinstance(d, dict)]
        odd = len(flat) - len(rows)
        notes = (Note("damaged", "entries of the array that are no objects were skipped", count=odd),) if odd else ()
        yield Batch(rows, range(1, len(rows) + 1), notes=notes)
    elif len(data) > MAX_DOCUMENT:
        yield Batch([], [], notes=(Note("too-large", "one JSON document of more than 128 MB was not read"),))
    else:
        rows, torn = one_by_one(data.decode("utf-8", "replace"))
        yield Batch(rows, range(1, len(rows) + 1), notes=torn)


def _by_line(data: bytes) -> Iterator[Batch]:
    start, line = 0, 1
    while start < len(data):
        cut = data.find(b"\n", min(start + CHUNK_BYTES, len(data)))
        end = len(data) if cut < 0 else cut + 1
        body = data[start : end - 1 if cut >= 0 else end]
        inside = _count(body, _LINE_END)
        found = _joined(body, inside + 1, line) if len(body) < MAX_LINE else None
        yield found or _line_by_line(data[start:end], line, start, last=end == len(data))
        line += inside + (cut >= 0)
        start = end


def _joined(chunk: bytes, lines: int, line: int) -> Batch | None:
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
    return Batch(rows, range(line, line + n), notes=_twice(joined, rows))


def _count(data: bytes, byte: int) -> int:
    """How often a byte occurs; bytes.count is slow where it occurs often."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == byte))


def _line_by_line(chunk: bytes, line: int, offset: int, last: bool) -> Batch:
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
    return Batch(rows, lines, loose, tuple(notes))


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
    if _count(joined, _COLON) <= sum(map(len, rows)):
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
