"""Findings -> ranked causes, with the evidence for and against each and its checks answered from the log.

The formula. Findings form stories: a first failure and the consequences folded under it. Within a story a cause
collects mass

    m(c) = sum over findings f of  grade(f) * share(f, c),     grade(f) = (0.4 + 0.6 strength) * (1 or 0.5 if folded)

where share(f, c) are the rule's prior weights times the odds of its graded evidence, normalized. Then the cause's own
predictions are compared with every channel that was logged:

    o(c) = m(c) * product over channels of  (strongest line that holds for c) * (strongest line that holds against c)

A line that is unknown says nothing, and lines of one channel do not add up, since they look at one thing. The causes
of a story compete, with each other and with all that no file names:

    s(c | story) = o(c)^g / (sum of o^g + none)

so that they and "none of these" share the whole. Over stories,

    s(c) = 1 - product over stories (1 - w(story) s(c | story))

with w by severity, a little less beside a worse story, and by how clearly the first failure shows, so that a run that
dies of NaN and also overfits names the cause of the NaN first. Siblings speak last: where a setting parts the failed
runs of a sweep from the others (contrast.py), the odds s / (1 - s) of the causes that it stands for are multiplied by
the bound on the Bayes factor that its corrected p allows, at most 20 (beside.py). The formula is monotone: more
strength, a larger share or a further line that agrees never lowers a cause. The score s orders the causes; the
probability is a rising map of it, p(c) = calibrate(s(c)).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from curvedoc.core.diagnosis import Check, Evidence, Finding, RankedCause
from curvedoc.core.frozen import dataclass
from curvedoc.diagnose.judge.answers import answered
from curvedoc.diagnose.judge.fold import SEVERITY_ORDER, root
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.judge.names import WHOLE, called
from curvedoc.diagnose.sentence.fields import evidence, first_that_holds
from curvedoc.rulebook.rule import GRADES, Cause

#: How sharply the better supported of two causes stands out, and what "none of these" weighs beside a story's causes.
#: Both by the least surprise over first causes (231 runs; 0.85: 186, 1.5: 140, 2: 126, 2.5: 121, 4: 138), on the
#: cautious side, since these runs were looked at. They hardly change an order.
SHARPNESS = 2.0
NONE = 0.01
#: What a story weighs in the ranking over stories, by kind and severity of its first failure: the chance that one of
#: the causes it names is the true one, where nothing else competes. Chosen on 447 first causes of the trained truth
#: that may be looked at, the corpus and real runs (lower weights stated 20 points too little); held by 148 runs of
#: tasks laid aside: stated / right .06/.10 .34/.43 .57/.55 .81/.87 .91/.93, surprise .45 instead of .47.
STORY_WEIGHT: Mapping[tuple[str, str], float] = {
    ("pathology", "fatal"): 0.98,
    ("pathology", "error"): 0.95,
    ("pathology", "warning"): 0.92,
    ("pathology", "note"): 0.65,
}
#: What is left of that weight where the first failure hardly shows.
FAINT = 0.7
NOTICE_WEIGHT = 0.35
#: What is left of it beside a worse trouble: of causes that are as sure, that of the worse one is told first.
MILDER = 0.93
#: That a run ended early is in no doubt, and something ended it.
ENDED, ENDED_WEIGHT = "ended-early", 0.9
#: Beside a fault a notice is background: what makes a jump of the rate or a late breakthrough explains no failure.
NOTICE_BESIDE = 0.05
GAP_WEIGHT = 0.02
FOLDED = 0.5
#: What is left of a cause whose own question the log has answered against it: as if something decisive spoke so.
RULED_OUT = 0.05
#: Shares below this are not shown: a list of thirty remote causes helps nobody.
SHOWN = 0.01
#: A finding that gives a cause less does not name it: what it saw speaks against that, as a spike long before a climb.
NAMED = 0.005
#: The map from score to probability. It changes nothing as it stands: the scores are shares, so that the causes of one
#: trouble and "none of these" add up to 1, and headlines read ties off them.
SLOPE = 1.0
SHIFT = 0.0
#: Scores of 0 and 1 have no log-odds: they are taken this far inside.
DOUBT = 0.001
#: No log makes a cause certain, and a corpus of some hundred runs cannot show more than this.
CEILING = 0.98


@dataclass(frozen=True, slots=True)
class Story:
    """A first failure with its consequences: what it weighs, and the odds of each cause that it names."""

    weight: float
    odds: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Weighed:
    """A cause's own evidence in this run."""

    factor: float
    supports: tuple[Evidence, ...]
    against: tuple[Evidence, ...]
    checks: tuple[Check, ...]
    title: str = ""
    action: str = ""
    action_code: str = ""
    action_settings: Mapping[str, float] = field(default_factory=dict)


