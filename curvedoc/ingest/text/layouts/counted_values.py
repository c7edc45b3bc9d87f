"""Lines of a counter and a number that no word names ("it 5 -> 0.71"), and of a split, a counter and such a number
("# val 100 0.83"): what is measured is told by the lines around."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.split_words import SCOPES, SPLITS
from curvedoc.ingest.table.inference.structure import counts
from curvedoc.ingest.text.cells import numbers
from curvedoc.ingest.text.line.key import counter_of
from curvedoc.ingest.text.line.plan import HABIT, LinePlan
from curvedoc.ingest.text.line.slots import METRIC, PLACE, STEP, NumberSlot
from curvedoc.ingest.text.line.template import FRACTION, NUMBER, slots

#: What stands between a counter and what it counts.
_LINK = r"[^\w%/+*]{1,10}"
_COUNTED = late_regex(rf"\W{{0,6}}([A-Za-z][A-Za-z _]{{0,20}}?)[ :=#_.]{{0,3}}([{NUMBER}{FRACTION}]){_LINK}{NUMBER}\W*")
_ARROWED = late_regex(
    rf"\W{{0,3}}()([{NUMBER}{FRACTION}])[\])>:]? {{0,4}}(?:[-=~]?>{{1,3}}|\u2192|\.{{2,}}) {{0,4}}{NUMBER}\W*"
    rf"|\W{{0,3}}()({FRACTION}){_LINK}{NUMBER}\W*"
    rf"|#()({NUMBER}){_LINK}{NUMBER}\W*"
)
_OF_SPLIT = late_regex(
    rf"\W{{0,6}}([A-Za-z]\w{{0,12}})[ :@#|=-]{{1,4}}{NUMBER}(?:[ ,;|:=>-]{{1,6}}{NUMBER}){{1,3}}[\W]*"
)
#: So many lines show a course; so many rows show that a log is of nothing else.
_LOOKED, _ALONE = 2_000, 20
#: What is longer says more.
_LONGEST = 60
#: The name of what no word names.
VALUE = "value"

Floats = NDArray[np.float64]


def counted_value_plans(lines: pl.DataFrame, plans: Mapping[str, LinePlan]) -> dict[str, LinePlan]:
    """The plans of such lines; none where they are few, or where nothing counts or falls."""
    shapes: dict[tuple[int, str], list[str]] = {}
    for t, p in plans.items():
        body = " ".join(t[p.prefix.end :].split())
        if p.kind in ("", "anchor") and NUMBER in body and len(body) <= _LONGEST:
            shapes.setdefault((p.prefix.slots, body), []).append(t)
    out: dict[str, LinePlan] = {}
    for (_, body), of in shapes.items():
        said = _OF_SPLIT.fullmatch(body)
        if said is not None and said[1].lower() in SPLITS:
            table = _table(lines, of, plans[of[0]])
            if table is not None and counts(table[:, 0]) and not _whole(table[:, 1]):
                name = f"{SCOPES.get(said[1].lower(), SPLITS[said[1].lower()])} loss"
                found = (NumberSlot(STEP, 0, "step"), NumberSlot(METRIC, 1, name))
                out |= {t: _planned(plans[t], *found) for t in of}
    known = [*plans.values(), *out.values()]
    tells = any(p.kind and s.role == METRIC and _tells(s.name.lower()) for p in known for s in p.slots)
    own = any(map(_is_own, known))
    for (_, body), of in shapes.items():
        said = _COUNTED.fullmatch(body) or _ARROWED.fullmatch(body)
        if said is None:
            continue
        word = (said[1] or "").strip()
        role = counter_of(word, FRACTION in body) if word else None
        if word and role is None:
            continue
        table = _table(lines, of, plans[of[0]])
        if table is None or _whole(table[:, 1]) or not counts(table[:, 0]):
            continue
        if (tells and not own) or (len(table) >= _ALONE and _falls(table[:, 1])):
            count = NumberSlot(PLACE, 0, "iteration") if role is None else NumberSlot(role[0], 0, word)
            found = (count, NumberSlot(METRIC, 1, "loss" if tells and not own else VALUE))
            out |= {t: _planned(plans[t], *found) for t in of}
    return out


def _tells(name: str) -> bool:
    """Whether a name is that of a loss, or of a split alone ("held-out 0.7")."""
    return "loss" in name or name in SPLITS


def _is_own(plan: LinePlan) -> bool:
    """Whether a line tells a loss of the steps of training."""
    named = (s.name.lower() for s in plan.slots if s.role == METRIC)
    inner = any(s.role == STEP for s in plan.slots)
    return bool(plan.kind) and inner and any("loss" in n and n.split()[0] not in SPLITS for n in named)


def _planned(plan: LinePlan, *found: NumberSlot) -> LinePlan:
    ahead = plan.prefix.slots
    slots_ = tuple(NumberSlot(s.role, s.slot + ahead, s.name) for s in found)
    return LinePlan("record", slots_, plan.prefix)


def _table(lines: pl.DataFrame, templates: list[str], plan: LinePlan) -> Floats | None:
    """The first two numbers of the lines of a shape; None for fewer lines than show a habit."""
    template = templates[0]
    mine = lines.filter(pl.col("template").is_in(templates)).head(_LOOKED)
    if len(mine) < HABIT:
        return None
    width = template.count(NUMBER) + template.count(FRACTION)
    tokens = mine.select(slots(pl.col("masked")).alias("t"))["t"]
    tokens = tokens.filter(tokens.list.len() == width)
    if len(tokens) < HABIT:
        return None
    return numbers(tokens.explode())[0].reshape(-1, width)[:, plan.prefix.slots :][:, :2]


def _whole(v: Floats) -> bool:
    known = v[np.isfinite(v)]
    return not len(known) or bool((known == np.floor(known)).all())


def _falls(v: Floats) -> bool:
    """Whether a measure comes down over the log."""
    third = max(1, len(v) // 3)
    return bool((v[np.isfinite(v)] > 0).all()) and float(np.median(v[-third:])) < float(np.median(v[:third]))
