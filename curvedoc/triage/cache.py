"""Outcomes kept on disk under a key of the files they came from; what cannot be read there counts as absent."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import os
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from curvedoc.diagnosis import Curve, RunDiagnosis
from curvedoc.ingest.cache_place import cache_place
from curvedoc.triage.codec import BAD_BYTES, decode, decode_curves, encode, encode_curves, names_of
from curvedoc.triage.outcome import Outcome

if TYPE_CHECKING:
    from curvedoc.ingest import Bundle

MAGIC = "curvedoc-outcome/3"
#: Entries that nobody wrote or renewed for so long are dropped, looked for once a day.
KEEP_SECONDS = 30 * 86400
_DAY = 86400
#: An entry unpacks to no more than this: the cache is a file like any other and may be hostile.
_MOST = 64 << 20


def folder() -> Path:
    """Where this user's outcomes are kept: $CURVEDOC_CACHE, else the platform's place for caches."""
    return cache_place("triage")


def code_mark() -> str:
    """A hash of the program itself, so that another version, or an edited one, starts afresh."""
    root = Path(__file__).resolve().parent.parent
    rows = []
    for path in sorted(root.rglob("*.py")):
        info = path.stat()
        rows.append(f"{path.relative_to(root).as_posix()} {info.st_size} {info.st_mtime_ns}")
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def key(bundle: Bundle, mark: str) -> str:
    """The key of a bundle: its name, every file with size and time of change, and `mark` for all that is the same for
    a whole call (program, rules, options). A file that is gone counts as such."""
    rows: list[object] = [mark, bundle.name, str(bundle.root)]
    for m in bundle.members:
        rows.append([str(m.path), m.reader, m.bytes, m.prefix, m.rank, m.attempt, *_stamp(m.path)])
    rows += [[str(p), *_stamp(p)] for p in bundle.configs]
    return hashlib.sha256(json.dumps(rows).encode("utf-8", "surrogatepass")).hexdigest()


def _stamp(path: Path) -> tuple[int, int]:
    try:
        info = path.stat()
    except OSError:
        return -1, -1
    return info.st_size, info.st_mtime_ns


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of outcomes. Saving writes beside and renames; loading never raises for what it finds."""

    folder: Path

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key[2:]}.z"

    def save(self, key: str, outcome: Outcome) -> None:
        """Keep an outcome; a disk that is full or read-only costs the speed of the next call and nothing else."""
        from curvedoc.triage.slim import slim

        light = replace(outcome, runs=tuple(slim(r) for r in outcome.runs))
        self.put(key, encode(light), [r.curves for r in outcome.runs])

    def put(self, key: str, parts: Sequence[bytes], curves: Sequence[Sequence[Curve]]) -> None:
        """Keep an outcome as `codec.encode` gave it, and the whole curves of its runs."""
        packed = [*map(_pack, parts), *(zlib.compress(encode_curves(c), 1) for c in curves)]
        body = b"".join(packed)
        sizes = " ".join(str(len(p)) for p in packed)
        first = f"{MAGIC} {zlib.crc32(body):08x} {len(curves)} {sizes}\n"
        path = self._path(key)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            try:
                part.write_bytes(first.encode() + body)
            except FileNotFoundError:
                path.parent.mkdir(parents=True, exist_ok=True)
                part.write_bytes(first.encode() + body)
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)

    def has(self, key: str) -> bool:
        """Whether there is an entry, sound or not."""
        return self._path(key).exists()

    def load(self, key: str) -> Outcome | None:
        """The outcome with slim runs; None where there is none or it is damaged."""
        found = self._parts(key)
        if found is None:
            return None
        try:
            return decode([_unpack(p) for p in found[0]])
        except BAD_BYTES:
            return None

    def whole(self, key: str, run: RunDiagnosis) -> RunDiagnosis:
        """The slim run with its curves as they were saved; as it is where they are not there any more."""
        found = self._parts(key)
        if found is None:
            return run
        try:
            at = names_of([_unpack(p) for p in found[0]]).index(run.run)
            return replace(run, curves=decode_curves(_unpack(found[1][at])))
        except BAD_BYTES:
            return run

    def _parts(self, key: str) -> tuple[list[bytes], list[bytes]] | None:
        """The packed parts of an entry, and the packed curves of each run."""
        try:
            data = self._path(key).read_bytes()
        except OSError:
            return None
        first, _, body = data.partition(b"\n")
        words = first.decode("latin-1").split()
        if len(words) < 3 or words[0] != MAGIC or not all(w.isdecimal() and len(w) < 10 for w in words[2:]):
            return None
        runs, sizes = int(words[2]), [int(w) for w in words[3:]]
        if sum(sizes) != len(body) or f"{zlib.crc32(body):08x}" != words[1] or runs > len(sizes):
            return None
        ends = list(itertools.accumulate(sizes))
        parts = [body[end - size : end] for end, size in zip(ends, sizes, strict=True)]
        return parts[: len(parts) - runs], parts[len(parts) - runs :]

    def prune(self, now: float | None = None) -> None:
        """Drop entries that are old, at most once a day."""
        now = time.time() if now is None else now
        stamp = self.folder / "pruned"
        try:
            if stamp.exists() and now - stamp.stat().st_mtime < _DAY:
                return
            self.folder.mkdir(parents=True, exist_ok=True)
            stamp.touch()
            for path in (*self.folder.glob("??/*"), *self.folder.glob("trees/*")):
                if now - path.stat().st_mtime > KEEP_SECONDS:
                    path.unlink(missing_ok=True)
        except OSError:
            return  # a cache that cannot be tidied is still a cache


@functools.lru_cache(maxsize=256)
def _pack(part: bytes) -> bytes:
    # of a run's parts most are those of the run before
    return zlib.compress(part, 1)


@functools.lru_cache(maxsize=256)
def _unpack(data: bytes) -> bytes:
    try:
        z = zlib.decompressobj()
        found = z.decompress(data, _MOST)
    except zlib.error as e:
        raise ValueError(str(e)) from e
    if not z.eof:
        raise ValueError("an entry that does not end")
    return found
