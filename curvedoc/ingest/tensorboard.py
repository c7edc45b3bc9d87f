"""TensorBoard event files: scalars of every encoding, histograms as derived series, hyper-parameters, text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from curvedoc.ingest.contract import Log
from curvedoc.ingest.tb_crc import crc32c, header, mask
from curvedoc.ingest.tb_log import NAME, Gathered, clock
from curvedoc.model import POINTS, Flag

__all__ = ["NAME", "claims", "read"]


def claims(path: Path, head: bytes) -> bool:
    """Whether the name or the first record's header says event file."""
    if path.name.endswith(".profile-empty"):
        return False
    if "tfevents" in path.name:
        return True
    length = int.from_bytes(head[:8], "little")
    return len(head) > 12 and 8 < length < 1 << 16 and head[:12] == header(length) and head[12] == 9


def read(paths: Sequence[Path]) -> list[Log]:
    """One log per file, in the order given."""
    return [_read(path) for path in paths]


def _read(path: Path) -> Log:
    file = Gathered(path)
    data = path.read_bytes()
    file.size = len(data)
    rows = []
    at = 0
    while at < len(data):
        if at + 12 > len(data):
            file.tally.add("torn", at)
            break
        length = int.from_bytes(data[at : at + 8], "little")
        if data[at : at + 12] != header(length):
            file.tally.add("gap", at)
            break
        body = data[at + 12 : at + 12 + length]
        if at + 16 + length > len(data):
            file.tally.add("torn", at)
            break
        if mask(crc32c(body)).to_bytes(4, "little") != data[at + 12 + length : at + 16 + length]:
            file.tally.add("checksum", at)
        elif (event := file.take(body, at)) is not None:
            time = clock(event.wall)
            for tag, value, narrow in event.points:
                flag = int(Flag.F32_INF) if narrow and math.isinf(value) else 0
                rows.append((tag, event.step, value, time, 0, flag))
        at += 16 + length
    return file.log(pl.DataFrame(rows, schema=dict(POINTS), orient="row"))
