"""Rows of numbers that no word on their line names: counters told by how they go, names by the title above."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome, is_usual, spaced
from curvedoc.ingest.naming.split_words import has_scope, scope_of
from curvedoc.ingest.naming.values.curve_shape import until_lowest
from curvedoc.ingest.naming.values.rivals import are_twins
from curvedoc.ingest.text.cells import numbers
from curvedoc.ingest.text.layouts.gains import gain_plan
from curvedoc.ingest.text.layouts.tables import with_upper
from curvedoc.ingest.text.layouts.unseen_loss import Unseen, is_like, of_unseen
from curvedoc.ingest.text.line import words
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.prefix import Prefix, read_prefix
from curvedoc.ingest.text.line.slots import EPOCH, INNER, METRIC, PLACE, STEP, NumberSlot
from curvedoc.ingest.text.line.template import CLOCK, FRACTION, NUMBER, slots

_EMPTY = Prefix(0, 0, "", -1, -1, False)
#: Rows that show how a column goes, as many as are looked at, and different shapes of such rows in one log.
_ROWS, _LOOKED, _SHAPES = 5, 2_000, 20
#: So many lines above the first row may hold its title; and so many where a logger put the same ahead of both.
_ABOVE, _LOGGED = 5, 50
#: Under a title or a counter on a line of its own, fewer will do.
_FEW = 2
#: Lines that name an outcome or a counter, without which rows of numbers are no training.
_TELLING = 3
#: A log of nothing but a counter and a value ("99 672.35", as the first examples of PyTorch print): so many rows, which
#: are nearly all of its lines.
_PAIRS, _ALL = 20, 0.9
PAIR = LinePlan("record", (NumberSlot(STEP, 0, "step"), NumberSlot(METRIC, 1, "column 2")), _EMPTY)
#: A log of nothing but values.
VALUE = LinePlan("record", (NumberSlot(METRIC, 0, "column 1"),), _EMPTY)
#: A level has moved where its medians lie so many of their own errors apart.
_APART_BY = 4.0
#: What has more columns is a matrix.
MAX_COLUMNS = 8
#: A counter falls on no more than this share of its rows.
_FALLS = 0.05
_BARE = late_regex(rf"[\[\]()|,;\s\u2592{CLOCK}]*(?:[{NUMBER}{FRACTION}][GMKkB%s]?[\[\]()|,;:\s\u2592{CLOCK}]*)+")
_NAME = late_regex(r"\d{0,3}[\[(]?[^\W\d][\w./@%()\[\]-]{0,60}(?::{1,2}\w[\w.]{0,60})?")
_GAP, _SAYS = late_regex(r"[\s|,;]+"), late_regex(r"(?i)^(?:columns?|fields|format)(?: are)?[ :=]+")
#: Between names of several words.
_WIDE = late_regex(r" *[|,;\t][|,;\s]*|\s{2,}")
#: "1:epoch 2:loss"
_NUMBERED = late_regex(r"(^|\s)\d{1,2}[:.)]\s?(?=[A-Za-z])")
_RULE = late_regex(r"[|:+=\s\u2500-\u257f-]{3,}")
_REMARK = late_regex(r"\([^()]*\)")
#: Rows that are known without a title: (numbers, shape of the first ones) -> names.
_LAYOUTS: Mapping[tuple[int, str], tuple[str, ...]] = {
    # results.txt of YOLOv5 (first releases) and YOLOv7
    (15, f"{FRACTION} {NUMBER}G"): (
        "epoch", "gpu_mem", "train/box_loss", "train/obj_loss", "train/cls_loss", "train/total_loss", "labels",
        "img_size", "precision", "recall", "mAP@.5", "mAP@.5:.95", "val/box_loss", "val/obj_loss", "val/cls_loss",
    ),
}  # fmt: skip
_COUNTS = frozenset({"labels", "img_size", "targets", "instances", "size"})

Floats = NDArray[np.float64]


def column_plans(lines: pl.DataFrame, plans: Mapping[str, LinePlan]) -> dict[str, LinePlan]:
    """The plans of templates that are nothing but numbers.

    lines: columns idx, text, masked, template; plans: of the templates with numbers
    """
    shape_of = {
        t: " ".join(t.split())
        for t, plan in plans.items()
        if plan.kind == "" and (_BARE.fullmatch(t) or (plan.prefix.end and _BARE.fullmatch(t[plan.prefix.end :])))
    }
    if not shape_of:
        return {}
    bare = lines.filter(pl.col("template").is_in(list(shape_of)))
    bare = bare.with_columns(pl.col("template").replace_strict(shape_of, return_dtype=pl.String).alias("shape"))
    often = bare.group_by("shape", maintain_order=True).len().filter(pl.col("len") >= _FEW)
    often = often.sort("len", descending=True, maintain_order=True).head(_SHAPES)
    anchored = any(p.kind == "anchor" for p in plans.values())
    telling = [
        t
        for t, p in plans.items()
        if p.kind == "anchor" or (p.kind in ("record", "loose") and any(is_outcome(s.name) for s in p.slots))
    ]
    told = lines.filter(pl.col("template").is_in(telling))["idx"]
    alone = len(bare) >= _ALL * _said(lines)
    out: dict[str, LinePlan] = {}
    for shape in often["shape"]:
        rows = bare.filter(pl.col("shape") == shape)
        if (found := _plan(lines, rows, shape, plans, anchored, told, alone)) is not None:
            out.update(dict.fromkeys(rows["template"].unique().to_list(), found))
    return out


def _plan(
    lines: pl.DataFrame,
    rows: pl.DataFrame,
    shape: str,
    plans: Mapping[str, LinePlan],
    anchored: bool,
    told: pl.Series,
    alone: bool,
) -> LinePlan | None:
    width = shape.count(NUMBER) + shape.count(FRACTION)
    known = next((n for (w, head), n in _LAYOUTS.items() if w == width and shape.startswith(head)), None)
    if known is not None:
        return _named(known)
    at = rows["idx"].to_numpy()
    first = int(at[0])
    prefix = plans[rows["template"][0]].prefix
    if width and (ahead := rows["template"][0][: prefix.end].strip()):  # rows behind what a logger writes first
        found = _under_logged_title(lines, first, width, prefix, ahead) if len(rows) >= _ROWS else None
        if found is not None or prefix.level:
            return found
    title = _title_above(lines["text"][max(first - _ABOVE, 0) : first].to_list(), width)
    if title and len(rows) >= _ROWS:
        return _named(title)
    if width == 1:
        before = lines["template"].gather(np.maximum(at - 1, 0)).to_list()
        if anchored and sum(t in plans and plans[t].kind == "anchor" for t in before) >= 0.8 * len(at):
            below = lines["text"][first + 1].strip() if first + 1 < len(lines) else ""
            return LinePlan("record", (NumberSlot(METRIC, 0, _spoken_of(below) or "column 1"),), _EMPTY)
        table = _table(rows, 1) if alone and len(rows) >= _PAIRS else None
        return None if table is None or not _moves(table[:, 0]) else VALUE
    gain = gain_plan(_table(rows, width)) if alone and width == 3 else None
    if gain is not None:
        return gain
    if alone and len(rows) >= _PAIRS:  # a log of nothing but rows
        table = _table(rows, width)
        learns = table is not None and (_falls_each(table) or any(are_twins(*c) for c in pairwise(table.T[1:])))
        if table is not None and width <= MAX_COLUMNS and learns and _counts(table[:, 0]):
            return PAIR if width == 2 else _by_behavior(table, plans)
    # a table before the first of those lines or behind the last is about something else
    amid = len(told) >= _TELLING and int(told[0]) < int(at[-1]) and int(at[0]) < int(told[-1])
    if len(rows) < _ROWS or not amid:
        return None
    table = _table(rows, width)
    return None if table is None else _by_behavior(table, plans, of_unseen(lines, rows, plans))


def _under_logged_title(lines: pl.DataFrame, first: int, width: int, prefix: Prefix, ahead: str) -> LinePlan | None:
    """The plan of rows that a logger wrote, by the last title before the first row behind the same as they."""
    above = lines["template"][max(first - _LOGGED, 0) : first].to_list()[::-1]
    said = (t[read_prefix(t).end :] for t in above if t.startswith(ahead))
    names = (_title(t, width - prefix.slots) for t in said if NUMBER not in t and FRACTION not in t)
    plan = next((_named(n) for n in names if n), None)
    if plan is None:
        return None
    return replace(plan, slots=tuple(replace(s, slot=s.slot + prefix.slots) for s in plan.slots), prefix=prefix)


def _table(rows: pl.DataFrame, width: int) -> Floats | None:
    """The first numbers of the rows, [n, width]; None where they cannot be laid out."""
    tokens = rows.head(_LOOKED).select(slots(pl.col("masked")).alias("t"))["t"]
    tokens = tokens.filter(tokens.list.len() == width)
    if len(tokens) < _ROWS:
        return None
    return numbers(tokens.explode())[0].reshape(-1, width)


def _by_behavior(table: Floats, plans: Mapping[str, LinePlan], unseen: Unseen | None = None) -> LinePlan | None:
    """Counters among the first columns and what they count; the rest by its place, or as the loss where the log names
    one of an evaluation and none of the training."""
    found: list[NumberSlot] = []
    for i in range(table.shape[1]):
        role = _counter(table[:, i])
        if role is None or any(s.role == role for s in found):
            break
        found.append(NumberSlot(role, i, "epoch" if role == EPOCH else "step"))
    rest = range(len(found), table.shape[1])
    last = table.shape[1] - 1
    if not found and last and _saws(table[:, last]):  # "2.31, 100"
        found, rest = [NumberSlot(INNER, last, "batch")], range(last)
    if not found or not any(bool((table[:, i] != np.floor(table[:, i])).any()) for i in rest):
        return None
    named = [s.name for p in plans.values() for s in p.slots if s.role == METRIC and "loss" in spaced(s.name)]
    free = bool(named) and all(has_scope(n) and scope_of(n.replace("_", " ")) != "train" for n in named)
    could = [i for i in rest if is_like(table[:, i], unseen)] or [i for i in rest if _falls(table[:, i])]
    loss = could[0] if free and could else -1
    found += [NumberSlot(METRIC, i, "loss" if i == loss else f"column {i + 1}") for i in rest]
    return LinePlan("record", tuple(found), _EMPTY)


def _counter(v: Floats) -> int | None:
    """What a column counts: places (steps, or epochs as the lines around tell) where each row has another, epochs
    where rows share one; None for a measure."""
    if not bool(np.isfinite(v).all()) or bool((v != np.floor(v)).any()) or v.max() == v.min():
        return None
    move = np.diff(v)
    if float((move < 0).mean()) > _FALLS:
        return None
    return PLACE if float((move > 0).mean()) > 0.5 else EPOCH


def _saws(v: Floats) -> bool:
    """Whether a column counts up in equal steps, and begins anew where it does not."""
    if not bool(np.isfinite(v).all()) or bool((v != np.floor(v)).any()) or v.max() == v.min():
        return False
    move = np.diff(v)
    down = move < 0
    pace = np.median(move[~down]) if bool((~down).any()) else 0.0
    return bool(pace > 0 and (v[1:][down] == v.min()).all() and float((move[~down] == pace).mean()) >= _ALL)


def _said(lines: pl.DataFrame) -> int:
    """How many lines are not empty."""
    return int((lines["text"] != "").sum())


def _counts(v: Floats) -> bool:
    """Whether each row counts on by as much as the one before it."""
    paces = np.diff(v)
    return _counter(v) == PLACE and float((paces == np.median(paces)).mean()) >= _ALL


def _falls(v: Floats) -> bool:
    """Whether a measure comes down over the log, or did until it blew up."""
    v = v if bool(np.isfinite(v).all()) else until_lowest(v)
    third = max(1, len(v) // 3)
    return len(v) >= _FEW and bool((v > 0).all()) and float(np.median(v[-third:])) < float(np.median(v[:third]))


def is_nameless(plan: LinePlan) -> bool:
    """Whether no word says what the numbers of a row measure."""
    return all(s.name.startswith("column ") for s in plan.slots if s.role == METRIC)


def _moves(v: Floats) -> bool:
    """Whether values without a counter come down by far more than they scatter from one to the next."""
    if not bool(np.isfinite(v).all()) or bool((v == np.floor(v)).all()) or not _falls(v):
        return False
    third = len(v) // 3
    error = float(np.median(np.abs(np.diff(v)))) / math.sqrt(third)
    return float(np.median(v[:third]) - np.median(v[-third:])) > _APART_BY * error


def _falls_each(table: Floats) -> bool:
    """Whether the second column comes down over most of the rows, each time that the first one counts from anew."""
    parts = np.split(table[:, 1], np.flatnonzero(np.diff(table[:, 0]) < 0) + 1)
    down = sum(len(p) for p in parts if _falls(p))
    return 2 * down > len(table)


def _title_above(above: Sequence[str], width: int) -> tuple[str, ...] | None:
    """The names in the line right above the rows, or in a comment a few lines up ("# [step, lr] loss, epe")."""
    above = with_upper([line for line in above if not _RULE.fullmatch(line)], width)
    lines = [line for i, line in enumerate(above) if i == len(above) - 1 or line.lstrip().startswith("#")]
    return next((names for line in reversed(lines) if (names := _title(line, width))), None)


def _title(text: str, width: int) -> tuple[str, ...] | None:
    """The names in the line above the rows, one for each column; None where it is no such line."""
    text = _NUMBERED.sub(r"\1", _SAYS.sub("", text.strip("#|% \t-=")))
    if width == 1:
        said = text.strip(":")
        short = len(_REMARK.sub("", said).split()) <= 4 and not any(c.isdigit() for c in said) and is_outcome(said)
        return (said,) if short and not words.is_prose(said) else None
    split = ([_bare(n) for n in gap.split(text) if n] for gap in (_GAP, _WIDE))
    names = next((tuple(n) for n in split if len(n) == width), ())
    if not names or not all(_NAME.fullmatch(n.replace(" ", "_")) for n in names) or len(set(names)) < width:
        return None
    running = any(words.is_prose(n) and n not in words.INNER_WORDS for n in names)  # "it" counts as well
    return names if any(is_usual(n) for n in names) and not running else None


def _bare(name: str) -> str:
    """The name without marks around it or around it and its neighbors; "loss (train)" keeps its own."""
    bare = name.strip("()[]: ")
    return name.strip(": ") if set(bare) & set("()[]") else bare


def _spoken_of(text: str) -> str:
    """The outcome that the line below a bare number names ("losses: <object>")."""
    name, colon, _ = text.partition(":")
    return name if colon and len(name.split()) <= 3 and is_outcome(name) else ""


def _named(names: Sequence[str]) -> LinePlan | None:
    found = []
    for i, name in enumerate(names):
        low = spaced(name)
        if low in words.EPOCH_WORDS:
            found.append(NumberSlot(EPOCH, i, "epoch"))
        elif low in words.STEP_WORDS or (low in words.INNER_WORDS and not found):
            found.append(NumberSlot(STEP, i, name))
        elif low in words.INNER_WORDS and found and found[-1].role == EPOCH:
            found.append(NumberSlot(INNER, i, name))
        elif name not in _COUNTS:
            found.append(NumberSlot(METRIC, i, name))
    return LinePlan("record", tuple(found), _EMPTY) if any(s.role == METRIC for s in found) else None
