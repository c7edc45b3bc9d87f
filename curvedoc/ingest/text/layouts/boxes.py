"""Boxes of `| name | value |` lines, as Stable-Baselines and other reinforcement learning loops print them."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from curvedoc.core.run import POINTS, empty_points

_NUMBER = r"[-+]?(?:[0-9][0-9,]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?|nan|inf)"
_ROW_RE = rf"^\| +([A-Za-z_][\w./ ()-]*?) *\| +({_NUMBER}) *\|$"
_SECTION_RE = r"^\| *([A-Za-z_][\w-]*/) *\| *\|$"
_EDGE_RE = r"^[-=+]{8,}$"
#: What counts the steps of a box, best first.
_COUNTERS = (
    "total_timesteps",
    "num_timesteps",
    "timesteps",
    "total_steps",
    "step",
    "steps",
    "iterations",
    "iteration",
    "epoch",
)


@dataclass(frozen=True, slots=True)
class Boxes:
    """points: of all boxes; steps: idx, step of each box's first line; lines: what belonged to boxes."""

    points: pl.DataFrame
    steps: pl.DataFrame
    lines: frozenset[int]


def read_boxes(lines: pl.DataFrame) -> Boxes:
    """The boxes among lines (columns idx, text, time, rank); a value's step is the counter anywhere in its box.

    A section line "rollout/" is put before the names under it.
    """
    none = Boxes(empty_points(), pl.DataFrame(schema={"idx": pl.Int64, "step": pl.Int64}), frozenset())
    lines = lines.filter(pl.col("text").str.contains(r"^\|.*\|$|" + _EDGE_RE))
    row = pl.col("text").str.extract_groups(_ROW_RE).struct
    cells = lines.with_columns(
        pl.col("text").str.contains(_EDGE_RE).cum_sum().alias("box"),
        pl.col("text").str.extract(_SECTION_RE).alias("section"),
        row.field("1").alias("key"),
        row.field("2").alias("value"),
    )
    if not bool(cells["key"].is_not_null().any()):
        return none
    cells = cells.with_columns(pl.col("section").forward_fill().over("box").fill_null(""))
    value = pl.col("value").str.replace_all(",", "").cast(pl.Float64, strict=False)
    cells = cells.with_columns(value.alias("value"))
    rank_of = {name: i for i, name in enumerate(_COUNTERS)}
    counters = cells.with_columns(
        pl.col("key").replace_strict(rank_of, default=None, return_dtype=pl.Int64).alias("order")
    )
    counters = counters.drop_nulls(["order", "value"]).filter(
        pl.col("value").is_finite() & (pl.col("value").abs() < 2**62)
    )
    if not len(counters):
        return none
    step = counters.sort("order", maintain_order=True).unique("box", keep="first", maintain_order=True)
    step = step.select("box", pl.col("value").cast(pl.Int64).alias("step"), pl.col("key").alias("counter"))
    cells = cells.join(step, on="box", how="inner").sort("idx")
    points = cells.drop_nulls("value").filter(pl.col("key") != pl.col("counter"))
    points = points.with_columns(
        (pl.col("section") + pl.col("key")).alias("metric"), pl.lit(0).alias("flags"), pl.col("rank").fill_null(0)
    )
    steps = cells.group_by("box", maintain_order=True).agg(pl.col("idx").min(), pl.col("step").first()).sort("idx")
    used = cells.filter(pl.col("key").is_not_null() | pl.col("text").str.contains(_SECTION_RE))["idx"].to_list()
    return Boxes(
        points.select(pl.col(c).cast(t) for c, t in POINTS.items()), steps.select("idx", "step"), frozenset(used)
    )
