"""Reader of curves stored as columns in one JSON object: Keras histories, XGBoost's evals_result, Sacred's metrics."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from curvedoc.core.late_regex import late_regex
from curvedoc.core.notes import coalesce
from curvedoc.core.run import Flag, Note
from curvedoc.ingest.bytes.file import clean_head, pointer, read_text, text_bytes
from curvedoc.ingest.contract import Log
from curvedoc.ingest.json.histories import histories
from curvedoc.ingest.json.line import objects
from curvedoc.ingest.json.objects import document, is_document
from curvedoc.ingest.json.records import shows_records
from curvedoc.ingest.naming.log_words import names_curve
from curvedoc.ingest.settings.flatten import flatten
from curvedoc.ingest.table.batch import RecordBatch, Row
from curvedoc.ingest.table.curve import LogCurve, points_of
from curvedoc.ingest.table.inference.structure import FEWEST, behaves, counts, is_clock
from curvedoc.ingest.table.keys import EPOCH_KEYS, STEP_KEYS
from curvedoc.ingest.table.log import log_of
from curvedoc.ingest.table.values import clock, moment, number, numbers

NAME = "column-json"
FILES: tuple[str, ...] = ("*.json",)
ABOUT = "curves as columns of one JSON object: Keras histories, XGBoost's evals_result, Sacred's metrics"

_NAMED = late_regex(r"history|hist|evals?_result|metrics|results?|loss|curves?|log|progress|stats", re.IGNORECASE)
_LIST = late_regex(rb'"([^"\\]{1,200})"\s*:\s*\[\s*(?:\[\s*)?(?:-?\d|NaN|-?Infinity|null|"(?:NaN|-?Infinity)")')
_INDEXED = late_regex(rb'"([^"\\]{1,200})"\s*:\s*\{\s*"0"\s*:\s*(?:-?\d|NaN|null)')
_DRAWN = late_regex(rb'"name"\s*:\s*"([^"\\]{1,200})"')
_HOLDER = late_regex(rb'"([^"\\]{1,200})"\s*:\s*\{')
#: An object of JSON has quoted keys: Lua and Python print tables of another kind ahead of a log.
_OPENED = late_regex(rb"\{\s*[\"}]")
_COUNTERS = frozenset((*STEP_KEYS, *EPOCH_KEYS))
_MAX_DEPTH = 8
#: Lists shorter than this are settings (betas), not curves.
_MIN_POINTS = 2


def claims(path: Path, head: bytes) -> bool:
    """One JSON object (not one a line) in which a metric's name stands before a list of numbers."""
    clean = clean_head(head)
    start = clean.lstrip()
    whole = len(head) < 1 << 16
    if start[:1] == b"[" and b'"x"' in start and b'"y"' in start:  # curves as they are drawn
        return any(names_curve(m[1].decode("utf-8", "replace")) for m in _DRAWN.finditer(start))
    if not _OPENED.match(start) or b'"log_history"' in start:
        return False
    if b'\n{"' in start and (not whole or start.find(b'\n{"') > start.find(b"\n}") > 0):
        return False  # several objects, the first of them settings
    if whole and not is_document(clean):
        first, _, rest = start.partition(b"\n")
        if (rest.strip() and objects((first,)) is not None) or document(clean) is None:
            return False
    if whole and _first_record(document(clean)):
        return False
    names = [m[1].decode("utf-8", "replace") for p in (_LIST, _INDEXED) for m in p.finditer(start)]
    if {"x", "y"} <= set(names):
        names += [m[1].decode("utf-8", "replace") for m in _HOLDER.finditer(start)]
    if any(map(names_curve, names)):
        return True
    return bool(names) and bool(_NAMED.search(path.stem)) and not shows_records(clean)


