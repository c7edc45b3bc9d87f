"""Series: one metric of one run against its step, the value that every statistic takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from functools import wraps
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass

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
    _kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)  # function -> what it said, see kept()

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
        """The rows that `keep` (mask or slice) selects, as a new series; a slice shares the rows of this one."""
        time = None if self.time is None else self.time[keep]
        part = Series(self.step[keep], self.value[keep], self.metric, time)
        if self._kept.get("finite") is True:  # so are its rows
            part._kept["finite"] = True
        return part

    def finite(self) -> Series:
        """The rows with a finite value: the series itself where all are."""
        found: Series | bool | None = self._kept.get("finite")
        if found is None:
            ok = np.isfinite(self.value)
            # True and not the series, which must not hold itself
            found = self._kept["finite"] = bool(ok.all()) or self.cut(ok)
            if isinstance(found, Series):
                found._kept["finite"] = True
        return found if isinstance(found, Series) else self


class Keeper(Protocol):
    """A series, or what was made of one, with room for what functions said of it."""

    @property
    def _kept(self) -> dict[Any, Any]: ...


T = TypeVar("T")
S = TypeVar("S", bound=Keeper)


def once_a_series(make: Callable[[S], T]) -> Callable[[S], T]:
    """`make`, computed once per series and kept on it: for what many statistics of one series start from.

    The result is shared, so arrays in it are made read-only by `make`.
    """

    @wraps(make)
    def once(s: S) -> T:
        try:
            found: T = s._kept[make]
        except KeyError:
            found = s._kept[make] = make(s)
        return found

    return once
