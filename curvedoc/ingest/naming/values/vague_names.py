"""Metrics whose names say little, read by their values: those named by their split alone ("train 2.31  val 2.45") and
the letters that stand for a loss ("L=0.52")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from curvedoc.core.late_regex import late_regex
from curvedoc.core.series import Floats
from curvedoc.ingest.naming.comparable_name import words_of
from curvedoc.ingest.naming.languages import in_english
from curvedoc.ingest.naming.metric_name import Reading
from curvedoc.ingest.naming.signals import Signals, Split, plain
from curvedoc.ingest.naming.values.metric_values import MetricValues
from curvedoc.ingest.naming.word_set import word_set

#: What such a metric may be, and the families that tell of it by name already.
_KINDS = (("loss", ("loss",)), ("accuracy", ("accuracy", "metric", "perplexity", "reward")))
_GRADED = ("accuracy", "metric")
#: The loss of papers, the cost of textbooks.
_LETTERS = ("l", "j")
#: Where the same is logged under both.
_SPLIT_LETTERS: dict[str, Split] = {"t": "train", "v": "val"}
#: A share of right answers ends far above its beginning, in percent too.
_LEARNED = 1.2
_PERCENT, _FIRST_PERCENTS = 100.0, 10.0
#: A metric of so many times fewer values says what another one said already.
_SELDOM = 2
#: Fewer values than this have no beginning and no end.
_FEWEST = 4
#: How far what was rounded for print may be from what it is of.
_ROUNDED = 0.02
#: Boosting goes forward in so many of its rounds.
_STEADY = 0.8


#: Measures over a whole set of samples.
_OF_MAPS = frozenset(("iou", "dice", "acc", "accuracy"))
_BY_EVALUATION = late_regex(
    r"((coco_)?(bbox|segm|box|mask|mean)_)?m?_?(map|ap)(_?(50|75))?(_?95)?(_[bm])?|fid(_score|50k\w*)?|kid|fvd"
)


#: How names begin that are of validation, where so many of them, a loss with them, are logged without it too.
_OF_VALIDATION, _PAIRS = late_regex("[vV][_/. -]"), 2


#: What has the norm of the whole, and what measures it.
_OPTIMIZERS = word_set("opt optim optimizer optimizers l2 l1 linf total global model net network")


F = TypeVar("F", bound=MetricValues)


#: A letter for the split and one for what is measured, which say nothing but together.
_CODES = {"tl": "train loss", "vl": "val loss", "ta": "train acc", "va": "val acc"}


def of_two_splits(names: Sequence[str]) -> dict[str, str]:
    """The names that one letter marks as of validation ("v_loss", "v_kl" beside "loss" and "kl"), spelled out."""
    low = {n.lower(): n for n in names}
    if _CODES["tl"] not in names and {"tl", "vl"} <= low.keys():
        return {low[code]: said for code, said in _CODES.items() if code in low and said not in names}
    marked = {n: n[2:] for n in names if _OF_VALIDATION.match(n)}
    if len(marked) < _PAIRS:
        return {}
    bare = {plain(n) for n in names if n not in marked}
    both = [rest for rest in marked.values() if plain(rest) in bare]
    told = len(both) >= _PAIRS and any("loss" in plain(rest) for rest in both)
    return {n: f"val {rest}" for n, rest in marked.items() if f"val {rest}" not in names} if told else {}


def vague_readings(metrics: Sequence[F], found: Sequence[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings of metrics that say nothing but their split, by their values; of a split that names its own, none.

    A loss has values that are no share (above 1 or below 0), unless they rise within 0 and 100 as an accuracy in
    percent does and nothing else is an accuracy by name; shares are losses where training's falls or a perplexity is
    that of one. A share is an accuracy where a loss is logged beside it or where training's rises; else it may be
    either. Where training has a loss by name and a value by its split alone that could be a share and does not fall,
    all of these are accuracies, those of other data even where they fall.
    """
    named = [(f, split) for f in metrics if (split := _split_alone(f.metric, table)) and len(f.finite) >= _FEWEST]
    if not named:
        return []
    have: dict[tuple[str, Split], int] = {}
    for f, r in found:
        have[r.family, r.split] = max(have.get((r.family, r.split), 0), len(f.finite))
    losses = any(family == "loss" for family, _ in have)
    # beside an accuracy that is called one, or a measure that is a share, values above 1 are no accuracy in percent
    measured = [(f, r.family) for f, r in found if r.family in _GRADED and len(f.finite) >= _FEWEST]
    told_apart = any(family == "accuracy" or bool((f.finite <= 1.0).all()) for f, family in measured)
    trained = [f.finite for f, split in named if split == "train" and _is_share(f.finite)]
    learned, sunk = any(map(rises, trained)), any(map(_falls, trained)) and not losses
    sunk = sunk or any(
        _perplexity_is_of(m.finite, f.finite) for m, r in found if r.family == "perplexity" for f, _ in named
    )
    graded = ("loss", "train") in have and any(s == "train" and _is_grade(f.finite) for f, s in named)
    # the mean of an epoch begins and ends where the loss of its batches does
    own = [f.finite for f, r in found if r.role == "loss" and len(f.finite) >= _FEWEST]
    if any(_goes_with(v, x) for v in trained for x in own):
        graded, sunk = False, True
    out: list[tuple[F, Reading]] = []
    for kind, told in _KINDS:
        family = table.family(kind)
        for f, split in named:
            # what is said at each checkpoint too ("saved, loss=2.1") is no curve beside that of each record
            known = any(_SELDOM * have.get((name, split), 0) >= len(f.finite) for name in told)
            loss = not graded and (sunk or _is_loss(f.finite, told_apart))
            if family is None or known or split not in family.roles or loss != (kind == "loss"):
                continue
            # what falls beside a loss is an error of its own
            if loss or graded or ((losses or learned) and _is_share(f.finite) and not _falls(f.finite)):
                why = f"{kind}: named by its split alone"
                out.append((f, Reading(family.roles[split], split, "", why, family.bounds, kind)))
    return [*out, *_beside(metrics, out, have, table)]


