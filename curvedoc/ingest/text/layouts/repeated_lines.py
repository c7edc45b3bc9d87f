"""Lines that come again and again with other numbers, whatever their words: each number that varies is a column called
by what touches it, and what counts is told by how it goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome, is_rate, is_usual, spaced
from curvedoc.ingest.naming.split_words import SPLITS, scope_of
from curvedoc.ingest.table.inference.structure import behaves, counts
from curvedoc.ingest.text.cells import numbers
from curvedoc.ingest.text.layouts.number_labels import NumberLabel, labels_of, title_of
from curvedoc.ingest.text.line.key import counter_of
from curvedoc.ingest.text.line.plan import HABIT, LinePlan
from curvedoc.ingest.text.line.slots import COUNTERS, EPOCH, INNER, METRIC, PLACE, STEP, NumberSlot
from curvedoc.ingest.text.line.template import FRACTION, NUMBER, slots

#: Shapes of a log that are looked at, the numbers that a line may hold, and the lines of each that show how they go.
_SHAPES, _WIDEST, _LOOKED = 12, 40, 2_000
#: The lines of one shape are so large a part of all that hold a number.
_SHARE = 0.05
#: So many lines of a shape for each that counts alone stand below such a line.
_BELOW = 1.5
#: What words made records of.
_TOLD = ("record", "loose", "spoken", "pairs")
#: Counters that are told by how they go as well, since the words may be of anything.
_COUNTED = ("gen", "frame", "frames", "game", "games", "env steps")
#: A longer line is none of a person's.
_LONGEST = 1_000
#: They change from line to line within words too.
_DIGITS = late_regex(r"\d+")
#: A sign takes the place of the blank behind it: "loss= 2.1", "loss=-0.3".
_SEP = late_regex("([=:]) ")
_TIMES = ("s", "ms", "us", "ns", "sec", "secs", "second", "seconds", "min", "mins", "m", "h", "hr", "hours")

Floats = NDArray[np.float64]
Plans = Mapping[str, LinePlan]


@dataclass(frozen=True, slots=True)
class RepeatedShape:
    """The templates of one shape, the first number that is looked at, the numbers and totals of its lines, [lines,
    numbers], and the labels of the numbers, those that are the same everywhere left out (`fixed`)."""

    templates: tuple[str, ...]
    first: int
    value: Floats
    of: Floats
    labels: tuple[NumberLabel, ...]
    fixed: tuple[int, ...]


def repeated_plans(lines: pl.DataFrame, plans: Plans) -> dict[str, LinePlan]:
    """The plans of such lines: in a log whose lines no words told, of all of them; else those of its records whose
    numbers were not all understood.

    lines: columns idx, text, masked, template; plans: of the templates
    """
    records = {t for t, p in plans.items() if p.kind in _TOLD and (p.counted or _measures(p))}
    told = len(records) >= HABIT or sum(int((lines["template"] == t).sum()) for t in records) >= HABIT
    could = {t: _shape(t, p) for t, p in plans.items() if (not told or _half_read(t, p, records)) and _could(t, p)}
    if not could:
        return {}
    mine = lines.filter(pl.col("template").is_in(list(could)))
    mine = mine.select("idx", "masked", "template", pl.col("template").replace_strict(could).alias("shape"))
    often = mine.group_by("shape", maintain_order=True).len()
    often = often.filter(pl.col("len") >= max(HABIT, _SHARE * len(mine)))
    often = often.sort("len", descending=True, maintain_order=True).head(_SHAPES)
    found: dict[str, LinePlan] = {}
    known = bool(told)
    counting = [t for t, p in plans.items() if p.kind == "anchor" and p.counted]
    anchors = int(lines["template"].is_in(counting).sum()) if told and counting else 0
    looked = (_looked_at(mine.filter(pl.col("shape") == name), plans, lines) for name in often["shape"])
    shapes = [(s, _counters(s)) for s in looked if s is not None]
    epochs = {c.name for _, counters in shapes for c in counters.values() if c.role == EPOCH}
    for shape, counters in shapes:
        # what counts the epochs on one line counts them on another, where it rises each time
        counters = {i: replace(c, role=EPOCH) if c.name in epochs else c for i, c in counters.items()}
        if told:
            below = len(shape.value) <= _BELOW * anchors  # a line of its own counts them
            own = {} if below else counters
            found |= {t: p for t in shape.templates if (p := _read_on(plans[t], shape, own)) is not None}
            continue
        plan, sure = _plan(shape, counters, plans)
        if plan is not None:
            found |= dict.fromkeys(shape.templates, plan)
            known |= sure
    return found if known else {}


def _measures(plan: LinePlan) -> bool:
    return any(s.role == METRIC and _says(s.name) for s in plan.slots)


def _could(template: str, plan: LinePlan) -> bool:
    bar = f"{NUMBER}%|" in template  # which says how far it is, and nothing else
    return not bar and len(template) <= _LONGEST and 0 < _width(template, plan) <= _WIDEST


def _half_read(template: str, plan: LinePlan, records: set[str]) -> bool:
    """Whether a record has numbers that nothing was made of, or none that counts."""
    return (
        template in records
        and not (plan.bar or plan.running)
        and (not plan.counted or len(plan.slots) < _width(template, plan))
    )


def _width(template: str, plan: LinePlan) -> int:
    body = template[plan.prefix.end :]
    return body.count(NUMBER) + body.count(FRACTION)


def _shape(template: str, plan: LinePlan) -> str:
    end = max(template.rfind(NUMBER), template.rfind(FRACTION)) + 1  # what stands behind it may change
    body = _DIGITS.sub("0", template[plan.prefix.end : end])
    return f"{plan.prefix.slots} {_SEP.sub(lambda m: m[1], ' '.join(body.split()))}"


def _looked_at(rows: pl.DataFrame, plans: Plans, lines: pl.DataFrame) -> RepeatedShape | None:
    templates = rows["template"].unique(maintain_order=True).to_list()
    prefix = plans[templates[0]].prefix
    width = prefix.slots + _width(templates[0], plans[templates[0]])
    tokens = rows.head(_LOOKED).select(slots(pl.col("masked")).alias("t"))["t"]
    tokens = tokens.filter(tokens.list.len() == width)
    if len(tokens) < HABIT:
        return None
    value, of = (a.reshape(-1, width)[:, prefix.slots :] for a in numbers(tokens.explode()))
    body = templates[0][prefix.end :]
    fixed = tuple(i for i in range(value.shape[1]) if _same(value[:, i]) and _same(of[:, i]))
    labels = labels_of(body, [])
    literal = tuple(i for i in fixed if _whole(value[:, i]) or not (is_usual(labels[i].name)))
    labels = labels_of(body, literal)
    if not any(label.name for label in labels):
        first = int(rows["idx"][0])
        labels = title_of(templates[0], lines["text"][max(first - 3, 0) : first].to_list())[prefix.slots :]
    if not labels:
        return None  # rows of numbers alone
    return RepeatedShape(tuple(templates), prefix.slots, value, of, tuple(labels), literal)


def _plan(shape: RepeatedShape, counters: Mapping[int, NumberSlot], plans: Plans) -> tuple[LinePlan | None, bool]:
    """The plan of lines that no words told, None where they are no records; and whether they can be those of a training
    by themselves: a word says so, or a curve behaves over what counts."""
    found = dict(counters)
    measured: list[int] = []
    for i, label in enumerate(shape.labels):
        took = label.unit in _TIMES and not label.name
        if i not in shape.fixed and i not in found and not took and (label.name or not _whole(shape.value[:, i])):
            measured.append(i)
            found[i] = NumberSlot(METRIC, i, label.name or f"column {i + 1}", label.unit)
    curves = [shape.value[:, i] for i in measured if not _whole(shape.value[:, i])]
    counted = any(s.role in COUNTERS for s in found.values())
    if not curves or not counted:
        return None, False
    counting = [s.name for s in found.values() if s.role in (EPOCH, STEP, INNER)]
    named = any(counter_of(n, False) or spaced(n) in _COUNTED for n in counting)
    said = [shape.labels[i].name for i in measured if not shape.labels[i].titled]  # a table may be of anything
    outcome = any(_says(n) or is_rate(n) for n in said) or _both_sides(shape.labels)
    known = outcome or named or any(behaves(v) and _learns(v) for v in curves)
    slots_ = tuple(replace(s, slot=shape.first + i) for i, s in sorted(found.items()))
    return LinePlan("record", slots_, plans[shape.templates[0]].prefix), known


def _read_on(plan: LinePlan, shape: RepeatedShape, counters: Mapping[int, NumberSlot]) -> LinePlan | None:
    """The plan of a record with what counts, where nothing did by its name, and with the numbers that vary and have
    a name; None where there is nothing new."""
    read = {s.slot - shape.first: s for s in plan.slots}
    found = dict(read)
    if not plan.counted:
        by_epoch = any(s.role == EPOCH for s in counters.values())  # or a place of it would be all that counts
        found |= {i: s for i, s in counters.items() if (by_epoch or s.role != INNER) and not is_usual(s.name)}
    for i, label in enumerate(shape.labels):
        if i in shape.fixed or not label.name or _whole(shape.value[:, i]) or label.aside:
            continue
        new = i not in read and (is_outcome(label.name) or not label.unit)
        better = i in read and read[i].role == METRIC and not is_usual(read[i].name) and is_outcome(label.name)
        if new or (better and shape.fixed):
            found[i] = NumberSlot(METRIC, i, label.name, label.unit)
    if all(read.get(i) is s for i, s in found.items()):
        return None
    slots_ = [s if read.get(i) is s else replace(s, slot=shape.first + i) for i, s in sorted(found.items())]
    return replace(plan, kind="record", slots=tuple(slots_))


def _counters(shape: RepeatedShape) -> dict[int, NumberSlot]:
    """What counts, by its name or by how it goes."""
    out: dict[int, NumberSlot] = {}
    moving = [i for i in range(len(shape.labels)) if i not in shape.fixed]
    # "10m 15s" and "Step: 82ms" count nothing
    whole = [i for i in moving if shape.labels[i].unit not in _TIMES and _whole(shape.value[:, i])]
    for i in whole:
        label = shape.labels[i]
        said = counter_of(label.name, label.fraction) if label.name else None
        if said is not None and all(s.role != said[0] for s in out.values()):
            out[i] = NumberSlot(said[0], i, label.name)
    if any(s.role in (EPOCH, STEP) for s in out.values()):
        return out
    for i in whole:
        v, label = shape.value[:, i], shape.labels[i]
        if i in out or _says(label.name):
            continue
        if counts(v) and float((np.diff(v) > 0).mean()) > 0.5:
            out[i] = NumberSlot(STEP if label.name else PLACE, i, label.name or "iteration")
            break
        if counts(v):
            out[i] = NumberSlot(EPOCH, i, label.name or "epoch")
        elif label.fraction and _same(shape.of[:, i]):
            out[i] = NumberSlot(INNER, i, "batch")
    return out


def _both_sides(labels: Sequence[NumberLabel]) -> bool:
    """Whether outcomes of training and of unseen data stand side by side, as in no table of other things."""
    scopes = {scope_of(spaced(label.name)) for label in labels if is_outcome(label.name)}
    return "train" in scopes and len(scopes - {""}) > 1


def _says(name: str) -> bool:
    """Whether a name is that of an outcome or of a split."""
    return is_outcome(name) or any(w in SPLITS for w in spaced(name).split())


def _same(v: Floats) -> bool:
    return bool((v == v[0]).all() or np.isnan(v).all())


def _whole(v: Floats) -> bool:
    return bool(np.isfinite(v).all() and (v == np.floor(v)).all())


def _learns(v: Floats) -> bool:
    """Whether a curve moves most at first."""
    if not bool(np.isfinite(v).all()):
        return False
    parts = [float(np.median(p)) for p in np.array_split(v, 4)]
    return abs(parts[1] - parts[0]) > 1.5 * abs(parts[3] - parts[2])
