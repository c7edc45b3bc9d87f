"""Clocks of log lines as seconds."""

from __future__ import annotations

import numpy as np
import polars as pl
from polars.expr.struct import ExprStructNameSpace

#: A clock that goes back by more than this (and not over midnight) cannot place lines in time.
BACK_S = 5.0
_DAY_S = 86_400.0

# Rust syntax: polars' engine is linear in the length of the line whatever it holds.
_DATE = r"(?:19|20)[0-9]{2}[-/.](?:1[0-2]|0?[1-9])[-/.][0-9]{1,2}"  # "0.3818/0.42" is none
_SHORT_DATE = r"[0-9]{2}[.-][0-9]{2}[.-](?:19|20)?[0-9]{2}"
_TIME = r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?"
_COMPACT_DAY = r"(?:19|20)[0-9]{2}[01][0-9][0-3][0-9]"
_COMPACT = rf"{_COMPACT_DAY}(?:[T _-]{_TIME}|_[0-2][0-9][0-5][0-9][0-5][0-9])"
#: What a program calls its files by, which may hold no colon.
_DASHED = rf"{_DATE}[T _-][0-9]{{2}}-[0-9]{{2}}-[0-9]{{2}}"
_ZONE = r"(?: ?(?:Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})(?-u:\b))?"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_WEEKDAY = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?"
_DAY = rf"{_WEEKDAY}{_MONTH} +[0-9]{{1,2}}(?:,? (?:19|20)[0-9]{{2}})?"
_DAY_FIRST = rf"{_WEEKDAY}[0-9]{{1,2}}[ -]{_MONTH}(?:[ -](?:19|20)?[0-9]{{2}})?"
_IN_CHINESE = r"(?:19|20)[0-9]{2}年[0-9]{1,2}月[0-9]{1,2}日"
#: A clock or date as log lines spell it.
CLOCK_RE = (
    rf"(?-u:\b)(?:{_COMPACT}|{_DASHED}|{_DATE}(?:[T _|-]{_TIME}(?: [AP]M|{_ZONE}))?|{_SHORT_DATE}[T _|-]{_TIME}"
    rf"|[0-9]{{1,2}}/[0-9]{{1,2}}(?:/[0-9]{{2,4}})? {_TIME}(?: [AP]M)?|[0-9]{{2}}-[0-9]{{2}} {_TIME}"
    rf"|{_DAY},? {_TIME}(?: [A-Z]+)?(?: [0-9]{{4}})?|{_DAY_FIRST},? {_TIME}(?: [AP]M)?(?: [A-Z]{{3}}(?-u:\b))?"
    rf"|{_IN_CHINESE} ?{_TIME}|[IWEFD][0-9]{{4}} {_TIME}"
    r"|[0-9]{1,3}:[0-9]{2}(?::[0-9]{2})?(?:[.,][0-9]+)?)(?-u:\b)"
)

_HMS = r"([0-9]{1,2}[:-][0-9]{2}[:-][0-9]{2})([.,][0-9]+)?"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NUMBERS = {name: str(i) for i, name in enumerate(_MONTHS, 1)}
#: A leap year, early enough that its seconds cannot be taken for a date.
_NO_YEAR = "1972"

