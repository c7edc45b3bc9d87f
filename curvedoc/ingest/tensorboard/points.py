"""From records in a buffer to points in file order: the bulk decoder's columns and the slow path's, put together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.block import Block
from curvedoc.core.frozen import dataclass
from curvedoc.core.run import Flag
from curvedoc.ingest.bytes.protobuf import BYTES, VARINT, fields
from curvedoc.ingest.tensorboard.checksum import crc32c, mask
from curvedoc.ingest.tensorboard.decode import DecodedColumns, Tags, decode
from curvedoc.ingest.tensorboard.frames import HEAD
from curvedoc.ingest.tensorboard.full_record import EventRecord
from curvedoc.ingest.tensorboard.log import LATEST

Ints = NDArray[np.int64]

#: Records above this size are looked through for something readable before their checksum is computed.
_BIG = 4096
_STRING = 7
_READABLE = (b"text", b"hparams")


@dataclass(frozen=True, slots=True)
class EventBatch:
    """Points of many records in file order, and what went wrong.

    record: int64 [points], the record each point came from
    tag:    int32, as `Tags` numbers them
    step, value, time, flags: as in `Block`
    wrong:  records with a wrong checksum
    clock:  records whose wall time is none
    """

    record: Ints
    tag: NDArray[np.int32]
    step: Ints
    value: NDArray[np.float64]
    time: NDArray[np.float64]
    flags: NDArray[np.uint16]
    wrong: Ints
    clock: Ints

    def parts(self, cuts: Sequence[int], tags: int) -> Iterator[tuple[int, int, Block]]:
        """(piece, tag, block without a name) for each tag of each piece, in order of first appearance in the piece.

        cuts: the first point of each piece, and one more for the end; tags: how many there are
        """
        n = len(self.record)
        piece = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
        code = piece * tags + self.tag
        if len(cuts) * tags < 1 << 16:
            code = code.astype(np.uint16)  # whose sort is a radix sort
        order = np.argsort(code, kind="stable")
        code = code[order]
        starts = np.flatnonzero(np.concatenate(([True], code[1:] != code[:-1]))) if n else np.empty(0, np.int64)
        ends = np.append(starts[1:], n)
        step, value, time = self.step[order], self.value[order], self.time[order]
        flags = self.flags[order] if self.flags.any() else None
        first = order[starts]
        for k in np.argsort(first).tolist():
            rows = slice(int(starts[k]), int(ends[k]))
            marks = None if flags is None else flags[rows]
            block = Block("", 0, step[rows], value[rows], time[rows], marks)
            yield int(piece[first[k]]), int(self.tag[first[k]]), block


def points(
    buf: bytearray, pos: Ints, length: Ints, tags: Tags, take: Callable[[int, bytes], EventRecord | None]
) -> EventBatch:
    """The points of all records; `take` gets the number and the data of those that need the slow path."""
    done = decode(buf, pos, length, tags)
    slow, wrong = _slow(buf, pos, length, np.sort(done.slow), tags, take)
    return _together([*done.columns, *slow], np.concatenate((done.wrong, wrong)), len(pos))


def _slow(
    buf: bytearray, pos: Ints, length: Ints, rows: Ints, tags: Tags, take: Callable[[int, bytes], EventRecord | None]
) -> tuple[list[DecodedColumns], Ints]:
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


def _columns(rows: list[tuple[int, int, int, float, float, bool]]) -> list[DecodedColumns]:
    if not rows:
        return []
    record, tag, step, wall, value, narrow = zip(*rows, strict=True)
    return [
        DecodedColumns(
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


def _together(columns: list[DecodedColumns], wrong: Ints, records: int) -> EventBatch:
    if not columns:
        none, no = np.empty(0, np.int64), np.empty(0)
        return EventBatch(none, np.empty(0, np.int32), none, no, no, np.empty(0, np.uint16), wrong, none)
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
    wall[~good] = math.nan
    return EventBatch(
        record,
        np.concatenate([c.tag for c in columns])[order],
        np.concatenate([c.step for c in columns])[order],
        np.concatenate([c.value for c in columns])[order],
        wall,
        flags[order],
        wrong,
        clock,
    )


def _file_order(record: Ints, records: int) -> Ints:
    """The permutation that sorts points by record, those of one record in the order in which they come."""
    if len(record) <= records:
        slot = np.full(records, -1, np.int64)
        slot[record] = np.arange(len(record))
        order = slot[slot >= 0]
        if len(order) == len(record):  # one point per record: no sort needed
            return order
    return np.argsort(record, kind="stable")
