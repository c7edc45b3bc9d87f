"""Measures of which the sign was turned, or is to be turned: what is made as high as can be is no loss as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from curvedoc.core.late_regex import late_regex
from curvedoc.core.series import Floats
from curvedoc.ingest.naming.metric_name import Reading, split_and_rest
from curvedoc.ingest.naming.signals import Bounds, Signals, plain
from curvedoc.ingest.naming.values.curve_shape import agreement, comes_down
from curvedoc.ingest.naming.values.metric_values import MetricValues

F = TypeVar("F", bound=MetricValues)
#: How the name of a measure that was turned round begins, and what it says of pairs; its values are mostly below zero.
_NEGATED, _WORDS_OF_NEGATED, _MOSTLY = {"neg": "pos", "negative": "positive", "minus": "plus"}, 2, 0.9
#: What is made as high as can be, and where its sign was turned already.
_MAXIMIZED = late_regex(
    r"(^|_)(elbo|lower_bound|log_?lik\w*|log_?prob\w*|log_marginal\w*|m?ll|partial_(ll|likelihood)|objf)(_|$)"
)
_TURNED = late_regex(r"(^|_)(neg\w*|minus|nll|nelbo|loss)(_|$)")
#: How like two pictures or sounds are, in decibels (above one, as no loss made of them is) or as a share.
_DECIBELS, _LIKENESS = late_regex(r"(^|_)(p?snr|si_?snr|si_?sdr)(_|$)"), late_regex(r"(^|_)(ms_?)?ssim(_|$)")


def negated(metrics: Sequence[F], found: Sequence[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings of measures without one that were turned round so that they fall ("neg_cos_sim"): losses, of which
    hardly a value is above zero. Beside "pos_sim" it is that of pairs that do not belong together."""
    family = table.family("loss")
    known = {f.metric for f, _ in found}
    names = {plain(f.metric) for f in metrics}
    out = []
    for f in metrics:
        split, rest = split_and_rest(f.metric, table)
        if family is None or f.metric in known or len(rest) < _WORDS_OF_NEGATED or rest[0] not in _NEGATED:
            continue
        opposite = plain(f.metric).replace(rest[0], _NEGATED[rest[0]])
        if split in family.roles and opposite not in names and bool((f.finite <= 0.0).mean() > _MOSTLY):
            bounds = Bounds(high=0.0)
            out.append((f, Reading(family.roles[split], split, "", "a measure turned round", bounds, family.name)))
    return out


def maximized(found: list[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings with likelihoods and bounds of them that are below zero as the losses that they are when their sign
    is turned: what is called a loss, and where no other loss of the split is known what is called a measure. What is
    learned from rewards has likelihoods of another kind."""
    family = table.family("loss")
    if family is None or any(r.family == "reward" for _, r in found):
        return found
    losses = {r.split for _, r in found if r.role in family.roles.values()}
    out = []
    for f, r in found:
        name = plain(f.metric)
        if _MAXIMIZED.search(name) and not _TURNED.search(name) and len(f.finite) and not r.part:
            below = bool((f.finite <= 0.0).mean() > _MOSTLY)
            if r.role in family.roles.values() and (below or _climbs(name, f.finite)):
                r = replace(r, turned=True)
            elif below and r.family == "metric" and r.split in family.roles and r.split not in losses:
                r = replace(r, role=family.roles[r.split], family=family.name, label="", turned=True)
        out.append((f, r))
    return out


def _climbs(name: str, value: Floats) -> bool:
    """Whether a likelihood goes up, as it should; a bound of it is often printed with its sign turned, and does so
    unless it begins below zero only where it is lost."""
    return comes_down(-value) and (float(value[0]) < 0.0 or "elbo" not in name)


def of_likeness(found: list[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings with a "psnr_loss" in decibels as the quality that it is, and a "ssim_loss" that rises with it."""
    family = table.family("metric")
    losses = [(f, r) for f, r in found if r.family == "loss"] if family is not None else []
    decibels = [f for f, _ in losses if _DECIBELS.search(plain(f.metric)) and bool((f.finite > 1.0).mean() > _MOSTLY)]
    if family is None or not decibels:
        return found
    alike = [f for f, _ in losses if _LIKENESS.search(plain(f.metric)) and _goes_with(f, decibels)]
    own = {f.metric for f in (*decibels, *alike)}
    return [(f, _as_quality(f, r, family.roles[r.split]) if f.metric in own else r) for f, r in found]


def _as_quality(f: MetricValues, r: Reading, role: str) -> Reading:
    called = _DECIBELS.search(plain(f.metric)) or _LIKENESS.search(plain(f.metric))
    label = called[0].strip("_") if called else ""
    return replace(r, role=role, family="metric", label=label, part=False, why="a likeness by its values")


def _goes_with(f: MetricValues, others: Sequence[MetricValues]) -> bool:
    return any(len(o.finite) == len(f.finite) and agreement(f.finite, o.finite) > 0.0 for o in others)
