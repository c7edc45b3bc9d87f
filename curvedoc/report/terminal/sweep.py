"""The terminal view of several runs: the verdict, a table with the worst first, the proof, one thing to do."""

from __future__ import annotations

from dataclasses import dataclass

from curvedoc.core.diagnosis import Diagnosis, RunDiagnosis
from curvedoc.core.numbers import spelled
from curvedoc.diagnose.sentence.titles import clause
from curvedoc.report import words
from curvedoc.report.charts.spark import blocks
from curvedoc.report.escape import visible
from curvedoc.report.inbox import lost_of, lost_unit, top_sentence
from curvedoc.report.log_trainings import last_training, of_one_log
from curvedoc.report.summary import (
    Summary,
    group_of,
    last_value,
    lead_finding,
    main_curve,
    onset,
    told_first,
    worst_first,
)
from curvedoc.report.terminal.inbox import groups_part
from curvedoc.report.terminal.lines import Lines
from curvedoc.report.terminal.sections import STYLE, first_part

#: Lines of a summary of several runs unless all were asked for: what a small terminal shows without scrolling.
SCREEN = 30
_GROUPS, _CONTRASTS = 3, 5
_SPARK = 14  # columns of a sparkline in the table
#: Widths from which the table has its sparkline, its last values and what came after the onset.
_WIDE, _MIDDLE, _NARROW = 90, 72, 56


def several(out: Lines, d: Diagnosis, head: Summary, all_runs: bool, verbose: bool) -> None:
    """The summary of several runs, at most `SCREEN` lines unless all are asked for."""
    _opening(out, d, head)
    groups_part(out, d, _GROUPS, whole=False)
    tail = Lines(out.width, out.ascii_only)
    _proof_and_first(tail, d, head, verbose)
    left = SCREEN - len(out) - len(tail) - 4 - bool(d.unreadable) * 2
    _listed(out, d, None if all_runs or verbose else max(4, left), all_runs)
    out.blank()
    out.extend(tail)


def many(out: Lines, d: Diagnosis, head: Summary, most: int | None, groups: int, all_runs: bool) -> None:
    """The triage of many runs: its groups in full, `most` lines of the table, and what to do first."""
    _opening(out, d, head)
    for contrast in d.contrasts[:_CONTRASTS]:
        p = f" (p = {spelled(contrast.p_value, '.2g')})"
        out.add(("+ ", "green"), (contrast.text, ""), (p, "dim"), hang=2, most=2)
    groups_part(out, d, groups, whole=True)
    _listed(out, d, most, all_runs)
    tail = Lines(out.width, out.ascii_only)
    _proof_and_first(tail, d, head, False)
    out.blank()
    out.extend(tail)


def _opening(out: Lines, d: Diagnosis, head: Summary) -> None:
    share = f"  ({words.percent(head.cause.probability)})" if head.asserts and head.cause else ""
    out.add((top_sentence(d, head), "bold"), (share, "dim"), most=4)
    total = len(d.runs)
    tally: list[tuple[str, str]] = [(f"{words.count(total, 'run')}: ", "")]
    for i, (verdict, n) in enumerate(head.counts):
        tally += [(", " if i else "", ""), (words.verdicts(verdict, n), STYLE[verdict])]
    tally.append((". " + _wasted(d) if _wasted(d) else ".", ""))
    if total:
        out.add(*tally)
    last = last_training(d)
    if last is not None:
        out.add((f"Told here: {of_one_log(head.lead, last)}." if head.lead else head.details[-1], ""), most=4)


def _proof_and_first(out: Lines, d: Diagnosis, head: Summary, verbose: bool) -> None:
    if head.lead:
        _evidence_of(out, d, head)
    if head.first:
        first_part(out, head.first, True, verbose)


def _listed(out: Lines, d: Diagnosis, most: int | None, all_runs: bool) -> None:
    """The table of the flagged runs, of all with `all_runs`, and how many are not in it."""
    runs = worst_first(d)
    shown = runs if all_runs else tuple(r for r in runs if r.verdict != "healthy")
    calm, room = len(runs) - len(shown), len(shown) if most is None else most
    if shown:
        _table(out, d, shown[:room])
    left = len(shown) - len(shown[:room])
    hidden = [f"{left:,} flagged"] if left else []
    hidden += [f"{calm:,} healthy"] if calm and shown else []
    if hidden:
        long = f"  {' and '.join(hidden)} {'run' if left + calm == 1 else 'runs'} not shown, --all lists them"
        short = f"  and {', '.join(hidden)}: --all"
        out.add((long if len(long) <= out.width else short, "dim"), most=1)