def _beside(
    metrics: Sequence[F], found: Sequence[tuple[F, Reading]], have: dict[tuple[str, Split], int], table: Signals
) -> list[tuple[F, Reading]]:
    """The accuracies that stand unnamed behind the losses of splits ("train (2.31, 0.12) dev (2.40, 0.10)")."""
    family = table.family("accuracy")
    splits = {f"{f.metric}[1]": r.split for f, r in found if r.family == "loss"}
    second = [f for f in metrics if f.metric in splits and len(f.finite) >= _FEWEST]
    if family is None or not any(rises(f.finite) for f in second) or not all(_is_share(f.finite) for f in second):
        return []
    why = "accuracy: stands behind the loss of its split, and rises"
    of = [(f, splits[f.metric]) for f in second if ("accuracy", splits[f.metric]) not in have]
    return [(f, Reading(family.roles[s], s, "", why, family.bounds, "accuracy")) for f, s in of if s in family.roles]


def _goes_with(value: Floats, loss: Floats) -> bool:
    """Whether a measure of epochs begins and ends where a loss that is logged more often does, within its scatter."""
    parts = np.array_split(loss, len(value))
    if _SELDOM * len(value) > len(loss):
        return False
    return bool(
        np.mean([abs(v - (p.min() + p.max()) / 2) <= p.max() - p.min() for p, v in zip(parts, value, strict=True)])
        >= _STEADY
    )


def _perplexity_is_of(perplexity: Floats, value: Floats) -> bool:
    """Whether a perplexity tells that what is logged beside it is the loss: e to its power."""
    if len(perplexity) != len(value):
        return False
    with np.errstate(over="ignore"):
        return bool((np.abs(np.exp(value) - perplexity) <= _ROUNDED * perplexity).all())


def _split_alone(name: str, table: Signals) -> Split | None:
    """The split that a name says and nothing else ("valid", "in-sample"), None for another."""
    return table.splits.get(in_english(plain(name)))


