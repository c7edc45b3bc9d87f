"""Records laid out by key: the cells of each with the rows that hold them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain, compress, repeat
from operator import is_not, itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.run import Flag, Note
from curvedoc.ingest.table.batch import Bulk, Cells, RecordBatch, Row
from curvedoc.ingest.table.messages import JsonMessage, is_logging, unpack
from curvedoc.ingest.table.values import numbers

Index = NDArray[np.int64]

#: A list of up to this many numbers is one curve an entry (per class, per rank); a longer one is a histogram or tensor.
MAX_LIST = 64
#: Records nest a handful deep; the rest is an attack or a dumped object.
MAX_DEPTH = 24
#: A log of every layer's parameters has some thousands of metrics; keys past this many are made up record by record.
MAX_KEYS = 10_000
#: Columns may be so many times as long as the cells in them, before cells are sorted by their keys instead.
_HOLES = 3
#: What stands in a hole; no value of JSON has its type.
_ABSENT = object()


@dataclass(slots=True)
class Gathering:
    numbers: dict[str, list[tuple[Index, NDArray[np.float64], NDArray[np.uint16]]]] = field(default_factory=dict)
    texts: dict[str, list[tuple[Index, list[str]]]] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def number(self, key: str, at: Index, value: NDArray[np.float64], flags: NDArray[np.uint16]) -> None:
        """More numbers of a key."""
        if self._room(self.numbers, key, len(at)):
            self.numbers.setdefault(key, []).append((at, value, flags))

    def text(self, key: str, at: Index, text: list[str]) -> None:
        """More strings of a key."""
        if self._room(self.texts, key, len(at)):
            self.texts.setdefault(key, []).append((at, text))

    def _room(self, have: Mapping[str, object], key: str, n: int) -> bool:
        if key in have or len(have) < MAX_KEYS:
            return True
        self.notes.append(Note("too-many-keys", f"values under more than {MAX_KEYS:,} keys were left out", count=n))
        return False


def add(got: Gathering, batch: RecordBatch, first: int) -> list[JsonMessage]:
    """Spread one batch; what logging libraries wrapped is unwrapped on the way."""
    messages: list[JsonMessage] = []
    if batch.bulk is not None:
        _pour(got, batch.bulk, np.arange(first, first + batch.size, dtype=np.int64))
        return messages
    at = np.arange(first, first + len(batch.rows), dtype=np.int64)
    names = _names(batch.rows)
    wrapped = _wrapped(batch.rows) if is_logging(frozenset(names)) else []
    if not any(wrapped):
        _spread(got, batch.rows, at, "", 0, names)
        return messages
    unwrapped = []
    for i in compress(range(len(wrapped)), wrapped):
        metrics, message = unpack(batch.rows[i], batch.lines[i], first + i)
        unwrapped.append(metrics)
        if message is not None:
            messages.append(message)
    mask = np.array(wrapped)
    _spread(got, list(compress(batch.rows, (~mask).tolist())), at[~mask], "", 0)
    _spread(got, unwrapped, at[mask], "", 0)
    return messages


def _names(rows: Sequence[Row]) -> Sequence[str]:
    """All keys, in order of first appearance."""
    return list(dict.fromkeys(chain.from_iterable(rows)))


def _wrapped(rows: Sequence[Row]) -> list[bool]:
    """Which records come from a logging library."""
    shapes = list(map(tuple, rows))
    known = {shape: is_logging(frozenset(shape)) for shape in set(shapes)}
    return [known[shape] for shape in shapes]


def _pour(got: Gathering, bulk: Bulk, at: Index) -> None:
    """Records that are columns already. What was written as null gives NaN with its flag, what is absent nothing."""
    none = np.zeros(len(at), np.uint16)
    for key, cells in bulk.columns:
        if not isinstance(cells, Cells):
            there = cells.is_not_null().to_numpy()
            texts = cells.to_list() if bulk.null else cells.drop_nulls().to_list()
            if texts:
                _cells(got, key, texts, at if bulk.null or len(texts) == len(at) else at[there], 0)
        elif cells.at is None:
            got.number(key, at, cells.value, none)
        elif bulk.null:
            value, flags = np.full(len(at), np.nan), np.full(len(at), Flag.NULL, np.uint16)
            value[cells.at], flags[cells.at] = cells.value, 0
            got.number(key, at, value, flags)
        elif len(cells.at):
            got.number(key, at[cells.at], cells.value, none[: len(cells.at)])


def _lay(got: Gathering, rows: Sequence[Row], at: Index, prefix: str, depth: int, names: Sequence[str]) -> None:
    """Rows as columns with holes, which is quicker than sorting the cells by their keys."""
    full = sum(map(len, rows)) == len(names) * len(rows)
    for key in names:
        cells = list(map(itemgetter(key), rows) if full else map(dict.get, rows, repeat(key), repeat(_ABSENT)))
        kinds = set(map(type, cells))
        if object not in kinds:
            _cells(got, prefix + key, cells, at, depth, kinds)
            continue
        here = list(map(is_not, cells, repeat(_ABSENT)))
        part = at[np.fromiter(here, np.bool_, len(here))]
        _cells(got, prefix + key, list(compress(cells, here)), part, depth, kinds - {object})


def _spread(
    got: Gathering, rows: Sequence[Row], at: Index, prefix: str, depth: int, names: Sequence[str] | None = None
) -> None:
    """Rows of any keys (names: all of them); what W&B stores as media is left out."""
    names = _names(rows) if names is None else names
    if depth and "_type" in names:
        media = np.array(["_type" in row for row in rows])
        got.notes.append(Note("media-skipped", "histograms, images and tables were skipped", count=int(media.sum())))
        rows, at = list(compress(rows, (~media).tolist())), at[~media]
        names = _names(rows)
    if len(names) * len(rows) > _HOLES * sum(map(len, rows)):
        _sort(got, rows, at, prefix, depth, names)
    elif names:
        _lay(got, rows, at, prefix, depth, names)


def _sort(got: Gathering, rows: Sequence[Row], at: Index, prefix: str, depth: int, names: Sequence[str]) -> None:
    """Rows with few keys in common: all cells in one list, sorted by key."""
    cells = list(chain.from_iterable(map(dict.values, rows)))
    number = dict(zip(names, range(len(names)), strict=True)).__getitem__
    code = np.fromiter(map(number, chain.from_iterable(rows)), np.int64, len(cells))
    row = np.repeat(at, np.fromiter(map(len, rows), np.int64, len(rows)))
    # a narrow type is sorted by its digits, much quicker
    order = np.argsort(code.astype(np.uint16) if len(names) < 1 << 16 else code, kind="stable")
    ends = np.cumsum(np.bincount(code, minlength=len(names))).tolist()
    row = row[order]
    plain = set(map(type, cells)) <= {float, int}
    value = numbers(cells, {float})[0][order] if plain else None
    none = np.zeros(len(cells), np.uint16)
    for start, end, key in zip((0, *ends), ends, names, strict=False):
        if value is None:
            _cells(got, prefix + key, [cells[i] for i in order[start:end].tolist()], row[start:end], depth)
        else:
            got.number(prefix + key, row[start:end], value[start:end], none[start:end])


def _cells(got: Gathering, key: str, cells: list[Any], at: Index, depth: int, kinds: Set[type] | None = None) -> None:
    """One key's cells; kinds: their types, where they are known."""
    kinds, given = set(map(type, cells)) if kinds is None else kinds, len(cells)
    for kind, expand in _CONTAINERS:
        if kinds == {kind}:
            expand(got, key, cells, at, depth)
            return
        if kind in kinds:
            inside = np.array([type(c) is kind for c in cells])
            expand(got, key, [c for c in cells if type(c) is kind], at[inside], depth)
            cells, at = [c for c in cells if type(c) is not kind], at[~inside]
    if not cells:
        return
    value, flags, kept = numbers(cells, kinds if len(cells) == given else None)
    if np.count_nonzero(kept) == len(kept):
        got.number(key, at, value, flags)
        return
    got.text(key, at[~kept], [str(c) for c, k in zip(cells, kept, strict=True) if not k])
    if kept.any():
        got.number(key, at[kept], value[kept], flags[kept])


