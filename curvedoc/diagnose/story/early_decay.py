"""What a learning rate that was taken down too early cost a run that is sound otherwise."""

from __future__ import annotations

import numpy as np

from curvedoc.core.diagnosis import NextAction
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run
from curvedoc.core.series import Series
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.diagnose.story.quality import FEW
from curvedoc.stats.noise.noise import noise
from curvedoc.stats.schedule.floor import negligible_from

#: Of its peak: a learning rate below this moves little more.
SPENT = 0.1
#: Of the run: a rate that is down for longer leaves little time at which anything was learned.
MOST_OF_IT = 0.5
#: Times: a learning rate that is divided by so much in one row was cut, and what decays smoothly was not.
CUT = 5.0
#: Evaluations just before a cut that show whether anything was still gained.
LATELY = 4
#: Times: at its last pace validation would have fallen by so much more than it did after the cut.
MISSED = 3.0


def spent_early(run: Run, curve: Series, count: Counter) -> str:
    """What a rate that is taken down for most of the run costs; "" where it is not."""
    rate = run.series("lr")
    at = None if rate is None else negligible_from(rate, SPENT)
    loss = curve.finite()
    if rate is None or at is None or spent(run) is None or not len(loss):
        return ""
    begins, ends = int(loss.step[0]), int(loss.step[-1])
    left = (ends - at) / max(1, ends - begins)
    if left < MOST_OF_IT:
        return ""
    return (
        f"Keep the learning rate up for longer: from {count.at(at)} on, for {left:.0%} of the run, it was down to "
        f"{spent(run)}, where little is learned. "
    )


def cut_early(run: Run, val: Series, count: Counter) -> NextAction | None:
    """A rate that was cut while validation still fell, and from then on hardly did: the cut came too early.

    A schedule that fits cuts where nothing is gained any more, and the cut itself brings a fall.
    """
    rate = run.series("lr")
    known = None if rate is None else rate.finite()
    if known is None or len(known) < FEW or bool((known.value <= 0.0).any()):
        return None
    cuts = np.flatnonzero(known.value[:-1] >= CUT * known.value[1:])
    if not len(cuts):
        return None
    at = int(known.step[cuts[0] + 1])
    before = val.cut(val.step < at)
    lately = before.cut(slice(max(0, len(before) - LATELY), len(before)))
    left = int(val.step[-1]) - at
    if len(lately) < LATELY or left <= 0:
        return None
    slope = float(np.polyfit(lately.step.astype(np.float64), lately.value, 1)[0])
    each = -slope * float(lately.step[-1] - lately.step[0]) / (len(lately) - 1)
    gained = float(lately.value[-1]) - float(val.value.min())
    if each <= (noise(val) or 0.0) or -slope * left <= MISSED * max(gained, each):
        return None
    return NextAction(
        f"Keep the learning rate up for longer: until it was cut to {spelled(float(known.value[cuts[0] + 1]), '.2g')} "
        f"at {count.at(at)} validation fell by {spelled(each, '.2g')} from one evaluation to the next, and since then "
        f"by {spelled(max(gained, 0.0), '.2g')} in all."
    )


def spent(run: Run) -> str | None:
    """The learning rate at the end, where its schedule has taken it down to a small part of its peak."""
    rate = run.series("lr")
    known = None if rate is None else rate.finite()
    if known is None or len(known) < FEW or not known.value[-1] < SPENT * known.value.max():
        return None
    return spelled(float(known.value[-1]), ".2g")
