"""From records in a buffer to points in file order: the bulk decoder's columns and the slow path's, put together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.ingest.tb_crc import crc32c, mask
from curvedoc.ingest.tb_decode import Columns, Tags, decode
from curvedoc.ingest.tb_frames import HEAD
from curvedoc.ingest.tb_log import LATEST
from curvedoc.ingest.tb_slow import Event
from curvedoc.ingest.wire import BYTES, VARINT, fields
from curvedoc.model import Flag, empty_points

Ints = NDArray[np.int64]

#: Records above this size are looked through for something readable before their checksum is computed.
_BIG = 4096
_STRING = 7
_READABLE = (b"text", b"hparams")


@dataclass(frozen=True, slots=True)
class Batch:
    """Points of many records in file order, and what went wrong.

    frame:  columns `model.POINTS`
    record: int64 [points], the record each point came from
    wrong:  records with a wrong checksum
    clock:  records whose wall time is none
    """

    frame: pl.DataFrame
    record: Ints
    wrong: Ints
    clock: Ints


def points(buf: bytearray, pos: Ints, length: Ints, tags: Tags, take: Callable[[int, bytes], Event | None]) -> Batch:
    """The points of all records; `take` gets the number and the data of those that need the slow path."""
    done = decode(buf, pos, length, tags)
    slow, wrong = _slow(buf, pos, length, np.sort(done.slow), tags, take)
    return _together([*done.columns, *slow], np.concatenate((done.wrong, wrong)), len(pos), tags)


def _slow(
    buf: bytearray, pos: Ints, length: Ints, rows: Ints, tags: Tags, take: Callable[[int, bytes], Event | None]
) -> tuple[list[Columns], Ints]:
    wrong: list[int] = []
    found: list[tuple[int, int, int, float, float, bool]] = []
    for row in rows.tolist():
        at, size = int(pos[row]) + HEAD, int(length[row])
        data = bytes(buf[at : at + size])
        if size > _BIG and not _readable(data):
            continue
        if mask(crc32c(data)) != int.from_bytes(buf[at + size : at + size + 4], "little"):
            wrong.append(row)
            continue
        event = take(row, data)
        if event is not None:
            for tag, value, narrow in event.points:
                number = tags.number(tag.encode("utf-8", "surrogatepass"))
                found.append((row, number, event.step, event.wall, value, narrow))
    return _columns(found), np.array(wrong, np.int64)


def _columns(rows: list[tuple[int, int, int, float, float, bool]]) -> list[Columns]:
    if not rows:
        return []
    record, tag, step, wall, value, narrow = zip(*rows, strict=True)
    return [
        Columns(
            np.array(record, np.int64),
            np.array(tag, np.int32),
            np.array(step, np.int64),
            np.array(wall, np.float64),
            np.array(value, np.float64),
            np.array(narrow, np.bool_),
        )
    ]


def _readable(data: bytes) -> bool:
    """Whether a large record may hold curves, text or settings, and not just an image, a graph, a sound."""
    try:
        for number, kind, start, stop, _ in fields(data, 0, len(data)):
            if number != 5 or kind != BYTES:
                continue
            for inner, form, a, z, _n in fields(data, start, stop):
                if inner == 1 and form == BYTES and _readable_value(data, a, z):
                    return True
    except ValueError:
        return True  # its checksum tells whether it is damaged
    return False


def _readable_value(data: bytes, start: int, stop: int) -> bool:
    is_string = False
    plugin = b""
    held = False
    for number, kind, a, z, _ in fields(data, start, stop):
        if number in (2, 5):  # simple_value, histogram
            return True
        if number == 8 and kind == BYTES:
            held = True
            is_string = any(n == 1 and k == VARINT and v == _STRING for n, k, _a, _z, v in fields(data, a, z))
        if number == 9 and kind == BYTES:
            for inner, form, b, y, _n in fields(data, a, z):
                if inner == 1 and form == BYTES:
                    plugin = next((data[p:q] for n, k, p, q, _v in fields(data, b, y) if n == 1 and k == BYTES), plugin)
    if plugin == b"hparams":
        return True
    return held and (not is_string or plugin in _READABLE or not plugin)


def _together(columns: list[Columns], wrong: Ints, records: int, tags: Tags) -> Batch:
    if not columns:
        empty = np.empty(0, np.int64)
        return Batch(empty_points(), empty, wrong, empty)
    record = np.concatenate([c.record for c in columns])
    flags = np.zeros(len(record), np.uint16)
    start = 0
    for c in columns:
        flags[start : start + len(c.record)][np.isinf(c.value) & c.narrow] = Flag.F32_INF
        start += len(c.record)
    order = _file_order(record, records)
    wall = np.concatenate([c.wall for c in columns])[order]
    good = (wall > 0) & (wall < LATEST)
    record = record[order]
    clock = record[~good] if not good.all() else np.empty(0, np.int64)
    time = pl.Series("time", wall)
    if len(clock):
        wall[~good] = math.nan
        time = pl.Series("time", wall).fill_nan(None)
    names = pl.Series("metric", tags.names(), dtype=pl.String)
    frame = pl.DataFrame(
        {
            "metric": names[pl.Series(np.concatenate([c.tag for c in columns])[order].astype(np.uint32))],
            "step": np.concatenate([c.step for c in columns])[order],
            "value": np.concatenate([c.value for c in columns])[order],
            "time": time,
            "rank": np.zeros(len(record), np.int32),
            "flags": flags[order],
        }
    )
    return Batch(frame, record, wrong, clock)


def _file_order(record: Ints, records: int) -> Ints:
    """The permutation that sorts points by record, those of one record in the order in which they come."""
    if len(record) <= records:
        slot = np.full(records, -1, np.int64)
        slot[record] = np.arange(len(record))
        order = slot[slot >= 0]
        if len(order) == len(record):  # one point per record: no sort needed
            return order
    return np.argsort(record, kind="stable")
