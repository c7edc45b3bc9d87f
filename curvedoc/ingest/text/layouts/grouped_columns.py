"""Rows of several numbers between bars, under a header whose parts are named by the line above it:
"|---- VALID ----|---- TRAIN ----|" over "epoch | loss acc | loss acc |"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome, spaced
from curvedoc.ingest.naming.split_words import scope_of
from curvedoc.ingest.text.line import words
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.prefix import Prefix
from curvedoc.ingest.text.line.slots import EPOCH, METRIC, STEP, NumberSlot
from curvedoc.ingest.text.line.template import FRACTION, NUMBER

#: Names ahead of a bar, one of which counts (Rust syntax).
_HEADER_RE = r"(?i)^[^|]{0,80}\b(?:epoch|iter|iteration|step)\b[^|]{0,80}\|[^|]*[a-z][^|]*\|"
#: Headers of one file.
_MOST = 40
#: Between names of one part, where each is one word and where it is not.
_GAP, _WIDE = late_regex(r"\s+"), late_regex(r"\s{2,}")
_CELL = late_regex(r"[^|]+")
#: A number, with the star of the best one behind it.
_NUMBER = late_regex(rf"[{NUMBER}{FRACTION}][*%]?")
_EMPTY = Prefix(0, 0, "", -1, -1, False)

#: The names of each part of a header, split at every blank and split at wide ones.
Parts = list[tuple[tuple[str, ...], tuple[str, ...]]]


def grouped_plans(lines: pl.DataFrame, plans: Mapping[str, LinePlan]) -> dict[str, LinePlan]:
    """The plans of such rows that nothing else names; none where no line names parts of a header below it."""
    rows = [t for t, p in plans.items() if p.kind != "record" and "|" in t]
    if not rows:
        return {}
    said = pl.col("text").str.strip_chars_end()
    heads = lines.select(said.shift(1).fill_null("").alias("above"), said)
    heads = heads.filter(pl.col("text").str.contains(_HEADER_RE)).unique(maintain_order=True).head(_MOST)
    named = [parts for above, line in heads.iter_rows() if (parts := _parts(above, line))]
    found = {t: next((plan for parts in named if (plan := _row(t, parts)) is not None), None) for t in rows}
    return {t: plan for t, plan in found.items() if plan is not None}


def _parts(above: str, line: str) -> Parts:
    """The names of a header's parts, each behind what stands above it; nothing where that names no splits."""
    over = [(m.start(), m.end(), m[0].strip(" -=_*")) for m in _CELL.finditer(above)]
    if len({scope_of(said) for *_, said in over} - {""}) < len(("train", "val")):
        return []
    out: Parts = []
    for m in _CELL.finditer(line):
        middle = (m.start() + m.end()) // 2
        group = next((said for start, end, said in over if start <= middle < end), "")
        scope = scope_of(group)
        names = [[f"{scope} {n}".strip() for n in gap.split(m[0].strip()) if n] for gap in (_GAP, _WIDE)]
        out.append((tuple(names[0]), tuple(names[1])))
    told = [n for fine, _ in out for n in fine]
    return out if any(map(is_outcome, told)) else []


def _row(template: str, parts: Parts) -> LinePlan | None:
    """The plan of a row with a cell for each part; None where the one of an outcome holds other things."""
    cells = [m[0] for m in _CELL.finditer(template)]
    if not len(parts) - 1 <= len(cells) <= len(parts) + 1:
        return None
    found: list[NumberSlot] = []
    slot = 0
    for cell, names in zip(cells, parts, strict=False):
        values = [v for v in _GAP.split(cell.strip()) if v]
        own = next((n for n in names if len(n) == len(values)), ())
        if own and all(_NUMBER.fullmatch(v) for v in values):
            found += _named(own, slot)
        elif values and any(map(is_outcome, names[0])):
            return None
        slot += sum(cell.count(mark) for mark in (NUMBER, FRACTION))
    counted = any(s.role != METRIC for s in found) and any(s.role == METRIC for s in found)
    return LinePlan("record", _once(found), _EMPTY) if counted else None


def _named(names: Sequence[str], first: int) -> Iterator[NumberSlot]:
    for slot, name in enumerate(names, first):
        low = spaced(name)
        role = EPOCH if low in words.EPOCH_WORDS else STEP if low in words.STEP_WORDS else METRIC
        yield NumberSlot(role, slot, "epoch" if role == EPOCH else name)


def _once(found: Iterable[NumberSlot]) -> tuple[NumberSlot, ...]:
    """The slots, of those with one name the first: a mean over the epoch stands before that of the last batch."""
    return tuple({(s.role, s.name): s for s in reversed(list(found))}.values())[::-1]
