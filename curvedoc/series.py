"""Series: one metric of one run against its step, the value that every statistic takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """One metric against step, made read-only.

    step:  int64 [n], strictly increasing
    value: float64 [n]; NaN and inf are kept, they are findings and not dirt
    time:  float64 [n] in seconds, NaN where unknown; empty when the log has no clock

    Compared by identity, so that a measure computed once for a series is found again.
    """

    step: Ints
    value: Floats
    metric: str = ""
    time: Floats | None = None

    def __post_init__(self) -> None:
        if len(self.step) != len(self.value):
            raise ValueError(f"{len(self.step)} steps but {len(self.value)} values")
        self.step.setflags(write=False)
        self.value.setflags(write=False)
        if self.time is not None:
            self.time.setflags(write=False)

    def __len__(self) -> int:
        return len(self.value)

    @classmethod
    def of(cls, value: Iterable[float], step: Iterable[int] | None = None, metric: str = "") -> Series:
        """A series from plain numbers; steps count from 0 unless given.

        >>> Series.of([2.0, 1.0]).step.tolist()
        [0, 1]
        """
        v = np.array(list(value), dtype=np.float64)
        s = np.arange(len(v), dtype=np.int64) if step is None else np.array(list(step), dtype=np.int64)
        return cls(s, v, metric)

    def cut(self, keep: NDArray[np.bool_] | slice) -> Series:
        """The rows that `keep` (mask or slice) selects, as a new series."""
        time = None if self.time is None else self.time[keep].copy()
        return Series(self.step[keep].copy(), self.value[keep].copy(), self.metric, time)

    def finite(self) -> Series:
        """The rows with a finite value."""
        ok = np.isfinite(self.value)
        return self if bool(ok.all()) else self.cut(ok)
