"""Bytes and text of a file as it lies on disk: plain, gzip or zstd, whole or torn, in whatever encoding."""

from __future__ import annotations

import importlib
import re
import stat
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from curvedoc.model import Note

#: No log of scalars or lines is larger; a file that is gets its first part read, with a note.
MAX_BYTES = 1 << 30
#: What a reader's `claims` is shown.
HEAD_BYTES = 1 << 16
#: Log text shrinks 3 to 60 times, a file of zeros 1000 times: past this ratio it is a decompression bomb.
MAX_RATIO = 400
#: Below this many bytes out, the ratio says nothing.
FREE_BYTES = 64 << 20

_PIECE = 1 << 16
#: One call brings most logs whole, without a copy to join them.
_READ = 1 << 26
#: zstd objects take no bound on what one call gives: a kilobyte of worst case gives 32 MB.
_ZSTD_PIECE = 1 << 10
#: A zstd block gives nothing until it is whole, and holds up to 128 KiB.
_ZSTD_BLOCK = 1 << 18
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_POINTERS = (
    (b"version https://git-lfs", "a git-LFS pointer, not the file itself: run `git lfs pull`"),
    (b"/annex/objects/", "a git-annex pointer, not the file itself: run `git annex get`"),
)
_HOLE = re.compile("\x00+")
_HOLE_AT_END = re.compile("(?<![^\n])\x00+|\x00+(?![^\n])")
_LINE_END = re.compile("\r+\n")


def read_bytes(path: Path, limit: int = MAX_BYTES) -> tuple[bytes, tuple[Note, ...]]:
    """The file's content, decompressed where it is .gz or .zst (told by its magic), up to `limit` bytes.

    A torn or damaged archive gives everything up to the tear; what stops the reading early is a note: "unreadable",
    "truncated", "damaged", "too-large" or "needs-zstd". Pipes, sockets and folders are never opened.
    """
    raw, notes = _raw(path, limit)
    if raw.startswith(_GZIP):
        data, more = _gunzip(raw, limit)
        return data, notes + more
    if raw.startswith(_ZSTD):
        data, more = _unzstd(raw, limit)
        return data, notes + more
    return raw, notes


def read_head(path: Path, size: int = HEAD_BYTES) -> bytes:
    """The first `size` bytes, decompressed; b"" for what cannot be opened."""
    raw, _ = _raw(path, size)
    if raw.startswith((_GZIP, _ZSTD)):
        raw, _ = _raw(path, max(size, _ZSTD_BLOCK))
    if raw.startswith(_GZIP):
        return _gunzip(raw, size)[0]
    if raw.startswith(_ZSTD):
        return _unzstd(raw, size)[0]
    return raw


def decode(data: bytes) -> tuple[str, tuple[Note, ...]]:
    r"""The text of a log: byte order mark, UTF-16 or UTF-8 as found, every line end as "\n".

    A lone carriage return stays (a progress bar) unless the file has no other line end. NUL blocks (holes that network
    file systems leave) fall out between lines and become U+FFFD inside one, as do bytes that are no UTF-8; both are a
    note.
    """
    notes: list[Note] = []
    codec, skip = _codec(data)
    text = data[skip:].decode(codec, "replace")
    if codec == "utf-8" and "\ufffd" in text:
        bad = text.count("\ufffd") - data.count("\ufffd".encode())
        if bad > 0:
            notes.append(Note("not-utf8", "bytes that are not UTF-8 were replaced", offset=_first_bad(data), count=bad))
    if "\x00" in text:
        at = data.find(b"\x00") if codec == "utf-8" else None
        notes.append(Note("nul-bytes", "blocks of zero bytes were skipped", offset=at, count=text.count("\x00")))
        # A hole inside a line must not join the digits on its two sides into another number.
        text = _HOLE.sub("\ufffd", _HOLE_AT_END.sub("", text))
    if "\r" in text:
        text = _LINE_END.sub("\n", text)
        if "\n" not in text:
            text = text.replace("\r", "\n")
    return text, tuple(notes)


def pointer(data: bytes) -> Note | None:
    """A note where the content only stands for the log: a git-LFS or git-annex pointer, an HTML page."""
    head = data[:512].lstrip().lower()
    if len(data) < 1024:
        for mark, text in _POINTERS:
            if mark in head:
                return Note("lfs-pointer", text)
    if head.startswith((b"<!doctype html", b"<html")):
        return Note("not-a-log", "an HTML page, perhaps an error page saved in the file's place")
    return None


def _raw(path: Path, limit: int) -> tuple[bytes, tuple[Note, ...]]:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return b"", (Note("unreadable", "not a regular file"),)
        with path.open("rb") as f:
            return _drain(f.read, limit)
    except OSError as e:
        return b"", (Note("unreadable", e.strerror or type(e).__name__),)


