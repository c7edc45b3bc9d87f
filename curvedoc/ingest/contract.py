"""What a reader is and what it hands back. A reader is a module with NAME, FILES, ABOUT, claims() and read()."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import polars as pl

from curvedoc.model import Note, Scalar, empty_messages, empty_points


@dataclass(frozen=True, slots=True)
class Log:
    """What one reader got out of one file (or out of one run inside a file of several).

    points:   columns `model.POINTS`, in file order; step null where the record had none
    messages: columns `model.MESSAGES`; `source` may be left "" (assembly fills it in)
    run:      the run's own name inside a file of several runs, else None
    rank:     the rank that the file's records name, else None (assembly looks at the path)
    axis:     what `step` holds: "step", "epoch", "row" (the log had no counter) or "samples"
    is_text:  the file was a text log, so the absence of a message means something
    blocks:   names and numbers of rows where the points are of one metric after the other, each name once; else empty
    clean_end: the writer closed the log properly (None: this format cannot tell)
    """

    path: Path
    format: str
    points: pl.DataFrame = field(default_factory=empty_points)
    messages: pl.DataFrame = field(default_factory=empty_messages)
    config: Mapping[str, Scalar] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    bytes: int = 0
    run: str | None = None
    rank: int | None = None
    axis: str = "step"
    is_text: bool = False
    clean_end: bool | None = None
    blocks: tuple[tuple[str, int], ...] = ()


class Reader(Protocol):
    """One log format. A module that has these five names is a reader.

    FILES: patterns of the names that such files usually have; the content decides
    ABOUT: what is read, in one line
    """

    NAME: str
    FILES: tuple[str, ...]
    ABOUT: str

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether this reader takes the file, from its name and its first 64 KiB (decompressed) alone. Cheap."""

    def read(self, paths: Sequence[Path]) -> list[Log]:
        """The logs in these files, decoded in bulk; never raises for the data, a damaged file is a note."""
