"""Perplexities that are logged in place of a loss: their logarithm is the loss."""

from __future__ import annotations

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
