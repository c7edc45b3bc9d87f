"""The messages that a pattern matches: where, what its groups took from the first, which number from each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl

from curvedoc.core.run import empty_messages
from curvedoc.core.series import Floats, Series
from curvedoc.rulebook.compiler import CAPTURED

#: Characters of a message that a sentence quotes.
_LONGEST = 160
#: Patterns that are looked for together, where so many messages are too few for the compiling of each to pay.
_TOGETHER, _FEW_MESSAGES = 6, 500
#: Messages written before the first logged step.
BEFORE_FIRST = -1


@dataclass(frozen=True, slots=True)
class Hits:
    """The messages that a pattern matched."""

    series: Series
    texts: Mapping[str, str]  # groups of the first match, and "<pattern>_text"
    messages: pl.DataFrame  # themselves, columns of `Run.messages`


_NONE = Hits(Series(np.zeros(0, dtype=np.int64), np.zeros(0), "messages"), {}, empty_messages())


class Screen:
    """The messages of a run, and which of them a pattern may match: several are looked for at once where that is quick.

    A pattern takes longer to compile than to be looked for in a few hundred lines, and most match nothing.
    """

    def __init__(self, messages: pl.DataFrame, patterns: Sequence[str] = ()) -> None:
        """patterns: that will be asked for; others may be."""
        self.messages = messages
        self._unions = _unions(tuple(patterns)) if 0 < len(messages) <= _FEW_MESSAGES else {}
        self._left: dict[str, pl.DataFrame] = {}

    def suspects(self, regex: str) -> pl.DataFrame:
        """The messages that may match a pattern; no other does."""
        union = self._unions.get(regex)
        if union is None:
            return self.messages
        if union not in self._left:
            mask = self.messages["text"].str.contains(union)
            self._left[union] = self.messages.filter(mask) if mask.any() else self.messages.clear()
        return self._left[union]


@lru_cache(maxsize=4)
def _unions(patterns: tuple[str, ...]) -> Mapping[str, str]:
    """Each pattern with the alternative of a few that it is looked for in."""
    found: dict[str, str] = {}
    known = [p for p in dict.fromkeys(patterns) if _stands_in_a_group(p)]
    for i in range(0, len(known), _TOGETHER):
        group = known[i : i + _TOGETHER]
        # group names must be unique in an expression
        union = "|".join(f"(?:{_GROUP.sub('(?:', p)})" for p in group)
        found.update(dict.fromkeys(group, union))
    return found


_GROUP = re.compile(r"(?<!\\)\(\?P<\w+>")


def _stands_in_a_group(regex: str) -> bool:
    """Whether a pattern means the same in a group of its own: one in verbose mode may end in a comment."""
    return "(?x" not in regex and not re.search(r"\(\?[a-z]*x", regex)


def hits_in(messages: pl.DataFrame, name: str, regex: str, excepted: str | None = None) -> Hits:
    """What a pattern of this name matches.

    excepted: a regex of messages that are no hit although they match; a traceback is one whatever else it says.
    """
    mask = messages["text"].str.contains(regex) if len(messages) else None
    if mask is None or not mask.any():  # nearly all patterns of nearly all runs
        return _NONE
    found = messages.filter(mask)
    if excepted is not None and len(found):
        found = found.filter((pl.col("level") == "TRACEBACK") | ~pl.col("text").str.contains(excepted))
    step = found["step"].fill_null(BEFORE_FIRST).to_numpy().astype(np.int64)
    texts: dict[str, str] = {}
    if len(found):
        text = str(found["text"][0])
        texts[f"{name}_text"] = _excerpt(text, regex)
        groups = pl.Series([text]).str.extract_groups(regex).struct.unnest().row(0, named=True)
        texts.update(
            {
                k: shortened(str(v), _LONGEST)
                for k, v in groups.items()
                if v is not None and not k.isdigit() and k != CAPTURED
            }
        )
    # equal steps are kept as rows: a count of matches must not merge them
    value = _captured(found, regex) if f"(?P<{CAPTURED}>" in regex else np.ones(len(step))
    return Hits(Series(step, value, "messages"), texts, found)


def _captured(messages: pl.DataFrame, regex: str) -> Floats:
    """The numbers that the group `value` of a pattern took from each message; NaN where it took none."""
    if not len(messages):
        return np.zeros(0)
    # group names must be unique in an expression: by its number
    row = re.compile(r"\\.|\(\?P<(\w+)>|\((?!\?)").finditer(regex)
    groups = [m[1] for m in row if m[0].startswith("(")]
    said = messages["text"].str.extract(regex, groups.index(CAPTURED) + 1).str.replace_all("[,_]", "")
    return np.asarray(said.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy(), dtype=np.float64)


def _excerpt(text: str, regex: str) -> str:
    """The line of a message that matches, shortened; of a traceback the last, where the error stands."""
    lines = text.splitlines() or [""]
    matching = pl.Series(lines).str.contains(regex)
    hits = [line for line, hit in zip(lines, matching, strict=True) if hit]
    if lines[0].startswith("Traceback"):
        hits = [line for line in reversed(hits) if not line.startswith("Traceback")]
    return shortened((hits[0] if hits else lines[-1]).strip(), _LONGEST)


def shortened(text: str, most: int) -> str:
    """The text, or what fits of it up to the end of a word and an ellipsis.

    >>> shortened("out of memory", 20), shortened("out of memory", 10)
    ('out of memory', 'out of…')
    """
    if len(text) <= most:
        return text
    head, _, _ = text[:most].rpartition(" ")
    return (head if len(head) > most // 2 else text[: most - 1]).rstrip() + "…"
