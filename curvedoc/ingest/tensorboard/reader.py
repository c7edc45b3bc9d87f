"""TensorBoard event files: scalars of every encoding, histograms as derived series, hyper-parameters, text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path

import numpy as np

from curvedoc.core.block import Block, joined
from curvedoc.core.fewer_points import fewer
from curvedoc.core.frozen import dataclass
from curvedoc.core.run import Note
from curvedoc.ingest.bytes.stream import Stream
from curvedoc.ingest.contract import Log
from curvedoc.ingest.tensorboard.checksum import header
from curvedoc.ingest.tensorboard.decode import Tags
from curvedoc.ingest.tensorboard.frames import FRAME, HEAD, PAD, Chain, Ints, Lost, candidates, follow, likely
from curvedoc.ingest.tensorboard.full_record import EventRecord
from curvedoc.ingest.tensorboard.log import CRLF, NAME, Gathered
from curvedoc.ingest.tensorboard.points import points

__all__ = ["ABOUT", "FILES", "NAME", "claims", "read"]

FILES: tuple[str, ...] = ("*tfevents*",)
ABOUT = "TensorBoard event files: scalars of every encoding, histograms, hyper-parameters, text, restarts"

#: Bytes decoded at a time: many small files, or a part of a large one. Larger ones leave the processor's cache.
CHUNK = 4 << 20
#: Of a file with more points than that half as many are kept, of the longest curves.
MAX_POINTS = 6_000_000
#: No curve is made shorter than that.
_SHORTEST = 1000
#: Longer records are skipped; no buffer grows beyond twice this.
MAX_RECORD = 64 << 20
#: Damage that a mangled file shows, and how much of one is looked at.
_BROKEN = frozenset(("damaged", "bad-checksum", "truncated", "not-a-log"))
_LOOK = 1 << 20
#: With less room left in the buffer, the next file waits for the next one.
_ROOM = 1 << 14


def claims(path: Path, head: bytes) -> bool:
    """Whether the name or the first record's header says event file."""
    if path.name.endswith(".profile-empty"):
        return False
    if "tfevents" in path.name:
        return True
    length = int.from_bytes(head[:8], "little")
    return len(head) > HEAD and 8 < length < 1 << 16 and head[:HEAD] == header(length) and head[HEAD] == 9


def read(paths: Sequence[Path]) -> list[Log]:
    """One log per file, in the order given; files are decoded together, however small."""
    return [_mended(log) for log in _read(paths)]


def _read(paths: Sequence[Path], unmangle: bool = False) -> list[Log]:
    reading = _Reading(paths)
    for i in range(len(paths)):
        reading.feed(i, unmangle)
    return reading.logs()


def _mended(log: Log) -> Log:
    """The log, read anew where a copy in text mode has put a CR before every LF of the file."""
    if not any(n.kind in _BROKEN for n in log.notes):
        return log
    with Stream(log.path) as stream:
        head = stream.read(_LOOK)
    if head.count(b"\r\n") != head.count(b"\n") or b"\n" not in head:
        return log
    (anew,) = _read([log.path], unmangle=True)
    if anew.height <= log.height:
        return log
    return replace(anew, bytes=log.bytes, notes=(Note("damaged", CRLF), *anew.notes))


@dataclass(frozen=True, slots=True)
class _Piece:
    """The part of one file that lies in the buffer; `offset` is the place of its first byte in the file."""

    file: int
    start: int
    stop: int
    offset: int
    last: bool


