"""Blocks while a run is assembled: the points of one metric of one rank from one stream of files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.block import Block, Bools
from curvedoc.core.frozen import dataclass
from curvedoc.core.run import Flag
from curvedoc.core.series import Floats, Ints

#: The arrays that every one of them has.
_ALWAYS = ("step", "value", "time", "flags", "known", "file")


@dataclass(frozen=True, slots=True, eq=False)
class StreamBlock(Block):
    """A block of one stream of files while a run is assembled: what a block may lack is there.

    stream: number of the stream; file: place in its stream of the log that a point comes from
    """

    time: Floats
    flags: NDArray[np.uint16]
    known: Bools
    stream: int = field(kw_only=True)
    file: Ints = field(kw_only=True)

    def keep(self, mask: Bools) -> StreamBlock:
        """The points that the mask selects."""
        if bool(mask.all()):
            return self
        columns: dict[str, Any] = {name: getattr(self, name)[mask] for name in _ALWAYS}
        for name in ("segment", "superseded"):
            if (array := getattr(self, name)) is not None:
                columns[name] = array[mask]
        return replace(self, **columns)


def unravel(
    data: pl.DataFrame | Sequence[Block], stream: int, file: int, rank: int | None, prefix: str
) -> list[StreamBlock]:
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
        StreamBlock(
            prefix + name, int(ranks[at[0]]) or rank or 0, step[at], value[at], time[at], flags[at], known[at],
            stream=stream, file=np.full(len(at), file),
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


def _whole(b: Block, stream: int, rank: int | None, prefix: str, blank: _Blank) -> StreamBlock:
    return StreamBlock(
        prefix + b.metric, b.rank or rank or 0, b.step, b.value, blank.time if b.time is None else b.time,
        blank.flags if b.flags is None else b.flags, blank.known if b.known is None else b.known,
        stream=stream, file=blank.file,
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
    if metric.null_count():
        metric = metric.fill_null("")
    code = metric.cast(pl.Enum(metric.unique(maintain_order=True))).to_physical().to_numpy().astype(np.int64)
    if bool(ranks.any()):
        low = int(ranks.min())
        code = code * (int(ranks.max()) - low + 1) + (ranks - low)
    order = np.argsort(code, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(code[order])) + 1)
    for at in sorted(parts, key=lambda part: int(part[0])):
        yield str(metric[int(at[0])]), at


def splice(pieces: Sequence[StreamBlock]) -> StreamBlock:
    """Strands of one metric and rank from successive files, end to end."""
    if len(pieces) == 1:
        return pieces[0]
    columns: dict[str, Any] = {name: np.concatenate([getattr(p, name) for p in pieces]) for name in _ALWAYS}
    return replace(pieces[0], **columns)


def spliced(strands: Iterable[StreamBlock]) -> list[StreamBlock]:
    """One strand per metric, rank and stream, in order of first appearance."""
    groups: dict[tuple[str, int, int], list[StreamBlock]] = {}
    for s in strands:
        groups.setdefault((s.metric, s.rank, s.stream), []).append(s)
    return [splice(g) for g in groups.values()]


def blocks(strands: Sequence[StreamBlock]) -> tuple[Block, ...]:
    """Those that have points, for the run; every step must be known."""
    return tuple(
        Block(s.metric, s.rank, s.step, s.value, s.time, s.flags, segment=s.segment, superseded=s.superseded)
        for s in strands
        if len(s)
    )
