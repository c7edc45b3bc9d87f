"""Records of several trainings in one table, told apart by the columns that name the training of each."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.naming.word_set import word_set
from curvedoc.ingest.table.columns import RecordColumn, RecordTable, Texts, named_in
from curvedoc.ingest.table.keys import EPOCH_KEYS, STEP_KEYS
from curvedoc.ingest.table.values import split_of

#: What a column of trainings is called.
_NAMING = word_set(
    """run run_id run_name run_idx run_number trial trial_id trial_name trial_number experiment experiment_id
    experiment_name exp exp_id exp_name seed random_seed fold fold_id fold_idx kfold cv_fold repeat repetition replicate
    replica variant config_name setup setting model model_name model_type arch architecture optimizer optimizer_name
    method algorithm algo algo_name"""
)
#: More than this are things of another kind.
_MOST = 1_000
#: and a column that is not called so names no more than these.
MOST_NAMED = 50
#: What names the metric of a row that holds one.
_NAMES = ("metric", "variable", "metric_name", "tag", "name", "key")
_PARTS = word_set("task stage phase session part level")
#: A counter and two values.
_VALUES = 3
#: Of each training there are so many rows, the counter rises in so large a share of them, and so large a share of what
#: it counts is counted in two of them: settings that change as one training goes on share nothing.
_ROWS, _RISES, _SHARED = 2, 0.9, 0.5

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TableOfRun:
    """One training's rows; name: what its columns say of it."""

    name: str
    table: RecordTable


def tables_of_runs(table: RecordTable) -> list[TableOfRun]:
    """The trainings of a table by the columns that name them, or whose text changes where a counter begins anew, in
    order of their first rows; none where no such column has several values in each of which the counter goes up."""
    columns = [k for k in (*table.texts, *table.numbers) if is_naming(k) or (k in table.texts and _begins(table, k))]
    codes = {k: c for k in columns if (c := _codes(table, k)) is not None}
    if not codes:
        return []
    together = np.unique(np.stack([c for _, c in codes.values()]), axis=1, return_inverse=True)[1].reshape(-1)
    groups = [np.flatnonzero(together == g) for g in dict.fromkeys(together.tolist())] if together.max() < _MOST else []
    if len(groups) < 2 or not _counted(table, groups):
        return []
    names = [" ".join(words[c[g[0]]] for words, c in codes.values()) for g in groups]
    return [TableOfRun(n, _only(table, g, set(codes))) for n, g in zip(names, groups, strict=True)]


def is_naming(column: str) -> bool:
    """Whether a column is called like one that names trainings."""
    return column.lower().replace(" ", "_") in _NAMING


def _begins(table: RecordTable, key: str) -> bool:
    """Whether a text, be it called as it may, changes where a counter begins anew and nowhere else; so do a split, the
    name of the one value that a row holds, and the part of a training."""
    at, said = table.texts[key].at, table.texts[key].text
    words = set(said) if len(at) == table.rows and key.lower() not in _PARTS else set[str]()
    if not 2 <= len(words) <= MOST_NAMED or any(split_of(w) for w in words):
        return False
    if len(table.numbers) < _VALUES and any(map(is_outcome, words)):
        return False
    changed = [i for i, (a, b) in enumerate(pairwise(said)) if a != b]
    for counter in named_in(table.numbers, (*STEP_KEYS, *EPOCH_KEYS)):
        value = table.numbers[counter].value
        back = np.flatnonzero(np.diff(value) < 0) if len(value) == table.rows else np.array([], np.int64)
        if len(words) == len(changed) + 1 and back.tolist() == changed and bool((value[back + 1] == value[0]).all()):
            return True
    return False


def _codes(table: RecordTable, key: str) -> tuple[list[str], Ints] | None:
    """What a column says, and of each row which of it; rows that say nothing are the row's before. None where it is
    hardly there or always the same."""
    if key in table.texts:
        at, said = table.texts[key].at, list(table.texts[key].text)
    else:
        c = table.numbers[key]
        if not bool(np.isfinite(c.value).all()) or bool((c.value != np.floor(c.value)).any()):
            return None
        at, said = c.at, [f"{key} {int(v)}" for v in c.value.tolist()]
    words = list(dict.fromkeys(said))
    if not 2 <= len(words) <= _MOST or 2 * len(at) < table.rows:
        return None
    code = np.full(table.rows, -1, np.int64)
    place = {w: i for i, w in enumerate(words)}
    code[at] = [place[w] for w in said]
    last = np.maximum.accumulate(np.where(code >= 0, np.arange(table.rows), -1))
    return words, np.where(last >= 0, code[np.maximum(last, 0)], 0)


def _counted(table: RecordTable, groups: list[Ints]) -> bool:
    """Whether a counter goes up from row to row of nearly every training, through the same numbers; for each metric
    by itself where a row holds one and names it."""
    named = next((codes for k in _NAMES if k in table.texts and (codes := _codes(table, k)) is not None), None)
    if named is not None:
        groups = [rows for g in groups for k in range(len(named[0])) if len(rows := g[named[1][g] == k])]
    for key in named_in(table.numbers, (*STEP_KEYS, *EPOCH_KEYS)):
        c = table.numbers[key]
        value = np.full(table.rows, np.nan)
        value[c.at] = c.value
        own = [v[np.isfinite(v)] for v in (value[g] for g in groups)]
        if any(len(v) < _ROWS for v in own):
            continue
        up = [bool((np.diff(v) >= 0).all()) and v[-1] > v[0] for v in own]
        often = np.unique(np.concatenate([np.unique(v) for v in own]), return_counts=True)[1]
        if np.mean(up) >= _RISES and float((often > 1).mean()) >= _SHARED:
            return True
    return False


def _only(table: RecordTable, rows: Ints, without: set[str]) -> RecordTable:
    """The table of some rows, numbered anew, without some columns."""
    place = np.full(table.rows, -1, np.int64)
    place[rows] = np.arange(len(rows))
    numbers, texts = {}, {}
    for key, c in table.numbers.items():
        mine = place[c.at] >= 0
        if key not in without and bool(mine.any()):
            numbers[key] = RecordColumn(place[c.at[mine]], c.value[mine], c.flags[mine])
    for key, t in table.texts.items():
        mine = place[t.at] >= 0
        if key not in without and bool(mine.any()):
            texts[key] = Texts(place[t.at[mine]], [t.text[i] for i in np.flatnonzero(mine).tolist()])
    return RecordTable(len(rows), numbers, texts, (), table.notes)
