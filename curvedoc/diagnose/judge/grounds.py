"""Grounds: what a run logged that can earn it the word healthy, and what stands against that."""

from __future__ import annotations

import math
import re

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run, once_a_run
from curvedoc.core.series import Series
from curvedoc.stats.basic.finite import nonfinite_share
from curvedoc.stats.basic.levels import median
from curvedoc.stats.basic.windows import steady
from curvedoc.stats.noise.noise import noise
from curvedoc.stats.shape.net_fall import surely_fell
from curvedoc.stats.shape.trend import total_change, trend_z

#: The loss of one of two networks that play against each other.
ADVERSARIAL = "adversarial loss"
#: Curves that tell progress, best first: a reward, whose losses follow moving targets; a loss; else what is right.
PROGRESS = (
    ("reward", "reward"),
    ("val_reward", "reward of evaluations"),
    ("loss", "loss"),
    ("accuracy", "accuracy"),
    ("val_loss", "validation loss"),
    ("val_accuracy", "validation accuracy"),
    ("val_metric", "validation metric"),
    ("metric", "metric"),
    ("game_loss", ADVERSARIAL),
)
#: Below so many finite points of training no rule about shape can speak.
ENOUGH_POINTS = 5
ENOUGH_EPOCHS = 4
#: Validation alone tells nothing of training: it has to be a curve of its own.
ENOUGH_EVALUATIONS = 10
#: A logger loses a row now and then.
LOST = 0.05
#: Of the level: a rise of the whole run that is no rounding.
RISE = 0.02
SURE = 4.0  # deviates of its trend
#: Of all answers: a model that gains less in a whole run, and is not right most of the time, has hardly learned.
GAINED, MOSTLY = 0.05, 0.7
#: Fewer rewards show a rise only where it is a trend that chance draws less than once in twenty.
FEW_REWARDS, LIKELY = 15, 2.0
#: Of a level, of all answers, and of what was gained: so much is no accident of sampling.
LEARNED, HALF = 0.3, 0.5
#: Measures of what is found, which begin at 0 and have 1 as their best, and what a model that finds something reaches.
_FOUND = re.compile(r"dice|iou|jaccard|map|f1|(?:^|[_/ ])ap(?:$|[_/ 0-9])", re.IGNORECASE)
FOUND = 0.01
#: Losses that leave alone what is far enough apart.
_MARGIN = re.compile(r"triplet|margin|hinge|contrastive", re.IGNORECASE)
#: Of the planned steps: a run that has done less is still in its warm-up, and nothing of it says how it will go.
BEGUN = 0.01
#: Decides whether a run learned anything where its loss does not: other weights, the same samples.
COMPARE = (
    "Evaluate the first and the last weights on the same held-out samples: if the last are no better, nothing was "
    "learned."
)
#: What forbids a verdict, and what would decide it.
_Doubt = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Grounds:
    """The curve that a run is judged by, and why that is too little (empty where it is enough)."""

    name: str
    curve: Series | None
    lacking: str
    deciding: str = ""  # what would decide it, where enough was logged and its values are what stands against a verdict

    @property
    def points(self) -> int:
        """Finite points of the curve."""
        return 0 if self.curve is None else len(self.curve.finite())


@once_a_run
def grounds(run: Run) -> Grounds:
    """What a run without findings can be called healthy by."""
    found = [(role, name, s) for role, name in PROGRESS if (s := run.series(role)) is not None and len(s)]
    if not found:
        return Grounds("loss", None, "no loss was found")
    broken = next(filter(None, (_not_a_number(name, s) for role, name, s in found if role.endswith("loss"))), None)
    role, name, curve = max(found, key=lambda f: _least(run, f[0]) <= len(f[2].finite()))
    n = len(curve.finite())
    if n < _least(run, role):
        return Grounds(name, curve, f"{n} logged value{'s' * (n != 1)} of the {name}")
    doubt = broken or _against(run, role, name, curve) or _finds_nothing(run) or _contradicted(run)
    doubt = doubt or _hardly_begun(run, curve)
    return Grounds(name, curve, *doubt) if doubt else Grounds(name, curve, "")


def _least(run: Run, role: str) -> int:
    if role.startswith("val_"):
        return ENOUGH_EVALUATIONS if run.axis != "epoch" else ENOUGH_EPOCHS
    return ENOUGH_EPOCHS if run.axis == "epoch" else ENOUGH_POINTS


def _against(run: Run, role: str, name: str, curve: Series) -> _Doubt | None:
    """What forbids to call a run healthy though no rule speaks: a healthy curve is made of numbers, and comes down."""
    broken = _not_a_number(name, curve)
    if broken:
        return broken
    if role in ("accuracy", "val_accuracy"):
        return _hardly_gained(name, curve, run.axis == "row")
    if role.endswith("metric"):
        return _hardly_moved(curve)
    if role.endswith("reward"):
        return _few_rewards(curve.finite())
    if role not in ("loss", "val_loss"):
        return None
    z, change, level, fell = trend_z(curve), total_change(curve), median(curve), surely_fell(curve)
    if z is None or change is None or level is None or fell is None:
        return None
    rose = z > SURE and change > RISE * abs(level) and fell <= 0.0
    return (f"the {name} ends above where it began", COMPARE) if rose else None


