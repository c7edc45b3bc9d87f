"""Sums that are divided by a whole window too early: `running_loss / 100` printed after the first batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from curvedoc.core.block import Bools
from curvedoc.core.run import Note, RoleMatch
from curvedoc.core.series import Floats
from curvedoc.ingest.assemble.stream_curves import StreamBlock

#: A window of fewer steps is not told from a first batch that was easy.
_WINDOW = 4
#: The rows after a short one that tell the level, and by how much the largest of them exceeds the smallest.
_BESIDE, _CALM = 5, 3.0
#: The level is so many times the short value for each step of the window; where it is one of several, less exactly.
_NEAR, _NEAR_OF_SEVERAL = (0.7, 1.4), (0.4, 1.5)
#: What a loss that was read right loses between its second row and its end; one that was thrown up does not.
_FELL = 0.9
_LOSSES = ("loss", "aux_loss")


def without_short_windows(
    strands: Sequence[StreamBlock], roles: Sequence[RoleMatch]
) -> tuple[list[StreamBlock], list[Note]]:
    """The strands without values that are short of their level by the number of steps between two rows.

    Such a value is the first of a loss, alone or with others of its kind (the first of every epoch). One that is alone
    may as well be the last before a blow-up: it goes where the loss falls from its second row on, or where the gradient
    norm is short by as much.
    """
    role = {m.metric: m.role for m in reversed(roles)}
    norms = [s for s in strands if role.get(s.metric) == "grad_norm"]
    out, names, count = [], [], 0
    for s in strands:
        short = _short(s, norms) if role.get(s.metric) in _LOSSES else None
        if short is not None:
            names.append(s.metric)
            count += int(short.sum())
            s = s.keep(~short)
        out.append(s)
    if not names:
        return list(strands), []
    text = f"a first value over part of a window, divided by the whole of it, was left out: {', '.join(names[:5])}"
    return out, [Note("part-window", text, count=count)]


def _short(s: StreamBlock, norms: Sequence[StreamBlock]) -> Bools | None:
    if len(s) <= _BESIDE:
        return None
    gaps = s.step[1:] - s.step[:-1]
    if gaps.max() < _WINDOW or not bool(np.isfinite(s.value).all()) or s.value.min() <= 0:
        return None
    window = float(np.median(gaps))
    if window < _WINDOW:
        return None
    if not _within(float(_times(s.value[: 1 + _BESIDE])[0]) / window, _NEAR_OF_SEVERAL):
        return None  # as nearly every loss: the other rows need not be looked at
    times = _times(s.value) / window
    several = (times > _NEAR_OF_SEVERAL[0]) & (times < _NEAR_OF_SEVERAL[1])
    if int(several.sum()) > 1 and int(several.sum()) < len(s) / 2:
        return several
    first = np.arange(len(s)) == 0
    level, end = (float(np.median(v)) for v in (s.value[1 : 1 + _BESIDE], s.value[-_BESIDE:]))
    falls = _within(times[0], _NEAR) and end < _FELL * level
    return first if falls or _with_the_norm(s, norms, window, float(times[0])) else None


def _with_the_norm(s: StreamBlock, norms: Sequence[StreamBlock], window: float, times: float) -> bool:
    beside = [n for n in norms if n.rank == s.rank and len(n) > _BESIDE and n.step[0] == s.step[0]]
    return _within(times, _NEAR) and any(n.value[0] > 0 and _within(_times(n.value)[0] / window, _NEAR) for n in beside)


def _within(x: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] < x < bounds[1]


def _times(value: Floats) -> Floats:
    """How many times a value the highest of the rows after it is, for they fall; 0 where these have no level."""
    after = np.lib.stride_tricks.sliding_window_view(value[1:], _BESIDE)
    ordered = np.sort(after, axis=1)  # a short epoch has another short value among them
    calm = ordered[:, -1] < _CALM * ordered[:, 1]
    out = np.zeros(len(value))
    out[: len(after)] = np.where(calm, ordered[:, -1] / value[: len(after)], 0.0)
    return out
