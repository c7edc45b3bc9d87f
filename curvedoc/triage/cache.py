"""Outcomes kept on disk under a key of the files they came from; what cannot be read there counts as absent."""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
import json
import os
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from curvedoc.diagnose.outline import Outline
from curvedoc.diagnosis import Curve, NotJudged, RunDiagnosis, Unreadable
from curvedoc.errors import CurvedocError
from curvedoc.ingest import Bundle
from curvedoc.ingest.cache_place import cache_place
from curvedoc.model import Scalar
from curvedoc.report.quick import maker
from curvedoc.report.wire import plain
from curvedoc.triage.outcome import Outcome
from curvedoc.triage.slim import slim

MAGIC = "curvedoc-outcome/2"
#: Entries that nobody wrote or renewed for so long are dropped, looked for once a day.
KEEP_SECONDS = 30 * 86400
_DAY = 86400
#: An entry unpacks to no more than this: the cache is a file like any other and may be hostile.
_MOST = 256 << 20

#: What an entry that was damaged, or written by somebody else, may raise on its way back.
BAD_ENTRY = (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError, RecursionError, CurvedocError)


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
        told = {
            "runs": [_told(r) for r in outcome.runs],
            "not_judged": [json.dumps(plain(r.not_judged)) for r in outcome.runs],
            "unreadable": plain(outcome.unreadable),
            "metrics": list(outcome.metrics),
            "outlines": [[plain(o.settings), plain(o.end)] for o in outcome.outlines],
        }
        head = _pack(told)
        tail = _pack([[_packed(c) for c in r.curves] for r in outcome.runs])
        text = f"{MAGIC} {zlib.crc32(head):08x} {len(head)} {zlib.crc32(tail):08x} {len(tail)}\n"
        path = self._path(key)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(text.encode() + head + tail)
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
            told = _unpack(found[0])
            gaps = [_not_judged(text) for text in told["not_judged"]]
            made = maker(tuple[RunDiagnosis, ...])(told["runs"])
            runs = tuple(replace(r, not_judged=g) for r, g in zip(made, gaps, strict=True))
            outlines = tuple(
                Outline(r.run, r.config, maker(Mapping[str, Scalar])(settings), maker(float | None)(end))
                for r, (settings, end) in zip(runs, told["outlines"], strict=True)
            )
            unreadable = maker(tuple[Unreadable, ...])(told["unreadable"])
            return Outcome(runs, unreadable, maker(tuple[str, ...])(told["metrics"]), outlines)
        except BAD_ENTRY:
            return None

    def whole(self, key: str, run: RunDiagnosis) -> RunDiagnosis:
        """The slim run with its curves as they were saved; as it is where they are not there any more."""
        found = self._parts(key)
        if found is None:
            return run
        try:
            names = [r["run"] for r in _unpack(found[0])["runs"]]
            rows = _unpack(found[1])[names.index(run.run)]
            return replace(run, curves=tuple(_unpacked(row) for row in rows))
        except BAD_ENTRY:
            return run

    def _parts(self, key: str) -> tuple[bytes, bytes] | None:
        try:
            data = self._path(key).read_bytes()
        except OSError:
            return None
        first, _, rest = data.partition(b"\n")
        words = first.decode("latin-1").split()
        if len(words) != 5 or words[0] != MAGIC or not (words[2].isdecimal() and words[4].isdecimal()):
            return None
        size = int(words[2])
        head, tail = rest[:size], rest[size:]
        if len(tail) != int(words[4]) or f"{zlib.crc32(head):08x} {zlib.crc32(tail):08x}" != f"{words[1]} {words[3]}":
            return None
        return head, tail

    def prune(self, now: float | None = None) -> None:
        """Drop entries that are old, at most once a day."""
        now = time.time() if now is None else now
        stamp = self.folder / "pruned"
        try:
            if stamp.exists() and now - stamp.stat().st_mtime < _DAY:
                return
            self.folder.mkdir(parents=True, exist_ok=True)
            stamp.touch()
            for path in self.folder.glob("??/*"):
                if now - path.stat().st_mtime > KEEP_SECONDS:
                    path.unlink(missing_ok=True)
        except OSError:
            return  # a cache that cannot be tidied is still a cache


def _pack(value: Any) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":"), allow_nan=False).encode(), 1)


def _unpack(data: bytes) -> Any:
    try:
        z = zlib.decompressobj()
        text = z.decompress(data, _MOST)
    except zlib.error as e:
        raise ValueError(str(e)) from e
    if not z.eof:
        raise ValueError("an entry that does not end")
    return json.loads(text)


def _told(run: RunDiagnosis) -> dict[str, Any]:
    """The slim run as JSON values but for what was not judged: most runs of a tree have that in common, as one text."""
    return plain(replace(slim(run), not_judged=()))  # type: ignore[no-any-return]


@functools.lru_cache(maxsize=256)
def _not_judged(text: str) -> tuple[NotJudged, ...]:
    return maker(tuple[NotJudged, ...])(json.loads(text))  # type: ignore[no-any-return]


def _packed(curve: Curve) -> dict[str, Any]:
    """A curve as JSON values, its numbers as base64 of float64: a picture has 20,000 of them."""
    rows = (curve.step, curve.mean, curve.low, curve.high, *curve.raw)
    numbers = [base64.b64encode(np.array(r, dtype="<f8").tobytes()).decode() for r in rows]
    return {
        "metric": curve.metric, "role": curve.role, "label": curve.label, "points": curve.points,
        "nonfinite": plain(curve.nonfinite), "numbers": numbers,
    }  # fmt: skip


def _unpacked(row: Mapping[str, Any]) -> Curve:
    try:
        arrays = [np.frombuffer(base64.b64decode(n, validate=True), dtype="<f8") for n in row["numbers"]]
    except binascii.Error as e:
        raise ValueError(str(e)) from e
    step, mean, low, high, at, value = arrays
    if not (len(step) == len(mean) == len(low) == len(high) and len(at) == len(value)):
        raise ValueError("columns of unequal length")
    spans = maker(tuple[tuple[int, int], ...])(row["nonfinite"])
    return Curve(
        maker(str)(row["metric"]), maker(str)(row["role"]), maker(str)(row["label"]), _ints(step),
        tuple(mean.tolist()), tuple(low.tolist()), tuple(high.tolist()), maker(int)(row["points"]), spans,
        (_ints(at), tuple(value.tolist())),
    )  # fmt: skip


def _ints(values: Any) -> tuple[int, ...]:
    return tuple(int(v) for v in values.tolist())
