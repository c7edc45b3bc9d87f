"""The terminal view: the verdict first, then the proof, then one thing to do; at most a screenful."""

from __future__ import annotations

from curvedoc.diagnosis import Diagnosis, RankedCause, RunDiagnosis
from curvedoc.numbers import spelled
from curvedoc.report import words
from curvedoc.report.escape import visible
from curvedoc.report.leftover import left_open, unreadable
from curvedoc.report.lines import Lines
from curvedoc.report.order import in_order
from curvedoc.report.spark import blocks
from curvedoc.report.summary import (
    First,
    Summary,
    first_thing,
    group_of,
    last_step,
    last_value,
    lead_finding,
    main_curve,
    onset,
    ranked_findings,
    summarize,
    worst_first,
)

#: Lines of a summary of several runs unless all were asked for: what a small terminal shows without scrolling.
SCREEN = 30
_STYLE = {"failed": "bold red", "warning": "yellow", "inconclusive": "magenta", "healthy": "green"}
_PROBE = 3  # lines of code that are shown in the terminal
_SPARK = 14  # columns of a sparkline in the table


def to_text(
    d: Diagnosis,
    *,
    width: int = 100,
    color: bool = False,
    ascii_only: bool = False,
    all_runs: bool = False,
    verbose: bool = False,
) -> str:
    """The diagnosis as terminal text that ends with a newline; lines are at most `width` columns (40 or more).

    One run is told in full; several as a table with the healthy ones collapsed to a count, at most `SCREEN` lines
    unless `all_runs` or `verbose`. Foreign text cannot steer the terminal: its control characters are spelled out.
    """
    width = max(40, width)
    head = summarize(d)
    out = Lines(width, ascii_only)
    if len(d.runs) == 1:
        _run(out, d.runs[0], verbose)
    else:
        _several(out, d, head, all_runs, verbose)
        if verbose:
            for run in worst_first(d):
                if run.verdict != "healthy":
                    out.blank()
                    _run(out, run, verbose)
    unreadable(out, d, verbose)
    return out.render(color)


def _several(out: Lines, d: Diagnosis, head: Summary, all_runs: bool, verbose: bool) -> None:
    share = f"  ({words.percent(head.cause.probability)})" if head.asserts and head.cause else ""
    out.add((head.headline, "bold"), (share, "dim"), most=4)
    total = len(d.runs)
    tally: list[tuple[str, str]] = [(f"{words.count(total, 'run')}: ", "")]
    for i, (verdict, n) in enumerate(head.counts):
        word = (
            "could not be judged"
            if verdict == "inconclusive"
            else ("warning" + "s" * (n != 1) if verdict == "warning" else verdict)
        )
        tally += [(", " if i else "", ""), (f"{n:,} {word}", _STYLE[verdict])]
    tally.append((". " + _wasted(d) if _wasted(d) else ".", ""))
    if total:
        out.add(*tally)

    tail = Lines(out.width, out.ascii_only)
    if head.lead:
        _evidence_of(tail, d, head)
    if head.first:
        _first(tail, head.first, True, verbose)
    runs = worst_first(d)
    shown = runs if all_runs else tuple(r for r in runs if r.verdict != "healthy")
    calm = len(runs) - len(shown)
    room = len(shown) if all_runs or verbose else max(4, SCREEN - len(out) - len(tail) - 4 - bool(d.unreadable) * 2)
    if shown:
        _table(out, d, shown[:room])
    left = len(shown) - len(shown[:room])
    hidden = [f"{left:,} more"] if left else []
    hidden += [f"{calm:,} healthy"] if calm and shown else []
    if hidden:
        noun = "run" if left + calm == 1 else "runs"
        out.add((f"  {' and '.join(hidden)} {noun} not shown, --all lists them", "dim"))
    out.blank()
    out.extend(tail)


