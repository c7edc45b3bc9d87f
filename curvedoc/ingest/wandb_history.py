"""History and system records of a `.wandb` log as columns."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from curvedoc.ingest.histogram import of_buckets
from curvedoc.ingest.wire import BYTES, VARINT, fields, signed, varint
from curvedoc.model import POINTS, Flag

#: Items that W&B adds to every record: the axes, not metrics.
_AXES = ("_step", "_timestamp", "_runtime", "_wandb")
#: A step metric of these names counts something coarser than steps; such series stay on `_step`, the axis of the rest.
_COARSE = ("epoch", "time", "runtime", "hour", "minute", "second")
#: Value of field 16 (`value_json`): its key takes two bytes.
_VALUE_KEY = b"\x82\x01"
_VALUE, _KEY, _NESTED = 16, 1, 2
#: Largest step that is one; a float beyond has no exact integer.
_MAX_STEP = 1 << 53
#: Curves inside one logged dictionary.
_MAX_LEAVES = 1000


class Columns:
    """Points as they are met, one growing array per column."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._metric = array("i")
        self._step = array("q")
        self._known = array("b")
        self._value = array("d")
        self._time = array("d")
        self._flags = array("H")

    def add(self, name: str, step: int | None, value: float, time: float, flags: int) -> None:
        """One more point; `time` NaN where unknown."""
        self._metric.append(self._ids.setdefault(name, len(self._ids)))
        self._step.append(step or 0)
        self._known.append(step is not None)
        self._value.append(value)
        self._time.append(time)
        self._flags.append(flags)

    def frame(self) -> pl.DataFrame:
        """The points so far, columns `model.POINTS`."""
        n = len(self._metric)
        names = pl.Series("metric", list(self._ids), dtype=pl.String)
        known = pl.Series(np.frombuffer(self._known, np.int8) != 0) if n else pl.Series([], dtype=pl.Boolean)
        frame = pl.DataFrame(
            {
                "metric": names.gather(np.array(self._metric, np.uint32)),
                "step": np.array(self._step, np.int64),
                "value": np.array(self._value, np.float64),
                "time": np.array(self._time, np.float64),
                "rank": np.zeros(n, np.int32),
                "flags": np.array(self._flags, np.uint16),
            },
            schema=dict(POINTS),
        )
        return frame.with_columns(
            pl.when(known).then(pl.col("step")).alias("step"), pl.col("time").fill_nan(None).alias("time")
        )


