"""What is marked on the curves of a run: numbered pins, shaded stretches, levels, and the window of the onset."""

from __future__ import annotations

import math
from collections.abc import Iterable

from curvedoc.core.diagnosis import Curve, Evidence, Finding, Mark, RunDiagnosis
from curvedoc.core.frozen import dataclass
from curvedoc.report import words
from curvedoc.report.charts.columns import every
from curvedoc.report.charts.phases import phases
from curvedoc.report.summary import onset, ranked_findings, weighed_causes

_MOST_MARKS = 9
_MOST_BANDS = 4
_MOST_LEVELS = 4
#: Levels nearer to each other than this are one line.
_SAME = 0.02
#: Two marks closer than this share of the width are one.
_NEAR = 0.004
#: What the same curve shows this near to where its trouble begins is the same event, and gets no mark of its own.
_SAME_EVENT = 0.05
#: Places in the telling: after every finding that stands for itself, and after everything else.
_REST, _LAST = 1_000, 2_000


@dataclass(frozen=True, slots=True)
class Pin:
    """One numbered mark."""

    step: int
    number: int
    text: str
    lead: bool = False  # where the finding begins that the verdict rests on


@dataclass(frozen=True, slots=True)
class Band:
    """One shaded stretch of steps."""

    start: int
    end: int
    kind: str  # "warn" (what a finding covers), "dead" (nothing finite), or a phase: "warm", "decay", "diverge"
    text: str
    label: bool = False  # whether the text stands on the picture


@dataclass(frozen=True, slots=True)
class Level:
    """A dashed line at a value that the evidence names."""

    panel: str  # key
    value: float
    name: str


def pins(run: RunDiagnosis, start: int, end: int) -> tuple[Pin, ...]:
    """Where the findings begin and what their evidence points at, numbered in order of step.

    Of more than there is room for stay the finding that the verdict rests on, the others that nothing explains, what
    else is marked, and last mere consequences. A notice that holds from the start on is no event and gets no mark; nor
    does what tells the first trouble again: its consequences in its own curve, and points of that curve close by.
    """
    found: list[tuple[int, int, str]] = []  # place in the telling, step, text

    def put(place: int, step: int | None, text: str) -> None:
        near = (end - start) * _NEAR
        if step is not None and start <= step <= end and all(abs(step - s) > near for _, s, _ in found):
            found.append((place, step, text))

    def put_points(evidence: Iterable[Evidence]) -> None:
        for e in evidence:
            for m in e.marks:
                if m.end is None and m.level is None and not told_before(m):
                    put(_REST, m.start, e.text)

    def told_before(m: Mark) -> bool:
        near = (end - start) * _SAME_EVENT
        return lead is not None and m.metric == told[0].metric and m.start is not None and abs(m.start - lead) < near

    def event(f: Finding) -> bool:
        return f.kind == "pathology" or (f.kind == "notice" and (f.first_step or 0) > start)

    ranked = [f for f in ranked_findings(run) if event(f)]
    told = [f for f in ranked if not f.explained_by]
    for i, f in enumerate(told):
        put(i if f.kind == "pathology" else _REST, f.first_step, f.title)
    lead = told[0].first_step if told and found and found[0][0] == 0 else None
    for f in told:
        put_points(f.evidence)
    for c in weighed_causes(run):
        put_points((*c.supports, *c.against))
    for f in ranked:
        if f.explained_by and not (told and f.metric and f.metric == told[0].metric):
            put(_LAST, f.first_step, f.title)
    again = run.facts.get("resumed_at")
    if again is not None and isinstance(again.value, int | float) and again.firm and again.value > start:
        put(_LAST, round(again.value), "training was taken up again")
    kept = sorted(sorted(found)[:_MOST_MARKS], key=lambda row: row[1])
    return tuple(Pin(s, i + 1, text, s == lead) for i, (_, s, text) in enumerate(kept))


