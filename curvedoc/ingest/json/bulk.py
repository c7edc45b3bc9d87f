"""Lines of JSON as columns in one call, with proof that nothing was lost; None for what has to be read row by row."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import methodcaller
from types import NoneType
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.ingest.table.batch import Bulk, Cells
from curvedoc.ingest.table.messages import is_logging

#: What is known of the records' keys: a polars type each.
Kind = Any  # of polars: an instance or a class, which have no common type
Schema = Mapping[str, Kind]

#: Past so many keys, or columns so many times as long as their cells, other ways are quicker.
MAX_KEYS = 2_000
_HOLES = 6
_MAX_DEPTH = 4
_QUOTE, _COLON = b'":'
_BLOCK = 1 << 18
#: Numbers that no log holds stand for NaN and Infinity while the text is parsed; as many must come out as went in.
_WORDS = (b"NaN", b"Infinity")
#: A letter is rare that stands in less than one of so many bytes.
_RARE = 100
_MARKS = (1.2345678912345e307, 1.3456789123456e307)
#: By their names in polars, which is imported when it is needed.
_SCALARS: Mapping[frozenset[type], str] = {
    frozenset((float,)): "Float64",
    frozenset((int,)): "Float64",
    frozenset((float, int)): "Float64",
    frozenset((bool,)): "Boolean",
    frozenset((str,)): "String",
}


def schema_of(rows: Sequence[Mapping[str, Any]], depth: int = 0) -> Schema | None:
    """The types of the values under each key, None where a key has more than one, a list, or too few of the rows.

    A key that is only ever null is taken for a number.
    """
    keys = dict.fromkeys(chain.from_iterable(rows))
    cells = sum(map(len, rows))
    if not keys or len(keys) > MAX_KEYS or len(keys) * len(rows) > _HOLES * cells or is_logging(frozenset(keys)):
        return None
    if depth > _MAX_DEPTH or (depth and "_type" in keys) or any("\ud800" <= c <= "\udfff" for k in keys for c in k):
        return None
    found: dict[str, Kind] = {}
    for key in keys:
        values = list(map(methodcaller("get", key), rows))
        kinds = frozenset(map(type, values)) - {NoneType}
        if kinds == {dict}:
            inner = schema_of([v for v in values if v is not None], depth + 1)
            if inner is None:
                return None
            found[key] = pl.Struct(dict(inner))
        elif kinds and kinds not in _SCALARS:
            return None
        else:
            found[key] = getattr(pl, _SCALARS[kinds]) if kinds else pl.Float64
    return found


def joined(old: Schema | None, new: Schema | None) -> Schema | None:
    """What both schemas know; None where they contradict each other, or `new` where the old one has far more keys."""
    if old is None or new is None or len(set(old) | set(new)) > _HOLES * len(new):
        return new
    found = dict(old)
    for key, kind in new.items():
        before = found.get(key, kind)
        if isinstance(before, pl.Struct) and isinstance(kind, pl.Struct):
            inside = joined(_fields(before), _fields(kind))
            if inside is None:
                return None
            found[key] = pl.Struct(dict(inside))
        elif before != kind:
            return None
        else:
            found[key] = kind
    return found


def bulk_of(body: bytes, lines: int, schema: Schema) -> Bulk | None:
    """The records of so many lines as columns.

    None unless every line is an object and every value in the text is in its column: of a key that the schema does not
    know, of a key that stands twice, and of a number among strings no value would come back. Where records lack keys,
    they must not hold nulls besides, which could not be told apart.
    """
    marked, marks = _marked(body)
    try:
        frame = pl.read_ndjson(io.BytesIO(marked), schema=dict(schema))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OverflowError, ValueError):
        return None
    if frame.height != lines:
        return None
    tally = _Tally()
    columns = list(_leaves(frame, "", tally))
    if marks != tally.marks:
        return None
    null = False
    if tally.texts or count(body, _COLON) != tally.cells:
        given = body.count(b'":')
        null = tally.empty > 0 and given != tally.cells
        literal = body.count(b"null") if null else 0
        # a record without a key and one with null under it are two things
        if given != tally.cells + literal or (null and (literal != tally.empty or tally.objects)):
            return None
        # among strings, polars takes numbers and lists for text
        if tally.texts and (b"\\" in body or b"[" in body or count(body, _QUOTE) != 2 * (given + tally.texts)):
            return None
    return Bulk(lines, columns, null)


@dataclass(slots=True)
class _Tally:
    """How many cells are filled (an object is one, and each in it another) and empty; strings, objects, marks."""

    cells: int = 0
    empty: int = 0
    texts: int = 0
    objects: int = 0
    marks: tuple[int, int] = (0, 0)


def _marked(body: bytes) -> tuple[bytes, tuple[int, int]]:
    """The text with numbers in place of NaN and Infinity, which no strict parser takes, and how many of each."""
    found = [0, 0]
    for i, (word, mark) in enumerate(zip(_WORDS, _MARKS, strict=True)):
        first, size = word[:1], len(body)
        if first not in body:
            continue
        number = repr(mark).encode()
        if _RARE * body.count(first) < size:  # stepping from capital to capital is quicker than a search for the word
            body = number.join(_split(body, word, first))
        else:
            body = body.replace(word, number)
        found[i] = (len(body) - size) // (len(number) - len(word))
    return body, (found[0], found[1])


def _split(body: bytes, word: bytes, first: bytes) -> list[bytes]:
    """As `body.split(word)`."""
    parts = []
    start, at = 0, body.find(first)
    while at >= 0:
        if body.startswith(word, at):
            parts.append(body[start:at])
            start = at + len(word)
        at = body.find(first, at + 1)
    return [*parts, body[start:]]


def _leaves(frame: pl.DataFrame, prefix: str, tally: _Tally) -> Iterator[tuple[str, Cells | pl.Series]]:
    for series in frame.get_columns():
        name, empty = prefix + series.name, series.null_count()
        filled = len(series) - empty
        tally.cells += filled
        tally.empty += empty
        if isinstance(series.dtype, pl.Struct):
            tally.objects += filled
            yield from _leaves(series.struct.unnest(), name + "/", tally)
        elif series.dtype == pl.String:
            tally.texts += filled
            yield name, series
        else:
            value = series.cast(pl.Float64).to_numpy()  # NaN for null, and as yet for nothing else
            at = np.flatnonzero(value == value) if empty else None
            yield name, Cells(_unmarked(value if at is None else value.take(at), tally), at)


def _unmarked(value: NDArray[np.float64], tally: _Tally) -> NDArray[np.float64]:
    """The column with NaN and infinity in place of the marks."""
    if not len(value) or not max(np.fmax.reduce(value), -np.fmin.reduce(value)) >= min(_MARKS):
        return value
    nan, inf = value == _MARKS[0], np.abs(value) == _MARKS[1]
    tally.marks = (tally.marks[0] + int(nan.sum()), tally.marks[1] + int(inf.sum()))
    return np.where(nan, np.nan, np.where(inf, np.copysign(np.inf, value), value))


def _fields(kind: pl.Struct) -> Schema:
    return dict(kind.to_schema())


def count(data: bytes, byte: int) -> int:
    """How often a byte occurs; bytes.count is slow where it occurs often, and all of it at once leaves the cache."""
    all_ = np.frombuffer(data, np.uint8)
    return sum(int(np.count_nonzero(all_[i : i + _BLOCK] == byte)) for i in range(0, len(all_), _BLOCK))
