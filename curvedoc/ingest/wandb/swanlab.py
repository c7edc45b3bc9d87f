"""Reader of `.swanlab` logs: the records are framed as W&B's are, and each scalar is a record of its own.

Source: github.com/SwanHubX/SwanLab, its protocol for metrics, for the fields.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from curvedoc.core.notes import NoteTally
from curvedoc.ingest.bytes.protobuf import BYTES, FIXED64, VARINT, fields
from curvedoc.ingest.bytes.stream import Stream
from curvedoc.ingest.contract import Log
from curvedoc.ingest.table.batch import RecordBatch, Row
from curvedoc.ingest.table.log import log_of
from curvedoc.ingest.wandb.frames import SWANLAB, records
from curvedoc.ingest.wandb.reader import TROUBLE

NAME = "swanlab"
FILES: tuple[str, ...] = ("*.swanlab",)
ABOUT = "SwanLab's logs of a run: its scalars"

_SCALAR = 13
_KEY, _STEP, _TIME, _VALUE = 1, 2, 4, 5
#: What is measured of the machine.
_MACHINE = "__swanlab__."


def claims(path: Path, head: bytes) -> bool:
    """By the first bytes."""
    return head.startswith(SWANLAB)


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file."""
    return [_read(path) for path in paths]


def _read(path: Path) -> Log:
    tally = NoteTally(TROUBLE)
    rows: list[Row] = []
    with Stream(path) as stream:
        for offset, data in records(stream.read, tally.add):
            try:
                rows += [row for row in map(_row, _inside(data, _SCALAR)) if row is not None]
            except (ValueError, struct.error):
                tally.add("proto", offset)
    notes = (*stream.notes, *tally.notes())
    return log_of(path, NAME, [RecordBatch(rows, range(1, len(rows) + 1))], stream.size, notes, prefer=("step",))


def _inside(data: bytes, number: int) -> list[bytes]:
    """The messages that a message holds in a field."""
    return [data[a:b] for n, kind, a, b, _ in fields(data, 0, len(data)) if n == number and kind == BYTES]


def _row(scalar: bytes) -> Row | None:
    """Name, step, value and time of a scalar; a step of 0 is not written."""
    row: Row = {"step": 0}
    for n, kind, a, b, number in fields(scalar, 0, len(scalar)):
        if n == _KEY and kind == BYTES:
            row["name"] = scalar[a:b].decode("utf-8", "replace")
        elif n == _STEP and kind == VARINT:
            row["step"] = number
        elif n == _TIME and kind == BYTES:
            row["timestamp"] = next((v for f, k, _, _, v in fields(scalar, a, b) if f == 1 and k == VARINT), None)
        elif n == _VALUE and kind == BYTES:
            row["value"] = 0.0
            for f, k, c, d, _ in fields(scalar, a, b):
                if f == 1 and k == FIXED64:
                    row["value"] = struct.unpack("<d", scalar[c:d])[0]
    return row if "value" in row and not str(row.get("name", _MACHINE)).startswith(_MACHINE) else None
