"""Reader of trackio's SQLite projects: many runs in one file, one JSON object a step."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import polars as pl

from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note, Scalar
from curvedoc.ingest.contract import Log
from curvedoc.ingest.settings.files import flat_config
from curvedoc.ingest.stores import sqlite
from curvedoc.ingest.table.batch import RecordBatch
from curvedoc.ingest.table.clock_alignment import SYSTEM, steps_at
from curvedoc.ingest.table.keys import WANDB_STEP_KEYS
from curvedoc.ingest.table.log import log_of
from curvedoc.ingest.table.values import moment

NAME = "trackio"
FILES: tuple[str, ...] = ("trackio/<project>.db",)
ABOUT = "trackio's SQLite projects: every run in one with its metrics, settings and machine metrics"

_WANTED = {"metrics": frozenset(("run_name", "step", "metrics"))}
_COLUMNS = ("run_id", "run_name", "step", "timestamp", "metrics")
_CONFIG = ("run_id", "run_name", "config")
_MAX_ROWS = 5_000_000
#: How the store spells what JSON has no number for.
_SPELLED = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


@dataclass(slots=True)
class _Rows:
    """Records of one run; those of the machine stand apart, for they have no step."""

    name: str
    steps: list[dict[str, Any]] = field(default_factory=list)
    machine: list[dict[str, Any]] = field(default_factory=list)
    config: dict[str, Scalar] = field(default_factory=dict)


def claims(path: Path, head: bytes) -> bool:
    """A SQLite file with trackio's table of metrics; one that cannot be opened, by what its first page says."""
    if not head.startswith(sqlite.MAGIC):
        return False
    found = sqlite.has_tables(path, _WANTED)
    return b"run_name TEXT" in head and b"metrics TEXT" in head if found is None else found


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a run, named as trackio shows it (with its id where names repeat)."""
    return [log for path in paths for log in _read(path)]


def _read(path: Path) -> list[Log]:
    notes: list[Note] = []
    size = path.stat().st_size if path.exists() else 0
    try:
        with sqlite.opened(path) as (conn, told):
            notes += told
            runs = _runs(conn, notes)
    except sqlite.BROKEN as e:
        return [Log(path, NAME, notes=(*notes, Note("damaged", f"the store cannot be opened: {e}")), bytes=size)]
    logs: list[Log] = []
    many = Counter(r.name for r in runs.values())
    for key, rows in runs.items():
        title = rows.name if many[rows.name] == 1 else f"{rows.name}-{key}"
        # What is true of the whole file is told once.
        log = _log(path, rows, size if not logs else 0, notes if not logs else ())
        logs.append(replace(log, run=title))
    return logs or [Log(path, NAME, notes=coalesce([*notes, Note("empty", "no run in the store has a metric")]))]


def _runs(conn: sqlite3.Connection, notes: list[Note]) -> dict[str, _Rows]:
    have = sqlite.tables(conn)
    runs: dict[str, _Rows] = {}
    bad = 0
    columns = have.get("metrics", frozenset())
    for run, name, step, time, text in sqlite.rows(conn, "metrics", _COLUMNS, columns, notes, _MAX_ROWS):
        found = _object(text)
        if found is None:
            bad += 1
            continue
        own = runs.setdefault(str(run or name), _Rows(str(name)))
        values = {k: _SPELLED.get(v, v) if isinstance(v, str) else v for k, v in found.items()}
        own.steps.append({**values, "_step": step, "_timestamp": _seconds(time)})
    for table in ("system_metrics", "configs"):
        if "run_name" not in have.get(table, frozenset()):
            continue
        wanted = _CONFIG if table == "configs" else ("run_id", "run_name", "timestamp", "metrics")
        for row in sqlite.rows(conn, table, wanted, have[table], notes, _MAX_ROWS):
            mine, found = runs.get(str(row[0] or row[1])), _object(row[-1])
            if found is None:
                bad += 1
            elif mine is not None and table == "configs":
                # trackio's own words about the run begin with an underscore
                mine.config.update(flat_config({k: v for k, v in found.items() if not str(k).startswith("_")}))
            elif mine is not None:
                machine = {f"{SYSTEM}{k}": v for k, v in found.items()}
                mine.machine.append({**machine, "_timestamp": _seconds(row[2])})
    if bad:
        notes.append(Note("garbage-lines", "records that are no JSON object were skipped", count=bad))
    return runs


def _log(path: Path, rows: _Rows, size: int, notes: Sequence[Note]) -> Log:
    log = log_of(path, NAME, [RecordBatch(rows.steps, range(1, len(rows.steps) + 1))], size, notes, WANDB_STEP_KEYS)
    points = log.points
    if rows.machine and len(points):
        extra = log_of(path, NAME, [RecordBatch(rows.machine, range(1, len(rows.machine) + 1))], 0).points
        points = pl.concat([points, _beside(extra, points)])
    return replace(log, data=points, config={**rows.config, **log.config})


def _beside(machine: pl.DataFrame, points: pl.DataFrame) -> pl.DataFrame:
    """Machine metrics at the steps that the run had reached; steps stay unknown where a clock is missing."""
    main = points.filter(pl.col("metric") == points["metric"].mode().sort()[0])
    when, steps, times = (
        s.cast(pl.Float64).fill_null(np.nan).to_numpy() for s in (machine["time"], main["step"], main["time"])
    )
    step = steps_at(when, steps, times, np.full(len(machine), np.nan))
    return machine.with_columns(pl.Series("step", step).fill_nan(None).cast(pl.Int64))


def _object(text: object) -> Mapping[str, Any] | None:
    if not isinstance(text, str | bytes):
        return None
    try:
        value = orjson.loads(text)
    except ValueError:
        try:
            value = json.loads(text)  # takes bare NaN, which a writer of its own may have put there
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, Mapping) else None


def _seconds(time: object) -> float | None:
    return moment(time) if isinstance(time, str) else None
