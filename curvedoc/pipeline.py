"""The whole path in one call: paths -> runs -> findings -> Diagnosis. What the command line and Python users share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from curvedoc.core.diagnosis import Diagnosis, Unreadable
from curvedoc.core.errors import CurvedocError
from curvedoc.options import Options, rulebook

if TYPE_CHECKING:
    from curvedoc.core.run import Run
    from curvedoc.ingest import Harvest
    from curvedoc.triage import Limits

__all__ = ["Options", "analyze", "rulebook", "runs_below"]


def analyze(
    paths: Sequence[Path | str] | Path | str,
    options: Options | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    jobs: int = 1,
    limits: Limits | None = None,
) -> Diagnosis:
    """The diagnosis of every run below the paths.

    jobs: worker processes for a large tree (a script that asks for more than one needs the usual
    `if __name__ == "__main__"`); the diagnosis does not depend on it. limits: what one run may take; large and packed
    files are then read in a worker process even with one job. progress is called with (phase, done, of) and
    never decides anything. Raises NothingToAnalyse where no path holds a run, UsageError and RuleErrors; damaged logs
    are notes inside the diagnosis.
    """
    from curvedoc.diagnose.many import diagnose_all

    options = options or Options()
    wanted = [Path(paths)] if isinstance(paths, (str, Path)) else [Path(p) for p in paths]
    if jobs > 1 or limits is not None:
        return _shared_out(wanted, options, progress, jobs, limits)
    book = rulebook(options)
    harvest = runs_below(wanted, options)
    if not any(_says_something(r) for r in harvest.runs):
        raise _nothing(wanted, harvest.unreadable)
    total = len(harvest.runs)

    def step(done: int) -> None:
        if progress is not None:
            progress("diagnose", done, total)

    return diagnose_all(
        harvest.runs, book, siblings=options.siblings, unreadable=harvest.unreadable, progress=step,
        alive=options.alive, baseline=options.baseline_run,
    )  # fmt: skip


def runs_below(paths: Sequence[Path], options: Options) -> Harvest:
    """The runs in and below the paths, read as the options ask, and what could not be read.

    Raises UsageError for a path that does not exist.
    """
    from curvedoc.ingest import read_runs
    from curvedoc.rulebook.location import signals_file

    return read_runs(paths, signals=options.signals, signals_file=signals_file(), follow_links=options.follow_links)


def _says_something(run: Run) -> bool:
    """Whether a run holds more than settings: a value, or a line of text."""
    return bool(run.blocks) or bool(len(run.messages))


def _shared_out(
    paths: Sequence[Path],
    options: Options,
    progress: Callable[[str, int, int], None] | None,
    jobs: int,
    limits: Limits | None,
) -> Diagnosis:
    """The same over worker processes, every curve kept."""
    from curvedoc.triage import Limits, SweepOptions, sweep

    done = sweep(paths, options, SweepOptions(jobs, slim=False, limits=limits or Limits(), progress=progress))
    if done.interrupted:
        raise KeyboardInterrupt
    if not any(r.signals or r.messages or any(s.points for s in r.sources) for r in done.diagnosis.runs):
        raise _nothing(paths, done.diagnosis.unreadable)
    return done.diagnosis


def _nothing(paths: Sequence[Path], unreadable: Sequence[Unreadable]) -> CurvedocError:
    from curvedoc.core.errors import NothingToAnalyse
    from curvedoc.ingest.find.contents import contents

    held, then = contents([p for p in paths if p.exists()])
    listed = "; ".join(f"{u.path}: {u.reason}" for u in unreadable[:5]) or held
    places = ", ".join(str(p) for p in paths)
    return NothingToAnalyse(
        "no training run found" + (f" ({listed})" if listed else ""),
        places,
        f"{then}. curvedoc doctor {places} shows what was looked at",
    )
