"""What to do first about a fault of which no cause is likely."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from curvedoc.core.diagnosis import Finding, NextAction, RankedCause
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run
from curvedoc.diagnose.grounds.contradictions import ENOUGH_POINTS
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.story.gain import best_of
from curvedoc.diagnose.story.progress import validation
from curvedoc.diagnose.story.quality import AS_GOOD, Quality, quality
from curvedoc.diagnose.story.reward import LATE, explores, without_chance
from curvedoc.stats.basic.levels import tail_level
from curvedoc.stats.noise.noise import noise

#: Pictures of a model that learns too little, which say nothing of where the fault lies.
LEARNS_LITTLE = frozenset(("plateau-from-start", "plateau-after-progress", "stuck-at-chance", "underfitting"))
#: Those of a model that learned something, and then no more.
RESTS = frozenset(("plateau-after-progress", "underfitting"))
#: Times the training loss: validation below it is limited by what training comes to.
ALIKE = 1.25
#: What tells how a policy moves, by the role under which it is logged.
TELLS_OF_POLICY = {"entropy": "its entropy", "kl": "its KL divergence"}
#: Below this the first cause of such a picture is a guess among several.
LIKELY = 0.3
#: Below that nothing is done on a guess about a game, where one test parts the two networks.
SOLID = 0.6
_UNMOVED = frozenset(("detached-graph", "frozen-layers", "lr-too-low", "lr-zero", "optimizer-not-connected"))
_GAME = (
    "Save a grid of samples, then train the discriminator alone on one batch: if its loss does not fall, no gradient "
    "reaches it or its steps are too small; if it does, look at the generator."
)
#: Causes of a fit that is too close, whose actions say where to stop.
FITTED = ("insufficient-regularization", "too-little-data", "trained-too-long", "over-capacity")
#: Findings of such a fit; where it is no more than likely what makes it, where to stop comes first.
TURNED = "overfitting"
CLOSE_FIT = frozenset((TURNED, "generalization-gap"))
UNSURE, WORTH = 0.4, 0.04
#: Of what was gained in all: so much in the last part of a run is worth going on for.
STILL = 0.05


def when_unsure(bench: Bench, lead: Finding | None, causes: Sequence[RankedCause]) -> NextAction | None:
    """What to do where no cause of a fault is likely: the test that rules out most of them, or where to stop."""
    if lead is None or not causes:
        return None
    likely = causes[0].probability
    rewarded = bench.run.series("reward") is not None
    if hidden_by_chance(bench.run, lead):
        return without_chance(bench.run)
    if (
        lead.symptom in LEARNS_LITTLE
        and causes[0].cause in _UNMOVED
        and likely < SOLID
        and bench.run.series("game_loss") is not None
    ):
        # (of a policy, which plays no such game, what goes with its updates tells more)
        return _split_of_policy(bench.run) if rewarded else NextAction(_GAME, tests=causes[0].cause)
    if lead.symptom in LEARNS_LITTLE and likely < LIKELY:
        return (
            _split_of_policy(bench.run)
            if rewarded
            else trained_on(bench, lead) or _larger(bench, lead) or split(bench.run)
        )
    if lead.symptom in CLOSE_FIT and likely < UNSURE and causes[0].cause not in FITTED and not _best_at_first(bench):
        fits = [c for c in causes if c.cause in FITTED and c.probability >= WORTH and c.action]
        return NextAction(fits[0].action, tests=fits[0].cause) if fits else _best_weights(bench)
    return None


def hidden_by_chance(run: Run, lead: Finding) -> bool:
    """Whether most actions are random, so that a shape of its curves says nothing of what an agent learned."""
    return explores(run) and (lead.symptom in LEARNS_LITTLE or lead.severity == "warning")


def split(run: Run) -> NextAction:
    """One test that rules out half of the causes. What is logged already is not asked for."""
    rate = "" if run.series("lr") is not None or run.settings.get("lr") is not None else "the learning rate and "
    norm = "" if run.series("grad_norm") is not None else " and gradient norm"
    return NextAction(
        f"Train on one batch alone: if its loss does not come near zero, print {rate}each parameter's "
        f"requires_grad{norm}, else look at 20 samples beside their labels."
    )


def _split_of_policy(run: Run) -> NextAction:
    """A policy has no batch that it could learn by heart. What is logged already is not asked for."""
    lacks = [name for role, name in TELLS_OF_POLICY.items() if run.series(role) is None]
    log = f", log {' and '.join(lacks)} at each update" if lacks else ""
    return NextAction(
        f"Check that the sign of the policy's loss makes reward rise{log}, and cut the learning rate tenfold."
    )


def _best_at_first(bench: Bench) -> bool:
    """Whether no evaluation was as good as the first, in the loss and in what rates the model."""
    val, rated = validation(bench.run), quality(bench.run, bench)
    first, best = (0.0, 0.0) if rated is None else (float(rated.series.value[row]) for row in (0, rated.best))
    alike = abs(best - first) <= AS_GOOD * abs(best)
    return val is not None and len(val) >= ENOUGH_POINTS and int(np.argmin(val.value)) == 0 and alike


def _best_weights(bench: Bench) -> NextAction | None:
    """The best evaluation, where nothing tells why later ones are worse."""
    rated, val = quality(bench.run, bench), validation(bench.run)
    if rated is not None and not rated.still_best:
        return best_of(bench.run, rated, bench.counter)
    if val is None:
        return None
    return best_of(bench.run, Quality("validation", val, falls=True), bench.counter)


def trained_on(bench: Bench, lead: Finding) -> NextAction | None:
    """More of the same, where what rates the model still rose over the last fifth of the run."""
    rated = quality(bench.run, bench) if lead.symptom in RESTS else None
    if rated is None or rated.falls or len(rated.series) < ENOUGH_POINTS or rated.best != len(rated.series) - 1:
        return None
    value = rated.series.value
    before = int(np.argmax(value[: -1 - max(1, round(LATE * len(value)))]))
    gained = float(value[-1] - value[before])
    if gained < STILL * float(value[-1] - value[0]) or gained <= (noise(rated.series) or 0.0):
        return None
    return NextAction(
        f"Train for twice as long, with the schedule stretched to the new end: {rated.name} still rose from "
        f"{rated.told(before)} to {rated.told(-1)} at the end."
    )


def _larger(bench: Bench, lead: Finding) -> NextAction | None:
    """More capacity, where training rests above where it should come to and validation is as good."""
    loss, val = bench.run.series("loss"), bench.run.series("val_loss")
    if lead.symptom not in RESTS or loss is None or val is None:
        return None
    rests, unseen = tail_level(loss.finite(), LATE), tail_level(val.finite(), LATE)
    if rests is None or unseen is None or not 0.0 < unseen <= ALIKE * rests:
        return None
    return NextAction(
        f"Give the model more capacity, or start it from pretrained weights: training itself rests at about "
        f"{spelled(rests, '.3g')}, as validation does, so that neither more epochs nor regularization helps."
    )
