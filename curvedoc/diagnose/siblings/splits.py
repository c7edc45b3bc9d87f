"""The ways in which one configuration key parts runs: by threshold, by value, by being set or not."""

from __future__ import annotations

from typing import Literal

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.numbers import spelled
from curvedoc.diagnose.siblings.families import ABSENT, Key

#: Thresholds tried per numeric key; of more values, those at even ranks.
MOST_THRESHOLDS = 24
#: Distinct words of a key beyond which it names things instead of choosing between a few.
MOST_WORDS = 12

Side = Literal["high", "low", "value", "absent"]


@dataclass(frozen=True, slots=True)
class KeySplit:
    """One way to part the runs by one key: those with `inside` true against the rest."""

    key: Key
    inside: tuple[bool, ...]
    words: tuple[str, str]  # of the inside, of the rest
    sides: tuple[Side, Side]


def number(value: float) -> str:
    return spelled(value, ".4g")


def _thresholds(key: Key) -> list[KeySplit]:
    known = sorted({v for v in key.values if isinstance(v, float)})
    starts = known[1:]
    if len(starts) > MOST_THRESHOLDS:
        starts = [starts[i] for i in np.linspace(0, len(starts) - 1, MOST_THRESHOLDS).astype(int)]
    out = []
    for start in starts:
        below = max(v for v in known if v < start)
        inside = tuple(isinstance(v, float) and v >= start for v in key.values)
        words = (f"{key.name} of {number(start)} or more", f"{key.name} of {number(below)} or less")
        out.append(KeySplit(key, inside, words, ("high", "low")))
    return out


def _values(key: Key) -> list[KeySplit]:
    words = sorted({str(v) for v in key.values if v is not ABSENT})
    if len(words) > MOST_WORDS:
        return []
    # of two values the second split would be the first again
    chosen = words[:1] if len(words) == 2 and ABSENT not in key.values else words
    out = []
    for word in chosen:
        rest = words[1] if len(chosen) < len(words) else ""
        other = f"{key.name} = {rest}" if rest else f"another {key.name}"
        inside = tuple(v is not ABSENT and str(v) == word for v in key.values)
        out.append(KeySplit(key, inside, (f"{key.name} = {word}", other), ("value", "value")))
    return out


def splits_of(key: Key) -> list[KeySplit]:
    """Every way in which a key parts the runs: present or not, by threshold for numbers, by value for words and flags.

    A key that some runs do not have and that is a number elsewhere is split by presence only: what the missing value
    stands for is not known.
    """
    if ABSENT in key.values:
        inside = tuple(v is not ABSENT for v in key.values)
        present = KeySplit(key, inside, (f"{key.name} set", f"no {key.name}"), ("value", "absent"))
        return (
            [present] if all(isinstance(v, float) for v in key.values if v is not ABSENT) else [present, *_values(key)]
        )
    return _thresholds(key) if all(isinstance(v, float) for v in key.values) else _values(key)
