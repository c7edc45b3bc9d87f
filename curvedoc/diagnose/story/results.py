"""What a log says of the result in plain lines, beside or behind its curves."""

from __future__ import annotations

import re

import polars as pl

from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run, once_a_run

#: Words of a line that tells of data that training did not see, with a number behind them.
_SEEN = (
    r"(?i)\b(?:test\w*|val(?:id\w*)?|eval\w*|iou|dice|f1|precision|recall|auc|auroc|m?ap|bleu|wer|cer)\b"
    r"[^\n\d]{0,30}\d"
)
#: A line that ends in one measure and its value: "IoU Score: 0.4253", "the best AP is 90.00".
_RESULT = re.compile(
    r"(?i)((?:[a-z][\w@-]* ){0,2}[a-z][\w@-]*) *(?:[:=]|\bis\b) *(\d{1,6}(?:\.\d{1,20})?) ?%?\s*$",
)
_MEASURE = re.compile(r"(?i)(?:^|[^a-z])(?:m?iou|dice|jaccard|f1|m?ap|auc|auroc|bleu|accuracy|acc)(?:[^a-z]|$)")


def _after_training_began(run: Run) -> pl.Series:
    if not len(run.messages):
        return pl.Series("text", [], dtype=pl.String)
    return run.messages.filter(pl.col("step").is_not_null() & (pl.col("step") >= 0))["text"]


@once_a_run
def tells_of_evaluations(run: Run) -> bool:
    """Whether a line that is no curve tells of other data than those of training: settings stand before its steps."""
    return bool(_after_training_began(run).str.contains(_SEEN).any())


@once_a_run
def result(run: Run) -> str:
    """The last result that a line tells, with its name: "IoU Score 0.4253"; "" where none does."""
    said = _after_training_began(run)
    for text in reversed(said.filter(said.str.contains(_MEASURE.pattern)).tail(20).to_list()):
        found = _RESULT.search(text)
        if found is not None and _MEASURE.search(found[1]):
            return f"{found[1]} {spelled(float(found[2]), '.4g')}"
    return ""
