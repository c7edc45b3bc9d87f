"""`curvedoc diff`: two runs beside each other."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from curvedoc.core.diagnosis import Diagnosis, Differing, Nearest, RunDiagnosis
from curvedoc.core.errors import NothingToAnalyse, UsageError
from curvedoc.core.files.output_file import check, write
from curvedoc.core.run import Run
from curvedoc.core.version import __version__
from curvedoc.pipeline import Options, rulebook, runs_below

if TYPE_CHECKING:
    from curvedoc.diagnose.siblings.difference import Difference

#: Names of runs listed where a path holds several.
LISTED = 20


def show(
    a: str,
    b: str,
    options: Options,
    form: str,
    everything: bool,
    html: Path | None = None,
    force: bool = False,
) -> None:
    """Print the difference of the two runs, then write it as a page to `html`. Raises UsageError, NothingToAnalyse.

    form: text, json, or markdown, which holds the text as a block
    """
    from curvedoc.report.escape import markdown_block

    if html is not None:
        check(html, force, [Path(a), Path(b)])
    text, page = _compared(a, b, options, form == "json", everything)
    sys.stdout.write(markdown_block(text.rstrip("\n"), "text") + "\n" if form == "markdown" else text)
    if html is not None:
        write(html, page(), force)
        sys.stderr.write(f"wrote {html}\n")


def show_table(path: Path, by: str, form: str, html: Path | None = None, force: bool = False) -> None:
    """Print what the settings of a table of runs have to do with how they went, then write it as a page to `html`.

    by: a result, "" for all; form: text, json or markdown

    Raises UsageError for a path that is none.
    """
    from curvedoc.diagnose.siblings.table_contrast import table_contrast
    from curvedoc.ingest import load_signals
    from curvedoc.ingest.csv.runs_table import is_runs_table, read_runs_table
    from curvedoc.ingest.naming.comparable_name import plain
    from curvedoc.report.comparison import table_contrast as views
    from curvedoc.rulebook.location import signals_file

    if html is not None:
        check(html, force, [path])
    signals = load_signals(signals_file())
    keys = {name for setting in signals.settings for name in setting.keys}
    table = read_runs_table(path, lambda name: plain(name) in keys) if is_runs_table(path) else None
    if table is None:
        raise UsageError("no table with a row for each run", str(path), "to compare two runs, give both of them")
    made = table_contrast(table, str(path), signals, by)
    drawn = {"json": views.to_json, "markdown": views.to_markdown}.get(form, views.to_text)
    sys.stdout.write(drawn(made))
    if html is not None:
        from curvedoc.report.html.table_page import to_html

        write(html, to_html(made), force)
        sys.stderr.write(f"wrote {html}\n")


def compared(a: str, b: str, options: Options) -> str:
    """The difference of the two runs as JSON. Raises UsageError, NothingToAnalyse."""
    return _compared(a, b, options, True, False)[0]


def _compared(a: str, b: str, options: Options, as_json: bool, everything: bool) -> tuple[str, Callable[[], str]]:
    """The difference of the two runs as JSON or text, and what makes a page of it."""
    from curvedoc.diagnose.run import diagnose
    from curvedoc.diagnose.siblings.difference import difference
    from curvedoc.ingest import load_signals
    from curvedoc.report.comparison.difference import to_json, to_text
    from curvedoc.rulebook.location import signals_file

    book = rulebook(options)
    one, other = only_run(a, options), only_run(b, options)
    table = load_signals(signals_file())
    ours, theirs = diagnose(one, book), diagnose(other, book)
    made = difference(one, other, ours, theirs, table)
    text = to_json(made) if as_json else to_text(made, everything)
    return text, lambda: _page(made, ours, theirs, book.digest)


def _page(made: Difference, ours: RunDiagnosis, theirs: RunDiagnosis, digest: str) -> str:
    """The report of both runs, the first drawn beside the second; synchronized, since both stand on the same axes."""
    from curvedoc.report.comparison.difference import opening, unlogged
    from curvedoc.report.html.page import to_html

    if ours.run == theirs.run:
        theirs = replace(theirs, run=f"{theirs.run} (again)")
    known = made.settings if unlogged(made.settings) is None else ()
    settings = tuple(Differing(s.key, *s.values) for s in known)
    beside = replace(ours, nearest=Nearest(theirs.run, settings, f"beside {theirs.run}"))
    d = Diagnosis(__version__, digest, (beside, theirs))
    title = f"{ours.run} beside {theirs.run}"
    return to_html(d, title=title, pairs={ours.run: theirs.run, theirs.run: ours.run}, headline=opening(made))


def only_run(place: str, options: Options) -> Run:
    """The one run at a path, or the one of a name at "PATH::NAME", named by its place.

    Raises NothingToAnalyse where there is none, UsageError where there are several.
    """
    from curvedoc.report.escape import visible

    path, name = Path(place), ""
    if not path.exists() and "::" in place:
        stem, _, name = place.rpartition("::")
        path = Path(stem)
    runs = runs_below([path], options).runs
    chosen = [r for r in runs if not name or r.name == name or r.name.endswith(f"::{name}")]
    if not chosen:
        what = f"no training run '{name}' found" if name else "no training run found"
        raise NothingToAnalyse(what, str(path), f"curvedoc doctor {path} shows what was looked at")
    if len(chosen) > 1:
        names = ", ".join(visible(r.name) for r in chosen[:LISTED]) + (" ..." if len(chosen) > LISTED else "")
        hint = f"give one of them, for example '{path}::{visible(chosen[0].name.rpartition('::')[2])}'"
        raise UsageError(f"holds {len(chosen):,} runs: {names}", place, hint)
    return replace(chosen[0], name=place)
