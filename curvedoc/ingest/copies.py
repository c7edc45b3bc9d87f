"""Files of one format that hold the same curves: a backup, a copy in an earlier checkpoint, a log saved twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from curvedoc.ingest.grouping import Piece
from curvedoc.ingest.likeness import same_curve
from curvedoc.ingest.strands import Strand


def without_copies(pieces: Sequence[Piece]) -> tuple[list[Piece], list[tuple[Piece, Piece]]]:
    """The pieces that add something, in their order, and for each of the others (it, the one that has it all)."""
    kept: list[Piece] = []
    gone: list[tuple[Piece, Piece]] = []
    for p in sorted(pieces, key=lambda p: -p.points):
        whole = next((q for q in kept if p.points and _within(p, q)), None)
        if whole is None:
            kept.append(p)
        else:
            gone.append((p, whole))
    return [p for p in pieces if any(p is k for k in kept)], gone


def _within(p: Piece, q: Piece) -> bool:
    """Whether every curve of one piece is a stretch of the same curve in another."""
    theirs = {(s.metric, s.rank): s for s in q.strands}
    return all((s.metric, s.rank) in theirs and _stretch(s, theirs[s.metric, s.rank]) for s in p.strands)


def _stretch(a: Strand, b: Strand) -> bool:
    if len(a) > len(b) or not bool(a.known.all() and b.known.all()):
        return len(a) == len(b) and bool((a.known == b.known).all()) and same_curve(a, b)
    there = np.isin(a.step, b.step)
    return bool(there.all()) and same_curve(a, b)