class History:
    """Turns history and system records into points, each metric on the step that `define_metric` gives it."""

    def __init__(self) -> None:
        self.columns = Columns()
        self.last_step: int | None = None
        self._keys: dict[bytes, str] = {}
        self._exact: dict[str, str] = {}
        self._globs: list[tuple[str, str]] = []
        self._axis_of: dict[str, str | None] = {}
        self._axis_step: dict[str, int] = {}

    def define(self, name: str, glob: str, axis: str) -> None:
        """A metric (or every metric that begins like `glob`) is drawn against another metric."""
        if any(word in axis.lower() for word in _COARSE) or axis in _AXES:
            axis = ""
        if name:
            self._exact[name] = axis
        elif glob:
            self._globs = sorted([g for g in self._globs if g[0] != glob] + [(glob, axis)], key=lambda g: -len(g[0]))
        self._axis_of.clear()

    def record(self, data: bytes) -> None:
        """One history record. Raises ValueError where it is no message."""
        step: int | None = None
        found: list[tuple[str, float, int]] = []
        deep: dict[str, object] = {}
        time = math.nan
        for number, kind, start, stop, _ in fields(data, 0, len(data)):
            if number == 1 and kind == BYTES:
                name, raw = self._item(data[start:stop])
                try:
                    value = float(raw)
                except ValueError:
                    deep[name] = json_value(raw)
                    continue
                if name == "_step":
                    step = int(value) if abs(value) < _MAX_STEP else None
                elif name == "_timestamp":
                    time = value
                elif name not in _AXES:
                    found.append((name, value, 0))
            elif number == 2 and kind == BYTES and step is None:
                for inner, form, _a, _b, count in fields(data, start, stop):
                    if inner == 1 and form == VARINT:
                        step = signed(count)
        if deep:
            found = _with_leaves(found, deep)
        step = 0 if step is None else step
        clock = time if 0 < time < 1e11 else math.nan
        if self._exact or self._globs:
            self._on_axes(found, step, clock)
        else:
            add = self.columns.add
            for name, value, flags in found:
                add(name, step, value, clock, flags)
            self.last_step = step

    def system(self, data: bytes) -> None:
        """One record of system metrics: `system/<key>` at the last step before it, by its own clock."""
        time = math.nan
        found: list[tuple[str, float, int]] = []
        for number, kind, start, stop, _ in fields(data, 0, len(data)):
            if number == 2 and kind == BYTES:
                time = timestamp(data, start, stop)
            elif number == 3 and kind == BYTES:
                name, raw = self._item(data[start:stop])
                found += _leaves(name, json_value(raw))
        for name, value, flags in found:
            self.columns.add(f"system/{name}", self.last_step, value, time, flags)

    def _on_axes(self, found: list[tuple[str, float, int]], step: int, time: float) -> None:
        for name, value, _ in found:
            if name in self._axis_names() and value.is_integer() and abs(value) < _MAX_STEP:
                self._axis_step[name] = int(value)
        for name, value, flags in found:
            axis = self._axis(name)
            at = step if axis is None else self._axis_step.get(axis, step)
            self.columns.add(name, at, value, time, flags)
            self.last_step = at

    def _axis_names(self) -> set[str]:
        return {*self._exact.values(), *(axis for _, axis in self._globs)}

    def _axis(self, name: str) -> str | None:
        if name not in self._axis_of:
            axis = self._exact.get(name)
            if axis is None:
                hits = (a for g, a in self._globs if (g.endswith("*") and name.startswith(g[:-1])) or g == name)
                axis = next(hits, "")
            self._axis_of[name] = axis or None
        return self._axis_of[name]

    def _item(self, item: bytes) -> tuple[str, bytes]:
        """Name and JSON text of an item; the name is read once per distinct key."""
        cut = item.find(_VALUE_KEY)
        if cut > 0 and (name := self._keys.get(item[:cut])) is not None:
            size, at = varint(item, cut + 2, len(item))
            if at + size == len(item):
                return name, item[at:]
        name, raw, end = item_parts(item)
        if end is not None:
            self._keys[item[:end]] = name
        return name, raw


def item_parts(item: bytes) -> tuple[str, bytes, int | None]:
    """Dotted name, JSON text, and where the key ends (None unless the value follows it and is the first of its kind)."""
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
                end = at if stop == len(item) and item.find(_VALUE_KEY) == at else None
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


def _with_leaves(found: list[tuple[str, float, int]], deep: Mapping[str, object]) -> list[tuple[str, float, int]]:
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
            out += _leaves(name, value)
    return out


def _inside(name: str, media: Mapping[str, object]) -> bool:
    return any(name.startswith(f"{owner}.") for owner in media)


def _leaves(name: str, value: object) -> list[tuple[str, float, int]]:
    return [leaf for leaf, _ in zip(_walk(name, value, 0), range(_MAX_LEAVES), strict=False)]


def _walk(name: str, value: object, depth: int) -> Iterator[tuple[str, float, int]]:
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
        case {"_type": "histogram"}:
            yield from _histogram(name, value)
        case {"_type": _}:
            return
        case dict() if depth < 10:
            for key, inner in value.items():
                yield from _walk(f"{name}.{key}", inner, depth + 1)


def _histogram(name: str, parts: Mapping[str, object]) -> list[tuple[str, float, int]]:
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
