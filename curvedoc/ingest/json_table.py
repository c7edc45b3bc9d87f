"""Columns of JSON records: each raw key with the rows that hold it, numbers apart from texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field
from itertools import compress, repeat
from operator import is_not, itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curvedoc.ingest.json_messages import Message, blocks, is_logging, unpack
from curvedoc.ingest.json_rows import Batch, Row
from curvedoc.ingest.json_values import numbers
from curvedoc.ingest.noting import coalesce
from curvedoc.model import Flag, Note

Index = NDArray[np.int64]

#: A list of up to this many numbers is one curve an entry (per class, per rank); a longer one is a histogram or tensor.
MAX_LIST = 64
#: Records nest a handful deep; the rest is an attack or a dumped object.
MAX_DEPTH = 24
#: Past this many different key sets, columns are gathered key by key instead of set by set.
_MANY_SHAPES = 32
#: Columns may be so many times as long as the cells in them, before rows are sorted by their keys instead.
_HOLES = 3
#: What stands in a hole; no value of JSON has its type.
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Column:
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
class Table:
    """The records of a file, by column. Nested keys are joined with "/"."""

    rows: int
    numbers: dict[str, Column]
    texts: dict[str, Texts]
    messages: tuple[Message, ...]
    notes: tuple[Note, ...]


@dataclass(slots=True)
class _Gathering:
    numbers: dict[str, list[tuple[Index, NDArray[np.float64], NDArray[np.uint16]]]] = field(default_factory=dict)
    texts: dict[str, list[tuple[Index, list[str]]]] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)


def table(batches: Iterable[Batch]) -> Table:
    """The columns of all batches together."""
    got = _Gathering()
    messages: list[Message] = []
    rows = 0
    for batch in batches:
        got.notes += batch.notes
        messages += blocks(batch.loose, rows)
        if batch.loose:
            first = batch.loose[0].line
            got.notes.append(
                Note("garbage-lines", "lines that are no records were kept as messages", first, count=len(batch.loose))
            )
        messages += _add(got, batch, rows)
        rows += len(batch.rows)
    messages.sort(key=lambda m: m.line)
    columns = {k: _column(v) for k, v in got.numbers.items()}
    texts = {k: _texts(v) for k, v in got.texts.items()}
    return Table(rows, columns, texts, tuple(messages), coalesce([*got.notes, *_value_notes(columns)]))


def _add(got: _Gathering, batch: Batch, first: int) -> list[Message]:
    """Spread one batch; what logging libraries wrapped is unwrapped on the way."""
    messages: list[Message] = []
    together = _keys(batch.rows)
    if together is not None and not is_logging(frozenset(together)):
        at = np.arange(first, first + len(batch.rows), dtype=np.int64)
        _lay(got, batch.rows, at, "", 0, together)
        return messages
    for keys, where in _shapes(batch.rows).items():
        if not where:
            continue
        rows = _pick(batch.rows, where)
        at = np.array(where, np.int64) + first
        if keys is not None and is_logging(frozenset(keys)):
            unwrapped = []
            for i, row in zip(where, rows, strict=True):
                metrics, message = unpack(row, batch.lines[i], first + i)
                unwrapped.append(metrics)
                if message is not None:
                    messages.append(message)
            _spread(got, unwrapped, at, "", 0)
        else:
            _spread_alike(got, rows, at, "", 0, keys)
    return messages


def _keys(rows: Sequence[Row]) -> tuple[str, ...] | None:
    """All keys, where rows share them widely enough to be laid out as columns with holes; None otherwise."""
    if not rows:
        return None
    first, cells = tuple(rows[0]), sum(map(len, rows))
    every: set[str] = set().union(*rows)
    if len(every) * len(rows) > _HOLES * cells:
        return None
    seen = dict.fromkeys(first)
    for row in rows:
        if len(seen) == len(every):
            break
        seen.update(dict.fromkeys(row))
    return tuple(seen)


def _lay(got: _Gathering, rows: Sequence[Row], at: Index, prefix: str, depth: int, keys: Sequence[str]) -> None:
    """Rows as columns with holes, which is quicker than sorting the rows by their keys."""
    full = sum(map(len, rows)) == len(keys) * len(rows)
    for key in keys:
        cells = list(map(itemgetter(key), rows) if full else map(dict.get, rows, repeat(key), repeat(_ABSENT)))
        kinds = set(map(type, cells))
        if object not in kinds:
            _cells(got, prefix + key, cells, at, depth, kinds)
            continue
        here = list(map(is_not, cells, repeat(_ABSENT)))
        part = at[np.fromiter(here, np.bool_, len(here))]
        _cells(got, prefix + key, list(compress(cells, here)), part, depth, kinds - {object})


def _shapes(rows: Sequence[Row]) -> dict[tuple[str, ...] | None, Sequence[int]]:
    """Row numbers by key set; all under None where there are too many sets for that to pay."""
    keys = list(map(tuple, rows))
    if len(set(keys)) == 1:
        return {keys[0]: range(len(rows))}
    lists: dict[tuple[str, ...], list[int]] = {}
    for i, key in enumerate(keys):
        lists.setdefault(key, []).append(i)
    shapes: dict[tuple[str, ...] | None, Sequence[int]] = {key: where for key, where in lists.items()}
    if len(shapes) <= _MANY_SHAPES or 4 * len(shapes) <= len(rows):
        return shapes
    few: dict[tuple[str, ...] | None, Sequence[int]] = {
        k: v for k, v in shapes.items() if k and is_logging(frozenset(k))
    }
    taken = {i for v in few.values() for i in v}
    return {None: [i for i in range(len(rows)) if i not in taken], **few}


def _pick(rows: Sequence[Row], where: Sequence[int]) -> Sequence[Row]:
    return rows if len(where) == len(rows) else [rows[i] for i in where]


def _spread(got: _Gathering, rows: Sequence[Row], at: Index, prefix: str, depth: int) -> None:
    together = _keys(rows)
    if together is not None and "_type" not in together:
        _lay(got, rows, at, prefix, depth, together)
        return
    for keys, where in _shapes(rows).items():
        part = at if len(where) == len(at) else at[np.array(where, np.int64)]
        _spread_alike(got, _pick(rows, where), part, prefix, depth, keys)


def _spread_alike(
    got: _Gathering, rows: Sequence[Row], at: Index, prefix: str, depth: int, keys: tuple[str, ...] | None
) -> None:
    """Rows of one key set, or of any with `keys` None."""
    if keys is not None:
        if depth and "_type" in keys:
            got.notes.append(Note("media-skipped", "histograms, images and tables were skipped", count=len(rows)))
            return
        for key in keys:
            _cells(got, prefix + key, [row[key] for row in rows], at, depth)
        return
    by_key: dict[str, tuple[list[int], list[Any]]] = {}
    for i, row in enumerate(rows):
        for key, cell in row.items():
            index, cells = by_key.setdefault(key, ([], []))
            index.append(i)
            cells.append(cell)
    for key, (index, cells) in by_key.items():
        _cells(got, prefix + key, cells, at[np.array(index, np.int64)], depth)


def _cells(got: _Gathering, key: str, cells: list[Any], at: Index, depth: int, kinds: Set[type] | None = None) -> None:
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
    if kept.all():
        got.numbers.setdefault(key, []).append((at, value, flags))
        return
    got.texts.setdefault(key, []).append((at[~kept], [str(c) for c, k in zip(cells, kept, strict=True) if not k]))
    if kept.any():
        got.numbers.setdefault(key, []).append((at[kept], value[kept], flags[kept]))


def _nested(got: _Gathering, key: str, cells: list[Row], at: Index, depth: int) -> None:
    if depth >= MAX_DEPTH:
        got.notes.append(Note("too-deep", f"values nested more than {MAX_DEPTH} deep were skipped", count=len(cells)))
    else:
        _spread(got, cells, at, key + "/", depth + 1)


def _listed(got: _Gathering, key: str, cells: list[list[Any]], at: Index, depth: int) -> None:
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


_CONTAINERS: tuple[tuple[type, Callable[[_Gathering, str, list[Any], Index, int], None]], ...] = (
    (dict, _nested),
    (list, _listed),
)


def _column(pieces: list[tuple[Index, NDArray[np.float64], NDArray[np.uint16]]]) -> Column:
    at, value, flags = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    if len(at) > 1 and not bool((np.diff(at) >= 0).all()):
        order = np.argsort(at, kind="stable")
        at, value, flags = at[order], value[order], flags[order]
    return Column(at, value, flags)


def _texts(pieces: list[tuple[Index, list[str]]]) -> Texts:
    at = np.concatenate([a for a, _ in pieces])
    text = [t for _, ts in pieces for t in ts]
    if len(at) > 1 and not bool((np.diff(at) >= 0).all()):
        order = np.argsort(at, kind="stable")
        at, text = at[order], [text[i] for i in order]
    return Texts(at, text)


def _value_notes(columns: dict[str, Column]) -> list[Note]:
    notes = []
    # A column of nulls alone ("best_metric": null) says nothing about any curve.
    live = [c for c in columns.values() if not (c.flags & Flag.NULL).all()]
    nulls = sum(int((c.flags & Flag.NULL != 0).sum()) for c in live)
    quoted = sum(int((c.flags & Flag.WAS_STRING != 0).sum()) for c in live)
    if nulls:
        notes.append(
            Note("null-values", "values logged as null: missing, or NaN that the writer cannot spell", count=nulls)
        )
    if quoted:
        notes.append(Note("numbers-as-strings", "numbers in quotes were read as numbers", count=quoted))
    return notes
