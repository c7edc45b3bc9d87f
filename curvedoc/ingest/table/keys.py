"""Keys by which records of a log are known: its counters, and the words of metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import MORE_EPOCH_KEYS, MORE_STEPS, is_outcome, names_record
from curvedoc.ingest.naming.split_words import ANY_SPLIT, PLAIN_SPLITS
from curvedoc.ingest.table.messages import is_logging

#: In order of trust: what a writer calls its step counter.
STEP_KEYS = (
    "step", "global_step", "_step", "trainer/global_step", "iteration", "iter", "iter_num", "num_updates",
    "current_steps", "train/global_step", "global_steps", "steps", "train_step", "training_step", "n_iter",
    "train_num_updates", "valid_num_updates", "update", "updates", "batch", "batch_idx", "timesteps_total",
    "total_timesteps", "num_timesteps", "timesteps", "timestep", "training_iteration", "iterations", "itr", "it",
    "episode", "episodes", *MORE_STEPS,
)  # fmt: skip
#: A history export of W&B counts its log calls in `_step`; the trainer's own counter is the better axis.
WANDB_STEP_KEYS = ("trainer/global_step", "train/global_step", "global_step", "_step")
EPOCH_KEYS = ("epoch", "epochs", "current_epoch", "epoch_num", "round", "generation", *MORE_EPOCH_KEYS)
SAMPLE_KEYS = ("consumed_samples", "samples_seen", "num_samples", "samples", "examples_seen", "tokens_seen", "tokens")
#: A key or column that says which split its record or row belongs to.
SPLIT_KEYS = ("mode", "split", "phase", "stage", "subset", "partition", "set")
#: Names that say it themselves.
HAS_SPLIT = late_regex(rf"({ANY_SPLIT})[_/. -]", re.IGNORECASE)
COUNTERS = frozenset((*STEP_KEYS, *EPOCH_KEYS, *SAMPLE_KEYS))
#: So many like objects are records, whatever their keys are called.
_MANY = 8
#: Lists that are called by what their entries count, which may nest so deep.
_LISTED, _DEEP = frozenset(("epochs", "steps", "iterations", "rounds", "episodes")), 3
_NUMBER = late_regex(r"((?i:epoch|step|iteration|iter|round|episode)|)[ _:#-]?(\d{1,15})")
#: The split of a list of records, in the key that holds it.
_SPLIT = late_regex(rf"(?i:(?:^|[^a-z])({ANY_SPLIT})(?:$|[^a-z]))")
_QUOTED = late_regex(r"[+-]?\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?|nan|NaN|[+-]?inf")
#: What writers wrap a record's metrics in, {"event": "step", "data": {"step": 1, "loss": 2.3}}.
_WRAPS = ("data", "metrics", "scalars", "values", "logs", "payload")


def records_of(value: Any, loose: bool = False) -> list[dict[str, Any]] | None:
    """The longest list of records right inside an object or one level below, or its records by number; None where there
    is none. loose: a list of many like objects with numbers counts, whatever their keys are called."""
    if not isinstance(value, dict):
        return None
    numbered = _numbered(value, loose)
    if numbered:
        return numbered
    within = {str(k): rows for k, v in value.items() if isinstance(v, dict) and (rows := _numbered(v, held_by=str(k)))}
    longest = max(within.values(), key=len, default=[])
    if len(within) == 1 and len(longest) >= _MANY:  # {"model": "mlp", "epochs": {"1": {"loss": 2.3}, ...}}
        return longest
    if len(within) > 1 and len(longest) >= _MANY and all(k.lower() in PLAIN_SPLITS for k in within):
        return [{"split": split.lower(), **row} for split, rows in within.items() for row in rows]
    inside = [*value.items(), *(w for v in value.values() if isinstance(v, dict) for w in v.items())]
    named = [(k, v) for k, v in inside if isinstance(v, list) and len(v) > 1 and isinstance(v[0], dict)]
    named = [(k, _counted(k, v)) for k, v in named]
    named = [(k, v) for k, v in named if is_record(v[0]) or (loose and _alike(v))]
    splits = {m[1].lower(): v for k, v in named if (m := _SPLIT.search(str(k)))}
    if len(splits) > 1:  # {"train_log": [...], "eval_log": [...]}
        return [{"split": split, **r} for split, rows in splits.items() for r in rows if isinstance(r, dict)]
    return [r for r in max((v for _, v in named), key=len) if isinstance(r, dict)] if named else None


def _counted(key: Any, rows: list[Any]) -> list[Any]:
    """The entries of a list that is called by what it counts ("epochs"), by the one whole number in each that goes on
    from entry to entry, or by their places where they have none."""
    word = str(key).lower()
    if word not in _LISTED or not all(isinstance(r, dict) for r in rows) or not COUNTERS.isdisjoint(map(str, rows[0])):
        return rows
    whole = [k for k, v in rows[0].items() if isinstance(v, int) and not isinstance(v, bool)]
    going = [k for k in whole if all(isinstance(r.get(k), int) for r in rows) and _goes_on([r[k] for r in rows])]
    counter = word.removesuffix("s")
    if len(going) == 1:
        return [{counter if k == going[0] else k: v for k, v in r.items()} for r in rows]
    return [{counter: i, **r} for i, r in enumerate(rows, 1)] if not going and any(map(_measured, rows[:2])) else rows


def _goes_on(values: list[int]) -> bool:
    return all(b - a == values[1] - values[0] > 0 for a, b in pairwise(values))


def _measured(row: dict[str, Any], depth: int = 0) -> bool:
    """Whether an object holds a number that is not whole, at any depth."""
    return any(
        isinstance(v, float) or (isinstance(v, dict) and depth < _DEEP and _measured(v, depth + 1))
        for v in row.values()
    )


def _alike(rows: list[Any]) -> bool:
    """Whether a list is long, of objects with nearly the same keys, and with a number that is not whole."""
    if len(rows) < _MANY or not all(isinstance(r, dict) for r in rows):
        return False
    first = set(rows[0])
    same = sum(2 * len(first & set(r)) > len(first | set(r)) for r in rows)
    return 2 * same > len(rows) and any(isinstance(v, float) for r in rows[:_MANY] for v in r.values())


def measures_splits(row: dict[str, Any]) -> bool:
    """Whether a record has a number that is not whole for each of two parts of the data, which alone it names."""
    said = [k for k, v in row.items() if str(k).lower() in PLAIN_SPLITS and isinstance(v, float)]
    return len(said) > 1


def _numbered(value: dict[str, Any], loose: bool = False, held_by: str = "") -> list[dict[str, Any]]:
    """The records of {"0": {"loss": 2.3}, "1": {"loss": 2.1}, ...}, or of "epoch_1", ...: by epoch, or by step where
    numbers are left out and no word says what they count. held_by: the key of the object"""
    called = [m for k, v in value.items() if isinstance(v, dict) and (m := _NUMBER.fullmatch(str(k)))]
    words = {m[1].lower() for m in called}
    if len(called) >= _MANY and "" not in words:  # settings may stand beside them
        value = {k: v for k, v in value.items() if _NUMBER.fullmatch(str(k))}
    if len(value) < 2:
        return []
    if len(called) < len(value) or len(words) > 1:
        return []
    at = [int(m[2]) for m in called]
    listed = held_by.lower().removesuffix("s") if held_by.lower() in _LISTED else ""
    counter = next(iter(words)) or listed or ("epoch" if at == list(range(at[0], at[0] + len(at))) else "step")
    rows = [{counter: i, **row} for i, row in zip(at, value.values(), strict=True)]
    if loose and _alike(rows):
        return rows
    named = any(names_record(k.lower()) for row in rows[:2] for k in _names(row))
    return rows if named or all(map(measures_splits, rows)) else []


def _names(row: dict[str, Any]) -> Iterator[str]:
    """The keys of a record, and those below the splits and wraps in it ({"train": {"loss": 2.3}, "val": ...})."""
    for key, v in row.items():
        word = str(key).lower()
        yield word
        if isinstance(v, dict) and (word in PLAIN_SPLITS or word in _WRAPS):
            yield from filter(is_outcome, map(str, v))


def unwrapped(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The records of an object that wraps them, behind its other fields as a record of settings; else the object."""
    rows = records_of(value, loose=True)
    if rows is None:
        return [value]
    if _numbered(value, loose=True):
        return rows
    rest = {k: v for k, v in value.items() if not isinstance(v, list) and records_of({"": v}, loose=True) is None}
    return [{"config": rest}, *rows] if rest else rows


def is_record(row: dict[str, Any]) -> bool:
    """Whether an object looks like one record of a log: it has a counter, a metric, or a logging library's shape, or
    wraps what has."""
    inside = (v for k, v in row.items() if str(k).lower() in _WRAPS and isinstance(v, dict))
    return _is_record(row) or any(map(_is_record, inside))


def _is_record(row: dict[str, Any]) -> bool:
    keys = [str(k).lower() for k in row]
    if is_logging(frozenset(row)) or ("value" in keys and any(k in keys for k in ("name", "metric", "tag", "key"))):
        return True
    if any(k in COUNTERS and isinstance(v, (int, float, str)) for k, v in zip(keys, row.values(), strict=True)):
        return True
    return any(names_record(k) and _tells(v) for k, v in zip(keys, row.values(), strict=True))


def _tells(value: Any) -> bool:
    """Whether a value may be a metric's: no list, and no text but a number in quotes ("train_loss": "0.401")."""
    return bool(_QUOTED.fullmatch(value)) if isinstance(value, str) else not isinstance(value, list)
