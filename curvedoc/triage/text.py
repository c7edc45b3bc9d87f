"""The terminal view of many runs: the same as of a tree that is analyzed, with its groups in full and longer lists."""

from __future__ import annotations

from curvedoc.core.diagnosis import Diagnosis
from curvedoc.report.summary import summarize
from curvedoc.report.terminal.footer import unreadable
from curvedoc.report.terminal.lines import Lines
from curvedoc.report.terminal.sweep import many

#: Lines of the table and groups unless all were asked for.
LISTED, GROUPS = 60, 20


def to_text(
    d: Diagnosis, *, width: int = 100, color: bool = False, ascii_only: bool = False, everything: bool = False
) -> str:
    """The triage as terminal text, lines at most `width` (60 or more) columns, ending with a newline.

    Healthy runs are counted and listed only with `everything`, as are lines beyond the first `LISTED`.
    """
    out = Lines(max(60, width), ascii_only)
    groups = len(d.groups) if everything else GROUPS
    many(out, d, summarize(d), None if everything else LISTED, groups, all_runs=everything)
    unreadable(out, d, everything)
    return out.render(color)
