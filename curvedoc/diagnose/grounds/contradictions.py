"""Curves of one run that contradict each other: one tells of learning, another of none, or of what was lost again."""

from __future__ import annotations

import re

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run
from curvedoc.stats.basic.windows import steady
from curvedoc.stats.noise.noise import noise

#: Below so many finite points of training no rule about shape can speak.
ENOUGH_POINTS = 5
SURE = 4.0  # deviates of its trend
#: Of all answers and of a level: less is not seen on the chart.
GAINED = 0.05
#: Of a level, of all answers, and of what was gained: so much is no accident of sampling.
LEARNED, HALF = 0.3, 0.5
#: Measures of what is found, which begin at 0 and have 1 as their best, and what a model that finds something reaches.
_FOUND = late_regex(r"dice|iou|jaccard|map|f1|(?:^|[_/ ])ap(?:$|[_/ 0-9])", re.IGNORECASE)
FOUND = 0.01
#: Losses that leave alone what is far enough apart.
_MARGIN = late_regex(r"triplet|margin|hinge|contrastive", re.IGNORECASE)
#: Decides whether a run learned anything where its loss does not: other weights, the same samples.
COMPARE = (
    "Evaluate the first and the last weights on the same held-out samples: if the last are no better, nothing was "
    "learned."
)
#: What forbids a verdict, and what would decide it.
Doubt = tuple[str, str]


def finds_nothing(run: Run) -> Doubt | None:
    """What is said of a run whose loss may fall, and whose measures of what is found all stay at 0."""
    named = [
        m.metric for m in run.roles if m.role in ("metric", "val_metric", "test_metric") and _FOUND.search(m.metric)
    ]
    curves = {name: s.finite() for name in named if (s := run.metric(name)) is not None}
    best = {name: float(s.value.max()) for name, s in curves.items() if len(s) >= ENOUGH_POINTS}
    if not best or max(best.values()) >= FOUND:
        return None
    name = max(best, key=lambda n: best[n])
    right = run.series("val_accuracy") or run.series("accuracy")
    rests = right is not None and len(right) >= ENOUGH_POINTS and 0.0 < right.value.min() == right.value.max() <= 1.0
    beside = f" and accuracy is {spelled(float(right.value[-1]), '.1%')} at every row" if right and rests else ""
    return f"{name} never exceeds {best[name]:.2g}{beside}, so the model finds nothing", (
        f"Count what the model answers for one batch: if it is the most frequent class alone, weight the rare one or "
        f"draw it more often; else {name} is computed wrongly."
    )


@dataclass(frozen=True, slots=True)
class _Course:
    """How a curve that should fall went: its first, best and last level, and the scatter of one point."""

    first: float
    best: float
    best_step: int
    last: float
    noise: float

    @property
    def gained(self) -> bool:
        """It came down by more than its scatter and a share of itself that is seen on the chart."""
        return self.first - self.best > max(SURE * self.noise, GAINED * abs(self.first))

    @property
    def lost(self) -> bool:
        """It gained, and gave back more than half of that."""
        back = self.last - self.best
        return self.gained and back > HALF * (self.first - self.best) and back > SURE * self.noise


def _course_of(run: Run, role: str, sign: float = 1.0) -> _Course | None:
    """The course of a curve of a role, turned by its sign so that it should fall; of levels over three points."""
    curve = run.series(role)
    v = np.empty(0) if curve is None else sign * curve.finite().value
    if curve is None or len(v) < ENOUGH_POINTS:
        return None
    k = max(1, len(v) // 10)
    levels = sign * steady(curve, 3).value[1:-1]
    best = int(np.argmin(levels))
    sd = noise(curve.finite())
    first = float(np.median(v[:k]))
    return _Course(first, float(levels[best]), int(curve.finite().step[best + 1]), float(np.median(v[-k:])), sd or 0.0)


def contradicted(run: Run) -> Doubt | None:
    """What is said where one curve of progress tells of learning and another one of none, or of learning that was lost.

    Rewards and games are judged by their own, and a test of learning rates is to end in a blow-up.
    """
    if any(run.series(role) is not None for role in ("reward", "game_loss")) or _tries_rates(run):
        return None
    loss, val = _course_of(run, "loss"), _course_of(run, "val_loss")
    if loss is not None and loss.first > 0.0 == loss.last and not _has_margin(run):
        return "the loss ends at exactly 0", (
            "Compute the loss of one batch by hand: a loss of exactly 0 is masked, overflowed or not computed, unless "
            "it has a margin that every sample keeps."
        )
    right = _course_of(run, "val_accuracy", -1.0) or _course_of(run, "accuracy", -1.0)
    for name, c in (("loss", loss), ("validation loss", val)):
        if c is not None and c.lost and (name == "loss" or right is None or right.lost):
            best, last = spelled(c.best, ".3g"), spelled(c.last, ".3g")
            there = f"{'epoch' if run.axis == 'epoch' else 'step'} {c.best_step:,}"
            return f"the {name} was best, about {best}, near {there} and ends at about {last}", (
                f"Evaluate weights from near {there} and the last ones on the same held-out samples: if the last are "
                f"worse, go back to the others and cut the learning rate."
            )
    if loss is None:
        return None
    learned = right is not None and right.first - right.best > LEARNED
    clear = loss.noise < LEARNED * abs(loss.first) or loss.last - loss.first > LEARNED * abs(loss.first)
    fell = loss.first - loss.last > LEARNED * abs(loss.first)
    rests = clear and not (loss.gained or fell or _by_a_hair(loss))
    if rests and (learned or (val is not None and val.first - val.last > LEARNED * abs(val.first))):
        level = spelled(loss.last, ".3g")
        told = "more answers become right" if learned else "the validation loss falls"
        return f"the loss stays at about {level} while {told}", (
            "Compute loss and answers by hand on one batch with the last weights: one of the two is not of this model, "
            "or not of these samples."
        )
    if fell and right is not None and -right.best < HALF and right.first - right.best < GAINED:
        share = spelled(-right.best, ".1%")
        return f"the loss falls, and the share of right answers never exceeds {share}", (
            "Compute the share of right answers by hand on one batch of the training set: either it is measured "
            "wrongly, or what is learned is not what is asked."
        )
    return None


def _by_a_hair(loss: _Course) -> bool:
    """Whether the loss of one answer out of two fell, by however little: nearly all of them are right where each is
    preferred by a hair, as of pairs that a policy near its reference is trained on."""
    guess = float(np.log(2.0))
    return abs(loss.first - guess) < GAINED * guess and loss.first - loss.last > SURE * loss.noise


def _has_margin(run: Run) -> bool:
    """Whether the loss is 0 where every sample keeps its margin, by its name."""
    return any(_MARGIN.search(m.metric) for m in run.matches("loss")[:1])


def _tries_rates(run: Run) -> bool:
    """Whether the learning rate does nothing but climb, tenfold at least."""
    lr = run.series("lr")
    v = np.empty(0) if lr is None else lr.finite().value
    return len(v) >= ENOUGH_POINTS and bool((np.diff(v) >= 0.0).all()) and float(v[-1]) > 10.0 * float(v[0])
