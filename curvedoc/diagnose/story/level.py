"""Since when the evaluations of a sound run gained nothing, or whether they still do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.diagnosis import NextAction
from curvedoc.core.frozen import dataclass
from curvedoc.core.numbers import spelled
from curvedoc.core.series import Series
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.diagnose.story.quality import AS_GOOD, FEW, Quality
from curvedoc.diagnose.story.reward import LATE
from curvedoc.stats.noise.noise import noise

#: Fewer evaluations show no level that lasted.
FEWEST = 10
#: Of the run: a shorter level may be the end of a schedule that fits.
MOST_OF_IT = 0.5
#: What is still missing of all that was gained, or of the wrong answers at the best, is no level yet.
MISSING, WRONG = 0.05, 0.5
#: Of the first evaluation: who gains less in a whole run may have little to learn from.
LITTLE = 0.25
#: Of all that was gained, and of the best: what wanders further has no level.
WIDE, AWAY = 0.5, 0.1


@dataclass(frozen=True, slots=True)
class Rest:
    """Since which step evaluations gained nothing: of which measure, and within which values it stayed.

    last: what it ended at, where that is a cost that hardly fell in the whole run; else empty. rising: whether the last
    evaluation is the best of all.
    """

    since: int
    name: str
    low: str
    high: str
    last: str = ""
    rising: bool = False


def level_of(val: Series | None, rated: Quality | None) -> Rest | None:
    """Where validation and what rates the model came to rest, if they gained nothing for half of the run or longer.

    None where fewer evaluations than `FEWEST` were logged.
    """
    told = rated.series if rated is not None and len(rated.series) >= FEWEST else val
    if told is None or len(told) < FEWEST:
        return None
    own = rated if rated is not None and told is rated.series else None
    turned = -told.value if own is not None and not own.falls else told.value
    since = _arrived(told, turned, own is not None and own.of_answers(-float(turned.min())))
    if val is not None and len(val) >= FEWEST:
        since = max(since, _arrived(val, val.value))
    begins, ends = int(told.step[0]), int(told.step[-1])
    if ends - since < MOST_OF_IT * (ends - begins):
        return None
    # the best of all, where it came early enough as well
    best = int(told.step[int(np.argmin(turned))])
    since = best if since < best and ends - best >= MOST_OF_IT * (ends - begins) else since
    stayed = told.value[told.step >= since]
    # a last value that is clearly the best of all is no level
    if len(turned) - 1 == int(np.argmin(turned)) and abs(float(stayed[-1] - stayed[0])) > AS_GOOD * abs(
        float(stayed[-1])
    ):
        return None
    wanders = float(np.ptp(stayed))
    if wanders > max(WIDE * float(turned[0] - turned.min()), AWAY * float(abs(turned.min()))):
        return None
    low, high = (
        own.spelled(v) if own is not None else spelled(v, ".4g") for v in (float(stayed.min()), float(stayed.max()))
    )
    if low == high:  # of so few digits nothing is known but that they are rounded
        return None
    costs = (rated is None or rated.falls) and float(turned[0] - turned.min()) < LITTLE * float(turned[0])
    last = "" if not costs else spelled(float(told.value[-1]), ".3g")
    return Rest(since, "validation" if own is None else own.name, low, high, last, best == ends)


def level_since(level: Rest | None, count: Counter) -> NextAction | None:
    """Fewer steps next time, where most of the run brought nothing."""
    if level is None:
        return None
    if level.last:
        return NextAction(
            f"Compare {level.name} of {level.last} with that of the best constant answer: if it is close, the inputs "
            f"tell little more and need better features; nothing was gained since about {count.at(level.since)}."
        )
    if level.rising:
        return NextAction(
            f"Keep the last weights, the best of all: {level.name} has stayed within {level.low} and {level.high} "
            f"since about {count.at(level.since)}, so more of the same buys little."
        )
    return NextAction(
        f"Stop at about {count.at(level.since)} next time: {level.name} has stayed within {level.low} and "
        f"{level.high} since; for more change the data, the model or the rate, not the length."
    )


def still_falls(val: Series) -> int | None:
    """The row of the best evaluation before the last fifth of the run, where the last is clearly better than it."""
    ago = max(1, round(LATE * len(val)))
    if len(val) < FEW or val.value[0] <= val.value[-1]:
        return None
    # against the best before, not a bump: what merely comes back to an old level has gained nothing
    before = int(np.argmin(val.value[:-ago]))
    gained = float(val.value[before]) - float(val.value[-1])
    # nor has one that fell by no more than evaluations scatter
    fell = float(val.value[0]) - float(val.value[-1])
    # what is a twentieth neither of all that was gained nor of the level is not worth going on for
    counts = min(MISSING * fell, MISSING * abs(float(val.value[-1])))
    least = max(AS_GOOD * fell, counts, noise(val) or 0.0)
    # and one that has risen again since its best has come to its end
    if gained <= least or float(val.value[-1]) - float(val.value.min()) > least:
        return None
    return before


def _arrived(of: Series, cost: NDArray[np.float64], answers: bool = False) -> int:
    """The step of the first row from which the best value is no further off than counts or than evaluations scatter.

    answers: the cost is the negative of a share of right answers, whose last percents are the hardest.
    """
    later, least = of.cut(slice(len(of) // 2, len(of))), float(cost.min())
    counts = min(AS_GOOD * abs(least), MISSING * float(cost[0] - least), WRONG * (1.0 + least) if answers else np.inf)
    near = np.flatnonzero(cost - least <= max(counts, noise(later) or 0.0))
    return int(of.step[near[0]])
