"""Columns of JSON records: each raw key with the rows that hold it, numbers apart from texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.core.notes import coalesce
from curvedoc.core.run import Flag, Note
from curvedoc.ingest.table.batch import RecordBatch
from curvedoc.ingest.table.layout import Gathering, Index, add
from curvedoc.ingest.table.messages import JsonMessage, blocks

#: Up to so many columns are looked up once for all files that have the same.
_FEW = 100
#: How many values a mean is of.
_COUNTS = ("num", "count", "n")


@dataclass(frozen=True, slots=True)
class RecordColumn:
    """One key's numbers: the rows that have it, ascending, with value and flags."""

    at: Index
    value: NDArray[np.float64]
    flags: NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Texts:
    """One key's strings and the rows that have them, ascending."""

    at: Index
    text: Sequence[str]


@dataclass(frozen=True, slots=True)
class RecordTable:
    """The records of a file, by column. Nested keys are joined with "/"."""

    rows: int
    numbers: dict[str, RecordColumn]
    texts: dict[str, Texts]
    messages: tuple[JsonMessage, ...]
    notes: tuple[Note, ...]


def table(batches: Iterable[RecordBatch]) -> RecordTable:
    """The columns of all batches together."""
    got = Gathering()
    messages: list[JsonMessage] = []
    rows = 0
    for batch in batches:
        got.notes += batch.notes
        messages += blocks(batch.loose, rows)
        if batch.loose:
            first = batch.loose[0].line
            got.notes.append(
                Note("garbage-lines", "lines that are no records were kept as messages", first, count=len(batch.loose))
            )
        messages += add(got, batch, rows)
        rows += batch.size
    messages.sort(key=lambda m: m.line)
    columns = _by_mean(_columns(got))
    texts = {k: _texts(v) for k, v in got.texts.items()}
    return RecordTable(rows, columns, texts, tuple(messages), coalesce([*got.notes, *_value_notes(columns)]))


def _by_mean(columns: dict[str, RecordColumn]) -> dict[str, RecordColumn]:
    """The columns, of a quantity that is told by its count, mean and deviation ({"num": 32, "mean": 1.3, "std": 0.7})
    the mean under the name of the quantity, and no count."""
    of = {k.rpartition("/")[0] for k in columns if k.endswith("/mean")}
    told = {q: n for q in of if f"{q}/std" in columns for n in _COUNTS if f"{q}/{n}" in columns and q not in columns}
    gone = {f"{q}/{n}" for q, n in told.items()}
    means = {f"{q}/mean": q for q in told}
    return {means.get(k, k): v for k, v in columns.items() if k not in gone}


def _columns(gathered: Gathering) -> dict[str, RecordColumn]:
    """Every key's pieces as one column; keys of the same records share the array of their places."""
    places: dict[tuple[int, ...], tuple[Index, NDArray[np.int64] | None]] = {}
    found = {}
    for key, pieces in gathered.numbers.items():
        same = tuple(id(at) for at, _, _ in pieces)
        if same not in places:
            at = np.concatenate([at for at, _, _ in pieces]) if len(pieces) > 1 else pieces[0][0]
            straight = len(at) < 2 or bool((at[1:] >= at[:-1]).all())
            order = None if straight else np.argsort(at, kind="stable")
            places[same] = (at if order is None else at[order], order)
        at, order = places[same]
        if len(pieces) == 1:
            _, value, flags = pieces[0]
        else:
            value, flags = np.concatenate([v for _, v, _ in pieces]), np.concatenate([f for _, _, f in pieces])
        found[key] = RecordColumn(at, value, flags) if order is None else RecordColumn(at, value[order], flags[order])
    return found


def _texts(pieces: list[tuple[Index, list[str]]]) -> Texts:
    at = np.concatenate([a for a, _ in pieces])
    text = [t for _, ts in pieces for t in ts]
    if len(at) > 1 and not bool((np.diff(at) >= 0).all()):
        order = np.argsort(at, kind="stable")
        at, text = at[order], [text[i] for i in order]
    return Texts(at, text)


def _value_notes(columns: dict[str, RecordColumn]) -> list[Note]:
    notes = []
    # A column of nulls alone ("best_metric": null) says nothing about any curve.
    flagged = [c.flags for c in columns.values() if np.count_nonzero(c.flags)]
    live = [f for f in flagged if not (f & np.uint16(Flag.NULL)).all()]
    nulls = sum(int(np.count_nonzero(f & np.uint16(Flag.NULL))) for f in live)
    quoted = sum(int(np.count_nonzero(f & np.uint16(Flag.WAS_STRING))) for f in live)
    if nulls:
        notes.append(
            Note("null-values", "values logged as null: missing, or NaN that the writer cannot spell", count=nulls)
        )
    if quoted:
        notes.append(Note("numbers-as-strings", "numbers in quotes were read as numbers", count=quoted))
    return notes


def named_in(columns: Iterable[str], keys: tuple[str, ...]) -> list[str]:
    """The columns of these names in order of `keys`: by the whole name first, then by the last part of a path."""
    names = tuple(columns)
    return list(_few_named(names, keys)) if len(names) <= _FEW else _all_named(names, keys)


@lru_cache(maxsize=1024)  # the files of a tree have a few sets of columns between them
def _few_named(columns: tuple[str, ...], keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_all_named(columns, keys))


def _all_named(columns: tuple[str, ...], keys: tuple[str, ...]) -> list[str]:
    whole: dict[str, list[str]] = {}
    tail: dict[str, list[str]] = {}
    for name in columns:
        low = name.lower().replace(" ", "_")
        whole.setdefault(low, []).append(name)
        tail.setdefault(low.rsplit("/", 1)[-1], []).append(name)
    found = [name for by in (whole, tail) for key in keys for name in by.get(key, ())]
    return list(dict.fromkeys(found))


def dense_of(at: NDArray[np.int64], value: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Values at their rows among n, NaN in the others."""
    dense = np.full(n, np.nan)
    dense[at] = value
    return dense
