"""The terms of one objective: their sum, the first of a list of them, the same ones on other samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from curvedoc.core.series import Floats
from curvedoc.ingest.naming.metric_name import Reading, is_aside, split_and_rest
from curvedoc.ingest.naming.signals import RoleFamily, Signals, Split, plain
from curvedoc.ingest.naming.values import curve_shape
from curvedoc.ingest.naming.values.metric_values import MetricValues
from curvedoc.ingest.naming.values.rivals import TERMS_TOO
from curvedoc.ingest.naming.values.vague_names import rises

F = TypeVar("F", bound=MetricValues)
Found = Sequence[tuple[F, Reading]]
#: So many terms make an objective; a sum of more than that is not looked for.
_FEWEST, _PARTS = 2, 12
_SUMS = frozenset(("total", "sum", "overall", "all"))


def totals(metrics: Sequence[F], found: Found[F], table: Signals) -> list[tuple[F, Reading]]:
    """The readings with a loss that is the sum of others as the whole, and those others as its parts.

    Only curves of training of one length are summed, and only where no whole loss is known by name or it is of them.
    """
    family = table.family("loss")
    if family is None or "train" not in family.parts_as:
        return list(found)
    by_metric = {f.metric: r for f, r in found}
    loose = [
        f
        for f in metrics
        if len(f.finite) == f.points >= curve_shape.FEWEST
        and not f.growing
        and _may_be_part(by_metric.get(f.metric), family)
        and not is_aside(f.metric, table)
        and (f.metric in by_metric or split_and_rest(f.metric, table)[0] == "train")
    ]
    sizes = {f.points for f in loose}
    for size in sorted(sizes, reverse=True):
        group = [f for f in loose if f.points == size]
        few = 3 <= len(group) <= _PARTS
        for whole in sorted(group, key=lambda f: -float(np.median(f.finite))) if few else ():
            rest = [f for f in group if f is not whole]
            places = curve_shape.parts_of(whole.finite, [f.finite for f in rest])
            parts = [rest[i] for i in places]
            unnamed = [f.finite for f in parts if f.metric not in by_metric]
            if whole.metric not in by_metric and curve_shape.is_between(whole.finite, unnamed):
                continue  # precision and recall, and the score between them
            own = by_metric.get(whole.metric)
            if own is not None and own.part and any(_is_whole(by_metric.get(f.metric), family) for f in parts):
                continue  # a part that is all of the loss, but for another part of no weight
            if places:
                return _summed(list(found), whole, parts, family)
    return list(found)


def _may_be_part(r: Reading | None, family: RoleFamily) -> bool:
    return r is None or (r.split == "train" and r.role in (family.roles["train"], family.parts_as["train"], *TERMS_TOO))


def _is_whole(r: Reading | None, family: RoleFamily) -> bool:
    return r is not None and r.role == family.roles["train"] and not r.label and r.trust == "sure"


def _summed(found: list[tuple[F, Reading]], whole: F, parts: list[F], family: RoleFamily) -> list[tuple[F, Reading]]:
    names = {f.metric for f in parts}
    kept = [(f, r) for f, r in found if f.metric not in names and f is not whole]
    was = {f.metric: r for f, r in found}
    said = f"the sum of {', '.join(f.metric for f in parts[:4])}"
    old = was.get(whole.metric)
    main = Reading(family.roles["train"], "train", "", said, family.bounds, family.name, trust="likely")
    if old is not None and old.role == main.role and old.trust == "sure":
        main = replace(old, part=False, label="")
    role = family.parts_as["train"]
    why = f"a part of the sum {whole.metric}"
    named = [
        (f, replace(was[f.metric], role=role, part=True, label=was[f.metric].label or f.metric))
        if f.metric in was and was[f.metric].role not in TERMS_TOO
        else (f, was[f.metric])
        if f.metric in was
        else (f, Reading(role, "train", f.metric, why, family.bounds, family.name, part=True, trust="likely"))
        for f in parts
    ]
    return [*kept, (whole, main), *named]


def first_of_terms(found: Sequence[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings with a loss that is the first of a list ("train loss", "train loss[1]", "train loss[2]") as a part
    like the others; where it is their sum, or the only other is a share that rises, it is the whole."""
    family = table.family("loss")
    by_name = {f.metric: (f, r) for f, r in found}
    out = []
    for f, r in found:
        others = [by_name[n] for n in by_name if n.startswith(f"{f.metric}[")]
        parts = [g for g, s in others if s.part and s.split == r.split]
        whole = parts and (_is_sum(f.finite, [g.finite for g in parts]) or (len(parts) == 1 and rises(parts[0].finite)))
        if (
            family is not None
            and r.family == "loss"
            and not r.label
            and parts
            and not whole
            and r.split in family.parts_as
        ):
            r = replace(r, role=family.parts_as[r.split], label="0", part=True, why="the first of a list of losses")
        out.append((f, r))
    return out


def _is_sum(whole: Floats, parts: Sequence[Floats]) -> bool:
    """Whether values are nowhere less than the highest of the parts, as a sum of terms is."""
    alike = [p for p in parts if len(p) == len(whole)]
    return len(alike) == len(parts) and bool((whole >= np.max(alike, axis=0)).all())


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
        if len(parts) < _FEWEST:
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
