"""Names that the company of other metrics shows to mean something else than they say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

import numpy as np

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import ABSOLUTE_ERROR
from curvedoc.core.series import Floats
from curvedoc.ingest.naming.comparable_name import plain
from curvedoc.ingest.naming.metric_name import Reading
from curvedoc.ingest.naming.signals import Signals, Split
from curvedoc.ingest.naming.split_words import PLAIN_SPLITS, SPLITS
from curvedoc.ingest.naming.values import curve_shape
from curvedoc.ingest.naming.values.metric_values import MetricValues

F = TypeVar("F", bound=MetricValues)
#: A loss that a letter or two tell from others of its run.
_LETTERED_LOSS = late_regex(r"[a-z]{1,2}_loss")
#: Whose loss stands beside that of the value function.
_POLICY = frozenset(("p", "pi", "policy", "pg", "actor", "train_p", "train_pi", "train_policy", "train_actor"))
#: What an agent's rate of exploration is called.
_EXPLORATION = frozenset(("epsilon", "eps", "e", "explore", "exploration", "exploration_rate", "explore_rate"))
_SCORES = frozenset(("score", "scores"))
#: Torch7 printed shares of wrong answers by these names.
_TOPS = frozenset(("top1", "top5", "testtop1", "testtop5"))
#: So many tasks, or terms, are several.
_TERMS = 2
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
    other = bool(called) or any(
        curve_shape.falls(f.finite) and not curve_shape.is_schedule(f.finite) for f in metrics if f.metric not in named
    )

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
    losses = [(f, r) for f, r in found if (r.family == "loss" or r.role == "loss") and not r.part and not r.label]
    pairs = [(f, r.base, g) for f, r in graded for g, s in losses if r.split == s.split]
    bases = {base for f, base, g in pairs if curve_shape.is_error_beside(f.finite, g.finite)}
    bases |= {_called(f) for f, r in graded for g, s in losses if r.split == s.split and _is_error(f, g, r.split)}
    metric = table.family("metric")
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
    reward = table.family("reward")
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
    return curve_shape.agreement(unseen, np.interp(at, np.linspace(0, 1, len(trained)), trained)) < _WITH


def of_the_critic(found: Sequence[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings with a "v_loss" that is none of the whole as what it is: beside a policy's loss that of the value
    function; beside a loss of training by another letter or two ("av_loss", "a_loss") that of one input or network."""
    parts = next((x.parts_as for x in table.families if x.name == "loss"), {})
    mine = [f for f, r in found if r.split in parts and plain(f.metric).endswith("v_loss")]
    if "train" not in parts or not mine:
        return list(found)
    critic = not _POLICY.isdisjoint(plain(f.metric).split("_loss")[0] for f, _ in found)
    beside = any(r.part and r.split == "train" and _LETTERED_LOSS.fullmatch(plain(f.metric)) for f, r in found)
    if not critic and not beside:
        return list(found)
    role, label = ("val_loss", "value") if critic else ("loss", "v")
    return [
        (f, replace(r, role=parts[r.split], label=label, part=True, never=critic))
        if r.role in ("loss", role) and r.split in parts and f in mine and (critic or plain(f.metric) == "v_loss")
        else (f, r)
        for f, r in found
    ]
