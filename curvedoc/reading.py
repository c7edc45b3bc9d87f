"""What `curvedoc.read` gives to Python: the runs below a path as polars frames."""

from __future__ import annotations

from collections.abc import Mapping

from curvedoc.core.errors import NothingToAnalyse
from curvedoc.core.run import Run


def read(data: object, columns: Mapping[str, str] | None = None) -> list[Run]:
    """Every training run in and below the paths, whatever wrote it, or in data that is in memory.

    data: as `curvedoc.analyze` takes it: paths, a frame, a dict of lists, records or lines

    columns: what a metric or column is where that is guessed wrong, {"step": "it", "loss": "nll"}.

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

    Raises NothingToAnalyse where no run is found, UsageError for a path that does not exist.
    """
    from curvedoc.ingest.memory import as_paths
    from curvedoc.ingest.read import read_runs
    from curvedoc.rulebook.location import signals_file

    with as_paths(data) as paths:
        found = read_runs(paths, signals=columns, signals_file=signals_file())
        places = ", ".join(map(str, paths))
    if not found.runs:
        told = "; ".join(f"{u.path}: {u.reason}" for u in (*found.unreadable, *found.ignored)[:5])
        raise NothingToAnalyse(f"no training run found{f' ({told})' if told else ''}", places)
    return list(found.runs)
