"""Block: the points of one metric of one rank as arrays; what readers and statistics share without a frame between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.core.series import Floats, Ints, Series

Bools = NDArray[np.bool_]
#: Up to so many names, as many calls cost less than the query that a gather is.
_MANY_NAMES = 100


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Points of one metric of one rank, all arrays [n] in file order.

    step:       int64; 0 where `known` is false
    value:      float64; NaN and inf kept
    time:       float64 in seconds, NaN where unknown; None without a clock
    flags:      bits of `model.Flag`; None where none is set
    known:      the record had a step; None where every one had
    segment:    0, then +1 at every restart; None before restarts were looked for, or where there was none
    superseded: a later segment wrote this step again; None where no step was
    """

    metric: str
    rank: int
    step: Ints
    value: Floats
    time: Floats | None = None
    flags: NDArray[np.uint16] | None = None
    known: Bools | None = None
    segment: Ints | None = None
    superseded: Bools | None = None

    def __len__(self) -> int:
        return len(self.value)

    def series(self) -> Series | None:
        """The points as a series: superseded ones out, the last write of a step wins; None where none is left.

        The arrays are shared with the block where none has to be left out.
        """
        step, value, time = self.step, self.value, self.time
        keep = _both(self.known, None if self.superseded is None else ~self.superseded)
        if keep is not None and not bool(keep.all()):
            step, value, time = step[keep], value[keep], None if time is None else time[keep]
        if not len(step):
            return None
        if not bool((step[1:] > step[:-1]).all()):
            order = np.argsort(step, kind="stable")
            order = order[np.append(step[order][1:] != step[order][:-1], True)]
            step, value, time = step[order], value[order], None if time is None else time[order]
        if time is not None and np.isnan(time[0]) and bool(np.isnan(time).all()):
            time = None
        return Series(step, value, self.metric, time)


#: The arrays of a block: what they hold, and what stands for one that is not there.
_ARRAYS: Mapping[str, tuple[type[np.generic], float]] = {
    "step": (np.int64, 0),
    "value": (np.float64, np.nan),
    "time": (np.float64, np.nan),
    "flags": (np.uint16, 0),
    "known": (np.bool_, 1),
    "segment": (np.int64, 0),
    "superseded": (np.bool_, 0),
}


def _both(a: Bools | None, b: Bools | None) -> Bools | None:
    if a is None or b is None:
        return b if a is None else a
    return a & b


def by_rank(block: Block, ranks: NDArray[np.int32]) -> tuple[Block, ...]:
    """The block cut by the rank of each point, in order of first appearance."""
    found, first, place = np.unique(ranks, return_index=True, return_inverse=True)
    return tuple(part(block, int(found[i]), np.flatnonzero(place == i)) for i in np.argsort(first))


def part(b: Block, rank: int, rows: Ints) -> Block:
    """The points at these rows, as a block of that rank."""
    columns: dict[str, Any] = {name: None if (a := getattr(b, name)) is None else a[rows] for name in _ARRAYS}
    return Block(b.metric, rank, **columns)


def joined(blocks: Sequence[Block]) -> Block:
    """Blocks of one metric and rank end to end."""
    first = blocks[0]
    if len(blocks) == 1:
        return first
    columns: dict[str, Any] = {}
    for name, (kind, fill) in _ARRAYS.items():
        parts = [getattr(b, name) for b in blocks]
        if any(p is not None for p in parts):
            columns[name] = _laid(parts, [len(b) for b in blocks], kind, fill)
    return Block(first.metric, first.rank, **columns)


def to_frame(blocks: Sequence[Block], schema: Mapping[str, type[pl.DataType]]) -> pl.DataFrame:
    """The frame of `schema` (`model.POINTS` or `model.ASSEMBLED`) that holds all blocks, one after the other."""
    blocks = [b for b in blocks if len(b)]
    if not blocks:
        return pl.DataFrame(schema=dict(schema))
    lengths = [len(b) for b in blocks]
    step = pl.Series("step", np.concatenate([b.step for b in blocks]))
    if any(b.known is not None for b in blocks):
        step = step.set(pl.Series(~_laid([b.known for b in blocks], lengths, np.bool_, 1)), None)
    # each is a series at once: an array of it that waits for the others would be held twice
    columns = {
        "metric": _spelled([b.metric for b in blocks], lengths),
        "step": step,
        "time": _times([b.time for b in blocks], lengths),
        "rank": pl.Series(np.repeat(np.array([b.rank for b in blocks], dtype=np.int32), lengths)),
    }
    for name in schema.keys() - columns.keys():
        columns[name] = _column(name, [getattr(b, name) for b in blocks], lengths, schema[name])
    # a list of series is taken as it is: a mapping with a schema would be looked at value by value
    return pl.DataFrame([columns[name].alias(name) for name in schema])


def as_frame(data: pl.DataFrame | Sequence[Block], schema: Mapping[str, type[pl.DataType]]) -> pl.DataFrame:
    """Points that are a frame already, or the frame of these blocks."""
    return data if isinstance(data, pl.DataFrame) else to_frame(data, schema)


