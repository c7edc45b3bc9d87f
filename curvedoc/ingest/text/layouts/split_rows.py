"""Rows that begin with the split that they are of ("! Train  3  0.52  0.91"), under a header of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome, spaced
from curvedoc.ingest.naming.split_words import ANY_SPLIT, SCOPES
from curvedoc.ingest.text.line import words
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.prefix import Prefix
from curvedoc.ingest.text.line.slots import EPOCH, METRIC, STEP, NumberSlot
from curvedoc.ingest.text.line.template import CLOCK, FRACTION, NUMBER

_ROW = late_regex(rf"\W{{0,6}}((?i:{ANY_SPLIT}))\b[\s|:]+((?:[{NUMBER}{FRACTION}{CLOCK}-][\s|,]*)+)$")
#: A word for the split, or a mark in its place, and names that say which column counts.
_HEADER_RE = r"(?i)^[ |!#*\t]*(?:[a-z#]+[ |\t]+){0,3}(?:epoch|step|iter(?:ation)?)[ |\t]+[a-z_]"
_GAP = late_regex(r"[\s|,]+")
#: More names than these are no header.
_MOST = 40
#: Fewer numbers are no row.
_FEWEST = 2
_EMPTY = Prefix(0, 0, "", -1, -1, False)


def split_row_plans(lines: pl.DataFrame, plans: Mapping[str, LinePlan]) -> dict[str, LinePlan]:
    """The plans of such rows whose numbers nothing else names; none where no header has a counter among its names."""
    rows = {t: m for t, p in plans.items() if p.kind in ("", "member", "anchor") and (m := _ROW.match(t)) is not None}
    if not rows:
        return {}
    heads = lines["text"].filter(lines["text"].str.contains(_HEADER_RE)).unique(maintain_order=True).head(_MOST)
    named = list(_headers(heads.to_list()))
    out = {}
    for template, m in rows.items():
        cells = [c for c in _GAP.split(m[2].strip()) if c]
        names = next((n for n in named if len(n) >= len(cells) and _counts(n[-len(cells) :])), None)
        if names is not None and len(cells) >= _FEWEST:
            out[template] = _plan(cells, names[-len(cells) :], SCOPES[m[1].lower()])
    return out


def _headers(heads: Iterable[str]) -> Iterable[list[str]]:
    for line in heads:
        names = [n for n in _GAP.split(line.strip(" |\t#!")) if n]
        if len(names) <= _MOST and any(map(is_outcome, names)) and not any(c.isdigit() for n in names[:2] for c in n):
            yield names


def _counts(names: list[str]) -> bool:
    """Whether one of the first two columns counts."""
    return any(spaced(n) in (*words.EPOCH_WORDS, *words.STEP_WORDS) for n in names[:2])


def _plan(cells: list[str], names: list[str], scope: str) -> LinePlan:
    found: list[NumberSlot] = []
    slot = 0
    for cell, name in zip(cells, names, strict=True):
        if cell not in (NUMBER, FRACTION):
            continue
        low = spaced(name)
        role = EPOCH if low in words.EPOCH_WORDS else STEP if low in words.STEP_WORDS else METRIC
        said = "epoch" if role == EPOCH else f"{scope} {name}" if role == METRIC and scope != "train" else name
        found.append(NumberSlot(role, slot, said))
        slot += 1
    return LinePlan("record", tuple(found), _EMPTY, scope=scope)
