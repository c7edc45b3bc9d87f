"""Numbers of one thing after another, no curve: an evaluation batch by batch, the models of a cross-validation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import polars as pl

from curvedoc.core.late_regex import late_regex
from curvedoc.core.series import Floats
from curvedoc.ingest.naming.log_words import is_outcome, is_usual
from curvedoc.ingest.naming.split_words import scope_of
from curvedoc.ingest.table.inference.structure import behaves

#: What a program says that trains, on any of its lines but in paths and in names of files.
_TRAINS = (
    r"(?i)train|epoch|optimi[sz]|learning.?rate|\blr\b|gradient|\bgrad|episode|update|warm.?up|weight.?decay"
    r"|\bgan\b|generator|discriminator|_loss|loss_|-loss"
    r"|\b(?:global.?)?(?:step|iter|iteration|round|gen|generation|tree)s?\b\W{0,4}\d"
)
_PATHS = r"\S*(?:[A-Za-z_.]/|/[A-Za-z_.])\S*"
#: Fewer values show no order, or the want of it.
_ENOUGH = 30
#: The middle half of the values is as wide as this part of their median: the batches of a training that came to
#: nothing cost all about the same.
_WIDE = 0.5
#: The two halves lie apart by less than this part of the width, or by what as many values do by chance.
_LEVEL, _CHANCE = 0.25, 5.0
_DIGITS = late_regex(r"[0-9]+")
#: So many things make a list of results; of more, the first ones tell.
_MODELS, _LOOK = 4, 200
#: What numbers the models of a cross-validation.
_FOLDS = ("fold", "folds", "fold id", "fold idx", "fold no", "k fold", "kfold", "cv fold")


def names_fold(name: str) -> bool:
    """Whether a counter numbers the models of a cross-validation."""
    return name.lower().replace("_", " ").replace("-", " ") in _FOLDS


def of_folds(points: pl.DataFrame, counters: Collection[str]) -> str:
    """What the records are where each names its fold, and the next one another, and nothing else counts; "" if not.

    points: columns `metric`, `step` and `value`; counters: the names of what counts
    """
    names = [str(m) for m in points["metric"].unique()]
    told = [n for n in names if is_outcome(n)]
    if not told or not (all(map(names_fold, counters)) if counters else any(map(names_fold, names))):
        return ""
    if counters:
        mine = all(bool((points.filter(points["metric"] == n)["step"].diff() != 0).all()) for n in told)
    else:
        fold = points.filter(points["metric"] == next(filter(names_fold, names)))
        mine = len(fold) > 1 and bool((fold["value"].diff() != 0).all())
    return _FOUND_FOLDS if mine else ""


def of_items(lines: pl.DataFrame, points: pl.DataFrame) -> str:
    """What the records are where nothing counts but batches, they stand in no order and no line speaks of training.

    lines: column `text`, all of the log; points: columns `metric` and `value`
    """
    frame = points.group_by("metric", maintain_order=True).agg("value")
    curves = {str(name): np.asarray(values) for name, values in frame.iter_rows()}
    told = {k: v[np.isfinite(v)] for k, v in curves.items() if is_outcome(k)}
    if any(scope_of(k.replace("_", " ")) == "train" for k in told) or not _without_order(curves, told):
        return ""
    said = lines["text"].str.replace_all(_PATHS, " ").str.contains(_TRAINS)
    return "" if bool(said.any()) else _FOUND_ITEMS


def of_models(templates: Sequence[str]) -> str:
    """What records that nothing counts are where each names another thing at one and the same place ("resnet18: loss
    0.5", "vgg16: loss 0.4"); "" if not.

    templates: of each record, its line without its numbers
    """
    rows = [t.split() for t in templates[:_LOOK]]
    if len(rows) < _MODELS or len(set(map(len, rows))) > 1:
        return ""
    other = [said for said in zip(*rows, strict=True) if len(set(said)) > 1]
    if len(other) != 1 or len(set(other[0])) < len(rows):
        return ""
    # a counter within a word ("[E0][B0020]") is of one word
    words = {_DIGITS.sub("", said) for said in other[0]}
    return _FOUND_MODELS if 2 * len(words) >= max(len(rows), _MODELS) else ""


_FOUND_MODELS = "each record is of another thing that it names, as of several models: no training"
_FOUND_FOLDS = "each record is of another fold, a model of its own: no training"
_FOUND_ITEMS = "what it measures stands in no order, and no line speaks of training: the items of a test, one by one"


def _without_order(curves: Mapping[str, Floats], told: Mapping[str, Floats]) -> bool:
    """Whether no outcome has an order, one at least scatters over its own size, and nothing else is known of."""
    if any(is_usual(k) and k not in told for k in curves):  # a rate, a speed
        return False
    most = max(map(len, told.values()), default=0)
    long = [v for v in told.values() if len(v) >= max(_ENOUGH, most / 2)]
    if not long or any(behaves(v) or _drifts(v) for v in long):
        return False
    return any(_width(v) > _WIDE * abs(float(np.median(v))) for v in long)


def _width(value: Floats) -> float:
    low, high = np.quantile(value, (0.25, 0.75))
    return float(high - low)


def _drifts(value: Floats) -> bool:
    half = len(value) // 2
    apart = abs(float(np.median(value[:half])) - float(np.median(value[half:])))
    limit = max(_LEVEL, _CHANCE / float(np.sqrt(len(value))))
    return apart > limit * _width(value)
