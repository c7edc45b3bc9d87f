"""Reader of catboost_training.json: metrics named once, and a list of values for each set in every iteration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note
from curvedoc.ingest.bytes.file import pointer, read_text, text_bytes
from curvedoc.ingest.contract import Log
from curvedoc.ingest.json.objects import document
from curvedoc.ingest.json.salvage import one_by_one
from curvedoc.ingest.table.curve import LogCurve, points_of

NAME = "catboost"
FILES: tuple[str, ...] = ("catboost_training.json",)
ABOUT = "CatBoost's training record: learn and test metrics of every iteration"


def claims(path: Path, head: bytes) -> bool:
    """An object with a list of iterations behind the names of the learn metrics."""
    return b'"learn_metrics"' in head and b'"iterations"' in head and head.lstrip()[:1] == b"{"


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file; a metric is called by its set, learn/Logloss."""
    return [_read(path) for path in paths]


def _read(path: Path) -> Log:
    data, notes = read_text(path)
    stand_in = pointer(data)
    if stand_in is not None:
        return Log(path, NAME, notes=(*notes, stand_in), bytes=len(data))
    clean, more = text_bytes(data)
    value = document(clean)
    told = [*notes, *more]
    if not isinstance(value, Mapping):  # torn: what is whole of it stands one object a line
        meta = clean.partition(b'"meta"')[2].lstrip(b": \\n")
        found, torn = one_by_one(meta.decode("utf-8", "replace"))
        told += torn
        value = {"meta": found[0] if found else {}, "iterations": [r for r in found[1:] if "iteration" in r]}
    curves = list(_curves(value))
    if not curves:
        told.append(Note("not-a-log", "no iteration holds a metric"))
    return Log(path, NAME, points_of(curves), notes=coalesce(told), bytes=len(data))


def _curves(value: Mapping[str, Any]) -> Iterator[LogCurve]:
    meta, rows = value.get("meta"), value.get("iterations")
    if not isinstance(meta, Mapping) or not isinstance(rows, list):
        return
    rows = [r for r in rows if isinstance(r, Mapping)]
    for part, key in (("learn", "learn_metrics"), ("test", "test_metrics")):
        listed = meta.get(key)
        names = [str(m.get("name")) for m in listed if isinstance(m, Mapping)] if isinstance(listed, list) else []
        for i, name in enumerate(names):
            points = [(_number(r.get("iteration"), at), _cell(r.get(part), i)) for at, r in enumerate(rows)]
            points = [(step, v) for step, v in points if v is not None]
            if points:
                step, cells = (np.array(c, dtype=np.float64) for c in zip(*points, strict=True))
                yield LogCurve.plain(f"{part}/{name}", step, cells)


def _number(value: object, otherwise: int) -> float:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else float(otherwise)


def _cell(cells: object, i: int) -> float | None:
    """The i-th of a set's values; several evaluation sets stand in one list each."""
    if not isinstance(cells, list) or i >= len(cells):
        return None
    return float(cells[i]) if isinstance(cells[i], int | float) and not isinstance(cells[i], bool) else None
