"""One line of a JSON log that a plain parser may refuse: prefixes, Python literals, glued and torn records."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Literal

import orjson

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.table.values import moment, split_of

#: "record": all of the line was taken; "damaged": a part of a record is lost; "odd": JSON, but no object;
#: "text": no JSON at all.
Verdict = Literal["record", "damaged", "odd", "text"]

_LITERAL = late_regex(r"(?<=[:,\[\s])(-?)(nan|NAN|inf|INF|None|True|False)(?=\s*[,}\]])")
_SPELLED = {"nan": "NaN", "inf": "Infinity", "none": "null", "true": "true", "false": "false"}
_GLUED = late_regex(rb"\}\s*,?\s*\{")
_SETTINGS = late_regex(rb"config|args|param|option|namespace|setting", re.IGNORECASE)
#: "global_step 120: {...}"
_COUNTED = late_regex(
    r"(?i)(?:^|[\s|(\[])(global[_ ]?step|step|iter(?:ation)?|epoch)[\s:=#]{1,3}(\d{1,15})[\s:=)\]>|-]*$"
)
#: A prefix is a logger's head (time, level, name), not prose.
_MAX_PREFIX = 200


def parse_line(line: bytes) -> tuple[list[dict[str, Any]], Verdict]:
    """The records of one stripped line, and what the line was."""
    value = _loads(line)
    if isinstance(value, dict):
        return [value], "record"
    if isinstance(value, list):
        rows = [v for v in value if isinstance(v, dict)]
        return rows, "record" if rows else "odd"
    if value is not None:
        return [], "text" if isinstance(value, str) else "odd"
    if not line.startswith(b"{"):
        return _prefixed(line)
    if _GLUED.search(line):
        rows = _glued(line.decode("utf-8", "replace"))
        if rows:
            return rows, "record"
    if line.endswith(b"}"):
        value = _loads(_loosened(line))
        if isinstance(value, dict):
            return [value], "record"
        # Two writers met on one line, or a restarted one went on behind a torn record: the last object is whole.
        value = _loads(line[line.rfind(b'{"') :])
        if isinstance(value, dict) and len(value) > 1:
            return [value], "damaged"
    return [], "damaged"


def objects(lines: Sequence[bytes]) -> list[dict[str, Any]] | None:
    """The objects that so many lines are, parsed in one call; None where a line may be something else."""
    try:
        rows = orjson.loads(b"".join((b"[", b",".join(lines), b"]")))
    except ValueError:
        return None
    return rows if len(rows) == len(lines) and set(map(type, rows)) == {dict} else None


def _loads(line: bytes) -> Any:
    """The line's JSON value with NaN and Infinity allowed, None where it is none."""
    try:
        return orjson.loads(line)
    except ValueError:
        pass
    try:
        return json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _prefixed(line: bytes) -> tuple[list[dict[str, Any]], Verdict]:
    """fairseq's `time | INFO | train_inner | {...}`: the prefix gives the record its time, its split, its counter."""
    at = line.find(b'{"')
    if not 0 < at <= _MAX_PREFIX or not line.endswith(b"}") or _SETTINGS.search(line, 0, at):
        return [], "text"
    value = _loads(line[at:])
    if not isinstance(value, dict):
        return [], "text"
    counted = _COUNTED.search(line[:at].decode("utf-8", "replace"))
    if counted is not None:
        value.setdefault(counted[1].lower().replace(" ", "_"), int(counted[2]))
    parts = [p.strip() for p in line[:at].decode("utf-8", "replace").split("|")]
    parts = [p for p in parts if p]
    split = split_of(parts[-1]) if parts else None
    if split:
        value.setdefault("mode", split)
    if parts and moment(parts[0]) is not None:
        value.setdefault("timestamp", parts[0])
    return [value], "record"


def _glued(text: str) -> list[dict[str, Any]]:
    decoder = json.JSONDecoder()
    rows = []
    at = 0
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict):
            return []
        rows.append(value)
        while at < len(text) and text[at] in " \t,":
            at += 1
    return rows


def _loosened(line: bytes) -> bytes:
    """The line with Python's words in JSON's spelling; quotes are swapped where only single ones stand."""
    text = line.decode("utf-8", "replace")
    if '"' not in text:
        text = text.replace("'", '"')
    return _LITERAL.sub(lambda m: m[1] + _SPELLED[m[2].lower()], text).encode()
