"""What `curvedoc.read` gives to Python: the runs below a path as polars frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from curvedoc.core.errors import NothingToAnalyse, TooMuch
from curvedoc.core.run import Run

if TYPE_CHECKING:
    from curvedoc.ingest import Harvest
    from curvedoc.triage import Limits


def read(data: object, columns: Mapping[str, str] | None = None, *, limits: Limits | None = None) -> list[Run]:
    """Every training run in and below the paths, whatever wrote it, or in data that is in memory.

    data: as `curvedoc.analyze` takes it: paths, a frame, a dict of lists, records or lines

    columns: what a metric or column is where that is guessed wrong, {"step": "it", "loss": "nll"}.

    limits: what the call may take in all (`curvedoc.triage.Limits(seconds, memory)`). The files are then read in a
    process of their own, for which a script needs the usual `if __name__ == "__main__"`. Without them any file is read
    in bounded memory, for as long as it takes.

    Each run has `points`, a long polars frame with one row for each value logged, in file order:

    metric: String, the name as it was logged
    step: Int64, the step as logged; what it counts is `axis` ("step", "epoch", "samples", or "row" where nothing did)
    value: Float64, NaN and infinity kept
    time: Float64, seconds since 1970 or since the start; null where unknown
    rank: Int32, the process that logged it, 0 where none is named
    flags: UInt16, bits of `curvedoc.core.run.Flag`: how the value was written
    segment: Int32, 0, then one more at each restart
    superseded: Boolean, a later segment wrote this step again

    and `messages`, `roles` (which metric is the loss, and how sure), `config`, `settings`, `sources` and `notes`.

    Raises NothingToAnalyse where no run is found, UsageError for a path that does not exist, TooMuch beyond the limits.
    """
    from curvedoc.ingest.memory import as_paths

    with as_paths(data) as paths:
        places = ", ".join(map(str, paths))
        if limits is None:
            found = _read(paths, columns)
        else:
            from curvedoc.triage.run.apart import apart

            found = apart(_read_whole, (paths, columns), limits)
    if not found.runs:
        told = "; ".join(f"{u.path}: {u.reason}" for u in (*found.unreadable, *found.ignored)[:5])
        raise NothingToAnalyse(f"no training run found{f' ({told})' if told else ''}", places)
    return list(found.runs)


def _read(paths: Sequence[Path], columns: Mapping[str, str] | None) -> Harvest:
    from curvedoc.ingest.read import read_runs
    from curvedoc.rulebook.location import signals_file

    return read_runs(paths, signals=columns, signals_file=signals_file())


def _read_whole(paths: Sequence[Path], columns: Mapping[str, str] | None) -> Harvest:
    """The same; a file that there was no memory for is none to leave out in silence."""
    from curvedoc.ingest.read import NO_MEMORY

    found = _read(paths, columns)
    for lost in found.unreadable:
        if lost.reason == NO_MEMORY:
            raise TooMuch(lost.reason, lost.path)
    return found
