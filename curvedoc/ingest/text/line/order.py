"""Lines that say the number before its name ("2.31 loss, 0.001 lr"), turned round."""

from __future__ import annotations

import re

from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.text.line import words
from curvedoc.ingest.text.line.template import FRACTION, NUMBER

_ITEM = re.compile(rf"({NUMBER})([ ]?[A-Za-z%/]{{1,6}})? ([A-Za-z_][\w./-]{{0,40}}(?: [A-Za-z_][\w./-]{{0,40}})?)")
_APART = re.compile(r"\s*[,;|]\s*")
_LEAD = re.compile(rf"^\s*[\[(]?[{NUMBER}{FRACTION}][\])]?[:|]?\s+(?=[{NUMBER}])")
#: So many items make it the habit of the line.
_ITEMS = 3


def name_first(body: str) -> str:
    """The body with `name: number` in place of each `number name`, where all its items are of that kind and one is what
    trainings log; the body itself otherwise. Every number stays in its place."""
    if ":" in body or "=" in body or body.count(NUMBER) < _ITEMS:
        return body
    lead = _LEAD.match(body)
    head = lead.group() if lead is not None else ""
    items = [i for i in _APART.split(body[len(head) :].strip()) if i]
    found = [_ITEM.fullmatch(i) for i in items]
    if len(items) < _ITEMS or not all(found):
        return body
    parts = [(m[3], m[1], (m[2] or "").strip()) for m in found if m is not None]
    parts = [(f"{unit} {name}" if unit and words.unit_of(unit) != unit else name, n, unit) for name, n, unit in parts]
    if not any(is_outcome(name) for name, _, _ in parts):
        return body
    step = f"step {head.strip(' :|[]()')} " if head else ""
    return step + ", ".join(f"{name}: {n}{unit if words.unit_of(unit) == unit else ''}" for name, n, unit in parts)
