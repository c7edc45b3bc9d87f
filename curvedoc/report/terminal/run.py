"""The terminal view of one run: verdict, curve, findings with evidence, causes, the next check."""

from __future__ import annotations

from collections.abc import Mapping

from curvedoc.core.diagnosis import Finding, RunDiagnosis
from curvedoc.diagnose.sentence.titles import lower_first
from curvedoc.report import words
from curvedoc.report.charts.spark import blocks
from curvedoc.report.event_order import in_order
from curvedoc.report.summary import explains_nothing, first_thing, last_step, last_value, main_curve, ranked_findings
from curvedoc.report.terminal.footer import left_open
from curvedoc.report.terminal.lines import Lines
from curvedoc.report.terminal.sections import STYLE, confidence, first_part


def one_run(out: Lines, run: RunDiagnosis, verbose: bool) -> None:
    """One run in full; with `verbose` also what follows from a finding, the timeline and every cause."""
    glyph, word, _ = words.VERDICTS[run.verdict]
    out.add((f"{glyph} {word}", STYLE[run.verdict]), (f"  {words.run_name(run.run)}", ""))
    out.add((run.headline, "bold"), most=6)
    curve = main_curve(run)
    if curve:
        line = blocks(curve, min(40, out.width - 30), curve.step[-1])
        extent = f"{words.value(curve.mean[0])} → {words.value(last_value(run))}"
        extent += f", {words.unit(run.axis)} {words.step(last_step(run, curve))}"
        out.blank()
        out.add((f"{curve.role} ", "dim"), (line, "cyan"), (f"  {extent}", "dim"), indent=2, wrap=False)
    found = ranked_findings(run)
    loud = [f for f in found if verbose or (f.kind == "pathology" and not f.explained_by)]
    if loud:
        out.blank()
        out.add(("What was found", "bold"))
    for f in loud:
        style = {"pathology": STYLE[run.verdict], "notice": "blue", "gap": "dim"}[f.kind]
        parts = [("• ", style), (f.title, style), (_where(f.first_step, f.last_step, run.axis), "dim")]
        parts.append((f"  {_scope(f.scope)}" if f.scope else "", "dim"))
        parts.append((f"  [{f.symptom}]" if verbose else "", "dim"))
        out.add(*parts, indent=2, hang=2)
        telling = [e for e in f.evidence if verbose or not _quoted(e.text, f.title)]
        for e in telling if verbose else telling[:2]:
            out.add((words.cap(e.text), ""), indent=4)
    # gaps are told at the end, in one line with what was not logged
    quiet = [] if verbose else [f for f in found if f not in loud and f.kind != "gap" and not _told(run, f)]
    if quiet:
        # of two that open alike, as an overfitting and its gap do, one is enough
        openings = {f.title.partition(" and end")[0]: lower_first(f.title) for f in reversed(quiet)}
        folded = "; ".join(reversed(openings.values()))
        out.add((f"also seen: {folded}", "dim"), indent=2, hang=2)
    if verbose and (events := in_order(run)):
        out.blank()
        out.add(("In order", "bold"))
        for at, what in events:
            out.add((f"{at}  ", "dim"), (what, ""), indent=2, hang=2)
    if run.nearest:
        out.blank()
        out.add((words.cap(run.nearest.text), ""), indent=2, hang=2, most=4)
    _causes(out, run, verbose)
    first = first_thing(run)
    if first:
        first_part(out, first, False, verbose)
    left_open(out, run, verbose)


def _causes(out: Lines, run: RunDiagnosis, verbose: bool) -> None:
    if not run.causes or (not verbose and explains_nothing(run)):
        return
    out.blank()
    out.add(("Likely causes" if run.causes[0].probability >= words.ASSERTED else "Possible causes", "bold"))
    # A cause that is ruled out in all but name takes room from the ones to look at.
    shown = (
        run.causes
        if verbose
        else [c for i, c in enumerate(run.causes[:3]) if i == 0 or c.probability >= words.POSSIBLE]
    )
    for i, cause in enumerate(shown):
        out.add(
            (f"{i + 1}. ", ""),
            (words.cap(cause.title), "bold" if i == 0 else ""),
            *confidence(cause),
            indent=2,
            hang=3,
        )
        pro, con = (len(cause.supports), len(cause.against)) if verbose else ((3, 2) if i == 0 else (1, 1))
        for e in cause.supports[:pro]:
            out.add(("+ ", "green"), (words.cap(e.text), ""), indent=5, hang=2)
        for e in cause.against[:con]:
            out.add(("− ", "red"), (words.cap(e.text), ""), indent=5, hang=2)
        if cause.beside:
            out.add(("of another trouble, and may hold beside it: ", "dim"), (_title(run, cause.beside), ""), indent=5)
        for text in cause.fix if verbose else cause.fix[: 2 if i == 0 else 0]:
            out.add(("fix: ", "dim"), (text, ""), indent=5, hang=5)
    if run.none_of_these is not None:
        out.add((f"none of these: {words.percent(run.none_of_these)}", "dim"), indent=2)


def _title(run: RunDiagnosis, symptom: str) -> str:
    return next((lower_first(f.title) for f in run.findings if f.symptom == symptom), symptom)


def _where(first: int | None, last: int | None, axis: str) -> str:
    # what begins with the log has no moment of its own
    if first is None or first < 0 or (first == 0 and last in (None, 0)):
        return ""
    return f"  {words.unit(axis)} {first:,}" + (f" to {last:,}" if last is not None and last != first else "")


def _scope(scope: Mapping[str, str]) -> str:
    return ", ".join(f"{k} {v}" for k, v in sorted(scope.items()))


def _quoted(text: str, title: str) -> bool:
    """Whether a title holds the message already that a sentence quotes."""
    quote = text.removeprefix("the log says: ")
    return quote != text and quote.rstrip(":. ") in title


def _told(run: RunDiagnosis, finding: Finding) -> bool:
    """Whether the headline says it already, as that of a healthy run does with its first notice."""
    return finding.title.partition(" and end")[0].lower() in run.headline.lower()
