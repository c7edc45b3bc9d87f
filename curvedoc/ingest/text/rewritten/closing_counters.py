"""Blocks of pairs that end with what counts them ("loss: 0.5", "accuracy: 0.8", "epoch: 3"), with the counter ahead."""

from __future__ import annotations

import re
from itertools import pairwise

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome

#: So much of a text is looked at for the first blocks; so many show the habit, which so many of all have.
_HEAD, _BLOCKS, _SHARE = 1 << 13, 4, 0.9
#: Between two blocks.
_BREAK = late_regex(r"(\n[ \t]*(?:[-=*#_~]{3,200}[ \t]*)?\n(?:[ \t]*\n)*)")
_COUNTER = late_regex(
    r"(?:[\w ]{0,20}[ _])?(?:epochs?|steps?|iter(?:ation)?s?|updates?|round|generation)[ \t]*[:=]"
    r"[ \t]*(\d{1,15})[ \t]*",
    re.IGNORECASE,
)
#: "  loss: 0.5"
_PAIR = late_regex(r"[ \t]*[\"']?[A-Za-z_][^:=\n]{0,60}[:=][^\n]{0,200}")


def opened(text: str) -> str:
    """The text, with the counter at the head of each block that it closes; another text as it is."""
    if len(_BREAK.findall(text, 0, _HEAD)) < _BLOCKS:
        return text
    parts = _BREAK.split(text)
    blocks = [b.split("\n") for b in parts[::2]]
    filled = [b for b in blocks if any(b)]
    closed = [int(m[1]) for b in filled if len(b) > 2 and (m := _COUNTER.fullmatch(b[-1].rstrip("\r"))) is not None]
    counts = len(closed) >= max(_BLOCKS, _SHARE * len(filled)) and all(a < b for a, b in pairwise(closed))
    if not counts or not any(is_outcome(line) for line in filled[0]):
        return text
    pairs = sum(_PAIR.fullmatch(line) is not None for b in filled for line in b)
    if pairs < _SHARE * sum(map(len, filled)) or any(_COUNTER.fullmatch(b[0]) for b in filled):
        return text
    return "".join("\n".join((b[-1].strip(), *b[:-1])) + gap for b, gap in zip(blocks, [*parts[1::2], ""], strict=True))
