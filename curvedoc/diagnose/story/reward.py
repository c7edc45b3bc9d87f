"""Whether the reward of a sound run still rises, or since when nothing was gained; how much is left to chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.diagnosis import NextAction
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run
from curvedoc.core.series import Series
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.diagnose.story.quality import AS_GOOD

#: The share of a run that is called its last part.
LATE = 0.2
#: Standard errors that a level is known to: rewards of neighboring episodes wander together.
WANDERS = 4.0
#: So many rows in turn below the one before are no luck.
SINKING = 3
#: A reward with fewer rows has no level of its fifths.
FEWEST = 15
#: Of its actions: what the others learned is not to be seen behind so many random ones.
MOSTLY_RANDOM = 0.5


def of_reward(reward: Series, count: Counter) -> NextAction | None:
    """More steps, or an earlier checkpoint, where the level moved by more than the reward scatters about it."""
    if len(reward) < FEWEST:
        return None
    parts = [reward.value[p] for p in np.array_split(np.arange(len(reward)), round(1 / LATE)) if len(p)]
    level = [float(np.median(p)) for p in parts]
    first = int(np.argmax(level[:-1]))
    gained = level[-1] - level[first]
    # a level of many rows is known better than one row, and neighbors among them wander together
    known_to = WANDERS * max(_scatter(p) / len(p) ** 0.5 for p in (parts[first], parts[-1]))
    sank = _sinks_at_last(reward, count)
    if sank is not None:
        return sank
    if gained > known_to:
        return NextAction(
            f"Train on: the reward still rises, to about {spelled(level[-1], '.3g')} in the last fifth of the run; "
            f"before that it was at most about {spelled(level[first], '.3g')}."
        )
    # what a reward wanders by within a fifth is no collapse from one to the next
    if -gained <= max(_scatter(parts[first]), _scatter(parts[-1]), AS_GOOD * abs(level[first])):
        return _level_since(reward, parts, level, count)
    ends = np.cumsum([len(p) for p in parts]) - 1
    since = count.at(int(reward.step[ends[first]]))
    return NextAction(
        f"Use a checkpoint from near {since}, where the reward was about {spelled(level[first], '.3g')}: nothing was "
        f"gained after it."
    )


def _sinks_at_last(reward: Series, count: Counter) -> NextAction | None:
    """An earlier checkpoint, where the last rows sink one after another from the best by a good part of all gained."""
    best = int(np.argmax(reward.value))
    after = reward.value[best:]
    lost, made = float(after[0] - after[-1]), float(after[0] - np.median(reward.value[: max(1, len(reward) // 10)]))
    if len(after) <= SINKING or not bool((np.diff(after) < 0.0).all()) or lost < LATE * made:
        return None
    top, last = spelled(float(after[0]), ".3g"), spelled(float(after[-1]), ".3g")
    return NextAction(
        f"Use a checkpoint from near {count.at(int(reward.step[best]))}, where the reward was {top}: it has sunk at "
        f"every logged point since, to {last}. Going on needs a smaller learning rate."
    )


def _level_since(
    reward: Series, parts: list[NDArray[np.float64]], level: list[float], count: Counter
) -> NextAction | None:
    """Where a reward came to the level that it kept, if most of the run lies behind it; None where it kept none."""
    scatter = float(np.median([_scatter(p) for p in parts]))
    if scatter > LATE * abs(level[-1]):  # rows that go up and down by so much stay nowhere
        return None
    near = min(scatter, max(WANDERS * scatter / len(parts[0]) ** 0.5, AS_GOOD * abs(level[-1])))
    since = next(i for i in range(len(level)) if all(abs(y - level[-1]) <= near for y in level[i:]))
    if not 0 < since < len(parts) / 2:
        return None
    at = count.at(int(reward.step[sum(len(p) for p in parts[:since])]))
    return NextAction(
        f"Stop at about {at} next time: the reward has stayed at about {spelled(level[-1], '.3g')} since."
    )


def _scatter(values: NDArray[np.float64]) -> float:
    """The standard deviation about the line through the values, by which a steady climb scatters not at all."""
    at = np.arange(len(values))
    return float(np.std(values - np.polyval(np.polyfit(at, values, 1), at)))


def _at_the_end(run: Run) -> tuple[str, float]:
    """How the share of random actions is called, and what it is at last; 0 where it is not logged, or is no share."""
    found = run.series("exploration") if run.series("reward") is not None else None
    known = None if found is None else found.finite()
    if known is None or not len(known) or float(known.value.max()) > 1.0:
        return "", 0.0
    return known.metric.rsplit("/", 1)[-1], float(known.value[-1])


def explores(run: Run) -> bool:
    """Whether most actions of an agent that is paid are still random when the log ends."""
    return _at_the_end(run)[1] >= MOSTLY_RANDOM


def still_random(run: Run) -> str:
    """The sentence that says so."""
    name, chance = _at_the_end(run)
    return f"{name} is still {spelled(chance, '.3g')} at the end."


def without_chance(run: Run) -> NextAction:
    """What shows whether anything was learned."""
    name, chance = _at_the_end(run)
    return NextAction(
        f"Let {name} come down: it is still {spelled(chance, '.3g')} at the end, so that {spelled(chance, '.0%')} "
        f"of the actions are random, whatever was learned. Evaluate the last weights without it first."
    )
