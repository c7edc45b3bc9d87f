"""A text of any length in bounded memory: its beginning and its end whole, what lies between in fewer lines."""

from __future__ import annotations

from collections.abc import Callable

from curvedoc.core.run import Note
from curvedoc.ingest.bytes.thinning import thin

#: Shares of the limit that the beginning and the end are given, whole.
_ENDS = 1 / 8
#: So much of the head tells whether lines stand for themselves; what stands between the parts of one that does not.
_HEAD, _GAP = 1 << 16, b"\n...\n"
#: Lines are chosen among so many bytes, and among what was chosen in so many such stretches once more.
WINDOW, _WINDOWS = 1 << 22, 8
#: The first choice is so much wider than the second one.
_WIDER = 8
#: A longer line is none of a log that needs to be thinned.
MAX_LINE = 1 << 24


class LongText:
    """Takes a text piece by piece; within the limit nothing is left out.

    by_line: says of the head whether each line stands for itself; of one document over many lines the beginning and the
    end are all that is given
    """

    def __init__(self, limit: int, by_line: Callable[[bytes], bool]) -> None:
        self._limit = limit
        self._end = int(limit * _ENDS)
        self._test = by_line
        self._by_line = True
        self._held = bytearray()  # not looked at yet
        self._kept: list[bytes] = []
        self._pool: list[bytes] = []
        self._used = 0.0  # room that was given to the windows so far, and of it to those in the pool
        self._pooled = 0.0
        self._skipped = 0
        self.size = 0

    def add(self, piece: bytes, progress: float) -> None:
        """The next bytes. progress: the share of the file that ends with them, as far as one knows."""
        self._held += piece
        self.size += len(piece)
        if self.size <= self._limit:
            return
        if not self._kept:
            self._by_line = self._test(bytes(self._held[:_HEAD]))
            self._end = self._end if self._by_line else self._limit // 2
            self._kept.append(self._cut(self._end))
        if not self._by_line:
            del self._held[: max(0, len(self._held) - self._end)]
            return
        while len(self._held) > self._end + WINDOW:
            window = self._cut(WINDOW)
            if not window:
                break
            done = progress * (self.size - len(self._held)) / self.size
            share = max(0.0, (self._limit - 2 * self._end) * done - self._used)
            self._used += share
            self._pooled += share
            self._pool.append(thin(window, int(_WIDER * share)))
            if len(self._pool) == _WINDOWS:
                self._choose()
        if len(self._held) > self._end + MAX_LINE:  # all of it one line
            self._skipped += len(self._held) - self._end
            del self._held[: -self._end]

    def _choose(self) -> None:
        self._kept.append(thin(b"".join(self._pool), int(self._pooled)))
        self._pool, self._pooled = [], 0.0

    def _cut(self, size: int) -> bytes:
        """Takes whole lines of about so many bytes off the front; b"" where there is no line's end."""
        if not self._by_line:
            at = size
        else:
            at = max(self._held.rfind(b"\n", 0, size), self._held.rfind(b"\r", 0, size - 1)) + 1
        if not at:
            ends = (self._held.find(b"\n", size), self._held.find(b"\r", size, len(self._held) - 1))
            at = min((i + 1 for i in ends if i >= 0), default=0)
        piece = bytes(self._held[:at])
        del self._held[:at]
        return piece

    def finish(self) -> tuple[bytes, tuple[Note, ...]]:
        """The text that is left, and what is to be said of it."""
        if not self._kept:
            return bytes(self._held), ()
        self._choose()
        self._kept += [b"" if self._by_line else _GAP, bytes(self._held)]
        self._held.clear()
        data = b"".join(self._kept)
        self._kept = []
        text = f"of {self.size / 1e6:,.0f} MB of text {len(data) / 1e6:,.0f} MB were read: the beginning and the end"
        if self._by_line:
            text += (
                ", and between them rare lines, those with the lowest and highest numbers of each stretch and an even"
                " share of the rest; line numbers count what was read"
            )
        notes: tuple[Note, ...] = (Note("thinned", text),)
        if self._skipped:
            notes += (Note("too-large", f"{self._skipped:,} bytes without a line's end were left out"),)
        return data, notes
