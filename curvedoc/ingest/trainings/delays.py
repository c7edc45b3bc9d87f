"""Records that a buffer held back, while their bar was printed on time, and a step that only a summary names."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.series import Floats, Ints

#: A counter that starts again at this share of the epoch changes counts within the epoch.
RESET_SHARE = 0.8
#: Fewer levels may be those of a summary; of so many records each.
_LEVELS, _FEW = 3, 5

Bools = NDArray[np.bool_]


def carried(values: Floats) -> Floats:
    """Each value, or the last one before it."""
    if not len(values):
        return values
    at = np.maximum.accumulate(np.where(np.isnan(values), -1, np.arange(len(values))))
    return np.where(at >= 0, values[np.maximum(at, 0)], np.nan)


def _is_bare(count: Floats, main: Ints) -> bool:
    """Whether hardly a line of the main curve has the counter (a bar without a line end stands before the first)."""
    return float((~np.isnan(count[main])).mean()) <= 1 - RESET_SHARE


def held_back(inner: Floats, total: Floats, record: Bools, main: Ints) -> Floats | None:
    """The carried steps of a bar whose records were held back and printed many at once: those of a block laid out
    evenly over what the bar had gone on by; None where the bar was full before the first of them, so another's."""
    reached, goal = carried(inner), carried(np.where(np.isnan(inner), np.nan, total))
    level = reached[main]
    known = ~np.isnan(level)
    begins = np.flatnonzero(np.r_[True, np.diff(level) != 0])
    if not _is_bare(inner, main) or not bool(known.all()) or 2 * len(begins) > len(main):
        return reached
    size = np.diff(np.r_[begins, len(main)])
    gone = np.diff(np.r_[0.0, level[begins]])
    if bool((gone < size).any()) or reached[main[0]] == goal[main[0]]:
        return None
    place = np.arange(len(main)) - np.repeat(begins, size) + 1
    laid = np.repeat(level[begins] - gone, size) + np.floor(np.repeat(gone / size, size) * place)
    before = np.searchsorted(main, np.arange(len(reached)), side="right") - 1
    return np.where(record & (before >= 0), laid[np.maximum(before, 0)], reached)


def said_once(step: Floats, inner: Floats, main: Ints | None) -> bool:
    """Whether the lines of the main curve name no step, and hardly one was named between them: a summary says how far
    the training came, a setting how far it should go."""
    if main is None or len(main) < _LEVELS or not bool(np.isnan(step[main]).all()) or not _is_bare(inner, main):
        return False
    levels = len(np.unique(np.nan_to_num(carried(step)[main], nan=-1.0)))
    return levels < _LEVELS and len(main) >= _FEW * (levels - 1)


def named_at_end(epoch: Floats, record: Bools) -> bool:
    """Whether lines of their own name the first epoch where it begins and, from it on, each one where it ends: twice
    the first, once every other one, records ahead of each."""
    known = np.flatnonzero(~np.isnan(epoch))
    if len(known) < _LEVELS or record[known].any():
        return False
    said = np.cumsum(record)[known]
    move = np.diff(epoch[known])
    return bool(move[0] == 0 and (move[1:] == 1).all() and (np.diff(said) > 0).all())