class _Reading:
    """A buffer that files are poured into one after the other, decoded whenever it is full."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._files = [Gathered(path) for path in paths]
        self._parts: list[dict[int, list[Block]]] = [{} for _ in paths]  # tag -> its blocks, of each file
        self._points = [0] * len(paths)
        self._tags = Tags()
        self._buf = bytearray(min(CHUNK, max(_ROOM, 2 * sum(_size(path) for path in paths))) + PAD)
        self._have = 0
        self._pieces: list[_Piece] = []
        self._lost: Lost | None = None

    def feed(self, i: int, unmangle: bool) -> None:
        """Reads one file to its end."""
        with Stream(self._files[i].path, unmangle) as stream:
            start, offset = self._have, 0
            while True:
                with memoryview(self._buf) as view, view[self._have : len(self._buf) - PAD] as room:
                    got = stream.readinto(room)
                if not got:
                    break
                self._have += got
                if self._have < len(self._buf) - PAD:
                    continue
                done = self._decode(_Piece(i, start, self._have, offset, last=False))
                offset += done - start
                self._buf[: self._have - done] = self._buf[done : self._have]
                start, self._have = 0, self._have - done
                if self._have == len(self._buf) - PAD:  # one record fills the buffer
                    offset += self._enlarge(stream, i, offset)
            self._files[i].size = stream.size
            self._files[i].notes = stream.notes
        self._pieces.append(_Piece(i, start, self._have, offset, last=True))
        if self._lost is not None or len(self._buf) - PAD - self._have < _ROOM:
            self._decode(None)
            self._have = 0

    def _enlarge(self, stream: Stream, i: int, offset: int) -> int:
        """Makes room for a long record, or skips one that is too long; how many bytes were skipped."""
        size = int.from_bytes(self._buf[:8], "little") + FRAME
        if size <= MAX_RECORD:
            self._buf.extend(bytes(min(len(self._buf), MAX_RECORD)))
            return 0
        skipped = self._have
        while skipped < size and (part := stream.read(min(CHUNK, size - skipped))):
            skipped += len(part)
        self._files[i].tally.add("huge" if skipped == size else "torn", offset)
        self._have = 0
        return skipped

    def _decode(self, open_piece: _Piece | None) -> int:
        """Decodes the buffer; where the settled part of the last, unfinished piece ends."""
        pieces = [*self._pieces, open_piece] if open_piece is not None else self._pieces
        self._pieces = []
        lost = self._lost if pieces and pieces[0].offset else None
        found = likely(self._buf, self._have) if lost is None else None
        chains = None if found is None else self._chains(pieces, found, lost)
        if chains is None or any(c.troubles or c.lost for c in chains):
            chains = self._chains(pieces, candidates(self._buf, self._have), lost)
        self._lost = _moved(chains[-1]) if chains else None
        for piece, chain in zip(pieces, chains, strict=True):
            file = self._files[piece.file]
            file.records += len(chain.pos)
            for cause, at in chain.troubles:
                file.tally.add(cause, piece.offset + at - piece.start)
        self._collect(pieces, chains)
        return chains[-1].done if chains else 0

    def _chains(self, pieces: list[_Piece], found: tuple[Ints, Ints], lost: Lost | None) -> list[Chain]:
        """The records of each piece; lost: the gap that is open where the first one begins."""
        pos, length = found
        cuts = np.searchsorted(pos, [p.start for p in pieces] + [self._have]).tolist()
        gaps = [lost, *repeat(None, len(pieces))]
        return [
            follow(self._buf, piece.start, piece.stop, pos[a:z], length[a:z], piece.last, gap)
            for piece, a, z, gap in zip(pieces, cuts, cuts[1:], gaps, strict=False)
        ]

    def _collect(self, pieces: list[_Piece], chains: list[Chain]) -> None:
        if not chains:
            return
        pos = np.concatenate([c.pos for c in chains])
        length = np.concatenate([c.length for c in chains])
        first = np.cumsum([0] + [len(c.pos) for c in chains])

        def place(row: int) -> tuple[Gathered, int]:
            piece = pieces[int(np.searchsorted(first, row, "right")) - 1]
            return self._files[piece.file], piece.offset + int(pos[row]) - piece.start

        def take(row: int, data: bytes) -> EventRecord | None:
            file, offset = place(row)
            return file.take(data, offset)

        batch = points(self._buf, pos, length, self._tags, take)
        for cause, rows in (("checksum", batch.wrong), ("clock", batch.clock)):
            for row in rows.tolist():
                file, offset = place(row)
                file.tally.add(cause, offset)
        cuts = np.searchsorted(batch.record, first).tolist()
        for piece, tag, block in batch.parts(cuts, len(self._tags)):
            file_ = pieces[piece].file
            self._parts[file_].setdefault(tag, []).append(block)
            self._points[file_] += len(block)
        for i in {p.file for p in pieces}:
            if self._points[i] > MAX_POINTS:
                self._thin(i)

    def _thin(self, i: int) -> None:
        """Keeps fewer points of the longest curves of a file."""
        parts = self._parts[i]
        each = max(_SHORTEST, MAX_POINTS // 2 // len(parts))
        for tag, blocks in parts.items():
            if sum(map(len, blocks)) > each:
                parts[tag] = [fewer(joined(blocks), each)]
        self._points[i] = sum(len(b) for blocks in parts.values() for b in blocks)
        self._files[i].tally.add("thinned", 0)

    def logs(self) -> list[Log]:
        """Every file as a Log."""
        self._decode(None)
        names = self._tags.names()
        out = []
        for file, parts in zip(self._files, self._parts, strict=True):
            blocks = [replace(joined(parts.pop(tag)), metric=names[tag]) for tag in list(parts)]
            out.append(file.log(blocks))
        return out


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # reading it tells why


def _moved(chain: Chain) -> Lost | None:
    """The gap that is open where a chain ends, counted from there, where the next piece begins."""
    lost = chain.lost
    return None if lost is None else Lost(lost.begin - chain.done, lost.zeros - chain.done, lost.torn)
