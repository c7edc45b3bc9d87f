"""The diagnosis of a whole tree in one file: a call that finds nothing changed reads that and neither logs nor rules.

The listing of the tree (names, sizes, times of change) tells whether anything did. The file holds the curves of all
runs, then, packed, a line per run and per part that several share; one that is damaged counts as absent.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import json
import os
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, BinaryIO

from curvedoc.core.diagnosis import Diagnosis
from curvedoc.core.files.cache_files import replacing
from curvedoc.core.frozen import dataclass
from curvedoc.ingest.find.path_words import SKIP_FOLDERS
from curvedoc.ingest.find.remote import url_of
from curvedoc.options import Options
from curvedoc.rulebook.location import files_digest
from curvedoc.rulebook.outside import outside_rules
from curvedoc.serialize.fast_json import maker
from curvedoc.triage.store.codec import BAD_BYTES, decode_run, dump, encode_run, load
from curvedoc.triage.store.tree_key import NO_TREE, TreeKey

MAGIC = "curvedoc-tree/2"
_LONGEST_HEAD = 200
_CHUNK = 1 << 20
#: Longer lines are none of ours.
_LONGEST = 64 << 20


@dataclass(frozen=True, slots=True)
class TreeRecord:
    """What an earlier call made of a tree.

    diagnosis: with slim runs; keys: of the outcome of each run, in the same order; total: how many bundles there were
    """

    diagnosis: Diagnosis
    keys: tuple[str, ...]
    total: int


def listing(paths: Sequence[Path]) -> str:
    """A hash of all that is to be seen below the paths without opening a file; "" where that is not known beforehand
    (URLs, patterns, what cannot be listed)."""
    mark = hashlib.sha256()
    for path in paths:
        if url_of(path) is not None or not path.exists():
            return ""
        mark.update(f"{os.path.realpath(path)}\0".encode("utf-8", "surrogatepass"))
        try:
            # beside a file that was given by name its configuration may lie
            for line in _rows(str(path)) if path.is_dir() else _rows(str(path.parent), deep=False):
                mark.update(line.encode("utf-8", "surrogatepass"))
        except OSError:
            return ""
    return mark.hexdigest()


def tree_key(paths: Sequence[Path], options: Options, context: Sequence[object]) -> TreeKey:
    """The key of a call, `NO_TREE` where it can have none.

    context: all else that outcomes depend on: the program, limits
    """
    seen = listing(paths)
    if not seen:
        return NO_TREE
    choice = [[os.path.realpath(p) for p in paths], *(_choice(getattr(options, f.name)) for f in fields(options))]
    rows = [seen, files_digest((*outside_rules(), *options.rules)), choice, *context]
    return TreeKey(_hash(choice), _hash(rows))


def _choice(value: Any) -> Any:
    """An option as plain values: paths as they are found from anywhere, mappings in one order."""
    if isinstance(value, Mapping):
        return sorted(value.items())
    if isinstance(value, tuple):
        return [_choice(v) for v in value]
    return os.path.realpath(value) if isinstance(value, Path) else value


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode("utf-8", "surrogatepass")).hexdigest()


def _rows(top: str, deep: bool = True) -> Iterator[str]:
    """A line for everything below a folder, in an order of its own but the same each time."""
    todo = [top]
    while todo:
        folder = todo.pop()
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda e: e.name)
        rows = [folder]
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                rows.append(entry.name)
                if deep and entry.name not in SKIP_FOLDERS:
                    todo.append(entry.path)
                continue
            try:
                info = entry.stat()
            except OSError:
                rows.append(f"{entry.name}\1gone")
                continue
            if stat.S_ISDIR(info.st_mode):  # a link: its time of change is that of another place
                rows.append(f"{entry.name}\1folder")
                continue
            rows.append(
                f"{entry.name}\1{info.st_size}\1{info.st_mtime_ns}\1{info.st_ctime_ns}\1{info.st_ino}\1{info.st_mode}"
            )
        yield "\0".join(rows) + "\n"


def record(folder: Path, key: TreeKey, tree: TreeRecord) -> None:
    """Keep what a call made of a tree; a disk that is full or read-only costs the speed of the next call."""
    try:
        with replacing(_file(folder, key.name)) as file:
            file.write(_head(key.mark, 0, 0))
            packer = zlib.compressobj(1)
            packed: list[bytes] = []
            size = crc = 0
            for line, curves in _told(tree):
                packed.append(packer.compress(line + b"\n"))
                file.write(curves)
                size, crc = size + len(curves), zlib.crc32(curves, crc)
            file.writelines((*packed, packer.flush()))
            file.seek(0)
            file.write(_head(key.mark, size, crc))
    except OSError:
        return


def _head(mark: str, size: int, crc: int) -> bytes:
    """The first line of a file: as long for any size, and checksum, of all curves."""
    return f"{MAGIC} {mark} {size:016x} {crc:08x}\n".encode()


def _told(tree: TreeRecord) -> Iterator[tuple[bytes, bytes]]:
    """Lines, and the curves of those that tell of a run."""
    d = tree.diagnosis
    yield dump([tree.total, replace(d, runs=())]), b""
    known: dict[bytes, int] = {}
    for key, run in zip(tree.keys, d.runs, strict=True):
        bare, curves, *parts = encode_run(run)
        for part in parts:
            if part not in known:
                known[part] = len(known)
                yield b"p" + part, b""
        yield b"r" + dump([key, len(curves), *(known[p] for p in parts)]) + bare, curves
    yield b".", b""


def recorded(folder: Path, key: TreeKey) -> bool:
    """Whether an earlier call was recorded under this name, in whatever state the tree was then."""
    return _file(folder, key.name).exists()


def _file(folder: Path, name: str) -> Path:
    return folder / "trees" / f"{name}.z"


def recall(folder: Path, key: TreeKey) -> TreeRecord | None:
    """What was recorded of this call, where it still holds; None where it does not or cannot be read."""
    try:
        with _file(folder, key.name).open("rb") as file:
            head = file.readline(_LONGEST_HEAD)
            size, crc = (int(word, 16) for word in head.split()[-2:])
            if head != _head(key.mark, size, crc) or not 0 <= size <= os.fstat(file.fileno()).st_size:
                return None
            curves = file.read(size)
            if zlib.crc32(curves) != crc:
                return None
            with _uncollected():
                return _tree(_lines(file), curves)
    except (*BAD_BYTES, OSError, zlib.error, StopIteration):
        return None


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without looks for garbage: there is none, and each look goes over all runs so far."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def _tree(lines: Iterator[bytes], curves: bytes) -> TreeRecord | None:
    total, rest = load(next(lines))
    parts: list[bytes] = []
    keys, runs = [], []
    at = 0
    for line in lines:
        match line[:1]:
            case b"p":
                parts.append(line[1:])
            case b"r":
                end = line.index(b"]") + 1
                key, size, *places = load(line[1:end])
                keys.append(maker(str)(key))
                own = curves[at : at + maker(int)(size)]
                runs.append(decode_run([line[end:], own, *(parts[i] for i in places)]))
                at += size
            case _:
                d = replace(maker(Diagnosis)(rest), runs=tuple(runs))
                return TreeRecord(d, tuple(keys), maker(int)(total)) if line == b"." else None
    return None


def _lines(file: BinaryIO) -> Iterator[bytes]:
    unpacker = zlib.decompressobj()
    rest = b""
    for packed in iter(functools.partial(file.read, _CHUNK), b""):
        while packed:
            rest += unpacker.decompress(packed, _CHUNK)
            packed = unpacker.unconsumed_tail
            *whole, rest = rest.split(b"\n")
            if len(rest) > _LONGEST:
                raise ValueError("a line without an end")
            yield from whole
