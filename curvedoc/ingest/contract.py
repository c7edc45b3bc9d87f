"""What a reader is and what it hands back. A reader is a module with NAME, FILES, ABOUT, claims() and read()."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Protocol

import polars as pl

from curvedoc.core.block import Block, to_frame
from curvedoc.core.frozen import dataclass
from curvedoc.core.run import POINTS, Note, Scalar, empty_messages


@dataclass(frozen=True, slots=True)
class Log:
    """What one reader got out of one file (or out of one run inside a file of several).

    data:     the points, as blocks (each metric and rank once) or as a frame with the columns `model.POINTS` in file
              order, step null where the record had none; read them as `points`
    messages: columns `model.MESSAGES`; `source` may be left "" (assembly fills it in)
    run:      the run's own name inside a file of several runs, else None
    rank:     the rank that the file's records name, else None (assembly looks at the path)
    axis:     what `step` holds: "step", "epoch", "row" (the log had no counter) or "samples"
    is_text:  the file was a text log, so the absence of a message means something
    clean_end: the writer closed the log properly (None: this format cannot tell)
    """

    path: Path
    format: str
    data: pl.DataFrame | tuple[Block, ...] = ()
    messages: pl.DataFrame = field(default_factory=empty_messages)
    config: Mapping[str, Scalar] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    bytes: int = 0
    run: str | None = None
    rank: int | None = None
    axis: str = "step"
    is_text: bool = False
    clean_end: bool | None = None
    _made: dict[str, pl.DataFrame] = field(default_factory=dict, init=False, repr=False)

    @property
    def points(self) -> pl.DataFrame:
        """The points as a frame, made when first asked for."""
        if isinstance(self.data, pl.DataFrame):
            return self.data
        if not self._made:
            self._made["points"] = to_frame(self.data, POINTS)
        return self._made["points"]

    @property
    def height(self) -> int:
        """How many points there are."""
        return self.data.height if isinstance(self.data, pl.DataFrame) else sum(map(len, self.data))


class Reader(Protocol):
    """One log format. A module that has these five names is a reader.

    FILES: patterns of the names that such files usually have; the content decides
    ABOUT: what is read, in one line

    A reader may have guesses(path, head, named) -> bool besides: whether a file that none claims is a log of its kind
    by its values alone; named says that somebody pointed at the file. And read_mapped(paths, columns): as read, but
    columns says which column holds the "step", "time", "name", "value" or "split".
    """

    NAME: str
    FILES: tuple[str, ...]
    ABOUT: str

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether this reader takes the file, from its name and its first 64 KiB (decompressed) alone. Cheap."""

    def read(self, paths: Sequence[Path]) -> list[Log]:
        """The logs in these files, decoded in bulk; never raises for the data, a damaged file is a note."""
