"""Roles of metrics whose names say little or nothing: what a weak name hints at and what the values agree with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from curvedoc.core.run import Scalar, Sureness
from curvedoc.core.series import Floats
from curvedoc.ingest.naming.comparable_name import words_of
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.naming.metric_name import Reading, is_aside, split_and_rest
from curvedoc.ingest.naming.signals import RoleFamily, Signals, plain
from curvedoc.ingest.naming.values import curve_shape
from curvedoc.ingest.naming.values.metric_values import MetricValues
from curvedoc.ingest.naming.values.rivals import NAMELESS, as_evaluated, pairs_of, rivals_of
from curvedoc.ingest.naming.values.running_means import running_means

#: So many metrics of unknown names are a set of counters (hardware, parameters), of which none is the loss.
_CROWD = 40
#: Families of what shows how well a model does.
_MEASURES = frozenset({"loss", "perplexity", "accuracy", "metric", "reward"})
#: The rate of a configuration, as a logger rounds it.
_SAME_RATE = 1e-3
#: Losses of one run, on data seen and unseen, begin within this factor of each other.
_LEVEL = 4.0
#: The untrained loss of C classes is ln C, give or take.
_NEAR_LN = 0.15
#: Where rewards are logged, how often the agent explores and how it discounts.
_OF_GAMES = frozenset({"epsilon", "eps", "gamma"})
#: A quality is told of the training and of other samples, or of these alone.
_SPLITS = 2
#: How often something is left to chance, which is lowered by a schedule too.
_OF_CHANCE = frozenset({"exploration", "explore", "forcing"})
_PLAYED = frozenset({"fitness", "episode", "score"})
#: What a histogram is summed up by says how weights lie, and nothing of how well a model does.
_OF_HISTOGRAM = ("@min", "@max", "@mean", "@std", "@absmax", "@zero_frac")

F = TypeVar("F", bound=MetricValues)
Found = Sequence[tuple[F, Reading]]


def by_evidence(
    metrics: Sequence[F], found: Found[F], table: Signals, settings: Mapping[str, Scalar]
) -> list[tuple[F, Reading]]:
    """The readings of metrics that have none: by a hint of the name with values that agree, else by values alone.

    MetricValues alone name a loss only where nothing is known of the run's loss, its reward or its rivals.
    """
    known = {f.metric for f, _ in found}
    blank = _never_finite(metrics, found, table)
    unread = [f for f in metrics if f.metric not in known and len(f.finite)]
    if blank or not unread:
        return blank
    unread = [f for f in unread if not f.metric.endswith(_OF_HISTOGRAM)]
    free = [f for f in unread if not is_aside(f.metric, table) and _says_something(f.metric, table)]
    out = [*rivals_of(free, found, table), *running_means(unread, found, table)]
    found = [*found, *out]
    out += _rates(_left(unread, out), found, table, settings)
    out += _hinted(_left(free, out), [*found, *out], table)
    crowd = len(free) > _CROWD
    out += [] if crowd else _shares(_left(free, out), [*found, *out], table)
    out += [] if crowd else _losses(_left(free, out), [*found, *out], table, settings)
    return out


def _never_finite(metrics: Sequence[F], found: Found[F], table: Signals) -> list[tuple[F, Reading]]:
    """The first metric of each split where none ever was a number: whichever is the loss, it is not one either."""
    family = table.family("loss")
    if family is None or any(r.family in _MEASURES for _, r in found):
        return []
    free = [f for f in metrics if not is_aside(f.metric, table) and _says_something(f.metric, table)]
    if any(len(f.finite) for f in free):
        return []
    out: dict[str, tuple[F, Reading]] = {}
    for f in free:
        split, _ = split_and_rest(f.metric, table)
        if split in family.roles and f.points:
            why = "never is a number, as all that is measured"
            made = Reading(family.roles[split], split, "", why, family.bounds, "loss", trust="likely")
            out.setdefault(split, (f, made))
    return list(out.values()) if "train" in out else []


def _says_something(name: str, table: Signals) -> bool:
    """Whether a name has a word of its own, or a split: "data" and "batch" are times and counts."""
    _, rest = split_and_rest(name, table)
    return bool(rest) or not table.splits.keys().isdisjoint(plain(name).split("_"))


def _left(free: Sequence[F], out: Found[F]) -> list[F]:
    taken = {f.metric for f, _ in out}
    return [f for f in free if f.metric not in taken]


def _rates(
    free: Sequence[F], found: Found[F], table: Signals, settings: Mapping[str, Scalar]
) -> list[tuple[F, Reading]]:
    """The learning rate: begins or peaks at the configuration's, or is hinted at, and walks as a schedule."""
    family = table.family("lr")
    if family is None or any(r.family == "lr" for _, r in found):
        return []
    rate = settings.get("lr")
    hints = table.hints.get("lr", frozenset())
    played = any(r.family == "reward" for _, r in found)
    played = played or not _PLAYED.isdisjoint(words_of((*(f.metric for f in free), *(f.metric for f, _ in found))))
    other = _OF_GAMES if played else frozenset()
    both = {f.metric for pair in pairs_of(free, table) for f in pair}
    parts = next((x.parts for x in table.families if x.name == "loss"), frozenset[str]())
    best: list[tuple[int, F, str, Sureness]] = []
    for f in free:
        v = f.finite
        if len(v) < 3 or not bool((v >= 0.0).all()) or float(v.max()) <= 0.0:
            continue
        constant = float(v.max()) == float(v.min())
        moves = curve_shape.is_schedule(v)
        said = set(split_and_rest(f.metric, table)[1])
        if not other.isdisjoint(said) or not _OF_CHANCE.isdisjoint(said):
            continue
        hint = bool(hints & said)
        if is_aside(f.metric, table) and not (hint and float(v.max()) <= 1.0):  # "eta" is the time left as well
            continue
        stated = isinstance(rate, (int, float)) and not isinstance(rate, bool) and rate > 0
        equal = stated and abs(float(v.max()) - float(rate or 0)) <= _SAME_RATE * float(rate or 1)
        if equal and (moves or (constant and hint)):
            best.append((0, f, "begins or peaks at the configuration's lr", "likely"))
        elif hint and (moves or (constant and float(v.max()) < 1.0) or curve_shape.is_smooth(v)):
            best.append((1, f, "called like a rate, and walks like a schedule", "likely"))
        # what is logged of both splits is no rate; where rewards are, what walks so may be how often the agent explores
        elif (
            moves and not other and _walks_down(v) and f.metric not in both
            and not is_outcome(f.metric) and parts.isdisjoint(said)
        ):  # fmt: skip
            best.append((2, f, "walks like a schedule", "guess"))
    if not best:
        return []
    _, f, why, trust = min(best, key=lambda b: b[0])
    return [(f, Reading(family.roles["train"], "train", "", why, family.bounds, "lr", trust=trust))]


