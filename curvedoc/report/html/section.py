"""One run as the values that the page's template prints: text and numbers, no markup."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

from markupsafe import Markup

from curvedoc.core.diagnosis import Evidence, Finding, RankedCause, RunDiagnosis
from curvedoc.core.frozen import dataclass
from curvedoc.diagnose.judge.verdict import code_for
from curvedoc.report import words
from curvedoc.report.advice import how_to_log, missing, signal_name
from curvedoc.report.charts.columns import every
from curvedoc.report.charts.drawing import curve_name, line_color
from curvedoc.report.charts.marks import window
from curvedoc.report.charts.panels import RunPicture, panel_note
from curvedoc.report.html.rows import Row
from curvedoc.report.limits import limits
from curvedoc.report.redact import redact_setting
from curvedoc.report.summary import explains_nothing, last_step, main_curve, ranked_findings, where
from curvedoc.report.tree import CheckTree, tree

_MOST_SETTINGS = 80
_MOST_MESSAGES = 12
_SHORT_CAUSES, _SHORT_MESSAGES = 2, 3


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """One sentence of evidence, and the steps where it shows."""

    text: str
    metric: str
    zoom: str  # "6200-7700" or ""
    spot: str = ""  # the steps themselves, without the room around them that `zoom` has


@dataclass(frozen=True, slots=True)
class Found:
    """One finding with its evidence and what follows from it."""

    finding: Finding
    where: str
    scope: str
    said: tuple[EvidenceView, ...]
    follows: tuple[Found, ...] = ()


@dataclass(frozen=True, slots=True)
class CauseView:
    """One likely cause."""

    cause: RankedCause
    word: str
    percent: str
    bar: int  # pixels of 150
    supports: tuple[EvidenceView, ...]
    against: tuple[EvidenceView, ...]
    asks: str = ""  # the question that its code answers


@dataclass(frozen=True, slots=True)
class PanelView:
    """One panel's legend and, where it was baked, its picture."""

    key: str
    title: str
    keys: tuple[tuple[str, str], ...]  # (color class, name)
    alt: str
    svg: Markup
    note: str = ""  # what cannot be seen of it


@dataclass(frozen=True, slots=True)
class RunSection:
    """One run in full."""

    row: Row
    picture: RunPicture
    panels: tuple[PanelView, ...]
    found: tuple[Found, ...]
    causes: tuple[CauseView, ...]
    less: tuple[CauseView, ...]  # causes below "possible"
    tree: CheckTree | None
    missing: tuple[tuple[str, tuple[str, ...], str], ...]
    settings: tuple[tuple[str, str], ...]
    messages: tuple[Any, ...]
    extent: str
    fine: str
    zoom: str = ""
    notes: tuple[Any, ...] = field(default_factory=tuple)
    limits: tuple[str, ...] = ()
    short: bool = False  # without checks, settings and missing signals, so that many runs fit a file

    @property
    def buckets(self) -> bool:
        """Whether a band from the lowest to the highest value of a bucket is drawn."""
        main = [p.curves[0] for p in self.picture.panels if not p.rows]
        return any(low < high for c in main for low, high in zip(c.low, c.high, strict=True))


def section(row: Row, pic: RunPicture, svgs: list[Markup], whole: bool = True) -> RunSection:
    """What the page shows of one run, not `whole` for its findings and likely causes only.

    `svgs` are its baked panels, empty for none.
    """
    run = row.run
    panels = []
    for i, p in enumerate(pic.panels):
        named = len(p.curves) > 1
        shown = () if p.rows else p.curves
        keys = tuple((line_color(p, j), curve_name(c, p) if named else c.metric) for j, c in enumerate(shown))
        alt = f"{p.title} against {run.axis}." + (f" {run.headline}" if i == 0 and whole else "")
        panels.append(PanelView(p.key, p.title, keys, alt, svgs[i] if svgs else Markup(""), panel_note(p, pic.end)))
    # of a sound run only what explains a notice is worth a look, not what would have been logged better
    calm = explains_nothing(run) and (run.verdict == "ended-early" or all(f.kind == "gap" for f in run.findings))
    likely = run.causes if whole else tuple(_brief(c) for c in run.causes[:_SHORT_CAUSES])
    likely = () if calm else likely
    causes = tuple(_cause(run, c, pic) for c in likely)
    # The first stands open whatever its share; then what is at least possible, four in all.
    near = tuple(c for i, c in enumerate(causes) if i == 0 or c.cause.probability >= words.POSSIBLE)[:4]
    end = last_step(run, c) if (c := main_curve(run)) else pic.end
    return RunSection(
        row,
        pic,
        tuple(panels),
        _found(run, pic, whole),
        near,
        tuple(c for c in causes if c not in near),
        tree(run) if whole and not calm else None,
        tuple(_missing(run)) if whole and run.verdict != "healthy" else (),
        tuple((k, redact_setting(k, v)) for k, v in sorted(run.config.items())[:_MOST_SETTINGS]),
        tuple(run.messages[: _MOST_MESSAGES if whole else _SHORT_MESSAGES]),
        f"Whole run, to {words.unit(pic.axis)} {end / pic.per:,.0f}",
        _fine(run, pic),
        "-".join(map(str, pic.zoom)) if pic.zoom else "",
        tuple(run.notes),
        limits(run) if whole else (),
        not whole,
    )