def lettered(metrics: Sequence[F], found: Sequence[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings of metrics called by the letter of a loss, "L", "val_L", "J"; of a split that names its loss, none.

    Whole numbers (a length) and one value again and again (a setting) are no loss; beside a reward, or "R", L is the
    mean length of an episode.
    """
    if words_of(tuple(f.metric for f in metrics)).isdisjoint(_LETTERS):
        return []
    if any(r.family == "reward" for _, r in found) or any(plain(f.metric) == "r" for f in metrics):
        return []
    family = table.family("loss")
    have = {r.split for _, r in found if r.family == "loss"}
    out: dict[Split, tuple[F, Reading]] = {}
    for letter in _LETTERS:
        for f in metrics:
            parts = plain(f.metric).split("_")
            rest = [p for p in parts if p != letter]
            split = table.splits.get(rest[0]) if rest else "train"
            if len(parts) != len(rest) + 1 or len(rest) > 1 or split is None or split in have or split in out:
                continue
            if family is not None and split in family.roles and _is_measured(f):
                why = "loss: called by its letter"
                out[split] = (f, Reading(family.roles[split], split, "", why, family.bounds, "loss"))
    return list(out.values())


def _is_measured(metric: MetricValues) -> bool:
    """Whether a metric is neither counted nor set: its values have parts and differ, or none of them is finite."""
    value = metric.finite
    if not len(value):
        return metric.points >= _FEWEST
    return len(value) >= _FEWEST and bool((value != np.floor(value)).any()) and bool((value != value[0]).any())


def _is_loss(value: Floats, told_apart: bool) -> bool:
    if not bool(((value > 1.0) | (value < 0.0)).any()):
        return False
    if told_apart:
        return True
    return bool((value < 0.0).any()) or bool((value > _PERCENT).any()) or not rises(value)


def _is_share(value: Floats) -> bool:
    """Whether the values lie within 0 and 1, or rise within 0 and 100."""
    return bool(((value >= 0.0) & (value <= _PERCENT)).all()) and (bool((value <= 1.0).all()) or rises(value))


def _is_grade(value: Floats) -> bool:
    """Whether the values of training lie within 0 and 100 and do not fall, from the first to the last ones."""
    return bool(((value >= 0.0) & (value <= _PERCENT)).all()) and _end(value) >= value[0]


def rises(value: Floats) -> bool:
    """Whether values rise; above 1 as far as percents of right answers do, where a loss that blows up may end lower.

    What hardly ever goes back may be learned within the first quarter.
    """
    end, steady = _end(value), len(value) > 1 and float((np.diff(value) >= 0.0).mean()) > _STEADY
    began = float(np.median(value[:_FEWEST])) if steady and len(value) > _FEWEST else _beginning(value)
    return end > _LEARNED * began and (end >= _FIRST_PERCENTS or bool((value <= 1.0).all()))


def _falls(value: Floats) -> bool:
    return _beginning(value) > _LEARNED * _end(value)


def _beginning(value: Floats) -> float:
    return float(np.median(value[: max(1, len(value) // 4)]))


def _end(value: Floats) -> float:
    return float(np.median(value[-max(1, len(value) // 4) :]))


def of_an_evaluation(found: list[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings with measures that no step of training yields (the precision of a detector over all thresholds, the
    distance of generated samples to real ones) as those of validation, where nothing else grades it."""
    family = table.family("metric")
    if family is None or any(r.split != "train" and r.family in ("metric", "accuracy") for _, r in found):
        return found
    role = family.roles["val"]
    return [
        (f, replace(r, role=role, split="val"))
        # "iou_shrink_map" is the overlap of a map
        if r.role == "metric" and _BY_EVALUATION.fullmatch(r.base) and plain(f.metric).split("_")[0] not in _OF_MAPS
        else (f, r)
        for f, r in found
    ]


def lone_layers(found: list[tuple[F, Reading]]) -> list[tuple[F, Reading]]:
    """A single "layer" of a plain name (generator/grad_norm), without other layers or a norm of the whole beside it, is
    the norm of the whole; a parameter's name (head.weight) stays one."""
    layers = [r for _, r in found if r.role.startswith("layer_")]
    if len(layers) != 1:
        return found
    label = layers[0].label.lower()
    held = _OPTIMIZERS.isdisjoint(re.split(r"[/.]", label)[-1:])
    if held and (not label.isalpha() or label in ("weight", "bias", "head")):
        return found
    for layer, whole in (("layer_grad_norm", "grad_norm"), ("layer_weight_norm", "weight_norm")):
        if sum(r.role in (layer, whole) for _, r in found) == 1:
            found = [(f, replace(r, role=whole, label="") if r.role == layer else r) for f, r in found]
    return found


def by_letter(found: Sequence[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings with the split that one letter tells where the same is logged under the other one besides: "T_loss"
    and "V_loss", "loss_t" and "loss_v". Alone, a letter may be a network's."""
    if not words_of(tuple(f.metric for f, _ in found)) >= _SPLIT_LETTERS.keys():
        return list(found)
    said = {_lettered(f.metric) for f, _ in found}
    both = {r for k, *rest in said if k == "t" and ("v", *rest) in said for r in rest}
    family = {f.name: f for f in table.families}
    out = []
    for f, r in found:
        letter, *rest = _lettered(f.metric)
        if letter in _SPLIT_LETTERS and both.intersection(rest) and r.split == "train" and r.family in family:
            split = _SPLIT_LETTERS[letter]
            label = "" if r.label == letter else r.label
            part = r.part and bool(label)
            role = family[r.family].roles.get(split, r.role) if not part else r.role
            r = replace(r, role=role, split=split, label=label, part=part)
        out.append((f, r))
    return out


def _lettered(name: str) -> tuple[str, ...]:
    """The letter at the front or the end of a name, and the rest of it."""
    words = plain(name).split("_")
    at_end = len(words) > 1 and words[0] not in _SPLIT_LETTERS and words[-1] in _SPLIT_LETTERS
    return (words[-1], "_".join(words[:-1])) if at_end else tuple(plain(name).split("_", 1))
