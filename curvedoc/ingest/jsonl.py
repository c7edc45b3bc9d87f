"""Reader of JSON records: one a line, in one array, pretty-printed, or wrapped by a logging library."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from curvedoc.ingest.contract import Log
from curvedoc.ingest.json_axis import EPOCH_KEYS, SAMPLE_KEYS, STEP_KEYS
from curvedoc.ingest.json_line import parse_line
from curvedoc.ingest.json_log import log_of
from curvedoc.ingest.json_messages import is_logging
from curvedoc.ingest.json_rows import batches, document, is_document, text_bytes
from curvedoc.ingest.opening import pointer, read_bytes

NAME = "jsonl"

_LINE_NAMES = (".jsonl", ".ndjson", ".jsonlines", ".log.json")
_COUNTERS = frozenset((*STEP_KEYS, *EPOCH_KEYS, *SAMPLE_KEYS, "_step"))
#: Words of metrics: a record without a counter is still a log's if it holds one of these.
_METRIC = re.compile(
    r"loss|acc|(^|[_/])lr($|[_/])|learning_rate|grad|reward|ppl|perplex|metric|auc|(^|[_/])(f1|mse|mae|bleu|wer)"
)
_SAMPLE = 50


def claims(path: Path, head: bytes) -> bool:
    """Whether the head is mostly JSON records that have a counter or a metric, whatever the file's name."""
    clean, _ = text_bytes(head)
    if is_document(clean, whole=len(head) < 1 << 16):
        return _array_of_records(clean)
    lines = [line.strip() for line in clean.split(b"\n") if line.strip()]
    if len(lines) > 1 and len(head) >= 1 << 16:
        lines.pop()
    named = path.name.lower().removesuffix(".gz").removesuffix(".zst").endswith(_LINE_NAMES)
    # A fairseq log opens with pages of settings, so a text log is looked at to the end of its head.
    sample = lines[:_SAMPLE]
    parsed = [parse_line(line) for line in sample]
    rows = [row for found, _ in parsed for row in found]
    if 2 * sum(bool(found) for found, _ in parsed) < len(sample) and not (named and rows):
        rows = [row for line in lines if b'| {"' in line for row in parse_line(line)[0]]
        return len(rows) >= 3 and any(_is_record(row) for row in rows)
    if len(lines) == 1 and not named:
        return any(_has_counter(row) for row in rows)
    return any(_is_record(row) for row in rows)


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file; what is no record becomes a message or a note."""
    return [_read(path) for path in paths]


def _read(path: Path) -> Log:
    data, notes = read_bytes(path)
    size = len(data)
    stand_in = pointer(data)
    if stand_in is not None:
        return Log(path, NAME, notes=(*notes, stand_in), bytes=size)
    clean, more = text_bytes(data)
    return log_of(path, NAME, batches(clean), size, (*notes, *more))


def _array_of_records(clean: bytes) -> bool:
    """Whether a document's head shows an array of records, or pretty-printed records one after the other."""
    start = clean.lstrip()
    if not start.startswith(b"["):
        value = document(clean)
        if value is not None:  # one object alone is a configuration or a summary
            return False
    found = _first_object(start.lstrip(b"[ \n\t"))
    return found is not None and _is_record(found)


def _first_object(text: bytes) -> dict[str, Any] | None:
    import json

    try:
        value, _ = json.JSONDecoder().raw_decode(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _is_record(row: dict[str, Any]) -> bool:
    keys = [str(k).lower() for k in row]
    if is_logging(frozenset(row)) or ("value" in keys and any(k in keys for k in ("name", "metric", "tag", "key"))):
        return True
    return _has_counter(row) or any(
        _METRIC.search(k) and not isinstance(v, str) for k, v in zip(keys, row.values(), strict=True)
    )


def _has_counter(row: dict[str, Any]) -> bool:
    return any(str(k).lower() in _COUNTERS and isinstance(v, (int, float, str)) for k, v in row.items())
