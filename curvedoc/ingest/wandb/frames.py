"""Records of a `.wandb` log: blocks of 32 KiB, chunks with a checksum, records of one or more chunks.

The framing is LevelDB's log format behind a header of seven bytes, with the plain CRC-32 of zlib. Its readers go on
with the next block after damage, and find none where a byte came in or went. Here the next record is looked for by its
checksum, wherever it begins.

Source: github.com/google/leveldb, doc/log_format.md, for the framing.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex

MAGIC = b":W&B"
#: SwanLab frames its records alike.
SWANLAB = b":SWL"
BLOCK = 1 << 15
#: Longer records (a logged data set) are skipped.
MAX_RECORD = 64 << 20

_HEADER = 7
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
#: Bytes read at a time, and how many lie ahead of a chunk that is looked at: it, the one behind it, and the padding.
_PIECE = 1 << 20
_AHEAD = 2 * (BLOCK + _HEADER)
#: The type of a chunk with which a record begins, and the first byte of one: a field that is a number or has a length.
_BEGINNING = late_regex(
    b"[\x01\x02](?=[%s])" % b"".join(re.escape(bytes([b])) for b in range(8, 256) if b & 7 in (0, 2))
)
#: What may be checked, for each byte of damage, in search of its end (garbage may hold many headers).
_CHECKS = 64
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
    """The chunks one after the other, wherever the blocks begin: a byte that came in or went moves all behind it."""
    data, base, at, ended = _fill(read, _PIECE), 0, _HEADER, False
    ended = len(data) < _PIECE
    damage: int | None = None  # where it began, as long as its end is looked for
    if data and not data.startswith((MAGIC, SWANLAB)):
        yield Chunk(0, 0, cause="header")
        at = damage = 0
    while True:
        if not ended and len(data) - at < _AHEAD:
            base, data, at = base + at, data[at:], 0
            part = _fill(read, _PIECE)
            data, ended = data + part, len(part) < _PIECE
        if damage is not None:
            found = _next_record(data, at, ended)
            if found is None and not ended:
                at = len(data) - _AHEAD + 1
                continue
            at = len(data) if found is None else found
            if damage:
                yield Chunk(damage, 0, cause="gap")
            damage = None
        chunk = _chunk_at(data, at)
        if chunk is not None:
            yield Chunk(base + at, data[at + 6], chunk)
            at += _HEADER + len(chunk)
            continue
        if at >= len(data):
            return
        behind = _behind(data, at)
        if behind is not None:
            at = behind
            continue
        stop = _stop(data, at)
        if ended and (cause := _tail(data, at)):
            yield Chunk(base + at, 0, cause=cause)
            return
        if stop is not None and _behind(data, stop) is not None:
            yield Chunk(base + at, 0, cause="checksum")
            # a wrong length, or bytes that are gone, may have it end where a later record does
            earlier = _next_record(data[at:stop], 1, True)
            at = stop if earlier is None else at + earlier
        else:
            # where bytes of the file's own header are gone, the first record begins within its place
            damage, at = base + at, len(MAGIC) if base + at == _HEADER else at + 1


def _fill(read: Callable[[int], bytes], need: int) -> bytes:
    """So many bytes, fewer only at the end of the file."""
    parts: list[bytes] = []
    while need and (part := read(need)):
        parts.append(part)
        need -= len(part)
    return b"".join(parts)


def _stop(data: bytes, at: int) -> int | None:
    """Where the chunk at a place ends by its header, None where there is none."""
    if at + _HEADER > len(data) or data[at + 6] not in _TYPE_CRC:
        return None
    stop = at + _HEADER + (data[at + 4] | data[at + 5] << 8)
    return stop if stop - at <= BLOCK else None


def _chunk_at(data: bytes, at: int) -> bytes | None:
    """What the chunk at a place holds, None where no good one begins."""
    stop = _stop(data, at)
    if stop is None or stop > len(data):
        return None
    body = data[at + _HEADER : stop]
    good = zlib.crc32(body, _TYPE_CRC[data[at + 6]]) == int.from_bytes(data[at : at + 4], "little")
    return body if good else None


def _behind(data: bytes, at: int) -> int | None:
    """Where the next good chunk begins, or the file ends, with nothing but a block's padding ahead of it."""
    for place in range(at, min(at + _HEADER, len(data) + 1)):
        if any(data[at:place]):
            return None
        if place == len(data) or _chunk_at(data, place) is not None:
            return place
    return None


def _tail(data: bytes, at: int) -> str:
    """What a file's last bytes are, "" where something good may follow."""
    if not data[at:].strip(b"\0"):
        return "zeros"
    stop = _stop(data, at)
    torn = at + _HEADER > len(data) or (stop is not None and stop > len(data))
    return "torn" if torn and _next_record(data, at + 1, True) is None else ""


def _next_record(data: bytes, at: int, ended: bool) -> int | None:
    """The first place from `at` on where a good chunk begins a record, None where there is none to be seen."""
    budget = _CHECKS * max(BLOCK, len(data) - at)
    end = len(data) if ended else len(data) - _AHEAD
    for m in _BEGINNING.finditer(data, at + 6):
        place = m.start() - 6
        if place > end or budget < 0:
            return None
        stop = _stop(data, place)
        if stop is not None and stop <= len(data):
            budget -= stop - place
            if _chunk_at(data, place) is not None:
                return place
    return None
