"""The whole path in one call: paths -> runs -> findings -> Diagnosis. What the command line and Python users share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from curvedoc.diagnosis import Diagnosis
from curvedoc.options import Options, rulebook

__all__ = ["Options", "analyze", "rulebook"]

def analyze(
    paths: Sequence[Path | str] | Path | str,
    options: Options | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Diagnosis:
    """The diagnosis of every run below the paths.

    progress is called with (phase, done, of) and never decides anything. Raises NothingToAnalyse where no path holds
    a run, UsageError and RuleErrors; damaged logs are notes inside the diagnosis.
    """
    from curvedoc.diagnose.many import diagnose_all
    from curvedoc.errors import NothingToAnalyse
    from curvedoc.ingest import read_runs
    from curvedoc.rulebook.load import signals_file

    options = options or Options()
    wanted = [Path(paths)] if isinstance(paths, (str, Path)) else [Path(p) for p in paths]
    book = rulebook(options)
    harvest = read_runs(wanted, signals=options.signals, signals_file=signals_file())
    if not harvest.runs:
        listed = "; ".join(f"{u.path}: {u.reason}" for u in harvest.unreadable[:5])
        places = ", ".join(str(p) for p in wanted)
        raise NothingToAnalyse(
            "no training run found" + (f" ({listed})" if listed else ""),
            places,
            f"curvedoc doctor {places} shows what was looked at",
        )
    total = len(harvest.runs)

    def step(done: int) -> None:
        if progress is not None:
            progress("diagnose", done, total)

    return diagnose_all(harvest.runs, book, siblings=options.siblings, unreadable=harvest.unreadable, progress=step)
