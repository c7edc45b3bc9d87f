"""NaN in rows of another kind: writers of tables fill with it what a row of training or evaluation does not hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.late_regex import late_regex

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Key = TypeVar("Key", int, str)

_NEVER_NAN = late_regex(
    r"(?:.*/)?(?:(?:lr|learning[ _-]?rate)(?:[-_/ ][\w-]+)?|epochs?|(?:global[ _])?steps?|(?:wall[ _])?time)"
)
#: Columns of another kind share no more than this part of their rows with those of the one,
_SHARED = 0.1
#: each comes back after the other so often,
_RETURNS = 3
#: and a table has few patterns of them.
_KINDS = 64
#: Values between so many gaps, at one distance nearly always, are evaluations.
_SPARSE, _EVEN = 0.5, 0.8
#: A table of more cells than that is not laid out.
_CELLS = 1 << 24


def sure(names: Iterable[str]) -> set[str]:
    """Names of what is never NaN where it is logged: rates, counters, clocks.

    >>> sorted(sure(["train_loss_step", "train/lr", "lr-Adam", "epoch", "color"]))
    ['epoch', 'lr-Adam', 'train/lr']
    """
    return {name for name in names if _NEVER_NAN.fullmatch(name.lower())}


def apart(columns: Mapping[Key, Floats], sure: Collection[Key] = ()) -> dict[Key, Bools]:
    """By column: the rows in which its NaN only says that they are of another kind, as evaluations among steps are.

    This column comes back after them, and columns of the other kind have hardly a number beside one of it; or several
    columns lack just these rows, which a rate and a loss that is lost do not. Columns without such rows are left out.
    columns: the values of columns of one length; sure: those that are never NaN by themselves, such as a rate.
    """
    nan = {key: np.isnan(value) for key, value in columns.items()}
    nan = {key: gap for key, gap in nan.items() if bool(gap.any())}
    kinds = {gap.tobytes(): gap for gap in nan.values()}
    if not kinds or len(kinds) > _KINDS:
        return {}
    shared = Counter(gap.tobytes() for gap in nan.values())
    never = {nan[key].tobytes() for key in sure if key in nan and not bool(nan[key].all())}
    rows = {}
    for kind, gap in kinds.items():
        rest = [~g for k, g in kinds.items() if k != kind]
        own = ~gap
        others = [t for t in rest if int((t & own).sum()) <= _SHARED * min(int(t.sum()), int(own.sum()))]
        if not others and shared[kind] > 1:
            others = [t for t in rest if bool(t[gap].all())]
        away = gap & np.logical_or.reduce(others) if others else np.zeros(len(gap), np.bool_)
        if kind in never and shared[kind] > 1:
            rows[kind] = gap
        elif int((away[:-1] & ~gap[1:]).sum()) >= _RETURNS:
            rows[kind] = away
    return {key: rows[gap.tobytes()] for key, gap in nan.items() if gap.tobytes() in rows}


def periodic(value: Floats) -> bool:
    """Whether a column is NaN for the most part and has its numbers at even distances, as evaluations have."""
    at = np.flatnonzero(~np.isnan(value))
    if len(at) <= _RETURNS or len(at) > (1 - _SPARSE) * len(value):
        return False
    apart_by = np.diff(at)
    return float(np.mean(np.abs(apart_by - np.median(apart_by)) <= 1)) >= _EVEN and float(np.median(apart_by)) > 1


def dropped(points: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Points (metric, step, value, rank) without the NaN of rows of another kind, and how many there were.

    A row is a step; where a metric has several values at one, or the ranks several, nothing is touched.
    """
    value = points["value"]
    lost = np.isnan(value.to_numpy())
    if value.null_count():
        lost &= value.is_not_null().to_numpy()
    if not bool(lost.any()) or points["rank"].n_unique() > 1 or points["step"].null_count():
        return points, 0
    steps, row = np.unique(points["step"].to_numpy(), return_inverse=True)
    names = points["metric"].unique(maintain_order=True).to_list()
    if len(names) * len(steps) > _CELLS:
        return points, 0
    code = points["metric"].replace_strict(names, list(range(len(names))), return_dtype=pl.Int64).to_numpy()
    written = np.zeros((len(names), len(steps)), np.bool_)
    written[code, row] = True
    if np.count_nonzero(written) < len(points):
        return points, 0
    cells = np.full((len(names), len(steps)), np.nan)
    cells[code, row] = points["value"].to_numpy()
    dense = dict(zip(names, cells, strict=True))
    gaps = apart(dense, sure(names))
    for name in set(points["metric"].filter(pl.Series(lost)).unique().to_list()) - gaps.keys():
        # judged by what was written alone: among steps, evaluations are rare even where all their values are there
        if periodic(points.filter(pl.col("metric") == name).sort("step")["value"].to_numpy()):
            gaps[name] = np.isnan(dense[name])
    gone = np.zeros((len(names), len(steps)), np.bool_)
    for i, name in enumerate(names):
        if name in gaps:
            gone[i] = gaps[name]
    out = lost & gone[code, row]
    return (points.filter(pl.Series(~out)), int(out.sum())) if out.any() else (points, 0)
