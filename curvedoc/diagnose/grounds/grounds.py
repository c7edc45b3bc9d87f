"""Grounds: what a run logged that can earn it the word healthy, and what stands against that."""

from __future__ import annotations

import math

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run, once_a_run
from curvedoc.core.series import Series
from curvedoc.diagnose.grounds.contradictions import (
    COMPARE,
    ENOUGH_POINTS,
    GAINED,
    SURE,
    Doubt,
    contradicted,
    finds_nothing,
)
from curvedoc.diagnose.grounds.even_steps import even_steps
from curvedoc.stats.basic.finite import nonfinite_share
from curvedoc.stats.basic.levels import median
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
ENOUGH_EPOCHS = 4
#: Validation alone tells nothing of training: it has to be a curve of its own.
ENOUGH_EVALUATIONS = 10
#: A logger loses a row now and then.
LOST = 0.05
#: Of the level: a rise of the whole run that is no rounding.
RISE = 0.02
#: Of all answers: a model that gains less in a whole run, and is not right most of the time, has hardly learned.
MOSTLY = 0.7
#: Fewer rewards show a rise only where it is a trend that chance draws less than once in twenty.
FEW_REWARDS, LIKELY = 15, 2.0
#: Of the planned steps: a run that has done less is still in its warm-up, and nothing of it says how it will go.
BEGUN = 0.01


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
    doubt = broken or _against(run, role, name, curve) or finds_nothing(run) or contradicted(run)
    doubt = doubt or _hardly_begun(run, curve) or even_steps(run)
    return Grounds(name, curve, *doubt) if doubt else Grounds(name, curve, "")


def _least(run: Run, role: str) -> int:
    if role.startswith("val_"):
        return ENOUGH_EVALUATIONS if run.axis != "epoch" else ENOUGH_EPOCHS
    return ENOUGH_EPOCHS if run.axis == "epoch" else ENOUGH_POINTS


def _against(run: Run, role: str, name: str, curve: Series) -> Doubt | None:
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


def _few_rewards(reward: Series) -> Doubt | None:
    """What is said of a few rewards that go up and down: no rule about rewards speaks of so few."""
    z = trend_z(reward)
    if len(reward) >= FEW_REWARDS or z is None or z >= LIKELY:
        return None
    low, high = (spelled(float(v), ".3g") for v in (reward.value.min(), reward.value.max()))
    return f"{len(reward)} rewards between {low} and {high} show no rise", (
        "Test on 20 episodes at each evaluation and log their mean: single episodes scatter too much to show progress."
    )


def _hardly_gained(name: str, curve: Series, uncounted: bool) -> Doubt | None:
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


def _hardly_moved(curve: Series) -> Doubt | None:
    """What is said of a run that is judged by a measure of its validation alone, which stays where it was."""
    change, level = total_change(curve), median(curve)
    if change is None or level is None or abs(change) >= GAINED * abs(level) or MOSTLY <= level <= 1.0:
        return None
    first, last = (spelled(float(curve.finite().value[i]), ".3g") for i in (0, -1))
    return f"no loss was logged, and {curve.metric} hardly moves ({first} at first, {last} at the end)", COMPARE


def _hardly_begun(run: Run, curve: Series) -> Doubt | None:
    """What is said of a run that logged no more than the first percent of what was planned."""
    planned = run.settings.get("max_steps")
    if run.axis == "epoch" or not isinstance(planned, int | float) or not 0 < planned < math.inf:
        return None
    done = int(curve.step[-1]) - min(0, int(curve.step[0]))
    if not 0 <= done < BEGUN * planned:
        return None
    later = math.ceil(0.1 * planned)
    return f"step {done:,} of {planned:,.0f} is but the beginning", (
        f"If it still runs, look again at step {later:,}; else find out what ended it, since the log names no error "
        f"(dmesg, the scheduler, a closed session), and start anew."
    )


def _not_a_number(name: str, curve: Series) -> Doubt | None:
    """What is said of a curve that lost more rows than a logger does now and then."""
    # a reward is not known before the first episode ends, nor is a validation before its first; a loss is
    known = np.flatnonzero(np.isfinite(curve.value))
    begun = curve if name == "loss" or not len(known) else curve.cut(slice(int(known[0]), None))
    if name == "validation loss" and len(begun) < (1.0 - LOST) * len(curve):
        begun = curve
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
