"""The verdict, its sentence, what to do next and what the failure cost."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from curvedoc.core.diagnosis import Finding, NextCheck, RankedCause, Verdict, Waste
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run
from curvedoc.diagnose.judge.grounds import grounds
from curvedoc.diagnose.judge.titles import lower_first

#: Below this the headline names the symptom only: it may not assert a cause.
ASSERTED = 0.5
NEAR_CERTAIN = 0.7
_WORD = re.compile(r"[a-z]+")
#: Words that say nothing on their own, without the s of a plural.
_FILLERS = frozenset(
    {"a", "an", "the", "i", "are", "wa", "were", "be", "do", "not", "by", "of", "to", "in", "on", "or", "and", "it"}
)
#: Cost of a check in units of one look at the log.
CHECK_COST = {"look": 1.0, "code": 3.0, "short-run": 12.0, "full-run": 100.0}


def verdict(run: Run, findings: Sequence[Finding], ended_early: bool = False) -> Verdict:
    """failed, warning, ended-early, healthy or inconclusive; notices and gaps never change it.

    ended_early: the run is known not to have got where it was going; faults outrank that.
    """
    faults = [f for f in findings if f.kind == "pathology"]
    if any(f.severity in ("fatal", "error") for f in faults):
        return "failed"
    if faults:
        return "warning"
    if ended_early:
        return "ended-early"
    return "inconclusive" if grounds(run).lacking else "healthy"


def until_then(run: Run) -> str:
    """What is to be said of the curves of a run that ended early without a fault."""
    if grounds(run).lacking:
        return "too little was logged to judge it"
    return "healthy until then: resume from the last checkpoint"


def headline(
    run: Run,
    result: Verdict,
    findings: Sequence[Finding],
    causes: Sequence[RankedCause],
    checks: tuple[int, int] | None = None,
) -> str:
    """One sentence: what, where, and the cause when it is more likely than not.

    checks: how many rules could be judged, of how many; told where that is too few.
    """
    ground = grounds(run)
    if result == "healthy" and ground.curve is not None:
        value = ground.curve.finite().value[-1]
        notices = [f.title for f in findings if f.kind == "notice"]
        also = f" Worth knowing: {lower_first(notices[0])}." if notices else ""
        end = spelled(float(value), ".4g")
        return f"No problem found; the {ground.name} ends at {end} after {run.axis} {ground.curve.step[-1]:,}.{also}"
    if result == "inconclusive":
        could = "" if checks is None else f" {checks[0]} of {checks[1]} checks could be judged."
        return f"Too little to judge: {ground.lacking or 'no curve tells its progress'}.{could}"
    return said(run.axis, findings, causes)


def said(axis: str, findings: Sequence[Finding], causes: Sequence[RankedCause]) -> str:
    """The sentence of a failed or warned run."""
    faults = [f for f in findings if f.kind == "pathology"]
    first = next((f for f in faults if f.explained_by is None), faults[0])
    text = first.title.rstrip(".:") + _where(first, axis)
    if not causes or same(causes[0].title, f"{first.title} {first.general}"):
        return f"{text}."
    cause = causes[0]
    if cause.probability < (ASSERTED if first.symptom in cause.findings else NEAR_CERTAIN):
        return f"{text}."
    # a title that tells its own reason has a colon already
    if ":" in text:
        stop, sure = "" if text.endswith("…") else ".", cause.probability >= NEAR_CERTAIN
        return f"{text}{stop} {'Cause' if sure else 'Likely cause'}: {lower_first(cause.title)}."
    return f"{text}: {lower_first(cause.title)}."


def _where(finding: Finding, axis: str) -> str:
    """The step of a finding, where its title does not tell it; what holds from step 0 on holds for the whole run."""
    step = finding.first_step
    # a text without steps is counted from -1
    if step is None or step <= 0 or finding.title != finding.general:
        return ""
    return f", at {axis} {step:,}"


def same(cause: str, finding: str) -> bool:
    """Whether a cause's title says nothing that the finding's does not say, as where shapes do not fit."""
    said, known = ({w.rstrip("s") for w in _WORD.findall(t.lower())} - _FILLERS for t in (cause, finding))
    return said <= known


def _open(cause: RankedCause) -> bool:
    return any(check.answer in ("open", "unanswerable") for check in cause.checks)


def next_check(causes: Sequence[RankedCause]) -> NextCheck | None:
    """The open question with the best expected gain per cost among the leading causes."""
    # a cause this likely is confirmed first: a cheaper question about an unlikely one would only cost attention
    leading = causes[:1] if causes and causes[0].probability >= NEAR_CERTAIN and _open(causes[0]) else causes[:4]
    best: tuple[float, NextCheck] | None = None
    for cause in leading:
        for check in cause.checks:
            if check.answer not in ("open", "unanswerable"):
                continue
            # p (1 - p) is the variance a yes/no answer removes; a near-certain cause is still worth confirming
            gain = max(cause.probability * (1 - cause.probability), 0.3 * cause.probability) / CHECK_COST[check.cost]
            if best is None or gain > best[0]:
                made = NextCheck(cause.cause, check.ask, check.how, check.cost, check.yes, check.no, cause.probe)
                best = (gain, made)
    return best[1] if best else None


def waste(run: Run, findings: Sequence[Finding]) -> Waste:
    """Steps and hours spent after the first step at which a failure could be seen."""
    steps = [
        f.first_step
        for f in findings
        if f.kind == "pathology" and f.severity in ("fatal", "error") and f.first_step is not None
    ]
    if not steps:
        return Waste()
    first = max(0, min(steps))
    loss = run.series("loss")
    if loss is None or not len(loss):
        return Waste(first)
    hours = None
    if loss.time is not None:
        later = loss.time[loss.step >= first]
        later = later[np.isfinite(later)]
        if len(later) > 1 and later[-1] >= later[0]:
            hours = round(float(later[-1] - later[0]) / 3600, 4)
    return Waste(first, max(0, int(loss.step[-1]) - first), hours)
