"""A scalar record without protobuf's library: what is read of odd records where `tensorboard` cannot be imported.

Nearly all scalars are decoded in bulk; a few stand in a form of their own, the one of step 0 among them, since a step
of zero is not written.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from curvedoc.ingest.bytes.protobuf import BYTES, FIXED32, FIXED64, VARINT, fields, signed
from curvedoc.ingest.tensorboard.full_record import EventRecord

#: Fields of Event, Summary and Summary.Value.
_WALL, _STEP, _VERSION, _SUMMARY = 1, 2, 3, 5
_VALUE, _TAG, _SIMPLE = 1, 1, 2


def parse_scalar(data: bytes) -> EventRecord | None:
    """The event of one record if it holds plain scalars or nothing; None where it holds anything else."""
    wall, step = 0.0, 0
    points: list[tuple[str, float, bool]] = []
    try:
        for number, wire, start, end, value in fields(data, 0, len(data)):
            if number == _WALL and wire == FIXED64:
                (wall,) = struct.unpack_from("<d", data, start)
            elif number == _STEP and wire == VARINT:
                step = signed(value)
            elif number == _SUMMARY and wire == BYTES:
                points += _values(data, start, end)
            elif number != _VERSION:
                return None
    except (ValueError, IndexError, struct.error, UnicodeDecodeError):
        return None
    return EventRecord(step, wall, tuple(points))


def _values(data: bytes, start: int, end: int) -> Iterator[tuple[str, float, bool]]:
    """The scalars of a summary. Raises ValueError for a value of another kind."""
    for number, wire, at, stop, _ in fields(data, start, end):
        if number != _VALUE or wire != BYTES:
            raise ValueError("no value")
        tag, scalar = None, None
        for inner, kind, first, last, _ in fields(data, at, stop):
            if inner == _TAG and kind == BYTES:
                tag = data[first:last].decode()
            elif inner == _SIMPLE and kind == FIXED32:
                (scalar,) = struct.unpack_from("<f", data, first)
        if tag is None or scalar is None:
            raise ValueError("no scalar")
        yield tag, scalar, True
