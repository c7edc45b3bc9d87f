"""Names that the company of other metrics shows to mean something else than they say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

import numpy as np

from curvedoc.core.run import ABSOLUTE_ERROR
from curvedoc.core.series import Floats
from curvedoc.ingest.naming import curve_shape
from curvedoc.ingest.naming.comparable_name import plain
from curvedoc.ingest.naming.metric_name import Reading, split_and_rest
from curvedoc.ingest.naming.rivals import TERMS_TOO, MetricValues
from curvedoc.ingest.naming.signals import RoleFamily, Signals, Split
from curvedoc.ingest.naming.split_words import PLAIN_SPLITS, SPLITS

F = TypeVar("F", bound=MetricValues)
#: Whose loss stands beside that of the value function.
_POLICY = frozenset(("p", "pi", "policy", "pg", "actor", "train_p", "train_pi", "train_policy", "train_actor"))
#: What an agent's rate of exploration is called.
_EXPLORATION = frozenset(("epsilon", "eps", "e", "explore", "exploration", "exploration_rate", "explore_rate"))
_SCORES = frozenset(("score", "scores"))
#: Torch7 printed shares of wrong answers by these names.
_TOPS = frozenset(("top1", "top5", "testtop1", "testtop5"))
#: So many terms make an objective; what it may be called beside them.
_TERMS = 2
_SUMS = frozenset(("total", "sum", "overall", "all"))
#: A level is told by one in so many values.
_ENDS = 20
#: A loss of other data is of the size of training's, at first or at last, within so many times; or it moves with it,
#: by the correlation of ranks.
_LIKE, _WITH = 1.25, 0.3


def without_times(found: Sequence[tuple[F, Reading]], metrics: Sequence[F]) -> list[tuple[F, Reading]]:
    """The readings without a "cost" that is the seconds of an epoch: it stands beside a loss of its split that is
    called one, or it does not fall, where another loss is known or something that no name tells falls."""
    costs = {f.metric for f, r in found if r.family == "loss" and plain(f.metric).split("_")[-1] == "cost"}
    if not costs:
        return list(found)
    called = {r.split for f, r in found if r.family == "loss" and f.metric not in costs}
    named = {f.metric for f, _ in found}
    other = bool(called) or any(curve_shape.falls(f.finite) for f in metrics if f.metric not in named)

    def is_time(f: F, r: Reading) -> bool:
        return f.metric in costs and (r.split in called or (other and not curve_shape.falls(f.finite)))

    return [(f, r) for f, r in found if not is_time(f, r)]


def without_waits(found: Sequence[tuple[F, Reading]]) -> list[tuple[F, Reading]]:
    """The readings without a bare "data" that stands beside no time of a step: there alone it is a wait."""
    if any(r.role == "step_time" for _, r in found):
        return list(found)
    return [(f, r) for f, r in found if r.role != "data_time" or plain(f.metric) != "data"]


def without_errors(found: Sequence[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings with an "accuracy" that goes up and down with the root of a squared loss as the absolute error that
    it is (the same loop of evaluation is used for classifiers and for regressions), and a "top1" that is a share of
    wrong answers."""
    graded = [(f, r) for f, r in found if r.family == "accuracy" and not r.part]
    losses = [(f, r) for f, r in found if r.family == "loss" and not r.part and not r.label]
    pairs = [(f, r.base, g) for f, r in graded for g, s in losses if r.split == s.split]
    bases = {base for f, base, g in pairs if curve_shape.is_error_beside(f.finite, g.finite)}
    bases |= {_called(f) for f, r in graded for g, s in losses if r.split == s.split and _is_error(f, g, r.split)}
    metric = next((family for family in table.families if family.name == "metric"), None)
    if metric is None or not bases:
        return list(found)
    moved = {f.metric for f, r in graded if r.base in bases or _called(f) in bases}
    why = "an error by its values: it goes with the loss"
    return [
        (
            f,
            replace(
                r, role=metric.roles[r.split], family="metric", label=r.label or ABSOLUTE_ERROR, why=why, trust="likely"
            ),
        )
        if f.metric in moved
        else (f, r)
        for f, r in found
    ]


def _called(f: MetricValues) -> str:
    """The name of the share of answers that are among the first few, "" for any other."""
    return next((w for w in plain(f.metric).split("_") if w in _TOPS), "")


def _is_error(f: MetricValues, loss: MetricValues, split: Split) -> bool:
    return bool(_called(f)) and curve_shape.is_wrong_share(f.finite, loss.finite, split == "train")


def of_play(found: Sequence[tuple[F, Reading]], metrics: Sequence[F], table: Signals) -> list[tuple[F, Reading]]:
    """A score beside the rate of exploration is what an agent is paid."""
    if not any(plain(f.metric) in _EXPLORATION for f in metrics):
        return list(found)
    reward = next((family for family in table.families if family.name == "reward"), None)
    if reward is None or any(r.family == "reward" for _, r in found):
        return list(found)
    return [
        (f, replace(r, role=reward.roles[r.split], family="reward", bounds=reward.bounds))
        if r.family == "metric" and _SCORES & set(plain(f.metric).split("_")) and r.split in reward.roles
        else (f, r)
        for f, r in found
    ]


