"""Run and its parts: one training run as it was logged, in the shape every later stage takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from enum import IntFlag
from functools import cache, wraps
from typing import Any, TypeVar

import numpy as np
import polars as pl

from curvedoc.core.block import Block, of_frame, to_frame
from curvedoc.core.frozen import dataclass
from curvedoc.core.series import Series
from curvedoc.core.source import Note as Note
from curvedoc.core.source import Scalar as Scalar
from curvedoc.core.source import Source as Source
from curvedoc.core.source import Sureness as Sureness

#: The label of what a log calls accuracy and its values show to be the absolute error of a regression.
ABSOLUTE_ERROR = "absolute error"


class Flag(IntFlag):
    """What happened to one point on its way into the frame (column `flags`)."""

    NONE = 0
    WAS_STRING = 1  # the number stood in quotes
    NULL = 2  # logged as null: missing, or a NaN that the writer could not spell; value is NaN
    F32_INF = 4  # inf of a float32 field, which a finite overflow also gives
    AGGREGATED = 8  # a bucket's mean with its own MIN and MAX, not a raw value
    AVERAGED = 16  # a running average by the logger
    FILTERED = 32  # the logger replaces non-finite values (0.0 beside a NaN gradient norm)
    TORN = 64  # last value of a damaged record's neighborhood


class Columns(Mapping[str, "type[pl.DataType]"]):
    """Names of columns, each with its type by that of polars, which is imported when a type is first asked for."""

    def __init__(self, **types: str) -> None:
        self.types = types

    def __getitem__(self, name: str) -> type[pl.DataType]:
        found: type[pl.DataType] = getattr(pl, self.types[name])
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.types)

    def __len__(self) -> int:
        return len(self.types)


#: Columns of `Run.points` and `Log.points`, in file order within (metric, rank).
POINTS = Columns(
    metric="String",  # raw name as logged
    step="Int64",  # as logged; null where the log had none (assembly fills it)
    value="Float64",  # NaN and inf kept
    time="Float64",  # seconds since the Unix epoch, or since the start; null where unknown
    rank="Int32",  # 0 when the log names no rank
    flags="UInt16",
)

#: What assembly adds to `Run.points`.
ASSEMBLED = Columns(
    **POINTS.types,
    segment="Int32",  # 0, then +1 at every restart (the step counter went back)
    superseded="Boolean",  # a later segment wrote this step again
)

#: Columns of `Run.messages`: the lines of text logs that are not metric records.
MESSAGES = Columns(
    source="String",  # path relative to the run
    line="Int64",  # 1-based line number
    time="Float64",  # seconds; null where unknown
    level="String",  # DEBUG, INFO, WARNING, ERROR, CRITICAL, TRACEBACK or ""
    step="Int64",  # last step logged before this line; null before the first
    rank="Int32",
    text="String",  # one line, or one whole traceback block; at most 8,000 characters
    after="Int64",  # records of metrics that stand after this line in its own file; null where that has none
)


#: No share of 1 is as large, not even one that was smoothed or interpolated, so that such a curve counts in percent.
WHOLE = 1.5


@cache
def _no_points() -> pl.DataFrame:
    return pl.DataFrame(schema=dict(POINTS))


@cache
def _no_messages() -> pl.DataFrame:
    return pl.DataFrame(schema=dict(MESSAGES))


def empty_points() -> pl.DataFrame:
    """A points frame without rows."""
    return _no_points().clone()


def empty_messages() -> pl.DataFrame:
    """A messages frame without rows."""
    return _no_messages().clone()


def _peak(block: Block) -> float:
    """The largest finite value; 0 where there is none."""
    finite = block.value[np.isfinite(block.value)]
    return float(finite.max()) if len(finite) else 0.0


@dataclass(frozen=True, slots=True)
class RoleMatch:
    """One raw metric taken for one role."""

    role: str
    metric: str
    label: str = ""  # layer or data set within the role, "" for the only one
    why: str = ""  # the pattern of signals.yaml that matched, the evidence of the values, or "set by --signal"
    trust: Sureness = "sure"  # "likely": a weak name and values that agree; "guess": the values alone
    #: "fraction": a share of 1, brought to that where it is counted in percent; "negated": what is made as high as
    #: can be, told with the other sign
    unit: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One training run as it was logged.

    name:     path relative to what the user pointed at; "<path>::<name>" inside a file of several runs
    data:     the points, as blocks or as a long frame with the columns `ASSEMBLED`; read them as `points` or `blocks`
    messages: text lines, columns `MESSAGES`
    roles:    matches in order of preference; the first of a role is the one most rules read
    config:   flat dotted raw keys -> scalar
    settings: canonical configuration keys of signals.yaml (num_classes, lr, batch_size ...) -> scalar
    notes:    what assembly guessed, merged or dropped
    """

    name: str
    data: pl.DataFrame | tuple[Block, ...]
    messages: pl.DataFrame
    roles: tuple[RoleMatch, ...]
    config: Mapping[str, Scalar]
    settings: Mapping[str, Scalar]
    sources: tuple[Source, ...]
    notes: tuple[Note, ...] = ()
    #: "step", or what stands in its place when the log has none: "epoch", "row", "samples"
    axis: str = "step"
    #: seconds for which nothing was written to this run while other files of the tree were
    quiet: float = 0.0
    has_text: bool = False  # a text log was read, so the absence of a message means something
    _made: dict[str, Any] = field(default_factory=dict, init=False, repr=False)  # what was asked for once
    _parts: dict[tuple[str, int], Series | None] = field(default_factory=dict, init=False, repr=False)

    @property
    def points(self) -> pl.DataFrame:
        """The points as a long frame, columns `ASSEMBLED`, made when first asked for."""
        if "points" not in self._made:
            ready = isinstance(self.data, pl.DataFrame)
            self._made["points"] = self.data if ready else to_frame(self.blocks, ASSEMBLED)
        found: pl.DataFrame = self._made["points"]
        return found

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The points as one block per metric and rank, in order of first appearance."""
        if "blocks" not in self._made:
            self._made["blocks"] = of_frame(self.data) if isinstance(self.data, pl.DataFrame) else self.data
        found: tuple[Block, ...] = self._made["blocks"]
        return found

    def metrics(self) -> tuple[str, ...]:
        """The raw names of all metrics, in order of first appearance."""
        return tuple(dict.fromkeys(b.metric for b in self.blocks))

    def matches(self, role: str) -> tuple[RoleMatch, ...]:
        """The metrics taken for a role, best first."""
        if "roles" not in self._made:
            by_role: dict[str, tuple[RoleMatch, ...]] = {}
            for key in dict.fromkeys(m.role for m in self.roles):
                by_role[key] = tuple(m for m in self.roles if m.role == key)
            self._made["roles"] = by_role
        found: dict[str, tuple[RoleMatch, ...]] = self._made["roles"]
        return found.get(role, ())

    def ranks(self) -> tuple[int, ...]:
        """The ranks that logged points, ascending."""
        return tuple(sorted({rank for by_rank in self._split().values() for rank in by_rank}))

    def _split(self) -> dict[str, dict[int, Block]]:
        """The block of each metric and rank, looked up by name."""
        if "split" not in self._made:
            split: dict[str, dict[int, Block]] = {}
            for b in self.blocks:
                split.setdefault(b.metric, {})[b.rank] = b
            self._made["split"] = split
        found: dict[str, dict[int, Block]] = self._made["split"]
        return found

    def metric(self, name: str, rank: int | None = None) -> Series | None:
        """One raw metric of one rank (the lowest that logged it): superseded points out, last write of a step wins."""
        by_rank = self._split().get(name)
        if not by_rank:
            return None
        rank = min(by_rank) if rank is None else rank
        if (name, rank) not in self._parts:
            found = by_rank[rank].series() if rank in by_rank else None
            if found is not None and name in self._in_percent():
                found = Series(found.step, found.value / 100.0, found.metric, found.time)
            if found is not None and name in self._negated():
                found = Series(found.step, -found.value, found.metric, found.time)
            self._parts[name, rank] = found
        return self._parts[name, rank]

    def _negated(self) -> frozenset[str]:
        """The metrics that are told with the other sign."""
        if "negated" not in self._made:
            self._made["negated"] = frozenset(m.metric for m in self.roles if m.unit == "negated")
        return self._made["negated"]  # type: ignore[no-any-return]

    def _in_percent(self) -> frozenset[str]:
        """The metrics of roles that are shares of 1 where the log counts in percent: all of a role or none.

        A curve in percent that never passes 1.5 % cannot be told from a fraction and stays as it is; beside another
        that is told in percent, one that passes 1 % is.
        """
        if "in_percent" not in self._made:
            roles = dict.fromkeys(m.role for m in self.roles if m.unit == "fraction")
            names = {role: {m.metric for m in self.matches(role)} for role in roles}
            top = {
                role: max((_peak(b) for n in of for b in self._split().get(n, {}).values()), default=0.0)
                for role, of in names.items()
            }
            whole = 1.0 if max(top.values(), default=0.0) > WHOLE else WHOLE
            self._made["in_percent"] = frozenset(n for role, of in names.items() if top[role] > whole for n in of)
        return self._made["in_percent"]  # type: ignore[no-any-return]

    def series(self, role: str) -> Series | None:
        """The preferred metric of a role, or None where the run logged none."""
        for m in self.matches(role):
            found = self.metric(m.metric)
            if found is not None:
                return found
        return None


T = TypeVar("T")


def once_a_run(make: Callable[[Run], T]) -> Callable[[Run], T]:
    """`make`, computed once per run and kept on it, as `once_a_series` does for series."""

    @wraps(make)
    def once(run: Run) -> T:
        made: dict[Any, Any] = run._made
        if make not in made:
            made[make] = make(run)
        return made[make]  # type: ignore[no-any-return]

    return once