def _table(out: Lines, d: Diagnosis, runs: tuple[RunDiagnosis, ...]) -> None:
    """Run and finding share the room that the figures on the right leave; a narrow terminal gets fewer of those."""
    letters = {name: g.name for name, g in group_of(d).items()}
    mark = max((len(letters.get(r.run, "")) for r in runs), default=0)
    names = [visible(words.run_name(r.run)) for r in runs]
    gap = mark + bool(mark)
    finds = [gap + len(visible(_finding(r))) for r in runs]
    right = [c for c in _figures(runs) if out.width >= c.least and any(c.cells)]
    spark = _SPARK if out.width >= _WIDE else 0
    free = out.width - 5 - sum(c.width + 2 for c in right) - (spark + 2 if spark else 0)
    # The finding is worth more than the tail of a long name, but a name keeps three tenths where it needs them.
    name = min(max(map(len, names)), max(12, free * 3 // 10, free - max(finds) - 2))
    what = max(8, min(free - name - 2, max(7, *finds)))
    out.blank()
    head = f"   {'run':<{name}}  {' ' * gap + 'finding':<{what}}" + f"  {'loss':<{spark}}" * bool(spark)
    out.add((head + "".join(f"  {c.head:>{c.width}}" for c in right), "dim"), wrap=False)
    for i, r in enumerate(runs):
        curve = main_curve(r)
        line = blocks(curve, spark, curve.step[-1]) if curve and spark else ""
        out.add(
            (f"{words.VERDICTS[r.verdict][0]:<3}", STYLE[r.verdict]),
            (out.fit(names[i], name) + "  ", ""),
            (out.fit(f"{letters.get(r.run, ''):<{gap}}" + _shortly(r, what - gap), what, end=True), ""),
            (f"  {line:<{spark}}" if spark else "", "cyan"),
            ("".join(f"  {c.cells[i]:>{c.width}}" for c in right), ""),
            wrap=False,
        )


@dataclass(frozen=True, slots=True)
class _Column:
    """Figures at the right of the table."""

    head: str
    cells: tuple[str, ...]
    least: int  # columns of a terminal that has room for it

    @property
    def width(self) -> int:
        return max(len(self.head), *(len(c) for c in self.cells))


def _figures(runs: tuple[RunDiagnosis, ...]) -> tuple[_Column, ...]:
    unit = lost_unit(runs)
    onsets = tuple(words.step(onset(r)) if onset(r) is not None else "" for r in runs)
    ends = tuple(words.value(last_value(r)) if last_value(r) is not None else "" for r in runs)
    lost = tuple(_lost(r, unit) for r in runs)
    return (
        _Column("onset", onsets, 0),
        _Column("last", ends, _NARROW),
        _Column("lost" if unit == "hours" else "lost steps", lost, _MIDDLE),
    )


def _lost(r: RunDiagnosis, unit: str) -> str:
    amount = lost_of(r, unit)
    if not amount:
        return ""
    return words.hours(amount) if unit == "hours" else words.step(round(amount))


def _shortly(r: RunDiagnosis, room: int) -> str:
    """The id of the finding, in every row: the groups above have the sentences. Without one what fits of the text."""
    text, lead = visible(_finding(r)), lead_finding(r)
    return lead.symptom if lead else clause(text, room) or text


def _finding(r: RunDiagnosis) -> str:
    return told_first(r) if r.verdict != "healthy" else "no problem found"


def _evidence_of(out: Lines, d: Diagnosis, head: Summary) -> None:
    run = head.lead
    if not run:
        return
    lead, group = lead_finding(run), group_of(d).get(run.run)
    out.blank()
    title = f"Why {group.name}" if group else "Why"
    out.add((title, "bold"), (f"  {words.run_name(run.run)}", "dim"), most=1)
    if not head.asserts:
        out.add((run.headline, ""), indent=2, most=3)
    for contrast in d.contrasts[:1]:
        out.add(
            ("+ ", "green"),
            (contrast.text, ""),
            (f" (p = {spelled(contrast.p_value, '.2g')})", "dim"),
            indent=2,
            hang=2,
            most=2,
        )
    shown = [c.text for c in d.contrasts[:1]]
    supports = head.cause.supports if head.cause else ()
    sentences = [e.text for e in supports if not any(text in e.text for text in shown)]
    for text in (sentences or [e.text for e in lead.evidence] if lead else [])[:2]:
        out.add(("+ ", "green"), (words.cap(text), ""), indent=2, hang=2, most=2)
    for e in head.cause.against[:1] if head.cause else ():
        out.add(("− ", "red"), (words.cap(e.text), ""), indent=2, hang=2, most=2)


def _wasted(d: Diagnosis) -> str:
    hours = sum(r.cost.hours_wasted or 0.0 for r in d.runs)
    if hours >= words.SHOWN_HOURS:
        return f"{words.hours(hours)} were spent after trouble first showed."
    steps = sum(r.cost.steps_wasted or 0 for r in d.runs)
    return f"{words.count(steps, 'step')} were spent after trouble first showed." if steps else ""
