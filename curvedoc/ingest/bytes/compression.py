"""Packed files unpacked piece by piece: gzip and zstd, to the tear or the damage, and no bomb beyond its first part."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Note

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
#: Log text shrinks 3 to 60 times, a line said over and over 300 times, a file of zeros 1000 times: past this ratio it
#: is a decompression bomb,
MAX_RATIO = 100
#: or one behind an honest beginning, where a single piece grows so much.
MAX_BURST = 400
#: This many bytes of a bomb are read; below, the ratio says nothing.
FREE_BYTES = 64 << 20

_PIECE = 1 << 16
#: One call gives no more than that.
MOST = 1 << 24
#: zstd objects take no bound on what one call gives: a kilobyte of worst case gives 32 MB.
_ZSTD_PIECE = 1 << 10
#: A zstd block gives nothing until it is whole, and holds up to 128 KiB.
ZSTD_BLOCK = 1 << 18

Read = Callable[[int], bytes | None]

_PACKED = late_regex(r"(?:\.(?:gz|zst|zstd))+$")


def unpacked_name(name: str) -> str:
    """The name of a file without the ending that says how it is packed."""
    return _PACKED.sub("", name)


class Unpacked:
    """What a packed file holds, piece by piece: iterate over it. `notes` says at the end what stopped it early.

    taken: bytes of the packed file behind the pieces so far
    """

    def __init__(self, read: Read, most: int = MOST) -> None:
        self.notes: tuple[Note, ...] = ()
        self.taken = 0
        self._read = read
        self._most = most
        self._held = b""  # what was read, unpacked as far as `_at`
        self._at = 0
        self._given = 0

    def __iter__(self) -> Iterator[bytes]:
        self._fill(4)
        if self._held.startswith(ZSTD, self._at):
            yield from self._zstd()
        else:
            yield from self._gzip()

    def _fill(self, size: int) -> bool:
        """Whether so many bytes are at hand, or as many as the file still has."""
        while len(self._held) - self._at < size and (part := self._read(_PIECE)):
            self._held, self._at = self._held[self._at :] + part, 0
        return self._at < len(self._held)

    def _took(self, size: int) -> None:
        self._at += size
        self.taken += size

    def _gzip(self) -> Iterator[bytes]:
        """Every member, to the tear (`gzip.open` would drop the last block of a torn one)."""
        while self._fill(len(GZIP)) and self._held.startswith(GZIP, self._at):
            z = zlib.decompressobj(wbits=31)
            while not z.eof:
                if not self._fill(1):
                    return self._note("truncated", "the gzip stream ends early; read up to there")
                piece = self._held[self._at : self._at + _PIECE]
                before = z.copy()
                try:
                    got = z.decompress(piece, self._most)
                except zlib.error:
                    yield _to_the_fault(before, piece, self._most)
                    return self._note("damaged", "the gzip stream is damaged; read up to there")
                size = len(piece) - len(z.unused_data) - len(z.unconsumed_tail)
                self._took(size)
                room = self._room(len(got), size)
                yield got[:room]
                if room < len(got):
                    return
        self._rest("gzip")

    def _zstd(self) -> Iterator[bytes]:
        """Every frame, to the tear."""
        start = _zstd_frames()
        if start is None:
            self.notes = (Note("needs-zstd", "a .zst file: install `curvedoc[zstd]` to read it"),)
            return
        new_frame, fault = start
        while self._fill(len(ZSTD)) and self._held.startswith(ZSTD, self._at):
            frame = new_frame()
            while not frame.eof:
                if not self._fill(1):
                    return self._note("truncated", "the zstd stream ends early; read up to there")
                piece = self._held[self._at : self._at + _ZSTD_PIECE]
                try:
                    got = frame.decompress(piece)
                except fault:
                    return self._note("damaged", "the zstd stream is damaged; read up to there")
                self._took(len(piece) - len(frame.unused_data))
                # a block gives nothing until it is whole, so that no piece tells by itself
                room = self._room(len(got), ZSTD_BLOCK)
                yield got[:room]
                if room < len(got):
                    return
        self._rest("zstd")

    def _room(self, got: int, piece: int) -> int:
        """How much of what came out last is given: all but of a bomb. piece: how much went in for it."""
        self._given += got
        if self._given <= FREE_BYTES or (self._given <= MAX_RATIO * self.taken and got <= MAX_BURST * piece):
            return got
        kept = max(FREE_BYTES, self._given - got)
        text = f"unpacks to many times its size, as no log does; only {kept} bytes were read"
        self.notes = (Note("too-large", text, offset=kept),)
        return kept - (self._given - got)

    def _rest(self, kind: str) -> None:
        """Tells of what stands behind the last member, if it is not padding."""
        at = self.taken
        while self._fill(1):
            if self._held[self._at :].strip(b"\x00"):
                self.taken = at
                return self._note("damaged", f"bytes after the {kind} stream were skipped")
            self._took(len(self._held) - self._at)

    def _note(self, kind: Any, text: str) -> None:
        self.notes = (Note(kind, text, offset=self.taken),)


def _to_the_fault(z: Any, piece: bytes, most: int) -> bytes:
    """What one piece gives up to the byte at which its stream breaks."""
    out = bytearray()
    try:
        for i in range(len(piece)):
            out += z.decompress(piece[i : i + 1], max(1, most - len(out)))
            if len(out) >= most:
                break
    except zlib.error:
        pass  # the caller tells of the damage
    return bytes(out)


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
