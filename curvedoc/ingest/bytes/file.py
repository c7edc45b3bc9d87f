"""Bytes and text of a file as it lies on disk: plain, gzip or zstd, whole or torn, in whatever encoding."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Note
from curvedoc.ingest.bytes.compression import GZIP, MOST, ZSTD, ZSTD_BLOCK, Read, Unpacked
from curvedoc.ingest.bytes.encodings import legacy
from curvedoc.ingest.bytes.long_text import LongText
from curvedoc.ingest.bytes.sparse import HOLE_BYTES, LINES, TEXT_HOLE_BYTES, SparseFile, drained, shortened

#: No log of scalars is larger; a file that is gets its first part read, with a note.
MAX_BYTES = 1 << 30
#: So much text is read as it is: with what readers make of it, it takes less than a gigabyte.
MAX_TEXT = 64 << 20
#: What a reader's `claims` is shown.
HEAD_BYTES = 1 << 16
_PIECE = 1 << 16
_CR, _LF = b"\r\n"
_PARQUET = b"PAR1"
#: What a codec of other than one byte a sign begins with, in which no line can be told by its bytes.
_WIDE = ("utf-16-le", "utf-16-be", "utf-32-le")
_POINTERS = (
    (b"version https://git-lfs", "a git-LFS pointer, not the file itself: run `git lfs pull`"),
    (b"/annex/objects/", "a git-annex pointer, not the file itself: run `git annex get`"),
)
_HOLE = late_regex("\x00+")
#: Possessive, and never begun inside a run: a long hole within a line is looked at once.
_HOLE_AT_END = late_regex("(?<![^\n])\x00++|(?<!\x00)\x00++(?![^\n])")
_LINE_END = late_regex("(?<!\r)\r++\n")


def read_bytes(path: Path, limit: int = MAX_BYTES, text: bool = True) -> tuple[bytes, tuple[Note, ...]]:
    """The file's content, decompressed where it is .gz or .zst (told by its magic), up to `limit` bytes.

    A torn or damaged archive gives everything up to the tear; what stops the reading early is a note: "unreadable",
    "truncated", "damaged", "too-large" or "needs-zstd". Pipes, sockets and folders are never opened.

    text: the file is no binary one, so that zeros mean nothing and no line is endless (see `drained`)
    """
    raw, notes = _raw(path, limit, text)
    if not raw.startswith((GZIP, ZSTD)):
        return raw, notes
    data, more = _unpacked(io.BytesIO(raw).read, limit)
    return data, notes + more


def read_text(
    path: Path, limit: int = MAX_TEXT, by_line: Callable[[bytes], bool] = lambda head: True
) -> tuple[bytes, tuple[Note, ...]]:
    """As `read_bytes`, but of more text than the limit the beginning and the end are given, and fewer lines of what
    lies between (a note "thinned" says so). Memory: about twice the limit, whatever the length.

    by_line: says of the head whether each line stands for itself; else nothing between the two ends is given
    """
    try:
        info = path.stat()
        if not stat.S_ISREG(info.st_mode) or info.st_size < min(TEXT_HOLE_BYTES, limit):
            return read_bytes(path, limit)
        with path.open("rb") as f:
            head = f.read(1 << 12)
        packed = head.startswith((GZIP, ZSTD))
        if head.startswith(_PARQUET) or (not packed and (info.st_size <= limit or _codec(head)[0] in _WIDE)):
            return read_bytes(path, limit)
        with SparseFile(path, TEXT_HOLE_BYTES) as f:
            return _long(f, limit, by_line, packed)
    except OSError as e:
        return b"", (Note("unreadable", e.strerror or type(e).__name__),)


def _long(
    file: SparseFile, limit: int, by_line: Callable[[bytes], bool], packed: bool
) -> tuple[bytes, tuple[Note, ...]]:
    """What is left of a long or packed text."""
    out = LongText(limit, by_line)
    told: list[Note] = []

    def read(size: int) -> bytes:
        try:
            return file.read(size) or b""
        except OSError as e:
            told.append(Note("unreadable", f"{e.strerror or type(e).__name__} midway", offset=file.taken))
            return b""

    unpacked = Unpacked(read)
    for piece in unpacked if packed else iter(partial(read, LINES), b""):
        out.add(shortened(piece), (unpacked.taken if packed else file.taken) / max(1, file.size))
    data, notes = out.finish()
    return data, (*told, *unpacked.notes, *notes, *file.notes)


def read_head(path: Path, size: int = HEAD_BYTES, info: os.stat_result | None = None) -> bytes:
    """The first `size` bytes, decompressed; b"" for what cannot be opened. `info`: what `stat` just said of it."""
    raw, _ = _raw(path, size, text=False, info=info)
    if raw.startswith((GZIP, ZSTD)):
        raw, _ = _raw(path, max(size, ZSTD_BLOCK), text=False)
        return _unpacked(io.BytesIO(raw).read, size)[0]
    return raw


def why_nothing(path: Path) -> str:
    """Why a packed file gives no bytes, as without the library that unpacks it; "" for any other."""
    raw, _ = _raw(path, ZSTD_BLOCK, text=False)
    told = _unpacked(io.BytesIO(raw).read, HEAD_BYTES)[1] if raw.startswith((GZIP, ZSTD)) else ()
    return told[0].text if told else ""


def _unpacked(read: Read, limit: int) -> tuple[bytes, tuple[Note, ...]]:
    """Everything in a packed file up to the limit."""
    parts: list[bytes] = []
    size = 0
    source = Unpacked(read, min(MOST, limit + 1))
    for piece in source:
        parts.append(piece)
        size += len(piece)
        if size > limit:
            return b"".join(parts)[:limit], (
                Note("too-large", f"only the first {limit} bytes were read", offset=limit),
            )
    return b"".join(parts), source.notes


def read_pieces(path: Path, count: int, size: int) -> list[bytes]:
    """So many pieces of a plain file, evenly apart and the last at its end; none of a packed one or of what cannot be
    opened."""
    try:
        with path.open("rb") as f:
            if f.read(4).startswith((GZIP, ZSTD)):
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


@lru_cache(maxsize=1)  # several readers ask it of the same head
def clean_head(head: bytes) -> bytes:
    """The head of a file as `text_bytes` gives it."""
    return text_bytes(head)[0]


@lru_cache(maxsize=1)
def decoded_head(head: bytes) -> str:
    """The head of a file as `decode` gives it."""
    return decode(head)[0]


def _paired(data: bytes) -> bool:
    """Whether every carriage return stands before a line feed. (A search for the two is several times slower.)"""
    text = np.frombuffer(data, np.uint8)
    for i in range(0, len(text), _PIECE):
        piece = text[i : i + _PIECE + 1]
        if bool(((piece[:-1] == _CR) & (piece[1:] != _LF)).any()):
            return False
    return not data.endswith(b"\r")


#: A page with a table of so many rows in its first bytes may be a report.
_OPENING, _ROWS = 1 << 16, 4


def pointer(data: bytes) -> Note | None:
    """A note where the content only stands for the log: a git-LFS or git-annex pointer, an HTML page without
    a table."""
    head = data[:512].lstrip().lower()
    if len(data) < 1024:
        for mark, text in _POINTERS:
            if mark in head:
                return Note("lfs-pointer", text)
    if head.startswith((b"<!doctype html", b"<html")) and data[:_OPENING].lower().count(b"<tr") < _ROWS:
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
                text = not f.read(len(_PARQUET)).startswith((GZIP, ZSTD, _PARQUET))
        with SparseFile(path, TEXT_HOLE_BYTES if text else HOLE_BYTES) as f:
            data, notes = drained(f.read, limit, text)
            return data, (*notes, *f.notes)
    except OSError as e:
        return b"", (Note("unreadable", e.strerror or type(e).__name__),)


def _codec(data: bytes) -> tuple[str, int]:
    """The codec and the length of the byte order mark; without a mark, UTF-16 shows by a NUL in every other byte.

    Lines that end without a NUL are not of two bytes a character, whatever two bytes stand before them.
    """
    sample = data[: 1 << 12]
    narrow = b"\n" in sample and b"\x00" not in sample
    for mark, codec in (
        (b"\xff\xfe\x00\x00", "utf-32-le"), (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
    ):  # fmt: skip
        if data.startswith(mark):
            return "utf-8" if narrow else codec, len(mark)
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
