"""Further commands: doctor, diff, watch, formats, explain, probe, evaluate, init, new-rule, new-cause, new-reader."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from curvedoc.cli.agent.command import mcp
from curvedoc.cli.settings.arguments import Debug, Facts, FailOn, FollowLinks, Html, Paths, Rules, Signals, options_of
from curvedoc.cli.skeleton_commands import new_cause, new_reader, new_rule

__all__ = ["COMMANDS"]


class DiffFormat(StrEnum):
    """What stdout of a diff gets."""

    text = "text"
    json = "json"
    markdown = "markdown"


def formats(json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False, debug: Debug = False) -> None:
    """List the log formats that are read."""
    from curvedoc.cli.exits import reported_errors

    with reported_errors(debug):
        from curvedoc.cli.formats import list_formats

        list_formats(json)


def diff(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A", help="A run; PATH::NAME for one of several in a path. Alone: a table with a row for each run."
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="The run to put beside it.")] = "",
    format_: Annotated[DiffFormat, typer.Option("--format", "-f", help="What to print.")] = DiffFormat.text,
    rules: Rules = None,
    signal: Signals = None,
    everything: Annotated[bool, typer.Option("--all", help="List every signal and key.")] = False,
    by: Annotated[str, typer.Option("--by", help="Of a table of runs: this result alone.")] = "",
    html: Html = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a page that curvedoc did not write.")] = False,
    debug: Debug = False,
) -> None:
    """Put two runs beside each other: where they part, how far, which settings and findings differ.

    Of a table of runs as W&B, MLflow and Optuna export it: the settings of the runs that went wrong or ended high.
    """
    from curvedoc.cli.exits import reported_errors

    with reported_errors(debug):
        from curvedoc.cli.diff import show, show_table
        from curvedoc.cli.settings.config import load

        if not b:
            show_table(Path(a), by, format_.value, html, force)
            return
        options = options_of(load(Path.cwd()), rules, None, None, None, None, signal, siblings=False)
        show(a, b, options, format_.value, everything, html, force)


def watch(
    paths: Paths,
    interval: Annotated[float, typer.Option("--interval", min=0.1, help="Seconds between looks.")] = 2.0,
    once: Annotated[bool, typer.Option("--once", help="Look a single time.")] = False,
    fail_on: Annotated[
        FailOn | None,
        typer.Option("--fail-on", help="End with exit code 1 at the first finding from here on.", show_default="never"),
    ] = None,
    notify: Annotated[
        str | None,
        typer.Option("--notify", metavar="URL", envvar="CURVEDOC_NOTIFY", help="Post what is new: Slack, Teams, JSON."),
    ] = None,
    rules: Rules = None,
    signal: Signals = None,
    fact: Facts = None,
    follow_links: FollowLinks = False,
    debug: Debug = False,
) -> None:
    """Analyze again as files grow and print only what changed; Ctrl-C ends it."""
    from curvedoc.cli.exits import reported_errors

    with reported_errors(debug):
        import sys
        from dataclasses import replace

        from curvedoc.cli.output.notify import checked
        from curvedoc.cli.settings.config import load
        from curvedoc.cli.watch import real_world
        from curvedoc.cli.watch import watch as look_on
        from curvedoc.pipeline import analyze

        file = load(Path.cwd())
        options = options_of(file, rules, signal=signal, fact=fact, follow_links=follow_links)
        world = real_world(
            paths,
            lambda: analyze(paths, replace(options, alive=True)),
            lambda line: print(line, flush=True),
            lambda line: print(line, file=sys.stderr, flush=True),
            checked(notify) if notify else "",
        )
        raise typer.Exit(look_on(world, interval, once, str(fail_on or file.fail_on)))


def init(
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing curvedoc.toml.")] = False,
    debug: Debug = False,
) -> None:
    """Write a commented curvedoc.toml here and print a snippet for continuous integration."""
    from curvedoc.cli.exits import reported_errors

    with reported_errors(debug):
        from curvedoc.cli.skeletons.new_files import init as begin

        begin(Path(), force)


class SplitPart(StrEnum):
    """A field of the labels by which accuracy is split."""

    task = "task"
    logger = "logger"
    arch = "arch"


def evaluate(
    labels: Annotated[Path, typer.Argument(help="A labels.jsonl beside its runs, or their directory.")],
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Write the accuracy page here.")] = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write every figure and run as JSON here.")] = None,
    split_by: Annotated[
        list[SplitPart] | None, typer.Option("--split-by", help="Figures by this part of the data.")
    ] = None,
    sensitivities: Annotated[
        str, typer.Option("--sensitivities", metavar="-1,0,1", help="Compare these settings of --sensitivity.")
    ] = "",
    rules: Rules = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="RULE.PARAM=VALUE", help="Change a threshold.")
    ] = None,
    sensitivity: Annotated[
        float, typer.Option("--sensitivity", min=-1, max=1, help="-1 fewest alarms ... +1 fewest misses.")
    ] = 0.0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Name the runs that were judged wrong.")] = False,
    debug: Debug = False,
) -> None:
    """Measure accuracy on labeled runs: recall, causes, false alarms, onset, calibration."""
    from curvedoc.cli.exits import reported_errors

    with reported_errors(debug):
        from curvedoc.cli.evaluate import show
        from curvedoc.pipeline import Options

        options = Options(rules=tuple(rules or []), set=tuple(set_ or []), sensitivity=sensitivity)
        show(
            labels, options, split_by=[str(p) for p in split_by or []], sensitivities=sensitivities,
            markdown=markdown, json=json, single=verbose, quiet=quiet,
        )  # fmt: skip


def explain(
    id_: Annotated[str | None, typer.Argument(metavar="[ID]", help="A symptom, cause, fact, or first-steps.")] = None,
    rules: Rules = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="As Markdown.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Write the pages of all of them below --output.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A folder, for --all.")] = None,
    run: Annotated[
        Path | None, typer.Option("--run", metavar="PATH", help="What each line said of this run, and what excused it.")
    ] = None,
    signal: Signals = None,
    fact: Facts = None,
    debug: Debug = False,
) -> None:
    """What a symptom or cause is, how it is seen, what it is mistaken for, what to do."""
    from curvedoc.cli.exits import reported_errors

    with reported_errors(debug):
        from curvedoc.cli.rules import explain_id, explain_run, write_reference
        from curvedoc.cli.settings.config import load
        from curvedoc.core.errors import UsageError

        if run is not None and id_ is not None and not everything and output is None:
            explain_run(id_, run, options_of(load(Path.cwd()), rules, signal=signal, fact=fact), markdown)
        elif everything and output is not None and id_ is None:
            write_reference(rules or [], output)
        elif id_ is not None and not everything and output is None and run is None:
            explain_id(id_, rules or [], markdown)
        else:
            raise UsageError(
                "either one ID, with --run PATH or without, or --all with --output FOLDER",
                "",
                "curvedoc explain overfitting; curvedoc rules lists ids",
            )


def probe(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A cause that has code to test it.")],
    rules: Rules = None,
    debug: Debug = False,
) -> None:
    """Print the code that tests a cause, ready to be run or pasted."""
    from curvedoc.cli.exits import reported_errors

    with reported_errors(debug):
        from curvedoc.cli.rules import print_probe

        print_probe(name, rules or [])


def export(
    paths: Paths,
    parquet: Annotated[Path | None, typer.Option("--parquet", help="Write all points as parquet here.")] = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write all points as CSV here.")] = None,
    jsonl: Annotated[Path | None, typer.Option("--jsonl", help="Write all points as JSON lines here.")] = None,
    tensorboard: Annotated[
        Path | None, typer.Option("--tensorboard", help="Write an event file for each run below this folder.")
    ] = None,
    signal: Signals = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")] = False,
    debug: Debug = False,
) -> None:
    """Write the curves of every run for other tools: one row a value, CSV to stdout where no file is named."""
    from curvedoc.cli.exits import reported_errors

    with reported_errors(debug):
        from curvedoc.cli.output.export import export as write_points
        from curvedoc.cli.settings.config import load
        from curvedoc.cli.settings.stdin import with_stdin

        options = options_of(load(Path.cwd()), signal=signal)
        with with_stdin(paths) as places:
            write_points(places, options, parquet, csv, jsonl, tensorboard, force)


def doctor(
    paths: Paths,
    signal: Signals = None,
    fact: Facts = None,
    rules: Rules = None,
    follow_links: FollowLinks = False,
    debug: Debug = False,
) -> None:
    """Show what was found, what was taken for what, and what could not be read."""
    from curvedoc.cli.exits import reported_errors

    with reported_errors(debug):
        from curvedoc.cli.doctor import show
        from curvedoc.cli.settings.config import load
        from curvedoc.cli.settings.stdin import with_stdin

        options = options_of(load(Path.cwd()), rules, signal=signal, fact=fact, follow_links=follow_links)
        with with_stdin(paths) as places:
            show(places, options)


#: Name and function of each command.
COMMANDS: tuple[tuple[str, Callable[..., None]], ...] = (
    ("doctor", doctor),
    ("diff", diff),
    ("watch", watch),
    ("formats", formats),
    ("export", export),
    ("explain", explain),
    ("probe", probe),
    ("evaluate", evaluate),
    ("init", init),
    ("new-rule", new_rule),
    ("new-cause", new_cause),
    ("new-reader", new_reader),
    ("mcp", mcp),
)
