"""Strands: the points of one metric of one rank from one stream of files, as arrays in file order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.block import Block, Bools
from curvedoc.core.run import Flag
from curvedoc.core.series import Floats, Ints


def _no_ints() -> Ints:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Strand:
    """One metric of one rank from one stream, all arrays [n] in file order.

    step:    int64; 0 where `known` is false
    known:   the record had a step
    value:   NaN and inf kept
    time:    seconds, NaN where unknown
    flags:   bits of `model.Flag`
    file:    place in its stream of the log that a point comes from
    segment, superseded: empty until restarts have been looked for
    """

    metric: str
    rank: int
    stream: int
    step: Ints
    known: Bools
    value: Floats
    time: Floats
    flags: NDArray[np.uint16]
    file: Ints
    segment: Ints = field(default_factory=_no_ints)
    superseded: Bools = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))

    def __len__(self) -> int:
        return len(self.value)

    def keep(self, mask: Bools) -> Strand:
        """The points that the mask selects."""
        if bool(mask.all()):
            return self
        seg = self.segment[mask] if len(self.segment) else self.segment
        old = self.superseded[mask] if len(self.superseded) else self.superseded
        return Strand(
            self.metric, self.rank, self.stream, self.step[mask], self.known[mask], self.value[mask], self.time[mask],
            self.flags[mask], self.file[mask], seg, old,
        )  # fmt: skip


def unravel(
    data: pl.DataFrame | Sequence[Block], stream: int, file: int, rank: int | None, prefix: str
) -> list[Strand]:
    """The strands of one log, from `Log.data`. `rank` fills in where the records name none; `prefix` goes before each
    metric's name.

    Rows without a value are dropped unless they are flagged NULL; those get NaN.
    """
    if not isinstance(data, pl.DataFrame):
        blank = {n: _Blank(np.ones(n, np.bool_), np.full(n, np.nan), np.zeros(n, np.uint16), np.full(n, file))
                 for n in {len(b) for b in data}}  # fmt: skip
        return [_whole(b, stream, rank, prefix, blank[len(b)]) for b in data if len(b)]
    points, flags = data, _array(data["flags"], 0)
    if points["value"].null_count():
        keep = points["value"].is_not_null().to_numpy() | ((flags & np.uint16(Flag.NULL)) != 0)
        points, flags = points.filter(keep), flags[keep]
    if not len(points):
        return []
    ranks, step = _array(points["rank"], 0), _array(points["step"], 0)
    value, time = _array(points["value"], np.nan), _array(points["time"], np.nan)
    known = points["step"].is_not_null().to_numpy() if points["step"].null_count() else np.ones(len(points), np.bool_)
    return [
        Strand(
            prefix + name, int(ranks[at[0]]) or rank or 0, stream, step[at], known[at], value[at], time[at], flags[at],
            np.full(len(at), file),
        )
        for name, at in _sorted(points["metric"], ranks)
    ]  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class _Blank:
    """What a block of some length has in place of what it lacks; nobody writes into it, so that many share it."""

    known: Bools
    time: Floats
    flags: NDArray[np.uint16]
    file: Ints


def _whole(b: Block, stream: int, rank: int | None, prefix: str, blank: _Blank) -> Strand:
    return Strand(
        prefix + b.metric, b.rank or rank or 0, stream, b.step, blank.known if b.known is None else b.known, b.value,
        blank.time if b.time is None else b.time, blank.flags if b.flags is None else b.flags, blank.file,
    )  # fmt: skip


def _array(series: pl.Series, default: float) -> np.ndarray:
    """The values, with the default in place of nulls. (Every method of a series that is an expression costs as much as
    a thousand values, so that the usual case does without.)"""
    nulls = series.null_count()
    if nulls == len(series):
        return np.full(len(series), default, series.head(0).to_numpy().dtype)
    return series.fill_null(default).to_numpy() if nulls else series.to_numpy()


def _sorted(metric: pl.Series, ranks: NDArray[np.int32]) -> Iterator[tuple[str, Ints]]:
    """Name and rows of each metric of each rank, in order of first appearance."""
    metric = metric.fill_null("")
    code = metric.cast(pl.Enum(metric.unique(maintain_order=True))).to_physical().to_numpy().astype(np.int64)
    if bool(ranks.any()):
        low = int(ranks.min())
        code = code * (int(ranks.max()) - low + 1) + (ranks - low)
    order = np.argsort(code, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(code[order])) + 1)
    for at in sorted(parts, key=lambda part: int(part[0])):
        yield str(metric[int(at[0])]), at


def splice(pieces: Sequence[Strand]) -> Strand:
    """Strands of one metric and rank from successive files, end to end."""
    if len(pieces) == 1:
        return pieces[0]
    first = pieces[0]
    return Strand(
        first.metric,
        first.rank,
        first.stream,
        np.concatenate([p.step for p in pieces]),
        np.concatenate([p.known for p in pieces]),
        np.concatenate([p.value for p in pieces]),
        np.concatenate([p.time for p in pieces]),
        np.concatenate([p.flags for p in pieces]),
        np.concatenate([p.file for p in pieces]),
    )


def spliced(strands: Iterable[Strand]) -> list[Strand]:
    """One strand per metric, rank and stream, in order of first appearance."""
    groups: dict[tuple[str, int, int], list[Strand]] = {}
    for s in strands:
        groups.setdefault((s.metric, s.rank, s.stream), []).append(s)
    return [splice(g) for g in groups.values()]


def blocks(strands: Sequence[Strand]) -> tuple[Block, ...]:
    """The strands that have points as blocks; every step must be known."""
    return tuple(
        Block(
            s.metric, s.rank, s.step, s.value, s.time, s.flags,
            segment=s.segment if len(s.segment) else None, superseded=s.superseded if len(s.superseded) else None,
        )
        for s in strands
        if len(s)
    )  # fmt: skip