def grade(finding: Finding) -> float:
    """How much a finding counts, by its strength and whether it is a consequence."""
    return (0.4 + 0.6 * finding.strength) * (FOLDED if finding.explained_by else 1.0)


def agreement(held: Iterable[tuple[str, float]]) -> float:
    """The factor that what holds of a cause's predictions makes: of each channel the strongest for and against it.

    held: (channel, factor) of every prediction that holds. What one channel shows in two ways is one observation.

    >>> agreement([("loss", 3.0), ("loss", 6.0), ("validation", 1.5), ("loss", 0.5)])
    4.5
    """
    best: dict[tuple[str, bool], float] = {}
    for channel, times in held:
        side = (channel, times > 1.0)
        best[side] = max(best.get(side, times), times) if times > 1.0 else min(best.get(side, times), times)
    return math.prod(best.values())


def weigh_cause(cause: Cause, bench: Bench, members: Mapping[str, str] | None = None) -> Weighed:
    """What a cause's own file says of a run. members: the layer or rank that a finding is about which names it."""
    env = bench.environment(cause.program, WHOLE)
    texts = env.texts()
    texts.update(bench.spoken.of(cause.id))
    for kind, name in (members or {}).items():
        texts[f"said.{kind}"] = called(name) if kind == "layer" else f"{kind} {name}"
    shown: dict[bool, list[Evidence]] = {True: [], False: []}
    held = [p for p in cause.predicts if env.get(p.given) is True]
    for p in sorted(held, key=lambda p: -abs(math.log(p.times))):
        shown[p.times > 1.0] += evidence([p.sentence], env, texts, bench.counter)
    said = [bench.transcript.answer(cause.id, i) for i in range(len(cause.checks))]
    checks = tuple(
        answered(c, env, texts, cause.program, bench.counter, a) for c, a in zip(cause.checks, said, strict=True)
    )
    factor = agreement((p.channel, p.times) for p in held)
    for check, told in zip(cause.checks, said, strict=True):
        if told is not None:
            confirmed = (check.yes if told else check.no) == "confirmed"
            factor *= GRADES["strong"] if confirmed else 1 / GRADES["strong"]
            shown[confirmed].append(Evidence(f"a probe answered: {check.ask} {'Yes' if told else 'No'}"))
    if any({"yes": c.yes, "no": c.no}.get(c.answer) == "ruled-out" for c in checks):
        factor = min(factor, RULED_OUT)
    act = first_that_holds([a.sentence for a in cause.acts], env, texts, bench.counter)
    code = cause.probe if act is not None and cause.acts[act[0]].code else ""
    new = {} if act is None else {k: env.get(name) for k, name in cause.acts[act[0]].settings.items()}
    known = {k: float(v) for k, v in new.items() if v is not None}
    called_so = first_that_holds(cause.titles, env, texts, bench.counter)
    title, action = called_so[1] if called_so else cause.title, act[1] if act else ""
    return Weighed(factor, tuple(shown[True]), tuple(shown[False]), checks, title, action, code, known)


def _story_weight(finding: Finding, faulty: bool, said: str | None) -> float:
    if said is not None and not faulty and finding.causes and finding.causes[0][0] == said:
        return STORY_WEIGHT["pathology", "error"]  # the log itself names what ended the run
    if finding.kind == "pathology":
        return STORY_WEIGHT[finding.kind, finding.severity] * (FAINT + (1.0 - FAINT) * finding.strength)
    if finding.kind == "notice":
        alone = ENDED_WEIGHT if finding.symptom == ENDED else NOTICE_WEIGHT
        return NOTICE_BESIDE if faulty else alone
    return GAP_WEIGHT


def stories(findings: Sequence[Finding], factors: Mapping[str, float], said: str | None = None) -> tuple[Story, ...]:
    """What every story of a run says of causes.

    factors: cause -> product of its evidence; others are not ranked. said: the cause that the last message names.
    """
    by_id = {f.symptom: f for f in findings}
    faulty = any(f.kind == "pathology" for f in findings)
    mass: dict[str, dict[str, float]] = {}
    heads: dict[str, Finding] = {}
    for f in findings:
        first = root(f.symptom, by_id)
        story = mass.setdefault(first, {})
        # what is harmless by itself does not take the weight of a fault that it explains
        if f.kind == "pathology" and heads.get(first, by_id[first]).kind != "pathology":
            heads[first] = f
        for cause, share in f.causes:
            if cause in factors:
                story[cause] = story.get(cause, 0.0) + grade(f) * share * factors[cause]
    worst = min((SEVERITY_ORDER.index(f.severity) for f in findings if f.kind == "pathology"), default=0)
    told = []
    for first, odds in mass.items():
        head = heads.get(first, by_id[first])
        milder = head.kind == "pathology" and SEVERITY_ORDER.index(head.severity) > worst
        if odds:
            told.append(Story(_story_weight(head, faulty, said) * (MILDER if milder else 1.0), odds))
    return tuple(told)


