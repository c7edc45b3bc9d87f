"""The end of the terminal view: what was not logged, what the curves cannot show, what could not be read."""

from __future__ import annotations

from curvedoc.core.diagnosis import Diagnosis, RunDiagnosis
from curvedoc.report import words
from curvedoc.report.advice import how_to_log, missing, recorder_line, signal_name
from curvedoc.report.limits import limits
from curvedoc.report.terminal.lines import Lines

_MOST = 5  # signals that are named


def left_open(out: Lines, run: RunDiagnosis, verbose: bool) -> None:
    """Signals that were not logged; with `verbose` limits, messages and notes as well."""
    needs = missing(run)
    names = [signal_name(n) for n, _ in needs]
    if names and (run.verdict != "healthy" or verbose):
        out.blank()
        shown = names if verbose else names[:_MOST]
        more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
        left = f"; {words.count(len(run.not_judged), 'check')} skipped"
        out.add(("Not logged: ", "bold"), (", ".join(shown) + more, ""), (left, "dim"), hang=2)
        _lines_that_log(out, [n for n, _ in needs], verbose)
    elif names:
        out.blank()
        out.add((f"not logged: {', '.join(names[:_MOST])}", "dim"), hang=2, most=1)
    if verbose:
        out.blank()
        out.add(("What these curves cannot show", "bold"))
        for text in limits(run):
            out.add(("• ", ""), (text, ""), indent=2, hang=2)
        for m in run.messages[:5]:
            out.add(
                (f"{m.source}:{m.line} ", "dim"),
                (m.text.splitlines()[-1] if m.text.strip() else "", ""),
                indent=2,
                hang=2,
            )
        for note in (*run.notes, *(n for s in run.sources for n in s.notes)):
            times = f" ({note.count:,} times)" if note.count > 1 else ""
            out.add(("note: ", "dim"), (note.text + times, "dim"), indent=2, hang=2)


def _lines_that_log(out: Lines, roles: list[str], verbose: bool) -> None:
    """The one line that logs most of what is missing; with `verbose` the line of each."""
    together = recorder_line(roles)
    if together:
        out.add(("to log most of them: ", "dim"), (together, ""), indent=2, hang=2)
    for role in roles if verbose else ():
        if how_to_log(role):
            out.add((f"{signal_name(role)}: ", "dim"), (how_to_log(role), ""), indent=2, hang=2)


def unreadable(out: Lines, d: Diagnosis, verbose: bool) -> None:
    """Paths that could not be read: one and a count, all with `verbose`."""
    if not d.unreadable:
        return
    out.blank()
    shown = d.unreadable if verbose else d.unreadable[:1]
    for u in shown:
        out.add(("could not read ", "yellow"), (u.path, ""), (f": {u.reason}", "dim"), hang=2)
    if len(d.unreadable) > len(shown):
        out.add((f"and {len(d.unreadable) - len(shown):,} more that could not be read", "dim"))