def guesses(path: Path, head: bytes, named: bool) -> bool:
    """Whether an object of lists of unknown names holds curves: one of them must behave, on a walk beside a counter."""
    if b"[" not in head or head.lstrip()[:1] != b"{" or len(head) >= 1 << 16:
        return False
    clean = clean_head(head)
    value = document(clean)
    if not isinstance(value, Mapping):
        return False
    curves = [c for c in _curves(value, "", 0) if len(c.value) >= FEWEST]
    counted = any(counts(c.value) for c in curves)
    return (named or counted) and any(behaves(c.value) and not counts(c.value) for c in curves)


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a training; the position in a list is the step where the object names none."""
    return [log for path in paths for log in _read(path)]


def rows_of(columns: Mapping[str, Any]) -> list[Row] | None:
    """Rows of an object whose values are lists of one length (or pandas' {"0": .., "1": ..}), None for another object.

    A null is a cell that was not logged.
    """
    lists = {k: _listed(v) for k, v in columns.items()}
    sizes = {len(v) for v in lists.values() if v is not None}
    if len(sizes) != 1 or any(v is None for v in lists.values()):
        return None
    filled = {k: v for k, v in lists.items() if v is not None}
    return [
        {k: v for k, v in zip(filled, cells, strict=True) if v is not None}
        for cells in zip(*filled.values(), strict=True)
    ]


def _read(path: Path) -> list[Log]:
    data, notes = read_text(path, by_line=lambda head: False)
    stand_in = pointer(data)
    if stand_in is not None:
        return [Log(path, NAME, notes=(*notes, stand_in), bytes=len(data))]
    clean, more = text_bytes(data)
    value, torn = _object(clean)
    notes = (*notes, *more, *torn)
    if isinstance(value, list) and value and all(map(_is_plotted, value)):
        value = {str(v.get("name", f"curve {i + 1}")): v for i, v in enumerate(value)}
    if not isinstance(value, Mapping):
        return [Log(path, NAME, notes=(*notes, Note("not-a-log", "no JSON object")), bytes=len(data))]
    return logs_of(path, NAME, value, len(data), notes)


def logs_of(path: Path, format: str, value: Mapping[str, Any], size: int, notes: Sequence[Note]) -> list[Log]:
    """The curves of an object, as one log; as one each where it holds the whole history of several trainings."""
    found = histories(value)
    if not found:
        return [_log_of(path, format, value, size, notes)]
    return [replace(_log_of(path, format, v, size, notes), run=name) for name, v in found.items()]


def _log_of(path: Path, format: str, value: Mapping[str, Any], size: int, notes: Sequence[Note]) -> Log:
    rows = rows_of(value)
    if rows is not None and any(str(k).lower() in _COUNTERS for k in value):
        return log_of(path, format, [RecordBatch(rows, range(1, len(rows) + 1))], size, notes)
    curves = _counted(list(_curves(value, "", 0)))
    curves, axis, told = aligned(curves, boosting=_is_boosting(value))
    settings = flatten({k: v for k, v in value.items() if not isinstance(v, list) and not _holds_curves(v)})
    if not curves:
        told = (Note("not-a-log", "no list of numbers"),)
    nulls = sum(int((c.flags & Flag.NULL != 0).sum()) for c in curves)
    if nulls:
        told = (
            *told,
            Note("null-values", "values logged as null: missing, or NaN that the writer cannot spell", count=nulls),
        )
    return Log(path, format, points_of(curves), config=settings, notes=coalesce([*notes, *told]), bytes=size, axis=axis)


def _object(clean: bytes) -> tuple[Any, tuple[Note, ...]]:
    """The object; of a torn one the lists that are whole, and the last one up to the tear."""
    value = document(clean)
    if value is not None:
        return value, ()
    text = clean.decode("utf-8", "replace").rstrip()
    # A list of numbers can be closed behind any comma, so the tear costs one value.
    for cut in (text.rfind(","), text.rfind("]")):
        for tail in ("]}", "]}}", "}", "}}", "]}}}"):
            if cut > 0:
                try:
                    closed = json.loads(text[: cut + (text[cut] == "]")] + tail)
                except (ValueError, RecursionError):
                    continue
                return closed, (Note("truncated", "the file ends inside a list", offset=len(clean)),)
    return None, (Note("damaged", "no JSON object could be read"),)


def _curves(value: Mapping[str, Any], prefix: str, depth: int) -> Iterator[LogCurve]:
    for key, v in value.items():
        name = f"{prefix}/{key}" if prefix else str(key)
        if isinstance(v, Mapping) and isinstance(v.get("values"), list) and isinstance(v.get("steps"), list):
            yield _curve(name, v["values"], v["steps"], v.get("timestamps"))
            continue
        if _is_plotted(v):
            yield _curve(name, v["y"], v["x"], None)
            continue
        cells = _listed(v)
        if cells is not None and len(cells) >= _MIN_POINTS:
            yield from _flat(name, cells)
        elif isinstance(v, Mapping) and depth < _MAX_DEPTH:
            # "history" says nothing about what is in it; XGBoost's "train" does.
            yield from _curves(v, prefix if depth == 0 and key in ("history", "metrics", "logs") else name, depth + 1)


def _is_plotted(value: Any) -> bool:
    """Whether an object is a curve as it is drawn: {"x": [...], "y": [...], "name": "train/loss"}."""
    if not isinstance(value, Mapping):
        return False
    x, y = value.get("x"), value.get("y")
    return isinstance(x, list) and isinstance(y, list) and len(x) == len(y) >= _MIN_POINTS


def _flat(name: str, cells: list[Any]) -> Iterator[LogCurve]:
    if all(isinstance(c, list) for c in cells):
        width = max(len(c) for c in cells)
        if len(cells) < FEWEST <= min(len(c) for c in cells) and all(isinstance(x, (int, float)) for x in cells[0]):
            for i, own in enumerate(cells, 1):  # a list for each training
                yield _curve(f"{name} run {i}", own, None, None)
            return
        if all(len(c) == 2 and isinstance(c[0], int) for c in cells):  # pairs of step and value
            yield _curve(name, [c[1] for c in cells], [c[0] for c in cells], None)
        elif (
            all(len(c) == 3 for c in cells)
            and is_clock(np.array([_float(c[0]) for c in cells]))
            and counts(np.array([_float(c[1]) for c in cells]))
        ):
            yield _curve(name, [c[2] for c in cells], [c[1] for c in cells], [c[0] for c in cells])
        elif width <= 16:
            for i in range(width):
                yield _curve(f"{name}[{i}]", [c[i] if i < len(c) else None for c in cells], None, None)
    elif any(isinstance(c, (int, float)) or (isinstance(c, str) and number(c) is not None) for c in cells):
        yield _curve(name, cells, None, None)


def _float(cell: Any) -> float:
    return float(cell) if isinstance(cell, (int, float)) else float("nan")


def _curve(name: str, cells: list[Any], steps: list[Any] | None, times: Any) -> LogCurve:
    value, flags, kept = numbers(cells)
    step = np.arange(len(cells), dtype=np.float64) if steps is None else np.full(len(cells), np.nan)
    if steps is not None:
        found = numbers(steps[: len(cells)])[0]
        step[: len(found)] = found
    time = np.full(len(cells), np.nan)
    if isinstance(times, list):
        for i, t in enumerate(times[: len(cells)]):
            at = moment(t) if isinstance(t, str) else clock(float(t)) if isinstance(t, (int, float)) else None
            time[i] = np.nan if at is None else at
    return LogCurve(name, step[kept], value[kept], time[kept], np.zeros(int(kept.sum()), np.int32), flags[kept])


def _counted(curves: list[LogCurve]) -> list[LogCurve]:
    """The curves on the steps that one of them counts, where the others say none and as many are as long."""
    for c in curves:
        same = [d for d in curves if d is not c and len(d.value) == len(c.value)]
        if len(same) and len(c.value) >= FEWEST and counts(c.value) and not bool((np.diff(c.value) == 0).any()):
            return [replace(d, step=c.value) if any(d is s for s in same) else d for d in curves if d is not c]
    return curves


def aligned(curves: list[LogCurve], boosting: bool) -> tuple[list[LogCurve], str, tuple[Note, ...]]:
    """The curves on one axis: epochs where all are of one length, else positions, short lists spread over long ones."""
    plain = [c for c in curves if len(c.step) and c.step[0] == 0 and c.step[-1] == len(c.step) - 1]
    if not plain or len(plain) < len(curves):
        return curves, "step", ()
    longest = max(len(c.step) for c in plain)
    if all(len(c.step) == longest for c in plain):
        if boosting:
            return curves, "step", ()
        return (
            curves,
            "epoch",
            (Note("step-from-epoch", "no step in the file; positions in the lists are epochs"),),
        )
    spread = []
    for c in curves:
        block = longest // len(c.step)
        even = len(c.step) >= _MIN_POINTS and longest % len(c.step) == 0 and block > 1
        spread.append(LogCurve(c.metric, (c.step + 1) * block - 1, c.value, c.time, c.rank, c.flags) if even else c)
    return spread, "row", (Note("step-from-row", "no step in the file; lists of unlike length were laid side by side"),)


def _listed(value: Any) -> list[Any] | None:
    """A list, or pandas' mapping of row numbers to cells as one."""
    if isinstance(value, list):
        return value
    if isinstance(value, Mapping) and value and all(k.isdecimal() and len(k) < 10 for k in value):
        size = 1 + max(map(int, value))
        if size <= 4 * len(value) + 16:
            cells: list[Any] = [None] * size
            for k, v in value.items():
                cells[int(k)] = v
            return cells
    return None


def _holds_curves(value: Any) -> bool:
    return isinstance(value, Mapping) and any(isinstance(v, list) or _holds_curves(v) for v in value.values())


def _is_boosting(value: Mapping[str, Any]) -> bool:
    """XGBoost and LightGBM: {"train": {"rmse": [...]}, "eval": {...}}, whose positions are boosting rounds."""
    inside = [v for v in value.values() if isinstance(v, Mapping)]
    return len(inside) == len(value) and all(all(isinstance(x, list) for x in v.values()) for v in inside)


def _first_record(value: Any) -> bool:
    """Whether a parsed head is one record with a counter, as the only line of a JSONL file is."""
    return isinstance(value, Mapping) and any(
        str(k).lower() in _COUNTERS and isinstance(v, (int, float)) for k, v in value.items()
    )
