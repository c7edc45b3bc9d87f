"""A binary log as a stream of bytes: read piece by piece, whatever lies on disk, and never an exception."""

from __future__ import annotations

import io
import stat
from pathlib import Path
from types import TracebackType
from typing import Any

from curvedoc.core.run import Note
from curvedoc.ingest.bytes.file import pointer, read_bytes
from curvedoc.ingest.bytes.sparse import SparseFile

_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")  # gzip, zstd


class Stream:
    """Bytes of one file, in order. What keeps it from being read is a note ("unreadable", "lfs-pointer" ...).

    A plain file is read in pieces and never mapped (a file cut while it is mapped kills the process); a packed one is
    unpacked in memory, up to the limits of `opening`. `size` counts the bytes given so far.

    unmangle: turn CRLF back to LF, which undoes a copy in text mode without a loss
    """

    def __init__(self, path: Path, unmangle: bool = False) -> None:
        self.size = 0
        self._file: io.RawIOBase | io.BufferedIOBase | None = None
        self._notes: tuple[Note, ...] = ()
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                self._notes = (Note("unreadable", "not a regular file"),)
                return
            with path.open("rb") as f:
                head = f.read(1024)
            self._file = SparseFile(path)
            self._notes = self._file.notes
        except OSError as e:
            self._stop(e)
            return
        if head.startswith(_PACKED):
            self._file.close()
            data, self._notes = read_bytes(path, text=False)
            self._file = io.BytesIO(data)
            head = data[:1024]
        if unmangle:
            self._file = io.BufferedReader(_Unmangled(self._file))
        if (note := pointer(head)) is not None:
            self._notes += (note,)
            self._file.close()
            self._file = None

    @property
    def notes(self) -> tuple[Note, ...]:
        """What kept the file, or its end, from being read."""
        return self._notes

    def read(self, size: int) -> bytes:
        """Up to `size` bytes, b"" at the end."""
        try:
            part = self._file.read(size) if self._file is not None else b""
        except OSError as e:
            self._stop(e)
            return b""
        self.size += len(part)
        return part

    def readinto(self, room: memoryview) -> int:
        """Fills `room` as far as the file goes; how many bytes were read, 0 at the end."""
        try:
            got = self._file.readinto(room) if self._file is not None else 0
        except OSError as e:
            self._stop(e)
            return 0
        self.size += got
        return int(got)

    def _stop(self, error: OSError) -> None:
        said = error.strerror or type(error).__name__
        self._notes += (Note("unreadable", said, offset=self.size or None),)
        self.close()
        self._file = None

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class _Unmangled(io.RawIOBase):
    """Another file's bytes with every CRLF as LF."""

    def __init__(self, inner: io.RawIOBase | io.BufferedIOBase) -> None:
        self._inner = inner
        self._held = b""  # a CR whose LF may still come

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        while True:
            part = self._inner.read(len(room) - len(self._held)) or b""
            data = self._held + part
            self._held = b"\r" if part and data.endswith(b"\r") else b""
            data = data[: len(data) - len(self._held)].replace(b"\r\n", b"\n")
            if data or not part:
                room[: len(data)] = data
                return len(data)

    def close(self) -> None:
        self._inner.close()
        super().close()
