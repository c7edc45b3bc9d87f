"""A metric's points as a reader lays them out, and the blocks that are made of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.block import Block, as_frame, by_rank, joined
from curvedoc.core.frozen import dataclass
from curvedoc.core.run import POINTS, Flag, Note
from curvedoc.ingest.table.messages import clean


@dataclass(frozen=True, slots=True)
class LogCurve:
    """One metric's points as arrays of one length: NaN where step or time is unknown."""

    metric: str
    step: NDArray[np.float64]
    value: NDArray[np.float64]
    time: NDArray[np.float64]
    rank: NDArray[np.int32]
    flags: NDArray[np.uint16]

    @classmethod
    def plain(cls, metric: str, step: NDArray[np.float64], value: NDArray[np.float64]) -> LogCurve:
        """Points of one process without clock and flags."""
        n = len(value)
        return cls(metric, step, value, np.full(n, np.nan), np.zeros(n, np.int32), np.zeros(n, np.uint16))


def mark_filtered(curves: Sequence[LogCurve]) -> tuple[list[LogCurve], tuple[Note, ...]]:
    """The curves with Flag.FILTERED on each loss of exactly 0 whose gradient norm is NaN at that step.

    The Trainer of Hugging Face replaces a non-finite loss by default (`logging_nan_inf_filter`), but no gradient norm;
    `nan_to_num` in a training loop leaves the same trace.
    """
    norms = {c.metric: c for c in curves if c.metric.endswith("grad_norm")}
    out: list[LogCurve] = []
    hits = 0
    for c in curves:
        norm = norms.get(c.metric.removesuffix("loss") + "grad_norm") if c.metric.endswith("loss") else None
        lost = None if norm is None else np.isnan(norm.value)
        if norm is not None and lost is not None and lost.any():
            hit = (c.value == 0.0) & np.isin(c.step, norm.step[lost])
            hits += int(hit.sum())
            c = replace(c, flags=c.flags | np.where(hit, Flag.FILTERED, 0).astype(np.uint16))
        out.append(c)
    text = "a loss of exactly 0 beside a NaN gradient norm: a non-finite loss was replaced before it was logged"
    return out, (Note("nan-filtered", text, count=hits),) if hits else ()


def points_of(curves: Sequence[LogCurve]) -> tuple[Block, ...]:
    """The curves as blocks; those of one name and rank are joined, in their order."""
    # most curves share the arrays of their records: these are looked at once
    steps = {key: _whole(step) for key, step in {id(c.step): c.step for c in curves}.items()}
    times = {key: _clock(time) for key, time in {id(c.time): c.time for c in curves}.items()}
    ranked = {key: bool(rank.any()) for key, rank in {id(c.rank): c.rank for c in curves}.items()}
    found: dict[tuple[str, int], list[Block]] = {}
    for c in curves:
        step, known = steps[id(c.step)]
        flags = c.flags if c.flags.any() else None
        block = Block(clean(c.metric), 0, step, c.value, times[id(c.time)], flags, known)
        for part in by_rank(block, c.rank) if ranked[id(c.rank)] else (block,):
            found.setdefault((part.metric, part.rank), []).append(part)
    return tuple(joined(parts) for parts in found.values())


def _clock(time: NDArray[np.float64]) -> NDArray[np.float64] | None:
    good = np.isfinite(time)
    return None if not good.any() else time if good.all() else np.where(good, time, np.nan)


def _whole(step: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_] | None]:
    """Steps as whole numbers, 0 where there is none, and where there is one (None: everywhere)."""
    known = np.isfinite(step) & (np.abs(step) < 2**62)
    if known.all():
        return step.astype(np.int64), None
    return np.where(known, step, 0).astype(np.int64), known


def end_to_end(parts: Sequence[pl.DataFrame | tuple[Block, ...]]) -> pl.DataFrame | tuple[Block, ...]:
    """The points of several tables, in file order."""
    of: dict[tuple[str, int], list[Block]] = {}
    for part in parts:
        if isinstance(part, pl.DataFrame):
            return pl.concat([as_frame(p, POINTS) for p in parts])
        for b in part:
            of.setdefault((b.metric, b.rank), []).append(b)
    return tuple(joined(blocks) for blocks in of.values())