def _few_rewards(reward: Series) -> _Doubt | None:
    """What is said of a few rewards that go up and down: no rule about rewards speaks of so few."""
    z = trend_z(reward)
    if len(reward) >= FEW_REWARDS or z is None or z >= LIKELY:
        return None
    low, high = (spelled(float(v), ".3g") for v in (reward.value.min(), reward.value.max()))
    return f"{len(reward)} rewards between {low} and {high} show no rise", (
        "Test on 20 episodes at each evaluation and log their mean: single episodes scatter too much to show progress."
    )


def _hardly_gained(name: str, curve: Series, uncounted: bool) -> _Doubt | None:
    """What is said of a run that is judged by its right answers alone, and whose share hardly rises.

    uncounted: nothing says that one value comes after another; results of folds or of subjects look like that
    """
    change, level = total_change(curve), median(curve)
    if change is None or level is None or change >= GAINED or (level >= MOSTLY and not uncounted):
        return None
    if uncounted and level >= MOSTLY:
        return f"no loss and no step was logged beside {len(curve):,} values of the {name}, which do not rise", (
            "Log the step or epoch of each value: these may be the results of folds, of subjects or of models."
        )
    first, last = float(curve.finite().value[0]), float(curve.finite().value[-1])
    sinks = last <= first - GAINED
    how = "ends lower than it began" if sinks else "hardly moves"
    return f"no loss was logged, and the {name} {how} ({first:.1%} at first, {last:.1%} at the end)", COMPARE


def _hardly_moved(curve: Series) -> _Doubt | None:
    """What is said of a run that is judged by a measure of its validation alone, which stays where it was."""
    change, level = total_change(curve), median(curve)
    if change is None or level is None or abs(change) >= GAINED * abs(level) or MOSTLY <= level <= 1.0:
        return None
    first, last = (spelled(float(curve.finite().value[i]), ".3g") for i in (0, -1))
    return f"no loss was logged, and {curve.metric} hardly moves ({first} at first, {last} at the end)", COMPARE


def _finds_nothing(run: Run) -> _Doubt | None:
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


def _course(run: Run, role: str, sign: float = 1.0) -> _Course | None:
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


def _contradicted(run: Run) -> _Doubt | None:
    """What is said where one curve of progress tells of learning and another one of none, or of learning that was lost.

    Rewards and games are judged by their own, and a test of learning rates is to end in a blow-up.
    """
    if any(run.series(role) is not None for role in ("reward", "game_loss")) or _tries_rates(run):
        return None
    loss, val = _course(run, "loss"), _course(run, "val_loss")
    if loss is not None and loss.first > 0.0 == loss.last and not _has_margin(run):
        return "the loss ends at exactly 0", (
            "Compute the loss of one batch by hand: a loss of exactly 0 is masked, overflowed or not computed, unless "
            "it has a margin that every sample keeps."
        )
    right = _course(run, "val_accuracy", -1.0) or _course(run, "accuracy", -1.0)
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
    rests = clear and not (loss.gained or fell)
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


def _has_margin(run: Run) -> bool:
    """Whether the loss is 0 where every sample keeps its margin, by its name."""
    return any(_MARGIN.search(m.metric) for m in run.matches("loss")[:1])


def _tries_rates(run: Run) -> bool:
    """Whether the learning rate does nothing but climb, tenfold at least."""
    lr = run.series("lr")
    v = np.empty(0) if lr is None else lr.finite().value
    return len(v) >= ENOUGH_POINTS and bool((np.diff(v) >= 0.0).all()) and float(v[-1]) > 10.0 * float(v[0])


def _hardly_begun(run: Run, curve: Series) -> _Doubt | None:
    """What is said of a run that logged no more than the first percent of what was planned."""
    planned = run.settings.get("max_steps")
    if run.axis == "epoch" or not isinstance(planned, int | float) or not 0 < planned < math.inf:
        return None
    done = int(curve.step[-1]) - min(0, int(curve.step[0]))
    if not 0 <= done < BEGUN * planned:
        return None
    later = math.ceil(0.1 * planned)
    return f"step {done:,} of {planned:,.0f} is but the beginning", f"Let it run to step {later:,}, and look again."


def _not_a_number(name: str, curve: Series) -> _Doubt | None:
    """What is said of a curve that lost more rows than a logger does now and then."""
    # a reward is not known before the first episode ends
    known = np.flatnonzero(np.isfinite(curve.value))
    begun = curve if name in ("loss", "validation loss") or not len(known) else curve.cut(slice(int(known[0]), None))
    endless = np.flatnonzero(np.isinf(begun.value))
    if len(endless):
        return f"the {name} is infinite at step {int(begun.step[endless[0]]):,}", (
            f"Compute the {name} of the batch of that step by hand: a logarithm of 0 or a division by 0 spoils the "
            f"weights wherever its gradient is not skipped."
        )
    lost = nonfinite_share(begun)
    if lost is None or lost <= LOST:
        return None
    return f"the {name} is not a number in {lost:.0%} of the logged points", (
        f"Print the {name} as it is computed at one of the points that hold no number: either the logger left the "
        f"value out, which is harmless, or the model gave NaN or Inf."
    )