#: Forms in which clocks are written (Rust syntax), each with what its groups are: year, month, day, time, fraction.
_FORMS = (
    (rf"^([0-9]{{4}}|[0-9]{{2}})[-/.]([0-9]{{1,2}})[-/.]([0-9]{{1,2}})[T _|-]{_HMS}", "ymdtf"),
    (rf"^([0-9]{{4}})([0-9]{{2}})([0-9]{{2}})[T _-]{_HMS}$", "ymdtf"),
    (rf"^([0-9]{{1,2}})/([0-9]{{1,2}})/([0-9]{{4}}) {_HMS}$", "mdytf"),
    (rf"^([0-9]{{1,2}})/([0-9]{{1,2}}) {_HMS}$", "mdtf"),
    (rf"^([0-9]{{2}})-([0-9]{{2}}) {_HMS}$", "mdtf"),
    (rf"^([0-9]{{2}})\.([0-9]{{2}})\.([0-9]{{2}})\|{_HMS}$", "mdytf"),
    (rf"^([0-9]{{2}})[.-]([0-9]{{2}})[.-]([0-9]{{4}})[T _|-]{_HMS}$", "dmytf"),
    (rf"^([0-9]{{4}})年([0-9]{{1,2}})月([0-9]{{1,2}})日 ?{_HMS}$", "ymdtf"),
    (rf"^[A-Z]([0-9]{{2}})([0-9]{{2}}) {_HMS}$", "mdtf"),
    (rf"^{_WEEKDAY}([0-9]{{1,2}})[ -]([A-Z][a-z]{{2}})[a-z]*(?:[ -]([0-9]{{4}}|[0-9]{{2}}))?,? {_HMS}$", "dmytf"),
    (rf"^(?:[A-Z][a-z]{{2}},? )?([A-Z][a-z]{{2}}) +([0-9]{{1,2}}),? {_HMS}(?: [A-Z]+)?(?: ([0-9]{{4}}))?$", "mdtfy"),
)
_OFFSET_RE = r"([+-])([0-9]{2}):?([0-9]{2})$"
_BARE_RE = rf"^{_HMS}$"


def seconds(text: pl.Series) -> pl.Series:
    """Seconds since the Unix epoch of the first clock in each line.

    Without a zone UTC is taken; a clock without a year counts from a New Year, one without a date from midnight. Null
    where there is no clock, no such day or a 12 h clock.
    """
    clock = text.str.extract(f"({CLOCK_RE})", 1).alias("clock").to_frame()
    time = pl.Series([None] * len(text), dtype=pl.Float64)
    for form, groups in _FORMS:
        time = time.fill_null(clock.select(_dated(form, groups).alias("t"))["t"])
        if not time.null_count():
            return time
    return time.fill_null(
        clock.select(_of_day(pl.col("clock").str.extract_groups(_BARE_RE).struct, "1", "2").alias("t"))["t"]
    )


def _of_day(of: ExprStructNameSpace, time: str, fraction: str) -> pl.Expr:
    """Seconds since midnight."""
    parts = of.field(time).str.replace_all("-", ":", literal=True).str.split(":").list
    hour, minute, second = (parts.get(i, null_on_oob=True).cast(pl.Float64, strict=False) for i in range(3))
    part = of.field(fraction).str.replace(",", ".", literal=True).cast(pl.Float64, strict=False).fill_null(0.0)
    return hour * 3600 + minute * 60 + second + part


def _dated(form: str, groups: str) -> pl.Expr:
    of = pl.col("clock").str.extract_groups(form).struct
    at = {name: str(i) for i, name in enumerate(groups, 1)}
    year = of.field(at["y"]).fill_null(_NO_YEAR) if "y" in at else pl.lit(_NO_YEAR)
    year = pl.when(year.str.len_bytes() == 2).then("20" + year).otherwise(year)
    month = of.field(at["m"]).replace(_NUMBERS)
    stamp = pl.concat_str(year, pl.lit("-"), month, pl.lit("-"), of.field(at["d"]))
    day = stamp.str.to_date("%Y-%m-%d", strict=False).cast(pl.Int32).cast(pl.Float64) * _DAY_S
    time = day + _of_day(of, at["t"], at["f"])
    return time - _offset() if groups == "ymdtf" else time


def _offset() -> pl.Expr:
    of = pl.col("clock").str.extract_groups(_OFFSET_RE).struct
    ahead = of.field("2").cast(pl.Float64, strict=False) * 3600 + of.field("3").cast(pl.Float64, strict=False) * 60
    return pl.when(of.field("1") == "-").then(-ahead).otherwise(ahead).fill_null(0.0)


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
