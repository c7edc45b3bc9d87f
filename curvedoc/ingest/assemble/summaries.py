"""Summaries: last rows that repeat a curve's mean or best under the curve's own name, and are none of its values."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from curvedoc.core.run import Note
from curvedoc.core.series import Floats
from curvedoc.ingest.assemble.stream_curves import StreamBlock

#: A shorter curve can end at its own mean by chance.
_FEWEST = 20
#: How exactly a mean is met: full precision, in whatever order it was summed.
_EXACT = 1e-7
#: The last value must stand so many typical moves from the one before it: a curve that rests at its mean is no summary.
_MOVES = 3.0
_HUGE = 1e290


def without_summaries(strands: Sequence[StreamBlock]) -> tuple[list[StreamBlock], list[Note]]:
    """One stream's strands without summary rows, and a note that names the metrics.

    A summary is the last value of a curve that is the mean of all others to seven digits, or their best written once
    more under the last step. Means of printed values are not met exactly and stay.
    """
    out, named = [], []
    for s in strands:
        what = _summarizes(s)
        if what:
            named.append(f"{s.metric} ({what})")
            s = s.keep(np.arange(len(s)) < len(s) - 1)
        out.append(s)
    if not named:
        return out, []
    text = f"a last row that summarizes the curve was left out: {', '.join(named[:5])}"
    return out, [Note("summary-row", text, count=len(named))]


def _summarizes(s: StreamBlock) -> str:
    """ "mean" or "best" where the last value is that of the others; "" where it is a value of its own."""
    n = len(s)
    if n < _FEWEST:
        return ""
    last, rest = float(s.value[-1]), s.value[:-1]
    if not math.isfinite(last) or last == rest[-1] or np.count_nonzero(np.isfinite(rest)) < len(rest):
        return ""
    again = not s.known[-1] or (bool(s.known[-2]) and s.step[-1] == s.step[-2])
    low, high = float(rest[rest.argmin()]), float(rest[rest.argmax()])
    if again and last in (low, high):
        return "best"
    scale = max(abs(low), abs(high))
    # only values near the end of the range need to be scaled, lest their sum overflows
    mean = float(np.add.reduce(rest)) / len(rest) if scale < _HUGE else float(np.mean(rest / scale)) * scale
    return "mean" if abs(mean - last) <= _EXACT * abs(last) and _leaps(rest, last) else ""


def _leaps(rest: Floats, last: float) -> bool:
    """Whether the last value is off the curve: the values move, and it is further from them than they are."""
    scale = float(np.max(np.abs(rest)))
    if scale == 0.0:
        return False
    moves = np.abs(np.diff(rest / scale))
    return bool(abs(last / scale - rest[-1] / scale) > _MOVES * float(np.median(moves)) and float(moves.max()) > 0.0)
