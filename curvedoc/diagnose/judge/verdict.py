"""The verdict, what to check next and what the failure cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from curvedoc.core.diagnosis import Check, Finding, KnownFact, NextCheck, RankedCause, Verdict, Waste
from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Run
from curvedoc.core.series import Series
from curvedoc.diagnose.grounds.grounds import grounds
from curvedoc.diagnose.judge.answers import UNSHOWN
from curvedoc.diagnose.sentence.ties import ASSERTED as ASSERTED
from curvedoc.rulebook.rule import Rule
from curvedoc.stats.basic.levels import median
from curvedoc.stats.noise.noise import noise
from curvedoc.stats.shape.net_fall import surely_fell
from curvedoc.stats.shape.trend import trend_z

NEAR_CERTAIN = 0.7
#: Deviates of a trend that chance draws once in twenty.
LIKELY = 2.0
#: Standard deviations by which a first row stands out.
CLEAR = 4.0
#: A fall of the validation loss that is seen on the chart, and a share of right answers that no guess reaches.
SEEN, MOSTLY = 0.05, 0.8
_SHOWN = ("loss_kind", "warm_start", "quality_rises", "final_accuracy", "final_val_accuracy")
#: What a probe prints at its end: "check bad-batch 2: yes" answers the second question of that cause.
_PRINTS = late_regex(r"check [a-z-]+ (\d+):")
#: Cost of a check in units of one look at the log.
CHECK_COST = {"look": 1.0, "code": 3.0, "short-run": 12.0, "full-run": 100.0}


def verdict(run: Run, findings: Sequence[Finding], ended_early: bool = False, is_open: bool = False) -> Verdict:
    """failed, warning, ended-early, healthy or inconclusive; notices and gaps never change it.

    ended_early: the run is known not to have got where it was going; faults outrank that.
    is_open: what was found is a fault or none, and the log does not tell which: nothing then earns the word healthy.
    """
    faults = [f for f in findings if f.kind == "pathology"]
    if any(f.severity in ("fatal", "error") for f in faults):
        return "failed"
    if faults:
        return "warning"
    if ended_early:
        return "ended-early"
    return "inconclusive" if is_open or grounds(run).lacking else "healthy"


def left_open(
    run: Run, findings: Sequence[Finding], rules: Mapping[str, Rule], known: Callable[[str], KnownFact | None]
) -> str:
    """What forbids both to fail the run and to call it healthy; empty where nothing does.

    known: what is known of a fact of the run. A loss that comes down shows that something is learned, whatever it began
    with.
    """
    for finding in findings:
        if finding.kind == "notice" and rules[finding.symptom].undecided_if:
            return finding.title
    course = known("quality_course")
    # answers on other data are not lost without a fault; a reward or a score may swing
    if run.series("val_accuracy") is not None and course is not None and course.value == "sinks":
        return "what was right on other data is far below its best in the end"
    loss, name = run.series("loss"), "loss"
    if loss is None:
        loss, name = run.series("val_loss"), "validation loss"
    if loss is None or _came_down(loss.finite()):
        return ""
    hidden = f"the scatter of the {name} hides whether it came down"
    if (start := known("start_unknown")) is not None and start.value is True:
        return f"{hidden}, and nothing tells whether it began with trained weights"
    return "" if _knows_otherwise(run, known) else hidden


def _knows_otherwise(run: Run, known: Callable[[str], KnownFact | None]) -> bool:
    """Whether anything but the training loss shows that the model knows its task."""
    value = {name: fact.value for name in _SHOWN if (fact := known(name)) is not None}
    if value.get("loss_kind") in ("policy", "game") or value.get("warm_start") is True:
        return True
    right = max(float(value.get(name, 0.0)) for name in ("final_accuracy", "final_val_accuracy"))
    val = run.series("val_loss")
    fell = val is not None and len(val) > 1 and val.value[-1] < (1.0 - SEEN) * val.value[0]
    return value.get("quality_rises") is True or right > MOSTLY or bool(fell)


def _came_down(loss: Series) -> bool:
    """Whether it surely fell: over all rows, by its lowest stretch, or at once after its first row."""
    z, fell, level, sd = trend_z(loss), surely_fell(loss), median(loss), noise(loss)
    if z is None or fell is None or level is None or sd is None:
        return True
    first = float(loss.value[0])
    return z < -LIKELY or (fell > 0.0 and min(level, float(loss.value[-1])) < first) or first - level > CLEAR * sd


def code_for(check: Check, cause: RankedCause) -> str:
    """The probe of a cause for the one check that it answers: the one whose number it prints, else the first by code or
    that names it. A run that is repeated with another setting needs no code.
    """
    told = {int(m[1]) for m in _PRINTS.finditer(cause.probe)}
    own = [c.ask for c in cause.checks]
    if told:
        return cause.probe if check.ask in own and own.index(check.ask) + 1 in told else ""
    coded = next((c.ask for c in cause.checks if c.cost == "code" or "probe" in c.how), None)
    return cause.probe if check.ask == coded else ""


def _is_open(check: Check) -> bool:
    """Whether it is still to be asked; a look at what was logged and settles nothing would find no more."""
    return check.answer == "open" or (
        check.answer == "unanswerable" and (check.cost != "look" or check.because != UNSHOWN)
    )


def next_check(causes: Sequence[RankedCause]) -> NextCheck | None:
    """The cheapest open question of the likeliest cause; of one that has none left, that of the next.

    A cheaper question about a less likely cause would only cost attention.
    """
    for cause in causes:
        asked = [c for c in cause.checks if _is_open(c)]
        if asked:
            check = min(asked, key=lambda c: CHECK_COST[c.cost])
            code = code_for(check, cause)
            return NextCheck(cause.cause, check.ask, check.how, check.cost, check.yes, check.no, code)
    return None


def waste(run: Run, findings: Sequence[Finding]) -> Waste:
    """Steps and hours spent after the failure that is told first began; findings stand as they are told."""
    steps = [
        f.first_step
        for f in findings
        if f.kind == "pathology" and f.severity in ("fatal", "error") and f.first_step is not None
    ]
    if not steps:
        return Waste()
    first = max(0, steps[0])
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
