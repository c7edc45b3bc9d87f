"""The step of each record, found among the columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.core.notes import NoteKind
from curvedoc.core.run import Note
from curvedoc.ingest.table.columns import RecordColumn, RecordTable, dense_of, named_in
from curvedoc.ingest.table.keys import EPOCH_KEYS, SAMPLE_KEYS, STEP_KEYS

Floats = NDArray[np.float64]

#: A counter that goes back in more than this share of its rows counts something else.
_MAX_BACK = 0.05
#: A counter below this share of the rows is taken only where there is no better one.
_MOST = 0.5
#: So many records name a counter that counts.
_NAMED = 5
#: Records of asynchronous writers stand at most so many rows from their place.
_NEAR = 16


@dataclass(frozen=True, slots=True)
class RecordAxis:
    """Each record's step (NaN: none yet known), what it counts, and the keys that it was made of."""

    step: Floats
    kind: str
    keys: frozenset[str]
    present: NDArray[np.bool_]
    notes: tuple[Note, ...] = ()


def axis_of(table: RecordTable, prefer: Sequence[str] = (), split: Sequence[str | None] | None = None) -> RecordAxis:
    """The counter that orders the records: a step key, else whole epochs, else samples, else the record's number.

    A key counts when it is whole, not constant, and hardly ever goes back. A counter that starts over with each
    epoch is continued across epochs. Records without it take it from an equal counter, else from the record before.
    """
    n = table.rows
    named = set(named_in(table.numbers, (*prefer, *STEP_KEYS, *EPOCH_KEYS, *SAMPLE_KEYS)))
    dense = {k: d for k in table.numbers if k in named and (d := _counter(table.numbers[k], n)) is not None}
    if {"step", "iter", "epoch"} <= dense.keys():
        dense["step"] = _without_epochs(dense["step"], dense["iter"], dense["epoch"])
    for keys, kind in (((*prefer, *STEP_KEYS), "step"), (EPOCH_KEYS, "epoch"), (SAMPLE_KEYS, "samples")):
        names = named_in(dense, keys)
        if kind == "epoch":
            names = [k for k in names if _few_rows_each(dense[k])]
        chosen = _best(dense, names, n)
        if chosen is None or _is_setting(dense[chosen], dense):
            continue
        step = dense[chosen]
        notes: list[Note] = []
        used = {chosen}
        if kind == "step":
            whole = _across_epochs(step, _first(dense, EPOCH_KEYS), split)
            if whole is not None:
                step = whole
                text = f"'{chosen}' starts over each epoch; steps are counted on across epochs"
                notes.append(Note("step-from-epoch", text))
            else:
                step, used = _joined(step, chosen, names, dense)
        else:
            note_kind: NoteKind = "step-from-epoch" if kind == "epoch" else "step-from-samples"
            notes.append(Note(note_kind, f"no step in the records; '{chosen}' stands in its place"))
        present = np.isfinite(step)
        return RecordAxis(_filled(step), kind, frozenset(used), present, tuple(notes))
    note = Note("step-from-row", "no step in the records; the record's number stands in its place")
    return RecordAxis(np.arange(n, dtype=np.float64), "row", frozenset(), np.ones(n, bool), (note,) if n else ())


def counted_by(table: RecordTable, key: str, split: Sequence[str | None] | None = None) -> RecordAxis | None:
    """The axis that one column makes, whatever it is called; None where it cannot."""
    step = _counter(table.numbers[key], table.rows)
    if step is None or not _orders(step):
        return None
    dense = {
        k: d for k in named_in(table.numbers, EPOCH_KEYS) if (d := _counter(table.numbers[k], table.rows)) is not None
    }
    whole = _across_epochs(step, _first(dense, EPOCH_KEYS), split)
    step = step if whole is None else whole
    note = Note("step-guessed", f"no column is called a step; '{key}' counts like one (--map step={key} says so)")
    return RecordAxis(_filled(step), "step", frozenset({key}), np.isfinite(step), (note,))


def _counter(column: RecordColumn, n: int) -> Floats | None:
    """The column over all rows where it could be a counter: mostly finite, nearly all whole."""
    finite = np.isfinite(column.value) & (np.abs(column.value) < 2**62)
    count = np.count_nonzero(finite)
    if not count or count / len(finite) < _MOST:
        return None
    value = column.value[finite]
    if np.count_nonzero(value == np.floor(value)) / count < 0.99:
        return None
    return dense_of(column.at[finite], np.floor(value), n)


def _without_epochs(step: Floats, iteration: Floats, epoch: Floats) -> Floats:
    """The steps without those that are epochs: evaluations of mmengine name no iteration and have the epoch there."""
    alone = np.isfinite(step) & np.isnan(iteration)
    both = np.isfinite(step) & np.isfinite(iteration)
    if not alone.any() or (step != iteration)[both].any() or (step != _filled(epoch))[alone].any():
        return step
    return np.where(alone, np.nan, step)


