"""Reader of the Hugging Face Trainer's files: trainer_state.json and the result files it leaves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from curvedoc.core.late_regex import late_regex
from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note, Scalar
from curvedoc.ingest.bytes.file import pointer, read_text, text_bytes
from curvedoc.ingest.contract import Log
from curvedoc.ingest.json.objects import document
from curvedoc.ingest.json.salvage import one_by_one
from curvedoc.ingest.settings.flatten import flatten, scalar
from curvedoc.ingest.table.batch import RecordBatch
from curvedoc.ingest.table.log import log_of

NAME = "hf-state"
FILES: tuple[str, ...] = ("trainer_state.json", "*_results.json")
ABOUT = "Hugging Face Trainer: the log history and the result files"

_RESULTS = late_regex(r"(all|train|eval|test|predict)_results\.json(\.gz|\.zst)?", re.IGNORECASE)
#: These stand in the row that closes a training, and in no other.
_FINAL = ("train_runtime", "train_samples_per_second", "total_flos")
_ROW = late_regex(rb"\{[^{}]*\"step\"\s*:\s*\d")
_SCALAR = late_regex(r'"(\w+)"\s*:\s*(-?[\d.eE+-]+|true|false|"[^"\n]{0,200}")\s*,?\s*\n')


def claims(path: Path, head: bytes) -> bool:
    """trainer_state.json by name or by its log_history, and the Trainer's result files by name."""
    if path.name.startswith("trainer_state.json") and _ROW.search(head):  # even where its beginning is gone
        return True
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return False
    return b'"log_history"' in head or path.name.startswith("trainer_state.json") or bool(_RESULTS.fullmatch(path.name))


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file: the rows of log_history as points, the closing row and the other fields as configuration."""
    return [_read(path) for path in paths]


def _read(path: Path) -> Log:
    data, notes = read_text(path, by_line=lambda head: False)
    stand_in = pointer(data)
    if stand_in is not None:
        return Log(path, NAME, notes=(*notes, stand_in), bytes=len(data))
    clean, more = text_bytes(data)
    notes = (*notes, *more)
    state = document(clean)
    if not isinstance(state, Mapping):
        return _torn(path, clean, len(data), notes)
    key = _history(state)
    if key is None:
        found = flatten(state, "results")
        if not found:
            notes = (*notes, Note("empty", "no results in the file"))
        return Log(path, NAME, config=found, notes=notes, bytes=len(data))
    history = state[key]
    if key != "log_history":
        notes = (*notes, Note("damaged", f"the rows stand under '{key[:40]}' in place of 'log_history'"))
    rows = [r for r in history if isinstance(r, dict)] if isinstance(history, list) else []
    config = flatten({k: v for k, v in state.items() if k not in (key, "stateful_callbacks")}, "trainer")
    return _log(path, rows, config, len(data), notes)


def _history(state: Mapping[str, Any]) -> str | None:
    """The field with the rows of the training: log_history, or where that key is damaged, the list of rows that hold a
    step."""
    if "log_history" in state:
        return "log_history"
    for key, value in state.items():
        if isinstance(value, list) and value and all(isinstance(r, dict) and "step" in r for r in value):
            return key
    return None


def _torn(path: Path, clean: bytes, size: int, notes: Sequence[Note]) -> Log:
    """A state file that was cut, damaged or written twice: its whole rows, and the fields ahead of them."""
    found, more = one_by_one(clean.decode("utf-8", "replace"))
    rows: list[dict[str, Any]] = []
    for value in found:
        history = value.get(_history(value) or "")
        if isinstance(history, list):
            whole = [r for r in history if isinstance(r, dict)]
            rows = whole if whole[: len(rows)] == rows else rows + whole  # a later state repeats the earlier one
        elif "step" in value or "epoch" in value:
            rows.append(value)
    ahead = clean[: max(0, clean.find(b'"log_history"'))].decode("utf-8", "replace")
    config = {f"trainer.{k}": v for k, text in _SCALAR.findall(ahead) if (v := scalar(text)) is not None}
    if not more:
        text = (
            "more than one document stands in the file; a later one was taken for the earlier" if rows else "no object"
        )
        more = (Note("damaged", text),)
    return _log(path, rows, config, size, (*notes, *more))


def _log(path: Path, rows: list[dict[str, Any]], config: dict[str, Scalar], size: int, notes: Sequence[Note]) -> Log:
    curve = [r for r in rows if not any(k in r for k in _FINAL)]
    final = [r for r in rows if any(k in r for k in _FINAL)]
    if not curve:
        return Log(
            path, NAME, config=config, notes=coalesce([*notes, Note("empty", "log_history holds no row")]), bytes=size
        )
    log = log_of(path, NAME, [RecordBatch(curve, range(1, len(curve) + 1))], size, notes)
    summary = {f"summary.{k}": v for r in final for k, v in flatten(r).items() if k not in ("step", "epoch")}
    return replace(log, config={**config, **log.config, **summary}, clean_end=True if final else None)
