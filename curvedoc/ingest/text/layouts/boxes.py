"""Boxes of `| name | value |` lines, as Stable-Baselines and other reinforcement learning loops print them."""

from __future__ import annotations

import polars as pl

from curvedoc.core.frozen import dataclass
from curvedoc.core.run import POINTS, empty_points

_NUMBER = r"[-+]?(?:[0-9][0-9,]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?|nan|inf)"
_ROW_RE = rf"^\| +([A-Za-z_][\w./ ()-]*?) *\| +({_NUMBER}) *\|$"
_SECTION_RE = r"^\| *([A-Za-z_][\w-]*/) *\| *\|$"
_EDGE_RE = r"^[-=+]{8,}$"
#: The same without bars, as rllab and garage print it.
_BARE_ROW_RE = rf"^([A-Za-z_][\w./()-]*) {{2,}}({_NUMBER})$"
_BARE_EDGE_RE = r"^-{3,} +-{3,}$"
#: What counts the steps of a box, best first, by the last part of a name ("total/steps").
_COUNTERS = (
    "total_timesteps", "num_timesteps", "timesteps", "totalenvinteracts", "total_steps", "step", "steps",
    "nupdates", "n_updates", "iterations", "iteration", "itr", "epoch", "epochs", "episodes", "total_episodes",
)  # fmt: skip
#: So many rows within so many edges are boxes.
_ROWS, _EDGES = 4, 2
#: A row has so many bars, an edge is so long.
_BARS, _EDGE = 3, 8


def has_boxes(text: str) -> bool:
    """Whether a text holds boxes."""
    if "| " not in text:
        return False
    lines = [line.rstrip() for line in text.split("\n")]
    rows = sum(line.startswith("| ") and line.endswith("|") and line.count("|") == _BARS for line in lines)
    edges = sum(len(line) >= _EDGE and not line.strip("-=+") for line in lines)
    return rows >= _ROWS and edges >= _EDGES


@dataclass(frozen=True, slots=True)
class Boxes:
    """points: of all boxes; steps: idx, step of each box's first line; lines: what belonged to boxes; at: the first
    line of the box of each point; axis: what their steps are."""

    points: pl.DataFrame
    steps: pl.DataFrame
    lines: frozenset[int]
    at: pl.Series
    axis: str = "step"


def _headed(cells: pl.DataFrame) -> pl.DataFrame:
    """The cells with the section above each row of its box; of a first box whose head is cut off, the one that the
    other boxes have the name under."""
    cells = cells.with_columns(pl.col("section").forward_fill().over("box"))
    known = pl.col("section").drop_nulls().last().over("key")
    cut = (pl.col("box") == 0) & pl.col("section").is_null() & pl.col("key").is_not_null()
    return cells.with_columns(pl.when(cut).then(known).otherwise("section").fill_null("").alias("section"))


NO_BOXES = Boxes(
    empty_points(),
    pl.DataFrame(schema={"idx": pl.Int64, "step": pl.Int64}),
    frozenset(),
    pl.Series([], dtype=pl.Int64),
)


def may_hold_boxes(text: str) -> bool:
    """Whether a text has what rows or edges of boxes are made of, which most have not."""
    return "|" in text or "---" in text


def read_boxes(lines: pl.DataFrame) -> Boxes:
    """The boxes among lines (columns idx, text, time, rank); a value's step is the counter anywhere in its box.

    A section line "rollout/" is put before the names under it.
    """
    bare = lines.filter(pl.col("text").str.contains(_BARE_EDGE_RE))
    if len(bare) >= _EDGES:
        row_re, edge, kept = _BARE_ROW_RE, _BARE_EDGE_RE, _BARE_ROW_RE
    else:
        row_re, edge, kept = _ROW_RE, _EDGE_RE, r"^\|.*\|$"
    lines = lines.filter(pl.col("text").str.contains(f"{kept}|{edge}"))
    row = pl.col("text").str.extract_groups(row_re).struct
    cells = lines.with_columns(
        pl.col("text").str.contains(edge).cum_sum().alias("box"),
        pl.col("text").str.extract(_SECTION_RE).alias("section"),
        row.field("1").alias("key"),
        row.field("2").alias("value"),
    )
    if not bool(cells["key"].is_not_null().any()):
        return NO_BOXES
    cells = _headed(cells)
    value = pl.col("value").str.replace_all(",", "").cast(pl.Float64, strict=False)
    cells = cells.with_columns(value.alias("value"))
    rank_of = {name: i for i, name in enumerate(_COUNTERS)}
    last = pl.col("key").str.to_lowercase().str.split("/").list.last()
    counters = cells.with_columns(last.replace_strict(rank_of, default=None, return_dtype=pl.Int64).alias("order"))
    counters = counters.drop_nulls(["order", "value"]).filter(
        pl.col("value").is_finite() & (pl.col("value").abs() < 2**62)
    )
    if len(counters):
        step = counters.sort("order", maintain_order=True).unique("box", keep="first", maintain_order=True)
        step = step.select("box", pl.col("value").cast(pl.Int64).alias("step"), pl.col("key").alias("counter"))
    else:  # boxes that nothing counts are counted
        step = cells.drop_nulls("value").select(pl.col("box").unique(maintain_order=True))
        step = step.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias("step"), pl.lit("").alias("counter"))
    cells = cells.join(step, on="box", how="inner").sort("idx")
    cells = cells.with_columns(pl.col("idx").min().over("box").alias("first"))
    points = cells.drop_nulls("value").filter(pl.col("key") != pl.col("counter"))
    points = points.with_columns(
        (pl.col("section") + pl.col("key")).alias("metric"), pl.lit(0).alias("flags"), pl.col("rank").fill_null(0)
    )
    steps = cells.group_by("box", maintain_order=True).agg(pl.col("idx").min(), pl.col("step").first()).sort("idx")
    used = cells.filter(pl.col("key").is_not_null() | pl.col("text").str.contains(_SECTION_RE))["idx"].to_list()
    return Boxes(
        points.select(pl.col(c).cast(t) for c, t in POINTS.items()),
        steps.select("idx", "step"),
        frozenset(used),
        points["first"],
        "step" if len(counters) else "row",
    )
