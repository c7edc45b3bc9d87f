"""Since when the evaluations of a sound run gained nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.diagnosis import NextAction
from curvedoc.core.numbers import spelled
from curvedoc.core.series import Series
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.diagnose.story.quality import AS_GOOD, Quality
from curvedoc.stats.noise.noise import noise

#: Fewer evaluations show no level that lasted.
FEWEST = 10
#: Of the run: a shorter level may be the end of a schedule that fits.
MOST_OF_IT = 0.5


def level_since(val: Series, rated: Quality | None, count: Counter) -> NextAction | None:
    """Fewer steps next time, where validation and what rates the model gained nothing for half of the run or longer.

    None where fewer evaluations than `FEWEST` were logged.
    """
    if len(val) < FEWEST:
        return None
    since = _arrived(val, val.value, float(val.value.min()))
    name, told, turned = "validation", val, val.value
    if rated is not None and len(rated.series) >= FEWEST:
        turned = rated.series.value if rated.falls else -rated.series.value
        since = max(since, _arrived(rated.series, turned, float(turned.min())))
        name, told = rated.name, rated.series
    begins, ends = int(val.step[0]), int(val.step[-1])
    if ends - since < MOST_OF_IT * (ends - begins):
        return None
    # the best of all, where it came early enough as well
    best = int(told.step[int(np.argmin(turned))])
    since = best if since < best and ends - best >= MOST_OF_IT * (ends - begins) else since
    stayed = told.value[told.step >= since]
    low, high = (
        rated.spelled(v) if rated is not None and told is rated.series else spelled(v, ".4g")
        for v in (float(stayed.min()), float(stayed.max()))
    )
    if low == high:  # of so few digits nothing is known but that they are rounded
        return None
    return NextAction(f"Stop at about {count.at(since)} next time: {name} has stayed within {low} and {high} since.")


def _arrived(of: Series, cost: NDArray[np.float64], least: float) -> int:
    """The step of the first row from which the best value is no further off than counts or than evaluations scatter."""
    later = of.cut(slice(len(of) // 2, len(of)))
    near = np.flatnonzero(cost - least <= max(AS_GOOD * abs(least), noise(later) or 0.0))
    return int(of.step[near[0]])
