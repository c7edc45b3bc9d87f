"""What to do about a run that is not judged: what to log, which column is the loss, or what decides it.

A run whose loss was guessed is judged all the same, but never lost and never healthy on a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from curvedoc.core.diagnosis import Finding, NextAction, Verdict
from curvedoc.core.numbers import spelled
from curvedoc.core.run import RoleMatch, Run
from curvedoc.diagnose.ending.course import Course
from curvedoc.diagnose.grounds.contradictions import COMPARE, ENOUGH_POINTS
from curvedoc.diagnose.grounds.grounds import Grounds
from curvedoc.diagnose.judge.transcript import shortened
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.diagnose.story.reward import explores, without_chance

#: Columns offered as the loss: more of them are a list to search, not a choice.
OFFERED = 3
#: A name that is longer is no word of a sentence.
_LONGEST = 40
#: Far outside what its optimizer takes, which is worth a try before anything else.
UNUSUAL_RATE = "rate-unusual"
#: A leap of the rate, and the measure that says whether the loss rose with it.
RATE_LEAP, FELT = "lr-jump", "reacts"
#: Validation that costs less than training, and the measure that says that labels of training are to blame.
CHEAPER, SOFTENED = "val-better-than-train", "softened"
#: The run that sweeps its rate to find one.
RANGE_TEST = "lr-range-test"
_SPLITS = {"val_loss": "validation loss"}
#: A loss that fell and rests, of which nothing tells whether it is good.
RESTS = "plateau-after-progress"
#: Nats a token, between which language models that were trained before end.
TEXT = (0.8, 4.0)
#: So many points draw a curve that every check about shape can be asked of.
WORTH_LOGGING = 20
#: Findings of these severities are lowered where they rest on a guessed metric.
_GRAVE = ("fatal", "error")


def guessed_loss(run: Run) -> RoleMatch | None:
    """The metric that was taken for the loss by its values alone; None where the loss is known, or none was found."""
    best = next(iter((*run.matches("loss"), *run.matches("val_loss"))), None)
    return best if best is not None and best.trust == "guess" else None


def lowered(run: Run, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, those that rest on guessed metrics as warnings at most; what a text says keeps its severity."""
    guessed = {m.metric for m in run.roles if m.trust == "guess"}
    if not guessed:
        return tuple(findings)
    return tuple(
        replace(f, severity="warning") if f.metric in guessed and f.severity in _GRAVE else f for f in findings
    )


def doubted(run: Run, result: Verdict, headline: str) -> tuple[Verdict, str]:
    """The verdict and its sentence with the guess said: a healthy curve that may not be the loss proves nothing."""
    match = guessed_loss(run)
    if match is None or result not in ("healthy", "warning"):
        return result, headline
    condition = f"if {match.metric} is the {'loss' if match.role == 'loss' else 'validation loss'}"
    told = f"--map {match.role}={match.metric} says so"
    if result == "healthy":
        return "inconclusive", f"No known name of a loss; {condition}, no problem was found ({told})."
    return result, f"{condition[0].upper()}{condition[1:]}: {headline[0].lower()}{headline[1:].rstrip('.')} ({told})."


def asks_for_a_change(finding: Finding) -> bool:
    """Whether what was noticed of a sound run is worth a change before anything else."""
    leapt = finding.symptom == RATE_LEAP and bool(finding.measures.get(FELT))
    return finding.kind == "notice" and (finding.symptom == UNUSUAL_RATE or leapt or softened(finding))


def softened(finding: Finding) -> bool:
    """Whether training pays for labels that validation does not have."""
    return finding.symptom == CHEAPER and bool(finding.measures.get(SOFTENED))


def after_range_test(findings: Sequence[Finding]) -> NextAction | None:
    """What a sweep of the learning rate was for; None where no finding says that the run is one."""
    test = next((f.measures for f in findings if f.symptom == RANGE_TEST), None)
    if test is None:
        return None
    if not test.get("turned"):
        return NextAction("Sweep on to higher rates: where this sweep ends the loss has not turned yet.")
    return NextAction(
        f"Train with a peak learning rate of about {test['suggested']:.1g}, a tenth of the one at which the loss was "
        "lowest, from fresh weights: those of the sweep are of no use."
    )


