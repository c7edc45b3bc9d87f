"""Remote files copied once: a bounded mirror per root, in which a file is fetched again only when it changed."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from typing import Any

from curvedoc.core.diagnosis import Unreadable
from curvedoc.core.errors import UsageError
from curvedoc.core.files.cache_files import KEEP_SECONDS, cache_place
from curvedoc.ingest.bytes import file as file_bytes
from curvedoc.ingest.find.remote_list import REQUESTS, Item, Listing, listings, opened, trouble
from curvedoc.ingest.find.walk import claimant
from curvedoc.ingest.registry import READERS
from curvedoc.ingest.settings import files

#: All mirrors together, unless CURVEDOC_REMOTE_LIMIT says another number of MB.
LIMIT_MB = 16384
#: A larger file shows its head first, and is fetched whole only where that is of a log.
WHOLE_BYTES = 1 << 20
_USED = "used"
#: Files that belong to a store of many, whose own heads say nothing.
_PARTS_OF_STORE = ("-wal", "-shm", "-journal")

Progress = Callable[[str, int, int], None]


def copied(url: str, progress: Progress | None = None) -> tuple[list[Path], list[Unreadable]]:
    """A local copy of each root that the URL names, and the files that could not be copied, by their local paths.

    What is there unchanged is not fetched again, so that an interrupted call goes on where it was. Raises UsageError
    where nothing can be listed.
    """
    fs, path = opened(url)
    base = cache_place("remote")
    places, lost = [], []
    for listing in listings(fs, path, url):
        mirror = (
            base / hashlib.sha256(f"{fs.protocol}|{listing.root}".encode("utf-8", "surrogatepass")).hexdigest()[:20]
        )
        root = mirror / listing.name
        _begin(base, mirror, root, listing)
        lost += _fill(fs, listing, root, _room(base, mirror), progress)
        places.append(root)
    return places, lost


def _begin(base: Path, mirror: Path, root: Path, listing: Listing) -> None:
    """Make the mirror's folder, mark it as used, and drop what is no longer there or has not been used for long."""
    try:
        (root.parent if listing.single else root).mkdir(parents=True, exist_ok=True)
        (mirror / _USED).touch()
        now = time.time()
        for other in base.iterdir():
            if other != mirror and now - _last_used(other) > KEEP_SECONDS:
                shutil.rmtree(other, ignore_errors=True)
        kept = {_local(root, listing, item) for item in listing.items}
        for path in _files(mirror):
            if path not in kept and path.name != _USED and not path.name.endswith(".part"):
                path.unlink(missing_ok=True)
    except OSError as e:
        hint = "set CURVEDOC_CACHE to a folder that can be written"
        raise UsageError(f"remote files cannot be kept: {e.strerror}", str(base), hint) from e


def _local(root: Path, listing: Listing, item: Item) -> Path:
    return (root.parent if listing.single else root).joinpath(*item.parts)


def _files(folder: Path) -> Iterator[Path]:
    for at, _, names in os.walk(folder):
        yield from (Path(at, name) for name in names)


def _last_used(mirror: Path) -> float:
    try:
        return (mirror / _USED).stat().st_mtime
    except OSError:
        return 0.0


def _held(folder: Path) -> int:
    """Bytes on disk, where holes count as nothing."""
    total = 0
    for path in _files(folder):
        with suppress(OSError):
            info = path.stat()
            total += min(info.st_size, getattr(info, "st_blocks", 1 << 50) * 512)
    return total


def _room(base: Path, mirror: Path) -> Callable[[int], bool]:
    """A function that says whether so many more bytes may be kept, dropping the mirrors that were not used longest."""
    limit = _limit()
    held = {m: _held(m) for m in base.iterdir()}
    state = {"total": sum(held.values())}
    others = sorted((m for m in held if m != mirror), key=_last_used, reverse=True)

    def take(size: int) -> bool:
        while state["total"] + size > limit and others:
            oldest = others.pop()
            shutil.rmtree(oldest, ignore_errors=True)
            state["total"] -= held[oldest]
        if state["total"] + size > limit:
            return False
        state["total"] += size
        return True

    return take


