"""`curvedoc diff`: two runs beside each other."""

from __future__ import annotations

import sys
from pathlib import Path

from curvedoc.core.errors import NothingToAnalyse, UsageError
from curvedoc.core.run import Run
from curvedoc.options import Options, rulebook

#: Names of runs listed where a path holds several.
LISTED = 20


def show(a: str, b: str, options: Options, as_json: bool, everything: bool) -> None:
    """Print the difference of the two runs. Raises UsageError, NothingToAnalyse."""
    sys.stdout.write(compared(a, b, options, as_json, everything))


def compared(a: str, b: str, options: Options, as_json: bool, everything: bool) -> str:
    """The difference of the two runs as JSON or text. Raises UsageError, NothingToAnalyse."""
    from curvedoc.diagnose.run import diagnose
    from curvedoc.diagnose.siblings.difference import difference
    from curvedoc.ingest import load_signals
    from curvedoc.report.difference import to_json, to_text
    from curvedoc.rulebook.location import signals_file

    book = rulebook(options)
    one, other = only_run(a, options), only_run(b, options)
    table = load_signals(signals_file())
    made = difference(one, other, diagnose(one, book), diagnose(other, book), table)
    return to_json(made) if as_json else to_text(made, everything)


def only_run(place: str, options: Options) -> Run:
    """The one run at a path, or the one of a name at "PATH::NAME", named by its place.

    Raises NothingToAnalyse where there is none, UsageError where there are several.
    """
    from dataclasses import replace

    from curvedoc.ingest import read_runs
    from curvedoc.report.escape import visible
    from curvedoc.rulebook.location import signals_file

    path, name = Path(place), ""
    if not path.exists() and "::" in place:
        stem, _, name = place.rpartition("::")
        path = Path(stem)
    runs = read_runs([path], signals=options.signals, signals_file=signals_file()).runs
    chosen = [r for r in runs if not name or r.name == name or r.name.endswith(f"::{name}")]
    if not chosen:
        what = f"no training run '{name}' found" if name else "no training run found"
        raise NothingToAnalyse(what, str(path), f"curvedoc doctor {path} shows what was looked at")
    if len(chosen) > 1:
        names = ", ".join(visible(r.name) for r in chosen[:LISTED]) + (" ..." if len(chosen) > LISTED else "")
        hint = f"give one of them, for example '{path}::{visible(chosen[0].name.rpartition('::')[2])}'"
        raise UsageError(f"holds {len(chosen):,} runs: {names}", place, hint)
    return replace(chosen[0], name=place)
