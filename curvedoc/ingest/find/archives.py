"""Archives of runs (.zip, .tar, .tar.gz) -> a folder with their logs, kept within limits."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import stat
import tarfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from curvedoc.core.diagnosis import Unreadable
from curvedoc.core.errors import UsageError
from curvedoc.core.files.cache_files import KEEP_SECONDS, cache_place
from curvedoc.core.frozen import dataclass
from curvedoc.ingest.bytes.file import read_head
from curvedoc.ingest.find.file_names import ARCHIVES, CURVE_NAMES, LOG_NAME, skipped

#: What one archive may unpack to, and hold; nothing within an archive is unpacked again.
MAX_BYTES = 1 << 30
MAX_MEMBERS = 20_000
#: So many names of a zip file, and of a tar file those in so many bytes, say whether it is worth opening.
_LISTED, _LOOKED = 5_000, 8 << 20
_LOG_SUFFIXES = (".csv", ".tsv", ".out", ".err")
#: Where a tar file says what it is.
_USTAR = slice(257, 262)
#: A name that needs more than this is none; the header that holds it is read into memory as a whole.
_HEADER = 1 << 20
_HEADERS = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
_DEEP, _LONG = 40, 255
_PIECE = 1 << 20
_TOLD = "told.json"
#: What the libraries raise of an archive that is damaged, or (RuntimeError, or one of its kind) encrypted or packed in
#: a way that they do not know; a note tells it.
_DAMAGE = (zipfile.BadZipFile, tarfile.TarError, zlib.error, gzip.BadGzipFile, EOFError, RuntimeError)


class _SmallHeaders(tarfile.TarInfo):
    """A member whose further headers are not read where they are no names but a bomb."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in _HEADERS and self.size > _HEADER:
            raise tarfile.ReadError("a header of a member is too large")
        found: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
        return found


@dataclass(frozen=True, slots=True)
class _Content:
    """One regular file of an archive."""

    name: str
    modified: float
    source: IO[bytes]


def is_archive(path: Path) -> bool:
    """Whether a file is an archive by its name (weights and arrays are zip files too) and by what it begins with."""
    if not path.name.lower().endswith(ARCHIVES) or not path.is_file():
        return False
    try:
        return zipfile.is_zipfile(path) or read_head(path)[_USTAR] == b"ustar"
    except OSError:
        return False


def holds_a_log(path: Path) -> bool:
    """Whether one of an archive's first files is called like a log: what most archives hold is data."""
    try:
        names = (PurePosixPath(n.replace("\\", "/")) for n in _first_names(path))
        return any(not skipped(n.name, n.parts[:-1]) and _is_log_name(n.name.lower()) for n in names)
    except (OSError, *_DAMAGE):
        return False


def _is_log_name(name: str) -> bool:
    called = LOG_NAME.fullmatch(name) or CURVE_NAMES.fullmatch(name)
    return called is not None or name.endswith(_LOG_SUFFIXES)


def _first_names(path: Path) -> Iterator[str]:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as z:
            yield from z.namelist()[:_LISTED]
        return
    with tarfile.open(path, "r|*", tarinfo=_SmallHeaders) as t:
        for member in t:
            if member.offset > _LOOKED:
                return
            yield member.name