def _table(out: Lines, d: Diagnosis, runs: tuple[RunDiagnosis, ...]) -> None:
    groups = group_of(d)
    letters = any(r.run in groups for r in runs)
    end = max((c.step[-1] for r in runs if (c := main_curve(r)) and c.step), default=0)
    timed = any((r.cost.hours_wasted or 0.0) >= 0.05 for r in runs)
    rows = []
    for r in runs:
        lead, curve = lead_finding(r), main_curve(r)
        letter = groups[r.run].name if r.run in groups else ""
        what = lead.title if lead else ("too little was logged" if r.verdict == "inconclusive" else "no problem found")
        lost = words.hours(r.cost.hours_wasted) if timed and r.cost.hours_wasted else ""
        if not timed and r.cost.steps_wasted:
            lost = words.step(r.cost.steps_wasted)
        rows.append(
            (
                visible(words.run_name(r.run)),
                f"{letter:<2}" * letters + visible(what),
                blocks(curve, _SPARK, end) if curve and out.width >= 90 else "",
                words.step(onset(r)) if onset(r) is not None else "",
                words.value(last_value(r)) if last_value(r) is not None else "",
                lost,
                r.verdict,
            )
        )
    spark = _SPARK if out.width >= 90 else 0
    onsets, ends = max(5, *(len(r[3]) for r in rows)), max(4, *(len(r[4]) for r in rows))
    losts = max((len(r[5]) for r in rows), default=0)
    losts = max(losts, 4) if losts else 0
    free = out.width - 3 - 2 - onsets - 2 - ends - (losts + 2 if losts else 0) - (spark + 2 if spark else 0)
    # The finding is worth more than the tail of a long name, but a name keeps three tenths where it needs them.
    longest, said = max(len(r[0]) for r in rows), max(len(r[1]) for r in rows) + 2
    name = min(longest, max(12, free * 3 // 10, free - said))
    what_w = max(10, free - name)
    out.blank()
    header = f"   {'run':<{name}}  {'  ' * letters + 'finding':<{what_w - 2}}" + (
        f"  {'loss':<{spark}}" if spark else ""
    )
    header += f"  {'onset':>{onsets}}  {'last':>{ends}}" + (f"  {'lost':>{losts}}" if losts else "")
    out.add((header, "dim"), wrap=False)
    for run, what, line, start, final, lost, verdict in rows:
        out.add(
            (f"{words.VERDICTS[verdict][0]:<3}", _STYLE[verdict]),
            (out.fit(run, name) + "  ", ""),
            (out.fit(what, what_w - 2, end=True), ""),
            (f"  {line:<{spark}}" if spark else "", "cyan"),
            (f"  {start:>{onsets}}  {final:>{ends}}" + (f"  {lost:>{losts}}" if losts else ""), ""),
            wrap=False,
        )


def _evidence_of(out: Lines, d: Diagnosis, head: Summary) -> None:
    run = head.lead
    if not run:
        return
    lead, group = lead_finding(run), group_of(d).get(run.run)
    out.blank()
    title = f"Why {group.name}" if group and len(group.runs) > 1 else "Why"
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


def _run(out: Lines, run: RunDiagnosis, verbose: bool) -> None:
    glyph, word, _ = words.VERDICTS[run.verdict]
    out.add((f"{glyph} {word}", _STYLE[run.verdict]), (f"  {words.run_name(run.run)}", ""))
    out.add((run.headline, "bold"), most=6)
    curve = main_curve(run)
    if curve:
        line = blocks(curve, min(40, out.width - 30), curve.step[-1])
        extent = f"{words.value(curve.mean[0])} → {words.value(curve.mean[-1])}"
        extent += f", {run.axis} {words.step(last_step(run, curve))}"
        out.blank()
        out.add((f"{curve.role} ", "dim"), (line, "cyan"), (f"  {extent}", "dim"), indent=2, wrap=False)
    found = ranked_findings(run)
    loud = [f for f in found if verbose or (f.kind == "pathology" and not f.explained_by)]
    if loud:
        out.blank()
        out.add(("What was found", "bold"))
    for f in loud:
        style = {"pathology": _STYLE[run.verdict], "notice": "blue", "gap": "dim"}[f.kind]
        parts = [("• ", style), (f.title, style), (_where(f.first_step, f.last_step, run.axis), "dim")]
        parts.append((f"  {_scope(f.scope)}" if f.scope else "", "dim"))
        parts.append((f"  [{f.symptom}]" if verbose else "", "dim"))
        out.add(*parts, indent=2, hang=2)
        for e in f.evidence if verbose else f.evidence[:2]:
            out.add((words.cap(e.text), ""), indent=4)
    if not verbose and len(found) > len(loud):
        folded = ", ".join(dict.fromkeys(f.title for f in found if f not in loud))
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
        _first(out, first, False, verbose)
    left_open(out, run, verbose)


def _causes(out: Lines, run: RunDiagnosis, verbose: bool) -> None:
    if not run.causes or (run.verdict == "healthy" and not verbose):
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
            *_confidence(cause),
            indent=2,
            hang=3,
        )
        pro, con = (len(cause.supports), len(cause.against)) if verbose else ((3, 2) if i == 0 else (1, 1))
        for e in cause.supports[:pro]:
            out.add(("+ ", "green"), (words.cap(e.text), ""), indent=5, hang=2)
        for e in cause.against[:con]:
            out.add(("− ", "red"), (words.cap(e.text), ""), indent=5, hang=2)
        for text in cause.fix if verbose else cause.fix[: 2 if i == 0 else 0]:
            out.add(("fix: ", "dim"), (text, ""), indent=5, hang=5)


def _confidence(cause: RankedCause | None) -> list[tuple[str, str]]:
    if not cause:
        return []
    return [(f"  ({words.likelihood(cause.probability)}, {words.percent(cause.probability)})", "dim")]


def _first(out: Lines, first: First, name: bool, verbose: bool) -> None:
    out.blank()
    cost = f"  ({words.COSTS[first.cost]})" if first.cost else ""
    out.add(("Do this first", "bold"), (cost + (f"  {words.run_name(first.run)}" if name else ""), "dim"), most=1)
    out.add((words.cap(first.ask), ""), indent=2, most=3)
    if first.how:
        out.add((words.cap(first.how), "dim"), indent=2, most=3)
    lines = first.probe.splitlines()
    # Half a function is of no use: a long one is left to the report, or to -v.
    for line in lines if verbose or len(lines) <= _PROBE else ():
        out.add((line, "cyan"), indent=4, hang=2, most=2)
    if len(lines) > _PROBE and not verbose:
        out.add((f"code for it: {len(lines)} lines, in the report or with -v", "dim"), indent=2, hang=2)


def _wasted(d: Diagnosis) -> str:
    hours = sum(r.cost.hours_wasted or 0.0 for r in d.runs)
    if hours >= 0.05:
        return f"{words.hours(hours)} came after the first step at which it showed."
    steps = sum(r.cost.steps_wasted or 0 for r in d.runs)
    return f"{words.count(steps, 'step')} came after the first at which it showed." if steps else ""


def _where(first: int | None, last: int | None, axis: str) -> str:
    if first is None or first < 0:
        return ""
    return f"  {axis} {first:,}" + (f" to {last:,}" if last is not None and last != first else "")


def _scope(scope: object) -> str:
    return ", ".join(f"{k} {v}" for k, v in sorted(dict(scope).items()))  # type: ignore[call-overload]