def _limit() -> int:
    given = os.environ.get("CURVEDOC_REMOTE_LIMIT", "")
    if not given:
        return LIMIT_MB << 20
    if not given.isdecimal() or not int(given):
        raise UsageError(f"'{given}' is no number of MB", "CURVEDOC_REMOTE_LIMIT", "for example 4096")
    return int(given) << 20


def _fill(
    fs: Any, listing: Listing, root: Path, take: Callable[[int], bool], progress: Progress | None
) -> list[Unreadable]:
    """Fetch what is missing or changed, several at once; give back what could not be had."""
    lost = [Unreadable(str(root / Path(r).name), "its remote path cannot be one of this disk") for r in listing.refused]
    todo = []
    for item in listing.items:
        path = _local(root, listing, item)
        if _is_current(path, item):
            continue
        if not take(item.size if item.size <= file_bytes.MAX_BYTES else file_bytes.HEAD_BYTES):
            lost.append(
                Unreadable(str(path), "not copied: the copies would be larger than CURVEDOC_REMOTE_LIMIT allows")
            )
            continue
        todo.append((item, path))
    stores = {i.parts[:-1] for i in listing.items if i.parts[-1] == "meta.yaml"}
    pool = ThreadPoolExecutor(REQUESTS)
    try:
        jobs = {pool.submit(_fetch, fs, i, p, _of_store(i, stores)): (i, p) for i, p in todo}
        for done, job in enumerate(as_completed(jobs), 1):
            item, path = jobs[job]
            reason = job.result()
            if reason:
                lost.append(Unreadable(str(path), reason))
            if progress is not None:
                progress("copy", done, len(jobs))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return sorted(lost, key=lambda u: u.path)


def _is_current(path: Path, item: Item) -> bool:
    try:
        info = path.stat()
    except OSError:
        return False
    return info.st_size == item.size and info.st_mtime_ns == item.modified


def _of_store(item: Item, stores: set[tuple[str, ...]]) -> bool:
    """Whether a file is a part of a store of many (a metric of MLflow's, the log of a database)."""
    return item.parts[-1].endswith(_PARTS_OF_STORE) or any(item.parts[:n] in stores for n in range(1, len(item.parts)))


def _fetch(fs: Any, item: Item, path: Path, whole: bool) -> str:
    """Copy one file under its final name with the remote's time; the reason where that fails, else ""."""
    part = path.with_name(f".{hashlib.sha256(path.name.encode()).hexdigest()[:16]}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if whole or item.size <= WHOLE_BYTES:
            fs.get_file(item.remote, str(part))
        else:
            _large(fs, item, path, part)
        if part.stat().st_size != item.size:
            # it grew or shrank since it was listed: what came is taken, and asked for again next time
            part.replace(path)
            return ""
        os.utime(part, ns=(item.modified, item.modified))
        part.replace(path)
    except FileNotFoundError:
        return "it is gone since the tree was listed"
    except PermissionError:
        return "access denied by the remote store"
    except Exception as e:  # each store raises its own kind; it costs this file, and is told
        return trouble(e, item.remote).what.replace("it cannot be listed", "it cannot be copied")
    finally:
        part.unlink(missing_ok=True)
    return ""


def _large(fs: Any, item: Item, path: Path, part: Path) -> None:
    """Fetch a large file: whole where its head is of a log; else its head, and a hole for the rest."""
    head = fs.cat_file(item.remote, start=0, end=file_bytes.HEAD_BYTES)
    part.write_bytes(head)
    shown = file_bytes.read_head(part)
    if item.size <= file_bytes.MAX_BYTES and (_is_log(path, part, shown) or _long_record(shown)):
        fs.get_file(item.remote, str(part))
        return
    os.truncate(part, item.size)


def _is_log(path: Path, part: Path, head: bytes) -> bool:
    if head.startswith(b"SQLite format 3\x00"):
        return True
    return claimant(path, head, READERS) is not None or files.is_config(path, head)


def _long_record(head: bytes) -> bool:
    """Whether the head is one unfinished JSON record, of which a walk looks at more."""
    return b"\n" not in head and head.lstrip()[:1] == b"{"
