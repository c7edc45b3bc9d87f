"""Numbers of each split below the metric that heads them, and numbers called by their place in an array."""

from __future__ import annotations

import re

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.naming.split_words import ANY_SPLIT
from curvedoc.ingest.text.rewritten.written_number import NUMBER

_NUMBER = rf"{NUMBER}%?"
_SPLIT_ROW = rf"[ \t]{{1,40}}(?:[-*] )?(?:{ANY_SPLIT})[ \t]{{0,20}}[:=|][ \t]{{0,20}}{_NUMBER}[ \t]{{0,20}}(?:\n|\Z)"
#: "Loss:", and below it "  train: 2.3" and "  val: 2.4".
_HEADED = late_regex(
    rf"(?im)^[ \t]{{0,40}}(?:[-*#] )?([a-z][\w /]{{0,30}})[:=]?[ \t]{{0,20}}\n((?:{_SPLIT_ROW}){{1,4}})"
)
_ROW = late_regex(rf"(?i)({ANY_SPLIT})[ \t]*[:=|][ \t]*({_NUMBER})")
#: "loss[12] = 0.41;"
_ELEMENT = late_regex(
    rf"(?m)^[ \t]{{0,40}}([A-Za-z]\w{{0,40}})[\[(](\d{{1,9}})[\])][ \t]{{0,20}}[=:][ \t]{{0,20}}({_NUMBER})"
    r"[ \t]{0,20};?[ \t\r]{0,20}$"
)
#: So much of a text is looked at for the first; fewer elements are those of a few things.
_HEAD, _ELEMENTS = 1 << 14, 20


def with_heads(text: str) -> str:
    """The text, with the name of the metric, or of the array, in each such line."""
    if _HEADED.search(text, 0, _HEAD):
        text = _HEADED.sub(_named, text)
    if _ELEMENT.search(text, 0, _HEAD) and len(_ELEMENT.findall(text)) >= _ELEMENTS:
        text = _ELEMENT.sub(lambda m: f"step {m[2]} {m[1]}: {m[3]}" if is_outcome(m[1]) else m[0], text)
    return text


def _named(m: re.Match[str]) -> str:
    name = m[1].strip()
    if not is_outcome(name):
        return m[0]
    return "".join(f"  {split} {name}: {value}\n" for split, value in _ROW.findall(m[2]))
