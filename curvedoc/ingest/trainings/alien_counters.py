"""Counters of something else than the run: that stand still or wander, and steps that were told at another time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.series import Floats, Ints
from curvedoc.ingest.trainings.delays import RESET_SHARE, carried

#: A counter that stands still for so many epochs counts something else.
EPOCHS = 3
#: So many moves tell a counter that goes up and down from one that begins anew.
_WANDERING = 8
#: A counter that did not go on at so many of the epochs is none of the run.
_STOOD = 0.05
#: Of two counters, one that has so many times the values of the other one counts the records.
_FEW = 5

Bools = NDArray[np.bool_]


def stands(count: Floats, epoch: Floats, at: Bools) -> bool:
    """Whether a counter stands still on the records while the epoch goes on: it counts something else."""
    on = epoch[at]
    seen = np.where(np.isnan(on), np.nan, carried(count)[at])
    turns = int((np.diff(on[~np.isnan(on)]) != 0).sum())
    if turns + 1 >= EPOCHS and 2 * int((np.diff(seen[~np.isnan(seen)]) != 0).sum()) < turns:
        return True
    return _wanders(count[at], on)


def _wanders(count: Floats, epoch: Floats) -> bool:
    """Whether a counter of records that each begin an epoch goes up and down: the length of an episode."""
    known = ~np.isnan(count) & ~np.isnan(epoch)
    move = np.diff(count[known])[np.diff(epoch[known]) > 0]
    if len(move) < _WANDERING or 2 * len(move) < int(known.sum()):
        return False
    up = float((move > 0).mean())
    down, stood = float((move < 0).mean()), float((move <= 0).mean())
    rare = 1 - RESET_SHARE
    return (up > rare and down > rare) or (up > _STOOD and stood > _STOOD and down < RESET_SHARE)


def agree(inner: Floats, step: Floats) -> bool:
    """Whether the steps that other lines name are those that the counter had reached by then."""
    reached = carried(inner)
    both = ~np.isnan(step) & ~np.isnan(reached)
    known = np.unique(inner[~np.isnan(inner)])
    if both.sum() < 2 or len(known) < 2:
        return False
    near = np.abs(step[both] - reached[both]) <= max(1.0, 1.5 * float(np.median(np.diff(known))))
    return float(near.mean()) >= RESET_SHARE


def counted_apart(inner: Floats, step: Floats, main: Ints) -> bool:
    """Whether the main curve has a counter of its own on its lines, and what other lines name tells its points apart
    in few places."""
    own = inner[main]
    if not len(own) or float(np.isnan(own).mean()) > 1 - RESET_SHARE:
        return False
    known = step[~np.isnan(step)]
    told = len(np.unique(known)) < len(np.unique(own[~np.isnan(own)])) / _FEW
    return told and float(known.max()) <= float(np.nanmax(inner)) * (1 + 1 / _FEW)
