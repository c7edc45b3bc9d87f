"""The sentence that is read first: what happened, where, from what to what, and why."""

from __future__ import annotations

from collections.abc import Sequence

from curvedoc.core.diagnosis import Finding, RankedCause, Verdict
from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Run
from curvedoc.diagnose.ending.course import Course
from curvedoc.diagnose.grounds.grounds import grounds
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.judge.verdict import ASSERTED, NEAR_CERTAIN
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.diagnose.sentence.ties import tied
from curvedoc.diagnose.sentence.titles import lower_first, whole
from curvedoc.diagnose.story.choice import (
    CLOSE_FIT,
    FITTED,
    LEARNS_LITTLE,
    LIKELY,
    hidden_by_chance,
    trained_on,
)
from curvedoc.diagnose.story.lead import ERRORS
from curvedoc.diagnose.story.level import still_falls
from curvedoc.diagnose.story.progress import course_of, moved, stays_at, validation
from curvedoc.diagnose.story.quality import answers
from curvedoc.diagnose.story.remedy import RANGE_TEST, UNUSUAL_RATE, asks_for_a_change, softened
from curvedoc.diagnose.story.reward import explores, still_random

#: From here on the first cause is worth a word, as a suspect.
SUSPECTED = 0.2
#: From here on it is worth a mention where no other is likelier.
POSSIBLE = 0.08
#: Notices of a sound run that asks for a change all the same.
TOLD_FIRST = CLOSE_FIT | {UNUSUAL_RATE}
#: The cause that says nothing of the run but that another process ended first, and severities of a lost result.
ECHO, GRAVE = "peer-lost", ("fatal", "error")
#: A title is told up to the end of the clause that fits; the finding itself tells all of it.
_LONGEST, _SHORTER = 150, 100
#: Characters of a headline: what a tired reader takes in at once.
MOST = 220
_THE_LOSS = late_regex(r"\b([Tt])he (?:training )?loss\b")
#: How a loss is labeled that is no part of another.
_WHOLE = frozenset({"", "total", "all", "sum", "full", "overall", "train"})
_WORD = late_regex(r"[a-z]+")
#: Words that say nothing on their own, without the s of a plural.
_FILLERS = frozenset(
    {"a", "an", "the", "i", "are", "wa", "were", "be", "do", "not", "by", "of", "to", "in", "on", "or", "and", "it"}
)


def until_then(run: Run, open_: str = "") -> str:
    """What is to be said of the curves of a run that ended early without a fault. open_: what the log leaves open."""
    ground = grounds(run)
    if ground.lacking:
        return ground.lacking if ground.deciding else "too little was logged to judge it"
    if open_:
        return f"whether it learned until then is open: {lower_first(open_)}"
    assert ground.curve is not None, "what lacks nothing has a curve"
    if ground.name == "loss" and stays_at(ground.curve.finite()):
        return f"until then {course_of(run, ground, brief=True)}, where it began"
    went = f" ({course_of(run, ground, brief=True)})" if moved(ground.curve) else ""
    return f"healthy until then{went}: resume from the last checkpoint"


