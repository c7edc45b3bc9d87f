"""Reader of the side files in a W&B run's own folder: summary, metadata, and the histories of old clients."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from curvedoc.core.run import Note, Scalar
from curvedoc.ingest.bytes.file import pointer, read_text, text_bytes
from curvedoc.ingest.contract import Log
from curvedoc.ingest.json.objects import batches, document
from curvedoc.ingest.settings.flatten import flatten, settings
from curvedoc.ingest.table.keys import WANDB_STEP_KEYS
from curvedoc.ingest.table.log import log_of

NAME = "wandb-dir"
FILES: tuple[str, ...] = ("wandb-summary.json", "wandb-metadata.json", "wandb-history.jsonl", "wandb-events.jsonl")
ABOUT = "side files of a W&B run's own folder"

_HISTORY = ("wandb-history.jsonl", "wandb-events.jsonl")
_SUMMARY, _METADATA = "wandb-summary.json", "wandb-metadata.json"


def claims(path: Path, head: bytes) -> bool:
    """The files that W&B's client names itself; config.yaml is a configuration like any other."""
    return path.name in (*_HISTORY, _SUMMARY, _METADATA) and head.lstrip()[:1] == b"{"


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file: points of a history, settings ("summary.", "wandb.", "args.") of the others."""
    return [_read(path) for path in paths]


def _read(path: Path) -> Log:
    data, notes = read_text(path)
    stand_in = pointer(data)
    if stand_in is not None:
        return Log(path, NAME, notes=(*notes, stand_in), bytes=len(data))
    clean, more = text_bytes(data)
    notes = (*notes, *more)
    if path.name in _HISTORY:
        return log_of(path, NAME, batches(clean), len(data), notes, WANDB_STEP_KEYS)
    value = document(clean)
    if not isinstance(value, Mapping):
        return Log(path, NAME, notes=(*notes, Note("damaged", "no JSON object could be read")), bytes=len(data))
    config = _metadata(value) if path.name == _METADATA else flatten(_plain(value), "summary")
    return Log(path, NAME, config=config, notes=notes, bytes=len(data))


def _metadata(value: Mapping[str, Any]) -> dict[str, Scalar]:
    args = value.get("args")
    words = " ".join(a for a in args if isinstance(a, str)) if isinstance(args, list) else ""
    options = {f"args.{k}": v for k, v in settings(words).items()} if words.startswith("--") else {}
    return {**flatten({k: v for k, v in value.items() if k != "args"}, "wandb"), **options, **_launch(value)}


def _launch(value: Mapping[str, Any]) -> dict[str, Scalar]:
    """The line that started the program, as a shell would take it."""
    program, args = value.get("program"), value.get("args")
    if not isinstance(program, str) or not isinstance(args, list) or not all(isinstance(a, str) for a in args):
        return {}
    return {"wandb.launch": shlex.join(["python", program, *args])}


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """The summary without media ({"_type": "histogram", ...}) and W&B's own bookkeeping."""
    return {k: v for k, v in value.items() if k != "_wandb" and not (isinstance(v, Mapping) and "_type" in v)}
