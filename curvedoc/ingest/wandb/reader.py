"""Weights & Biases offline logs (`run-<id>.wandb`): history, settings, system metrics, console output, exit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from curvedoc.core.notes import NoteKind, NoteTally
from curvedoc.core.run import Note, Scalar
from curvedoc.ingest.bytes.protobuf import BYTES, VARINT, fields, signed
from curvedoc.ingest.bytes.stream import Stream
from curvedoc.ingest.contract import Log
from curvedoc.ingest.settings.flatten import flatten
from curvedoc.ingest.wandb.console import Console
from curvedoc.ingest.wandb.frames import MAGIC, records
from curvedoc.ingest.wandb.history import History
from curvedoc.ingest.wandb.values import item_parts, json_value, timestamp

__all__ = ["ABOUT", "FILES", "NAME", "claims", "read"]

NAME = "wandb"
FILES: tuple[str, ...] = ("*.wandb",)
ABOUT = "Weights & Biases offline logs: history, settings, system metrics, console output"

TROUBLE: dict[str, tuple[NoteKind, str]] = {
    "header": ("damaged", "the file does not begin like a W&B log; its blocks were read all the same"),
    "gap": ("damaged", "damaged chunks were skipped; reading went on at the next good one"),
    "checksum": ("bad-checksum", "chunks whose checksum is wrong were dropped"),
    "torn": ("truncated", "the file ends inside a record: its writer was killed, or is still writing"),
    "zeros": ("zero-tail", "the file ends in zero bytes: space was reserved but never written"),
    "huge": ("skipped", "records of more than 64 MiB were skipped unread"),
    "proto": ("damaged", "records with a good checksum hold no valid message and were dropped"),
}

#: Field numbers of W&B's `Record` message that are read: history, output, config, stats, alert, metric, output_raw,
#: run, exit. The rest (summaries, files, telemetry, requests) repeats these or says nothing of the training.
_READ = frozenset((2, 4, 5, 7, 10, 12, 13, 17, 18))

#: Field of the run record -> settings key.
_RUN_KEYS = {1: "wandb.run_id", 3: "wandb.project", 6: "wandb.group", 8: "wandb.name"}
_RUN_CONFIG = 4


def claims(path: Path, head: bytes) -> bool:
    """Whether the name or the first bytes say W&B log."""
    return path.suffix == ".wandb" or head.startswith(MAGIC)


def read(paths: Sequence[Path]) -> list[Log]:
    """One log per file, in the order given."""
    return [_read(path) for path in paths]


def _read(path: Path) -> Log:
    file = _WandbFile()
    with Stream(path) as stream:
        for offset, data in records(stream.read, file.tally.add):
            file.take(offset, data)
    return file.log(path, stream.size, stream.notes)


class _WandbFile:
    """One log while it is read."""

    def __init__(self) -> None:
        self.tally = NoteTally(TROUBLE)
        self._history = History()
        self._console = Console()
        self._config: dict[str, Scalar] = {}
        self._has_text = False
        self._exit: int | None = None

    def take(self, offset: int, data: bytes) -> None:
        """One record; one that is no message is counted and dropped."""
        try:
            for number, kind, start, stop, _ in fields(data, 0, len(data)):
                if number in _READ and kind == BYTES:
                    self._record(number, data[start:stop])
        except ValueError:
            self.tally.add("proto", offset)

    def _record(self, number: int, data: bytes) -> None:
        match number:
            case 2:  # history
                self._history.record(data)
            case 7:  # stats
                self._history.system(data)
            case 4 | 13:  # output, output_raw
                self._output(data)
            case 5:  # config
                self._configure(data)
            case 10:  # alert
                self._alert(data)
            case 12:  # metric
                names = _strings(data)
                self._history.define(names.get(1, ""), names.get(2, ""), names.get(4, ""))
            case 17:  # run
                self._run(data)
            case 18:  # exit
                self._exit = _int(data, 1)

    def _run(self, data: bytes) -> None:
        for number, kind, start, stop, _ in fields(data, 0, len(data)):
            if kind != BYTES:
                continue
            if number == _RUN_CONFIG:
                self._configure(data[start:stop])
            elif number in _RUN_KEYS:
                self._config[_RUN_KEYS[number]] = _text(data[start:stop])

    def _configure(self, data: bytes) -> None:
        """Updates (1) and removals (2) of settings."""
        for number, kind, start, stop, _ in fields(data, 0, len(data)):
            if kind != BYTES or number not in (1, 2):
                continue
            name, raw, _end = item_parts(data[start:stop])
            if name.split(".")[0] == "_wandb":
                continue
            if number == 2:
                self._config.pop(name, None)
            else:
                self._config.update(flatten(json_value(raw), name))

    def _output(self, data: bytes) -> None:
        stream, time, text = 0, math.nan, ""
        for number, kind, start, stop, value in fields(data, 0, len(data)):
            if number == 1 and kind == VARINT:
                stream = value & 1
            elif number == 2 and kind == BYTES:
                time = timestamp(data, start, stop)
            elif number == 3 and kind == BYTES:
                text = _text(data[start:stop])
        self._has_text = True
        self._console.write(stream, text, None if math.isnan(time) else time, self._history.last_step)

    def _alert(self, data: bytes) -> None:
        said = _strings(data)
        line = f"{said.get(3, '')}: {said.get(1, '')}: {said.get(2, '')}".replace("\n", " ")
        self._console.write(2, line + "\n", None, self._history.last_step)

    def log(self, path: Path, size: int, trouble: tuple[Note, ...]) -> Log:
        """The file as a Log; `trouble` is what kept it from being read."""
        self._console.flush(self._history.last_step)
        config = dict(self._config)
        messages, capped = self._console.table()
        notes = [*trouble, *self.tally.notes(), *capped]
        points = self._history.columns.frame()
        if self._exit is not None:
            config["wandb.exit_code"] = self._exit
        elif size:
            notes.append(Note("no-exit-record", "the run was never closed: it crashed, was killed or is still running"))
        elif not trouble:
            notes.append(Note("empty", "the file is empty"))
        return Log(
            path=path,
            format=NAME,
            data=points,
            messages=messages,
            config=config,
            notes=tuple(notes),
            bytes=size,
            is_text=self._has_text,
            clean_end=self._exit is not None if size else None,
        )


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _strings(data: bytes) -> dict[int, str]:
    """The texts of a message by field number."""
    return {
        number: _text(data[start:stop]) for number, kind, start, stop, _ in fields(data, 0, len(data)) if kind == BYTES
    }


def _int(data: bytes, wanted: int) -> int:
    """A number field of a message, 0 where it is left out."""
    found = 0
    for number, kind, _start, _stop, value in fields(data, 0, len(data)):
        if number == wanted and kind == VARINT:
            found = signed(value)
    return found
