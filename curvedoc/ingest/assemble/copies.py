"""Files of one format that hold the same curves: a backup, a console's copy of a log file, a log saved twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from curvedoc.ingest.assemble.groups import Piece
from curvedoc.ingest.assemble.likeness import same_curve
from curvedoc.ingest.assemble.stream_curves import StreamBlock


def without_copies(pieces: Sequence[Piece]) -> tuple[list[Piece], list[tuple[Piece, Piece]]]:
    """The pieces, in their order, without curves that are a stretch of the same curve in a longer one; and for each
    piece that lost all it had: (it, one that has it). Of a piece that tells other values of the same steps nothing is a
    copy: another attempt goes through the same rates, and may be NaN throughout as well."""
    if len(pieces) < 2:
        return list(pieces), []
    held: dict[tuple[str, int], list[tuple[StreamBlock, Piece]]] = defaultdict(list)
    left: dict[int, Piece] = {}
    gone: list[tuple[Piece, Piece]] = []
    for p in sorted(pieces, key=lambda p: -p.points):
        own: list[StreamBlock] = []
        whole: Piece | None = None
        for s in p.strands:
            rivals = held[s.metric, s.rank]
            whole_of = next((q for t, q in rivals if _stretch(s, t)), None)
            if whole_of is None:
                own.append(s)
            whole = whole_of or whole
        if any(bool(np.isin(s.step, t.step).any()) for s in own for t, _ in held[s.metric, s.rank]):
            own = list(p.strands)
        for s in own:
            held[s.metric, s.rank].append((s, p))
        left[id(p)] = replace(p, strands=tuple(own))
        if whole is not None and not own:
            gone.append((p, whole))
    return [left[id(p)] for p in pieces], gone


def _stretch(a: StreamBlock, b: StreamBlock) -> bool:
    """Whether one strand is the other, or a stretch of it."""
    if len(a) > len(b) or not bool(a.known.all() and b.known.all()):
        return len(a) == len(b) and bool((a.known == b.known).all()) and same_curve(a, b)
    return bool(np.isin(a.step, b.step).all()) and same_curve(a, b)
