"""What a program prints ahead of a training: lines that stood before the first record and are printed again."""

from __future__ import annotations

import numpy as np
import polars as pl

from curvedoc.core.series import Floats, Ints
from curvedoc.ingest.text.line.template import CLOCK, FRACTION, NUMBER
from curvedoc.ingest.trainings.starts import MAX_TRAININGS, Bools, Returns, anew, goes_on

#: What a call of `fit` prints ahead of its first epoch, at most.
_CALL = 2
#: A line that announces something has a word in it.
_WORD_RE = r"[A-Za-z]{3}"
#: What counts trainings.
_WHICH_RE = r"(?i)\b(?:fold|seed|trial|replicate|repeat)s? ?[:=#]? ?0"
_NUMBERS_RE = f"[0-9{CLOCK}{FRACTION}{NUMBER}]+"
#: Settings that end a line, whose values differ from start to start.
_SETTINGS_RE = r"[{(].{40,}[)}]\s*$"
#: What a program was called with, which it says once.
_CALLED_RE = r"Namespace\(|[A-Z][A-Za-z_]{0,40}(?:Config|Args|Arguments)\("
#: So few records of no counter may be those of an evaluation or of a try.
_TRIED = 3


def shapes(lines: pl.DataFrame) -> pl.Series:
    """What each line says, apart from its numbers and settings; null for records and lines without a word."""
    says = (pl.col("kind") == "") & pl.col("text").str.contains(_WORD_RE)
    shape = pl.col("template").str.replace_all(_NUMBERS_RE, "0").str.replace(_SETTINGS_RE, "")
    return lines.select(pl.when(says).then(shape).alias("shape"))["shape"]


def announced(lines: pl.DataFrame, idx: Ints, found: Returns) -> tuple[Ints, Bools]:
    """For each record (a line's `idx`), how many lines before it were printed before the first record too and, after
    that, only where the counters were back at their start; and whether one of them says which of several trainings
    begins ("Fold 2/5")."""
    out, told = np.zeros(len(idx), np.int64), np.zeros(len(idx), bool)
    shape = shapes(lines)
    head = shape.head(int(idx[0])).drop_nulls().unique()
    if not len(head):
        return out, told
    later = lines.select("idx", shape.alias("shape")).slice(int(idx[0])).filter(pl.col("shape").is_in(head.implode()))
    gap = np.searchsorted(idx, later["idx"].to_numpy(), side="right")  # the record that follows
    seen = pl.DataFrame({"shape": later["shape"], "gap": gap}).filter(pl.col("gap") < len(idx))
    fell = pl.col("gap").is_in(found.early.tolist())
    back = fell | pl.col("gap").is_in(found.again.tolist())
    kept = seen.group_by("shape").agg((back.all() & fell.any()).alias("only")).filter("only")["shape"]
    seen = seen.filter(pl.col("shape").is_in(kept.implode()))
    rows, often = np.unique(seen["gap"].to_numpy(), return_counts=True)
    out[rows] = often
    told[seen.filter(pl.col("shape").str.contains(_WHICH_RE))["gap"].to_numpy()] = True
    return out, told


def not_gone_on(lines: Ints, loss: Floats) -> Bools:
    """The announced rows but those at which the loss goes on behind a line or two: a model is fitted further. A program
    that starts again says more."""
    told, begin = lines > 0, 0
    for row in np.flatnonzero(told).tolist():
        if lines[row] <= _CALL and goes_on(loss[begin:], row - begin):
            told[row] = False
        else:
            begin = row
    return told


def settings_again(lines: pl.DataFrame, idx: Ints, loss: Floats) -> list[int]:
    """The records, of a log that counts nothing, ahead of which a program says again what it was called with, and at
    which the loss does not go on."""
    called = lines.filter((pl.col("kind") == "") & pl.col("text").str.contains(_CALLED_RE))["idx"].to_numpy()
    out: list[int] = []
    for row in np.unique(np.searchsorted(idx, called)).tolist():
        begin = out[-1] if out else 0
        if begin + _TRIED <= row < len(idx) and anew(loss, begin, row, True):
            out.append(row)
    return out if len(out) < MAX_TRAININGS else []
