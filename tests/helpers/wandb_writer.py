"""Writes `.wandb` logs byte by byte, as W&B's own writer frames them."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable

BLOCK = 32768


def varint(n: int) -> bytes:
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes([*out, n])


def field(number: int, value: int | bytes | str) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def item(key: str | list[str], value: object, raw: str | None = None) -> bytes:
    names = b"".join(field(2, k) for k in key) if isinstance(key, list) else field(1, key)
    return names + field(16, json.dumps(value) if raw is None else raw)


def history(step: int, time: float = 1.7e9, **values: object) -> bytes:
    items = [item(["_step"], step), item("_timestamp", time), *(item([k], v) for k, v in values.items())]
    return field(2, b"".join(field(1, i) for i in items) + field(2, field(1, step)))


def output(text: str, stream: int = 1) -> bytes:
    return field(13, field(1, stream) + field(2, field(1, 1_700_000_000)) + field(3, text))


def exit_record(code: int = 0) -> bytes:
    return field(18, field(1, code) if code else b"")


def frame(records: Iterable[bytes]) -> bytes:
    out = bytearray(b":W&B" + struct.pack("<HB", 0xBEE1, 0))
    for data in records:
        first = True
        while True:
            room = BLOCK - len(out) % BLOCK
            if room < 7:
                out += bytes(room)
                continue
            part, data = data[: room - 7], data[room - 7 :]
            kind = (1 if not data else 2) if first else (4 if not data else 3)
            out += struct.pack("<IHB", zlib.crc32(bytes([kind]) + part), len(part), kind) + part
            first = False
            if not data:
                break
    return bytes(out)
