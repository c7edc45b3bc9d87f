"""Records out of numbers under numbered keys: "epoch.3.train.loss", "[Epoch 3] loss", "loss/300", "EPOCH_3_LOSS"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import MORE_EPOCHS, MORE_STEPS, is_outcome
from curvedoc.ingest.naming.word_set import word_set
from curvedoc.ingest.table.inference.structure import behaves

Path = tuple[str, float]

_EPOCHS = ("epoch", "epochs", "round", *MORE_EPOCHS)
_STEPS = ("step", "steps", "global_step", "iteration", "iterations", "iter", "it", "update", "episode", *MORE_STEPS)
_WORD = "|".join(re.escape(w) for w in sorted((*_EPOCHS, *_STEPS), key=len, reverse=True))
_COUNTED = late_regex(
    rf"(?i)(?:^|(?<=[\W_]))(?:({_WORD})[ _#:/.-]?)?[\[(]?(\d{{1,12}})[\])]?(?=$|[\W_])|(?<=[a-z])[\[(](\d{{1,12}})[\])]"
)
_EDGES = late_regex(r"^[\W_]+|[\W_]+$")
_GAPS = late_regex(r"([/.])[/._ -]+")
#: What the name of a file says of its keys.
_BY = late_regex(r"(?i)[ _.-]*(?:by|per|over|each|at|vs)[ _.-]*(?:epoch|step|iter(?:ation)?|round)s?|^(?:log|data)$")
#: Of these there is one value each.
_APART = word_set("class classes fold folds category label labels layer layers weight weights bin bins topk top rank k")
#: So many numbers where a word says what they count, and where none does; so much of what a file holds is under them.
_TOLD, _UNTOLD, _SHARE = 3, 8, 0.6


@dataclass(frozen=True, slots=True)
class _Place:
    counter: str
    count: int
    name: str


def records(pairs: Sequence[Path], stem: str) -> list[dict[str, Any]]:
    """The records of a training in numbers under paths of keys; none where they are no such. stem: what the file is
    called, which names values under nothing but a number."""
    called = _EDGES.sub("", _BY.sub("", stem))
    found = [(p, value) for key, value in pairs if (p := _place(key, called)) is not None]
    if not found or len(found) < _SHARE * len(pairs):
        return []
    words = Counter(p.counter for p, _ in found)
    counter = words.most_common(1)[0][0]
    rows: dict[int, dict[str, Any]] = {}
    for p, value in found:
        if p.counter == counter:
            rows.setdefault(p.count, {}).setdefault(p.name, value)
    counts = list(rows)
    even = counts == list(range(counts[0], counts[0] + len(counts)))
    if len(rows) < (_TOLD if counter else _UNTOLD) or counts != sorted(counts):
        return []
    names = [n for n in dict.fromkeys(k for row in rows.values() for k in row) if is_outcome(n)]
    if not any(_is_curve([row[n] for row in rows.values() if n in row], bool(counter), even) for n in names):
        return []
    key = "epoch" if counter in _EPOCHS or (not counter and even) else "step"
    return [{key: count, **row} for count, row in rows.items()]


def _place(key: str, called: str) -> _Place | None:
    """The number in a key that counts, and what the rest of the key names; None where it has none or says a class."""
    matches = list(_COUNTED.finditer(key))
    told = [m for m in matches if m[1]]
    if not told and len(matches) != 1:
        return None
    m = told[0] if told else matches[0]
    rest = _EDGES.sub("", _GAPS.sub(r"\1", f"{key[: m.start()]}/{key[m.end() :]}"))
    words = {w for w in re.split(r"[\W_]+", f"{rest} {called}".lower()) if w}
    if not told and words & _APART:
        return None
    return _Place((m[1] or "").lower(), int(m[2] or m[3]), rest.replace("/", "_") if "_" in rest else rest or called)


def _is_curve(values: Sequence[float], told: bool, even: bool) -> bool:
    """Whether values are those of a training: of numbers that nothing says, and that count one by one, things may be
    numbered, and the values must go on from one to the next."""
    if len(values) < (_TOLD if told else _UNTOLD) or all(v == int(v) for v in values if abs(v) < 1e15):
        return False
    return told or not even or behaves(np.array(values))
