"""Bytes and text of a file as it lies on disk: plain, gzip or zstd, whole or torn, in whatever encoding."""

from __future__ import annotations

import importlib
import os
import re
import stat
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from curvedoc.core.run import Note
from curvedoc.ingest.bytes.encodings import legacy
from curvedoc.ingest.bytes.sparse import HOLE_BYTES, TEXT_HOLE_BYTES, SparseFile, drained

#: No log of scalars or lines is larger; a file that is gets its first part read, with a note.
MAX_BYTES = 1 << 30
#: What a reader's `claims` is shown.
HEAD_BYTES = 1 << 16
#: Log text shrinks 3 to 60 times, a line said over and over 300 times, a file of zeros 1000 times: past this ratio it
#: is a decompression bomb,
MAX_RATIO = 100
#: or one behind an honest beginning, where a single piece grows so much.
MAX_BURST = 400
#: This many bytes of a bomb are read; below, the ratio says nothing.
FREE_BYTES = 64 << 20

_PIECE = 1 << 16
_CR, _LF = b"\r\n"
#: zstd objects take no bound on what one call gives: a kilobyte of worst case gives 32 MB.
_ZSTD_PIECE = 1 << 10
#: A zstd block gives nothing until it is whole, and holds up to 128 KiB.
_ZSTD_BLOCK = 1 << 18
_GZIP, _ZSTD, _PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"
_POINTERS = (
    (b"version https://git-lfs", "a git-LFS pointer, not the file itself: run `git lfs pull`"),
    (b"/annex/objects/", "a git-annex pointer, not the file itself: run `git annex get`"),
)
_HOLE = re.compile("\x00+")
#: Possessive, and never begun inside a run: a long hole within a line is looked at once.
_HOLE_AT_END = re.compile("(?<![^\n])\x00++|(?<!\x00)\x00++(?![^\n])")
_LINE_END = re.compile("(?<!\r)\r++\n")


def read_bytes(path: Path, limit: int = MAX_BYTES, text: bool = True) -> tuple[bytes, tuple[Note, ...]]:
    """The file's content, decompressed where it is .gz or .zst (told by its magic), up to `limit` bytes.

    A torn or damaged archive gives everything up to the tear; what stops the reading early is a note: "unreadable",
    "truncated", "damaged", "too-large" or "needs-zstd". Pipes, sockets and folders are never opened.

    text: the file is no binary one, so that zeros mean nothing and no line is endless (see `solid`)
    """
    raw, notes = _raw(path, limit, text)
    if raw.startswith(_GZIP):
        data, more = _gunzip(raw, limit)
        return data, notes + more
    if raw.startswith(_ZSTD):
        data, more = _unzstd(raw, limit)
        return data, notes + more
    return raw, notes


def read_head(path: Path, size: int = HEAD_BYTES, info: os.stat_result | None = None) -> bytes:
    """The first `size` bytes, decompressed; b"" for what cannot be opened. `info`: what `stat` just said of it."""
    raw, _ = _raw(path, size, text=False, info=info)
    if raw.startswith((_GZIP, _ZSTD)):
        raw, _ = _raw(path, max(size, _ZSTD_BLOCK), text=False)
    if raw.startswith(_GZIP):
        return _gunzip(raw, size)[0]
    if raw.startswith(_ZSTD):
        return _unzstd(raw, size)[0]
    return raw