def scores(told: Iterable[Story], sharpness: float = SHARPNESS) -> dict[str, float]:
    """cause -> its score in [0, 1], over all stories."""
    left: dict[str, float] = {}
    for story in told:
        power = {c: o**sharpness for c, o in story.odds.items()}
        total = sum(power.values()) + NONE
        for c, o in power.items():
            left[c] = left.get(c, 1.0) * (1.0 - story.weight * o / total)
    return {c: 1.0 - rest for c, rest in left.items()}


def calibrate(score: float, slope: float = SLOPE, shift: float = SHIFT) -> float:
    """The probability that a cause of this score is right: a straight line between log-odds.

    It rises with the score, so that it never changes an order, and stays below `CEILING`. Source: Platt (1999),
    Probabilistic outputs for support vector machines.
    """
    inside = min(max(score, DOUBT), 1.0 - DOUBT)
    return CEILING / (1.0 + math.exp(-(slope * math.log(inside / (1.0 - inside)) + shift)))


def raised(probability: float, factor: float) -> float:
    """The probability when the odds of the score behind it are multiplied."""
    inside = min(max(probability / CEILING, DOUBT), 1.0 - DOUBT)
    return CEILING / (1.0 + math.exp(-(math.log(inside / (1.0 - inside)) + SLOPE * math.log(factor))))


def weigh(findings: Sequence[Finding], causes: Mapping[str, Cause], bench: Bench) -> dict[str, Weighed]:
    """Every cause that a finding names, with the evidence of its own file."""
    members: dict[str, dict[str, str]] = {}
    for f in reversed(findings):
        for cause, _ in f.causes if f.scope.keys() & {"layer", "rank"} else ():
            members.setdefault(cause, {}).update(f.scope)
    named = sorted({c for f in findings for c, _ in f.causes if c in causes})
    return {c: weigh_cause(causes[c], bench, members.get(c)) for c in named}


def _naming(findings: Sequence[Finding], cause: str) -> list[Finding]:
    """The findings that name a cause; one that gives it next to nothing does so only where no other does."""
    share = [(f, s) for f in findings for c, s in f.causes if c == cause]
    return [f for f, s in share if s >= NAMED] or [f for f, _ in share]


def _opening(finding: Finding) -> str:
    """What a finding saw, without where it ended: one measure quotes the last value, another the last level."""
    return finding.title.partition(" and end")[0]


def rank(
    findings: Sequence[Finding],
    causes: Mapping[str, Cause],
    bench: Bench,
) -> tuple[RankedCause, ...]:
    """The likely causes, best first. What was seen is the evidence for one; why it follows is its mechanism.

    Where something failed, what is merely not logged is no cause of it and is left to the notes.
    """
    if any(f.kind == "pathology" for f in findings):
        findings = [f for f in findings if f.kind != "gap"]
    weighed = weigh(findings, causes, bench)
    score = scores(stories(findings, {c: w.factor for c, w in weighed.items()}, bench.spoken.cause))
    ranked, by_id = [], {f.symptom: f for f in findings}
    for id_ in weighed:
        owners = _naming(findings, id_)
        # the first finding is what is to be explained, and no evidence; two that begin alike tell one thing, and what
        # is seen of another trouble speaks for none of this
        beside = [f for f in owners if root(f.symptom, by_id) == root(owners[0].symptom, by_id)]
        others = {_opening(f): f for f in reversed(beside[:3]) if _opening(f) != _opening(findings[0])}
        reasons = tuple(
            Evidence(f.title, f.metric, tuple(m for e in f.evidence[:1] for m in e.marks))
            for f in reversed(others.values())
        )
        cause, own = causes[id_], weighed[id_]
        ranked.append(
            RankedCause(
                cause=id_,
                title=own.title,
                probability=round(calibrate(score[id_]), 4),
                mechanism=cause.mechanism,
                # what a finding saw is told with it: it speaks for a cause that has nothing of its own to show
                supports=own.supports or reasons or tuple(e for f in owners for e in f.evidence)[:1],
                against=own.against,
                checks=own.checks,
                fix=cause.fix,
                probe=cause.probe,
                findings=tuple(f.symptom for f in owners),
                action=own.action,
                action_code=own.action_code,
                action_settings=own.action_settings,
                general=cause.title,
            )
        )
    ranked.sort(key=lambda r: (-round(score[r.cause], 6), r.cause))
    return tuple(r for i, r in enumerate(ranked) if score[r.cause] >= SHOWN or i < 3)
