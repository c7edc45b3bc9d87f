"""Text logs: what a training prints, in the dialects of the common trainers or as `step=10 loss=2.3`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note, empty_points
from curvedoc.ingest.bytes.file import decode, pointer, read_text
from curvedoc.ingest.contract import Log
from curvedoc.ingest.naming.log_words import is_loss, is_outcome, is_usual
from curvedoc.ingest.settings.sentences import announced
from curvedoc.ingest.table import fill_values
from curvedoc.ingest.table.inference.items import of_folds, of_items, of_models
from curvedoc.ingest.text import tail as text_tail
from curvedoc.ingest.text.config import loose_config, read_config
from curvedoc.ingest.text.evaluation_lines import with_evaluations, with_passes, with_second_bars
from curvedoc.ingest.text.late_output import held_back, moved_to_end
from curvedoc.ingest.text.layouts.boxes import NO_BOXES, may_hold_boxes, read_boxes
from curvedoc.ingest.text.layouts.loss_scale import may_overflow, scale_points
from curvedoc.ingest.text.layouts.run_on import run_on
from curvedoc.ingest.text.legible import legible
from curvedoc.ingest.text.line.kinds import with_kinds
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.prefix import without_heads
from curvedoc.ingest.text.line.slots import EPOCH, STEP
from curvedoc.ingest.text.line.template import LINE_CAP, clean, lines_of, unknown, with_templates
from curvedoc.ingest.text.line_plans import with_plans
from curvedoc.ingest.text.messages import Blocks, find_blocks, may_hold_blocks, messages
from curvedoc.ingest.text.points import Read
from curvedoc.ingest.text.recognition import claims as claims
from curvedoc.ingest.text.rewritten.laid_out import laid_out
from curvedoc.ingest.text.rewritten.rounds import unrolled
from curvedoc.ingest.text.totals import printed_totals
from curvedoc.ingest.text.trainings import boxed_trainings, trainings_of
from curvedoc.ingest.trainings.processes import processes

NAME = "text"
FILES: tuple[str, ...] = ("*.log", "*.out", "*.err", "*.txt")
ABOUT = "text logs: key=value lines, progress bars and tables of the common trainers, tracebacks, warnings"

#: Of more text than that fewer lines are read: frames of it take some twenty times as much memory.
MAX_TEXT = 48 << 20

#: What a process of several writes ahead of its lines.
_RANK_RE = (
    r"^(?:\[(?:rank|RANK|Rank|default|trainer|worker)[ :_]?([0-9]{1,6})\]:?|(?:rank|RANK|Rank)[ _]?([0-9]{1,6}):) ?"
)
#: One of these is in every label of a rank.
_RANKS = ("rank", "RANK", "Rank", "default", "trainer", "worker")
_SRUN_RE = r"^ {0,4}([0-9]{1,5}): "
#: So many values a setting may have in one log; where nearly all have no more, none is a record.
_SETTING, _SET = 2, 0.8
_RECORDS = ("record", "loose", "member")


def read(paths: Sequence[Path]) -> list[Log]:
    """One log per file, or one per training in it."""
    return [log for path in paths for log in _read(path)]


def _read(path: Path) -> list[Log]:
    data, notes = read_text(path, MAX_TEXT)
    found = pointer(data)
    if found is not None:
        return [Log(path, NAME, notes=(*notes, found), bytes=len(data))]
    text, more = decode(data)
    notes = notes + more
    if not text.strip():
        return [Log(path, NAME, notes=(*notes, Note("empty", "the file is empty")), bytes=len(data), is_text=True)]
    text, broken = legible(text)
    if not text:
        return [Log(path, NAME, notes=(*notes, Note("not-a-log", "the file is not text")), bytes=len(data))]
    if broken:
        notes = (*notes, Note("damaged", "lines that are no text were left out", count=broken))
    apart = processes(text)
    if apart is None:
        return logs_in(path, text, len(data), notes)
    out = [(label, log) for label, own in apart for log in logs_in(path, own, len(own), notes)]
    return [replace(log, run=f"{label}-{log.run}" if log.run else label) for label, log in out]


def logs_in(path: Path, text: str, size: int, notes: tuple[Note, ...] = ()) -> list[Log]:
    """The trainings in a decoded text, in the order in which they were printed."""
    told = list(notes)
    whole = text.endswith("\n")
    shown = unrolled(laid_out(without_heads(clean(text))))
    lines, often = _ranked_lines(shown)
    apart = run_on(lines, often["template"])
    if apart is not None:
        lines, often = _ranked_lines(apart)
    if not len(lines):
        return [Log(path, NAME, notes=tuple(told), bytes=size, is_text=True)]
    long = int(lines["long"].sum())
    if long:
        told.append(Note("long-lines", f"lines of more than {LINE_CAP:,} characters were cut", count=long))
    lines, plans = with_plans(lines, often, told)
    taken = np.zeros(len(lines), bool)
    blocks: Blocks = {}
    if may_hold_blocks(shown):
        plain = np.array([p.kind != "record" for p in plans])[lines["tid"].to_numpy()]
        taken, blocks = find_blocks(lines.hstack([pl.Series("plain", plain)]))
    lines = lines.hstack([pl.Series("taken", taken)])  # with_columns() asks for a plan of its own: ten times as long
    if not whole:
        lines = _tail(lines, plans, told)
    printed, used = read_config(lines)
    lines = _also_taken(lines, used)
    boxes = read_boxes(lines.filter(~pl.col("taken"))) if may_hold_boxes(shown) else NO_BOXES
    lines = with_kinds(_also_taken(lines, boxes.lines), plans)
    kinds = lines["kind"].to_list()
    plans = with_evaluations(plans, lines["tid"].to_list(), kinds)
    lines, plans = with_second_bars(*with_passes(lines, plans))
    early = lines.head(next((i for i, kind in enumerate(kinds) if kind in _RECORDS), len(lines)))
    early = early.filter(~early["taken"]) if early["taken"].any() else early
    config = announced(early) | loose_config(early) | printed
    keep = np.array([p.keep for p in plans])[lines["tid"].to_numpy()]
    said = ((lines["kind"] == "").to_numpy() | keep) & ~lines["taken"].to_numpy()
    said[list(blocks)] = True
    lines = lines.hstack([pl.Series("said", said)])
    parts = trainings_of(lines, plans)
    overflows = may_overflow(shown)
    only_boxes = len(boxes.points) > 0 and not any(len(p.read.points) for p in parts)
    if only_boxes:
        parts = [replace(parts[0], first=a, last=b) for a, b in boxed_trainings(lines, boxes)]
    out: list[Log] = []
    for i, part in enumerate(parts, 1):
        here = lines.slice(part.first, part.last - part.first)
        steps = part.read.steps
        if not len(steps):
            steps = boxes.steps.filter(pl.col("idx").is_between(part.first, part.last, closed="left"))
        table, capped = messages(here.filter("said") if here["said"].any() else here.head(0), steps, blocks)
        if i == len(parts) and blocks and held_back(text):
            known = steps["step"].drop_nulls()
            table = moved_to_end(table, int(known[-1]) if len(known) else None)
        scales = empty_points()
        if overflows and "loss_scale" not in part.read.points["metric"]:
            scales = scale_points(here.filter(pl.col("kind") == ""), steps)
        boxed = boxes.points if len(parts) == 1 else empty_points()
        if only_boxes:
            boxed = boxes.points.filter(boxes.at.is_between(part.first, part.last, closed="left"))
        if _only_settings(part.read):
            part = replace(part, read=Read(empty_points(), part.read.steps, part.read.axis))
        none = _why_none(here, plans, part.read)
        if none:
            part = replace(part, read=Read(empty_points(), part.read.steps, part.read.axis))
        points = part.read.points
        if len(boxed) or len(scales):
            points = pl.concat([points, boxed, scales])
        points, gaps = fill_values.dropped(points)
        more = _remarks(part.read, gaps) + _of_tasks(part.tasks) + ([Note("not-a-log", none)] if none else [])
        planned = {} if part.tasks else printed_totals(here, plans)
        out.append(Log(
            path, NAME, data=points, messages=table, config=planned | config,
            notes=coalesce(told + more + capped), bytes=size,
            run=str(i) if len(parts) > 1 else None, rank=_rank(here),
            axis=part.read.axis if len(part.read.points) else boxes.axis, is_text=True,
        ))  # fmt: skip
    return out


def _why_none(lines: pl.DataFrame, plans: list[LinePlan], read_: Read) -> str:
    """Why what was read is no training's, "" where it may be one's."""
    if read_.axis not in ("row", "step") or not len(read_.points):
        return ""
    if read_.axis == "row" and (none := of_models(lines.filter(pl.col("kind").is_in(_RECORDS))["template"].to_list())):
        return none
    told = (plans[i] for i in np.unique(lines["tid"].to_numpy()).tolist())
    counters = {s.name for p in told for s in p.slots if s.role in (STEP, EPOCH)}
    return of_folds(read_.points, counters) or ("" if counters else of_items(lines, read_.points))


def _also_taken(lines: pl.DataFrame, at: Collection[int]) -> pl.DataFrame:
    """The lines, of which these are taken too."""
    return lines.with_columns(pl.col("taken") | pl.col("idx").is_in(list(at))) if at else lines


def _only_settings(read_: Read) -> bool:
    """Whether each metric has one value throughout and a name that says nothing of training ("Map (num_proc=4): 40%"),
    or nothing is counted and they have hardly more than one: settings that were printed again."""
    if not len(read_.points) or any(is_loss(n) for n in read_.points["metric"].unique()):
        return False
    same = read_.points.group_by("metric").agg(pl.col("value").n_unique(), pl.len())
    repeated = bool((same["value"] == 1).all()) and bool((same["len"] > 1).all())
    if repeated and not any(is_usual(n) for n in same["metric"]):
        return True
    if read_.axis != "row":
        return False
    if any(is_outcome(n) for n in same.filter(pl.col("value") > _SETTING)["metric"]):
        return False
    few = int((same["value"] <= _SETTING).sum())
    return few >= _SET * len(same) and bool((same["len"] > same["value"]).any())


def _of_tasks(more: int) -> list[Note]:
    said = "the model learns several tasks one after another; their epochs are counted on"
    return [Note("several-tasks", said, count=more + 1)] if more else []


def _remarks(read_: Read, gaps: int) -> list[Note]:
    out = []
    if gaps:
        out.append(Note("nan-for-missing", "NaN in rows of another kind was taken for: nothing logged", count=gaps))
    if read_.axis == "row" and len(read_.points):
        out.append(Note("no-step", "the lines name no step; each record counts as one"))
    if read_.axis == "epoch" and len(read_.points):
        out.append(Note("step-from-epoch", "the lines name no step; the epoch stands in its place"))
    return out


def _ranked_lines(text: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The lines with their templates, and how many lines there are of each template."""
    lines = with_templates(_ranked(lines_of(text), text), text)
    return lines, lines.group_by("template", maintain_order=True).len()


