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
            if loss in best or not mine or not all(bool((s.value[~np.isnan(s.value)] >= 1).all()) for s in mine):
                continue
            name = f"log {best[role]}"
            with np.errstate(over="ignore"):
                out += [replace(s, metric=name, value=np.log(s.value) / nats) for s in mine]
            more.append(RoleMatch(loss, name, "", "the logarithm of the perplexity, which is logged in its place"))
    text = f"no loss is logged beside them, so their logarithm was taken: {', '.join(m.metric for m in more)}"
    return out, (*more, *roles), [Note("log-of-perplexity", text, count=len(more))] if more else []


def _nats(strands: Sequence[StreamBlock], best: dict[str, str]) -> float:
    """What the losses of the log count in nats: ln 2 where a perplexity is two to the power of one, else 1."""
    curve = {s.metric: s for s in reversed(strands)}
    for role, loss in _LOSS_OF.items():
        power, level = curve.get(best.get(role, "")), curve.get(best.get(loss, ""))
        if power is not None and level is not None and len(power) == len(level):
            with np.errstate(divide="ignore", invalid="ignore"):
                near = np.abs(np.log2(power.value) / level.value - 1) < _SAME
            if float(near.mean()) > _MOST:
                return float(np.log(2))
    return 1.0
