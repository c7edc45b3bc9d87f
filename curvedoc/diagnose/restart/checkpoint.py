"""The checkpoints that a log says were written."""

from __future__ import annotations

import polars as pl

from curvedoc.core.frozen import dataclass
from curvedoc.core.run import Run
from curvedoc.diagnose.restart.launch import FORBIDDEN

#: Words without a bound to their length: counted ones take a third of a second to compile.
_SAVED = (
    r"(?i)\b(?:sav(?:ed|ing)|writ(?:ten|ing)|wrote|stor(?:ed|ing)|dump(?:ed|ing))\b[^\n]{0,60}?"
    r"[\"' ](?P<path>[\w./@+~-]+(?:checkpoint-\d+|\.(?:pt|pth|ckpt|bin|safetensors|params|h5|keras|msgpack)))\b"
)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file with the weights of a step."""

    path: str
    step: int


def last_before(run: Run, onset: int) -> Checkpoint | None:
    """The last checkpoint that was written before a step, as the messages tell; None where none is told."""
    if not len(run.messages):
        return None
    found = run.messages.filter(pl.col("step").is_not_null() & (pl.col("step") < onset))
    found = found.with_columns(pl.col("text").str.extract(_SAVED, 1).alias("path")).drop_nulls("path")
    if not len(found):
        return None
    row = found.sort("step", maintain_order=True).row(-1, named=True)
    path = str(row["path"])
    return None if FORBIDDEN & set(path) or path.startswith("-") else Checkpoint(path, int(row["step"]))
