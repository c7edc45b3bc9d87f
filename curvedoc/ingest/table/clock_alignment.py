"""Curves without a step of their own, placed among the others by the time at which they were written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from curvedoc.ingest.table.curve import LogCurve

#: Machine metrics that the stores log beside a training, with a counter of their own or with none.
SYSTEM = "system/"
#: Fewer points than this at one step are a summary, not a curve whose steps were never given.
_CURVE = 3


def placed(curves: Sequence[LogCurve]) -> list[LogCurve]:
    """The curves, with a step for each point that can have one.

    A store gives step 0 to what was logged without a step. A curve all of whose points stand at one step, while others
    do count, is put on the steps of the most logged curve that counts, by the clock; so is what begins with `SYSTEM`.
    Where no curve counts, all steps are unknown (NaN), and assembly counts records.
    """
    stuck = [c.metric.startswith(SYSTEM) or _stuck(c) for c in curves]
    if not any(stuck):
        return list(curves)
    counting = [c for c, s in zip(curves, stuck, strict=True) if not s and len(c.step) >= _CURVE]
    main = max(counting, key=lambda c: len(c.step), default=None)
    # A summary of one value at step 0 beside curves that never counted stands at no step either.
    return [_on(c, main) if s or main is None else c for c, s in zip(curves, stuck, strict=True)]


def _stuck(c: LogCurve) -> bool:
    return len(c.step) >= _CURVE and bool((c.step == c.step[0]).all() or np.isnan(c.step).all())


def _on(c: LogCurve, main: LogCurve | None) -> LogCurve:
    unknown = np.full(len(c.step), np.nan)
    return replace(c, step=unknown if main is None else steps_at(c.time, main.step, main.time, unknown))


def steps_at(
    time: NDArray[np.float64], steps: NDArray[np.float64], times: NDArray[np.float64], otherwise: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The last step written at or before each time; `otherwise` where a clock is unknown or runs backward."""
    if not len(times) or not np.isfinite(time).all() or not np.isfinite(times).all() or (np.diff(times) < 0).any():
        return otherwise
    return steps[np.maximum(np.searchsorted(times, time, side="right") - 1, 0)]
