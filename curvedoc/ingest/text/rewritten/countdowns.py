"""How much is left, which counts down and names no step ("480 batches left. Loss now: 0.5"), taken out of the lines."""

from __future__ import annotations

import re
from itertools import pairwise

from curvedoc.core.late_regex import late_regex

#: So much of a text is looked at, for so many lines that tell it, of which so many tell less than the one before.
_HEAD, _LINES, _FALLS = 1 << 14, 8, 0.8
#: What is left of time or room counts nothing.
_OTHER = r"s|ms|sec\w*|min\w*|m|h|hours?|hrs?|days?|[KMGT]i?B|bytes?"
_LEFT = late_regex(
    rf"(?im)(?<![\d.,:/])\(?\b(\d{{1,12}})(?: (?!(?:{_OTHER})\b)[a-z]{{2,20}}){{0,3}}"
    r" (?:left|remaining|to go)\b\)?[.,;:|]?"
    r"|(?:\b[a-z]{2,20} )?\b(?:left|remaining|to go)[ :=]{1,3}(\d{1,12})(?![\d.,:hms%])[,;|]?"
)


def without_countdowns(text: str) -> str:
    """The text, without what is left in a log that counts it down; another text as it is."""
    if not any(word in text for word in ("left", "remaining", "to go", "Left", "Remaining")):
        return text
    counts = [int(m[1] or m[2]) for m in _LEFT.finditer(text, 0, _HEAD)]
    falls = sum(a > b for a, b in pairwise(counts))
    if len(counts) < _LINES or falls < _FALLS * (len(counts) - 1):
        return text
    return re.sub(r"(?m)^[ \t]+|[ \t]+$", "", _LEFT.sub("", text))
