"""The encoding of a text that is no UTF-8, by trial."""

from __future__ import annotations

import re
from collections.abc import Sequence

from curvedoc.core.late_regex import late_regex

#: The share of lines beyond ASCII that a codec must take (the tail may be cut).
_TAKES = 0.98
#: Lines that are tried, of so many that are found, and fewer than that show nothing.
_LINES, _FOUND, _FEW = 200, 20_000, 2
#: Lines with bytes beyond ASCII.
_OTHER = late_regex(rb"^[^\n]*[\x80-\xff][^\n]*", re.MULTILINE)
#: What Western text has beyond ASCII, one byte at a time: accents, signs, quotes.
_WEST = late_regex(rb"(?<![\x80-\xff])[\x80\x85\x91-\x97\x99\xa0-\xff](?![\x80-\xff])")
_ANY = late_regex(rb"[\x80-\xff]")
_PAIR = late_regex(rb"[\x81-\xfe][\x40-\xfe]")
#: Codecs of two bytes a character, and the pairs of what is written most; where two fit as well, the first.
_PAIRS = {
    "cp932": late_regex(rb"[\x81-\x83\x88-\x97][\x40-\xfc]"),
    "euc_kr": late_regex(rb"[\xa1-\xac\xb0-\xc8][\xa1-\xfe]"),
    "gb18030": late_regex(rb"[\xa1-\xa7\xb0-\xd7][\xa1-\xfe]|[\xa8\xa9][\x40-\xfe]"),  # frames of tables
    "big5": late_regex(rb"[\xa1-\xc6][\x40-\x7e\xa1-\xfe]"),
}


def legacy(data: bytes) -> str | None:
    """The codec that reads the text well, None where UTF-8 (with a few broken bytes) or none does."""
    found = [m.group() for _, m in zip(range(_FOUND), _OTHER.finditer(data), strict=False)]
    lines = found[:: max(1, len(found) // _LINES)]
    if len(lines) < _FEW or _share(lines, "utf-8") > 1 - _TAKES:
        return None
    west = sum(len(_WEST.findall(line)) for line in lines)
    if west == sum(len(_ANY.findall(line)) for line in lines):
        return "cp1252" if _share(lines, "cp1252") >= _TAKES else None
    fit = [c for c in _PAIRS if _share(lines, c) >= _TAKES]
    return max(fit, key=lambda c: _common(lines, c), default=None)


def _share(lines: Sequence[bytes], codec: str) -> float:
    """The share of lines that a codec takes."""
    good = 0
    for line in lines:
        try:
            line.decode(codec)
        except UnicodeDecodeError:
            continue
        good += 1
    return good / len(lines)


def _common(lines: Sequence[bytes], codec: str) -> float:
    """The share of pairs that would be of the characters written most."""
    pairs = [p for line in lines for p in _PAIR.findall(line)]
    return sum(_PAIRS[codec].fullmatch(p) is not None for p in pairs) / max(len(pairs), 1)
