"""Run and its parts: one training run as it was logged, in the shape every later stage takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntFlag
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.series import Ints, Series
from curvedoc.source import Note as Note
from curvedoc.source import Scalar as Scalar
from curvedoc.source import Source as Source

#: Rows of a frame: a stretch, or a list of places.
Rows = slice | Ints


class Flag(IntFlag):
    """What happened to one point on its way into the frame (column `flags`)."""

    NONE = 0
    WAS_STRING = 1  # the number stood in quotes
    NULL = 2  # logged as null: missing, or a NaN that the writer could not spell; value is NaN
    F32_INF = 4  # inf of a float32 field, which a finite overflow also gives
    AGGREGATED = 8  # a bucket's mean with its own MIN and MAX, not a raw value
    AVERAGED = 16  # a running average by the logger
    FILTERED = 32  # the logger replaces non-finite values (0.0 beside a NaN gradient norm)
    TORN = 64  # last value of a damaged record's neighbourhood


#: Columns of `Run.points` and `Log.points`, in file order within (metric, rank).
POINTS: Mapping[str, type[pl.DataType]] = {
    "metric": pl.String,  # raw name as logged
    "step": pl.Int64,  # as logged; null where the log had none (assembly fills it)
    "value": pl.Float64,  # NaN and inf kept
    "time": pl.Float64,  # seconds since the Unix epoch, or since the start; null where unknown
    "rank": pl.Int32,  # 0 when the log names no rank
    "flags": pl.UInt16,
}

#: What assembly adds to `Run.points`.
ASSEMBLED: Mapping[str, type[pl.DataType]] = {
    **POINTS,
    "segment": pl.Int32,  # 0, then +1 at every restart (the step counter went back)
    "superseded": pl.Boolean,  # a later segment wrote this step again
}

#: Columns of `Run.messages`: the lines of text logs that are not metric records.
MESSAGES: Mapping[str, type[pl.DataType]] = {
    "source": pl.String,  # path relative to the run
    "line": pl.Int64,  # 1-based line number
    "time": pl.Float64,  # seconds; null where unknown
    "level": pl.String,  # DEBUG, INFO, WARNING, ERROR, CRITICAL, TRACEBACK or ""
    "step": pl.Int64,  # last step logged before this line; null before the first
    "rank": pl.Int32,
    "text": pl.String,  # one line, or one whole traceback block; at most 8,000 characters
}


_NO_POINTS = pl.DataFrame(schema=dict(POINTS))
_NO_MESSAGES = pl.DataFrame(schema=dict(MESSAGES))


def empty_points() -> pl.DataFrame:
    """A points frame without rows."""
    return _NO_POINTS.clone()


def empty_messages() -> pl.DataFrame:
    """A messages frame without rows."""
    return _NO_MESSAGES.clone()


@dataclass(frozen=True, slots=True)
class RoleMatch:
    """One raw metric taken for one role."""

    role: str
    metric: str
    label: str = ""  # layer or data set within the role, "" for the only one
    why: str = ""  # the pattern of signals.yaml that matched, or "set by --signal"


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One training run as it was logged.

    name:     path relative to what the user pointed at; "<path>::<name>" inside a file of several runs
    points:   long frame, columns `ASSEMBLED`
    messages: text lines, columns `MESSAGES`
    roles:    matches in order of preference; the first of a role is the one most rules read
    config:   flat dotted raw keys -> scalar
    settings: canonical configuration keys of signals.yaml (num_classes, lr, batch_size ...) -> scalar
    notes:    what assembly guessed, merged or dropped
    """

    name: str
    points: pl.DataFrame
    messages: pl.DataFrame
    roles: tuple[RoleMatch, ...]
    config: Mapping[str, Scalar]
    settings: Mapping[str, Scalar]
    sources: tuple[Source, ...]
    notes: tuple[Note, ...] = ()
    #: "step", or what stands in its place when the log has none: "epoch", "row", "samples"
    axis: str = "step"
    has_text: bool = False  # a text log was read, so the absence of a message means something
    _rows: dict[str, dict[int, Rows]] = field(default_factory=dict, repr=False)  # metric -> rank -> its rows
    _arrays: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)  # column -> its values
    _parts: dict[tuple[str, int], Series | None] = field(default_factory=dict, repr=False)

    def matches(self, role: str) -> tuple[RoleMatch, ...]:
        """The metrics taken for a role, best first."""
        return tuple(m for m in self.roles if m.role == role)

    def ranks(self) -> tuple[int, ...]:
        """The ranks that logged points, ascending."""
        return tuple(sorted({rank for by_rank in self._split().values() for rank in by_rank}))

    def _split(self) -> dict[str, dict[int, Rows]]:
        """The rows of each metric and rank, found once: a filter for every metric would cost more than all statistics.

        A plain slice where they stand together, as assembly leaves them.
        """
        if not self._rows and len(self.points):
            for (name, rank), parts in _blocks(self.points).items():
                rows = parts[0] if len(parts) == 1 else np.concatenate([np.arange(p.start, p.stop) for p in parts])
                self._rows.setdefault(name, {})[rank] = rows
        return self._rows

    def metric(self, name: str, rank: int | None = None) -> Series | None:
        """One raw metric of one rank (the lowest that logged it): superseded points out, last write of a step wins."""
        by_rank = self._split().get(name)
        if not by_rank:
            return None
        rank = min(by_rank) if rank is None else rank
        if (name, rank) not in self._parts:
            if not self._arrays:
                self._arrays.update(_columns(self.points))
            self._parts[name, rank] = _series(self._arrays, by_rank[rank], name) if rank in by_rank else None
        return self._parts[name, rank]

    def series(self, role: str) -> Series | None:
        """The preferred metric of a role, or None where the run logged none."""
        for m in self.matches(role):
            found = self.metric(m.metric)
            if found is not None:
                return found
        return None


