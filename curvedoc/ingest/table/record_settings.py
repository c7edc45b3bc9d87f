"""Configuration inside a JSON log: an opening dump of arguments, a closing summary, fields repeated in each record."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Flag, Scalar
from curvedoc.ingest.settings import flatten
from curvedoc.ingest.table.axis import RecordAxis
from curvedoc.ingest.table.columns import RecordTable
from curvedoc.ingest.table.messages import clean

_CONTAINERS = ("config/", "args/", "hparams/", "params/", "hyperparameters/", "cfg/")
#: Ray repeats its whole configuration in each record. ("params/" may hold norms of parameters, so it is not here.)
_REPEATED = ("config/", "args/", "hparams/", "hyperparameters/", "cfg/")
_PRINTED = late_regex(
    r"(?:config|args|arguments|hparams|params|settings)\b[^{]{0,40}(\{.*\})\s*$"
    r"|((?:\bNamespace|\b[a-z]\w{0,40}(?:Config|Args|Arguments))\(.*\))\s*$",
    re.IGNORECASE | re.DOTALL,
)
#: An opening dump is a record or two; many records without a step are curves of another clock.
_MAX_OPENING = 5
_MAX_KEYS = 2_000
_MAX_TEXT = 500


def settings_of(
    found: RecordTable, axis: RecordAxis, skip: Collection[str]
) -> tuple[dict[str, Scalar], NDArray[np.bool_], frozenset[str]]:
    """Flat dotted settings, the records that are nothing else, and the keys that hold settings in every record.

    A record is a setting where it has no step, stands ahead of the first that has one or alone behind the last
    ("summary." goes before its keys then), and shares few keys with those that have one.
    """
    aside = _aside(found, axis, skip)
    end = found.rows - 1 if len(aside) and not axis.present[-1] else found.rows
    settings: dict[str, Scalar] = {}
    for message in found.messages:
        printed = _PRINTED.search(message.text) if message.before == 0 and len(message.text) < 1 << 16 else None
        if printed:
            settings.update(flatten.settings(printed[1] or printed[2]))
    repeated = frozenset(k for k in (*found.numbers, *found.texts) if k.startswith(_REPEATED))
    for key, texts in found.texts.items():
        for i in _places(texts.at, aside, key in repeated):
            settings[_name(key, int(texts.at[i]) >= end)] = clean(texts.text[i])[:_MAX_TEXT]
    for key, column in found.numbers.items():
        for i in _places(column.at, aside, key in repeated):
            value = float(column.value[i])
            if not column.flags[i] & Flag.NULL:
                settings[_name(key, int(column.at[i]) >= end)] = int(value) if value.is_integer() else value
    return dict(list(settings.items())[:_MAX_KEYS]), aside, repeated


def _places(at: NDArray[np.int64], aside: NDArray[np.bool_], repeated: bool) -> list[int]:
    """Which of a column's cells are settings: the first of a repeated one, those of records aside for another."""
    return [0] if repeated and len(at) else aside[at].nonzero()[0].tolist()


def _aside(found: RecordTable, axis: RecordAxis, skip: Collection[str]) -> NDArray[np.bool_]:
    aside = np.zeros(found.rows, bool)
    if axis.kind == "row" or axis.present.sum() < 2:
        return aside
    first, behind = int(np.argmax(axis.present)), found.rows - int(np.argmax(axis.present[::-1]))
    aside[:first] = first <= _MAX_OPENING
    aside[behind:] = found.rows - behind == 1
    if not aside.any():
        return aside
    shared, own = np.zeros(found.rows), np.zeros(found.rows)
    for key, column in found.numbers.items():
        if key not in skip:
            outside = aside[column.at]
            (own if outside.all() else shared)[column.at[outside]] += 1
    for texts in found.texts.values():
        own[texts.at[aside[texts.at]]] += 1
    return aside & (shared <= own)


def _name(key: str, summary: bool) -> str:
    for container in _CONTAINERS:
        key = key.removeprefix(container)
    return clean(("summary." if summary else "") + key.replace("/", "."))