def headline(
    run: Run,
    result: Verdict,
    findings: Sequence[Finding],
    causes: Sequence[RankedCause],
    open_: str = "",
    bench: Bench | None = None,
    left: Course | None = None,
    stopped: str = "",
) -> str:
    """One sentence: what, where, and the cause when it is more likely than not.

    open_: what the log does not decide. left: the plan that the run did not come to the end of, as far as it is logged.
    stopped: what ended the run from outside, for one that has a fault beside.
    """
    ground = grounds(run)
    if result == "healthy" and ground.curve is not None:
        notices = sorted((f for f in findings if f.kind == "notice"), key=asks_for_a_change, reverse=True)
        if notices and notices[0].symptom == RANGE_TEST:
            return f"{notices[0].title}. No problem found: this is a test of rates, no training."
        far = f" The log ends at {left.words}." if left is not None else ""
        # what asks for a change of the run does not stand behind "no problem"
        fits = ground.name != "loss" or (val := validation(run)) is None or still_falls(val) is None
        told = notices[0].title if notices else ""
        ahead = bool(notices) and notices[0].symptom in TOLD_FIRST and (fits or notices[0].symptom == UNUSUAL_RATE)
        ahead = ahead or (bool(notices) and softened(notices[0]))
        return _sound(told, ahead, far, course_of(run, ground, bench=bench), course_of(run, ground, brief=True))
    undecided = ground.lacking if ground.deciding else ""
    if result == "inconclusive" and (undecided or (open_ and not ground.lacking)):
        random = f" {still_random(run)}" if explores(run) and not undecided else ""
        begun = undecided.endswith("but the beginning") and ground.curve is not None and moved(ground.curve)
        went = f" ({course_of(run, ground, brief=True)})" if begun else ""
        return f"The log does not decide it: {undecided or lower_first(open_)}{went}.{random}"
    if result == "inconclusive":
        few = ground.curve is not None and len(ground.curve.finite()) > 1
        went = f" ({course_of(run, ground, brief=True)})" if few else ""
        return f"Too little to judge: {ground.lacking or 'no curve tells its progress'}{went}."
    first = _first(findings)
    beside = answers(run, bench, first) if bench is not None and first.symptom not in ERRORS else ""
    if hidden_by_chance(run, first):
        return f"{said((bench or Bench(run)).counter, findings, ())} {still_random(run)}"
    # what still learns at the end needs no reason why it does not
    learns = bench is not None and causes and causes[0].probability < LIKELY and trained_on(bench, first) is not None
    told = said((bench or Bench(run)).counter, findings, () if learns else causes, beside)
    part = _part_of_the_loss(run, first)
    told = _THE_LOSS.sub(rf"\1he {part} loss", told, count=1) if part else told
    if (other := _before_the_crash(findings)) is not None:
        # the words of an echo say nothing of the run, and those of an error less than what was lost before it
        spare = other.severity in GRAVE or (bool(causes) and causes[0].cause == ECHO)
        bare = _with_cause(first.title.partition(": ")[0].rstrip("."), first, causes)
        before = [lower_first(whole(other.title.rstrip("."), room)) for room in (_LONGEST, _SHORTER)]
        tries = (f"{t} Before that, {b}." for t in ((told, bare) if spare else (told,)) for b in before)
        return next((t for t in tries if len(t) <= MOST), told)
    course = _until_the_crash(run, findings)
    if course and len(told) + len(course) > MOST:
        course = " Until then training was sound."
    far = f" The log ends at {left.words}." if left is not None and result == "warning" else ""
    return told + (course or (f" {stopped}." if stopped else far if len(told) + len(far) <= MOST else ""))


def _sound(told: str, ahead: bool, far: str, course: str, brief: str) -> str:
    """The headline of a sound run: how it went, and the notice that is worth knowing, as far as both fit.

    ahead: whether the notice is told first. far: where a log ends that goes no further. What does not fit stands below.
    """
    title = whole(told, _SHORTER)
    so_far = " so far" if far else ""
    if ahead:
        tries = [f"{t}. No other problem found{so_far}: {c}.{far}" for c in (course, brief) for t in (told, title)]
    else:
        sound = f"No problem found{so_far}: "
        also = [f" Worth knowing: {lower_first(t)}." if t else "" for t in (told, title)]
        tries = [f"{sound}{course}.{far}{a}" for a in (*also, "")]
        tries += [f"{sound}{brief}.{far}{a}" for a in (also[1], "")]
    return next((t for t in tries if len(t) <= MOST), tries[-1])


def _part_of_the_loss(run: Run, first: Finding) -> str:
    """How the loss that a finding is about is called, where it is one of several; "" where it is the only one."""
    losses = run.matches("loss")
    told = next((m.label for m in losses if m.metric == first.metric), "")
    return told if len(losses) > 1 and told.lower() not in _WHOLE else ""


def _first(findings: Sequence[Finding]) -> Finding:
    faults = [f for f in findings if f.kind == "pathology"]
    return next((f for f in faults if f.explained_by is None), faults[0])


