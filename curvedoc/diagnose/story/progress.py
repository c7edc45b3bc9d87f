"""How a sound run went, in numbers that its log holds, and what can still be gained."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from curvedoc.core.diagnosis import NextAction
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run
from curvedoc.core.series import Series
from curvedoc.diagnose.judge.grounds import ADVERSARIAL, Grounds
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.sentence.counter import Counter, counter
from curvedoc.diagnose.story.quality import AS_GOOD, FEW, Quality, quality
from curvedoc.diagnose.story.reward import LATE, of_reward
from curvedoc.stats.basic.levels import head_level, tail_level
from curvedoc.stats.noise.noise import noise

#: A curve whose rows scatter by this much of its level is told by the level of its last tenth.
ROUGH, ENDS = 0.05, 0.1
#: Of its peak: a learning rate below this moves little more.
SPENT = 0.1


def course_of(run: Run, ground: Grounds, brief: bool = False, bench: Bench | None = None) -> str:
    """The values a sound run began and ended at, its best validation and how often that was right at last.

    brief: the curve alone, for a sentence that says more.
    """
    curve = ground.curve
    assert curve is not None, "a sound run has a curve"
    finite = curve.finite()
    if brief:
        return f"the {ground.name} {_span(finite)}"
    told = f"by {counter(run).at(int(finite.step[-1]))} the {ground.name} {_span(finite)}"
    val = _validation(run) if ground.name == "loss" else None
    if val is not None:
        told += f" and validation from {_value(val.value[0])} to {_value(val.value[-1])}"
        told += _best(val, counter(run))
    return told + "".join(f"; {extra}" for extra in _beside(run, ground, val, quality(run, bench or Bench(run))))


def gain(run: Run, ground: Grounds, bench: Bench | None = None) -> NextAction | None:
    """What a sound run still invites to: its best checkpoint, more steps, a look at data that it never saw."""
    if ground.name == ADVERSARIAL:
        return NextAction(
            "Log what rates the samples (FID, or a grid of them every epoch): the losses of two networks that play "
            "against each other stay level while both learn."
        )
    if _one_batch(run):
        return NextAction(
            "The test on one batch is passed: model, loss and optimizer work together. Switch it off in the "
            "configuration and start the training itself."
        )
    val, count = _validation(run), counter(run)
    rated = quality(run, bench or Bench(run))
    if val is not None:
        return _of_evaluations(run, val, rated, count)
    if ground.name == "reward" and ground.curve is not None:
        return of_reward(ground.curve.finite(), count)
    if rated is not None:
        return _best_of(rated, count)
    if ground.name in ("loss", "accuracy") and run.series("test_accuracy") is None:
        return NextAction(
            "Evaluate on data that it did not train on, and log that: the log holds training values only."
        )
    return None


def _one_batch(run: Run) -> bool:
    """Whether the configuration says that the run repeats one batch."""
    said = run.settings.get("single_batch")
    return isinstance(said, (bool, int, float)) and said > 0


def _best_of(rated: Quality, count: Counter) -> NextAction | None:
    """The best evaluation, where the last is clearly worse."""
    if len(rated.series) < FEW or rated.still_best:
        return None
    where, most = count.at(int(rated.series.step[rated.best])), rated.told(rated.best)
    return NextAction(f"Use the checkpoint of {where}, where {rated.name} was best ({most}), not the last.")


def _of_evaluations(run: Run, val: Series, rated: Quality | None, count: Counter) -> NextAction | None:
    """The checkpoint to use, or more steps where those of the last fifth still brought much."""
    best = int(np.argmin(val.value))
    where, least = count.at(int(val.step[best])), _value(val.value[best])
    if _better(val, best):
        if rated is None or len(rated.series) < FEW:
            return NextAction(f"Use the checkpoint of {where}, where validation was best ({least}), not the last.")
        if not rated.still_best:
            return _best_of(rated, count)
        if rated.as_good_at(int(val.step[best])):
            return NextAction(
                f"Use the checkpoint of {where}, not the last: validation loss was lowest there ({least}), and "
                f"{rated.name} no worse than at the end."
            )
        if rated.name == "validation accuracy":
            return NextAction(
                f"Keep the last checkpoint if right answers count; if probabilities do, take that of {where}, where "
                f"the validation loss was lowest ({least})."
            )
        return NextAction(
            f"Keep the last checkpoint if {rated.name} counts; the validation loss was lowest, {least}, at {where}."
        )
    ago = max(1, round(LATE * len(val)))
    if len(val) < FEW or val.value[0] <= val.value[-1]:
        return None
    # against the best before, not a bump: what merely comes back to an old level has gained nothing
    before = int(np.argmin(val.value[:-ago]))
    gained = float(val.value[before]) - float(val.value[-1])
    # nor has one that fell by no more than evaluations scatter
    if gained <= max(AS_GOOD * (float(val.value[0]) - float(val.value[-1])), noise(val) or 0.0):
        return None
    fell = (
        f"validation still fell from {_value(val.value[before])} to {_value(val.value[-1])} after "
        f"{count.at(int(val.step[before]))}"
    )
    spent = _spent(run)
    if spent is None:
        return NextAction(f"Train longer if more is wanted: {fell}.")
    return NextAction(
        f"If more is wanted, train anew with a longer schedule: {fell}, but the learning rate is down to {spent}, so "
        f"that going on from here would gain little."
    )


def _spent(run: Run) -> str | None:
    """The learning rate at the end, where its schedule has taken it down to a small part of its peak."""
    rate = run.series("lr")
    known = None if rate is None else rate.finite()
    if known is None or len(known) < FEW or not known.value[-1] < SPENT * known.value.max():
        return None
    return spelled(float(known.value[-1]), ".2g")


def moved(curve: Series) -> bool:
    """Whether a curve ends at another level than it began at, as far as a sentence tells the two apart."""
    finite = curve.finite()
    ends = head_level(finite, ENDS), tail_level(finite, ENDS)
    if ends[0] is None or ends[1] is None or not _rough(finite, ends[1]):
        return _value(finite.value[0]) != _value(finite.value[-1])
    return spelled(ends[0], ".3g") != spelled(ends[1], ".3g")


def _span(curve: Series) -> str:
    """Where it went, by the first and the last value; of a curve that scatters by the level of its last tenth, since no
    single row speaks for where it ended. Where it began the log says in its first row.
    """
    ending, first = tail_level(curve, ENDS), _value(float(curve.value[0]))
    if ending is None or not _rough(curve, ending):
        last = _value(float(curve.value[-1]))
        return f"stayed at {last}" if first == last else f"went from {first} to {last}"
    level = spelled(ending, ".3g")
    if not moved(curve):
        return f"stayed at about {level}"
    return f"went from {first} to about {level} in the last tenth"


def _rough(curve: Series, level: float) -> bool:
    """Whether the rows of a curve scatter by a visible part of its level at the end."""
    scatter = noise(curve)
    return scatter is not None and scatter >= ROUGH * abs(level)


def _validation(run: Run) -> Series | None:
    found = run.series("val_loss")
    if found is None:
        return None
    known = found.finite()
    filled = np.flatnonzero(known.value)
    # a loss of exactly zero before others is a place that was never filled, and so is one that is zero throughout
    if not len(filled):
        return None
    known = known.cut((known.value != 0.0) | (np.arange(len(known)) > filled[-1]))
    return known if len(known) >= 2 else None


def _better(val: Series, best: int) -> bool:
    """Whether an earlier evaluation was clearly better than the last."""
    first, least, last = (float(val.value[i]) for i in (0, best, -1))  # Python's floats overflow without a warning
    return len(val) >= FEW and last - least > AS_GOOD * max(abs(first - least), abs(least))


def _best(val: Series, count: Counter) -> str:
    best = int(np.argmin(val.value))
    if len(val) < FEW:
        return ""
    if _better(val, best):
        return f" (best {_value(val.value[best])} at {count.at(int(val.step[best]))})"
    return ", its best" if best == len(val) - 1 else ""


def _beside(run: Run, ground: Grounds, val: Series | None, rated: Quality | None) -> Iterator[str]:
    right = run.series("accuracy")
    known = None if right is None else right.finite()
    if rated is not None:
        if not ground.name.startswith("validation"):
            yield f"{rated.name} {rated.told(-1)}" + _at_best(rated, counter(run))
    elif known is not None and len(known) and ground.name != "accuracy":
        last = float(known.value[-1])
        yield f"accuracy {spelled(last, '.0%') if 0.0 <= last <= 1.0 else _value(last)}"
    if _one_batch(run):
        yield "it repeats one batch and has learned it by heart"
    elif val is None and rated is None and ground.name == "loss" and run.series("test_accuracy") is None:
        yield "no validation was logged"


def _at_best(rated: Quality, count: Counter) -> str:
    """Where a measure was clearly better than it is at the end."""
    if len(rated.series) < FEW or rated.still_best:
        return ""
    return f" (best {rated.told(rated.best)} at {count.at(int(rated.series.step[rated.best]))})"


def _value(v: float) -> str:
    return spelled(float(v), ".4g")
