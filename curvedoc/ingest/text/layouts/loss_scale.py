"""Loss scales from the lines that DeepSpeed, apex and fairseq print when a gradient overflows."""

from __future__ import annotations

import polars as pl

from curvedoc.core.run import POINTS, empty_points

METRIC = "loss_scale"
_OVERFLOW_RE = r"(?i)overflow"
_TO_RE = r"(?i)(?:reducing to|loss scale to:?) ([0-9][0-9.]*(?:e[+-]?[0-9]+)?)"
_FROM_RE = r"(?i)Attempted loss scale: ([0-9][0-9.]*(?:e[+-]?[0-9]+)?)"


def may_overflow(text: str) -> bool:
    """Whether a text tells of an overflow anywhere."""
    return "overflow" in text.lower()


def scale_points(lines: pl.DataFrame, steps: pl.DataFrame) -> pl.DataFrame:
    """One point of `loss_scale` a line (columns idx, text, time, rank): what it was set to, or was at the overflow.

    The step is the last one logged before the line, null before the first.
    """
    hit = lines.filter(pl.col("text").str.contains(_OVERFLOW_RE))
    if not len(hit):
        return empty_points()
    number = pl.coalesce(pl.col("text").str.extract(_TO_RE), pl.col("text").str.extract(_FROM_RE))
    value = number.str.strip_chars_end(".").cast(pl.Float64, strict=False)
    hit = hit.select("idx", "time", pl.col("rank").fill_null(0), value.alias("value")).drop_nulls("value")
    hit = hit.join_asof(steps.drop_nulls().sort("idx"), on="idx", strategy="backward")
    hit = hit.with_columns(pl.lit(METRIC).alias("metric"), pl.lit(0).alias("flags"))
    return hit.select(pl.col(c).cast(t) for c, t in POINTS.items())
