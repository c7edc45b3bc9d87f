"""A table that several trainings wrote one after another, as one log each."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from curvedoc.core.block import Block, part
from curvedoc.core.run import empty_messages
from curvedoc.core.series import Floats, Ints
from curvedoc.ingest.contract import Log
from curvedoc.ingest.naming.signals import plain
from curvedoc.ingest.naming.word_set import word_set
from curvedoc.ingest.trainings.starts import Bools, Progress, cut, returns, starts
from curvedoc.ingest.trainings.workers import OneOfSeveral, by_settings

#: Formats that a program opens to append to; every other begins a file, a folder or a run of its own.
_APPENDED = ("csv", "jsonl")
_EPOCH = word_set("epoch epochs")
#: Columns that name the run which a row is of.
_NAMING = word_set("seed fold trial replicate run")


def trainings_in(log: Log) -> list[Log]:
    """The trainings of a table of records, the log itself where it holds one or cannot be cut."""
    if log.format not in _APPENDED or log.run is not None or not isinstance(log.data, tuple):
        return [log]
    blocks = _placed([b for b in log.data if len(b)])
    main = _main(blocks)
    if main is None or main.known is not None:
        return [log]
    step = main.step.astype(np.float64)
    # rows that were numbered here count nothing, but parts of an epoch may
    step = _epochs(blocks, main) if log.axis == "row" else step
    if not np.count_nonzero(step[1:] < step[:-1]):
        return [log]
    apart = by_settings(blocks, step) if bool(np.isfinite(step).all()) else []
    if apart:
        return [_of_settings(log, one) for one in apart]
    epoch = step if log.axis in ("epoch", "row") else np.full(len(step), np.nan)
    p = Progress(epoch, step, main.value)
    at = starts(p, returns(p), _announced(blocks, main))
    if not at:
        return [log]
    rows = [r for b in blocks if (r := _rows(b, main, at, log.axis == "row")) is not None]
    if len(rows) < len(blocks):
        return [log]
    out = []
    for k, (first, last) in enumerate(cut(at, len(main))):
        data = tuple(part(b, b.rank, np.arange(*r[k])) for b, r in zip(blocks, rows, strict=True) if r[k][0] < r[k][1])
        axis = log.axis
        if axis == "row":  # numbered over the whole file
            data, axis = _renumbered(data, main.step[first:last], p.epoch[first:last])
        messages = log.messages if k == len(at) else empty_messages()
        out.append(replace(log, data=data, axis=axis, run=str(k + 1), messages=messages))
    return out


def _of_settings(log: Log, one: OneOfSeveral) -> Log:
    """One of the trainings that were written by turns: called by its settings, counted by its epochs where each row has
    one."""
    data, axis = one.data, log.axis
    if axis == "row":
        epoch = _epochs(data, data[0])
        data, axis = _renumbered(data, data[0].step, epoch)
    name = " ".join(f"{k} {v:.6g}" for k, v in one.config.items())
    return replace(log, data=data, axis=axis, run=name, config={**log.config, **one.config})


def _placed(blocks: list[Block]) -> list[Block]:
    """The blocks with the numbers of their records for steps, where only a clock was known and the records can be told
    from it, or each holds every metric."""
    if not blocks or any(b.known is None or bool(b.known.any()) for b in blocks):
        return blocks
    if len({len(b) for b in blocks}) == 1:
        return [replace(b, step=np.arange(len(b)), known=None) for b in blocks]
    if any(b.time is None or not bool((np.diff(b.time) > 0).all()) for b in blocks):
        return blocks
    every = np.unique(np.concatenate([b.time for b in blocks if b.time is not None]))
    return [replace(b, step=np.searchsorted(every, b.time), known=None) for b in blocks if b.time is not None]


def _renumbered(data: Sequence[Block], row: Ints, epoch: Floats) -> tuple[tuple[Block, ...], str]:
    """The blocks of one training, of which `row` and `epoch` are those of the main curve: by the epoch where it tells
    all rows apart, else by the rows from its first one on."""
    known = [b for b in data if bool(np.isin(b.step, row).all())]
    if len(known) == len(data) and bool((np.diff(epoch) > 0).all()) and bool((epoch == np.floor(epoch)).all()):
        told = [b for b in data if plain(b.metric) not in _EPOCH]
        return tuple(replace(b, step=epoch[np.searchsorted(row, b.step)].astype(np.int64)) for b in told), "epoch"
    return tuple(replace(b, step=b.step - row[0]) for b in data), "row"


def _announced(blocks: Sequence[Block], main: Block) -> Bools:
    """The rows at which a column that names the run, as by its seed or fold, takes another value."""
    out = np.zeros(len(main), bool)
    for b in blocks:
        if plain(b.metric).split("_")[-1] in _NAMING and len(b) == len(main) and bool((b.step == main.step).all()):
            out[1:] |= np.diff(b.value) != 0.0
    return out


def _main(blocks: Sequence[Block]) -> Block | None:
    """The curve that tells how far the training is: the longest, a loss before others."""
    ranks = {b.rank for b in blocks}
    first = [b for b in blocks if b.rank == min(ranks)]
    longest = max((len(b) for b in first), default=0)
    fit = [b for b in first if 2 * len(b) >= longest]
    return max(fit, key=lambda b: ("loss" in b.metric.lower() and "val" not in b.metric.lower(), len(b)), default=None)


def _epochs(blocks: Sequence[Block], main: Block) -> Floats:
    """The epoch of each row of the main curve, NaN where no column says so."""
    for b in blocks:
        if plain(b.metric) in _EPOCH and b.rank == main.rank and bool(np.isin(main.step, b.step).all()):
            return b.value[np.searchsorted(b.step, main.step)]
    return np.full(len(main), np.nan)


def _rows(b: Block, main: Block, at: Sequence[int], numbered: bool) -> list[tuple[int, int]] | None:
    """The rows of each training in a block: those of the main curve, or where its own steps fall as often, or all in
    the one whose steps they have, or as its steps come among those of the main curve; by their place in the file where
    that is what their steps are (`numbered`)."""
    if numbered:
        return cut(np.searchsorted(b.step, main.step[list(at)]).tolist(), len(b))
    if len(b) == len(main) and bool((b.step == main.step).all()):
        return cut(at, len(b))
    own = (np.flatnonzero(np.diff(b.step) < 0) + 1).tolist()
    if len(own) == len(at):
        return cut(own, len(b))
    # a metric of a table with a header of its own: all of one training
    mine = [k for k, (first, last) in enumerate(cut(at, len(main))) if np.array_equal(b.step, main.step[first:last])]
    if len(mine) == 1:
        return [(0, len(b) if k == mine[0] else 0) for k in range(len(at) + 1)]
    among = _among(b.step, main.step)
    return None if among is None else cut(np.searchsorted(among, at).tolist(), len(b))


def _among(some: Ints, every: Ints) -> list[int] | None:
    """The places of some steps among all of them, each behind the one before; None where they come in another order."""
    places: dict[int, list[int]] = {}
    for place, step in enumerate(every.tolist()):
        places.setdefault(step, []).append(place)
    out: list[int] = []
    for step in some.tolist():
        mine = places.get(step, [])
        at = bisect(mine, out[-1]) if out else 0
        if at == len(mine):
            return None
        out.append(mine[at])
    return out
