"""How a sound run went, in numbers that its log holds, and what can still be gained."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from curvedoc.core.diagnosis import NextAction
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run
from curvedoc.core.series import Series
from curvedoc.diagnose.judge.grounds import Grounds
from curvedoc.diagnose.sentence.counter import Counter, counter
from curvedoc.stats.basic.levels import head_level, tail_level
from curvedoc.stats.noise.noise import noise

#: A last value within this share of the fall from the first to the best is as good as the best; what gained more in
#: its last part has not levelled off.
AS_GOOD = 0.02
#: A curve whose rows scatter by this much of its level is told by the levels of its first and last tenth.
ROUGH, ENDS = 0.05, 0.1
#: Fewer evaluations have no best one.
FEW = 3
#: Over this last share of the evaluations, and no fewer than the last step, a curve is asked whether it still falls.
LATE = 0.2
#: A reward with fewer rows has no level of its fifths.
FEWEST = 15
#: Average precision, which is taken over objects that were looked for in other pictures.
DETECTION = re.compile(r"(bbox_)?m?_?ap_?[0-9_]*$|map[0-9_]+b?$")


def course_of(run: Run, ground: Grounds, brief: bool = False) -> str:
    """The values a sound run began and ended at, its best validation and how often that was right at last.

    brief: the curve alone, for a sentence that says more.
    """
    curve = ground.curve
    assert curve is not None, "a sound run has a curve"
    finite = curve.finite()
    if brief:
        return f"the {ground.name} went from {_span(finite)}"
    told = f"by {counter(run).at(int(finite.step[-1]))} the {ground.name} went from {_span(finite)}"
    val = _validation(run) if ground.name == "loss" else None
    if val is not None:
        told += f" and validation from {_value(val.value[0])} to {_value(val.value[-1])}"
        told += _best(val, counter(run))
    return told + "".join(f"; {extra}" for extra in _beside(run, ground, val))


def gain(run: Run, ground: Grounds) -> NextAction | None:
    """What a sound run still invites to: its best checkpoint, more steps, a look at data that it never saw."""
    if ground.name == "loss of a game":
        return NextAction(
            "Log what rates the samples (FID, or a grid of them every epoch): the losses of two networks that play "
            "against each other stay level while both learn."
        )
    val, count = _validation(run), counter(run)
    if val is None:
        if ground.name == "reward" and ground.curve is not None:
            return _of_reward(ground.curve.finite(), count)
        right = run.series("val_accuracy")
        if right is not None:
            return _of_answers(right.finite(), count)
        if ground.name in ("loss", "accuracy") and not _graded(run):
            return NextAction(
                "Evaluate on data that it did not train on, and log that: the log holds training values only."
            )
        return None
    best = int(np.argmin(val.value))
    if _better(val, best):
        where = count.at(int(val.step[best]))
        right = run.series("val_accuracy")
        if right is not None and len(right.finite()) and _still_best(right.finite()):
            return NextAction(
                f"Keep the last checkpoint where only right answers count; for the probabilities that of {where} is "
                f"better, where the validation loss was lowest ({_value(val.value[best])})."
            )
        return NextAction(
            f"Use the checkpoint of {where}, where validation was best ({_value(val.value[best])}), not the last."
        )
    ago = max(1, round(LATE * len(val)))
    if len(val) >= FEW and val.value[0] > val.value[-1]:
        # against the best before, not a bump: what merely comes back to an old level has gained nothing
        before = int(np.argmin(val.value[:-ago]))
        late = float(val.value[before]) - float(val.value[-1])
        if late > AS_GOOD * (float(val.value[0]) - float(val.value[-1])):
            return NextAction(
                f"Train longer if more is wanted: validation still fell from {_value(val.value[before])} to "
                f"{_value(val.value[-1])} after {count.at(int(val.step[before]))}."
            )
    return None


def _of_answers(right: Series, count: Counter) -> NextAction | None:
    """The best evaluation, where the last is clearly worse and no loss of it is known."""
    if len(right) < FEW or _still_best(right):
        return None
    best = int(np.argmax(right.value))
    where, most = count.at(int(right.step[best])), spelled(float(right.value[best]), ".4g")
    return NextAction(f"Use the checkpoint of {where}, where validation accuracy was best ({most}), not the last.")


def _of_reward(reward: Series, count: Counter) -> NextAction | None:
    """Whether the reward still rises, or since when nothing was gained; by the levels of fifths, since it scatters."""
    if len(reward) < FEWEST:
        return None
    parts = [p for p in np.array_split(np.arange(len(reward)), round(1 / LATE)) if len(p)]
    level = [float(np.median(reward.value[p])) for p in parts]
    best, rise = max(level[:-1]), max(level) - level[0]
    if rise <= 0.0:
        return None
    if level[-1] - best > AS_GOOD * rise:
        return NextAction(
            f"Train on: over the last fifth of the run the reward was about {spelled(level[-1], '.3g')}, and about "
            f"{spelled(level[-2], '.3g')} over the one before."
        )
    if best - level[-1] > AS_GOOD * rise:
        since = count.at(int(reward.step[parts[level.index(best)][-1]]))
        return NextAction(
            f"Use a checkpoint from near {since}, where the reward was about {spelled(best, '.3g')}: nothing was "
            f"gained after it."
        )
    return None


def _graded(run: Run) -> bool:
    """Whether something beside the loss rates the model on data of its own: detectors are rated on no other."""
    roles = ("val_accuracy", "val_metric", "test_accuracy")
    if any(run.series(role) is not None for role in roles):
        return True
    return any(DETECTION.match(m.label) for m in run.matches("metric"))


def moved(curve: Series) -> bool:
    """Whether a curve ends at another level than it began at, as far as a sentence tells the two apart."""
    first, _, last = _span(curve.finite()).partition(" to ")
    return first != last


def _span(curve: Series) -> str:
    """The first and the last value; of a curve that scatters the levels at both ends, of which no single row speaks."""
    scatter = noise(curve)
    first, last = float(curve.value[0]), float(curve.value[-1])
    opening, ending = head_level(curve, ENDS), tail_level(curve, ENDS)
    if scatter is None or opening is None or ending is None or scatter < ROUGH * abs(ending):
        return f"{_value(first)} to {_value(last)}"
    return f"about {spelled(opening, '.3g')} to about {spelled(ending, '.3g')}"


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


def _still_best(right: Series) -> bool:
    most = float(right.value.max())
    return float(right.value[-1]) >= most - AS_GOOD * abs(most)


def _best(val: Series, count: Counter) -> str:
    best = int(np.argmin(val.value))
    if len(val) < FEW:
        return ""
    if _better(val, best):
        return f" (best {_value(val.value[best])} at {count.at(int(val.step[best]))})"
    return ", its best" if best == len(val) - 1 else ""


def _beside(run: Run, ground: Grounds, val: Series | None) -> Iterator[str]:
    for role, name in (("val_accuracy", "validation accuracy"), ("accuracy", "accuracy")):
        right = run.series(role)
        known = None if right is None else right.finite()
        if known is not None and len(known) and ground.name != "accuracy":
            last = float(known.value[-1])
            yield f"{name} {spelled(last, '.0%') if 0.0 <= last <= 1.0 else _value(last)}"
            break
    if val is None and ground.name == "loss" and not _graded(run):
        yield "no validation was logged"


def _value(v: float) -> str:
    return spelled(float(v), ".4g")