def _spelled(names: Sequence[str], lengths: Sequence[int]) -> pl.Series:
    """Each name so many times."""
    if len(names) > _MANY_NAMES:
        series = pl.Series("metric", names, dtype=pl.String)
        return series.gather(np.repeat(np.arange(len(names), dtype=np.uint32), lengths))
    parts = [_one(s, pl.String).new_from_index(0, n) for s, n in zip(names, lengths, strict=True)]
    return pl.concat(parts) if len(parts) > 1 else parts[0]


def _column(
    name: str, parts: Sequence[NDArray[Any] | None], lengths: Sequence[int], kind: type[pl.DataType]
) -> pl.Series:
    if all(p is None for p in parts):
        return _same(_ARRAYS[name][1], sum(lengths), kind)
    return pl.Series(_laid(parts, lengths, *_ARRAYS[name])).cast(kind)


def _same(value: float | None, n: int, kind: type[pl.DataType]) -> pl.Series:
    """One value so many times, None for nulls."""
    return _one(value, kind).new_from_index(0, n)


@lru_cache(maxsize=512)  # the runs of a tree have few others
def _one(value: str | float | None, kind: type[pl.DataType]) -> pl.Series:
    return pl.Series("", [value], dtype=kind, strict=False)


def _times(parts: Sequence[Floats | None], lengths: Sequence[int]) -> pl.Series:
    if all(p is None for p in parts):
        return _same(None, sum(lengths), pl.Float64)
    time = _laid(parts, lengths, np.float64, np.nan)
    unknown = np.isnan(time)
    if bool(unknown.all()):
        return _same(None, len(time), pl.Float64)
    series = pl.Series(time)
    return series.fill_nan(None) if bool(unknown.any()) else series


def _laid(
    parts: Sequence[NDArray[Any] | None], lengths: Sequence[int], kind: type[np.generic], fill: float = 0
) -> NDArray[Any]:
    """The parts end to end, `fill` for those that are not there."""
    if all(p is None for p in parts):
        return np.full(sum(lengths), fill, kind)
    return np.concatenate([np.full(n, fill, kind) if p is None else p for p, n in zip(parts, lengths, strict=True)])


def of_frame(points: pl.DataFrame) -> tuple[Block, ...]:
    """The blocks of a frame of `model.ASSEMBLED`; rows without a rank, a step or a value stand in none."""
    if not len(points):
        return ()
    value, step, old = points["value"], points["step"], points["superseded"].fill_null(True)
    if step.null_count() or value.null_count():
        keep = step.is_not_null() & value.is_not_null()
        points = points.filter(keep)
        return of_frame(points)
    columns = {
        "step": step.to_numpy(),
        "value": value.to_numpy(),
        "time": points["time"].fill_null(np.nan).to_numpy() if points["time"].null_count() < len(points) else None,
        "flags": _unless_zero(points["flags"].fill_null(0).to_numpy()),
        "segment": _unless_zero(points["segment"].fill_null(0).to_numpy()),
        "superseded": _unless_zero(old.to_numpy()),
    }
    out = []
    for (name, rank), parts in _rows(points).items():
        rows: slice | Ints = parts[0]
        if len(parts) > 1:
            rows = np.concatenate([np.arange(p.start, p.stop) for p in parts])
        cut: dict[str, Any] = {key: None if array is None else array[rows] for key, array in columns.items()}
        out.append(Block(name, rank, **cut))
    return tuple(out)


def _unless_zero(array: NDArray[Any]) -> NDArray[Any] | None:
    return array if bool(array.any()) else None


def _rows(points: pl.DataFrame) -> dict[tuple[str, int], list[slice]]:
    """Where each metric of each rank stands, in order of first appearance."""
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


def restarts_of(blocks: Sequence[Block]) -> Series:
    """One row per restart: the step it went back to, value the step it came from."""
    rows = _restarted(blocks)
    steps = sorted(rows)
    return Series(np.array(steps, dtype=np.int64), np.array([rows[s] for s in steps], dtype=np.float64), "restarts")


def _restarted(blocks: Sequence[Block]) -> dict[int, float]:
    """Where the step counter went back to -> where it came from."""
    rows: dict[int, float] = {}
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    # what never went back, as evaluations seldom do, tells nothing of where the others did
    went_back = [b for b in blocks if b.segment is not None and len(b) and b.segment.min() < b.segment.max()]
    for b in went_back or [b for b in blocks if b.segment is not None]:
        segment = b.segment
        assert segment is not None, "chosen for having them"
        order = np.argsort(segment, kind="stable")
        names, starts = np.unique(segment[order], return_index=True)
        lowest, highest = (ends.reduceat(b.step[order], starts) for ends in (np.minimum, np.maximum))
        for at, least, most in zip(names.tolist(), lowest.tolist(), highest.tolist(), strict=True):
            low, high = spans.get((b.rank, at), (least, most))
            spans[b.rank, at] = min(low, least), max(high, most)
    previous: dict[int, int] = {}
    for (rank, _), (low, high) in sorted(spans.items()):
        if rank in previous and low <= previous[rank]:
            rows[low] = float(previous[rank])
        previous[rank] = max(high, previous.get(rank, high))
    return rows
