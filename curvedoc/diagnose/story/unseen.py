"""Data that training did not see: what plain lines tell of them, and what to do where nothing was logged of any."""

from __future__ import annotations

import polars as pl

from curvedoc.core.diagnosis import NextAction
from curvedoc.core.late_regex import late_regex
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run, once_a_run
from curvedoc.core.series import Series
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.diagnose.story.early_decay import spent_early
from curvedoc.diagnose.story.reward import LATE
from curvedoc.stats.basic.levels import median, tail_level
from curvedoc.stats.noise.noise import noise

#: Words of a line that tells of data that training did not see, with a number behind them.
_SEEN = (
    r"(?i)\b(?:test\w*|val(?:id\w*)?|eval\w*|iou|dice|f1|precision|recall|auc|auroc|m?ap|bleu|wer|cer)\b"
    r"[^\n\d]{0,30}\d"
)
#: A line that ends in one measure and its value: "IoU Score: 0.4253", "the best AP is 90.00".
_RESULT = late_regex(
    r"(?i)((?:[a-z][\w@-]* ){0,2}[a-z][\w@-]*) *(?:[:=]|\bis\b) *(\d{1,6}(?:\.\d{1,20})?) ?%?\s*$",
)
_MEASURE = late_regex(r"(?i)(?:^|[^a-z])(?:m?iou|dice|jaccard|f1|m?ap|auc|auroc|bleu|accuracy|acc)(?:[^a-z]|$)")

#: What programs say of weights that they keep, with or without a path.
_SAVES = (
    r"(?i)\b(?:sav(?:e|ed|ing)|writ(?:ten|ing|e)|wrote|stor(?:ed|ing))\b"
    r"[^\n]{0,40}\b(?:model|weights|checkpoints?|best|ckpt)\b"
)
#: Nats, and of the first value: a training loss this low may be that of samples learned by heart.
NATS, BY_HEART = 0.1, 0.05
#: Of all that was gained, and of the level: less in the last fifth is not worth going on for.
HARDLY, SLIGHTLY = 0.02, 0.05
#: Of all that was gained: who gained less in the last fifth would have to train for as long again to see it.
GOES_ON = 0.1
#: Rows that scatter by this much of the level at the end are told by the level of the last tenth.
ROUGH, AT_END = 0.05, 0.1
#: Of the level: a last row so far from it tells luck rather than where the curve ends. Fewer rows have no tenths.
ASTRAY, ROWS = 0.25, 30
#: Fewer rows have no fifths.
FEWEST = 10


def _after_training_began(run: Run) -> pl.Series:
    return run.messages.filter(pl.col("step").is_not_null() & (pl.col("step") >= 0))["text"]


@once_a_run
def tells_of_evaluations(run: Run) -> bool:
    """Whether a line that is no curve tells of other data than those of training: settings stand before its steps."""
    return len(run.messages) > 0 and bool(_after_training_began(run).str.contains(_SEEN).any())


@once_a_run
def result(run: Run) -> str:
    """The last result that a line tells, with its name: "IoU Score 0.4253"; "" where none does."""
    if not len(run.messages):
        return ""
    said = _after_training_began(run)
    for text in reversed(said.filter(said.str.contains(_MEASURE.pattern)).tail(20).to_list()):
        found = _RESULT.search(text)
        if found is not None and _MEASURE.search(found[1]):
            return f"{found[1]} {spelled(float(found[2]), '.4g')}"
    return ""


@once_a_run
def writes_weights(run: Run) -> bool:
    """Whether the log says that weights were saved, under whatever name."""
    return len(run.messages) > 0 and bool(run.messages["text"].str.contains(_SAVES).any())


def ending(curve: Series) -> str:
    """Where a curve ends: the last value, which a reader finds in the log, or the level where that is luck."""
    level, last = tail_level(curve, AT_END), float(curve.value[-1])
    if level is None or len(curve) < ROWS or abs(last - level) <= ASTRAY * abs(level) or not rough(curve, level):
        return spelled(last, ".4g")
    return f"about {spelled(level, '.3g')}"


def rough(curve: Series, level: float) -> bool:
    """Whether the rows of a curve scatter by a visible part of its level at the end."""
    scatter = noise(curve)
    return scatter is not None and scatter >= ROUGH * abs(level)


def to_evaluate(run: Run, name: str, curve: Series, count: Counter) -> NextAction:
    """Data that training did not see, and what its curve alone leaves open."""
    early = spent_early(run, curve, count)
    return NextAction(
        f"{early}Evaluate on data that it did not train on, and log that: {_left_open(name, curve.finite())}"
    )


def to_go_on(loss: Series) -> NextAction | None:
    """More of the same where training still falls, of a run that evaluated too seldom to say more."""
    still = _still_falls(loss, GOES_ON)
    if still is None:
        return None
    return NextAction(f"Train on, and evaluate more often: training still falls ({still} over the last fifth).")


def _still_falls(loss: Series, hardly: float = HARDLY) -> str | None:
    """From what to what the loss fell over the last fifth, where that counts beside all that it fell."""
    last = tail_level(loss, LATE)
    before = median(loss.cut(slice(round((1 - 2 * LATE) * len(loss)), round((1 - LATE) * len(loss)))))
    if last is None or before is None or len(loss) < FEWEST:
        return None
    gained, in_all = before - last, float(loss.value[0]) - last
    if gained <= min(hardly * in_all, SLIGHTLY * abs(before)):
        return None
    return f"{spelled(before, '.4g')} -> {spelled(last, '.4g')}"


def _left_open(name: str, curve: Series) -> str:
    last, end = tail_level(curve, LATE), ending(curve)
    if name != "loss" or len(curve) < FEWEST or last is None:
        return "the log holds training values only."
    if 0.0 <= last < min(NATS, BY_HEART * float(curve.value[0])):
        return f"a training loss of {end} is that of a task learned or of samples learned by heart."
    still = _still_falls(curve)
    if still is None:
        return f"the training loss of {end} cannot tell how good it is, and hardly changes over the last fifth."
    return f"training still falls ({still} over the last fifth), and only new samples tell how long that is worth it."
