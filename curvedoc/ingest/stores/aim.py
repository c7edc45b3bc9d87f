"""Reader of Aim's store: a RocksDB of keys and values for each run, read from a copy, for opening one leaves files."""

from __future__ import annotations

import math
import shutil
import sqlite3
import struct
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note, Scalar
from curvedoc.ingest.contract import Log
from curvedoc.ingest.settings.flatten import MAX_KEYS, flatten
from curvedoc.ingest.stores.mlflow_files import curve_of
from curvedoc.ingest.table.clock_alignment import SYSTEM, placed
from curvedoc.ingest.table.curve import LogCurve, mark_filtered, points_of

NAME = "aim"
FILES: tuple[str, ...] = (".aim/run_metadata.sqlite",)
ABOUT = "Aim's store: every run in it with its metrics, contexts and parameters (extra `aim`)"

#: A run whose curves take more is not copied.
_MAX_BYTES = 2_000_000_000
_END = 0xFE

#: What leads to a value: words, and numbers of eight bytes as they stand.
Way = tuple[str | bytes, ...]


def claims(path: Path, head: bytes) -> bool:
    """The index of a store."""
    return path.name == "run_metadata.sqlite" and (path.parent / "meta" / "chunks").is_dir()


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a run that has a metric, named as it was called, else by its id."""
    return [log for path in paths for log in _read(path)]


def _read(path: Path) -> list[Log]:
    names, notes, logs = _names(path), list[Note](), list[Log]()
    empty = 0
    for chunk in sorted((path.parent / "meta" / "chunks").iterdir()):
        meta, seqs = (_entries(path.parent / part / "chunks" / chunk.name, notes) for part in ("meta", "seqs"))
        curves, filtered = mark_filtered(placed(list(_curves(meta, seqs))))
        if not curves:
            empty += 1
            continue
        ended = any(way[-1] == "end_time" and isinstance(value, float) for way, value in meta.items())
        told = coalesce([*(notes if not logs else ()), *filtered])
        title = names.get(chunk.name) or chunk.name
        logs.append(
            Log(path, NAME, points_of(curves), config=_config(meta), notes=told, run=title, clean_end=ended or None)
        )
    if empty and logs:
        notes.append(Note("no-metrics", "runs without a metric were left out", count=empty))
    return logs or [Log(path, NAME, notes=coalesce([*notes, Note("empty", "no run in the store has a metric")]))]


def _names(path: Path) -> dict[str, str]:
    """What each run was called, where no two are called the same."""
    try:
        found = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        rows = [(str(i), str(name)) for i, name in found.execute("SELECT hash, name FROM run") if name]
        found.close()
    except sqlite3.Error:
        return {}
    called = [name for _, name in rows]
    return {i: name for i, name in rows if called.count(name) == 1 and name != f"Run: {i}"}


def _entries(chunk: Path, notes: list[Note]) -> dict[Way, Any]:
    """All that a database holds; what it cannot give is a note."""
    from rocksdict import AccessType, Options, Rdict

    if not chunk.is_dir():
        return {}
    size = sum(p.stat().st_size for p in chunk.iterdir() if p.is_file())
    if size > _MAX_BYTES:
        notes.append(Note("too-large", f"the run {chunk.name} takes {size / 1e9:.0f} GB and was left out"))
        return {}
    with tempfile.TemporaryDirectory(prefix="curvedoc-") as place:
        copy = Path(place) / "chunk"
        try:
            shutil.copytree(chunk, copy, ignore=shutil.ignore_patterns("LOCK", "LOG*"))
            opened = Rdict(str(copy), options=Options(raw_mode=True), access_type=AccessType.read_only())
            found = {
                tuple(_way(k)): _value(v) for k, v in opened.items() if isinstance(k, bytes) and isinstance(v, bytes)
            }
            opened.close()
        except Exception as e:  # whatever the library says of a damaged store
            notes.append(Note("damaged", f"the run {chunk.name} cannot be opened: {e}"))
            return {}
    return found


def _way(key: bytes) -> Iterator[str | bytes]:
    at = 0
    while at < len(key):
        if key[at] == _END:
            yield key[at + 1 : at + 9]
            at += 10
            continue
        end = key.find(_END, at)
        yield key[at : end if end >= 0 else None].decode("utf-8", "replace")
        at = end + 1 if end >= 0 else len(key)


def _value(raw: bytes) -> Any:
    kind, rest = raw[:1], raw[1:]
    if kind == b"\x01":
        return bool(rest[0])
    if kind in (b"\x02", b"\x03") and len(rest) == 8:
        return struct.unpack("<q" if kind == b"\x02" else "<d", rest)[0]
    return rest.decode("utf-8", "replace") if kind == b"\x04" else None


def _curves(meta: Mapping[Way, Any], seqs: Mapping[Way, Any]) -> Iterator[LogCurve]:
    """A curve for each metric and context, its points by their steps."""
    contexts: dict[str | bytes, list[str]] = {}
    for way, value in meta.items():
        if way[:2] == ("meta", "contexts") and len(way) > 3 and isinstance(value, str | int):
            contexts.setdefault(way[2], []).append(str(value))
    columns: dict[tuple[str | bytes, str], dict[str, dict[bytes, float]]] = {}
    for way, value in seqs.items():
        if len(way) < 5 or isinstance(value, bool):
            continue
        *_, context, name, column, index = way
        if (
            isinstance(index, bytes)
            and isinstance(value, int | float)
            and isinstance(name, str)
            and isinstance(column, str)
        ):
            columns.setdefault((context, name), {}).setdefault(column, {})[index] = value
    for (context, name), found in columns.items():
        rows = _rows(found)
        if len(rows):
            called = name.replace("__system__", SYSTEM, 1) if name.startswith("__system__") else name
            yield curve_of("/".join([*contexts.get(context, ()), called]), rows)


def _rows(found: Mapping[str, Mapping[bytes, float]]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Time, value and step of each point in the order of the steps."""
    steps = found.get("step", {})
    times = found.get("time", {})
    made = (
        (times.get(i, math.nan), value, steps.get(i, float(int.from_bytes(i, "big"))))
        for i, value in found.get("val", {}).items()
    )
    return np.array(sorted(made, key=lambda row: row[2]), np.float64).reshape(-1, 3)


def _config(meta: Mapping[Way, Any]) -> dict[str, Scalar]:
    """What was set on the run, its keys joined by dots."""
    own = ((way[2:], value) for way, value in meta.items() if way[:2] == ("meta", "attrs") and value is not None)
    found = {".".join(map(str, _named(way))): value for way, value in own if way and way[0] != "__system_params"}
    return dict(list(flatten(found).items())[:MAX_KEYS])


def _named(way: Iterable[str | bytes]) -> list[str]:
    return [str(int.from_bytes(w, "big")) if isinstance(w, bytes) else w for w in way]
