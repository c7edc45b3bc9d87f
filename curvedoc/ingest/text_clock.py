"""Clocks of log lines as seconds."""

from __future__ import annotations

import numpy as np
import polars as pl

from curvedoc.ingest.text_lines import CLOCK_RE

#: A clock that goes back by more than this (and not over midnight) cannot place lines in time.
BACK_S = 5.0
_DAY_S = 86_400.0

_ISO = r"([0-9]{4}|[0-9]{2})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})[T _-]([0-9]{1,2}:[0-9]{2}:[0-9]{2})([.,][0-9]+)?"
_US = r"^([0-9]{1,2})/([0-9]{1,2})/([0-9]{4}) ([0-9]{1,2}:[0-9]{2}:[0-9]{2})([.,][0-9]+)?$"
_OFFSET = r"([+-])([0-9]{2}):?([0-9]{2})$"
_BARE = r"^([0-9]{1,2}):([0-9]{2}):([0-9]{2})([.,][0-9]+)?$"


def seconds(text: pl.Series) -> pl.Series:
    """Seconds since the Unix epoch of the first clock in each line (since midnight for a clock without a date).

    Without a zone UTC is taken. Null where there is no clock, no such day, a 12 h clock or a form that says no year.
    """
    clock = text.str.extract(f"({CLOCK_RE})", 1).alias("clock")
    parts = pl.DataFrame([clock]).select(
        pl.col("clock").str.extract_groups(_ISO).struct.rename_fields(["y", "m", "d", "t", "f"]).alias("iso"),
        pl.col("clock").str.extract_groups(_US).struct.rename_fields(["m", "d", "y", "t", "f"]).alias("us"),
        pl.col("clock").str.extract_groups(_BARE).struct.rename_fields(["h", "i", "s", "f"]).alias("bare"),
        pl.col("clock").str.extract_groups(_OFFSET).struct.rename_fields(["sign", "oh", "om"]).alias("zone"),
    )
    return parts.select(
        pl.coalesce(_dated("iso") - _zone(), _dated("us"), _bare()).alias("time")
    )["time"]  # fmt: skip


def _fraction(of: pl.Expr) -> pl.Expr:
    return of.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False).fill_null(0.0)


def _dated(name: str) -> pl.Expr:
    of = pl.col(name).struct
    year = pl.when(of.field("y").str.len_bytes() == 2).then("20" + of.field("y")).otherwise(of.field("y"))
    stamp = pl.concat_str(year, pl.lit("-"), of.field("m"), pl.lit("-"), of.field("d"), pl.lit(" "), of.field("t"))
    moment = stamp.str.to_datetime("%Y-%m-%d %H:%M:%S", strict=False, time_unit="us")
    return moment.dt.epoch("s").cast(pl.Float64) + _fraction(of.field("f"))


def _zone() -> pl.Expr:
    of = pl.col("zone").struct
    ahead = of.field("oh").cast(pl.Float64, strict=False) * 3600 + of.field("om").cast(pl.Float64, strict=False) * 60
    return pl.when(of.field("sign") == "-").then(-ahead).otherwise(ahead).fill_null(0.0)


def _bare() -> pl.Expr:
    of = pl.col("bare").struct
    hour, minute, second = (of.field(n).cast(pl.Float64, strict=False) for n in "his")
    return hour * 3600 + minute * 60 + second + _fraction(of.field("f"))


def monotone(time: np.ndarray) -> tuple[np.ndarray, bool]:
    """The times with midnights counted on, and whether they can be used: all NaN and False when the clock goes back.

    time: seconds, NaN for unknown.
    """
    known = ~np.isnan(time)
    values = time[known]
    if len(values) < 2:
        return time, True
    if values.max() < 2 * _DAY_S:
        turns = np.concatenate([[0.0], np.cumsum(np.diff(values) < -_DAY_S / 2)])
        values = values + turns * _DAY_S
    if (np.diff(values) < -BACK_S).any():
        return np.full(len(time), np.nan), False
    out = time.copy()
    out[known] = values
    return out, True
