"""Event files the slow and obvious way: one record after the other, without any regard to speed."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.util.tensor_util import make_ndarray

Row = tuple[str, int, float, float]


def _shifted(byte: int) -> int:
    for _ in range(8):
        byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
    return byte


TABLE = [_shifted(byte) for byte in range(256)]


def crc32c(data: bytes) -> int:
    state = 0xFFFFFFFF
    for byte in data:
        state = (state >> 8) ^ TABLE[(state ^ byte) & 255]
    return state ^ 0xFFFFFFFF


def masked(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data: bytes) -> bytes:
    size = struct.pack("<Q", len(data))
    return size + masked(size) + data + masked(data)


def version(wall: float = 1.7e9) -> bytes:
    return record(Event(wall_time=wall, file_version="brain.Event:2").SerializeToString())


def scalar(tag: str, value: float, step: int, wall: float = 1.7e9) -> bytes:
    event = Event(wall_time=wall, step=step)
    event.summary.value.add(tag=tag, simple_value=value)
    return record(event.SerializeToString())


def rows(path: Path) -> list[Row]:
    """Tag, step, value and wall time of every scalar, in file order."""
    data = path.read_bytes()
    out: list[Row] = []
    at = 0
    while at + 12 <= len(data):
        size, at = struct.unpack_from("<Q", data, at)[0], at + 12
        event = Event.FromString(data[at : at + size])
        for value in event.summary.value:
            if value.HasField("simple_value"):
                out.append((value.tag, event.step, value.simple_value, event.wall_time))
            elif value.HasField("tensor"):
                array = make_ndarray(value.tensor)
                if array.size == 1 and array.dtype.kind in "fiub":
                    number = np.asarray(array, np.float64).ravel()[0]
                    out.append((value.tag, event.step, float(number), event.wall_time))
        at += size + 4
    return out


def same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))
