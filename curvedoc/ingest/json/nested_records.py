"""Lists of records that stand deep inside one JSON object, as in a file of the results of several models."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from curvedoc.core.frozen import dataclass
from curvedoc.ingest.naming.log_words import is_outcome, names_record
from curvedoc.ingest.naming.variants import is_part
from curvedoc.ingest.table.inference.run_columns import is_naming
from curvedoc.ingest.table.keys import COUNTERS, is_record, records_of, unwrapped

#: So deep, and in lists of so many objects, a list of records is looked for.
MAX_DEPTH, _MAX_PARTS = 5, 1_000
#: Fewer records are results, not a curve.
_FEWEST = 3
#: What an object calls the metric of its points.
_METRIC = ("name", "metric", "key", "tag", "label")


@dataclass(frozen=True, slots=True)
class _Found:
    """One list of records: the keys that lead to it, its rows, and the plain values that stand beside it."""

    path: tuple[str, ...]
    rows: list[dict[str, Any]]
    beside: dict[str, Any]


def rows_of(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The records of an object: those right inside it, else those deeper down, else the object as one record."""
    near = records_of(value)
    several = nested_records(value)
    names = {str(r.get("run", "")) for r in several} - {""}
    if len(names) > 1 and not any(map(is_part, names)):  # one list for each training
        return several
    if several and "name" in several[0]:  # {"loss": [{"epoch": 1, "value": 2.3}, ..], "val_loss": [..]}
        return several
    deeper = nested_records(value) if near is None or COUNTERS.isdisjoint(str(k).lower() for k in near[0]) else []
    return deeper or unwrapped(value)


def nested_records(value: Any) -> list[dict[str, Any]]:
    """The records of the lists of one key deep inside an object, each with a counter; none where there is no such.

    Where several objects hold such a list, each is a training, which `run` names by the keys that lead there.
    """
    kinds: dict[tuple[str, frozenset[str]], list[_Found]] = {}
    for found in _lists(value, (), 0):
        kinds.setdefault((found.path[-1], frozenset(map(str, found.rows[0]))), []).append(found)
    if not kinds:
        return []
    lists = max(kinds.values(), key=lambda alike: (_measures(alike[0].rows[0]), sum(len(f.rows) for f in alike)))
    same = [
        fs[0] for (_, keys), fs in kinds.items() if len(fs) == len(lists) == 1 and keys == frozenset(lists[0].rows[0])
    ]
    plain = not any(map(is_outcome, lists[0].rows[0]))
    if len(same) > 1 and plain and all(is_outcome(f.path[-1]) for f in same):
        return [{"name": f.path[-1], **row} for f in same for row in f.rows]
    if len(same) > 1 and len({f.path[:-1] for f in same}) == 1 and not any(is_part(f.path[-1]) for f in same):
        return [{"run": f.path[-1], **row} for f in same for row in f.rows]  # {"resnet": [..], "vgg": [..]}
    if len(lists) == 1:
        (only,) = lists
        return [{"config": only.beside}, *only.rows] if only.beside else only.rows
    ways = [f.path[:-1] for f in lists]
    shared = {i for i, parts in enumerate(zip(*ways, strict=False)) if len(set(parts)) == 1}
    names = [" ".join(part for i, part in enumerate(way) if i not in shared) for way in ways]
    called = [next((str(v) for k, v in f.beside.items() if is_naming(k)), "") for f in lists]
    metrics = [next((str(v) for k, v in f.beside.items() if str(k).lower() in _METRIC), "") for f in lists]
    if all(map(is_outcome, metrics)) and not any(map(is_outcome, lists[0].rows[0])):  # a list of points for each metric
        return [{"name": name, **row} for name, f in zip(metrics, lists, strict=True) for row in f.rows]
    names = called if "" not in called and len(set(called)) == len(lists) else names
    return [{"run": name, **row} for name, f in zip(names, lists, strict=True) for row in f.rows]


def _lists(value: Any, path: tuple[str, ...], depth: int) -> Iterator[_Found]:
    """The lists of records below a value, in the order of the file."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, dict):
        inside = [(str(k), v) for k, v in value.items()]
    elif isinstance(value, list) and len(value) <= _MAX_PARTS:
        inside = [(str(i), v) for i, v in enumerate(value) if isinstance(v, dict)]
    else:
        return
    for key, v in inside:
        if isinstance(v, list) and _is_history(v):
            plain = value.items() if isinstance(value, dict) else ()
            beside = {str(k): x for k, x in plain if isinstance(x, (str, int, float))}
            yield _Found((*path, key), v, beside)
        else:
            yield from _lists(v, (*path, key), depth + 1)


def _is_history(rows: list[Any]) -> bool:
    """Whether a list holds records alone, with a counter that goes up from each to the next."""
    if len(rows) < _FEWEST or not all(isinstance(r, dict) for r in rows) or not is_record(rows[0]):
        return False
    counters = [k for k in rows[0] if str(k).lower() in COUNTERS]
    return any(_goes_up([r.get(k) for r in rows]) for k in counters)


def _measures(row: dict[str, Any]) -> bool:
    """Whether a record names a metric, and not just a counter."""
    return any(names_record(str(k).lower()) for k in row if str(k).lower() not in COUNTERS)


def _goes_up(values: list[Any]) -> bool:
    if not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        return False
    return all(a < b for a, b in pairwise(values))
