"""Records of event files in a buffer: where they begin and how long they are, past any damage.

A record is `length u64 | checksum of it u32 | data | checksum of it u32`, with no mark between records. But a length
is short, so its upper bytes are zero, and its checksum is a function of it: every place in a buffer where both fit is
found at once, and finding the next record after damage is the same operation as finding the first.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.ingest.tensorboard.checksum import crc32c, header, length_checksums, mask, short_lengths

Ints = NDArray[np.int64]

#: Bytes of a record beside its data: twelve before, four after.
FRAME = 16
HEAD = 12
#: Bytes that must follow the used part of a buffer, for words are read whole.
PAD = 64
#: Lengths from here on are not searched for (three bytes of it would be zero in much else); a chain still finds them.
_LONG = 1 << 24
#: Shorter records hold no event; a chain still finds them.
_SHORT = 8
#: A run of this many zero bytes at the end was never written by anyone.
_ZEROS = 16
#: Bytes that may be checked for each byte of a buffer while a chain is put together (hostile files nest headers).
_CHECKS = 4
#: Longer records than one in so many bytes are not looked for one by one.
_OTHERS = 1 << 13
#: Candidates tried inside the last, torn record of a file.
_TRIES = 64


@dataclass(frozen=True, slots=True)
class Lost:
    """A gap that has no end yet: where it began, and where the zero bytes begin that it ends in so far.

    torn: a good header stands at its beginning
    """

    begin: int
    zeros: int
    torn: bool


@dataclass(frozen=True, slots=True)
class Chain:
    """The records of one piece of a buffer.

    pos, length: int64 [n], where each record's header lies and how much data it has
    done:        up to here the piece is settled; what follows comes again with more of the file
    troubles:    (cause, position), causes as in `tb_log.TROUBLE`
    lost:        the gap that is still open at `done`, None without one
    """

    pos: Ints
    length: Ints
    done: int
    troubles: tuple[tuple[str, int], ...] = ()
    lost: Lost | None = None


def likely(buf: bytearray, n: int) -> tuple[Ints, Ints] | None:
    """As `candidates`, but records of 8 to 255 bytes only, and not each that damage has left; None with many others.

    Such a length has seven zero bytes, and one aligned word in them: half as many words to look at, and once. Enough
    for a file without damage, in which a chain steps over a few longer records by itself.
    """
    words = np.frombuffer(buf, "<u4", n // 4)
    at = np.flatnonzero(words[1 : max(1, (n - FRAME) // 4 + 1)] == 0)
    before = words.take(at)
    pos = 4 * at
    for byte in (8, 16, 24):  # the last byte before the zeros is the length
        pos += before >= 1 << byte
    length = np.frombuffer(buf, np.uint8).take(pos)
    fits = short_lengths()[:256].take(length) == np.ndarray((n,), "<u4", buf, 8, (1,))[pos]
    fits &= length >= _SHORT
    pos, size = pos[fits], length[fits].astype(np.int64)
    others = int(np.count_nonzero(pos[1:] != pos[:-1] + size[:-1] + FRAME))
    return (pos, size) if others * _OTHERS <= n else None


def candidates(buf: bytearray, n: int) -> tuple[Ints, Ints]:
    """Every place in buf[:n] where a record of 8 to 2**24 bytes may begin, ascending, and its length: int64 [k]."""
    if n < 32:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    zero = np.frombuffer(buf, "<u2", n // 2) == 0
    run = zero[:-1] & zero[1:]
    run[1:] &= ~zero[:-2]  # only the first pair of a run of zero words
    at = np.flatnonzero(run) * 2
    at = at[(at >= 2) & (at <= n - FRAME)]
    u64 = np.ndarray((n - 7,), "<u8", buf, 0, (1,))
    u32 = np.ndarray((n - 3,), "<u4", buf, 0, (1,))
    # Lengths below 256 leave their byte just before the run, at an odd place, or one before, at an even place.
    pos = at - 2 + (np.frombuffer(buf, np.uint8)[at - 1] != 0)
    length = u64[pos]
    fits = (length < 1 << 16) & (length >= _SHORT)
    fits &= short_lengths()[(length & np.uint64(0xFFFF)).astype(np.intp)] == u32[pos + 8]
    if fits.all():
        return pos, length.astype(np.int64)
    found = [pos[fits]]
    lengths = [length[fits].astype(np.int64)]
    rest = at[~fits]
    for before in (1, 2, 3, 4):
        pos = (rest - before)[rest >= before]
        length = u64[pos]
        fits = (length < _LONG) & (length >= _SHORT)
        pos, length = pos[fits], length[fits]
        fits = length_checksums(length) == u32[pos + 8]
        found.append(pos[fits])
        lengths.append(length[fits].astype(np.int64))
    pos = np.concatenate(found)
    order = np.argsort(pos, kind="stable")
    return pos[order], np.concatenate(lengths)[order]


def follow(
    buf: bytearray, start: int, stop: int, pos: Ints, length: Ints, last: bool, lost: Lost | None = None
) -> Chain:
    """The records of buf[start:stop], each beginning where the one before it ends, or after a gap.

    pos, length: the candidates in this piece
    last:        the file ends at `stop`; else an unfinished record is left for the next call
    lost:        a gap is open at `start`; it began before the piece
    """
    return _Walk(buf, start, stop, pos, length, last, lost).chain()


class _Walk:
    """One pass over one piece."""

    def __init__(
        self, buf: bytearray, start: int, stop: int, pos: Ints, length: Ints, last: bool, lost: Lost | None
    ) -> None:
        self.buf, self.at, self.stop, self.last, self.lost = buf, start, stop, last, lost
        self.pos, self.length = pos, length
        self.next = pos + length + FRAME
        self.breaks = np.flatnonzero(self.next[:-1] != pos[1:])
        self.kept: list[tuple[Ints, Ints]] = []
        self.troubles: list[tuple[str, int]] = []
        self.budget = _CHECKS * (stop - start)

    def chain(self) -> Chain:
        if self.lost is not None:
            zeros = self._zeros(self.at)
            if zeros > self.at:
                self.lost = replace(self.lost, zeros=zeros)
            self._resync(self.at)
        while self.at < self.stop and self.lost is None:
            if not self._run():
                break
        if self.last and self.lost is not None:
            self._tail(self.lost)
            self.lost, self.at = None, self.stop
        empty = np.empty(0, np.int64)
        pos = np.concatenate([empty, *(p for p, _ in self.kept)])
        length = np.concatenate([empty, *(n for _, n in self.kept)])
        return Chain(pos, length, self.at, tuple(self.troubles), self.lost)

    def _run(self) -> bool:
        """Takes the records that chain from here; False where the piece ends in an unfinished one."""
        i = int(np.searchsorted(self.pos, self.at))
        if i < len(self.pos) and self.pos[i] == self.at:
            b = int(np.searchsorted(self.breaks, i))
            j = int(self.breaks[b]) if b < len(self.breaks) else len(self.pos) - 1
            self._keep(self.pos[i:j], self.length[i:j])
            return self._record(int(self.pos[j]), int(self.length[j]))
        if self.stop - self.at < HEAD:
            return self._unfinished(self.at)
        size = self._header_at(self.at)  # too short or too long a record to be a candidate
        if size is None:
            self._gap(self.at)
            return True
        return self._record(self.at, size)

    def _record(self, at: int, size: int) -> bool:
        """Takes one record after which the chain may break."""
        end = at + size + FRAME
        if end > self.stop or (not self.last and self.stop - end < HEAD):  # what follows tells whether it is whole
            return self._unfinished(at)
        if end < self.stop and not self._header_or_cut(end) and not self._intact(at, size):
            self._gap(at)
            return True
        self._keep(np.array([at]), np.array([size]))
        self.at = end
        return True

    def _unfinished(self, at: int) -> bool:
        self.at = at
        if not self.last:
            return False
        inside = int(np.searchsorted(self.pos, at + 1))
        for pos, size in zip(self.pos[inside:][:_TRIES].tolist(), self.length[inside:][:_TRIES].tolist(), strict=True):
            if pos + size + FRAME <= self.stop and self._intact(pos, size):
                self.troubles.append(("gap", at))  # another writer went on behind a torn record
                self.at = pos
                return True
        self._tail(Lost(at, self._zeros(at), torn=True))
        self.at = self.stop
        return False

    def _gap(self, at: int) -> None:
        self.lost = Lost(at, self._zeros(at), torn=self._header_at(at) is not None)
        self._resync(at + 1)

    def _resync(self, at: int) -> None:
        """On to the next candidate; without one, on to the last bytes, which may begin a header."""
        if self.lost is None:
            return
        i = int(np.searchsorted(self.pos, at))
        if i < len(self.pos):
            self.troubles.append(("gap", self.lost.begin))
            self.at, self.lost = int(self.pos[i]), None
            return
        self.at = max(self.at, self.stop - HEAD + 1)

    def _zeros(self, at: int) -> int:
        """Where the zero bytes begin in which buf[at:stop] ends."""
        return at + len(bytes(self.buf[at : self.stop]).rstrip(b"\0"))

    def _tail(self, lost: Lost) -> None:
        """Tells what the last bytes of a file are."""
        if self.stop - lost.zeros >= _ZEROS:
            self.troubles.append(("zeros", lost.zeros))
            if lost.zeros > lost.begin:
                self.troubles.append(("torn" if lost.torn else "gap", lost.begin))
        else:
            whole = lost.torn and self.at == lost.begin
            self.troubles.append(("torn" if whole else "gap", lost.begin))

    def _keep(self, pos: Ints, length: Ints) -> None:
        if len(pos):
            self.kept.append((pos, length))

    def _header_at(self, at: int) -> int | None:
        head = bytes(self.buf[at : at + HEAD])
        size = int.from_bytes(head[:8], "little")
        return size if header(size) == head else None

    def _header_or_cut(self, at: int) -> bool:
        return self.stop - at < HEAD or self._header_at(at) is not None

    def _intact(self, at: int, size: int) -> bool:
        """Whether a record's data has the checksum that follows it (taken on trust once too much was checked)."""
        at += HEAD
        self.budget -= size
        if self.budget < 0:
            return True
        stored = int.from_bytes(self.buf[at + size : at + size + 4], "little")
        return mask(crc32c(bytes(self.buf[at : at + size]))) == stored
