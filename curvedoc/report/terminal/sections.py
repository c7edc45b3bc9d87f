"""Parts that the terminal views of one run and of several share."""

from __future__ import annotations

from curvedoc.core.diagnosis import RankedCause, Verdict
from curvedoc.report import words
from curvedoc.report.summary import First
from curvedoc.report.terminal.lines import Lines

STYLE: dict[Verdict, str] = {
    "failed": "bold red", "warning": "yellow", "ended-early": "blue", "inconclusive": "magenta", "healthy": "green",
}  # fmt: skip
_ACTION = 8  # lines of what to do: half of it is of no use
_PROBE = 3  # lines of code that are shown in the terminal


def confidence(cause: RankedCause | None) -> list[tuple[str, str]]:
    """How likely a cause is, for the end of its line."""
    if not cause:
        return []
    return [(f"  ({words.likelihood(cause.probability)}, {words.percent(cause.probability)})", "dim")]


def first_part(out: Lines, first: First, name: bool, verbose: bool) -> None:
    """The one thing to do first; with `name` also on which run."""
    out.blank()
    cost = f"  ({words.COSTS[first.cost]})" if first.cost else ""
    out.add((first.label, "bold"), (cost + (f"  {words.run_name(first.run)}" if name else ""), "dim"), most=1)
    out.add((words.cap(first.ask), ""), indent=2, most=_ACTION)
    if first.how:
        out.add((words.cap(first.how), "dim"), indent=2, most=3)
    lines = first.probe.splitlines()
    # Half a function is of no use: a long one is left to the report, or to -v.
    for line in lines if verbose or len(lines) <= _PROBE else ():
        out.add((line, "cyan"), indent=4, hang=2, most=2)
    if len(lines) > _PROBE and not verbose:
        out.add((f"code for it: {len(lines)} lines, in the report or with -v", "dim"), indent=2, hang=2)
