"""Names on lines of their own, each above its number, and columns told by their numbers ("col 1: epoch"): as pairs, and
as a header."""

from __future__ import annotations

import re

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome, is_usual, spaced
from curvedoc.ingest.text.line import words
from curvedoc.ingest.text.rewritten.written_number import NUMBER

#: So much of a text is looked at for the first pair; fewer pairs show no habit, and fewer columns are no table.
_HEAD, _PAIRS, _COLUMNS = 1 << 13, 12, 2
_NUMBER = rf"{NUMBER}%?"
_COUNTED = r"(?i:epoch|step|iter(?:ation)?|round)[ #:]{0,3}\d{1,9}[ ,:|-]{1,3}(?=[A-Za-z])"
_PAIR = late_regex(
    rf"(?m)^[ \t]{{0,20}}((?:{_COUNTED})?[A-Za-z][A-Za-z _/()-]{{0,40}}?)(?: is| was)?[ \t]?[:=]?\n"
    rf"[ \t]{{0,20}}({_NUMBER})[ \t]{{0,20}}$"
)
_COLUMN = r"(?:col(?:umn)?\.?[ _]?#?{n}(?:[ :=-]{{1,3}}| is )|{n}(?:st|nd|rd|th)? col(?:umn)?(?:[ :=-]{{1,3}}| is ))"
_NAME = r"(?:the )?([A-Za-z][A-Za-z _/()-]{1,30})"
_FIRST = late_regex(rf"(?im)^[#%/;* \t]*{_COLUMN.format(n='1')}")
_NEXT = late_regex(rf"[#%/;,.|* \t\n]{{0,9}}{_COLUMN.format(n='([0-9]{1,2})')}{_NAME}", re.IGNORECASE)


def with_names_above(text: str) -> str:
    """The text, with the name and its number on one line, and a header in place of such a list of columns."""
    if _FIRST.search(text, 0, _HEAD):
        text = _headed(text)
    if _PAIR.search(text, 0, _HEAD) is None:
        return text
    pairs = list(_PAIR.finditer(text))
    known = [m for m in pairs if _is_known(m[1])]
    if len(known) < _PAIRS or 2 * len(known) < len(pairs) or not any(is_outcome(m[1]) for m in known):
        return text
    return _PAIR.sub(lambda m: f"{m[1]}: {m[2]}" if _is_known(m[1]) else m[0], text)


def _is_known(name: str) -> bool:
    return is_usual(name) or spaced(name) in (*words.EPOCH_WORDS, *words.STEP_WORDS)


def _headed(text: str) -> str:
    first = _FIRST.search(text, 0, _HEAD)
    names: list[str] = []
    begin = at = first.start() if first is not None else 0
    while (m := _NEXT.match(text, at)) is not None and int(m[1] or m[2]) == len(names) + 1:
        names.append(m[3].strip())
        at = m.end()
    if len(names) < _COLUMNS or not any(map(_is_known, names)):
        return text
    return text[:begin] + "# " + "  ".join(n.replace(" ", "_") for n in names) + "\n" + text[at:].lstrip(" .\n")
