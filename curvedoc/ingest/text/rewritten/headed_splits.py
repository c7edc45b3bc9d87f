"""Numbers of each split below the metric that heads them, small tables of splits and metrics for each epoch, and
numbers called by their place in an array."""

from __future__ import annotations

import re
from itertools import islice

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.naming.split_words import ANY_SPLIT, split_of
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
#: "          train    val", and below it "loss      0.5      0.6"; or splits below metrics.
_LABEL = r"[A-Za-z][\w%-]{0,30}(?: [A-Za-z][\w%-]{0,20})?"
_CELLS = r"[ \t]{1,40}(?:\|[ \t]{0,40})?"
_TABLE = late_regex(
    rf"(?m)^[ \t|]{{0,40}}({_LABEL}(?:(?:[ \t]{{2,40}}|[ \t]{{0,40}}\|[ \t]{{0,40}}){_LABEL}){{1,5}})[ \t|]{{0,40}}\n"
    rf"(?:[-+|=: ]{{3,120}}\n)?"
    rf"((?:[ \t|]{{0,40}}{_LABEL}[:]?(?:{_CELLS}{_NUMBER}){{2,6}}[ \t|]{{0,40}}(?:\n|\Z)){{1,6}})"
)
_GAP = late_regex(r"[ \t]{2,}|[ \t]*\|[ \t]*")
_CELL_ROW = late_regex(rf"[ \t|]*({_LABEL}):?((?:{_CELLS}{_NUMBER})+)")
#: So many of them are the habit of a log.
_TABLES = 4
#: So much of a text is looked at for the first; fewer elements are those of a few things.
_HEAD, _ELEMENTS = 1 << 14, 20


def with_heads(text: str) -> str:
    """The text, with the name of the metric, or of the array, in each such line."""
    if _HEADED.search(text, 0, _HEAD):
        text = _HEADED.sub(_named, text)
    if _TABLE.search(text, 0, _HEAD) and sum(1 for _ in islice(_TABLE.finditer(text), _TABLES)) == _TABLES:
        text = _TABLE.sub(_crossed, text)
    if _ELEMENT.search(text, 0, _HEAD) and len(_ELEMENT.findall(text)) >= _ELEMENTS:
        text = _ELEMENT.sub(lambda m: f"step {m[2]} {m[1]}: {m[3]}" if is_outcome(m[1]) else m[0], text)
    return text


def _crossed(m: re.Match[str]) -> str:
    """The rows of such a table, with the split and the metric ahead of each number."""
    names = _GAP.split(m[1].strip())
    rows = [(label, re.findall(_NUMBER, cells)) for label, cells in _CELL_ROW.findall(m[2])]
    splits = all(split_of(n) for n in names) and all(is_outcome(label) for label, _ in rows)
    metrics = any(map(is_outcome, names)) and all(split_of(label) for label, _ in rows)
    if not (splits or metrics) or any(len(values) != len(names) for _, values in rows):
        return m[0]
    return "".join(
        "  "
        + " | ".join(f"{n} {label}: {v}" if splits else f"{label} {n}: {v}" for n, v in zip(names, values, strict=True))
        + "\n"
        for label, values in rows
    )


def _named(m: re.Match[str]) -> str:
    name = m[1].strip()
    if not is_outcome(name):
        return m[0]
    return "".join(f"  {split} {name}: {value}\n" for split, value in _ROW.findall(m[2]))
