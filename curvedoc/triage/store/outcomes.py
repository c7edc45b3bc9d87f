"""Outcomes kept on disk under a key of the files they came from; what cannot be read there counts as absent."""

from __future__ import annotations

import functools
import hashlib
import json
import sys
import zlib
from collections.abc import Sequence
from dataclasses import field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curvedoc.core.diagnosis import Curve, RunDiagnosis
from curvedoc.core.entry_points import brought_by
from curvedoc.core.files.cache_files import cache_place, drop_old
from curvedoc.core.frozen import dataclass
from curvedoc.triage.store.codec import BAD_BYTES, decode_curves, dump, encode_curves, load
from curvedoc.triage.store.outcome import Outcome, decode, encode
from curvedoc.triage.store.packs import Packs

if TYPE_CHECKING:
    from curvedoc.ingest import Bundle

#: What some files cannot be read without, and what need not be installed; from Python 3.14 on it has its own.
_OPTIONAL = ("zstandard",)
#: Begins a part as it is; any other is compressed.
_RAW = b"\0"
_SHORT = 200
#: An entry unpacks to no more than this: the cache is a file like any other and may be hostile.
_MOST = 64 << 20


def folder() -> Path:
    """Where this user's outcomes are kept: $CURVEDOC_CACHE, else the platform's place for caches."""
    return cache_place("triage")


def code_mark() -> str:
    """A hash of the program itself, so that another version, or an edited one, starts afresh; of the libraries as well
    without which a file is told as unreadable, so that it is read once they are there."""
    root = Path(__file__).resolve().parents[2]
    rows = [f"{name} {spec.origin if (spec := find_spec(name)) else ''}" for name in _OPTIONAL]
    rows += [f"Python {sys.version_info[:2]}", *brought_by()]
    for path in sorted(root.rglob("*.py")):
        info = path.stat()
        rows.append(f"{path.relative_to(root).as_posix()} {info.st_size} {info.st_mtime_ns}")
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def key(bundle: Bundle, mark: str) -> str:
    """The key of a bundle: its name, every file with size and time of change, and `mark` for all that is the same for
    a whole call (program, rules, options). A file that is gone counts as such."""
    rows: list[object] = [mark, bundle.name, str(bundle.root), bundle.quiet]
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
    """A folder of outcomes. Saving appends; loading never raises for what it finds.

    lasting: whether later calls read it; one that does not last keeps only the curves that a report may ask for
    """

    folder: Path
    lasting: bool = True
    _packs: list[Packs] = field(default_factory=list, init=False, repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (self.folder, self.lasting)  # another process writes a file of its own

    @property
    def packs(self) -> Packs:
        """What this process knows of the folder: what it wrote, and what was there at the last look."""
        if not self._own.looked:
            self._own.look()
        return self._own

    @property
    def _own(self) -> Packs:
        # what others wrote is not asked for by who only writes
        if not self._packs:
            self._packs.append(Packs(self.folder / "packs"))
        return self._packs[0]

    def save(self, key: str, outcome: Outcome) -> None:
        """Keep an outcome; a disk that is full or read-only costs the speed of the next call and nothing else."""
        from curvedoc.triage.store.slim import slim  # who only reads needs none of what it imports

        light = replace(outcome, runs=tuple(slim(r) for r in outcome.runs))
        self.put(key, light, [r.curves for r in outcome.runs])

    def put(self, key: str, light: Outcome, curves: Sequence[Sequence[Curve]]) -> None:
        """Keep an outcome with slim runs, and the whole curves of these."""
        parts = [_RAW + dump([r.run for r in light.runs])]
        coded = encode(light)  # as which it goes to the parent process too
        if self.lasting:
            parts += [_pack(p) for p in coded]
        parts += [_RAW + encode_curves(c) for c in curves]
        try:
            self._own.add(key, parts)
        except OSError:
            return

    def look(self) -> None:
        """See what workers have added."""
        self._own.look()

    def has(self, key: str) -> bool:
        """Whether there is an entry, sound or not."""
        return key in self.packs

    def load(self, key: str) -> Outcome | None:
        """The outcome with slim runs; None where there is none or it is damaged."""
        parts = self.packs.get(key)
        if parts is None:
            return None
        try:
            names = _names(parts[0])
            return decode([_unpack(p) for p in parts[1 : len(parts) - len(names)]])
        except BAD_BYTES:
            return None

    def whole(self, key: str, run: RunDiagnosis) -> RunDiagnosis:
        """The slim run with its curves as they were saved; as it is where they are not there any more."""
        parts = self.packs.get(key)
        if parts is None:
            return run
        try:
            names = _names(parts[0])
            return replace(run, curves=decode_curves(_unpack(parts[len(parts) - len(names) + names.index(run.run)])))
        except BAD_BYTES:
            return run

    def prune(self, now: float | None = None) -> None:
        """Drop entries that are old, at most once a day."""
        drop_old(self.folder, ("packs/*", "trees/*", "??/*"), now)


def _names(part: bytes) -> list[str]:
    return [str(name) for name in load(_unpack(part))]


def _pack(part: bytes) -> bytes:
    # what one run alone has is short, or numbers that do not get shorter
    return _RAW + part if len(part) < _SHORT or part[:1] != b"[" else _packed(part)


@functools.lru_cache(maxsize=256)
def _packed(part: bytes) -> bytes:
    # what runs may share is mostly that of the run before
    return zlib.compress(part, 1)


def _unpack(data: bytes) -> bytes:
    return data[1:] if data[:1] == _RAW else _unpacked(data)


@functools.lru_cache(maxsize=256)
def _unpacked(data: bytes) -> bytes:
    try:
        z = zlib.decompressobj()
        found = z.decompress(data, _MOST)
    except zlib.error as e:
        raise ValueError(str(e)) from e
    if not z.eof:
        raise ValueError("an entry that does not end")
    return found
