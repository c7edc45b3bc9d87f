"""How much of everything a page shows, and in words what that leaves out: a report stays a file that opens at once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from curvedoc.core.diagnosis import Curve, RunDiagnosis
from curvedoc.core.frozen import dataclass
from curvedoc.report import words
from curvedoc.report.charts.columns import every
from curvedoc.report.charts.panels import RunPicture
from curvedoc.report.html.levels import Detail
from curvedoc.report.html.section_cache import Pieces

#: Buckets of one curve, and the fewest that still show its shape.
FULL, LEAST = 420, 40
#: Of one bucket (step, mean, low, high) as JSON.
_BUCKET_BYTES = 26


@dataclass(frozen=True, slots=True)
class Thinned:
    """How far the curves of the runs of a page are thinned, so that they fit."""

    each: tuple[tuple[int, bool], ...]  # what `drawing` is to be asked for: most buckets, values near a finding
    buckets: int  # at most, of the runs that are not shown at full resolution
    bare: int  # runs whose values near a finding are left out


def thinned(
    runs: tuple[RunDiagnosis, ...], pictures: tuple[RunPicture, ...], detail: Detail, pieces: Pieces
) -> Thinned:
    """How the curves of each run are to be drawn; the worst failed runs keep full resolution where not all can."""
    curves = [[c for panel in p.panels for c in panel.curves] for p in pictures]
    sizes = [sum(len(c.step) + len(c.raw[0]) for c in of_run) * _BUCKET_BYTES for of_run in curves]
    if sum(sizes) <= detail.data:
        return Thinned(((FULL, True),) * len(runs), FULL, 0)
    first = [i < detail.baked and r.verdict == "failed" for i, r in enumerate(runs)]
    spent = sum(size for size, f in zip(sizes, first, strict=True) if f)
    if spent > detail.data // 2:
        first, spent = [False] * len(runs), 0
    lines = sum(len(c) for c, f in zip(curves, first, strict=True) if not f)
    most = max(LEAST, min(FULL, (detail.data - spent) // (_BUCKET_BYTES * max(1, lines))))
    near = [pieces.once(("near", r.run), partial(_near, c)) for r, c in zip(runs, curves, strict=True)]
    bare = sum(n and not f for n, f in zip(near, first, strict=True))
    return Thinned(tuple((FULL, True) if f else (most, False) for f in first), most, bare)


def _near(curves: Iterable[Curve]) -> bool:
    """Whether there are values near a finding that a drawing shows one by one."""
    return any(every(c) for c in curves)


def left_out(detail: Detail, made: Thinned, runs: int, sections: int, texts: int) -> tuple[str, ...]:
    """What a page of so many runs, with so many sections and runs told as text, leaves out for the sake of its size; ()
    for nothing.
    """
    out = []
    if made.buckets < FULL:
        out.append(f"Curves stand in at most {made.buckets} buckets instead of {FULL}, lows and highs kept.")
    if made.bare:
        out.append(f"Values near a finding are not drawn one by one for {words.count(made.bare, 'run')}.")
    if sections > detail.whole:
        short = words.count(sections - detail.whole, "run is", "runs are")
        out.append(f"{short} told in short: without checks, settings and missing signals.")
    if texts:
        out.append(f"{words.count(texts, 'run is', 'runs are')} told as text, without curves.")
    if runs > sections + texts:
        out.append(f"{words.count(runs - sections - texts, 'run has', 'runs have')} no section.")
    if runs > detail.rows:
        out.append(f"The table lists the worst {detail.rows:,} of {runs:,} runs.")
    return tuple(out)
