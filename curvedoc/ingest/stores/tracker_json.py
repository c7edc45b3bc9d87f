"""Reader of the JSON that trackers leave behind offline: Comet's messages, Neptune's operations, ClearML's metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note, Scalar
from curvedoc.ingest.bytes.file import pointer, read_text, text_bytes
from curvedoc.ingest.contract import Log
from curvedoc.ingest.table.batch import RecordBatch, Row
from curvedoc.ingest.table.log import log_of

NAME = "tracker-json"
FILES: tuple[str, ...] = ("messages.json", "data-*.log", "metrics.jsonl")
ABOUT = "what Comet, Neptune and ClearML keep offline: metrics and parameters as JSON"

_SIGNS = (b'"metric_msg"', b'"training_stats_scalar"', b'"LogFloats"')
_OPENINGS = (b'{"payload":{', b'{"obj": {"type": "', b'{"obj":{"type":"')
#: What Neptune keeps of the machine.
_MACHINE = ("sys", "monitoring")


def claims(path: Path, head: bytes) -> bool:
    """Whether the head holds a message of one of the three."""
    return head[:1] in (b"{", b"[") and (any(sign in head for sign in _SIGNS) or head.startswith(_OPENINGS))


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file."""
    return [_read(path) for path in paths]


def _read(path: Path) -> Log:
    data, notes = read_text(path)
    stand_in = pointer(data)
    if stand_in is not None:
        return Log(path, NAME, notes=(*notes, stand_in), bytes=len(data))
    clean, more = text_bytes(data)
    told = [*notes, *more]
    rows: list[Row] = []
    config: dict[str, Scalar] = {}
    for message in _messages(clean, told):
        for kept in (_comet(message, config), _neptune(message, config), _clearml(message)):
            rows += kept
    log = log_of(path, NAME, [RecordBatch(rows, range(1, len(rows) + 1))], len(data), coalesce(told), prefer=("step",))
    return replace(log, config={**log.config, **config})


def _messages(clean: bytes, told: list[Note]) -> Iterator[Mapping[str, Any]]:
    """The objects of all lines; ClearML writes an array a line."""
    lines = clean.split(b"\n")
    for i, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = orjson.loads(line.replace(b"NaN", b"null").replace(b"Infinity", b"null"))
        except ValueError:
            torn = i == len(lines)
            said = "the file ends inside a record" if torn else "broken records were skipped"
            told.append(Note("truncated" if torn else "damaged", said, i))
            continue
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, Mapping):
                yield entry


def _comet(message: Mapping[str, Any], config: dict[str, Scalar]) -> list[Row]:
    payload = message.get("payload")
    if not isinstance(payload, Mapping):
        return []
    param, metric = payload.get("param"), payload.get("metric")
    if isinstance(param, Mapping) and isinstance(param.get("paramValue"), (str, int, float, bool)):
        config[str(param.get("paramName"))] = param["paramValue"]
    if not isinstance(metric, Mapping) or "metricName" not in metric:
        return []
    row = {"name": str(metric["metricName"]), "value": metric.get("metricValue"), "step": metric.get("step")}
    return [_known({**row, "epoch": metric.get("epoch"), "timestamp": payload.get("local_timestamp")})]


def _neptune(message: Mapping[str, Any], config: dict[str, Scalar]) -> list[Row]:
    told = message.get("obj")
    if not isinstance(told, Mapping) or not isinstance(told.get("path"), list):
        return []
    place, kind = [str(p) for p in told["path"]], str(told.get("type"))
    if not place or place[0] in _MACHINE:
        return []
    if kind.startswith("Assign") and isinstance(told.get("value"), (str, int, float, bool)):
        config[".".join(place)] = told["value"]
    if kind != "LogFloats" or not isinstance(told.get("values"), list):
        return []
    return [
        _known({"name": "/".join(place), "value": v.get("value"), "step": v.get("step"), "timestamp": v.get("ts")})
        for v in told["values"]
        if isinstance(v, Mapping)
    ]


def _clearml(message: Mapping[str, Any]) -> list[Row]:
    if message.get("type") != "training_stats_scalar":
        return []
    metric, variant = str(message.get("metric")), str(message.get("variant"))
    name = metric if variant == metric else f"{metric}/{variant}"
    row = {"name": name, "value": message.get("value"), "step": message.get("iter")}
    return [_known({**row, "timestamp": message.get("timestamp")})]


def _known(row: Row) -> Row:
    """The row without what it says nothing of; a value that is no number is NaN, which JSON cannot spell."""
    value = row.get("value")
    said = {k: v for k, v in row.items() if v is not None}
    return {**said, "value": float("nan")} if value is None else said