def _nested(got: Gathering, key: str, cells: list[Row], at: Index, depth: int) -> None:
    if depth >= MAX_DEPTH:
        got.notes.append(Note("too-deep", f"values nested more than {MAX_DEPTH} deep were skipped", count=len(cells)))
    else:
        _spread(got, cells, at, key + "/", depth + 1)


def _listed(got: Gathering, key: str, cells: list[list[Any]], at: Index, depth: int) -> None:
    """A list as one column an entry; [x] is x, as writers of tensors leave it."""
    sizes = np.array([len(c) for c in cells])
    top = int(sizes.max())
    if top > MAX_LIST or depth >= MAX_DEPTH:
        long = int((sizes > MAX_LIST).sum()) or len(cells)
        got.notes.append(Note("long-lists", f"lists of more than {MAX_LIST} values were skipped", count=long))
        keep = sizes <= MAX_LIST if depth < MAX_DEPTH else np.zeros(len(cells), bool)
        cells, at, sizes = [c for c, k in zip(cells, keep, strict=True) if k], at[keep], sizes[keep]
        top = int(sizes.max()) if len(sizes) else 0
    for i in range(top):
        has = sizes > i
        name = key if top == 1 else f"{key}[{i}]"
        _cells(got, name, [c[i] for c in cells if len(c) > i], at[has], depth + 1)


_CONTAINERS: tuple[tuple[type, Callable[[Gathering, str, list[Any], Index, int], None]], ...] = (
    (dict, _nested),
    (list, _listed),
)
