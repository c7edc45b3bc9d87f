"""Notes of one file, one per kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from curvedoc.core.run import Note


def coalesce(notes: Iterable[Note]) -> tuple[Note, ...]:
    """One note per kind, in order of first appearance: the first place and text, the sum of the counts."""
    found: dict[str, Note] = {}
    for note in notes:
        first = found.get(note.kind)
        found[note.kind] = note if first is None else replace(first, count=first.count + note.count)
    return tuple(found.values())
