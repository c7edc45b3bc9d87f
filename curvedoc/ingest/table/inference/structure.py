"""The structure of a table out of its values: what counts, what tells the time, what names a metric and what holds it.

Names of columns are no help here, but that what is called a loss counts nothing. At most some thousand rows are
looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.table.columns import RecordColumn, RecordTable, Texts
from curvedoc.ingest.table.values import clock, moment, split_of

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

#: Rows looked at: so many of the head, the middle and the tail.
SAMPLE = 2_000
#: A counter goes back in no more than this share of its rows, and has no more sizes of steps than this.
_BACK, _SIZES = 0.05, 8
#: and by so few sizes for nearly all of its steps.
_COMMON = 3
_MOST = 0.9
#: It stands in this share of the rows, or in all but one: of a short table damage takes more than a tenth.
_THERE = 0.9
#: Texts that name metrics recur: each has so many rows on average.
_RECURS = 3
_MOST_NAMES = 500
#: Times of training runs: after 2001, and a run takes less than three years.
_OLDEST, _LONGEST = 1.0e9, 1e8
#: Neighbors of a curve are alike: their correlation, and how far above that of the shuffled column.
_ALIKE, _CLEAR = 0.3, 4.0
#: Fewer values have no neighbors to speak of.
FEWEST = 8


@dataclass(frozen=True, slots=True)
class TableShape:
    """Keys of columns by what they hold, None where there is none."""

    step: str | None = None
    time: str | None = None
    name: str | None = None
    value: str | None = None
    split: str | None = None


def shape_of(table: RecordTable, known: Collection[str] = ()) -> TableShape:
    """The structure of a table. known: keys whose meaning is settled, which are none of it."""
    n = table.rows
    numbers = {k: c for k, c in table.numbers.items() if k not in known and _finite(c)}
    split = next((k for k, t in table.texts.items() if k not in known and _splits(t)), None)
    time = next((k for k, c in numbers.items() if is_clock(c.value)), None)
    names = [k for k, t in table.texts.items() if k not in known and k != split and _names(t, n)]
    name = value = None
    for key in sorted(names, key=lambda k: -len(set(table.texts[k].text))):
        at = table.texts[key].at
        step = _counter({k: c for k, c in numbers.items() if k != time}, n, table.texts[key])
        rest = [k for k in numbers if k not in (step, time) and _beside(numbers[k], at) and not _constant(numbers[k])]
        # what stands in some rows alone is no value of a long table, but its name says what it measures
        if len(rest) == 1 and not any(is_outcome(k) for k in numbers.keys() - {rest[0]}):
            name, value = key, rest[0]
            return TableShape(step, time, name, value, split)
    step = _counter({k: c for k, c in numbers.items() if k != time}, n, None)
    if len(numbers.keys() - {step, time}) == 0:  # what counts alone is what is measured
        step = None
    return TableShape(step, time, None, None, split)


def sampled(n: int) -> Places:
    """At most 2,000 places of n: the first, the middle and the last ones, each in their order."""
    if n <= SAMPLE:
        return np.arange(n, dtype=np.int64)
    k = SAMPLE // 3
    middle = (n - k) // 2
    return np.concatenate([np.arange(k), np.arange(middle, middle + k), np.arange(n - k, n)]).astype(np.int64)


def counts(value: Floats) -> bool:
    """Whether values count: whole, hardly ever falling, by steps of few sizes, and not all the same."""
    if len(value) < 3 or not bool(np.isfinite(value).all()) or bool((value != np.floor(value)).any()):
        return False
    if float(np.max(np.abs(value))) >= 2**53 or float(value.max()) == float(value.min()):
        return False
    moves = np.diff(value)
    if float((moves < 0).mean()) > _BACK:
        return False
    ahead = moves[moves > 0]
    if not len(ahead):
        return False
    sizes, often = np.unique(ahead, return_counts=True)
    common = np.sort(often)[::-1][:_COMMON].sum()
    return len(sizes) <= _SIZES or common >= _MOST * len(ahead)


def marches(value: Floats) -> bool:
    """Whether values go on by one size from row to row, as the number of an update does and that of a sample may."""
    moves = np.diff(value)
    return len(moves) >= FEWEST and bool(counts(value)) and float(moves.min()) == float(moves.max())


def is_clock(value: Floats) -> bool:
    """Whether the values are times of one run in s, ms, us or ns since 1970, hardly ever going back."""
    finite = value[np.isfinite(value)]
    if len(finite) < 3:
        return False
    first, last = clock(float(finite[0])), clock(float(finite[-1]))
    if first is None or last is None or not _OLDEST < first <= last < first + _LONGEST:
        return False
    return float((np.diff(finite) < 0).mean()) <= _BACK and float(finite.max()) > float(finite.min())


def behaves(value: Floats) -> bool:
    """Whether neighbors are alike: their correlation stands clearly above that of the shuffled column."""
    v = value[np.isfinite(value)]
    if len(v) < FEWEST:
        return False
    # equal values are of one rank: told apart by their place, they would stand in the order of the rows
    ranks = np.unique(v[sampled(len(v))], return_inverse=True)[1].astype(np.float64)
    if float(v.max()) == float(v.min()):
        return False
    a, b = ranks[:-1] - ranks[:-1].mean(), ranks[1:] - ranks[1:].mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return scale > 0 and float(a @ b) / scale > max(_ALIKE, _CLEAR / np.sqrt(len(ranks)))


def _counter(numbers: Mapping[str, RecordColumn], n: int, names: Texts | None) -> str | None:
    """The column that counts, best first: one that moves most often, then the earlier. names: of a long table, within
    each of whose metrics it counts."""
    best: tuple[float, int, str] | None = None
    for i, (key, c) in enumerate(numbers.items()):
        if len(c.at) < min(_THERE * n, n - 1) or is_outcome(key):
            continue
        value = c.value[sampled(len(c.value))] if names is None else _within(c, names)
        if not counts(value):
            continue
        moved = float((np.diff(value) > 0).mean())
        if names is None and moved < 0.2:
            continue  # an epoch, or a flag that is raised once
        rank = (-round(moved, 1), i, key)
        if best is None or rank < best:
            best = rank
    return best[2] if best else None


def _within(column: RecordColumn, names: Texts) -> Floats:
    """The values of the column in the rows of the metric that has most of them."""
    text, often = np.unique(np.asarray(names.text, dtype=object).astype(str), return_counts=True)
    most = text[int(np.argmax(often))]
    at = names.at[np.fromiter((t == most for t in names.text), np.bool_, len(names.text))]
    return column.value[np.isin(column.at, at, assume_unique=True)][:SAMPLE]


def _names(texts: Texts, n: int) -> bool:
    """Whether texts name metrics: few that recur, in most rows, and neither dates nor one text alone."""
    if len(texts.at) < _MOST * n or n < 2 * _RECURS:
        return False
    distinct = set(texts.text)
    if not 2 <= len(distinct) <= min(_MOST_NAMES, n // _RECURS):
        return False
    return all(0 < len(t.strip()) <= 200 for t in distinct) and not any(moment(t) for t in list(distinct)[:3])


def _splits(texts: Texts) -> bool:
    """Whether every text names a split, and more than one is named."""
    distinct = set(texts.text)
    return 2 <= len(distinct) <= 6 and all(split_of(t) for t in distinct)


def _beside(column: RecordColumn, at: Places) -> bool:
    """Whether a column has a number in most rows that have a name."""
    return len(column.at) >= _MOST * len(at)


def _constant(column: RecordColumn) -> bool:
    finite = column.value[np.isfinite(column.value)]
    return len(finite) == 0 or float(finite.max()) == float(finite.min())


def _finite(column: RecordColumn) -> bool:
    return bool(np.isfinite(column.value).any())
