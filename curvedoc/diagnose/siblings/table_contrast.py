"""What parts the runs of a table that went wrong, or ended high, from the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.diagnosis import Contrast
from curvedoc.core.errors import UsageError
from curvedoc.core.frozen import dataclass
from curvedoc.diagnose.siblings.contrast import parted
from curvedoc.diagnose.siblings.families import FEWEST_RUNS, keys_of
from curvedoc.diagnose.siblings.outline import Outline
from curvedoc.ingest import Signals
from curvedoc.ingest.csv.runs_table import RunsTable
from curvedoc.ingest.naming.canonical_settings import settings_of


@dataclass(frozen=True, slots=True)
class ResultContrast:
    """One way to part the runs of a table in two, and the settings that do it.

    outcome: what is said of the runs that are counted ("went wrong", "ended in the upper half by val_loss")
    counted: how many of the runs did, of: all that could
    contrasts: the settings that part them from the others beyond chance, the surest first
    """

    outcome: str
    counted: int
    of: int
    contrasts: tuple[Contrast, ...]


@dataclass(frozen=True, slots=True)
class TableContrast:
    """What the settings of a table of runs have to do with how the runs went.

    runs: how many are over; left_out: how many are not; settings: the names of those that differ
    """

    path: str
    runs: int
    left_out: int
    settings: tuple[str, ...]
    parts: tuple[ResultContrast, ...]


def table_contrast(table: RunsTable, path: str, signals: Signals, by: str = "") -> TableContrast:
    """The settings that part the runs that went wrong, and those that ended in the upper half by each result.

    by: the one result to look at, "" for all. A run went wrong where its state says so, or where a result that others
    have as a number is none; such runs are left out of the halves. Raises UsageError for a result that is not there.
    """
    if by and by not in table.results:
        raise UsageError(f"no result '{by}' in the table", path, f"it has {', '.join(table.results) or 'none'}")
    outlines = [Outline(r.name, r.config, settings_of(r.config, signals)) for r in table.runs]
    keys = keys_of(outlines)
    names = [str(i) for i in range(len(outlines))]
    wrong = np.array([r.wrong for r in table.runs], dtype=np.bool_)
    for name, value in table.results.items():
        if not by or name == by:
            wrong |= np.isnan(value)
    outcomes: list[tuple[str, NDArray[np.bool_], NDArray[np.bool_]]] = []
    if wrong.any():
        outcomes.append(("went wrong", wrong, np.ones(len(wrong), dtype=np.bool_)))
    for name, value in table.results.items():
        able = np.isfinite(value) & ~wrong
        if (not by or name == by) and able.sum() >= FEWEST_RUNS:
            outcomes.append((f"ended in the upper half by {name}", value > np.median(value[able]), able))
    parts = []
    for word, hit, able in outcomes:
        chosen = np.flatnonzero(able)
        own = keys_of([outlines[i] for i in chosen])
        found = parted(own, [names[i] for i in chosen], hit[chosen], word, len(outcomes)) if len(chosen) else []
        told = tuple(sorted((p.contrast for p in found), key=lambda c: (c.p_value, c.key)))
        parts.append(ResultContrast(word, int(hit[chosen].sum()), len(chosen), told))
    return TableContrast(path, len(table.runs), table.left_out, tuple(k.name for k in keys), tuple(parts))