def _brief(c: RankedCause) -> RankedCause:
    """A cause with its evidence only: what to do first about it stands on top."""
    return replace(c, probe="", mechanism="", fix=())


def _missing(run: RunDiagnosis) -> list[tuple[str, tuple[str, ...], str]]:
    """Signals that were not logged: name, the symptoms that each decides, the line that logs it."""
    return [(signal_name(n), what, how_to_log(n)) for n, what in missing(run)]


def _found(run: RunDiagnosis, pic: RunPicture, whole: bool) -> tuple[Found, ...]:
    """Findings worst first; one that another explains stands under that one, not `whole` by its title alone."""
    # which signals lack has a table of its own, and of a sound run it is told in one line at the end
    tabled = "missing-signal"
    ranked = [f for f in ranked_findings(run) if f.kind != "gap" or (run.verdict != "healthy" and f.symptom != tabled)]
    heads = {f.symptom for f in ranked if not f.explained_by}

    def view(f: Finding, follows: tuple[Found, ...] = ()) -> Found:
        scope = ", ".join(f"{k} {v}" for k, v in sorted(f.scope.items()))
        return Found(f, where(f, run.axis), scope, tuple(_said(e, pic) for e in f.evidence), follows)

    out, placed = [], set[str]()
    for f in ranked:
        if f.explained_by in heads:
            continue
        below = () if f.symptom in placed else tuple(view(g) for g in ranked if g.explained_by == f.symptom)
        below = below if whole else tuple(replace(g, said=()) for g in below)
        placed.add(f.symptom)
        out.append(view(f, below))
    return tuple(out)


def _cause(run: RunDiagnosis, c: RankedCause, pic: RunPicture) -> CauseView:
    bar = max(4, round(150 * min(1.0, max(0.0, c.probability)))) if c.probability == c.probability else 4
    return CauseView(
        c,
        words.likelihood(c.probability),
        words.percent(c.probability),
        bar,
        tuple(_said(replace(e, text=words.cap(e.text)), pic) for e in c.supports),
        tuple(_said(e, pic) for e in c.against),
        next((check.ask for check in c.checks if code_for(check, c)), ""),
    )


def _said(e: Evidence, pic: RunPicture) -> EvidenceView:
    marks = [m for m in e.marks if pic.shows(m)]
    seen = window(marks, pic.start, pic.end) if pic.panels else None
    if not seen:
        return EvidenceView(words.cap(e.text), e.metric or "", "")
    steps = [s for m in marks for s in (m.start, m.end) if s is not None]
    return EvidenceView(words.cap(e.text), e.metric or "", f"{seen[0]}-{seen[1]}", f"{min(steps)}-{max(steps)}")


def _fine(run: RunDiagnosis, pic: RunPicture) -> str:
    """How the drawn curve relates to the logged one."""
    curve = pic.panels[0].curves[0] if pic.panels else None
    if not curve:
        return ""
    drawn = len(curve.step)
    if drawn >= curve.points:
        return f"{words.count(curve.points, 'logged value')}, all drawn."
    text = f"{words.count(curve.points, 'logged value')} in {drawn:,} buckets, lows and highs kept"
    spans = [f"{a:,} to {b:,}" for a, b in every(curve)]
    listed = ", ".join(spans[:-1]) + (" and " if spans[:-1] else "") + spans[-1] if spans else ""
    return text + (f"; every value from {run.axis} {listed}." if listed else ".")
