"""The levels of detail of a page, from all of it to the least."""

from __future__ import annotations

from curvedoc.core.frozen import dataclass

#: Bytes of a page of many runs: larger ones take seconds to open, and mail and review tools refuse them.
LIMIT = 3_500_000
#: Sections that stand in the page; the others are made when they are opened.
INLINE = 1


@dataclass(frozen=True, slots=True)
class Detail:
    """One level of detail."""

    rows: int  # of the table of runs
    sections: int  # runs with a section of their own, with curves
    whole: int  # sections with everything in them; the rest is told in short
    data: int  # bytes of curves
    baked: int  # flagged runs whose curves are static pictures too
    texts: int = 0  # further runs that went wrong, told as text


#: The first that fits is taken. Each level costs a rendering, so they are few and far apart.
LEVELS = (
    Detail(rows=3_000, sections=300, whole=60, data=1_000_000, baked=1),
    Detail(rows=2_000, sections=300, whole=20, data=800_000, baked=1),
    Detail(rows=2_000, sections=300, whole=6, data=400_000, baked=1),
    Detail(rows=1_000, sections=120, whole=6, data=400_000, baked=1, texts=300),
    Detail(rows=500, sections=40, whole=4, data=200_000, baked=1, texts=400),
)
