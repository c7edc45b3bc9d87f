"""Many runs as a few things to fix: groups of one failure, their cause and cost, and what sets them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from curvedoc.core.diagnosis import Contrast, Diagnosis, Group, RankedCause, RunDiagnosis
from curvedoc.core.frozen import dataclass
from curvedoc.diagnose.sentence.titles import lower_first
from curvedoc.report import words
from curvedoc.report.summary import First, Summary, first_thing, lead_finding

#: Groups that the sentence on top counts.
_TOP = 3
_SMALL = ("no", "one", "two", "three")


@dataclass(frozen=True, slots=True)
class InboxGroup:
    """One thing to fix."""

    group: Group
    runs: tuple[RunDiagnosis, ...]
    head: RunDiagnosis  # the representative
    what: str
    cause: RankedCause | None  # that is at least possible
    lost: float  # in the unit of the tree
    contrast: Contrast | None
    differs: str  # from the nearest healthy run, where no setting parts the group
    first: First | None

    @property
    def names_cause(self) -> bool:
        """Whether its title names the cause, as it does beside another group of the same fault."""
        return self.cause is not None and self.what.endswith(lower_first(self.cause.plain))

    @property
    def why(self) -> str:
        """Its cause with how likely it is, which alone is told where the title names the cause; "" for none."""
        told = cause_words(self.cause)
        if self.cause is None or not self.names_cause:
            return told
        return told.removeprefix(f"{self.cause.plain} (").removesuffix(")")

    @property
    def first_label(self) -> str:
        """What stands before the first thing to do: figures are those of the representative, which is named then."""
        figures = self.first is not None and any(c.isdigit() for c in self.first.ask)
        name = words.run_name(self.head.run) if figures else ""
        return f"First, in {name}" if name else "First"


def inbox(d: Diagnosis) -> tuple[InboxGroup, ...]:
    """The groups of several runs, as they are lettered: failed ones first, the largest ahead."""
    by_name = {r.run: r for r in d.runs}
    unit = lost_unit(d.runs)
    made = []
    for g in d.groups:
        runs = tuple(by_name[n] for n in g.runs if n in by_name)
        if len(runs) < 2 or g.representative not in by_name:
            continue
        head = by_name[g.representative]
        lead = lead_finding(head)
        cause = head.causes[0] if head.causes and head.causes[0].probability >= words.POSSIBLE else None
        contrast = g.contrasts[0] if g.contrasts else None
        differs = head.nearest.text if head.nearest and contrast is None else ""
        what = (lead.general or lead.title) if lead else head.headline
        lost = sum(lost_of(r, unit) or 0.0 for r in runs)
        made.append(InboxGroup(g, runs, head, what, cause, lost, contrast, differs, first_thing(head)))
    # what went wrong alike for different reasons is told with the reason
    often = Counter(m.what for m in made)
    return tuple(
        replace(m, what=f"{m.what}: {_because(m.cause)}") if m.cause and often[m.what] > 1 else m for m in made
    )


def _because(cause: RankedCause) -> str:
    """A cause behind what it explains; one that is only possible for what it is."""
    return ("" if cause.probability >= words.ASSERTED else "possibly ") + lower_first(cause.plain)


def covers(d: Diagnosis, groups: Iterable[InboxGroup]) -> str:
    """`Three fixes cover 41 of 60 failed runs`; "" where groups are not most of what failed."""
    failed = sum(r.verdict == "failed" for r in d.runs)
    top = sorted((g for g in groups if g.head.verdict == "failed"), key=lambda g: -len(g.runs))[:_TOP]
    held = sum(len(g.runs) for g in top)
    if len(top) < 2 or 2 * held <= failed:
        return ""
    sure = all(g.cause is not None and g.cause.probability >= words.ASSERTED for g in top)
    causes = {g.cause.cause for g in top if g.cause is not None}
    n = len(causes) if sure else len(top)
    noun = f"{'fix' if n == 1 else 'fixes'} cover{'s' if n == 1 else ''}" if sure else "groups hold"
    whole = f"all {failed:,}" if held == failed else f"{held:,} of {failed:,}"
    return f"{_SMALL[n].capitalize()} {noun} {whole} failed runs"


def top_sentence(d: Diagnosis, head: Summary) -> str:
    """The headline of many runs: of one group where that is most of what failed, else what a few fixes cover."""
    groups = inbox(d)
    failed = sum(r.verdict == "failed" for r in d.runs)
    if any(g.head.verdict == "failed" and 2 * len(g.runs) > failed for g in groups):
        return head.headline
    told = covers(d, groups)
    return f"{told}." if told else head.headline


def lost_unit(runs: Iterable[RunDiagnosis]) -> str:
    """The one unit in which a tree counts what was lost: "hours" where most of its failed runs logged a clock and
    minutes at least were lost."""
    lost = [r for r in runs if r.cost.steps_wasted or r.cost.hours_wasted]
    timed = sum(r.cost.hours_wasted is not None for r in lost)
    enough = sum(r.cost.hours_wasted or 0.0 for r in lost) >= words.SHOWN_HOURS
    return "hours" if enough and 2 * timed > len(lost) else "steps"


def lost_of(run: RunDiagnosis, unit: str) -> float | None:
    """What a run cost after its onset; None where the unit was not logged or nothing was lost."""
    return (run.cost.hours_wasted if unit == "hours" else run.cost.steps_wasted) or None


def lost_words(amount: float | None, unit: str) -> str:
    """What was lost, in words: `43.6 h`, `1,200 steps`; "" for nothing."""
    if not amount:
        return ""
    return words.hours(amount) if unit == "hours" else words.count(round(amount), "step")


def cause_words(cause: RankedCause | None) -> str:
    """`learning rate too high (very likely, 92 %)`; "" for none."""
    if cause is None:
        return ""
    return f"{cause.plain} ({words.likelihood(cause.probability)}, {words.percent(cause.probability)})"
