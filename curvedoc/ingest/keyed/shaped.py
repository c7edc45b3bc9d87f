"""Reader of JSON that names its columns apart from their values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note
from curvedoc.ingest.bytes.file import HEAD_BYTES, decode, decoded_head, read_text
from curvedoc.ingest.contract import Log
from curvedoc.ingest.json.columns import logs_of
from curvedoc.ingest.keyed.shapes import Columns, columns_of, comment_ahead

NAME = "json-tables"
FILES: tuple[str, ...] = ("*.json",)
ABOUT = "JSON that names its columns apart from their values: frames split in three, rows below names, charts"

#: A chart of more is no one's.
_MOST = 16 << 20


def claims(path: Path, head: bytes) -> bool:
    """Whether a JSON document is such a table, with a metric among its names."""
    if not path.name.lower().removesuffix(".gz").endswith((".json", ".jsonl", ".txt", ".log")):
        return False
    first = head.split(b"\n", 1)[0].strip()
    if len(head) >= HEAD_BYTES and first.startswith(b"{") and first.endswith(b"}"):  # a record a line
        return False
    if len(head) >= HEAD_BYTES:
        head, _ = read_text(path, _MOST, by_line=lambda _: False)
    return _columns(decoded_head(head)) is not None


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file or training."""
    return [log for path in paths for log in _read(path)]


def _read(path: Path) -> list[Log]:
    data, notes = read_text(path, _MOST, by_line=lambda _: False)
    text, more = decode(data)
    found = _columns(text)
    if found is None:
        told = coalesce([*notes, *more, Note("not-a-log", "no table in it")])
        return [Log(path, NAME, notes=told, bytes=len(data))]
    return logs_of(path, NAME, found, len(data), (*notes, *more))


def _columns(text: str) -> Columns | None:
    said, rest = comment_ahead(text.lstrip("\ufeff \n\r\t"))
    return columns_of(_value(rest), said)


def _value(text: str) -> Any:
    """The document, or the rows of one a line."""
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    if text.lstrip()[:1] == "[" and "\n[" in text:
        with suppress(ValueError, RecursionError):
            return [json.loads(line) for line in text.split("\n") if line.strip()]
    return None
