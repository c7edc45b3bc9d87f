"""Points of a log as they are met row by row, in growing arrays."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
import polars as pl


class PointBuffer:
    """Rows of a step, a time and the values of some metrics. Memory: 12 bytes a value, 28 a row."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._metric = array("i")
        self._value = array("d")
        self._flags: dict[int, int] = {}  # place of a value -> its flags, for the few that have any
        self._step = array("q")
        self._known = array("b")
        self._time = array("d")
        self._count = array("i")

    def number(self, name: str) -> int:
        """The number of a metric, a new one for a new name."""
        return self._ids.setdefault(name, len(self._ids))

    def extend(self, metrics: Sequence[int], values: Sequence[float], step: int | None, time: float) -> None:
        """One row: values of metrics by their numbers; `time` NaN where unknown."""
        self._metric.extend(metrics)
        self._value.extend(values)
        self._step.append(step or 0)
        self._known.append(step is not None)
        self._time.append(time)
        self._count.append(len(values))

    def add(self, name: str, step: int | None, value: float, time: float, flags: int) -> None:
        """One value as a row of its own."""
        if flags:
            self._flags[len(self._value)] = flags
        self.extend((self.number(name),), (value,), step, time)

    def frame(self) -> pl.DataFrame:
        """The points so far, columns `model.POINTS`."""
        n = len(self._value)
        count = np.array(self._count, np.int64)
        flags = np.zeros(n, np.uint16)
        flags[list(self._flags)] = list(self._flags.values())
        names = pl.Series("metric", list(self._ids), dtype=pl.String)
        frame = pl.DataFrame(
            {
                "metric": names[pl.Series(np.array(self._metric, np.uint32))],
                "step": np.repeat(np.array(self._step, np.int64), count),
                "value": np.array(self._value, np.float64),
                "time": np.repeat(np.array(self._time, np.float64), count),
                "rank": np.zeros(n, np.int32),
                "flags": flags,
                "known": np.repeat(np.array(self._known, np.bool_), count),
            }
        )
        step = pl.when("known").then("step").alias("step")
        return frame.with_columns(step, pl.col("time").fill_nan(None)).drop("known")
