"""Grades: what says how good a model is, turned so that up is better, and what it leaves to be wanted."""

from __future__ import annotations

from collections.abc import Sequence

from curvedoc.core.diagnosis import KnownFact
from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Run
from curvedoc.core.series import Series

#: Measures that are ten times the logarithm of a signal over its error.
DECIBELS = late_regex(r"(?i)psnr|(?<![a-z])(si[-_ ]?)?s[nd]r(?![a-z])")
#: Rewards of evaluations have no exploration in them; fewer are no course.
REWARD, EVALUATED, ENOUGH_EVALUATED = "reward", "val_reward", 5
SIMILARITY = "similarity"


def wrong(run: Run, main: KnownFact | None, roles: Sequence[str]) -> Series | None:
    """What a measure between 0 and 1 leaves to be wanted; of one that should fall, the measure itself; of a ratio in
    decibels, which rises by the logarithm of its error, that error. main: the fact of the measure that the run is for.
    """
    found = next((s for role in roles if (s := run.series(role)) is not None), None)
    if found is None or main is None or str(main.value) == REWARD:
        return None
    if str(main.value).endswith("_down"):
        return found
    if DECIBELS.search(found.metric):
        return Series(found.step, 10 ** (-found.value / 10), found.metric, found.time)
    values = found.finite().value
    if not len(values) or values.min() < 0.0 or values.max() > 1.0:
        return None
    return Series(found.step, 1.0 - found.value, found.metric, found.time)


def above_floor(run: Run, kind: KnownFact | None) -> Series | None:
    """A loss of similarity plus one: from about 1 for what is unlike to 0 for what is the same. kind: the fact of what
    kind of number the loss is."""
    found = run.series("loss")
    if found is None or kind is None or kind.value != SIMILARITY:
        return None
    return Series(found.step, found.value + 1.0, found.metric, found.time)


def quality(run: Run, main: KnownFact | None, better: float) -> Series | None:
    """The measure that the run is for; better: the sign that what is better has."""
    if main is None:
        return None
    word = str(main.value)
    role, sign = word.removesuffix("_up").removesuffix("_down"), -1.0 if word.endswith(("_down", "_loss")) else 1.0
    found = run.series(role)
    if role == REWARD and (evaluated := run.series(EVALUATED)) is not None:
        found = evaluated if found is None or len(evaluated.finite()) >= ENOUGH_EVALUATED else found
    return found if found is None or sign == better else Series(found.step, -found.value, found.metric, found.time)
