"""Clock, rank and split of each record, found among the columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curvedoc.ingest.table.columns import RecordTable, dense_of, named_in
from curvedoc.ingest.table.keys import SPLIT_KEYS
from curvedoc.ingest.table.values import clock, moment, split_of

Floats = NDArray[np.float64]

_TIME_KEYS = (
    "wall_time", "_timestamp", "timestamp", "ts", "time", "created_at", "asctime", "@timestamp", "created", "datetime",
    "date", "wall", "t",
)  # fmt: skip
_SINCE_START = (
    "_runtime", "runtime", "elapsed", "elapsed_time", "time_elapsed", "elapsed_seconds", "time_total_s", "total_time",
    "relative_time", "wall_clock",
)  # fmt: skip
_RANK_KEYS = ("rank", "global_rank", "process_rank", "process_index", "local_rank")
#: These name a split in some logs ("event": "val") and something else in others.
_LOOSE_SPLIT_KEYS = ("event", "type", "kind", "log_type", "prefix")


def clock_of(table: RecordTable, guess: str | None = None) -> tuple[Floats, frozenset[str]]:
    """Each record's time (NaN: unknown) and the keys it was read from: an epoch clock, else seconds since the start.

    guess: a column to ask, whatever it is called
    """
    n = table.rows
    for key in named_in(table.numbers, _TIME_KEYS) if guess is None else [guess]:
        column = table.numbers[key]
        finite = column.value[np.isfinite(column.value)]
        scale = _scale(finite)
        if scale:
            return dense_of(
                column.at, np.where(column.value / scale < 1e8, np.nan, column.value / scale), n
            ), frozenset({key})
    for key in named_in(table.texts, _TIME_KEYS):
        texts = table.texts[key]
        times = [moment(t) for t in texts.text]
        if 2 * sum(t is not None for t in times) >= len(times):
            return dense_of(texts.at, np.array([np.nan if t is None else t for t in times]), n), frozenset({key})
    for key in named_in(table.numbers, (*_SINCE_START, "time")):
        column = table.numbers[key]
        if len(column.at) >= 3 and bool((np.diff(column.value) >= 0).all()) and column.value[-1] > column.value[0] >= 0:
            # A public key stays a curve too: it may be a duration that happens to grow.
            return dense_of(column.at, column.value, n), frozenset({key} if key.startswith("_") else ())
    return np.full(n, np.nan), frozenset()


def ranks_of(table: RecordTable) -> tuple[NDArray[np.int32], str | None]:
    """Each record's rank and the key that named it (0 and None where none does)."""
    ranks = np.zeros(table.rows, np.int32)
    for key in named_in([k for k in table.numbers if "/" not in k], _RANK_KEYS):
        c = table.numbers[key]
        if (
            np.isfinite(c.value).all()
            and (c.value == np.floor(c.value)).all()
            and ((c.value >= 0) & (c.value < 1e6)).all()
        ):
            ranks[c.at] = c.value.astype(np.int32)
            return ranks, key
    return ranks, None


def splits_of(table: RecordTable, guess: str | None = None) -> list[str | None]:
    """Each record's split ("train", "val" ...), None where it names none; nothing at all where no record does.

    guess: a column to ask first, whatever it is called
    """
    for keys, strict in (((guess,) if guess else (), True), (SPLIT_KEYS, True), (_LOOSE_SPLIT_KEYS, False)):
        for key in (guess,) if guess and keys == (guess,) else named_in(table.texts, keys):
            texts = table.texts[key]
            known = {t: split_of(t) for t in set(texts.text)}
            hits = [v for v in known.values() if v]
            if not hits or (strict and len(hits) < len(known)):
                continue
            splits: list[str | None] = [None] * table.rows
            for at, text in zip(texts.at.tolist(), texts.text, strict=True):
                splits[at] = known[text]
            return splits
    return []


def _scale(finite: Floats) -> float | None:
    if not len(finite):
        return None
    median = float(np.median(finite))
    seconds = clock(median)
    return None if seconds is None else round(median / seconds)
