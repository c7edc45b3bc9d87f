"""The whole path in one call: paths -> runs -> findings -> Diagnosis. What the command line and Python users share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from curvedoc.diagnosis import Diagnosis
from curvedoc.rulebook.rule import Rulebook


@dataclass(frozen=True, slots=True)
class Options:
    """How to analyse.

    rules:   further folders of rule files; a file there replaces the shipped one of its id
    select:  only these symptoms (empty: all); ignore: not these
    set:     "RULE.PARAM=VALUE" each
    sensitivity: -1 (fewest alarms) to +1 (fewest misses), along each threshold's documented range
    signals: role -> raw metric name, instead of what signals.yaml would choose
    siblings: compare repeats of one configuration
    """

    rules: tuple[Path, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    set: tuple[str, ...] = ()
    sensitivity: float = 0.0
    signals: Mapping[str, str] = field(default_factory=dict)
    siblings: bool = True


def rulebook(options: Options) -> Rulebook:
    """The rulebook that the options ask for. Raises RuleErrors, UsageError."""
    from curvedoc.errors import UsageError
    from curvedoc.rulebook.load import load, tune

    book = tune(load(options.rules), options.set, options.sensitivity)
    ids = {r.id for r in book.rules}
    for name in (*options.select, *options.ignore):
        if name not in ids:
            import difflib

            close = difflib.get_close_matches(name, ids, n=1)
            hint = f"did you mean '{close[0]}'?" if close else "curvedoc rules lists them"
            raise UsageError(f"no rule '{name}'", hint=hint)
    wanted = (set(options.select) or ids) - set(options.ignore)
    return replace(book, rules=tuple(r for r in book.rules if r.id in wanted))


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