def resume(count: Counter, way: Course | None, last: int | None) -> NextAction:
    """What to do about a run that ended early and that nothing else is known of. last: its last logged step."""
    if last is None or last <= 0:
        return NextAction(
            "Start it again from its last checkpoint, if the run was to go on: nothing was wrong until then."
        )
    left = "" if way is None else f" for the rest of the {way.planned:,.0f} {way.unit}s"
    return NextAction(f"Resume from the last checkpoint before {count.at(last)}{left}: nothing was wrong until then.")


def remedy(run: Run, ground: Grounds, findings: Sequence[Finding] = ()) -> NextAction | None:
    """The step that makes the next look at this run say more; None where nothing is lacking that a log can give."""
    guessed = guessed_loss(run)
    if guessed is not None and not ground.lacking:
        return NextAction(
            f"Say whether {shortened(guessed.metric, _LONGEST)} is the {_SPLITS.get(guessed.role, 'loss')}: with "
            f"--map {guessed.role}={shortened(guessed.metric, _LONGEST)} this run is judged by it."
        )
    if ground.deciding:
        return NextAction(ground.deciding)
    if ground.curve is not None and not ground.lacking:
        if explores(run):
            return without_chance(run)
        level = next((f.measures.get("level") for f in findings if f.symptom == RESTS), None)
        return NextAction(COMPARE if level is None else _set_against_a_guess(run, float(level)))
    if ground.curve is not None and run.axis == "epoch" and ground.points > 1:
        return _few_epochs(run, ground)
    if ground.curve is not None:
        unit = "epoch" if run.axis == "epoch" else "step"
        return NextAction(
            f"Log the {ground.name} at every {unit}, at least {WORTH_LOGGING} times a run: "
            f"{ground.points or 'no'} finite point{'s' * (ground.points != 1)} cannot show a course."
        )
    if run.blocks and max(len(b.step) for b in run.blocks) < 2:
        return NextAction(
            "Give the log that this training wrote, with a line for each step or epoch: what was read holds single "
            "values, as settings and results do, and no curve."
        )
    loose = _unnamed(run)
    if loose:
        names = " or ".join(shortened(m, _LONGEST) for m in loose)
        return NextAction(f"Say which column is the training loss, with --map loss=NAME: the log holds {names}.")
    return NextAction("Log the training loss at every step or epoch: this log holds no curve that tells progress.")


def _set_against_a_guess(run: Run, level: float) -> str:
    """What tells whether a loss that fell and rests is good, where nothing else was logged."""
    at = spelled(level, ".3g")
    if run.settings.get("hugging_face") and TEXT[0] <= level <= TEXT[1]:
        return (
            f"Evaluate the first and the last weights on the same held-out samples: {at} is a usual loss for a "
            f"language model that is fine-tuned, and a training loss alone does not tell what it gained."
        )
    return (
        f"Compare {at} with the loss of the best constant answer: if it is no lower, the inputs are not used; "
        f"else log a quality (accuracy, R2), which tells whether {at} is good."
    )


def _few_epochs(run: Run, ground: Grounds) -> NextAction:
    """A run of so few epochs is trained on rather than logged more often."""
    assert ground.curve is not None, "what has points is a curve"
    known = ground.curve.finite()
    went = f"{spelled(float(known.value[0]), '.3g')} -> {spelled(float(known.value[-1]), '.3g')}"
    unseen = any(run.series(role) is not None for role in ("val_loss", "val_accuracy", "val_metric"))
    return NextAction(
        f"Train on for at least {WORTH_LOGGING // 2} epochs{'' if unseen else ' and log a validation loss with each'}: "
        f"{ground.points} points of the {ground.name} ({went}) cannot show a course."
    )


def _unnamed(run: Run) -> list[str]:
    """The metrics that no role was found for, most points first; none where there are too many to choose from."""
    known = {m.metric for m in run.roles}
    found = [(len(s), name) for name in run.metrics() if name not in known and (s := run.metric(name)) is not None]
    able = [name for n, name in sorted(found, key=lambda f: (-f[0], f[1])) if n >= ENOUGH_POINTS]
    return able if len(able) <= OFFERED else []
