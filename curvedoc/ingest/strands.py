"""Strands: the points of one metric of one rank from one stream of files, as arrays in file order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.model import ASSEMBLED, Flag
from curvedoc.series import Floats, Ints

#: Up to so many names, as many calls cost less than the query that a gather is.
_MANY_NAMES = 100
Bools = NDArray[np.bool_]


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
    points: pl.DataFrame,
    stream: int,
    file: int,
    rank: int | None,
    prefix: str,
    blocks: Sequence[tuple[str, int]] = (),
) -> list[Strand]:
    """The strands of one log. `rank` fills in where the records name none; `prefix` goes before each metric's name.

    Rows without a value are dropped unless they are flagged NULL; those get NaN. `blocks` as in `Log`: these points
    need no sorting.
    """
    flags = _array(points["flags"], 0)
    if points["value"].null_count():
        keep = points["value"].is_not_null().to_numpy() | ((flags & np.uint16(Flag.NULL)) != 0)
        points, flags = points.filter(keep), flags[keep]
    if not len(points):
        return []
    ranks, step = _array(points["rank"], 0), _array(points["step"], 0)
    value, time = _array(points["value"], np.nan), _array(points["time"], np.nan)
    known = points["step"].is_not_null().to_numpy() if points["step"].null_count() else np.ones(len(points), np.bool_)
    sorted_ = sum(n for _, n in blocks) == len(points) and not bool(ranks.any())
    return [
        Strand(
            prefix + name, int(ranks[first]) or rank or 0, stream, step[at], known[at], value[at], time[at], flags[at],
            np.full(len(step[at]), file) if file else np.zeros(len(step[at]), np.int64),
        )
        for name, first, at in (_parts(blocks) if sorted_ else _sorted(points["metric"], ranks))
    ]  # fmt: skip


def _array(series: pl.Series, default: float) -> np.ndarray:
    """The values, with the default in place of nulls. (Every method of a series that is an expression costs as much as
    a thousand values, so that the usual case does without.)"""
    nulls = series.null_count()
    if nulls == len(series):
        return np.full(len(series), default, series.head(0).to_numpy().dtype)
    return series.fill_null(default).to_numpy() if nulls else series.to_numpy()


def _parts(blocks: Sequence[tuple[str, int]]) -> Iterator[tuple[str, int, slice | Ints]]:
    """Name, first row and rows of each block."""
    start = 0
    for name, n in blocks:
        if n:
            yield name, start, slice(start, start + n)
        start += n


def _sorted(metric: pl.Series, ranks: NDArray[np.int32]) -> Iterator[tuple[str, int, slice | Ints]]:
    """Name, first row and rows of each metric of each rank, in order of first appearance."""
    metric = metric.fill_null("")
    code = metric.cast(pl.Enum(metric.unique(maintain_order=True))).to_physical().to_numpy().astype(np.int64)
    if bool(ranks.any()):
        low = int(ranks.min())
        code = code * (int(ranks.max()) - low + 1) + (ranks - low)
    order = np.argsort(code, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(code[order])) + 1)
    for at in sorted(parts, key=lambda part: int(part[0])):
        yield str(metric[int(at[0])]), int(at[0]), at


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


def frame(strands: Sequence[Strand]) -> pl.DataFrame:
    """The frame of `model.ASSEMBLED` that holds all strands, one after the other; every step must be known."""
    strands = [s for s in strands if len(s)]
    if not strands:
        return pl.DataFrame(schema=dict(ASSEMBLED))
    lengths = [len(s) for s in strands]
    total = sum(lengths)
    timed = any(bool(np.isfinite(s.time).any()) for s in strands)
    columns: dict[str, object] = {
        "metric": spelled([s.metric for s in strands], lengths),
        "step": np.concatenate([s.step for s in strands]),
        "value": np.concatenate([s.value for s in strands]),
        "time": _times(np.concatenate([s.time for s in strands])) if timed else nothing(total),
        "rank": np.repeat(np.array([s.rank for s in strands], dtype=np.int32), lengths),
        "flags": np.concatenate([s.flags for s in strands]),
        "segment": _laid([s.segment for s in strands], lengths, np.int64),
        "superseded": _laid([s.superseded for s in strands], lengths, np.bool_),
    }
    return pl.DataFrame(columns, schema=dict(ASSEMBLED))


def spelled(names: Sequence[str], lengths: Sequence[int]) -> pl.Series:
    """Each name so many times."""
    if len(names) > _MANY_NAMES:
        series = pl.Series("metric", names, dtype=pl.String)
        return series.gather(np.repeat(np.arange(len(names), dtype=np.uint32), lengths))
    parts = [pl.Series("metric", [s]).new_from_index(0, n) for s, n in zip(names, lengths, strict=True)]
    return pl.concat(parts)


def _times(time: Floats) -> pl.Series:
    series = pl.Series(time)
    return series.fill_nan(None) if bool(np.isnan(time).any()) else series


def nothing(n: int) -> pl.Series:
    """So many nulls in place of floats."""
    return pl.Series([None], dtype=pl.Float64).new_from_index(0, n)


def _laid(parts: Sequence[np.ndarray], lengths: Sequence[int], kind: type[np.generic]) -> np.ndarray:
    """The parts end to end, zeros for those that are empty yet."""
    if not any(len(p) for p in parts):
        return np.zeros(sum(lengths), kind)
    return np.concatenate([p if len(p) else np.zeros(n, kind) for p, n in zip(parts, lengths, strict=True)])
