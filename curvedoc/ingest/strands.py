"""Strands: the points of one metric of one rank from one stream of files, as arrays in file order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


def unravel(points: pl.DataFrame, stream: int, file: int, rank: int | None, prefix: str) -> list[Strand]:
    """The strands of one log. `rank` fills in where the records name none; `prefix` goes before each metric's name.

    Rows without a value are dropped unless they are flagged NULL; those get NaN.
    """
    flags = points["flags"].fill_null(0).to_numpy()
    keep = points["value"].is_not_null().to_numpy() | ((flags & np.uint16(Flag.NULL)) != 0)
    if not bool(keep.all()):
        points, flags = points.filter(keep), flags[keep]
    if not len(points):
        return []
    metric = points["metric"].fill_null("")
    names = metric.unique(maintain_order=True)
    code = metric.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)
    ranks = points["rank"].fill_null(0).to_numpy().astype(np.int64)
    many = bool(ranks.any())
    known = points["step"].is_not_null().to_numpy()
    step = points["step"].fill_null(0).to_numpy()
    value = points["value"].fill_null(float("nan")).to_numpy()
    time = points["time"].fill_null(float("nan")).to_numpy()
    if many:
        span = int(ranks.max()) - int(ranks.min()) + 1
        code = code * span + (ranks - int(ranks.min()))
    order = np.argsort(code, kind="stable")
    cuts = np.flatnonzero(np.diff(code[order])) + 1
    found: list[tuple[int, Strand]] = []
    for at in np.split(order, cuts):
        own = int(ranks[at[0]])
        named = str(metric[int(at[0])])
        strand = Strand(
            prefix + named, own or rank or 0, stream, step[at], known[at], value[at], time[at], flags[at],
            np.full(len(at), file, dtype=np.int64),
        )  # fmt: skip
        found.append((int(at[0]), strand))
    return [s for _, s in sorted(found, key=lambda f: f[0])]


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
    code = np.repeat(np.arange(len(strands)), lengths)
    names = pl.Series("metric", [s.metric for s in strands], dtype=pl.String)
    time = pl.Series("time", np.concatenate([s.time for s in strands])).fill_nan(None)
    zero = [np.zeros(n, dtype=np.int64) for n in lengths]
    never = [np.zeros(n, dtype=np.bool_) for n in lengths]
    columns: dict[str, object] = {
        "metric": names.gather(code),
        "step": np.concatenate([s.step for s in strands]),
        "value": np.concatenate([s.value for s in strands]),
        "time": time,
        "rank": np.repeat(np.array([s.rank for s in strands], dtype=np.int32), lengths),
        "flags": np.concatenate([s.flags for s in strands]),
        "segment": np.concatenate([s.segment if len(s.segment) else z for s, z in zip(strands, zero, strict=True)]),
        "superseded": np.concatenate(
            [s.superseded if len(s.superseded) else z for s, z in zip(strands, never, strict=True)]
        ),
    }
    return pl.DataFrame(columns, schema=dict(ASSEMBLED))
