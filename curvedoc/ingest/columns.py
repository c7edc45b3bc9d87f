"""Points of a log as they are met one by one, in growing arrays."""

from __future__ import annotations

from array import array

import numpy as np
import polars as pl

from curvedoc.model import POINTS


class Columns:
    """Points as they are met, one growing array per column."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._metric = array("i")
        self._step = array("q")
        self._known = array("b")
        self._value = array("d")
        self._time = array("d")
        self._flags = array("H")

    def add(self, name: str, step: int | None, value: float, time: float, flags: int) -> None:
        """One more point; `time` NaN where unknown."""
        self._metric.append(self._ids.setdefault(name, len(self._ids)))
        self._step.append(step or 0)
        self._known.append(step is not None)
        self._value.append(value)
        self._time.append(time)
        self._flags.append(flags)

    def frame(self) -> pl.DataFrame:
        """The points so far, columns `model.POINTS`."""
        n = len(self._metric)
        names = pl.Series("metric", list(self._ids), dtype=pl.String)
        known = pl.Series(np.frombuffer(self._known, np.int8) != 0) if n else pl.Series([], dtype=pl.Boolean)
        frame = pl.DataFrame(
            {
                "metric": names.gather(np.array(self._metric, np.uint32)),
                "step": np.array(self._step, np.int64),
                "value": np.array(self._value, np.float64),
                "time": np.array(self._time, np.float64),
                "rank": np.zeros(n, np.int32),
                "flags": np.array(self._flags, np.uint16),
            },
            schema=dict(POINTS),
        )
        return frame.with_columns(
            pl.when(known).then(pl.col("step")).alias("step"), pl.col("time").fill_nan(None).alias("time")
        )
