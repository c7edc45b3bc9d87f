"""Notes of a binary log as they are met: one per cause, with its first place and its count."""

from __future__ import annotations

from collections.abc import Mapping

from curvedoc.core.run import Note


class Tally:
    """Counts what a reader meets, cause by cause.

    texts: cause -> (kind of the note, its text)
    """

    def __init__(self, texts: Mapping[str, tuple[str, str]]) -> None:
        self._texts = texts
        self._met: dict[str, tuple[int | None, int]] = {}

    def add(self, cause: str, offset: int | None = None, count: int = 1) -> None:
        """One more of a cause; the lowest offset is the one that is told."""
        first, before = self._met.get(cause, (offset, 0))
        if offset is not None and (first is None or offset < first):
            first = offset
        self._met[cause] = (first, before + count)

    def __contains__(self, cause: str) -> bool:
        return cause in self._met

    def count(self, cause: str) -> int:
        """How often a cause was met."""
        return self._met.get(cause, (None, 0))[1]

    def notes(self) -> tuple[Note, ...]:
        """The notes, by offset."""
        met = sorted(self._met.items(), key=lambda kv: (-1 if kv[1][0] is None else kv[1][0], kv[0]))
        return tuple(Note(*self._texts[cause], offset=at, count=n) for cause, (at, n) in met)