def _blocks(points: pl.DataFrame) -> dict[tuple[str, int], list[slice]]:
    """Where each metric of each rank stands, in order of first appearance; rows without a rank stand nowhere."""
    metric, rank = points["metric"], points["rank"]
    n = len(points)
    old = rank.fill_null(-1).to_numpy()
    # compared with the row before and not grouped: a tenth of the time, and most frames are in blocks
    new = (old[1:] != old[:-1]) | (metric.slice(1) != metric.slice(0, n - 1)).fill_null(True).to_numpy()
    starts = np.concatenate(([0], np.flatnonzero(new) + 1))
    ends = [*starts[1:].tolist(), n]
    known = ~rank.is_null().to_numpy()[starts] if rank.null_count() else np.ones(len(starts), dtype=np.bool_)
    found: dict[tuple[str, int], list[slice]] = {}
    names = metric.gather(starts).to_list()
    for name, at, start, end, real in zip(names, old[starts].tolist(), starts.tolist(), ends, known, strict=True):
        if real:
            found.setdefault((str(name), at), []).append(slice(start, end))
    return found


def _columns(points: pl.DataFrame) -> dict[str, NDArray[Any]]:
    """What series are cut from; `keep` is there only where rows must be left out."""
    step, value = points["step"], points["value"]
    old = points["superseded"].fill_null(True)
    found: dict[str, NDArray[Any]] = {
        "step": step.fill_null(0).to_numpy(),
        "value": value.fill_null(float("nan")).to_numpy(),
    }
    if points["time"].null_count() < len(points):
        found["time"] = points["time"].fill_null(float("nan")).to_numpy()
    if old.any() or step.null_count() or value.null_count():
        found["keep"] = (~old & step.is_not_null() & value.is_not_null()).to_numpy()
    return found


def _series(columns: Mapping[str, NDArray[Any]], rows: Rows, name: str) -> Series | None:
    """The rows as a series, shared with the frame where none has to be left out."""
    step, value = columns["step"][rows], columns["value"][rows]
    time = columns["time"][rows] if "time" in columns else None
    keep = columns["keep"][rows] if "keep" in columns else None
    if keep is not None and not bool(keep.all()):
        step, value, time = step[keep], value[keep], None if time is None else time[keep]
    if not len(step):
        return None
    if not bool((step[1:] > step[:-1]).all()):
        order = np.argsort(step, kind="stable")
        order = order[np.append(step[order][1:] != step[order][:-1], True)]  # the last write of a step wins
        step, value, time = step[order], value[order], None if time is None else time[order]
    if time is not None and bool(np.isnan(time).all()):
        time = None
    return Series(step, value, name, time)
