"""What stands in for a loss that is not logged: the terms of the objective, or an error that is trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from curvedoc.ingest.naming.metric_name import Reading
from curvedoc.ingest.naming.signals import Signals, plain
from curvedoc.ingest.naming.values import curve_shape
from curvedoc.ingest.naming.values.metric_values import MetricValues
from curvedoc.ingest.naming.word_set import word_set

F = TypeVar("F", bound=MetricValues)
#: Where nothing is called validation, the test set is what is not trained on.
_UNSEEN = {"val": "test"}
#: What may be better high or low: it stands in for a loss where it falls.
_EITHER = word_set("score")
_WRONG = word_set(
    """error err error_rate err_rate error1 err1 top1_error top1_err err_top1 error_top1 top5_error top5_err top5err
    err_top5 error_top5 misclass misclassification misclassified merror multi_error binary_error balanced_error hter ber
    eer cer wer per ter ser der word_error_rate character_error_rate char_error_rate phone_error_rate edit_distance
    levenshtein hamming_loss one_error coverage_error mcd brier ade fde min_ade min_fde ate rpe hd95 hausdorff assd"""
)


_GAME = word_set("adv adversarial gan fool")
_OUTCOMES = frozenset({"loss", "perplexity", "accuracy", "metric", "reward"})


def tested_once(found: Sequence[tuple[F, Reading]]) -> frozenset[str]:
    """What is measured on the test split when all is over, which is no curve beside evaluations that make one."""
    evaluated = any(r.split == "val" and f.points > 1 for f, r in found)
    return frozenset(f.metric for f, r in found if evaluated and r.split == "test" and f.points == 1)


def promoted(found: list[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """Stand-ins: parts of the objective where no whole one is logged, or an error metric that is trained on."""
    paid = any(r.family == "reward" for _, r in found)
    once = tested_once(found)
    for role, split in (("loss", "train"), ("val_loss", "val"), ("test_loss", "test")):
        # where rewards steer the whole loss, they steer its parts
        if any(r.role == role or (paid and split == "train" and r.role == "game_loss") for _, r in found):
            continue
        if split == "val" and any(r.split == "test" and r.family == "loss" and not r.never for _, r in found):
            continue  # it stands in for validation
        if split == "test" and any(r.split == "val" and r.role == "val_loss" for _, r in found):
            continue
        parts = [(f, r) for f, r in found if r.part and r.family == "loss" and r.split == split and not r.never]
        if split == "train" and _measured_twice(found, parts, table):
            parts = []
        if parts:
            # the heaviest at the end first: it is most of what is left of the sum
            # (what is told of an opponent says nothing of the whole)
            by_weight = sorted((f for f, _ in parts), key=lambda f: (_played(f), -curve_shape.end_level(f.finite)))
            at = {f.metric: i for i, f in enumerate(by_weight)}
            found = [
                (f, replace(r, role=role, part=False, order=at[f.metric]) if f.metric in at else r) for f, r in found
            ]
        alone = split == "train" and not any(r.family in _OUTCOMES for _, r in found)
        if alone:  # a term that is all that is trained
            found = [(f, replace(r, role=role, trust="likely") if r.role == "aux_loss" else r) for f, r in found]
        if parts or split == "test":
            continue
        names_in = table.stands_in.get("loss", ())
        trained = {r.base for _, r in found if r.family == "metric" and r.split == "train"}
        # training is told by what validation is told by as well, where there is a choice
        also = {r.base for _, r in found if r.split != split and (r.role == "loss" or (split == "train" and r.role))}
        lossless = not any(r.family in ("loss", "perplexity") or r.role == "loss" for _, r in found)
        spare = [
            (f, r)
            for f, r in found
            if r.family == "metric"
            and r.split in (split, _UNSEEN.get(split))
            and f.metric not in once
            and r.base in names_in
            # a share of wrong answers beside a loss of another kind is no loss of validation
            and (split == "train" or r.base not in _WRONG or r.base in trained or lossless)
            and (r.base not in _EITHER or (plain(f.metric) in _EITHER and not paid and curve_shape.falls(f.finite)))
        ]
        if spare:
            # beside one that says its split, one that says none may be of any
            best = min(
                spare,
                key=lambda fr: (
                    fr[1].split != split, fr[1].base not in also, -fr[0].points, names_in.index(fr[1].base),
                    table.splits.keys().isdisjoint(plain(fr[0].metric).split("_")),
                ),
            )  # fmt: skip
            found = [(f, replace(r, role=role, label="", trust="likely") if f is best[0] else r) for f, r in found]
    return found


def _played(f: MetricValues) -> bool:
    """Whether a term is what a network earns in a game against another."""
    return not _GAME.isdisjoint(plain(f.metric).split("_"))


def _measured_twice(found: Sequence[tuple[F, Reading]], parts: Sequence[tuple[F, Reading]], table: Signals) -> bool:
    """Whether an error is told of training and of validation, and none of the parts of an objective is."""
    of: dict[str, set[str]] = {}
    for _, r in found:
        if r.family == "metric" and r.base in table.stands_in.get("loss", ()):
            of.setdefault(r.base, set()).add(r.split)
    unseen = {r.label for _, r in found if r.family == "loss" and r.split != "train"}
    return any("train" in s and len(s) > 1 for s in of.values()) and not any(r.label in unseen for _, r in parts)