def read_pieces(path: Path, count: int, size: int) -> list[bytes]:
    """So many pieces of a plain file, evenly apart and the last at its end; none of a packed one or of what cannot be
    opened."""
    try:
        with path.open("rb") as f:
            if f.read(4).startswith((_GZIP, _ZSTD)):
                return []
            length = f.seek(0, os.SEEK_END)
            out = []
            for i in range(1, count + 1):
                f.seek(max(0, length * i // count - size))
                out.append(f.read(size))
            return out
    except OSError:
        return []


def decode(data: bytes) -> tuple[str, tuple[Note, ...]]:
    r"""The text of a log: byte order mark, UTF-16, UTF-8 or an older encoding as found, every line end as "\n".

    A lone carriage return stays (a progress bar) unless the file has no other line end. NUL blocks (holes that network
    file systems leave) fall out between lines and become U+FFFD inside one, as do bytes that are no UTF-8; both are a
    note.
    """
    notes: list[Note] = []
    codec, skip = _codec(data)
    text = data[skip:].decode(codec, "replace")
    other = legacy(data) if codec == "utf-8" and "\ufffd" in text else None
    if other is not None:
        codec, text = other, data.decode(other, "replace")
        notes.append(Note("legacy-encoding", f"the text is no UTF-8; it was read as {other}"))
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
        text = _LINE_END.sub("\n", text) if "\r\r" in text else text.replace("\r\n", "\n")
        if "\n" not in text:
            text = text.replace("\r", "\n")
    return text, tuple(notes)


def text_bytes(data: bytes) -> tuple[bytes, tuple[Note, ...]]:
    """The file as clean UTF-8 with "\\n" as line end, as `decode` gives it; plain ASCII passes untouched."""
    if data.isascii() and b"\x00" not in data:
        if b"\r" not in data:
            return data, ()
        if _paired(data):
            return data.translate(None, b"\r"), ()
    text, notes = decode(data)
    return text.encode(), notes


def _paired(data: bytes) -> bool:
    """Whether every carriage return stands before a line feed. (A search for the two is several times slower.)"""
    text = np.frombuffer(data, np.uint8)
    for i in range(0, len(text), _PIECE):
        piece = text[i : i + _PIECE + 1]
        if bool(((piece[:-1] == _CR) & (piece[1:] != _LF)).any()):
            return False
    return not data.endswith(b"\r")


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


def _raw(path: Path, limit: int, text: bool, info: os.stat_result | None = None) -> tuple[bytes, tuple[Note, ...]]:
    try:
        info = info or path.stat()
        if not stat.S_ISREG(info.st_mode):
            return b"", (Note("unreadable", "not a regular file"),)
        if info.st_size < min(TEXT_HOLE_BYTES, limit):  # too small to hold anything that must be kept from the readers
            with path.open("rb", buffering=0) as f:
                data = f.read(info.st_size)
            if data is not None and len(data) == info.st_size:
                return data, ()
        if text:
            with path.open("rb") as f:
                text = not f.read(len(_PARQUET)).startswith((_GZIP, _ZSTD, _PARQUET))
        with SparseFile(path, TEXT_HOLE_BYTES if text else HOLE_BYTES) as f:
            data, notes = drained(f.read, limit, text)
            return data, (*notes, *f.notes)
    except OSError as e:
        return b"", (Note("unreadable", e.strerror or type(e).__name__),)


def _gunzip(raw: bytes, limit: int) -> tuple[bytes, tuple[Note, ...]]:
    """Every member of a gzip file, to the tear (`gzip.open` would drop the last block of a torn one)."""
    out = bytearray()
    at = 0
    while raw.startswith(_GZIP, at):
        z = zlib.decompressobj(wbits=31)
        while not z.eof and at < len(raw):
            piece = raw[at : at + _PIECE]
            before = z.copy()
            try:
                got = z.decompress(piece, limit + 1 - len(out))
            except zlib.error:
                out += _to_the_fault(before, piece, limit - len(out))
                return bytes(out), (Note("damaged", "the gzip stream is damaged; read up to there", offset=at),)
            out += got
            if (cap := _cap(len(out), at + len(piece), len(got), len(piece), limit)) is not None:
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
    at = 0
    while raw.startswith(_ZSTD, at):
        frame = new_frame()
        while not frame.eof and at < len(raw):
            try:
                got = frame.decompress(raw[at : at + _ZSTD_PIECE])
            except fault:
                return bytes(out), (Note("damaged", "the zstd stream is damaged; read up to there", offset=at),)
            out += got
            at = min(len(raw), at + _ZSTD_PIECE) - len(frame.unused_data)
            # a block gives nothing until it is whole, so that no piece tells by itself
            if (cap := _cap(len(out), at, len(got), _ZSTD_BLOCK, limit)) is not None:
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


def _cap(out: int, packed: int, got: int, piece: int, limit: int) -> int | None:
    """How much of so many bytes is kept where they are too many or of a bomb, None where it may go on.

    packed: what they were unpacked from; got, piece: the same of the last piece alone
    """
    if out > FREE_BYTES and (out > MAX_RATIO * packed or got > MAX_BURST * piece):
        return min(limit, max(FREE_BYTES, out - got))
    return limit if out > limit else None


def _too_large(cap: int, limit: int) -> Note:
    if cap < limit:
        return Note(
            "too-large", f"unpacks to many times its size, as no log does; only {cap} bytes were read", offset=cap
        )
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
