"""Rows of a step and the terms of a loss under a comment that names each list of terms once: DeepXDE's loss.dat."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.naming.split_words import scope_of
from curvedoc.ingest.table.curve import LogCurve
from curvedoc.ingest.table.keys import COUNTERS
from curvedoc.ingest.table.values import number

#: What follows the counter: the terms of training, the same ones of other data, then measures.
_LISTS = 2

Floats = NDArray[np.float64]


def term_names(lines: Sequence[str]) -> list[str]:
    """The names in the comment ahead of rows that hold more numbers than it has names: a counter, then the losses of
    two splits; none where it is no such table."""
    rows = [r for r in lines if r.strip()]
    if len(rows) < _LISTS or not rows[0].startswith("#"):
        return []
    names = [n for n in re.split(r"[,;\s]+", rows[0].strip("# \t\r")) if n]
    cells = rows[1].split()
    if len(names) <= _LISTS or names[0].lower() not in COUNTERS or len(cells) <= len(names):
        return []
    splits = [scope_of(n) for n in names[1 : 1 + _LISTS]]
    lists = all(is_outcome(n) for n in names[1 : 1 + _LISTS]) and len(set(splits)) == _LISTS
    return names if lists and all(number(c) is not None for c in cells) else []


def term_curves(lines: Sequence[str]) -> list[LogCurve]:
    """The sum of the terms of each split, the terms by their place, and the measures."""
    rows = [[number(c) for c in r.split()] for r in lines if r.strip() and not r.startswith("#")]
    names, width = term_names(lines), len(rows[0])
    table = np.array([r for r in rows if len(r) == width and None not in r], dtype=np.float64)
    step, values = table[:, 0], table[:, 1:]
    terms = _terms(values)
    out = []
    for i, name in enumerate(names[1 : 1 + _LISTS]):
        mine = values[:, i * terms : (i + 1) * terms]
        out.append(LogCurve.plain(name, step, mine.sum(axis=1)))
        out += [LogCurve.plain(f"{name}[{k}]", step, mine[:, k]) for k in range(terms if terms > 1 else 0)]
    measures = values[:, _LISTS * terms :]
    name = next(iter(names[1 + _LISTS :]), "metric")
    return [*out, *(LogCurve.plain(f"{name}[{k}]" if k else name, step, m) for k, m in enumerate(measures.T))]


def _terms(values: Floats) -> int:
    """How many terms each split has: as many as the other, and of what is left over there is one measure, if any."""
    return int(values.shape[1]) // _LISTS
