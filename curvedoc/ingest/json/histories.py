"""Objects that hold the whole history of several trainings, each under its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curvedoc.ingest.naming.log_words import spaced
from curvedoc.ingest.naming.split_words import scope_of
from curvedoc.ingest.table.values import split_of

#: So many objects of the same lists are trainings, though none tells of its own validation.
_MANY = 4
#: Shorter lists are settings.
_MIN_POINTS = 2
_UNSEEN = frozenset(("val", "valid", "validation", "dev", "eval", "test"))


def histories(value: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The trainings of an object that holds the columns of each under its name; none where it is one training's.

    Each has the same columns, a loss among them, and there are many of them or each logs its own validation: what
    splits ({"train": {"loss": ..}, "val": ..}) and networks of one training ({"generator": ..}) are logged by has none.
    """
    named = {str(k): v for k, v in value.items() if isinstance(v, Mapping)}
    lists = [v for v in value.values() if isinstance(v, list) and len(v) > 1 and all(isinstance(x, Mapping) for x in v)]
    if len(lists) == 1 and not named:  # {"runs": [{"name": "adam", "history": {..}}, ..]}
        return histories({str(x.get("name", i)): x for i, x in enumerate(lists[0])})
    if len(named) == 1 and not any(isinstance(v, list) for v in value.values()):  # {"histories": {"adam": ..}}
        ((_, inside),) = named.items()
        return histories(inside)
    own = {name: _whole_history(v) for name, v in named.items()}
    kept = {name: v for name, v in own.items() if v is not None}
    if len(kept) < 2 or 2 * len(kept) <= len(value) or any(split_of(name) for name in kept):
        return {}
    first, *others = (frozenset(k for k, x in v.items() if isinstance(x, list)) for v in kept.values())
    told = {scope_of(spaced(k)) for k in first}
    if any(o != first for o in others) or not any("loss" in k.lower() for k in first):
        return {}
    return kept if told & _UNSEEN or len(kept) >= _MANY else {}


def _whole_history(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The columns of one training, right inside an object or one level below ({"history": {..}, "seed": 3})."""
    for inside in (value, *(v for v in value.values() if isinstance(v, Mapping))):
        lists = {str(k): v for k, v in inside.items() if isinstance(v, list) and len(v) >= _MIN_POINTS}
        if lists and all(isinstance(x, (int, float, type(None))) for v in lists.values() for x in v[:3]):
            return {**{k: v for k, v in value.items() if not isinstance(v, (list, Mapping))}, **lists}
    return None
