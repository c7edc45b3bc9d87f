"""Files of a cache: where they lie, written whole or not at all, damaged ones as good as absent, old ones dropped.

A cache is a file like any other and may be hostile; one that cannot be written or tidied costs the speed of the next
call and nothing else.
"""

from __future__ import annotations

import os
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

#: Files that nobody wrote or renewed for so long are dropped, looked for once a day.
KEEP_SECONDS = 30 * 86400
_DAY = 86400
_STAMP = "pruned"
#: What names the place of caches.
_NAMED_BY = ("CURVEDOC_CACHE", "LOCALAPPDATA", "XDG_CACHE_HOME", "HOME", "USERPROFILE")


def cache_place(kind: str) -> Path:
    """The folder for one kind of cache: $CURVEDOC_CACHE/kind, else below the platform's place for caches."""
    return _place(kind, *map(os.environ.get, _NAMED_BY))


@lru_cache(maxsize=16)  # every file of rules has an entry
def _place(kind: str, chosen: str | None, *_: str | None) -> Path:
    if chosen:
        return Path(chosen) / kind
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "curvedoc" / kind


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of `path` when it is whole; what stood there stays where it fails.

    Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    except BaseException:  # Ctrl-C as well leaves nothing behind, and goes on
        part.unlink(missing_ok=True)
        raise


def write_entry(path: Path, magic: bytes, body: bytes) -> None:
    """Keep one entry: a line of what it is and its checksum, then the body. Raises OSError."""
    with replacing(path) as file:
        file.write(magic + b" %08x\n" % zlib.crc32(body) + body)


def read_entry(path: Path, magic: bytes, most: int) -> bytes | None:
    """The body of an entry of at most so many bytes; None where there is none of this kind, or it is damaged."""
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError:
        return None
    head, _, body = data.partition(b"\n")
    return body if len(data) <= most and head == magic + b" %08x" % zlib.crc32(body) else None


def drop_old(folder: Path, patterns: tuple[str, ...], now: float | None = None) -> None:
    """Drop the files of a cache that are old, at most once a day, and the folders that this leaves empty."""
    now = time.time() if now is None else now
    stamp = folder / _STAMP
    try:
        if stamp.exists() and now - stamp.stat().st_mtime < _DAY:
            return
        folder.mkdir(parents=True, exist_ok=True)
        stamp.touch()
        for path in [p for pattern in patterns for p in folder.glob(pattern)]:
            if now - path.stat().st_mtime > KEEP_SECONDS:
                path.unlink(missing_ok=True)
                if path.parent != folder and not any(path.parent.iterdir()):
                    path.parent.rmdir()
    except OSError:
        return
