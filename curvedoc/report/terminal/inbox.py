"""The groups of many runs in the terminal: what, why, what it cost, what sets it apart, and the first thing to do."""

from __future__ import annotations

from curvedoc.core.diagnosis import Diagnosis
from curvedoc.core.numbers import spelled
from curvedoc.diagnose.sentence.titles import lower_first
from curvedoc.report import words
from curvedoc.report.inbox import InboxGroup, inbox, lost_unit, lost_words
from curvedoc.report.terminal.lines import Lines
from curvedoc.report.terminal.sections import STYLE


def groups_part(out: Lines, d: Diagnosis, most: int, whole: bool) -> None:
    """At most so many groups, with `whole` each in full and else in one or two lines."""
    found = inbox(d)
    if not found:
        return
    unit = lost_unit(d.runs)
    out.blank()
    out.add(("Went wrong the same way", "bold"))
    wide = max(len(g.group.name) for g in found[:most])
    count = max(len(words.count(len(g.runs), "run")) for g in found[:most])
    for g in found[:most]:
        _group(out, g, wide, count, unit, whole)
    if len(found) > most:
        out.add((f"and {words.count(len(found) - most, 'smaller group')}", "dim"), indent=2)


def _group(out: Lines, g: InboxGroup, wide: int, count: int, unit: str, whole: bool) -> None:
    hang = wide + count + 4
    lost = lost_words(g.lost, unit)
    cause = ""
    if g.cause is not None:
        share = f"{words.likelihood(g.cause.probability)}, {words.percent(g.cause.probability)}"
        cause = f"; cause: {lower_first(g.cause.plain)} ({share})"
    out.add(
        (f" {g.group.name:<{wide}} ", STYLE[g.head.verdict]),
        (f"{words.count(len(g.runs), 'run'):>{count}}  ", "cyan"),
        (words.cap(g.what) + cause, ""),
        (f"  {lost} lost" if lost else "", "dim"),
        hang=hang,
        most=3,
    )
    if not whole:
        return
    if g.first is not None:
        out.add((f"{g.first_label}: ", "bold"), (words.cap(g.first.ask), ""), indent=hang, most=3)
    if g.contrast is not None:
        p = f" (p = {spelled(g.contrast.p_value, '.2g')})"
        out.add(("+ ", "green"), (g.contrast.text, ""), (p, "dim"), indent=hang, hang=2, most=3)
    elif g.differs:
        out.add((words.cap(g.differs), "dim"), indent=hang, most=2)
    out.add((f"see {words.run_name(g.head.run)}", "dim"), indent=hang, most=2)
