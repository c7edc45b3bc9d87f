"""Entries of many runs in few files: a process appends to a file of its own, readers find what all have written.

An entry is one line (what it is, key, checksum, sizes of its parts) and its parts. A process that is killed leaves at
most one that is cut short; what is damaged is passed over up to the next entry that begins.
"""

from __future__ import annotations

import itertools
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

MAGIC = b"curvedoc-outcome/4 "
_LONGEST_LINE = 1 << 16
#: An entry is no longer than this: the cache is a file like any other and may be hostile.
_MOST = 256 << 20
_CHUNK = 1 << 20
SUFFIX = ".pack"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an entry stands, without its first line."""

    path: str
    start: int
    sizes: tuple[int, ...]
    crc: int


@dataclass(slots=True, eq=False)
class Packs:
    """The entries below a folder, by key."""

    folder: Path
    _known: dict[str, _Place] = field(default_factory=dict)
    _read: dict[str, int] = field(default_factory=dict)  # file -> how far it was looked through
    _own: tuple[int, Path] | None = None  # the file that this process appends to
    looked: bool = False

    def add(self, key: str, parts: Sequence[bytes]) -> None:
        """Append an entry. Raises OSError."""
        body = b"".join(parts)
        sizes = " ".join(str(len(p)) for p in parts)
        entry = MAGIC + f"{key} {zlib.crc32(body):08x} {sizes}\n".encode() + body
        pid = os.getpid()
        if self._own is None or self._own[0] != pid:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._own = pid, self.folder / f"{pid:x}-{os.urandom(8).hex()}{SUFFIX}"
        with self._own[1].open("ab", buffering=0) as file:
            if file.write(entry) != len(entry):
                raise OSError(f"{self._own[1]}: the disk is full")
            start = file.tell() - len(body)
        self._known[key] = _Place(str(self._own[1]), start, tuple(map(len, parts)), zlib.crc32(body))

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def get(self, key: str) -> list[bytes] | None:
        """The parts of an entry; None where there is none that was seen, or it is damaged."""
        place = self._known.get(key)
        if place is None:
            return None
        try:
            with Path(place.path).open("rb") as file:
                file.seek(place.start)
                body = file.read(sum(place.sizes))
        except OSError:
            return None
        if len(body) != sum(place.sizes) or zlib.crc32(body) != place.crc:
            return None
        ends = list(itertools.accumulate(place.sizes))
        return [body[end - size : end] for end, size in zip(ends, place.sizes, strict=True)]

    def look(self) -> None:
        """See what was added since the last look, by this process and others."""
        self.looked = True
        try:
            with os.scandir(self.folder) as entries:
                files = sorted((e.path, e.stat().st_size) for e in entries if e.name.endswith(SUFFIX))
        except OSError:
            return
        for path, size in files:
            if size > self._read.get(path, 0):
                try:
                    with Path(path).open("rb") as file:
                        self._read[path] = self._scan(path, file, self._read.get(path, 0), size)
                except OSError:
                    continue

    def _scan(self, path: str, file: BinaryIO, at: int, size: int) -> int:
        """Take note of the entries from a place on; where the last whole one ends."""
        before = -1  # where the entry before this place began
        while at < size:
            file.seek(at)
            found = _entry(path, file.readline(_LONGEST_LINE), at)
            end = 0 if found is None else found[1].start + sum(found[1].sizes)
            if found is not None and end <= size:
                self._known[found[0]] = found[1]
                before, at = at, end
                continue
            # damaged, or cut short: here, or somewhere in the entry before, which then ended elsewhere
            following = _next(file, (at if before < 0 else before) + 1)
            if following is None:
                return at  # may be half an entry that is still being written
            before, at = -1, following
        return at


def _entry(path: str, line: bytes, at: int) -> tuple[str, _Place] | None:
    words = line.removeprefix(MAGIC).decode("latin-1").split()
    if not line.startswith(MAGIC) or not line.endswith(b"\n") or len(words) < 2:
        return None
    key, crc, *rest = words
    if len(crc) != 8 or not all(w.isascii() and w.isdigit() and len(w) < 10 for w in rest):
        return None
    sizes = tuple(map(int, rest))
    if sum(sizes) > _MOST:
        return None
    try:
        return key, _Place(path, at + len(line), sizes, int(crc, 16))
    except ValueError:
        return None


def _next(file: BinaryIO, at: int) -> int | None:
    """Where the next entry seems to begin."""
    file.seek(at)
    tail = b""
    while chunk := file.read(_CHUNK):
        found = (tail + chunk).find(MAGIC)
        if found >= 0:
            return at - len(tail) + found
        at += len(chunk)
        tail = (tail + chunk)[1 - len(MAGIC) :]
    return None
