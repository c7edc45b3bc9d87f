"""Records of a `.wandb` log: blocks of 32 KiB, chunks with a checksum, records of one or more chunks.

The framing is LevelDB's log format behind a header of seven bytes, with the plain CRC-32 of zlib. Damage costs at
most the rest of one block.

Source: github.com/google/leveldb, doc/log_format.md, for the framing.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

MAGIC = b":W&B"
BLOCK = 1 << 15
#: Longer records (a logged data set) are skipped.
MAX_RECORD = 64 << 20

_HEADER = 7
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_TYPE_CRC = {kind: zlib.crc32(bytes([kind])) for kind in (_FULL, _FIRST, _MIDDLE, _LAST)}


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk of a block: `kind` 0 with a cause where there is none to be had."""

    offset: int
    kind: int
    data: bytes = b""
    cause: str = ""


def records(read: Callable[[int], bytes], trouble: Callable[[str, int], None]) -> Iterator[tuple[int, bytes]]:
    """Offset and content of every whole record; what is damaged goes to `trouble` as a cause and its offset.

    Causes: "header" (not the file's first bytes), "gap" (damaged or lost chunks), "checksum", "torn", "zeros", "huge".
    """
    parts: list[bytes] = []
    start = size = 0
    lost = False  # the beginning of what follows is missing, and that has been told
    zeros: int | None = None
    for chunk in _chunks(read):
        if chunk.cause == "zeros":
            zeros = chunk.offset if zeros is None else zeros
            continue
        if chunk.kind and zeros is not None:  # a hole, for something follows
            trouble("gap", zeros)
            zeros = None
        if chunk.cause:
            trouble(chunk.cause, chunk.offset)
        if chunk.kind in (0, _FULL, _FIRST):
            if parts and not chunk.cause:
                trouble("gap", start)
            parts, start, size, lost = [], chunk.offset, 0, chunk.kind == 0
        elif not parts:
            if not lost:
                trouble("gap", chunk.offset)
                lost = True
            continue
        if chunk.kind == 0:
            continue
        size += len(chunk.data)
        if size > MAX_RECORD:
            trouble("huge", start)
            parts, lost = [], True
            continue
        if chunk.kind == _FULL:
            yield chunk.offset, chunk.data
            continue
        parts.append(chunk.data)
        if chunk.kind == _LAST:
            yield start, b"".join(parts)
            parts = []
    if parts:
        trouble("torn", start)
    if zeros is not None:
        trouble("zeros", zeros)


def _chunks(read: Callable[[int], bytes]) -> Iterator[Chunk]:
    base = 0
    while True:
        block = _fill(read)
        at = 0
        if base == 0:
            at = _HEADER
            if block and not block.startswith(MAGIC):
                yield Chunk(0, 0, cause="header")
        yield from _in_block(block, at, base)
        base += len(block)
        if len(block) < BLOCK:
            return


def _fill(read: Callable[[int], bytes]) -> bytes:
    """The next block, shorter only at the end of the file."""
    parts: list[bytes] = []
    need = BLOCK
    while need and (part := read(need)):
        parts.append(part)
        need -= len(part)
    return b"".join(parts)


def _in_block(block: bytes, at: int, base: int) -> Iterator[Chunk]:
    end = len(block)
    while at + _HEADER <= end:
        size = block[at + 4] | block[at + 5] << 8
        kind = block[at + 6]
        stop = at + _HEADER + size
        if kind not in _TYPE_CRC or stop > BLOCK:
            tail_is_zero = not block[at:].strip(b"\0")
            yield Chunk(base + at, 0, cause="zeros" if tail_is_zero else "gap")
            return
        if stop > end:
            yield Chunk(base + at, 0, cause="torn")
            return
        data = block[at + _HEADER : stop]
        if zlib.crc32(data, _TYPE_CRC[kind]) == int.from_bytes(block[at : at + 4], "little"):
            yield Chunk(base + at, kind, data)
        else:
            yield Chunk(base + at, 0, cause="checksum")
            if not _holds(block, stop):  # the length itself may be wrong: on with the next block
                return
        at = stop
    if at < end and end < BLOCK and block[at:].strip(b"\0"):
        yield Chunk(base + at, 0, cause="torn")


def _holds(block: bytes, at: int) -> bool:
    """Whether a good chunk, or the padding at a block's end, begins here."""
    if at + _HEADER > BLOCK:
        return not block[at:].strip(b"\0")
    size = int.from_bytes(block[at + 4 : at + 6], "little")
    stop = at + _HEADER + size
    if stop > len(block) or block[at + 6] not in _TYPE_CRC:
        return False
    crc = zlib.crc32(block[at + _HEADER : stop], _TYPE_CRC[block[at + 6]])
    return crc == int.from_bytes(block[at : at + 4], "little")