def _best(dense: dict[str, Floats], names: Sequence[str], n: int) -> str | None:
    good = [k for k in names if _orders(dense[k])]
    for name in good:
        if np.count_nonzero(np.isfinite(dense[name])) >= _MOST * n:
            return name
    return max(good, key=lambda k: int(np.isfinite(dense[k]).sum()), default=None)


def _is_setting(step: Floats, dense: dict[str, Floats]) -> bool:
    """Whether a counter is named once or twice, beside one that many records name: the batch size in a line of settings
    ahead of the epochs."""
    few = int(np.count_nonzero(np.isfinite(step))) <= 2
    return few and any(np.isfinite(d).sum() >= _NAMED for d in dense.values())


def _orders(step: Floats) -> bool:
    value = step[np.isfinite(step)]
    if len(value) <= 2:
        return len(value) > 0
    moves = value[1:] - value[:-1]
    if not np.count_nonzero(moves):
        return False
    return bool(np.count_nonzero(moves < 0) <= 2 + _MAX_BACK * len(moves)) or _saw(value) or _nearly_sorted(value)


def _nearly_sorted(value: Floats) -> bool:
    """Whether every record stands near its place by the counter, as where several writers append to one file."""
    moved = np.abs(np.argsort(value, kind="stable") - np.arange(len(value)))
    return bool(moved.max() <= max(_NEAR, _MAX_BACK * len(value)))


def _saw(value: Floats) -> bool:
    """Whether the counter runs up and starts over near its bottom again and again (a batch within its epoch)."""
    moves = np.diff(value)
    back = np.flatnonzero(moves < 0)
    return bool(len(back) <= len(moves) / 2 and (value[back + 1] <= np.quantile(value, 0.5)).all())


def _few_rows_each(epoch: Floats) -> bool:
    """Whether an epoch has a record or two (train, validation) and so can stand for the step."""
    value = epoch[np.isfinite(epoch)]
    return len(value) > 0 and len(value) <= 4 * len(np.unique(value))


def _first(dense: dict[str, Floats], keys: tuple[str, ...]) -> Floats | None:
    names = named_in(dense, keys)
    return dense[names[0]] if names else None


def _across_epochs(step: Floats, epoch: Floats | None, split: Sequence[str | None] | None) -> Floats | None:
    """The counter continued across epochs where it starts over exactly when the epoch goes up, else None.

    Only training records decide: the counter of a validation record counts validation batches, so that such a record
    takes the step of the record before it.
    """
    if epoch is None:
        return None
    known = np.isfinite(step) & np.isfinite(epoch)
    if split is not None and any(split):
        known &= np.array([s is None or s.startswith("train") for s in split])
    value, turn = step[known], epoch[known]
    if len(value) < 4:
        return None
    # logged once an epoch, at the same batch each time, it starts over from every record to the next
    back = np.diff(value) < 0 if np.diff(value).any() else np.diff(turn) >= 1
    if not back.any() or not (np.diff(turn)[back] >= 1).all() or (np.diff(turn) < 0).any():
        return None
    if not (value[1:][back] <= np.median(value)).all():
        return None
    period = value.max() + (1 if value.min() == 0 else 0)
    whole = np.full(len(step), np.nan)
    whole[known] = (turn - turn[0]) * period + value
    return whole


def _joined(step: Floats, chosen: str, names: Sequence[str], dense: dict[str, Floats]) -> tuple[Floats, set[str]]:
    """The counter with its gaps filled from others that never contradict it ("iter" in training, "step" in eval)."""
    used = {chosen}
    step = step.copy()
    for name in names:
        other = dense[name]
        both = np.isfinite(step) & np.isfinite(other)
        if name != chosen and bool((step[both] == other[both]).all()):
            step = np.where(np.isfinite(step), step, other)
            used.add(name)
    return step, used


def _filled(step: Floats) -> Floats:
    """Gaps take the step of the record before; those ahead of the first one take the first."""
    known = np.isfinite(step)
    if known.all() or not known.any():
        return step
    last = np.maximum.accumulate(np.where(known, np.arange(len(step)), -1))
    last[last < 0] = int(np.argmax(known))
    return np.asarray(step[last], np.float64)


Lookup = Callable[[int], int | None]


def step_before(step: Floats) -> Lookup:
    """What gives the step of the last of the first n records, None before the first."""

    def look(n: int) -> int | None:
        return int(step[n - 1]) if 0 < n <= len(step) and np.isfinite(step[n - 1]) else None

    return look
