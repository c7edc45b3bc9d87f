"""Items of a `.wandb` record: dotted names, JSON texts, and the numbers in them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping

import numpy as np

from curvedoc.core.run import Flag
from curvedoc.ingest.bytes.protobuf import BYTES, VARINT, fields, signed
from curvedoc.ingest.settings.flatten import valid
from curvedoc.ingest.tensorboard.histogram import of_buckets

#: Field numbers of an item. The value's key takes two bytes on the wire.
_KEY, _NESTED, _VALUE = 1, 2, 16
VALUE_KEY = b"\x82\x01"
#: Curves inside one logged dictionary.
_MAX_LEAVES = 1000

#: Name, value and flags of one number.
Point = tuple[str, float, int]


def item_parts(item: bytes) -> tuple[str, bytes, int | None]:
    """Dotted name, JSON text, and where the key ends (None unless the value is all that follows)."""
    key = ""
    nested: list[str] = []
    raw = b""
    end: int | None = None
    at = 0
    for number, kind, start, stop, _ in fields(item, 0, len(item)):
        if kind == BYTES:
            if number == _KEY:
                key = item[start:stop].decode("utf-8", "backslashreplace")
            elif number == _NESTED:
                nested.append(item[start:stop].decode("utf-8", "backslashreplace"))
            elif number == _VALUE:
                raw = item[start:stop]
                end = at if stop == len(item) and item.find(VALUE_KEY) == at else None
        at = stop
    return key or ".".join(nested), raw, end


def timestamp(data: bytes, start: int, stop: int) -> float:
    """Seconds of a protobuf Timestamp, NaN for none."""
    seconds = nanos = 0
    for number, kind, _a, _b, value in fields(data, start, stop):
        if kind == VARINT and number == 1:
            seconds = signed(value)
        elif kind == VARINT and number == 2:
            nanos = signed(value)
    return seconds + nanos * 1e-9 if 0 < seconds < 1e11 else math.nan


def json_value(raw: bytes) -> object:
    """What a JSON text stands for (NaN and Infinity included), "" for what is none."""
    try:
        return json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return ""


def with_leaves(found: list[Point], deep: Mapping[str, object]) -> list[Point]:
    """The numbers of one record: media leave their plain fields out, histograms become measures."""
    media = {name.removesuffix("._type"): kind for name, kind in deep.items() if name.endswith("._type")}
    out = [p for p in found if not _inside(p[0], media)] if media else list(found)
    for owner, kind in media.items():
        if kind == "histogram":
            parts = {k[len(owner) + 1 :]: v for k, v in deep.items() if k.startswith(owner + ".")}
            parts |= {k[len(owner) + 1 :]: v for k, v, _ in found if k.startswith(owner + ".")}
            out += _histogram(owner, parts)
    for name, value in deep.items():
        if not _inside(name, media):
            out += leaves(name, value)
    return out


def _inside(name: str, media: Mapping[str, object]) -> bool:
    return any(name.startswith(f"{owner}.") for owner in media)


def leaves(name: str, value: object) -> list[Point]:
    return [leaf for leaf, _ in zip(_walk(name, value, 0), range(_MAX_LEAVES), strict=False)]


def _walk(name: str, value: object, depth: int) -> Iterator[Point]:
    match value:
        case None:
            yield name, math.nan, int(Flag.NULL)
        case bool() | int() | float():
            try:
                yield name, float(value), 0
            except OverflowError:
                yield name, math.inf if value > 0 else -math.inf, 0
        case "NaN" | "Infinity" | "-Infinity":
            yield name, float(str(value)), int(Flag.WAS_STRING)
        case dict() if depth < 10:
            if value.get("_type") == "histogram":
                yield from _histogram(name, value)
            elif "_type" not in value:
                for key, inner in value.items():
                    yield from _walk(f"{name}.{valid(key)}", inner, depth + 1)


def _histogram(name: str, parts: Mapping[str, object]) -> list[Point]:
    """Measures of a W&B histogram: counts and bin edges, the edges perhaps packed as first, width and number."""
    count = parts.get("values")
    edges = parts.get("bins")
    packed = parts.get("packedBins")
    if not isinstance(edges, list) and isinstance(count, list) and isinstance(packed, dict):
        low, width = packed.get("min"), packed.get("size")
        if isinstance(low, (int, float)) and isinstance(width, (int, float)):
            edges = [low + width * i for i in range(len(count) + 1)]
    if not isinstance(edges, list) or not isinstance(count, list) or len(edges) != len(count) + 1:
        return []
    try:
        edge, held = np.array(edges, np.float64), np.array(count, np.float64)
    except (TypeError, ValueError, OverflowError):
        return []
    return [(f"{name}@{k}", v, 0) for k, v in of_buckets(edge[:-1], edge[1:], held).items()]
