"""What several losses of a run tell of each other: two networks in a game that draw or pull ahead, parts that drown."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from curvedoc.core.diagnosis import NextAction
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run
from curvedoc.core.series import Series
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.diagnose.story.quality import FEW, as_logged
from curvedoc.diagnose.story.reward import LATE
from curvedoc.stats.basic.levels import head_level, tail_level
from curvedoc.stats.basic.windows import steady
from curvedoc.stats.noise.noise import noise

#: How the two networks of a game are labeled.
_GENERATOR = frozenset(("g", "gen", "generator"))
_DISCRIMINATOR = frozenset(("d", "dis", "disc", "discr", "discriminator"))
#: What they are called.
_NAMES = ("the generator", "the discriminator")
#: What a discriminator costs that answers one half to everything: of both kinds of samples, or their mean.
_DRAW = (2.0 * math.log(2.0), math.log(2.0))
#: Of the draw: so near to it both losses are as those of a coin.
_NEAR = 0.02
#: Of the run: a draw of the last half is no passing one.
_HALF = 0.5
#: Times: one loss has at least halved, while the other has grown by half.
_AHEAD, _BEHIND = 0.5, 1.5
#: Fewer rows show no course of a part.
_ROWS = 30
#: Of all parts at the end: the largest leaves the others next to nothing.
_MOST = 0.9
#: Times its best level, and its scatter: a part that is so far above has risen.
_RISEN, _SURE = 1.25, 6.0
#: Of the run: a level, and where the best one has to lie before.
_END, _SPAN = 0.1, 5


def players(run: Run) -> tuple[tuple[str, Series], tuple[str, Series]] | None:
    """The losses of the two networks of a game, each with what it is called; None where not exactly two are logged."""
    found = [(_player(m.label), run.metric(m.metric)) for m in run.matches("game_loss") if m.label]
    known = [(label, s.finite()) for label, s in found if s is not None and len(s.finite()) >= FEW]
    return (known[0], known[1]) if len(known) == 2 else None


def _player(label: str) -> str:
    word = label.lower().replace("net", "").strip("_-/ .")
    return _NAMES[0] if word in _GENERATOR else _NAMES[1] if word in _DISCRIMINATOR else label


def drawn(run: Run) -> str:
    """The losses of a discriminator that answers one half to all, and of its generator; "" where they are not."""
    both = _by_role(run)
    if both is None:
        return ""
    levels = [tail_level(s, _HALF) for s in both]
    made, judged = levels
    if made is None or judged is None or not _near(made, _DRAW[1]) or not any(_near(judged, d) for d in _DRAW):
        return ""
    return f"the discriminator rests at {spelled(judged, '.3g')} and the generator at {spelled(made, '.3g')}"


def of_samples(run: Run) -> NextAction:
    """Samples tell what the losses of a game do not; what is to be looked for in them the losses may tell."""
    if told := drawn(run):
        return NextAction(
            f"Save a grid of samples now: {told}, as where each answer is a coin toss. If they are noise, train the "
            f"discriminator alone on one batch, whose loss must then fall."
        )
    look = "Look at samples made from the same noise at the start, the middle and the end"
    both = _by_role(run)
    if both is not None:
        made, judged = ((head_level(s, LATE), tail_level(s, LATE)) for s in both)
        if _times(judged) <= _AHEAD and _times(made) >= _BEHIND:
            return NextAction(
                f"{look}; if their variety shrinks, halve the discriminator's learning rate: its loss fell "
                f"{_from_to(judged)}, the generator's rose {_from_to(made)}."
            )
    return NextAction(f"{look}: where they grow alike, modes are missing, which these losses cannot show.")


def of_denoising() -> NextAction:
    """How well noise is told from what it was added to says little of the samples that are made in the end."""
    return NextAction(
        "Look at samples made from the same noise every few thousand steps, from averaged weights (EMA): the loss of a "
        "denoiser stays near its floor while they still get better."
    )


_Course = tuple[float | None, float | None]


def _by_role(run: Run) -> tuple[Series, Series] | None:
    """The losses of the generator and of the discriminator; None where the log does not name both."""
    found = dict(players(run) or ())
    made, judged = found.get(_NAMES[0]), found.get(_NAMES[1])
    return None if made is None or judged is None else (made, judged)


def _near(value: float, draw: float) -> bool:
    return abs(value - draw) <= _NEAR * draw


def _times(course: _Course) -> float:
    first, last = course
    return 1.0 if first is None or last is None or first <= 0.0 or last < 0.0 else last / first


def _from_to(course: _Course) -> str:
    return " -> ".join(spelled(value, ".3g") for value in course if value is not None)


def drowned_part(run: Run, count: Counter) -> NextAction | None:
    """The part that rose while the largest went down; None where none did, or where the parts share the steps."""
    parts = list(_parts(run))
    levels = {name: tail_level(s, _END) or 0.0 for name, s in parts}
    whole = sum(levels.values())
    if len(parts) < 2 or min(levels.values()) < 0.0 or max(levels.values()) < _MOST * whole:
        return None
    largest = max(levels, key=lambda n: levels[n])
    for name, s in parts:
        calm = steady(s, _SPAN).value
        at = int(np.argmin(calm))
        best, rose = float(calm[at]), levels[name] - float(calm[at])
        late = at > (1 - _END) * len(s)
        if name == largest or late or best <= 0.0 or levels[name] < _RISEN * best or rose < _SURE * (noise(s) or 0.0):
            continue
        return NextAction(
            f"Weight the parts of the loss anew: {largest} is {levels[largest] / whole:.0%} of it "
            f"({spelled(levels[largest], '.3g')}), while {name} rose from {spelled(best, '.3g')} at "
            f"{count.at(int(s.step[at]))} to {spelled(levels[name], '.3g')}."
        )
    return None


def _parts(run: Run) -> Iterator[tuple[str, Series]]:
    for match in run.matches("aux_loss"):
        s = run.metric(match.metric)
        if s is not None and len(s.finite()) >= _ROWS:
            yield as_logged(match.metric), s.finite()
