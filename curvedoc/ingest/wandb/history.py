"""History and system records of a `.wandb` log as columns."""

from __future__ import annotations

import math

from curvedoc.ingest.bytes.protobuf import BYTES, VARINT, fields, signed, varint
from curvedoc.ingest.table.point_buffer import PointBuffer
from curvedoc.ingest.wandb.values import VALUE_KEY, Point, item_parts, json_value, leaves, timestamp, with_leaves

#: Items that W&B adds to every record: the axes, not metrics.
_STEP, _TIME, _OTHER = -1, -2, -3
_AXIS_NUMBERS = {"_step": _STEP, "_timestamp": _TIME, "_runtime": _OTHER, "_wandb": _OTHER, "_wandb.runtime": _OTHER}
_AXES = frozenset(_AXIS_NUMBERS)
#: First bytes of the fields of a history record: an item, and the step once more.
_ITEM, _STEP_FIELD = 0x0A, 0x12
#: A step metric of these names counts something coarser than steps; such series stay on `_step`, the axis of the rest.
_COARSE = ("epoch", "time", "runtime", "hour", "minute", "second")
#: Largest step that is one; a float beyond has no exact integer.
_MAX_STEP = 1 << 53


class History:
    """Turns history and system records into points, each metric on the step that `define_metric` gives it."""

    def __init__(self) -> None:
        self.columns = PointBuffer()
        self.last_step: int | None = None
        self._keys: dict[bytes, str] = {}
        self._numbers: dict[bytes, int] = {}  # as _keys, to the numbers of columns; axes are below 0
        self._exact: dict[str, str] = {}
        self._globs: list[tuple[str, str]] = []
        self._axes: frozenset[str] = frozenset()
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
        self._axes = frozenset((*self._exact.values(), *(a for _, a in self._globs))) - {""}
        self._axis_of.clear()

    def record(self, data: bytes) -> None:
        """One history record. Raises ValueError where it is no message."""
        if self._axes or not self._plain(data):
            self._any(data)

    def _plain(self, data: bytes) -> bool:
        """Takes a record of short items with keys met before and numbers; False, and nothing done, for any other."""
        numbers = self._numbers
        metrics: list[int] = []
        values: list[float] = []
        step = None
        time = math.nan
        at, end = 0, len(data)
        while at + 1 < end:
            kind, size = data[at], data[at + 1]
            at += 2
            stop = at + size
            if size > 127 or stop > end:
                return False
            if kind == _ITEM:
                cut = data.find(VALUE_KEY, at, stop)
                number = numbers.get(data[at:cut]) if cut > 0 else None
                if number is None or cut + 3 > stop or data[cut + 2] != stop - cut - 3:
                    return False
                try:
                    value = float(data[cut + 3 : stop])
                except ValueError:
                    return False
                if number >= 0:
                    metrics.append(number)
                    values.append(value)
                elif number == _STEP:
                    step = int(value) if abs(value) < _MAX_STEP else None
                elif number == _TIME:
                    time = value
            elif kind != _STEP_FIELD:
                return False
            at = stop
        if step is None or at != end:
            return False
        self.columns.extend(metrics, values, step, time if 0 < time < 1e11 else math.nan)
        self.last_step = step
        return True

    def _any(self, data: bytes) -> None:
        step: int | None = None
        found: list[Point] = []
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
            found = with_leaves(found, deep)
        step = 0 if step is None else step
        clock = time if 0 < time < 1e11 else math.nan
        if self._axes:
            self._on_axes(found, step, clock)
        else:
            add = self.columns.add
            for name, value, flags in found:
                add(name, step, value, clock, flags)
            self.last_step = step

    def system(self, data: bytes) -> None:
        """One record of system metrics: `system/<key>` at the last step before it, by its own clock."""
        time = math.nan
        found: list[Point] = []
        for number, kind, start, stop, _ in fields(data, 0, len(data)):
            if number == 2 and kind == BYTES:
                time = timestamp(data, start, stop)
            elif number == 3 and kind == BYTES:
                name, raw = self._item(data[start:stop])
                found += leaves(name, json_value(raw))
        for name, value, flags in found:
            self.columns.add(f"system/{name}", self.last_step, value, time, flags)

    def _on_axes(self, found: list[Point], step: int, time: float) -> None:
        for name, value, _ in found:
            if name in self._axes and value.is_integer() and abs(value) < _MAX_STEP:
                self._axis_step[name] = int(value)
        for name, value, flags in found:
            axis = self._axis(name)
            at = step if axis is None else self._axis_step.get(axis, step)
            self.columns.add(name, at, value, time, flags)
            self.last_step = at

    def _axis(self, name: str) -> str | None:
        if name not in self._axis_of:
            axis = name if name in self._axes else self._exact.get(name)
            if axis is None:
                hits = (a for g, a in self._globs if (g.endswith("*") and name.startswith(g[:-1])) or g == name)
                axis = next(hits, "")
            self._axis_of[name] = axis or None
        return self._axis_of[name]

    def _item(self, item: bytes) -> tuple[str, bytes]:
        """Name and JSON text of an item; the name is read once per distinct key."""
        cut = item.find(VALUE_KEY)
        if cut > 0 and (name := self._keys.get(item[:cut])) is not None:
            size, at = varint(item, cut + 2, len(item))
            if at + size == len(item):
                return name, item[at:]
        name, raw, end = item_parts(item)
        if end is not None:
            self._keys[item[:end]] = name
            self._numbers[item[:end]] = _AXIS_NUMBERS[name] if name in _AXES else self.columns.number(name)
        return name, raw