def _ranked(lines: pl.DataFrame, whole: str) -> pl.DataFrame:
    """Adds `rank` (null: none named) and takes its label off the line. whole: the text that the lines are of"""
    if any(word in whole for word in _RANKS):
        named = pl.col("text").str.extract_groups(_RANK_RE).struct
        rank = pl.coalesce(named.field("1"), named.field("2")).cast(pl.Int64)
        out = lines.with_columns(rank.alias("rank"), pl.col("text").str.replace(_RANK_RE, ""))
    else:
        out = lines.hstack([unknown("rank", pl.Int64(), len(lines))])
    filled = int((out["text"] != "").sum())
    label = out["text"].str.extract(_SRUN_RE)
    found = len(label) - label.null_count()
    if filled > 1 and found >= 0.9 * filled and 2 * label.drop_nulls().n_unique() <= found:  # else it counts
        out = out.with_columns(
            pl.coalesce("rank", pl.col("text").str.extract(_SRUN_RE).cast(pl.Int64)).alias("rank"),
            pl.col("text").str.replace(_SRUN_RE, ""),
        )
    return out


def _tail(lines: pl.DataFrame, plans: list[LinePlan], told: list[Note]) -> pl.DataFrame:
    """Judges a last line without line end; of a cut one only whole numbers are read."""
    if bool(lines["taken"][-1]):
        return lines
    record = pl.Series([p.kind in ("record", "loose", "anchor") for p in plans]).gather(lines["tid"]).alias("record")
    of = lines.tail(5_000).with_columns(record.tail(5_000))
    tail = text_tail.judge(of, plans[lines["tid"][-1]])
    if not tail.cut:
        return lines
    told.append(Note("truncated", "the last line breaks off; its last value was left out", line=int(lines["line"][-1])))
    plans.append(tail.plan)
    last = pl.int_range(pl.len()) == pl.len() - 1
    blank = last & (pl.lit(tail.plan.kind == ""))
    return lines.with_columns(
        pl.when(last).then(len(plans) - 1).otherwise(pl.col("tid")).alias("tid"),
        pl.when(blank).then(pl.lit("")).otherwise(pl.col("text")).alias("text"),
    )


def _rank(lines: pl.DataFrame) -> int | None:
    """The one rank that every record names."""
    if lines["rank"].null_count() == len(lines):
        return None
    ranks = lines.filter(pl.col("kind").is_in(_RECORDS))["rank"].unique()
    return int(ranks[0]) if len(ranks) == 1 and ranks[0] is not None else None
