"""Lines of a text that say again what a line before them said."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.ingest.text.cells import LineNumbers
from curvedoc.ingest.text.line.plan import LinePlan, shape_of
from curvedoc.ingest.text.line.slots import COUNTERS, METRIC

#: Two handlers write the lines of a whole log twice; lines that happen to be alike are fewer.
_TWICE = 1 / 3
#: Lines of one shape that say again what was said, as often as this, were made for that ("best so far: 0.93").
_ECHO = 0.8
#: How far a value that was rounded for print may be from itself.
_SAME = 1e-3

#: A record that is spread over more lines is none that two handlers write.
_BLOCK = 40

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def repeated(events: pl.DataFrame, cells: LineNumbers, plans: list[LinePlan]) -> Bools:
    """Which lines (columns idx, tid) only repeat: each one that a second handler wrote right below the first, and those
    without a counter whose values lines of another kind give for the same metrics."""
    tid = events["tid"].to_numpy()
    out = np.zeros(len(tid), bool)
    if len(tid) > 1:
        out = _twice(events["idx"].to_numpy(), tid, cells, plans)
        once = ~out
        out[once] = _blocks(_kept(cells, once), tid[once])
        once = ~out
        out[once] = _echoes(_kept(cells, once), tid[once], plans)
        out |= _evaluated_again(cells, tid, plans)
    return out


def _kept(cells: LineNumbers, once: Bools) -> LineNumbers:
    return cells if bool(once.all()) else cells.only(once)


def _evaluated_again(cells: LineNumbers, tid: Ints, plans: list[LinePlan]) -> Bools:
    """Lines right below an evaluation that give its values once more without saying so: the program printed what
    `evaluate` returned."""
    bare = [{s.name.removeprefix(f"{p.scope} "): s for s in p.slots if s.role == METRIC} for p in plans]
    out = np.zeros(len(tid), bool)
    seen = np.array([p.scope not in ("", "train", "other") for p in plans], bool)[tid]
    open_ = np.array([not p.scope and len(names) > 1 for p, names in zip(plans, bare, strict=True)], bool)[tid]
    for i in (np.flatnonzero(seen[:-1] & open_[1:]) + 1).tolist():
        if bare[tid[i]].keys() <= bare[tid[i - 1]].keys():
            above, mine = _told(cells, i - 1, plans[tid[i - 1]].scope), _told(cells, i, "")
            out[i] = all(abs(above.get(name, np.inf) - v) <= _SAME * abs(v) for name, v in mine.items())
    often, of = (np.bincount(tid, held, minlength=len(plans)) for held in (out, None))
    return out & (often >= _ECHO * np.maximum(of, 1))[tid]


def _told(cells: LineNumbers, line: int, scope: str) -> dict[str, float]:
    """What a line measures, by the names without its scope."""
    a, b = np.searchsorted(cells.line, [line, line + 1])
    own = [i for i in range(a, b) if cells.kind[i] == METRIC]
    return {cells.names[cells.name[i]].removeprefix(f"{scope} "): float(cells.value[i]) for i in own}


def _twice(idx: Ints, tid: Ints, cells: LineNumbers, plans: list[LinePlan]) -> Bools:
    """Lines with the same names and numbers as the one right above; none unless this is the habit of the log."""
    count = np.bincount(cells.line, minlength=cells.n)
    first = np.concatenate([[0], np.cumsum(count)[:-1]])
    counted = np.array([p.counted for p in plans], bool)[tid]
    alike = np.zeros(cells.n, bool)
    alike[1:] = (np.diff(idx) == 1) & (count[1:] == count[:-1]) & (count[1:] > 0)
    alike[1:] &= (tid[1:] != tid[:-1]) | counted[1:]
    at = np.flatnonzero(alike)
    if len(at) < _TWICE * cells.n:
        return np.zeros(cells.n, bool)
    mine = np.repeat(first[at], count[at]) + _within(count[at])
    above = np.repeat(first[at - 1], count[at]) + _within(count[at])
    value = cells.value
    same = (value[mine] == value[above]) | (np.isnan(value[mine]) & np.isnan(value[above]))
    same &= (cells.name[mine] == cells.name[above]) & (cells.kind[mine] == cells.kind[above])
    held = np.bincount(np.repeat(np.arange(len(at)), count[at]), same, minlength=len(at)) == count[at]
    out = np.zeros(cells.n, bool)
    out[at[held]] = True
    out[1:] &= ~out[:-1]  # of three alike, the third repeats the second no more than the first
    records = int((np.array([p.kind == "record" for p in plans], bool)[tid]).sum())
    return out if int(out.sum()) >= _TWICE * max(records, 1) else np.zeros(cells.n, bool)


def _blocks(cells: LineNumbers, tid: Ints) -> Bools:
    """The lines of records that are spread over several, each of which is written again right below by another handler:
    its first line is of another shape. None unless this is the habit of the log."""
    out = np.zeros(cells.n, bool)
    heads: dict[int, int] = {}
    size = _size_of_blocks(cells, tid, heads)
    if not size:
        return out
    said = _said(cells)
    row = size
    while row + size <= cells.n:
        block = range(row, row + size)
        if heads.get(int(tid[row])) == int(tid[row - size]) and all(said[i] == said[i - size] for i in block):
            out[row : row + size] = True
            row += size
        row += 1
    return out if int(out.sum()) >= _TWICE * cells.n else np.zeros(cells.n, bool)


def _size_of_blocks(cells: LineNumbers, tid: Ints, heads: dict[int, int]) -> int:
    """How many lines such a record has, 0 for none; which shape stands for which goes to `heads`."""
    if not len(tid) or bool((tid == tid[0]).all()):
        return 0
    value = cells.column(METRIC, cells.value)
    name = cells.column(METRIC, cells.name.astype(np.float64))
    for size in range(2, min(_BLOCK, cells.n // 2) + 1):
        begun = np.flatnonzero(tid[size:] != tid[:-size]) + size
        if len(begun) * size >= _TWICE * cells.n:  # most logs are nearly all of one shape
            begun = begun[(value[begun] == value[begun - size]) & (name[begun] == name[begun - size])]
        if len(begun) * size >= _TWICE * cells.n:
            heads.update(zip(tid[begun].tolist(), tid[begun - size].tolist(), strict=True))
            return size
    return 0


def _said(cells: LineNumbers) -> list[tuple[tuple[int, float], ...]]:
    """The names and the values of each line."""
    said: list[list[tuple[int, float]]] = [[] for _ in range(cells.n)]
    for line, name, value in zip(cells.line.tolist(), cells.name.tolist(), cells.value.tolist(), strict=True):
        said[line].append((name, value))
    return [tuple(pairs) for pairs in said]


def _within(count: Ints) -> Ints:
    """0, 1 ... for each run of so many."""
    return np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)


def _echoes(cells: LineNumbers, tid: Ints, plans: list[LinePlan]) -> Bools:
    """Lines of plans without a counter that nearly always say what the line of another kind before or behind says."""
    metric = np.flatnonzero(cells.kind == METRIC)
    free = np.array([bool(p.slots) and all(s.role not in COUNTERS for s in p.slots) for p in plans], bool)
    again = np.zeros(cells.n, bool)
    if not len(metric) or not bool(free[tid].any()) or bool(free[tid].all()):
        return again
    order = metric[np.lexsort((metric, cells.name[metric]))]
    name, line, value = cells.name[order], cells.line[order], cells.value[order]
    shape = {names: i for i, names in enumerate(dict.fromkeys(shape_of(p) for p in plans))}
    kind = np.array([shape[shape_of(p)] for p in plans])[tid[line]]
    same = (name[1:] == name[:-1]) & (kind[1:] != kind[:-1])
    with np.errstate(invalid="ignore", over="ignore"):  # a printed inf stands for itself
        same &= (value[1:] == value[:-1]) | (np.abs(value[1:] - value[:-1]) <= _SAME * np.abs(value[1:]))
    told = np.zeros(len(order), bool)
    told[1:] |= same
    told[:-1] |= same
    held = np.bincount(line, told, minlength=cells.n) == np.bincount(line, minlength=cells.n)
    of = np.bincount(tid, minlength=len(plans))
    held &= np.bincount(line, minlength=cells.n) > 0
    echo = np.bincount(tid, held & free[tid], minlength=len(plans)) >= _ECHO * np.maximum(of, 1)
    again[:] = held & (echo & free)[tid]
    return again
