"""The message table of a text log: what is not a metric record, with its time, level, rank and step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.run import MESSAGES, Note, empty_messages
from curvedoc.ingest.text.line.prefix import LEVELS
from curvedoc.ingest.text.tracebacks import HEADER, tracebacks, warnings

#: Messages kept per file; a file with more is mostly one line again and again.
MESSAGE_CAP = 20_000
#: Characters kept of one message; of a longer block the head and the tail.
TEXT_CAP = 8_000
_HEAD = 3_000

_LEVEL_RE = r"(?:^|[\s\[|(])(DEBUG|TRACE|INFO|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL)(?:[\s\]:|),]|$)"
_ABSL_RE = r"^\W*([IWEF])(?:[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}| [\w/]+\.(?:cpp|cc|h|cu):)"
_WARNING_RE = r"(?:^|[\s:])[A-Z]\w*Warning:|(?i:^\W*warning\b)"
_ERROR_RE = (
    r"^(?:\S+: ){0,2}(?:[\w.]*(?:Error|Exception)|(?i:error|fatal))\b(?:[:! ]|$)"
    r"|^(?:\S+: ){0,3}(?:Killed|Terminated|Segmentation fault|Bus error|Aborted|Fatal Python error)"
    r"|\(core dumped\)|CANCELLED AT|\bKilled process \d+ \("
)
#: What Python prints ahead of what a destructor raised, which ends nothing.
_IGNORED = "Exception ignored in"
#: One of these is in each traceback and warning.
_MARKS = (HEADER, "Warning:")
_DECORATION_RE = r"^[\W_]*$|^-+ (?:end of )?arguments -+$"
#: A statement of the program that some trainers print into their log: nothing was raised.
_LISTING_RE = r"^\s*raise [A-Za-z_][\w.]*\("


#: First line of a traceback or a warning -> level, text, all its lines.
Blocks = dict[int, tuple[str, str, list[int]]]


def may_hold_blocks(text: str) -> bool:
    """Whether a traceback or a warning may be in a text."""
    return any(mark in text for mark in _MARKS)


def find_blocks(lines: pl.DataFrame) -> tuple[NDArray[np.bool_], Blocks]:
    """The lines that belong to tracebacks and warnings, and these.

    lines: columns text, rank (null: none named), plain. Each rank's lines are looked at as a stream of their own.
    """
    taken = np.zeros(len(lines), bool)
    blocks: Blocks = {}
    hot = lines["text"].str.contains_any(list(_MARKS))
    if not bool(hot.any()):
        return taken, blocks
    ranks = lines["rank"].fill_null(-1).to_numpy()
    for rank in np.unique(ranks[hot.to_numpy()]):
        at = np.flatnonzero(ranks == rank)
        texts = lines["text"].gather(at).to_list()
        plain = lines["plain"].gather(at).to_list()
        done = [False] * len(texts)
        for first, last, cut in tracebacks(texts, plain):
            done[first:last] = [True] * (last - first)
            head = texts[first] if not cut else texts[first][cut:]
            body = [head, *(t[cut:] for t in texts[first + 1 : last])]
            ignored = _IGNORED in texts[max(0, first - 1)]
            told = f"ignored by Python: {_last_said(body)}" if ignored else _capped(body)
            blocks[int(at[first])] = ("WARNING" if ignored else "TRACEBACK", told, at[first:last].tolist())
        for first, last in warnings(texts, plain, done):
            done[first:last] = [True] * (last - first)
            blocks[int(at[first])] = ("WARNING", _capped(texts[first:last]), at[first:last].tolist())
        taken[at[np.array(done, bool)]] = True
    return taken, blocks


def _last_said(lines: Sequence[str]) -> str:
    """The error of a traceback, without the line ahead of the next one."""
    said = [t.strip() for t in lines if t.strip() and _IGNORED not in t]
    return said[-1][:TEXT_CAP]


def _capped(lines: Sequence[str]) -> str:
    text = "\n".join(lines).rstrip()
    return text if len(text) <= TEXT_CAP else text[:_HEAD] + "\n ...\n" + text[-(TEXT_CAP - _HEAD - 6) :]


def messages(lines: pl.DataFrame, steps: pl.DataFrame, blocks: Blocks) -> tuple[pl.DataFrame, list[Note]]:
    """The message table of lines that are messages (columns idx, line, time, rank, text, part); a note if capped."""
    if not len(lines):
        return empty_messages(), []
    first = sorted(blocks)
    said = lines.filter(~pl.col("text").str.contains(_DECORATION_RE) & ~pl.col("text").str.contains(_LISTING_RE))
    if said["part"].any():
        said = said.filter(~pl.col("part") | pl.col("text").is_first_distinct())
    if not len(said):
        return empty_messages(), []
    short = pl.col("text").str.slice(0, 200)
    level = (
        pl.when(short.str.contains(_WARNING_RE)).then(pl.lit("WARNING"))
        .when(short.str.contains(_LEVEL_RE)).then(
            short.str.extract(_LEVEL_RE).replace(LEVELS)
        )
        .when(short.str.contains(_ABSL_RE)).then(
            short.str.extract(_ABSL_RE).replace({"I": "INFO", "W": "WARNING", "E": "ERROR", "F": "CRITICAL"})
        )
        .when(short.str.contains(_ERROR_RE)).then(pl.lit("ERROR"))
        .otherwise(pl.lit(""))
    )  # fmt: skip
    said = said.with_columns(level.alias("level"))
    if first:
        texts = pl.DataFrame(
            {"idx": first, "block": [blocks[i][1] for i in first], "form": [blocks[i][0] for i in first]},
            schema={"idx": pl.Int64, "block": pl.String, "form": pl.String},
        )
        said = said.join(texts, on="idx", how="left").sort("idx").with_columns(
            pl.coalesce("block", "text").alias("text"),
            pl.when(pl.col("form") == "TRACEBACK").then(pl.lit("TRACEBACK"))
            .when(pl.col("form").is_not_null() & ~pl.col("level").is_in(["ERROR", "CRITICAL"])).then(pl.lit("WARNING"))
            .otherwise(pl.col("level")).alias("level"),
        )  # fmt: skip
    said, notes = _kept(said)
    said = said.sort("idx").join_asof(steps.drop_nulls().sort("idx"), on="idx", strategy="backward")
    said = said.with_columns(_after(said["idx"], steps))
    text = pl.col("text").str.slice(0, TEXT_CAP)
    said = said.with_columns(text, pl.lit("").alias("source"), pl.col("rank").fill_null(0))
    return said.select(pl.col(c).cast(t) for c, t in MESSAGES.items()), notes


def _after(at: pl.Series, steps: pl.DataFrame) -> pl.Series:
    """How many records stand after each line; unknown where the file has none."""
    if not len(steps):
        return pl.repeat(None, len(at), dtype=pl.Int64, eager=True).alias("after")
    records = np.sort(steps["idx"].to_numpy())
    return pl.Series("after", len(records) - np.searchsorted(records, at.to_numpy(), side="right"), dtype=pl.Int64)


def _kept(said: pl.DataFrame) -> tuple[pl.DataFrame, list[Note]]:
    """At most `MESSAGE_CAP` rows: blocks, errors and warnings before the rest, both from the head and the tail."""
    if len(said) <= MESSAGE_CAP:
        return said, []
    grave = pl.col("level").is_in(["TRACEBACK", "CRITICAL", "ERROR", "WARNING"])
    kept: list[pl.DataFrame] = []
    room = MESSAGE_CAP
    for part in (said.filter(grave), said.filter(~grave)):
        part = part if len(part) <= room else pl.concat([part.head(room // 2), part.tail(room - room // 2)])
        room -= len(part)
        kept.append(part)
    lost = len(said) - MESSAGE_CAP
    text = f"{len(said):,} lines are no records; {MESSAGE_CAP:,} of them were kept, warnings and errors first"
    return pl.concat(kept), [Note("messages-capped", text, count=lost)]