def unpacked(path: Path, room: int | None = None) -> tuple[Path, list[Unreadable]]:
    """A folder with what the archive holds, and what of it was left out. Unpacked once as long as it stays the same.

    Only regular files below the folder are written: no links, no devices, no path that leads elsewhere. Raises
    UsageError where nothing can be kept.

    room: bytes that it may unpack to; of one that takes more nothing is kept, which is a UsageError too
    """
    info = path.stat()
    said = f"{os.path.realpath(path)}|{info.st_size}|{info.st_mtime_ns}"
    base = cache_place("archives")
    place = base / hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    folder = place / path.name
    try:
        _drop_old(base, place)
        if not (place / _TOLD).is_file():
            part = base / f"{place.name}.{os.getpid()}.part"
            shutil.rmtree(part, ignore_errors=True)
            (part / path.name).mkdir(parents=True)
            reasons = _unpack(path, part / path.name, MAX_BYTES if room is None else room)
            if room is not None and size_of(part) > room:
                shutil.rmtree(part, ignore_errors=True)
                raise UsageError(f"it unpacks to more than {room >> 20:,} MB", "", "name it to read it")
            (part / _TOLD).write_text(json.dumps(reasons), encoding="utf-8")
            shutil.rmtree(place, ignore_errors=True)
            part.replace(place)
        (place / _TOLD).touch()
        reasons = json.loads((place / _TOLD).read_text(encoding="utf-8"))
    except OSError as e:
        hint = "set CURVEDOC_CACHE to a folder that can be written"
        raise UsageError(f"the archive cannot be unpacked: {e.strerror}", str(path), hint) from e
    return folder, [Unreadable(str(folder / "(archive)"), str(reason)) for reason in reasons]


def size_of(folder: Path) -> int:
    """The bytes of all files below a folder."""
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())


def _drop_old(base: Path, mine: Path) -> None:
    base.mkdir(parents=True, exist_ok=True)
    for other in base.iterdir():
        if other != mine and time.time() - other.stat().st_mtime > KEEP_SECONDS:
            shutil.rmtree(other, ignore_errors=True)


def _unpack(path: Path, folder: Path, limit: int) -> list[str]:
    """Write the members, up to so many bytes; why others were left out."""
    strange = count = total = 0
    reasons: list[str] = []
    try:
        for content in _contents(path):
            count += 1
            if count > MAX_MEMBERS:
                reasons.append(f"only its first {MAX_MEMBERS:,} files were unpacked")
                break
            place = _place(folder, content.name)
            if place is None:
                strange += 1
                continue
            if skipped(place.name, place.parts[:-1]):
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            total = _write(content, place, total, limit)
            if total > limit:
                reasons.append(f"it unpacks to more than {limit >> 20:,} MB; the rest was left out")
                break
    except _DAMAGE as e:
        reasons.append(f"the archive is damaged or locked, and read up to there: {e}")
    if strange:
        reasons.append(f"{strange:,} members with names that lead out of the archive were left out")
    return reasons


def _write(content: _Content, place: Path, total: int, limit: int) -> int:
    """Write one file as far as the limit allows; the bytes written so far."""
    with content.source as source, place.open("wb") as out:
        while total <= limit and (piece := source.read(_PIECE)):
            out.write(piece)
            total += len(piece)
    os.utime(place, (content.modified, content.modified))
    return total


def _contents(path: Path) -> Iterator[_Content]:
    """The regular files of an archive, each opened as it is come to: neither links nor devices."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as z:
            for entry in z.infolist():
                mode = entry.external_attr >> 16
                if not entry.is_dir() and (not stat.S_IFMT(mode) or stat.S_ISREG(mode)):
                    yield _Content(entry.filename, _moment(entry.date_time), z.open(entry))
        return
    with tarfile.open(path, "r|*", tarinfo=_SmallHeaders) as t:
        for member in t:
            source = t.extractfile(member) if member.isreg() else None
            if source is not None:
                yield _Content(member.name, max(0.0, float(member.mtime)), source)


def _moment(date: tuple[int, int, int, int, int, int]) -> float:
    try:
        return time.mktime((*date, 0, 0, -1))
    except (ValueError, OverflowError):
        return 0.0


def _place(folder: Path, name: str) -> Path | None:
    """Where a member is written, None for a name that could lead elsewhere."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    safe = all(
        p not in ("..", "/") and "\x00" not in p and ":" not in p[:2] and len(p.encode()) <= _LONG for p in parts
    )
    return folder.joinpath(*parts) if parts and safe and len(parts) <= _DEEP else None