def _drain(read: Callable[[int], bytes], limit: int) -> tuple[bytes, tuple[Note, ...]]:
    """Everything that `read` gives up to `limit`; an I/O error midway keeps what came before it."""
    parts: list[bytes] = []
    size = 0
    while size <= limit:
        try:
            part = read(min(_READ, limit - size + 1))
        except OSError as e:
            return b"".join(parts), (Note("unreadable", f"{e.strerror or type(e).__name__} midway", offset=size),)
        if not part:
            return parts[0] if len(parts) == 1 else b"".join(parts), ()
        parts.append(part)
        size += len(part)
    return b"".join(parts)[:limit], (Note("too-large", f"only the first {limit} bytes were read", offset=limit),)


def _gunzip(raw: bytes, limit: int) -> tuple[bytes, tuple[Note, ...]]:
    """Every member of a gzip file, to the tear (`gzip.open` would drop the last block of a torn one)."""
    out = bytearray()
    cap = _cap(len(raw), limit)
    at = 0
    while raw.startswith(_GZIP, at):
        z = zlib.decompressobj(wbits=31)
        while not z.eof and at < len(raw):
            piece = raw[at : at + _PIECE]
            before = z.copy()
            try:
                got = z.decompress(piece, cap + 1 - len(out))
            except zlib.error:
                out += _to_the_fault(before, piece, cap - len(out))
                return bytes(out), (Note("damaged", "the gzip stream is damaged; read up to there", offset=at),)
            out += got
            if len(out) > cap:
                return bytes(out[:cap]), (_too_large(cap, limit),)
            at += len(piece) - len(z.unused_data) - len(z.unconsumed_tail)
        if not z.eof:
            return bytes(out), (Note("truncated", "the gzip stream ends early; read up to there", offset=len(raw)),)
    if raw[at:].strip(b"\x00"):
        return bytes(out), (Note("damaged", "bytes after the gzip stream were skipped", offset=at),)
    return bytes(out), ()


def _to_the_fault(z: Any, piece: bytes, room: int) -> bytes:
    """What one piece gives up to the byte at which its stream breaks."""
    out = bytearray()
    try:
        for i in range(len(piece)):
            out += z.decompress(piece[i : i + 1], max(1, room - len(out)))
            if len(out) >= room:
                break
    except zlib.error:
        pass  # the caller tells of the damage
    return bytes(out)


def _unzstd(raw: bytes, limit: int) -> tuple[bytes, tuple[Note, ...]]:
    """Every frame of a zstd file, to the tear."""
    start = _zstd_frames()
    if start is None:
        return b"", (Note("needs-zstd", "a .zst file: install `curvedoc[zstd]` to read it"),)
    new_frame, fault = start
    out = bytearray()
    cap = _cap(len(raw), limit)
    at = 0
    while raw.startswith(_ZSTD, at):
        frame = new_frame()
        while not frame.eof and at < len(raw):
            try:
                out += frame.decompress(raw[at : at + _ZSTD_PIECE])
            except fault:
                return bytes(out), (Note("damaged", "the zstd stream is damaged; read up to there", offset=at),)
            at = min(len(raw), at + _ZSTD_PIECE) - len(frame.unused_data)
            if len(out) > cap:
                return bytes(out[:cap]), (_too_large(cap, limit),)
        if not frame.eof:
            return bytes(out), (Note("truncated", "the zstd stream ends early; read up to there", offset=len(raw)),)
    if raw[at:].strip(b"\x00"):
        return bytes(out), (Note("damaged", "bytes after the zstd stream were skipped", offset=at),)
    return bytes(out), ()


def _zstd_frames() -> tuple[Callable[[], Any], type[Exception]] | None:
    """What makes a decoder of one frame, and its error: Python's own module (3.14) or the package `zstandard`."""
    try:
        own = importlib.import_module("compression.zstd")
        return own.ZstdDecompressor, own.ZstdError
    except ImportError:
        pass
    try:
        package = importlib.import_module("zstandard")
    except ImportError:
        return None
    return lambda: package.ZstdDecompressor().decompressobj(), package.ZstdError


def _cap(packed: int, limit: int) -> int:
    return min(limit, max(FREE_BYTES, MAX_RATIO * packed))


def _too_large(cap: int, limit: int) -> Note:
    if cap < limit:
        return Note("too-large", f"unpacks to more than {MAX_RATIO} times its size; read up to there", offset=cap)
    return Note("too-large", f"only the first {cap} bytes were read", offset=cap)


def _codec(data: bytes) -> tuple[str, int]:
    """The codec and the length of the byte order mark; without a mark, UTF-16 shows by a NUL in every other byte."""
    for mark, codec in ((b"\xff\xfe\x00\x00", "utf-32-le"), (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le")):
        if data.startswith(mark):
            return codec, len(mark)
    if data.startswith(b"\xfe\xff"):
        return "utf-16-be", 2
    sample = data[: 1 << 12]
    half = len(sample) // 2
    if half >= 4 and sample.count(b"\x00") >= 0.4 * len(sample):
        even, odd = sample[::2].count(0), sample[1::2].count(0)
        if odd > 0.8 * half and even < 0.1 * half:
            return "utf-16-le", 0
        if even > 0.8 * half and odd < 0.1 * half:
            return "utf-16-be", 0
    return "utf-8", 0


def _first_bad(data: bytes) -> int | None:
    try:
        data.decode()
    except UnicodeDecodeError as e:
        return e.start
    return None
