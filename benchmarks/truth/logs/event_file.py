"""TensorBoard event files of plain scalars, without TensorBoard."""

from __future__ import annotations

import struct
from collections.abc import Iterable


def _crc_table() -> tuple[int, ...]:
    table = []
    for n in range(256):
        c = n
        for _ in range(8):
            c = (c >> 1) ^ (0x82F63B78 if c & 1 else 0)
        table.append(c)
    return tuple(table)


_TABLE = _crc_table()


def masked_crc(data: bytes) -> int:
    """The masked CRC-32C of a record.

    >>> hex(masked_crc(b"123456789"))
    '0xc789ab35'
    """
    c = 0xFFFFFFFF
    for b in data:
        c = _TABLE[(c ^ b) & 255] ^ (c >> 8)
    c ^= 0xFFFFFFFF
    return (((c >> 15) | (c << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def _varint(n: int) -> bytes:
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes([*out, n])


def _sized(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _framed(data: bytes) -> bytes:
    size = struct.pack("<Q", len(data))
    return size + struct.pack("<I", masked_crc(size)) + data + struct.pack("<I", masked_crc(data))


def event_file(start: float, points: Iterable[tuple[float, int, str, float]]) -> bytes:
    """The bytes of a file with these (wall time, step, tag, value)."""
    out = [_framed(b"\x09" + struct.pack("<d", start) + _sized(3, b"brain.Event:2"))]
    for wall, step, tag, value in points:
        finite = max(min(value, 3.4e38), -3.4e38) if abs(value) != float("inf") else value
        item = _sized(1, tag.encode()) + b"\x15" + struct.pack("<f", finite)
        body = b"\x09" + struct.pack("<d", wall) + b"\x10" + _varint(max(0, step)) + _sized(5, _sized(1, item))
        out.append(_framed(body))
    return b"".join(out)
