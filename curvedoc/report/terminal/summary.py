"""The terminal view: the verdict first, then the proof, then one thing to do; at most a screenful."""

from __future__ import annotations

from curvedoc.core.diagnosis import Diagnosis
from curvedoc.report.summary import summarize, worst_first
from curvedoc.report.terminal.footer import unreadable
from curvedoc.report.terminal.lines import Lines
from curvedoc.report.terminal.run import one_run
from curvedoc.report.terminal.sweep import several


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
        one_run(out, d.runs[0], verbose)
    else:
        several(out, d, head, all_runs, verbose)
        if verbose:
            for run in worst_first(d):
                if run.verdict != "healthy":
                    out.blank()
                    one_run(out, run, verbose)
    unreadable(out, d, verbose)
    return out.render(color)
