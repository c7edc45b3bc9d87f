"""Strands: the points of one metric of one rank from one stream of files, as arrays in file order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.model import ASSEMBLED, Flag
from curvedoc.series import Floats, Ints

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
    flags = points["flags"].fill_null(0).to_numpy()
    keep = points["value"].is_not_null().to_numpy() | ((flags & np.uint16(Flag.NULL)) != 0)
    if not bool(keep.all()):
        points, flags = points.filter(keep), flags[keep]
    if not len(points):
        return []
    ranks = points["rank"].fill_null(0).to_numpy()
    known = points["step"].is_not_null().to_numpy() if points["step"].null_count() else np.ones(len(points), np.bool_)
    step = points["step"].fill_null(0).to_numpy()
    value = points["value"].fill_null(float("nan")).to_numpy()
    time = points["time"].fill_null(float("nan")).to_numpy()
    sorted_ = sum(n for _, n in blocks) == len(points) and not bool(ranks.any())
    return [
        Strand(
            prefix + name, int(ranks[first]) or rank or 0, stream, step[at], known[at], value[at], time[at], flags[at],
            np.full(len(step[at]), file) if file else np.zeros(len(step[at]), np.int64),
        )
        for name, first, at in (_parts(blocks) if sorted_ else _sorted(points["metric"], ranks))
    ]  # fmt: skip


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
    names = pl.Series("metric", [s.metric for s in strands], dtype=pl.String)
    timed = any(bool(np.isfinite(s.time).any()) for s in strands)
    columns: dict[str, object] = {
        "metric": names.gather(np.repeat(np.arange(len(strands), dtype=np.uint32), lengths)),
        "step": np.concatenate([s.step for s in strands]),
        "value": np.concatenate([s.value for s in strands]),
        "time": pl.Series(np.concatenate([s.time for s in strands])).fill_nan(None) if timed else _nothing(total),
        "rank": np.repeat(np.array([s.rank for s in strands], dtype=np.int32), lengths),
        "flags": np.concatenate([s.flags for s in strands]),
        "segment": _laid([s.segment for s in strands], lengths, np.int64),
        "superseded": _laid([s.superseded for s in strands], lengths, np.bool_),
    }
    return pl.DataFrame(columns, schema=dict(ASSEMBLED))


def _nothing(n: int) -> pl.Series:
    return pl.repeat(None, n, dtype=pl.Float64, eager=True)


def _laid(parts: Sequence[np.ndarray], lengths: Sequence[int], kind: type[np.generic]) -> np.ndarray:
    """The parts end to end, zeros for those that are empty yet."""
    if not any(len(p) for p in parts):
        return np.zeros(sum(lengths), kind)
    return np.concatenate([p if len(p) else np.zeros(n, kind) for p, n in zip(parts, lengths, strict=True)])
