"""How much of everything a page shows, and in words what that leaves out: a report stays a file that opens at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from curvedoc.diagnosis import RunDiagnosis
from curvedoc.report import words
from curvedoc.report.columns import every
from curvedoc.report.drawing import drawing
from curvedoc.report.levels import Detail
from curvedoc.report.panels import Picture

#: Buckets of one curve, and the fewest that still show its shape.
FULL, LEAST = 420, 40
#: Of one bucket (step, mean, low, high) as JSON.
_BUCKET_BYTES = 26


@dataclass(frozen=True, slots=True)
class Drawn:
    """The curves of the runs of a page, thinned until they fit."""

    drawings: tuple[dict[str, Any], ...]
    buckets: int  # at most, of the runs that are not shown at full resolution
    bare: int  # runs whose values near a finding were left out


def drawn(runs: tuple[RunDiagnosis, ...], pictures: tuple[Picture, ...], detail: Detail) -> Drawn:
    """The drawing of each run; the worst failed runs keep full resolution where not all can."""
    curves = [[c for panel in p.panels for c in panel.curves] for p in pictures]
    sizes = [sum(len(c.step) + len(c.raw[0]) for c in of_run) * _BUCKET_BYTES for of_run in curves]
    if sum(sizes) <= detail.data:
        return Drawn(tuple(drawing(p, FULL) for p in pictures), FULL, 0)
    first = [i < detail.baked and r.verdict == "failed" for i, r in enumerate(runs)]
    spent = sum(size for size, f in zip(sizes, first, strict=True) if f)
    if spent > detail.data // 2:
        first, spent = [False] * len(runs), 0
    lines = sum(len(c) for c, f in zip(curves, first, strict=True) if not f)
    most = max(LEAST, min(FULL, (detail.data - spent) // (_BUCKET_BYTES * max(1, lines))))
    made = tuple(drawing(p, FULL if f else most, raw=f) for p, f in zip(pictures, first, strict=True))
    bare = sum(not f and any(every(c) for c in of_run) for of_run, f in zip(curves, first, strict=True))
    return Drawn(made, most, bare)


def left_out(detail: Detail, made: Drawn, runs: int, sections: int) -> tuple[str, ...]:
    """What a page of so many runs, with so many sections, leaves out for the sake of its size; () for nothing."""
    out = []
    if made.buckets < FULL:
        out.append(f"Curves stand in at most {made.buckets} buckets instead of {FULL}, lows and highs kept.")
    if made.bare:
        out.append(f"Values near a finding are not drawn one by one for {words.count(made.bare, 'run')}.")
    if sections > detail.whole:
        short = words.count(sections - detail.whole, "run is", "runs are")
        out.append(f"{short} told in short: without checks, settings and missing signals.")
    if runs > sections:
        out.append(f"{words.count(runs - sections, 'run has', 'runs have')} no section.")
    if runs > detail.rows:
        out.append(f"The table lists the worst {detail.rows:,} of {runs:,} runs.")
    return tuple(out)
