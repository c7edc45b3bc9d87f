"""Reader of MLflow's SQLite store: many runs in one file."""

from __future__ import annotations

import sqlite3
from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note, Scalar
from curvedoc.ingest.contract import Log
from curvedoc.ingest.settings.flatten import MAX_KEYS, scalar
from curvedoc.ingest.stores import sqlite
from curvedoc.ingest.stores.mlflow_files import curve_of
from curvedoc.ingest.table.clock_alignment import placed
from curvedoc.ingest.table.curve import LogCurve, mark_filtered, points_of

NAME = "mlflow-db"
FILES: tuple[str, ...] = ("mlflow.db", "*.db", "*.sqlite")
ABOUT = "MLflow's SQLite store: every run in it with its metrics and parameters; deleted runs are left out"

_NAMES = ("mlflow.db", "mlruns.db")
_WANTED = {
    "runs": frozenset(("run_uuid", "lifecycle_stage")),
    "metrics": frozenset(("key", "value", "run_uuid")),
}
_METRICS = ("run_uuid", "key", "value", "timestamp", "step", "is_nan")
_RUNS = ("run_uuid", "name", "status", "lifecycle_stage", "experiment_id")
#: 32 bytes a row.
_MAX_ROWS = 20_000_000
_MAX_WORDS = 1_000_000
#: What the store writes for an infinite value.
_INF = 1.797e308


@dataclass(slots=True)
class _Values:
    """Columns of the points of one run."""

    metric: array[int] = field(default_factory=lambda: array("i"))
    rows: array[float] = field(default_factory=lambda: array("d"))


def claims(path: Path, head: bytes) -> bool:
    """A SQLite file with MLflow's tables; one that cannot be opened, by its name or what its first page says."""
    if not head.startswith(sqlite.MAGIC):
        return False
    found = sqlite.has_tables(path, _WANTED)
    return path.name in _NAMES or (b"run_uuid" in head and b"lifecycle_stage" in head if found is None else found)


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a run that is not deleted and has a metric, named as MLflow shows it (with its id where names repeat)."""
    return [log for path in paths for log in _read(path)]


def _read(path: Path) -> list[Log]:
    notes: list[Note] = []
    size = path.stat().st_size if path.exists() else 0
    try:
        with sqlite.opened(path) as (conn, told):
            notes += told
            return _logs(path, size, conn, notes)
    except sqlite.BROKEN as e:
        return [Log(path, NAME, notes=(*notes, Note("damaged", f"the store cannot be opened: {e}")), bytes=size)]


def _logs(path: Path, size: int, conn: sqlite3.Connection, notes: list[Note]) -> list[Log]:
    have = sqlite.tables(conn)
    if any(not columns <= have.get(t, frozenset()) for t, columns in _WANTED.items()):
        text = "its tables are not those of an MLflow store as it is known: a newer version, or another tool's file"
        return [Log(path, NAME, notes=(*notes, Note("unknown-schema", text)), bytes=size)]
    runs: dict[str, tuple[object, ...]] = {}
    deleted = 0
    for row in sqlite.rows(conn, "runs", _RUNS, have["runs"], notes, _MAX_WORDS):
        if row[3] == "deleted":
            deleted += 1
        else:
            runs[str(row[0])] = row
    names, points = _points(conn, have["metrics"], runs, notes)
    params = _words(conn, "params", have, notes)
    tags = _words(conn, "tags", have, notes)
    if deleted:
        notes.append(Note("deleted-runs", "deleted runs were left out", count=deleted))
    if len(points) < len(runs):
        notes.append(Note("no-metrics", "runs without a metric were left out", count=len(runs) - len(points)))
    titles = _titles({run: str(runs[run][1] or "") for run in points})
    logs: list[Log] = []
    for run, values in points.items():
        curves, filtered = mark_filtered(placed(_curves(names, values)))
        config = {**_about(runs[run]), **params.get(run, {})}
        config.update({f"tags.{k}": v for k, v in tags.get(run, {}).items() if not k.startswith("mlflow.")})
        state = runs[run][2]
        ended = state != "RUNNING" if isinstance(state, str) and state != "SCHEDULED" else None
        # What is true of the whole file is told once.
        told = coalesce([*(notes if not logs else ()), *filtered])
        share = size if not logs else 0
        data = points_of(curves)
        logs.append(Log(path, NAME, data, config=config, notes=told, bytes=share, run=titles[run], clean_end=ended))
    return logs or [Log(path, NAME, notes=coalesce([*notes, Note("empty", "no run in the store has a metric")]))]


def _points(
    conn: sqlite3.Connection, have: frozenset[str], runs: Mapping[str, object], notes: list[Note]
) -> tuple[list[str], dict[str, _Values]]:
    """The metrics' names, and each run's values in the order written."""
    codes: dict[str, int] = {}
    found: dict[str, _Values] = {}
    bad = 0
    for run, key, value, time, step, is_nan in sqlite.rows(conn, "metrics", _METRICS, have, notes, _MAX_ROWS):
        if str(run) not in runs:
            continue
        number = np.nan if is_nan else _float(value)
        if number is None:
            bad += 1
            continue
        own = found.get(str(run)) or found.setdefault(str(run), _Values())
        own.metric.append(codes.setdefault(str(key), len(codes)))
        own.rows.extend(((_float(time) or 0.0) / 1e3, number, np.nan if (at := _float(step)) is None else at))
    if bad:
        notes.append(Note("bad-cells", "values that are no number were left out", count=bad))
    return list(codes), found


def _float(value: object) -> float | None:
    if not isinstance(value, int | float):
        return None
    if abs(value) >= _INF:
        return float("inf") if value > 0 else float("-inf")
    return float(value)


def _curves(names: Sequence[str], values: _Values) -> list[LogCurve]:
    metric = np.array(values.metric, np.int64)
    rows = np.array(values.rows).reshape(-1, 3)
    order = np.argsort(metric, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(metric[order])) + 1)
    return [curve_of(names[metric[at[0]]], rows[at]) for at in sorted(parts, key=lambda at: int(at[0]))]


def _words(
    conn: sqlite3.Connection, table: str, have: Mapping[str, frozenset[str]], notes: list[Note]
) -> dict[str, dict[str, Scalar]]:
    """The keys and values of each run in a table of such."""
    out: dict[str, dict[str, Scalar]] = defaultdict(dict)
    columns = have.get(table, frozenset())
    if not {"run_uuid", "key", "value"} <= columns:
        return out
    for run, key, text in sqlite.rows(conn, table, ("run_uuid", "key", "value"), columns, notes, _MAX_WORDS):
        value = scalar(text) if isinstance(text, str) else None
        if value is not None and len(out[str(run)]) < MAX_KEYS:
            out[str(run)][str(key)] = value
    return out


def _about(row: tuple[object, ...]) -> dict[str, Scalar]:
    keys = ("run_id", "run_name", "status", "", "experiment_id")
    return {f"mlflow.{k}": v for k, v in zip(keys, row, strict=True) if k and isinstance(v, str | int)}


def _titles(names: Mapping[str, str]) -> dict[str, str]:
    """A name for each run id: MLflow's, with the beginning of the id where several share it, or the id."""
    many = Counter(names.values())
    short = {run: name if many[name] == 1 else f"{name}-{run[:8]}".lstrip("-") for run, name in names.items()}
    again = Counter(short.values())
    return {
        run: name if name and again[name] == 1 else f"{names[run]}-{run}".lstrip("-") for run, name in short.items()
    }