def _walks_down(value: Floats) -> bool:
    """Whether values are as small as rates, and far below their peak at some time behind it."""
    top = float(value.max())
    return top <= 0.5 and float(value.min()) < top / 2 and _peaks_early(value)


def _peaks_early(value: Floats) -> bool:
    """Whether the highest value stands in the first half: a weight that is turned up has it at its end."""
    return int(np.argmax(value)) <= len(value) // 2


#: What the values of a hinted role must look like.
_AGREES: Mapping[str, Callable[[Floats], bool]] = {
    "loss": lambda v: (
        len(v) < curve_shape.FEWEST or not (curve_shape.is_small_rate(v) or curve_shape.rises_as_a_share(v))
    ),
    "accuracy": lambda v: bool(((v >= 0.0) & (v <= 100.0)).all()) and bool((v != v[0]).any()),
    "grad_norm": lambda v: bool((v >= 0.0).all()) and not curve_shape.is_smooth(v),
    "metric": lambda v: bool((v != v[0]).any()),
    "reward": lambda v: bool((v != v[0]).any()),
}


def _hinted(free: Sequence[F], found: Found[F], table: Signals) -> list[tuple[F, Reading]]:
    """Metrics whose name holds a word that may mean the role, where no other of the split has the role by name."""
    have = {(r.family, r.split) for _, r in found if not r.part}
    steered = {"reward", "game_loss"} & {r.role for _, r in found}
    paid = table.hints.get("reward", frozenset())
    out: list[tuple[F, Reading]] = []
    taken: set[str] = set()
    for name, agrees in _AGREES.items():
        family = table.family(name)
        words = table.hints.get(name, frozenset())
        if name == "lr" and "reward" in steered:
            words = words - _OF_GAMES
        if family is None or not words or (name == "loss" and steered):
            continue
        for f in free:
            split, rest = split_and_rest(f.metric, table)
            if f.metric in taken or f.growing or split not in family.roles or (name, split) in have:
                continue
            if name != "reward" and not paid.isdisjoint(rest):  # the total of a reward is no total loss
                continue
            whole = "_".join(rest)
            # a letter is a name, but in a name of several words it may be anything
            if not (whole in words or any(len(w) > 1 and w in words for w in rest)) or not agrees(f.finite):
                continue
            why = f"may be a {family.roles[split]} by its name, and its values agree"
            trust: Sureness = "likely" if _shown(name, f.finite) else "guess"
            label = "_".join(rest) if family.label_is_name else ""
            out.append((f, Reading(family.roles[split], split, label, why, family.bounds, name, trust=trust)))
            taken.add(f.metric)
    return out


def _shown(name: str, value: Floats) -> bool:
    """Whether the values show what the hint says, rather than not contradict it."""
    if name == "loss":
        return curve_shape.falls(value)
    if name == "accuracy":
        return curve_shape.rises_as_a_share(value)
    return name != "grad_norm" or curve_shape.is_scatter(value)


