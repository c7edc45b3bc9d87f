"""Whether the last line of a log was cut while it was written."""

from __future__ import annotations

import re

import polars as pl

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.slots import INNER, PLACE, STEP
from curvedoc.ingest.text.line.template import FRACTION, NUMBER

#: Records before the last line that it is compared with.
_BEFORE = 200
#: So many equal columns make it a habit.
_HABIT = 5
_CUT_NUMBER = late_regex(f"[{NUMBER}{FRACTION}](?:[eE][-+]?|[.,/])?$|[-+]$")
#: A number whose unit may have lost letters ("12m" of "12ms").
_CUT_UNIT = late_regex(f"[{NUMBER}{FRACTION}][A-Za-z%/]{{1,8}}$")


@dataclass(frozen=True, slots=True)
class Tail:
    """cut: the line is a part of a record; plan: what may be read of it (kind "" for nothing)."""

    cut: bool
    plan: LinePlan


def judge(lines: pl.DataFrame, plan: LinePlan) -> Tail:
    """The last line (of columns text, template, record, tokens) of a file that ends without a line end.

    Many whole logs end so. It is cut when it breaks off where other records of its kind go on, or when its last number
    has fewer decimals than that column always has; then the number at the break is not read.
    """
    whole = Tail(False, plan)
    text, template, tokens = lines.select("text", "template", "tokens").row(-1)
    before = lines.head(-1).filter(pl.col("record")).tail(_BEFORE)
    if not len(before) or not text:
        return whole
    at_end = _CUT_NUMBER.search(template) is not None
    last = template.count(NUMBER) + template.count(FRACTION) - 1 if at_end else -1
    same = before.filter(pl.col("template") == template)
    if not len(same) and _goes_on(text, template, before):
        in_unit = _CUT_UNIT.search(template) is not None
        return Tail(True, _without(plan, template.count(NUMBER) + template.count(FRACTION) - 1 if in_unit else last))
    if len(same) >= _HABIT and last >= 0 and len(tokens) == last + 1 and text.endswith(tokens[last].strip()):
        column = same["tokens"].list.get(last, null_on_oob=True).drop_nulls().to_list()
        if _shape(tokens[last]) < min(_shape(t) for t in column):
            return Tail(True, _without(plan, last))
    return whole


def _goes_on(text: str, template: str, before: pl.DataFrame) -> bool:
    """Whether a record before begins with this line and goes on."""
    stem = _CUT_NUMBER.sub("", template).replace("  ", " ").rstrip(" ")
    shape = re.sub("[0-9]", "0", text)
    for other, line in before.select("template", "text").unique().iter_rows():
        if other.replace("  ", " ").startswith(stem) and len(other.replace("  ", " ")) > len(stem) + 1 and stem.strip():
            return True
        if len(line) > len(text) and re.sub("[0-9]", "0", line[: len(text)]) == shape:
            return True
    return False


def _shape(token: str) -> tuple[int, int]:
    """(digits after the point, digits of the exponent) of a number; a word such as nan is never too short."""
    if not any(c.isdigit() for c in token):
        return (99, 99)
    mantissa, _, exponent = token.lower().partition("e")
    return len(mantissa.partition(".")[2]), len(exponent.strip("+-"))


def _without(plan: LinePlan, slot: int) -> LinePlan:
    """The plan without one slot; nothing at all where that was the counter or the only metric."""
    kept = tuple(s for s in plan.slots if s.slot != slot)
    lost = [s for s in plan.slots if s.slot == slot]
    empty = any(s.role in (STEP, INNER, PLACE) for s in lost) or plan.kind not in ("record", "loose")
    return LinePlan("" if empty else plan.kind, () if empty else kept, plan.prefix, plan.scope, plan.bar)
