"""How a sound run went, in numbers that its log holds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run
from curvedoc.core.series import Series
from curvedoc.diagnose.grounds.grounds import ADVERSARIAL, Grounds
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.diagnose.story.game import drawn, players
from curvedoc.diagnose.story.jumps import jumps
from curvedoc.diagnose.story.level import level_of, still_falls
from curvedoc.diagnose.story.quality import FEW, Quality, as_logged, quality
from curvedoc.diagnose.story.reward import LATE
from curvedoc.diagnose.story.unseen import ASTRAY, AT_END, ROWS, ending, result, rough, tells_of_evaluations
from curvedoc.ingest.naming.split_words import scope_of
from curvedoc.stats.basic.levels import head_level, tail_level
from curvedoc.stats.noise.noise import noise

#: Curves that have no name of their own but the one that the log gives them.
_MEASURES = ("metric", "validation metric")
#: Of the level: of rows that scatter by as much, the first and the last are luck.
WILD = 0.25
#: Times its lowest values at the end: so far up a game that still goes back and forth drives its losses.
WIDE = 4.0


def course_of(run: Run, ground: Grounds, brief: bool = False, bench: Bench | None = None) -> str:
    """The values a sound run began and ended at, its best validation and how often that was right at last.

    brief: the curve alone, for a sentence that says more.
    """
    curve = ground.curve
    assert curve is not None, "a sound run has a curve"
    bench = bench or Bench(run)
    finite, count = curve.finite(), bench.counter
    swing = _swing(finite) if ground.name == ADVERSARIAL else ""
    span = swing or _span(finite, ground.name == "reward")
    if brief:
        return f"the {ground.name} {span}"
    if ground.name == ADVERSARIAL and (both := players(run)) is not None:
        unsettled = all(_swing(loss) for _, loss in both)
        spans = " and ".join(f"the loss of {name} {(_swing if unsettled else _span)(loss)}" for name, loss in both)
        coin = "; neither has settled" if unsettled else ""
        coin = "; the discriminator answers no better than a coin" if drawn(run) else coin
        return f"{_by(count, finite)} {spans}{coin}"
    named = as_logged(curve.metric) if ground.name in _MEASURES else f"the {ground.name}"
    told = f"{_by(count, finite)} {named} {span}"
    told += ", so the game has not settled" if swing else ""
    val = validation(run) if ground.name == "loss" else None
    if val is not None:
        told += f" and validation from {four_digits(val.value[0])} to {four_digits(val.value[-1])}"
        told += _best(val, count)
    leaps = jumps(finite) if ground.name == "loss" else None
    told += f", with {leaps.words(count)}" if leaps is not None else ""
    rated = quality(run, bench)
    beside = [*_beside(run, ground, val, rated, count), *_lately(val, rated, count)]
    return told + "".join(f"; {extra}" for extra in beside)


def _lately(val: Series | None, rated: Quality | None, count: Counter) -> Iterator[str]:
    """How evaluations went at last: whether they still fell, or since when they brought nothing."""
    level = level_of(val, rated)
    if val is not None and still_falls(val) is not None:
        yield "still falling at the end"
    elif level is not None:
        yield f"level since {count.at(level.since)}"


def _by(count: Counter, curve: Series) -> str:
    """Where a curve ends: "by step 180"; rows that nothing counts mean nothing to a user but their number."""
    if count.axis == "row" and count.epochs is None and count.passes is None:
        return f"over {len(curve):,} logged rows"
    return f"by {count.at(int(curve.step[-1]))}"


def evaluated(run: Run) -> bool:
    """Whether anything was logged of other data than those of training, be it once."""
    return (
        any(m.role.startswith(("val_", "test_")) for m in run.roles)
        or any(scope_of(name) not in ("", "train") for name in run.metrics())
        or tells_of_evaluations(run)
    )


def counted_anew(run: Run) -> bool:
    """Whether the counter of a run began anew while its loss went on, as on a resume without the step."""
    return any(n.kind == "step-unrolled" and "goes on" in n.text and n.count <= FEW for n in run.notes)


def one_batch(run: Run) -> bool:
    """Whether the configuration says that the run repeats one batch."""
    said = run.settings.get("single_batch")
    return isinstance(said, (bool, int, float)) and said > 0


def moved(curve: Series) -> bool:
    """Whether a curve ends at another level than it began at, as far as a sentence tells the two apart."""
    finite = curve.finite()
    ends = head_level(finite, AT_END), tail_level(finite, AT_END)
    if stays_at(finite):
        return False
    if ends[0] is None or ends[1] is None or not rough(finite, ends[1]):
        return four_digits(finite.value[0]) != four_digits(finite.value[-1])
    return spelled(ends[0], ".3g") != spelled(ends[1], ".3g")


def stays_at(curve: Series) -> str:
    """The level of a curve whose rows scatter too widely to tell where it went, and whose first rows, first tenth and
    last tenth lie at one level; else "".
    """
    scatter, opening, level = noise(curve), head_level(curve, AT_END), tail_level(curve, AT_END)
    if scatter is None or opening is None or level is None or len(curve) < ROWS or not 0.0 < WILD * level <= scatter:
        return ""
    begun = float(np.median(curve.value[:FEW]))
    flat = abs(opening - level) <= ASTRAY * level and abs(begun - level) <= max(ASTRAY * level, scatter)
    return spelled(level, ".3g") if flat else ""


def _swing(curve: Series) -> str:
    """Between which values the loss of a network in a game swings at the end, where it does so widely; else ""."""
    late = curve.value[-max(1, round(LATE * len(curve))) :]
    scatter, opening, level = noise(curve), head_level(curve, LATE), tail_level(curve, LATE)
    if len(curve) < ROWS or scatter is None or opening is None or level is None or not 0.0 < WILD * level <= scatter:
        return ""
    low, high = (float(v) for v in np.quantile(late, (0.05, 0.95)))
    # one that went somewhere else is told by that
    if low * WIDE > high or not level < 2.0 * opening < 4.0 * level:
        return ""
    return f"swings between {spelled(low, '.2g')} and {spelled(high, '.2g')} over the last fifth"


def _span(curve: Series, rewarded: bool = False) -> str:
    """Where it went, by the first and the last logged value, which a reader finds in the log, or the level at the end.

    rewarded: to the level of the last tenth, since a single episode is luck.
    """
    first, last = four_digits(float(curve.value[0])), four_digits(float(curve.value[-1]))
    opening, level = head_level(curve, AT_END), tail_level(curve, AT_END)
    if rewarded and opening is not None and level is not None and len(curve) >= ROWS and rough(curve, level):
        span = f"about {spelled(opening, '.3g')} in the first tenth to about {spelled(level, '.3g')} in the last"
        return f"went from {span}" if first != last else f"stayed at {first}"
    if stayed := stays_at(curve):
        return f"stayed at about {stayed}"
    last = last if first == last else ending(curve)
    return f"stayed at {first}" if first == last else f"went from {first} to {last}"


def validation(run: Run) -> Series | None:
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


def _best(val: Series, count: Counter) -> str:
    best = int(np.argmin(val.value))
    if len(val) < FEW:
        return ""
    if spelled(float(val.value[best]), ".3g") != spelled(float(val.value[-1]), ".3g"):
        return f" (best {four_digits(val.value[best])} at {count.inside(int(val.step[best]))})"
    return ", its best" if best == len(val) - 1 else ""


def _beside(run: Run, ground: Grounds, val: Series | None, rated: Quality | None, count: Counter) -> Iterator[str]:
    right = run.series("accuracy")
    known = None if right is None else right.finite()
    if rated is not None:
        if ground.curve is not None and rated.series.metric == ground.curve.metric:
            # where it went is told already
            yield from filter(None, [_at_best(rated, count).strip(" ()")])
        elif not ground.name.startswith("validation"):
            began, ended = rated.told(0), rated.told(-1)
            went = ended if began == ended or len(rated.series) < FEW else f"from {began} to {ended}"
            yield f"{rated.name} {went}{_at_best(rated, count)}"
    elif known is not None and len(known) and ground.name not in ("accuracy", "reward"):
        last = float(known.value[-1])
        yield f"accuracy {spelled(last, '.0%') if 0.0 <= last <= 1.0 else four_digits(last)}"
    if counted_anew(run):
        yield "its step counter began anew on the way, while the loss went on"
    if one_batch(run):
        yield "it repeats one batch and has learned it by heart"
    elif val is None and rated is None and ground.name == "loss":
        if not evaluated(run):
            yield "no validation was logged"
        elif told := result(run):
            yield f"at the end the log tells {told}"


def _at_best(rated: Quality, count: Counter) -> str:
    """Where a measure was better than it is at the end, as far as a sentence tells the two apart."""
    if len(rated.series) < FEW or rated.told(rated.best) in (rated.told(-1), rated.told(0)):
        return ""
    return f" (best {rated.told(rated.best)} at {count.inside(int(rated.series.step[rated.best]))})"


def four_digits(v: float) -> str:
    """A value as sentences quote it."""
    return spelled(float(v), ".4g")
