"""What a run printed beside its curves: the messages that a pattern matches, where, and what its groups took from them;
the answers of probes."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import polars as pl

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import empty_messages
from curvedoc.core.series import Floats, Series
from curvedoc.rulebook.compiler import CAPTURED
from curvedoc.rulebook.literals import Words, words_needed

#: Characters of a message that a sentence quotes.
_LONGEST = 160
#: Messages written before the first logged step.
BEFORE_FIRST = -1
#: What stands before the error in a traceback that a logger wrote as one line.
_ERROR_OF_ONE_LINE = late_regex(
    r"^Traceback \(most recent call last\):.*?(?=\b(?:\w+\.)*[A-Z]\w*(?:Error|Exception)\b)"
)
#: What glog writes before a message: "[E1127 03:10:11.101 ProcessGroup.cpp:632] ".
_STAMP = late_regex(r"^\[?[EWIF]\d{4} [\d:.]{8,20} (?:\d+ )?[\w./-]{1,80}:\d+\] ?")
#: Where in the source of a library a message comes from, which says nothing to its user: "[/src/tcp/pair.cc:537] ",
#: "/site-packages/torch/nn/modules/loss.py:528: UserWarning: ".
_SOURCE = late_regex(
    r"\[/?[\w./+-]{1,200}\.(?:cc|cpp|cu|cuh|h|hpp):\d+\] ?|^\S{0,200}/site-packages/\S{1,200}:\d+: (?=\w*Warning)"
)
#: What a probe prints at its end: "check bad-data 2: no", the second question of that cause.
_PROBED = late_regex(r"(?:^|[\s\]|:])check ([a-z][a-z0-9-]{1,60}) (\d{1,2}): (yes|no)\b")


@dataclass(frozen=True, slots=True)
class Hits:
    """The messages that a pattern matched."""

    series: Series
    texts: Mapping[str, str]  # groups of the first match, and "<pattern>_text"
    messages: pl.DataFrame  # themselves, columns of `Run.messages`


NO_HITS = Hits(Series(np.zeros(0, dtype=np.int64), np.zeros(0), "messages"), {}, empty_messages())


class Transcript:
    """The messages of a run, searched once for each pattern. has_text: a text log was read, so that their lack says
    something."""

    def __init__(self, messages: pl.DataFrame, has_text: bool) -> None:
        self._messages, self._has_text = messages, has_text
        self._hits: dict[tuple[str, str, str | None], Hits] = {}
        self._text: str | None = None
        self._answers: Mapping[tuple[str, int], bool] | None = None

    def hits(self, name: str, regex: str, excepted: str | None = None) -> Hits | None:
        """The messages that match; None where there are none and no text log was read. excepted: see `hits_in`."""
        if not self._has_text and self._messages.is_empty():
            return None
        key = (name, regex, excepted)
        if key not in self._hits:
            # nearly all patterns of nearly all runs match nothing
            there = self._mentions(words_needed(regex))
            self._hits[key] = hits_in(self._messages, name, regex, excepted) if there else NO_HITS
        found = self._hits[key]
        # lines between records of data: one that is there says something, one that is not says nothing
        return found if self._has_text or len(found.messages) else None

    def answer(self, cause: str, place: int) -> bool | None:
        """What a probe answered at last to a question of a cause, counted from 0; None where none did."""
        if self._answers is None:
            said = self._messages["text"].to_list() if self._mentions(frozenset({"check "})) else []
            self._answers = {(m[1], int(m[2]) - 1): m[3] == "yes" for text in said for m in _PROBED.finditer(text)}
        return self._answers.get((cause, place))

    def _mentions(self, words: Words) -> bool:
        """Whether any message has one of the words, which are lower case; true where there are none."""
        if self._text is None:
            self._text = "\n".join(self._messages["text"].to_list()).lower() if len(self._messages) else ""
        text = self._text
        return not words or any(word in text for word in words)


def hits_in(messages: pl.DataFrame, name: str, regex: str, excepted: str | None = None) -> Hits:
    """What a pattern of this name matches.

    excepted: a regex of messages that are no hit although they match; a traceback is one whatever else it says.
    """
    mask = messages["text"].str.contains(regex) if len(messages) else None
    if mask is None or not mask.any():  # nearly all patterns of nearly all runs
        return NO_HITS
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
    line = _STAMP.sub("", (hits[0] if hits else lines[-1]).strip())
    return shortened(_SOURCE.sub("", _ERROR_OF_ONE_LINE.sub("", line)), _LONGEST)


def shortened(text: str, most: int) -> str:
    """The text, or what fits of it up to the end of a word and an ellipsis.

    >>> shortened("out of memory", 20), shortened("out of memory", 10)
    ('out of memory', 'out of…')
    >>> shortened("RuntimeError: (/a/very/long/path)", 20)
    'RuntimeError…'
    """
    if len(text) <= most:
        return text
    head, _, _ = text[:most].rpartition(" ")
    return (head if len(head) > most // 2 else text[: most - 1]).rstrip(" :,;([") + "…"
