"""The column of a CSV that says which split each row belongs to, and metrics taken apart by it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.ingest.csv.cells import CellColumn
from curvedoc.ingest.table.keys import HAS_SPLIT, SPLIT_KEYS
from curvedoc.ingest.table.values import split_of


@dataclass(frozen=True, slots=True)
class Phase:
    """column: which it is; code: of each row its place in `words`, -1 where the cell is empty."""

    column: int
    code: NDArray[np.int64]
    words: tuple[str, ...]

    def parts(self, name: str, column: CellColumn) -> Iterator[tuple[str, CellColumn]]:
        """A metric as one for each split that rows with a value name; one whose own name says the split stays whole."""
        if HAS_SPLIT.match(name):
            yield name, column
            return
        there = np.ones(len(self.code), np.bool_) if column.there is None else column.there
        for code in np.unique(self.code[there]).tolist():
            part = CellColumn(column.value, there & (self.code == code))
            yield (f"{self.words[code]}/{name}" if code >= 0 else name), part

    def named(self, names: pl.Series) -> pl.Series:
        """Names of metrics, one a row, with the split of their row before them."""
        before = pl.Series([f"{self.words[c]}/" if c >= 0 else "" for c in self.code.tolist()], dtype=pl.String)
        said = names.str.contains(f"(?i)^{HAS_SPLIT.pattern}")
        return (before + names).zip_with(~said, names)


def phase_of(names: Sequence[str], cells: pl.DataFrame, columns: Sequence[CellColumn]) -> Phase | None:
    """The column that names the rows' splits; None where there is none, or where it names something else."""
    low = [n.strip().lower().rpartition(".")[2] for n in names]
    for wanted in SPLIT_KEYS:
        at = low.index(wanted) if wanted in low else -1
        if at < 0 or not columns[at].text:
            continue
        text = cells[str(at)].fill_null("").str.strip_chars()
        known = {t: split_of(t) for t in text.unique().to_list() if t}
        if not known or not all(known.values()):
            continue
        words = tuple(dict.fromkeys(w for w in known.values() if w))
        place = {t: words.index(w) for t, w in known.items() if w}
        return Phase(at, np.array([place.get(t, -1) for t in text.to_list()], np.int64), words)
    return None