def of_the_evaluation(found: Sequence[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """A loss that names no split, beside one that names the training and qualities that name none, in as many rows: all
    that names none is of the evaluation ({"train_loss": ..., "loss": ..., "f1": ...})."""

    def splits(f: F) -> bool:
        return not table.splits.keys().isdisjoint(plain(f.metric).split("_"))

    if any(r.split != "train" for _, r in found):
        return list(found)
    losses = [(f, r) for f, r in found if r.role == "loss" and not r.label]
    said = [f for f, _ in losses if splits(f)]
    silent = [f for f, _ in losses if not splits(f)]
    measured = [f for f, r in found if r.family in ("accuracy", "metric") and r.role != "loss"]
    if len(said) != 1 or len(silent) != 1 or said[0].points != silent[0].points or not measured:
        return list(found)
    if any(map(splits, measured)) or np.array_equal(said[0].finite, silent[0].finite):
        return list(found)
    moved = {f.metric for f in (*silent, *measured)}
    family = {f.name: f for f in table.families}
    return [
        (f, replace(r, role=family[r.family].roles["val"], split="val") if f.metric in moved else r) for f, r in found
    ]


def of_tasks(found: Sequence[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings with the losses and accuracies of two or more tasks ("task_a/loss", "task_a/acc"), which are graded
    less than half as often as the loss of training is logged, as those of validation sets."""
    whole = [f.points for f, r in found if r.role == "loss" and not r.label]
    parts = {r.label: f for f, r in found if r.family == "loss" and r.part and r.split == "train"}
    graded = {r.label: f for f, r in found if r.role == "accuracy" and r.label}
    tasks = [k for k in parts.keys() & graded.keys() if parts[k].points == graded[k].points]
    later = _taken_up(graded)
    if later:
        own = {f.metric for f in later}
        return [(f, replace(r, role=f"val_{r.role}", split="val") if f.metric in own else r) for f, r in found]
    if len(tasks) < _TERMS or not whole or any(2 * parts[k].points > max(whole) for k in tasks):
        return list(found)
    family = {f.name: f for f in table.families}
    own = {f.metric for k in tasks for f in (parts[k], graded[k])}
    why = "the loss and the accuracy of a task, seldom graded"
    return [
        (f, replace(r, role=family[r.family].roles["val"], split="val", part=False, why=why))
        if f.metric in own
        else (f, r)
        for f, r in found
    ]


def _taken_up(graded: Mapping[str, F]) -> list[F]:
    """The grades of numbered tasks ("acc_t1", "acc_t2") of which each is logged from a later time on than the last."""
    of: dict[str, list[tuple[int, F]]] = {}
    for label, f in graded.items():
        if said := re.fullmatch(r"(.*?)(\d+)", label):
            of.setdefault(said[1], []).append((int(said[2]), f))
    for group in of.values():
        tasks = [f for _, f in sorted(group, key=lambda x: x[0])]
        if len(tasks) >= _TERMS and all(a.points > b.points for a, b in pairwise(tasks)):
            return tasks
    return []


def doubted(found: Sequence[tuple[F, Reading]]) -> list[tuple[F, Reading]]:
    """The readings with a validation loss that a terse word alone tells ("loss_cv", which may be a coefficient of
    variation) as a guess, where it neither moves with the loss nor is of its size; beside a plain one it is none."""
    trained = [f for f, r in found if r.role == "loss" and not r.label]
    plainly = any(r.role == "val_loss" and not r.label and not _tersely(f.metric) for f, r in found)
    out = []
    for f, r in found:
        if (
            r.family == "loss"
            and r.split != "train"
            and trained
            and _tersely(f.metric)
            and _apart(f.finite, trained[0].finite)
        ):
            if plainly:
                continue
            r = replace(r, trust="guess")
        out.append((f, r))
    return out


def _tersely(name: str) -> bool:
    """Whether the only word for a split in a name is one that means it in names of metrics alone."""
    words = plain(name).split("_")
    return not any(w in PLAIN_SPLITS for w in words) and any(w in SPLITS for w in words)


def _apart(unseen: Floats, trained: Floats) -> bool:
    """Whether values neither move with those of training nor are of their size at the beginning or the end."""
    if min(len(unseen), len(trained)) < curve_shape.FEWEST:
        return False
    few = max(1, len(unseen) // _ENDS)
    ends = [(float(np.median(unseen[k])), float(np.median(trained[k]))) for k in (slice(None, few), slice(-few, None))]
    if any(max(abs(a), abs(b)) <= _LIKE * min(abs(a), abs(b)) for a, b in ends):
        return False
    at = np.linspace(0, 1, len(unseen))
    both = np.stack([unseen, np.interp(at, np.linspace(0, 1, len(trained)), trained)])
    a, b = (r - r.mean() for r in np.argsort(np.argsort(both, axis=1), axis=1).astype(np.float64))
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return scale == 0.0 or float(a @ b) / scale < _WITH


def measured_twice(found: Sequence[tuple[F, Reading]], parts: Sequence[tuple[F, Reading]], table: Signals) -> bool:
    """Whether an error is told of training and of validation, and none of the parts of an objective is."""
    of: dict[str, set[str]] = {}
    for _, r in found:
        if r.family == "metric" and r.base in table.stands_in.get("loss", ()):
            of.setdefault(r.base, set()).add(r.split)
    unseen = {r.label for _, r in found if r.family == "loss" and r.split != "train"}
    return any("train" in s and len(s) > 1 for s in of.values()) and not any(r.label in unseen for _, r in parts)


def of_the_critic(found: Sequence[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings with a "v_loss" that stands beside a policy's loss as the loss of the value function."""
    parts = next((x.parts_as for x in table.families if x.name == "loss"), {})
    if "train" not in parts or _POLICY.isdisjoint(plain(f.metric).split("_loss")[0] for f, _ in found):
        return list(found)
    return [
        (f, replace(r, role=parts["train"], label="value", part=True, never=True))
        if r.role == "loss" and plain(f.metric).endswith("v_loss")
        else (f, r)
        for f, r in found
    ]


def counterparts(metrics: Sequence[F], found: Sequence[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings of metrics without one that are called like a part of the training's objective, but for the split
    ("val_recon" beside "train_recon"), or by its label alone ("Val/mel" beside "Loss/mel"): the same part there. So
    is what is called like the whole."""
    known = {f.metric for f, _ in found}
    out: list[tuple[F, Reading]] = []
    if known.issuperset(f.metric for f in metrics):
        return out
    for family in table.families:
        if "train" not in family.parts_as:
            continue
        parts = [(f, r if r.role not in TERMS_TOO else _as_part(r, family)) for f, r in found]
        own = [(f, r) for f, r in parts if r.part and r.split == "train" and r.family == family.name]
        trained = {split_and_rest(f.metric, table)[1]: r for f, r in own}
        mains = {split_and_rest(f.metric, table)[1]: r for f, r in found if r.role == family.roles["train"]}
        labels = {tuple(plain(r.label).split("_")): r for _, r in own if r.label}
        whole = {r.split for _, r in found if r.role in family.roles.values()}
        for f in metrics:
            split, rest = split_and_rest(f.metric, table)
            like = (mains.get(rest) if rest else None) or (trained.get(rest) if split in whole else None)
            like = like or labels.get(tuple(rest))
            role = (family.parts_as if like is not None and like.part else family.roles).get(split)
            if f.metric not in known and split != "train" and like is not None and role is not None:
                why = f"what is called {like.label or 'the loss'} in training"
                out.append((f, replace(like, role=role, split=split, why=why)))
    return out


def _as_part(r: Reading, family: RoleFamily) -> Reading:
    """A term that has a role of its own, as a part of the family's objective."""
    return replace(r, role=family.parts_as["train"], family=family.name, label=r.label or r.role, part=True, never=True)


def terms(metrics: Sequence[F], found: Sequence[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings of metrics that are called by a word for a part of an objective alone, two or more of one split
    with as many values ("box", "obj" and "cls" of a detector); what is called their total is the whole."""
    family = next((x for x in table.families if x.name == "loss" and "train" in x.parts_as), None)
    if family is None:
        return []
    known = {f.metric for f, _ in found}
    whole = {r.split for _, r in found if r.role in family.roles.values()}
    of: dict[tuple[Split, int], list[tuple[F, str]]] = {}
    for f in metrics:
        split, rest = split_and_rest(f.metric, table)
        if f.metric not in known and len(rest) == 1 and split in family.parts_as and _measures(f.finite):
            of.setdefault((split, f.points), []).append((f, rest[0]))
    out: list[tuple[F, Reading]] = []
    for (split, _), group in of.items():
        parts = [(f, word) for f, word in group if word in family.parts - family.never]
        if len(parts) < _TERMS:
            continue
        sums = [f for f, word in group if word in _SUMS] if split not in whole else []
        why = "called like a part of a loss, beside others"
        out += [
            (
                f,
                Reading(
                    family.parts_as[split], split, word, why, family.bounds, family.name, part=True, trust="likely"
                ),
            )
            for f, word in parts
        ]
        out += [
            (f, Reading(family.roles[split], split, "", "called the total", family.bounds, family.name, trust="likely"))
            for f in sums[:1]
        ]
    return out


def _measures(v: Floats) -> bool:
    """Whether values can be those of a term: none below zero, and no counts; none at all where it never was finite."""
    return not len(v) or (bool((v >= 0.0).all()) and (float(v.max()) == 0.0 or bool((v != np.floor(v)).any())))
