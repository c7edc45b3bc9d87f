"""What can still be gained from a sound run: its best checkpoint, more steps, a look at data that it never saw."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from curvedoc.core.diagnosis import NextAction
from curvedoc.core.late_regex import late_regex
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run
from curvedoc.core.series import Series
from curvedoc.diagnose.ending.course import Course
from curvedoc.diagnose.grounds.grounds import ADVERSARIAL, Grounds
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.diagnose.story.early_decay import cut_early, spent
from curvedoc.diagnose.story.game import drowned_part, of_denoising, of_samples
from curvedoc.diagnose.story.jumps import jumps, of_jumps
from curvedoc.diagnose.story.level import AWAY, Rest, level_of, level_since, still_falls
from curvedoc.diagnose.story.progress import counted_anew, evaluated, four_digits, one_batch, validation
from curvedoc.diagnose.story.quality import AS_GOOD, FEW, Quality, quality
from curvedoc.diagnose.story.reward import of_reward
from curvedoc.diagnose.story.unseen import AT_END, result, to_evaluate, to_go_on, writes_weights
from curvedoc.stats.basic.levels import tail_level
from curvedoc.stats.noise.noise import noise

#: How the setting that repeats one batch is called.
_ONE_BATCH = late_regex(r"over_?fit|single_?batch|one_?batch", re.IGNORECASE)
#: What keeps a counter going where the loss does.
RESTORE = (
    "Save the step with the checkpoint and restore it on resume: the counter began anew while the loss went on, and "
    "schedules that count steps began anew with it."
)
#: Validation that costs at most so much of training, with so many right answers, is hardly to be believed.
HALF, NEARLY_ALL = 0.5, 0.98
#: Evaluations of the later half that swing: how many, how often they turn, and the largest in times of the smallest.
LATER, TURNS, SWINGS = 4, 2, 1.5
#: The best of many evaluations is chosen: so many times their scatter lies it above one of the same level.
SCATTERS = 3.0
#: A larger number of steps to go on for is rounded.
_EXACT = 100


def gain(
    run: Run, ground: Grounds, bench: Bench | None = None, left: Course | None = None, turned: bool = False
) -> NextAction | None:
    """What a sound run still invites to.

    left: the plan that it did not come to the end of. turned: whether validation is told to have been better before.
    """
    if left is not None:
        return NextAction(
            f"If it no longer runs, resume it from its last checkpoint: {left.words} is logged, and nothing says why "
            f"it stopped there."
        )
    bench = bench or Bench(run)
    count = bench.counter
    if ground.name == ADVERSARIAL:
        return _of_game(run, quality(run, bench), count)
    if one_batch(run):
        return _of_one_batch(run)
    val, rated = validation(run), quality(run, bench)
    tasks = bench.value_of("tasks", False)
    if tasks is not None and rated is not None and not rated.still_best:
        return _of_tasks(int(tasks), rated)
    if val is not None:
        if turned and not (rated is not None and (rated.best == len(rated.series) - 1 or _as_good_to_the_end(rated))):
            return best_of(run, Quality("validation loss", val, falls=True), count)
        return _of_evaluations(bench, val, rated, count) or _more_rounds(bench, val) or _calmer(run, val, count)
    if ground.name == "reward" and ground.curve is not None:
        return of_reward(ground.curve.finite(), count)
    if rated is not None:
        return _of_level(run, level_of(None, rated), rated, count) or _best_of(run, rated, count)
    if ground.curve is not None and ground.name in ("loss", "accuracy") and not evaluated(run):
        if bench.value_of("predicts_noise", False) is True:
            return of_denoising()
        again = of_jumps(jumps(ground.curve.finite()), count) if ground.name == "loss" else None
        return again or drowned_part(run, count) or to_evaluate(run, ground.name, ground.curve, count)
    onward = to_go_on(ground.curve.finite()) if ground.name == "loss" and ground.curve is not None else None
    if onward is not None and spent(run) is None:
        return onward
    if ground.name in ("loss", "accuracy") and result(run):
        return NextAction(f"Evaluate during training as well: the log tells of it at the end only ({result(run)}).")
    return None


def _of_game(run: Run, rated: Quality | None, count: Counter) -> NextAction | None:
    """Samples tell what the losses of two networks that play against each other do not, or what rates them."""
    if rated is not None:
        return _best_of(run, rated, count)
    return of_samples(run)


def _of_one_batch(run: Run) -> NextAction:
    keys = [key for key in run.config if _ONE_BATCH.search(key)]
    where = f"Take {keys[0]} out of" if len(keys) == 1 else "Switch it off in"
    return NextAction(
        f"The test on one batch is passed: model, loss and optimizer work together. {where} the configuration and "
        f"start the training itself."
    )


def _of_tasks(tasks: int, rated: Quality) -> NextAction:
    """Earlier weights know fewer tasks: what is best for the first one is not to be gone back to."""
    return NextAction(
        f"Keep the last weights, which alone know all {tasks} tasks; if the {rated.told(-1)} of {rated.name} that is "
        f"left of {rated.told(rated.best)} is too little, mix some samples of earlier tasks into every batch."
    )


def _best_of(run: Run, rated: Quality, count: Counter) -> NextAction | None:
    """The best evaluation, where the last is clearly worse."""
    if len(rated.series) < FEW or rated.still_best:
        return None
    return best_of(run, rated, count)


def best_of(run: Run, rated: Quality, count: Counter) -> NextAction:
    """The weights of the best evaluation."""
    where, most = count.at(int(rated.series.step[rated.best])), rated.told(rated.best)
    return NextAction(f"{_take(run, where)}: {rated.name} was best there ({most}).")


def _take(run: Run, where: str) -> str:
    """To take the weights of an earlier step, which not every program saves."""
    return f"Use the weights of {where}, not the last{'' if writes_weights(run) else ', if they were saved'}"


def _half_of(val: Series, count: Counter) -> str:
    """Half of the run in what its log counts in: "another 5 epochs". A count of rows means nothing to a user."""
    if count.axis == "row" and count.epochs is None:
        return "half as long again"
    ends = val.step if count.epochs is None else count.epochs.value
    half = max(1, round(float(ends[-1] - ends[0]) / 2))
    noun = count.noun if count.epochs is None else "epoch"
    return f"another {round(half, 1 - len(str(half))) if half > _EXACT else half:,} {noun}{'s' * (half != 1)}"


def _of_evaluations(bench: Bench, val: Series, rated: Quality | None, count: Counter) -> NextAction | None:
    """More steps where the last fifth still brought much, else fewer where most brought nothing, else what to keep."""
    run = bench.run
    early = cut_early(run, val, count) or _too_good(run, val, rated)
    if early is not None:
        return early
    return (
        _to_go_on(run, val, count)
        or _of_level(run, _level(bench, val, rated), rated, count)
        or _kept(run, val, rated, count)
        or (NextAction(RESTORE) if counted_anew(run) else None)
    )


def _of_level(run: Run, level: Rest | None, rated: Quality | None, count: Counter) -> NextAction | None:
    """Fewer steps next time, and the weights of the best evaluation where the last is clearly worse."""
    best = None if level is None or level.last or rated is None else _best_of(run, rated, count)
    if level is None or rated is None or best is None or not _far_from(rated):
        return level_since(level, count)
    return NextAction(
        f"{best.text.rstrip('.')}; stop at about {count.at(level.since)} next time, where it came to rest."
    )


def _as_good_to_the_end(rated: Quality) -> bool:
    """Whether the last evaluation is as good as the best, within what evaluations scatter by."""
    most, last = float(rated.series.value[rated.best]), float(rated.series.value[-1])
    return rated.still_best or abs(most - last) <= SCATTERS * (noise(rated.series) or 0.0)


def _far_from(rated: Quality) -> bool:
    """Whether the last evaluation is further from the best than evaluations of one level are."""
    most, last = float(rated.series.value[rated.best]), float(rated.series.value[-1])
    return abs(most - last) > AWAY * abs(most)


def _level(bench: Bench, val: Series, rated: Quality | None) -> Rest | None:
    """Where evaluations rest; what training learns beyond that tells that there is more in the inputs, and of text
    nobody asks whether it tells more than a constant."""
    level, loss = level_of(val, rated), bench.run.series("loss")
    if level is None or loss is None:
        return level
    # who logs the share of the machine's peak trains on text
    if bench.value_of("predicts_tokens", False) is True or bench.run.series("mfu") is not None:
        return replace(level, last="")
    trains, costs = tail_level(loss.finite(), AT_END), tail_level(val, AT_END)
    beyond = trains is not None and costs is not None and trains < HALF * costs
    return replace(level, last="") if beyond else level


def _more_rounds(bench: Bench, val: Series) -> NextAction | None:
    """More trees, where the last one is the best: stopping early costs nothing."""
    if bench.value_of("boosted", False) is not True or int(np.argmin(val.value)) != len(val) - 1:
        return None
    return NextAction(
        f"Add rounds, with early stopping after 10 without a gain: validation was best in the last one "
        f"({four_digits(val.value[-1])})."
    )


def _calmer(run: Run, val: Series, count: Counter) -> NextAction | None:
    """A learning rate that comes down at the end, where evaluations swing under one that is not known to do so."""
    later = val.cut(slice(len(val) // 2, len(val)))
    turns = int((np.diff(np.sign(np.diff(later.value))) != 0.0).sum())
    # a swing rises above what was reached before; what only falls is progress
    reached = np.minimum.accumulate(later.value)
    top = int(np.argmax(later.value - reached))
    low, high = float(reached[top]), float(later.value[top])
    if spent(run) is not None or len(later) < LATER or turns < TURNS or low <= 0.0 or high < SWINGS * low:
        return None
    return NextAction(
        f"Let the learning rate come down over the last third: validation swings between {four_digits(low)} and "
        f"{four_digits(high)} since {count.at(int(later.step[0]))}, so that its last value is luck."
    )


def _too_good(run: Run, val: Series, rated: Quality | None) -> NextAction | None:
    """Validation that answers nearly all right and costs half of training or less: what training adds, or a leak."""
    loss = run.series("loss")
    if loss is None or rated is None or not rated.of_answers(float(rated.series.value[-1])):
        return None
    trains, costs = tail_level(loss.finite(), AT_END), tail_level(val, AT_END)
    if trains is None or costs is None or costs > HALF * trains or float(rated.series.value[-1]) < NEARLY_ALL:
        return None
    low, high = spelled(costs, ".2g"), spelled(trains, ".2g")
    return NextAction(
        f"Evaluate the training set in eval mode: a loss near {low} means that dropout or augmentation make the "
        f"difference; one near {high}, that validation is easier or known: look for its samples in the training set."
    )


def _to_go_on(run: Run, val: Series, count: Counter) -> NextAction | None:
    before = still_falls(val)
    if before is None:
        return None
    fell = (
        f"from {four_digits(val.value[before])} to {four_digits(val.value[-1])} after {count.at(int(val.step[before]))}"
    )
    down = spent(run)
    if down is None:
        return NextAction(f"Train on for {_half_of(val, count)}: validation still fell {fell}.")
    return NextAction(
        f"For a little more, train anew with a schedule twice as long: validation still fell {fell}, while the "
        f"learning rate is down to {down}."
    )


def _kept(run: Run, val: Series, rated: Quality | None, count: Counter) -> NextAction | None:
    """The checkpoint to keep, where the last is not the best in all that was evaluated."""
    best = int(np.argmin(val.value))
    where, least = count.at(int(val.step[best])), four_digits(val.value[best])
    lower = len(val) >= FEW and spelled(val.value[best], ".3g") != spelled(val.value[-1], ".3g")
    worth = lower and float(val.value[-1] - val.value[best]) > AS_GOOD * abs(float(val.value[best]))
    if rated is None or len(rated.series) < FEW:
        return NextAction(f"{_take(run, where)}: validation was best there ({least}).") if worth else None
    if not rated.still_best:
        return _best_of(run, rated, count)
    if _better_by_little(rated, val):
        return best_of(run, rated, count)
    if not lower:
        return None
    if rated.as_good_at(int(val.step[best])):
        return (
            None
            if not worth
            else NextAction(
                f"{_take(run, where)}: validation loss was lowest there ({least}), {rated.name} no worse than at the "
                f"end."
            )
        )
    return NextAction(
        f"Keep the last checkpoint: {rated.name} is {rated.told(-1)} there. Only if probabilities count, take that of "
        f"{where}, where the validation loss was lowest ({least})."
        if rated.name == "validation accuracy"
        else f"Keep the last checkpoint: {rated.name} is {rated.told(-1)} there; only the validation loss was lower, "
        f"{least} at {where}."
    )


def _better_by_little(rated: Quality, val: Series) -> bool:
    """Whether the best evaluation is better than the last by more than they scatter, at no dearer a loss."""
    values, step = rated.series.value, int(rated.series.step[rated.best])
    loss = val.value[val.step == step]
    scatter, of_loss = (noise(s.cut(slice(len(s) // 2, len(s)))) or 0.0 for s in (rated.series, val))
    return (
        abs(float(values[rated.best] - values[-1])) > scatter
        and len(loss) > 0
        and float(loss[-1]) <= float(val.value[-1]) + of_loss
    )
