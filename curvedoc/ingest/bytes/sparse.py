"""A file without what nobody wrote: holes of a sparse file are shortened, and it ends where it ended when opened."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Note

#: Shorter holes are read as the zeros they stand for: a copying tool leaves them where a record holds zeros.
HOLE_BYTES = 64 << 20
#: In text no zero was ever meant.
TEXT_HOLE_BYTES = 1 << 16
#: A longer line was meant for something else; a document may be one line, but none is larger (see `json_rows`).
MAX_LINE = 1 << 27
#: What is left of a hole, so that the reader sees that something is missing.
_KEPT = 1 << 12
#: A file with more holes than that was made to cost time; the rest of it is read as it is.
_MAX_HOLES = 10_000
#: One call brings most logs whole, without a copy to join them.
_READ = 1 << 26
#: Of a text that is looked at in stretches, so much at a time.
LINES = 1 << 22
_ZEROS = late_regex(b"\x00{%d,}" % TEXT_HOLE_BYTES)
_RUN = bytes(TEXT_HOLE_BYTES)


class SparseFile(io.RawIOBase):
    """The bytes of a regular file, each hole of at least `hole` bytes as 4 KiB of zeros. Raises OSError as `open` does.

    empty: how many bytes the holes stand for; at: where the first one is; size: of the file; taken: how much is read
    """

    def __init__(self, path: Path, hole: int = HOLE_BYTES) -> None:
        self._file = path.open("rb", buffering=0)
        info = os.fstat(self._file.fileno())
        self.empty = 0
        self.at = 0
        self.size = info.st_size
        self._runs: list[tuple[int | None, int]] = []  # place (None: zeros) and length of what is still to be read
        end = 0
        sparse = getattr(info, "st_blocks", info.st_size) * 512 < info.st_size
        for start, stop in _holes(self._file.fileno(), info.st_size, hole) if sparse else ():
            if not self.empty:
                self.at = start
            self.empty += stop - start
            self._runs += [(end, start - end), (None, _KEPT)]
            end = stop
        self._runs.append((end, info.st_size - end))
        self._runs.reverse()
        self._placed = False

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was left out."""
        text = f"{self.empty:,} bytes that were never written (holes in the file) were skipped"
        return (Note("nul-bytes", text, offset=self.at),) if self.empty else ()

    @property
    def taken(self) -> int:
        """The place in the file up to which it was read."""
        return self.size - sum(left for place, left in self._runs if place is not None) if self._runs else self.size

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes | None:
        """As `readinto`, without a copy where a stretch of the file is asked for."""
        if size < 0 or not self._runs or self._runs[-1][0] is None:
            return super().read(size)
        place, left = self._runs.pop()
        if not self._placed and place is not None:
            self._file.seek(place)
        part = self._file.read(min(size, left))
        self._advance(place, left, len(part))
        return part if part or not self._runs else self.read(size)

    def _advance(self, place: int | None, left: int, n: int) -> None:
        self._placed = place is not None and 0 < n < left
        if 0 < n < left:
            self._runs.append((None if place is None else place + n, left - n))

    def readinto(self, room: Any) -> int:
        view = memoryview(room)
        while self._runs:
            place, left = self._runs.pop()
            if place is None:
                n = min(left, len(view))
                view[:n] = bytes(n)
            else:
                if not self._placed:
                    self._file.seek(place)
                n = self._file.readinto(view[:left]) or 0
            self._advance(place, left, n)
            if n:
                return n
        return 0

    def close(self) -> None:
        self._file.close()
        super().close()


def _holes(file: int, size: int, least: int) -> Iterator[tuple[int, int]]:
    """Start and end of the holes of at least so many bytes; none where the file system does not tell."""
    at = 0
    try:
        for _ in range(_MAX_HOLES):
            start = os.lseek(file, at, os.SEEK_HOLE)
            if start >= size:
                return
            try:
                at = os.lseek(file, start, os.SEEK_DATA)
            except OSError as e:
                if e.errno != errno.ENXIO:  # no data from here on
                    raise
                at = size
            if at - start >= least:
                yield start, at
            if at >= size:
                return
    except (OSError, AttributeError):
        return


def shortened(part: bytes) -> bytes:
    """A part of a text with long runs of zeros made short."""
    return _ZEROS.sub(bytes(_KEPT), part) if b"\x00" in part and _RUN in part else part


def drained(read: Callable[[int], bytes | None], limit: int, text: bool) -> tuple[bytes, tuple[Note, ...]]:
    """Everything that `read` gives up to `limit`; an I/O error midway keeps what came before it.

    text: runs of zeros are shortened, and lines of more than 128 MB are left out
    """
    parts: list[bytes] = []
    notes: list[Note] = []
    size = line = 0  # what is kept, and how much of it belongs to the last line
    skipping = False
    while size <= limit:
        try:
            part = read(min(_READ, limit - size + 1))
        except OSError as e:
            return b"".join(parts), (
                *notes,
                Note("unreadable", f"{e.strerror or type(e).__name__} midway", offset=size),
            )
        if not part:
            return parts[0] if len(parts) == 1 else b"".join(parts), tuple(notes)
        if text:
            part = shortened(part)
        if skipping:
            behind = part.find(b"\n")
            if behind < 0:
                continue
            part, skipping = part[behind:], False
        parts.append(part)
        size += len(part)
        end = part.rfind(b"\n")
        line = line + len(part) if end < 0 else len(part) - end - 1
        if text and line > MAX_LINE:
            whole = b"".join(parts)
            size -= line
            parts, line, skipping = [whole[:size]], 0, True
            notes.append(Note("too-large", f"a line of more than {MAX_LINE >> 20} MB was left out", offset=size))
    return b"".join(parts)[:limit], (*notes, Note("too-large", f"only the first {limit} bytes were read", offset=limit))