def _shares(free: Sequence[F], found: Found[F], table: Signals) -> list[tuple[F, Reading]]:
    """Qualities: within 0 and 1 or 0 and 100, and rising; where one is known, only those that name other data."""
    family = table.family("metric")
    if family is None:
        return []
    split_of = {f.metric: split_and_rest(f.metric, table) for f in free}
    known = any(r.family in ("accuracy", "metric", "reward") for _, r in found)
    could = [f for f in free if not known or split_of[f.metric][0] != "train"]
    if not could:
        return []
    out, parts = [], next((x.parts for x in table.families if x.name == "loss"), frozenset())
    rise = {f.metric for f in free if not f.growing and curve_shape.rises_as_a_share(f.finite)}
    # what is logged of both splits is no schedule; and what rises in one is the same quality in the other one
    rise |= {f.metric for pair in pairs_of(free, table) if any(curve_shape.gains(g.finite) for g in pair) for f in pair}
    fall = [f for f in free if f.metric not in rise]
    unnamed = [f.metric for f in could if f.metric in rise and plain(f.metric).startswith(NAMELESS)]
    unseen = unnamed[-1:] if len(unnamed) <= _SPLITS and as_evaluated(fall, found) else []
    for f in could:
        split, rest = split_of[f.metric]
        split = "val" if f.metric in unseen else split
        if split in family.roles and parts.isdisjoint(rest) and f.metric in rise:
            why = "lies within 0 and 1 or 0 and 100, and rises"
            label = "_".join(rest) or f.metric
            out.append((f, Reading(family.roles[split], split, label, why, family.bounds, "metric", trust="guess")))
    return out


def _losses(
    free: Sequence[F], found: Found[F], table: Signals, settings: Mapping[str, Scalar]
) -> list[tuple[F, Reading]]:
    """A loss by its values, and the loss of unseen data at its level; nothing where a loss or a reward is known."""
    family = table.family("loss")
    told = {r.role for _, r in found if r.family != "metric" or r.role == "loss"}  # a grade stands in elsewhere alone
    if family is None or told & {"loss", "val_loss", "reward", "game_loss", "aux_loss", "perplexity"}:
        return []
    pairs = pairs_of(free, table)
    # the only measure that is logged of both splits is what is trained, wherever it goes; it is no schedule
    lone = [f.metric for f in pairs[0]] if len(pairs) == 1 and not any(r.family == "accuracy" for _, r in found) else []
    both = {f.metric for pair in pairs for f in pair if curve_shape.comes_down(f.finite)} | {*lone}
    able = [f for f in free if f.metric in both or (not f.growing and curve_shape.falls(_sound(f)))]
    alike = as_evaluated([f for f in free if not f.growing], found)
    able = alike or [f for f in able if float(np.median(f.finite)) > 0.0 or bool((f.finite < 0.0).any())]
    if not able:
        return []
    most = max(f.points for f in able)
    start = _untrained(settings)

    def rank(f: F) -> tuple[bool, bool, bool]:
        split, _ = split_and_rest(f.metric, table)
        near = start is not None and abs(float(f.finite[0]) - start) <= _NEAR_LN * start
        return (split != "train", f.points < most // 2, not near)

    main = min(able, key=rank)
    near = "falls from the untrained loss" if start is not None and not rank(main)[2] else "falls, as a loss does"
    near = "begins at the level of what is measured of other samples" if alike else near
    split = split_and_rest(main.metric, table)[0]
    out = [(main, Reading(family.roles[split], split, "", near, family.bounds, "loss", trust="guess"))]
    out += [(f, Reading(family.roles["val"], "val", "", near, family.bounds, "loss", trust="guess")) for f in alike[1:]]
    if split == "train" and not alike:
        out += _unseen(main, _left(able, out), family, table)
    return out


def _sound(f: F) -> Floats:
    """The values by which a loss is known: of one that ends up as no number, those before it blew up."""
    return curve_shape.until_lowest(f.finite) if len(f.finite) < f.points else f.finite


def _unseen(main: F, free: Sequence[F], family: RoleFamily, table: Signals) -> list[tuple[F, Reading]]:
    """The loss of a split that its name gives, or of the few values that begin at the level of the main one."""
    level = float(np.median(main.finite[: max(3, len(main.finite) // 10)]))
    for split, f in sorted(((split_and_rest(f.metric, table)[0], f) for f in free), key=lambda of: of[0] != "val"):
        first = float(np.median(f.finite[: max(3, len(f.finite) // 10)]))
        alike = level > 0 and first > 0 and 1 / _LEVEL <= first / level <= _LEVEL
        if alike and (split in ("val", "test") or 3 * f.points <= main.points):
            why = "begins at the level of the loss"
            return [(f, Reading(family.roles["val"], "val", "", why, family.bounds, "loss", trust="guess"))]
    return []


def _untrained(settings: Mapping[str, Scalar]) -> float | None:
    """ln C of the classes or words that the configuration states."""
    for key in ("num_classes", "vocab_size"):
        value = settings.get(key)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 1:
            return float(np.log(value))
    return None
