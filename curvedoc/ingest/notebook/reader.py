"""Jupyter notebooks: the trainings that cells printed, each cell a run of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from curvedoc.core.run import Note
from curvedoc.ingest.bytes.file import decode, read_bytes
from curvedoc.ingest.contract import Log
from curvedoc.ingest.naming.log_words import is_usual
from curvedoc.ingest.notebook.cells import cells_of
from curvedoc.ingest.text import reader as text_reader

NAME = "notebook"
FILES: tuple[str, ...] = ("*.ipynb",)
ABOUT = "outputs of Jupyter notebooks: printed epochs, progress bars, the Trainer's tables, tracebacks"

#: What trains, as a traceback shows that it was called.
_CALL_RE = r"-> +[0-9]+ .*\b(?:fit|train|learn)\w{0,20}\("
#: What fails where a device or a number gives way.
_MACHINE_RE = r"(?i:out of ?memory|cuda|cudnn|nccl|KeyboardInterrupt|FloatingPointError)"
#: So many rows that nothing counts may be those of an evaluation.
_MEASURED = 12
#: A notebook of more bytes is full of pictures, or hostile.
MAX_BYTES = 256 << 20


def claims(path: Path, head: bytes) -> bool:
    """A name that ends in .ipynb over a JSON document."""
    return path.suffix.lower() == ".ipynb" and head.lstrip()[:1] == b"{"


def read(paths: Sequence[Path]) -> list[Log]:
    """One log for each training that a cell of a notebook printed."""
    return [log for path in paths for log in _read(path)]


def _read(path: Path) -> list[Log]:
    data, notes = read_bytes(path, MAX_BYTES)
    text, more = decode(data)
    try:
        cells = cells_of(json.loads(text))
    except (ValueError, RecursionError):
        return [Log(path, NAME, notes=(*notes, *more, Note("damaged", "the notebook is no whole JSON document")))]
    found: list[tuple[str, Log]] = []
    failed: list[Log] = []
    for cell in cells:
        logs = text_reader.logs_in(path, cell.text, len(cell.text))
        for i, log in enumerate(logs, 1):
            name = f"cell {cell.number}" + (f", {i}" if len(logs) > 1 else "")
            if _trains(log, bool(found)):
                found.append((name, replace(log, format=NAME, run=name)))
            elif found and len(log.messages):  # what a later cell says, a crash for one, is about the last training
                last, before = found[-1]
                found[-1] = (last, _with_messages(before, log))
            elif _failed(log):
                failed.append(log)
    if not found and failed:
        return [replace(failed[-1], format=NAME, run=None, notes=(*notes, *more, *failed[-1].notes))]
    if not found:
        return [Log(path, NAME, notes=(*notes, *more), bytes=len(data), is_text=True)]
    logs_ = _without_evaluations([log for _, log in found])
    return [replace(log, notes=(*notes, *more, *log.notes), run=log.run if len(logs_) > 1 else None) for log in logs_]


def _trains(log: Log, later: bool) -> bool:
    """Whether a cell printed a curve: a metric of more than one value, or a counted record of what logs usually carry.

    Settings and a dictionary of words print numbers too, each of another name. later: than a training, of which one
    record that counts no epoch is the evaluation
    """
    names = log.points["metric"]
    if not len(names) or bool(names.is_duplicated().any()):
        return len(names) > 0
    return log.axis in (("epoch",) if later else ("epoch", "step", "samples")) and all(map(is_usual, names))


def _without_evaluations(logs: list[Log]) -> list[Log]:
    """The logs without those of cells that count nothing and tell some rows of no loss (the errors of two models, a row
    for each class), beside a longer curve that a cell counted: what was trained there is measured or drawn here."""
    counted = [log for log in logs if log.axis != "row"]
    most = max(map(_rows, counted), default=0)
    kept = [
        log
        for log in logs
        if log.axis != "row" or _rows(log) > min(_MEASURED, most) or any("loss" in n for n in _names(log))
    ]
    return kept if counted else logs


def _rows(log: Log) -> int:
    return log.points["step"].n_unique()


def _names(log: Log) -> list[str]:
    return [n.lower() for n in log.points["metric"].unique()]


def _failed(log: Log) -> bool:
    """Whether a call that trains failed before it printed a number."""
    said = log.messages
    crashed = bool((said["level"] == "TRACEBACK").any())
    return crashed and bool(said["text"].str.contains(_CALL_RE).any())


def _with_messages(log: Log, later: Log) -> Log:
    """The log with the tracebacks of a later cell that trained nothing, where they are of a training or of the machine:
    that a cell could not draw or load something says nothing of what was trained before."""
    said = later.messages
    if not bool(said["text"].str.contains(f"{_CALL_RE}|{_MACHINE_RE}").any()):
        return log
    return replace(log, messages=log.messages.vstack(said.filter(said["level"] == "TRACEBACK")))