def bands(run: RunDiagnosis, main: Curve | None, noun: str, start: int, end: int) -> tuple[Band, ...]:
    """Stretches without a finite value of the main curve (called `noun`), and those that the findings cover."""
    out = [Band(p.start, p.end, p.kind, p.text, True) for p in phases(run, start, end)]
    if main:
        for a, b in _merged(main.nonfinite, (end - start) * 0.005):
            n = b - a + 1
            out.append(
                Band(a, max(b, a + 1), "dead", f"{words.count(n, words.unit(run.axis))} without a finite {noun}", True)
            )
    dead = [(b.start, b.end) for b in out if b.kind in ("dead", "diverge")]
    seen: set[tuple[int, int]] = set()
    own = {(f.first_step, f.last_step): f.title for f in reversed(ranked_findings(run))}
    for f in ranked_findings(run):
        if f.kind == "gap":
            continue
        for a, b in _spans(f):
            if b <= a or (a, b) in seen or (b - a) > 0.95 * (end - start):
                continue
            if any(da <= a and b <= db + 1 for da, db in dead):
                continue
            seen.add((a, b))
            if len(seen) <= _MOST_BANDS:
                out.append(Band(a, b, "warn", own.get((a, b), f.title)))
    return tuple(out)


def legend(bands: Iterable[Band], pins: Iterable[Pin]) -> dict[tuple[str, str], None]:
    """What each kind of stretch is, told once: what a numbered mark says already is named by its number."""
    told = {p.text: f"mark {p.number}" for p in pins}
    return dict.fromkeys((told.get(b.text, b.text), b.kind) for b in bands)


def _spans(f: Finding) -> list[tuple[int, int]]:
    """The stretches that a finding's evidence marks, else the finding's own."""
    marked: list[tuple[int | None, int | None]] = []
    marked += [(m.start, m.end) for e in f.evidence for m in e.marks if m.end is not None]
    marked = marked or [(f.first_step, f.last_step)]
    return [(a, b) for a, b in marked if a is not None and b is not None]


def _merged(spans: Iterable[tuple[int, int]], gap: float, most: int = 40) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for a, b in spans:
        if out and a - out[-1][1] <= gap:
            out[-1] = (out[-1][0], max(b, out[-1][1]))
        else:
            out.append((a, b))
    return sorted(sorted(out, key=lambda s: s[0] - s[1])[:most])


def levels(run: RunDiagnosis, home: dict[str, str]) -> tuple[Level, ...]:
    """The named levels of the evidence; `home` holds the panel of each drawn metric. Of equal ones the first.

    What is told of a mere consequence is folded away on the page, so that its level would be a line without a word.
    """
    evidence = [e for f in ranked_findings(run) if not f.explained_by for e in f.evidence]
    evidence += [e for c in weighed_causes(run) for e in (*c.supports, *c.against)]
    out: list[Level] = []
    for m in (m for e in evidence for m in e.marks):
        if not m.name or m.level is None or m.metric not in home or not math.isfinite(m.level):
            continue
        panel, value = home[m.metric], m.level
        if all(o.panel != panel or abs(o.value - value) > _SAME * abs(value) for o in out):
            out.append(Level(panel, value, m.name))
    return tuple(out[:_MOST_LEVELS])


def onset_window(run: RunDiagnosis, main: Curve | None, start: int, end: int) -> tuple[int, int] | None:
    """The window of "zoom to onset": where raw points were kept, else an eighth of the run around the onset."""
    at = onset(run)
    if at is None or main is None:
        return None
    for a, b in every(main):
        if a <= at <= b and b - a >= 8:
            return a, b
    pad = max(8, round((end - start) / 16))
    window = (max(start, at - pad), min(end, at + pad))
    return window if window[1] - window[0] < 0.9 * (end - start) else None


def window(marks: Iterable[Mark], start: int, end: int) -> tuple[int, int] | None:
    """The steps to show for the marks of a sentence, with room on both sides; None without a step."""
    steps = [s for m in marks for s in (m.start, m.end) if s is not None]
    if not steps:
        return None
    a, b = min(steps), max(steps)
    pad = max(round((b - a) * 0.2), round((end - start) * 0.02), 8)
    return max(start, a - pad), min(end, b + pad)
