"""Rows of a sound loss that stand far above their neighbors: no trouble in the end, but to be seen on its chart."""

from __future__ import annotations

import numpy as np

from curvedoc.core.diagnosis import NextAction
from curvedoc.core.frozen import dataclass
from curvedoc.core.numbers import spelled
from curvedoc.core.series import Series
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.stats.basic.medians import bottom_of, median_of, neighbors, row_medians, top_of
from curvedoc.stats.basic.robust import extended

#: Times the median of its neighbors, and deviates of the logarithm about it: more than a tail of the noise.
TIMES, DEVIATES = 3.0, 5.0
#: Times: they stand apart from the largest of the other rows, where a tail of the noise goes on without a gap.
APART = 1.3
#: Of what was gained: a lower row is not seen on the chart.
SEEN = 0.25
#: Of the rows: so many at the start are a warm-up, and so many that jump are how this loss scatters.
BEGINS, MOST = 0.05, 0.05
#: Rows on either side, and rows that show how a loss scatters.
SIDE, FEWEST = 3, 40
#: From so many on they are one thing that comes again, as a bad sample in each pass over the data.
AGAIN = 3
#: Half of the values of a normal distribution lie within so many of its standard deviations.
_QUARTILE = 0.6745


@dataclass(frozen=True, slots=True)
class Jumps:
    """How many passing jumps there are, and of the largest and the last the step, the value and its neighbors'."""

    count: int
    top: tuple[int, float]
    last: tuple[int, float, float]

    def words(self, count: Counter) -> str:
        """What a headline says of them."""
        top = f"to {spelled(self.top[1], '.3g')} at {count.at(self.top[0])}"
        if self.count == 1:
            return f"one passing jump {top}"
        return f"{self.count} passing jumps, the largest {top}, the last at {count.at(self.last[0])}"


def jumps(loss: Series) -> Jumps | None:
    """The passing jumps of a loss above zero; None without any, or where they are how it scatters."""
    y = loss.value
    if len(y) < FEWEST or not bool((y > 0.0).all()) or top_of(y) <= TIMES * bottom_of(y):
        return None
    around = row_medians(neighbors(extended(y, SIDE), 2 * SIDE + 1))
    off = np.log(y / around)
    scatter = median_of(np.abs(off)) / _QUARTILE
    gained = float(around[0] - around.min())
    far = (y > TIMES * around) & (off > DEVIATES * scatter) & (y - around > SEEN * gained)
    far[: round(BEGINS * len(y))] = False
    found = np.flatnonzero(far)
    if scatter <= 0.0 or not 0 < len(found) <= MOST * len(y):
        return None
    others = np.delete(off, found)[round(BEGINS * len(y)) :]
    if float(off[found].min()) < APART * float(others.max(initial=0.0)):
        return None
    top, last = int(found[np.argmax(y[found])]), int(found[-1])
    apart = 1 + int((np.diff(found) > 1).sum())
    return Jumps(
        apart,
        (int(loss.step[top]), float(y[top])),
        (int(loss.step[last]), float(y[last]), float(around[last])),
    )


def of_jumps(found: Jumps | None, count: Counter) -> NextAction | None:
    """To look for the samples that make them, where there are several."""
    if found is None or found.count < AGAIN:
        return None
    step, value, around = found.last
    return NextAction(
        f"Log the sample ids of each batch, and inspect those of the {found.count} jumps, the last at {count.at(step)} "
        f"({spelled(value, '.3g')} where its neighbors have about {spelled(around, '.3g')}): it may be the same bad "
        f"samples each time."
    )
