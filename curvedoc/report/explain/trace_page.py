"""What a rule or cause said of one run, as a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from curvedoc.diagnose.judge.trace import CauseTrace, RuleTrace, TracedLine
from curvedoc.report.explain.page import Page, PageSection, PageTable, Prose, made
from curvedoc.rulebook.rule import Cause, Rule

#: Layers, data sets or ranks told one by one.
MOST_MEMBERS = 5


def rule_trace_page(rule: Rule, run: str, traces: Sequence[RuleTrace]) -> Page:
    """Conditions, excuses and measures of a rule with what they said of a run."""
    sections = []
    for trace in traces[:MOST_MEMBERS]:
        of = f" of {trace.label}" if trace.label else ""
        alternatives = any(line.name for line in trace.conditions)
        asked = "It fires when the lines of one name all hold" if alternatives else "It fires when these lines all hold"
        sections += [
            PageSection(f"Said{of}", (Prose(f"{trace.outcome}."),)),
            PageSection(asked, (_conditions(trace.conditions),)),
            PageSection("It is silent all the same where one of these is known to be true", (_named(trace.excuses),)),
            PageSection("The measures behind them", (_named(trace.measures),)),
        ]
    if not traces:
        sections.append(PageSection("Said", (Prose(f"not judged: the run has no {rule.over} to judge."),)))
    if len(traces) > MOST_MEMBERS:
        sections.append(PageSection("", (Prose(f"{len(traces) - MOST_MEMBERS:,} more are left out."),)))
    return made(rule.id, "symptom", rule.title, f"on {run}", sections)


def cause_trace_page(cause: Cause, run: str, trace: CauseTrace) -> Page:
    """Evidence, answers and measures of a cause with what they said of a run."""
    rows = ((line.value, channel, f"×{times:.3g}", line.name, line.text) for channel, times, line in trace.evidence)
    checks = tuple((c.answer, c.ask, c.because) for c in trace.checks)
    sections = [
        PageSection(
            "Evidence of its own: of each channel the strongest true line for and against counts",
            (PageTable(("says", "channel", "odds", "measure", ""), tuple(rows)),),
        ),
        PageSection("Its questions", (PageTable(("answer", "question", "because"), checks),)),
        PageSection("The measures behind them", (_named(trace.measures),)),
    ]
    return made(cause.id, "cause", cause.title, f"on {run}", sections)


def _conditions(lines: Iterable[TracedLine]) -> PageTable:
    rows = tuple((line.value, f"{line.name}: {line.text}" if line.name else line.text, _with(line)) for line in lines)
    return PageTable(("says", "condition", "with"), rows)


def _named(lines: Iterable[TracedLine]) -> PageTable:
    return PageTable(("says", "measure", ""), tuple((line.value, line.name, line.text) for line in lines))


def _with(line: TracedLine) -> str:
    return ", ".join(f"{name} {value}" for name, value in line.names)
