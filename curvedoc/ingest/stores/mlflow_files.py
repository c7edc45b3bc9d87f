"""Reader of MLflow's file store: one folder a run, one text file a metric, parameter and tag."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from curvedoc.core.late_regex import late_regex
from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note, Scalar
from curvedoc.ingest.bytes.file import decode, read_bytes, read_text
from curvedoc.ingest.contract import Log
from curvedoc.ingest.settings.flatten import MAX_KEYS, flatten, scalar
from curvedoc.ingest.table.clock_alignment import placed
from curvedoc.ingest.table.curve import LogCurve, mark_filtered, points_of

NAME = "mlflow"
FILES: tuple[str, ...] = ("mlruns/<experiment>/<run>/meta.yaml",)
ABOUT = "MLflow's file store: metrics, parameters and tags of each run; deleted runs are left out"

META = "meta.yaml"
_METRICS, _PARAMS, _TAGS = "metrics", "params", "tags"
#: A parameter is a line; what is longer is cut.
_MAX_VALUE = 1 << 16
#: A run of a million parameters' curves is none.
_MAX_FILES = 100_000
_DELETED = late_regex(rb"^lifecycle_stage:\s*['\"]?deleted", re.MULTILINE)
_MODEL = late_regex(rb"^model_id:", re.MULTILINE)
_RUN = late_regex(rb"^run_(id|uuid):", re.MULTILINE)
#: The time in milliseconds, a value and its step.
_ROW = late_regex(rb"\d{13} \S{1,30} \d{1,18}\r?\n")
#: Run states as MLflow numbers them.
STATES = {1: "RUNNING", 2: "SCHEDULED", 3: "FINISHED", 4: "FAILED", 5: "KILLED"}


def claims(path: Path, head: bytes) -> bool:
    """The meta.yaml of a run, which stands for its whole folder; where it is lost, each of its metrics."""
    if path.name == META:
        return _RUN.search(head) is not None and b"lifecycle_stage:" in head
    lone = not path.suffix and _METRICS in path.parts[-4:-1] and _ROW.match(head) is not None
    return lone and not any((folder / META).exists() for folder in list(path.parents)[:4])


def left_out(head: bytes) -> str:
    """Why the folder of this meta.yaml is not read, "" where it is."""
    if _MODEL.search(head):
        return "a model in MLflow's store, not a run"
    return "a deleted MLflow run" if _DELETED.search(head) else ""


def is_store_folder(names: set[str]) -> bool:
    """Whether a folder of these entries is a run (or a logged model) of the store, to be read as a whole."""
    return META in names and {_METRICS, _PARAMS} <= names


def stored_bytes(folder: Path) -> int:
    """The size of all files of a run: it grows with every value that is logged."""
    kinds = (_METRICS, _PARAMS, _TAGS)
    return _size(folder / META) + sum(_size(path) for kind in kinds for _, path in _files(folder / kind))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # gone since it was listed
        return 0


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a run: the points of all its metrics, its parameters by their names, its tags as "tags.<name>"."""
    return [_read(path) for path in paths]


def _read(path: Path) -> Log:
    if path.name != META:
        return _lone(path)
    data, told = read_bytes(path, _MAX_VALUE)
    notes = list(told)
    config, state = _meta(data, notes)
    folder = path.parent
    config.update(_words(folder / _PARAMS, ""))
    for key, value in _words(folder / _TAGS, "tags.").items():
        if not key.startswith("tags.mlflow."):
            config[key] = value
    curves: list[LogCurve] = []
    size = len(data)
    for name, file in _files(folder / _METRICS):
        raw, told = read_text(file)
        size += len(raw)
        notes += told
        curve = _curve(name, raw, notes)
        if curve is not None:
            curves.append(curve)
    curves, filtered = mark_filtered(placed(curves))
    if not curves:
        notes.append(Note("empty", "the run logged no metric"))
    ended = None if state in ("", "SCHEDULED") else state != "RUNNING"
    return Log(
        path, NAME, points_of(curves), config=config, notes=coalesce([*notes, *filtered]), bytes=size, clean_end=ended
    )


def _lone(path: Path) -> Log:
    """One metric of a run without its meta.yaml."""
    raw, told = read_text(path)
    notes = list(told)
    above = path.parts[-4:-1]
    name = "/".join((*above[len(above) - above[::-1].index(_METRICS) :], path.name))
    curve = _curve(name, raw, notes)
    return Log(path, NAME, points_of([] if curve is None else [curve]), notes=coalesce(notes), bytes=len(raw))


def _meta(data: bytes, notes: list[Note]) -> tuple[dict[str, Scalar], str]:
    """What meta.yaml says of the run, and its state."""
    from curvedoc.ingest.settings.yaml import YamlTrouble, load_yaml

    try:
        found = flatten(load_yaml(decode(data)[0]))
    except YamlTrouble as e:
        notes.append(Note("damaged", f"meta.yaml is not readable: {str(e).splitlines()[0][:100]}"))
        return {}, ""
    number = found.get("status")
    state = STATES.get(number, "") if isinstance(number, int) else str(number or "")
    kept = {f"mlflow.{k}": found[k] for k in ("run_id", "run_name", "experiment_id") if k in found}
    return ({**kept, "mlflow.status": state} if state else kept), state


def _words(folder: Path, prefix: str) -> dict[str, Scalar]:
    out: dict[str, Scalar] = {}
    for name, file in _files(folder):
        if len(out) >= MAX_KEYS:
            break
        value = scalar(decode(read_bytes(file, _MAX_VALUE)[0])[0])
        if value is not None:
            out[prefix + name] = value
    return out


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Name and path of each file in and below a folder, by name; a name's slashes are folders.

    MLflow writes no links: one that leads out of the run's folder was put there by somebody else and is not followed.
    """
    count = 0
    home = os.path.realpath(folder.parent)
    if not _within(folder, home):
        return
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(place, name)
            if name.startswith(".") or not path.is_file() or (path.is_symlink() and not _within(path, home)):
                continue
            count += 1
            if count > _MAX_FILES:
                return
            yield path.relative_to(folder).as_posix(), path


def _within(path: Path, home: str) -> bool:
    return os.path.realpath(path).startswith(os.path.join(home, ""))  # noqa: PTH118


def _curve(name: str, raw: bytes, notes: list[Note]) -> LogCurve | None:
    """The points of one metric file: lines of `<ms> <value> <step>`, or without the step in old stores."""
    text, told = decode(raw)
    notes += told
    lines = text.split("\n")
    if lines[-1].strip():  # no line end, so that the step may have lost digits
        notes.append(Note("truncated", f"the last line of metric {name!r} has no end and was left out"))
    rows: list[tuple[float, float, float]] = []
    bad = 0
    for line in lines[:-1]:
        fields = line.split()
        if not fields:
            continue
        try:
            step = float(int(fields[2])) if len(fields) > 2 else np.nan
            rows.append((float(fields[0]) / 1e3, float(fields[1]), step))
        except (ValueError, IndexError, OverflowError):
            bad += 1
    if bad:
        notes.append(Note("garbage-lines", f"lines of metric {name!r} are no values and were skipped", count=bad))
    return curve_of(name, np.array(rows)) if rows else None


def curve_of(name: str, rows: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> LogCurve:
    """A curve from rows of seconds, value and step; a time before 2001 is unknown."""
    n = len(rows)
    time = np.where((rows[:, 0] > 1e9) & (rows[:, 0] < 1e11), rows[:, 0], np.nan)
    return LogCurve(name, rows[:, 2], rows[:, 1], time, np.zeros(n, np.int32), np.zeros(n, np.uint16))