def said(count: Counter, findings: Sequence[Finding], causes: Sequence[RankedCause], beside: str = "") -> str:
    """The sentence of a failed or warned run: the first finding, and what is known of its cause.

    beside: how right the model was meanwhile, as a clause.
    """
    first = _first(findings)
    # what is told beside goes first where all of it would be too long, then the last clauses of the title
    for room, meanwhile in ((_LONGEST, beside), (_LONGEST, ""), (_SHORTER, "")):
        told = whole(first.title, room).rstrip(".:") + _where(first, count)
        sentence = _with_cause(f"{told}; {meanwhile}" if meanwhile else told, first, causes)
        if len(sentence) <= MOST:
            break
    return sentence


def _with_cause(text: str, first: Finding, causes: Sequence[RankedCause]) -> str:
    """What happened, and what is known of its cause."""
    cause = causes[0] if causes else None
    if cause is None or same(cause.title, f"{first.title} {first.general}"):
        return f"{text}."
    sure = cause.probability >= NEAR_CERTAIN
    if cause.probability >= (ASSERTED if first.symptom in cause.findings else NEAR_CERTAIN):
        # a title that tells its own reason has a colon already
        if sure and ":" not in text and ";" not in text:
            return f"{text}: {lower_first(cause.title)}."
        return f"{text}. {'Cause' if sure else 'Likely cause'}: {lower_first(cause.title)}."
    # where nothing is likely enough to act on, what it may be is told for what it is
    if first.symptom in LEARNS_LITTLE and cause.probability < LIKELY:
        return f"{text}.{_possible(first, causes)}"
    rivals = tied(causes)
    # a fit that is too close is one story, whichever of its makers is meant
    if first.symptom in CLOSE_FIT and rivals and all(c.cause in FITTED for c in rivals):
        return f"{text}."
    if rivals:
        either = ", or ".join(lower_first(c.title) for c in rivals)
        return f"{text}. Either {either}."
    if cause.probability >= SUSPECTED and first.symptom in cause.findings:
        return f"{text}. First suspect: {lower_first(cause.title)}."
    return f"{text}.{_possible(first, causes)}" if cause.probability < SUSPECTED else f"{text}."


def _possible(first: Finding, causes: Sequence[RankedCause]) -> str:
    """The causes that are at least possible, where none of them is likely: two at most."""
    # where a fit is too close, an unlikely cause is no reason for it
    named = first.symptom not in CLOSE_FIT
    own = [c for c in causes if named and c.probability >= POSSIBLE and first.symptom in c.findings][:2]
    return f" It may be that {', or that '.join(lower_first(c.title) for c in own)}." if own else ""


def _before_the_crash(findings: Sequence[Finding]) -> Finding | None:
    """What went wrong in a run before an error ended it, which a rerun without that error would meet again."""
    first = _first(findings)
    # what had learned little by then was cut short
    told = {*ERRORS, *LEARNS_LITTLE, "slow-convergence"}
    own = (f for f in findings if f.kind == "pathology" and f.explained_by is None and f.symptom not in told)
    other = next(own, None)
    if first.symptom not in ERRORS or other is None or (other.first_step or 0) > (first.first_step or 0):
        return None
    return other


def _until_the_crash(run: Run, findings: Sequence[Finding]) -> str:
    """How the loss did until an error ended the run, where that error is all that went wrong."""
    faults = [f for f in findings if f.kind == "pathology"]
    ground = grounds(run)
    if ground.curve is None or ground.lacking or not all(f.symptom in ERRORS for f in faults):
        return ""
    if not moved(ground.curve):
        return ""
    return f" Until then training was sound: {course_of(run, ground, brief=True)}."


def _where(finding: Finding, count: Counter) -> str:
    """The step of a finding, where its title does not tell it; what holds from step 0 on holds for the whole run."""
    step = finding.first_step
    # a text without steps is counted from -1
    if step is None or step <= 0 or finding.title != finding.general:
        return ""
    return f", first seen at {count.at(step)}"


def same(cause: str, finding: str) -> bool:
    """Whether a cause's title says nothing that the finding's does not say, as where shapes do not fit."""
    said, known = ({w.rstrip("s") for w in _WORD.findall(t.lower())} - _FILLERS for t in (cause, finding))
    return said <= known
