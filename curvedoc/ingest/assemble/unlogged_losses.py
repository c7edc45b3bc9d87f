"""Losses that are not logged as such: the logarithm of a perplexity, and the sum of a list of terms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from curvedoc.core.run import Note, RoleMatch
from curvedoc.ingest.assemble.stream_curves import StreamBlock

_LOSS_OF = {"perplexity": "loss", "val_perplexity": "val_loss"}
#: What is paid or played for has no such loss.
_OTHER = ("reward", "game_loss")
#: A perplexity is the power of its loss to so many digits, at so many of its rows.
_SAME, _MOST = 0.02, 0.9
#: The role of the first of a list of terms: that of their sum, and that of a term.
_SUM_OF = {
    **dict.fromkeys(("loss", "aux_loss"), ("loss", "aux_loss")),
    **dict.fromkeys(("val_loss", "val_aux_loss"), ("val_loss", "val_aux_loss")),
    **dict.fromkeys(("test_loss", "test_aux_loss"), ("val_loss", "test_aux_loss")),
}
#: The level of the best model, said once at the end, is no curve beside terms of so many times its values.
_SELDOM = 2


def with_losses(
    strands: Sequence[StreamBlock], roles: Sequence[RoleMatch]
) -> tuple[list[StreamBlock], tuple[RoleMatch, ...], list[Note]]:
    """The strands with the logarithm of each perplexity whose split has no loss, the roles with those, and a note."""
    best = {m.role: m.metric for m in reversed(roles)}
    out, more = list(strands), []
    if not any(r in best for r in _OTHER):
        nats = _nats(strands, best)
        for role, loss in _LOSS_OF.items():
            mine = [s for s in strands if s.metric == best.get(role)]
            if (
                loss in best
                or not mine
                or _of_validation(mine, strands, best)
                or not all(bool((s.value[~np.isnan(s.value)] >= 1).all()) for s in mine)
            ):
                continue
            name = f"log {best[role]}"
            with np.errstate(over="ignore"):
                out += [replace(s, metric=name, value=np.log(s.value) / nats) for s in mine]
            more.append(RoleMatch(loss, name, "", "the logarithm of the perplexity, which is logged in its place"))
    text = f"no loss is logged beside them, so their logarithm was taken: {', '.join(m.metric for m in more)}"
    return out, (*more, *roles), [Note("log-of-perplexity", text, count=len(more))] if more else []


def with_sums(
    strands: Sequence[StreamBlock], roles: Sequence[RoleMatch]
) -> tuple[list[StreamBlock], tuple[RoleMatch, ...], list[Note]]:
    """The strands with the sum of each list of terms (DeepXDE's "[2.5e+03, 9.5e+01]") whose split has no loss of as
    many values, the roles with those, and a note."""
    out, kept = list(strands), list(roles)
    more: list[RoleMatch] = []
    listed = {m.metric.rpartition("[")[0] for m in roles if m.metric.endswith("]")}
    # a term that is above all others could be their sum, but not where training's is none
    said = sorted((m for m in roles if m.role in _SUM_OF and m.metric in listed), key=lambda m: m.label != "0")
    for first in said if said and said[0].label == "0" else ():
        loss, term = _SUM_OF[first.role]
        mine = [s for s in strands if s.metric == first.metric]
        place = re.compile(rf"{re.escape(first.metric)}\[\d+\]")
        names = {first.metric, *(s.metric for s in strands if place.fullmatch(s.metric))}
        terms = [s for s in strands if s.metric in names]
        known = {m.metric for m in (*more, *kept) if m.role == loss} - names
        few = all(_SELDOM * sum(len(s) for s in strands if s.metric == name) <= len(mine[0]) for name in known)
        alike = all(len(t) == len(mine[0]) and (t.step == mine[0].step).all() for t in terms)
        if len(mine) != 1 or not 1 < len(terms) == len(names) or not alike or not few:
            continue
        name = f"sum of {first.metric}"
        out.append(replace(mine[0], metric=name, value=np.sum([t.value for t in terms], axis=0)))
        kept = [replace(m, role=term) if m.metric in names else m for m in kept if m.metric not in known]
        more.append(RoleMatch(loss, name, "", "the sum of the terms, which are logged in a list"))
    text = f"terms of a loss are logged in a list; their sum was taken: {', '.join(m.metric for m in more)}"
    return out, (*more, *kept), [Note("sum-of-terms", text, count=len(more))] if more else []


def _of_validation(mine: Sequence[StreamBlock], strands: Sequence[StreamBlock], best: dict[str, str]) -> bool:
    """Whether a perplexity that names no split is that of a loss of validation beside it."""
    level = next((s for s in strands if s.metric == best.get("val_loss", "")), None)
    return level is not None and any(_is_power(s, level, 1.0) or _is_power(s, level, float(np.log(2))) for s in mine)


def _is_power(power: StreamBlock, level: StreamBlock, nats: float) -> bool:
    """Whether one is e to the power of the other, times `nats`."""
    if len(power) != len(level):
        return False
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        near = np.abs(np.log(power.value) / (nats * level.value) - 1) < _SAME
    return float(near.mean()) > _MOST


def _nats(strands: Sequence[StreamBlock], best: dict[str, str]) -> float:
    """What the losses of the log count in nats: ln 2 where a perplexity is two to the power of one, else 1."""
    curve = {s.metric: s for s in reversed(strands)}
    for role, loss in _LOSS_OF.items():
        power, level = curve.get(best.get(role, "")), curve.get(best.get(loss, ""))
        if power is not None and level is not None and _is_power(power, level, float(np.log(2))):
            return float(np.log(2))
    return 1.0
