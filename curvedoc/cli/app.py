"""The Typer application; commands import what they need when they run, so that --help is instant."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from curvedoc.cli.commands import COMMANDS
from curvedoc.cli.settings.arguments import (
    Assets,
    BaselineRun,
    Color,
    Debug,
    Embed,
    Facts,
    FailOn,
    FollowLinks,
    Format,
    Html,
    Jobs,
    Junit,
    Markdown,
    MemoryLimit,
    OptionalPaths,
    Paths,
    Redact,
    Rules,
    Sarif,
    ShowSecrets,
    Signals,
    TimeLimit,
    TriageFormat,
    Version,
    options_of,
)
from curvedoc.cli.settings.command_group import Commands, UsageCommand

app = typer.Typer(
    name="curvedoc",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def root(version: Version = False) -> None:
    """Offline diagnosis of training runs: what went wrong, where it began, why, and what to do next."""


@app.command(cls=UsageCommand)
def analyze(
    paths: OptionalPaths = None,
    html: Html = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write the diagnosis as JSON here.")] = None,
    markdown: Markdown = None,
    sarif: Sarif = None,
    junit: Junit = None,
    embed: Embed = None,
    assets: Assets = None,
    format_: Annotated[Format | None, typer.Option("--format", "-f", help="What to print; default text.")] = None,
    no_html: Annotated[bool, typer.Option("--no-html", help="Do not write curvedoc-report.html.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that curvedoc did not write.")] = False,
    redact: Redact = None,
    show_secrets: ShowSecrets = False,
    rules: Rules = None,
    select: Annotated[list[str] | None, typer.Option("--select", help="Judge only this symptom.")] = None,
    ignore: Annotated[list[str] | None, typer.Option("--ignore", help="Do not judge this symptom.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="RULE.PARAM=VALUE", help="Change a threshold.")
    ] = None,
    sensitivity: Annotated[
        float | None,
        typer.Option("--sensitivity", min=-1, max=1, help="-1 fewest alarms ... +1 fewest misses.", show_default="0"),
    ] = None,
    signal: Signals = None,
    fact: Facts = None,
    no_siblings: Annotated[bool, typer.Option("--no-siblings", help="Judge each run on its own.")] = False,
    baseline_run: BaselineRun = None,
    follow_links: FollowLinks = False,
    fail_on: Annotated[
        FailOn | None, typer.Option("--fail-on", help="Exit 1 from here on.", show_default="never")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 5 when some input could not be read.")] = False,
    all_runs: Annotated[bool, typer.Option("--all", help="List healthy runs too.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print what could not be judged as well.")] = False,
    jobs: Jobs = None,
    time_limit: TimeLimit = 120,
    memory_limit: MemoryLimit = 4096,
    color: Annotated[Color, typer.Option("--color", help="Color the terminal output.")] = Color.auto,
    show_config: Annotated[
        bool, typer.Option("--show-config", help="Print the configuration in force and exit.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Diagnose one run or a tree of them: print the summary and, at a terminal, write curvedoc-report.html."""
    from curvedoc.cli.exits import exit_code, reported_errors
    from curvedoc.report.redact import secrets_shown

    with reported_errors(debug), secrets_shown(show_secrets):
        from curvedoc.cli.analyze import run, workers
        from curvedoc.cli.outputs import Outputs
        from curvedoc.cli.settings.config import load
        from curvedoc.cli.settings.config_text import required_paths, show
        from curvedoc.triage import Limits

        file = load(Path.cwd())
        options = options_of(
            file, rules, select, ignore, set_, sensitivity, signal, not no_siblings, fact, follow_links, baseline_run
        )
        if show_config:
            show(options, fail_on)
            raise typer.Exit
        out = Outputs(
            html=html, json=json, markdown=markdown, sarif=sarif, junit=junit, embed=embed, assets=assets,
            format=None if format_ is None else str(format_), redact=tuple(redact or ()), no_html=no_html, force=force,
            all_runs=all_runs, verbose=verbose, quiet=quiet, color=str(color),
        )  # fmt: skip
        d = run(required_paths(paths), options, out, workers(jobs), Limits(time_limit, memory_limit << 20))
        raise typer.Exit(exit_code(d, str(fail_on or file.fail_on), strict))


@app.command(cls=UsageCommand)
def triage(
    paths: Paths,
    format_: Annotated[TriageFormat, typer.Option("--format", "-f", help="What to print.")] = TriageFormat.text,
    html: Annotated[Path | None, typer.Option("--html", help="Write the HTML report here.")] = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write the diagnosis as JSON here.")] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Write Markdown here.")] = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write one row per run here.")] = None,
    parquet: Annotated[Path | None, typer.Option("--parquet", help="Write one row per run here.")] = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="Saved with --json or -f jsonl: only what is new since.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="WHEN", help="Only runs changed since: a date, 12h, 3d.")
    ] = None,
    jobs: Jobs = None,
    engine: Annotated[
        str,
        typer.Option("--engine", metavar="local|dask[:ADDRESS]", help="Who does the work: local processes, or dask."),
    ] = "local",
    cache: Annotated[bool, typer.Option("--cache/--no-cache", help="Keep outcomes for the next call.")] = True,
    time_limit: TimeLimit = 120,
    memory_limit: MemoryLimit = 4096,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that curvedoc did not write.")] = False,
    show_secrets: ShowSecrets = False,
    rules: Rules = None,
    select: Annotated[list[str] | None, typer.Option("--select", help="Judge only this symptom.")] = None,
    ignore: Annotated[list[str] | None, typer.Option("--ignore", help="Do not judge this symptom.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="RULE.PARAM=VALUE", help="Change a threshold.")
    ] = None,
    sensitivity: Annotated[
        float | None,
        typer.Option("--sensitivity", min=-1, max=1, help="-1 fewest alarms ... +1 fewest misses.", show_default="0"),
    ] = None,
    signal: Signals = None,
    fact: Facts = None,
    no_siblings: Annotated[bool, typer.Option("--no-siblings", help="Judge each run on its own.")] = False,
    baseline_run: BaselineRun = None,
    follow_links: FollowLinks = False,
    fail_on: Annotated[
        FailOn | None, typer.Option("--fail-on", help="Exit 1 from here on.", show_default="never")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 5 when some input could not be read.")] = False,
    all_runs: Annotated[bool, typer.Option("--all", help="List every run.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    color: Annotated[Color, typer.Option("--color", help="Color the terminal output.")] = Color.auto,
    no_html: Annotated[
        bool, typer.Option("--no-html", help="As it is without --html; for scripts that say it.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Rank many runs: worst first, one line a run, failures of one kind in groups."""
    from curvedoc.cli.exits import reported_errors
    from curvedoc.report.redact import secrets_shown

    with reported_errors(debug), secrets_shown(show_secrets):
        from curvedoc.cli.settings.config import load
        from curvedoc.cli.triage import Wanted, run_triage
        from curvedoc.triage import Limits

        if no_html and html is not None:
            from curvedoc.core.errors import UsageError

            raise UsageError("--html and --no-html contradict each other", "--no-html", "leave one of them out")
        file = load(Path.cwd())
        options = options_of(
            file, rules, select, ignore, set_, sensitivity, signal, not no_siblings, fact, follow_links, baseline_run
        )
        wanted = Wanted(
            str(format_), html=html, json=json, markdown=markdown, csv=csv, parquet=parquet, baseline=baseline,
            force=force, everything=all_runs, quiet=quiet, color=str(color),
        )  # fmt: skip
        limits = Limits(time_limit, memory_limit << 20)
        raise typer.Exit(
            run_triage(
                paths, options, wanted, jobs=jobs, cache=cache, since=since, limits=limits, engine=engine,
                fail_on=str(fail_on or file.fail_on), strict=strict,
            )
        )  # fmt: skip


@app.command("rules", cls=UsageCommand)
def rules_(
    rules: Rules = None,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    vocabulary: Annotated[bool, typer.Option("--vocabulary", help="The functions a rule may call.")] = False,
    facts: Annotated[bool, typer.Option("--facts", help="What may be known of a run, and how.")] = False,
    debug: Debug = False,
) -> None:
    """List the detectors, their thresholds and what they need."""
    from curvedoc.cli.exits import reported_errors

    with reported_errors(debug):
        from curvedoc.cli.rules import list_facts, list_rules, list_vocabulary

        if vocabulary:
            list_vocabulary()
        else:
            (list_facts if facts else list_rules)(rules or [], json)


@app.command("test-rules", cls=UsageCommand)
def test_rules(
    directory: Annotated[
        Path | None, typer.Argument(help="A directory of rule files; default the shipped ones.")
    ] = None,
    rule: Annotated[list[str] | None, typer.Option("--rule", help="Only this rule.")] = None,
    debug: Debug = False,
) -> None:
    """Check rule and cause files and run the cases inside them."""
    from curvedoc.cli.exits import Exit, reported_errors

    with reported_errors(debug):
        from curvedoc.cli.rule_cases import run_cases

        raise typer.Exit(Exit.DONE if run_cases(directory, rule or []) else Exit.FINDINGS)


@app.command(cls=UsageCommand)
def schema() -> None:
    """Print the JSON Schema of the diagnosis."""
    import json
    import sys

    from curvedoc.cli.exits import reported_errors

    with reported_errors():
        from curvedoc.report.exchange.json_document import json_schema

        sys.stdout.write(json.dumps(json_schema(), indent=2, sort_keys=True) + "\n")


@app.command(cls=UsageCommand)
def render(
    file: Annotated[Path, typer.Argument(help="A diagnosis saved with --json.")],
    html: Html = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write the diagnosis as JSON here.")] = None,
    markdown: Markdown = None,
    sarif: Sarif = None,
    junit: Junit = None,
    embed: Embed = None,
    assets: Assets = None,
    show_secrets: ShowSecrets = False,
    redact: Redact = None,
    format_: Annotated[Format, typer.Option("--format", "-f", help="What to print.")] = Format.text,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that curvedoc did not write.")] = False,
    all_runs: Annotated[bool, typer.Option("--all", help="List healthy runs too.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print what could not be judged as well.")] = False,
    color: Annotated[Color, typer.Option("--color", help="Color the terminal output.")] = Color.auto,
    debug: Debug = False,
) -> None:
    """Redraw any view of a saved diagnosis."""
    from curvedoc.cli.exits import reported_errors
    from curvedoc.report.redact import secrets_shown

    with reported_errors(debug), secrets_shown(show_secrets):
        from curvedoc.cli.outputs import Outputs, prepared
        from curvedoc.cli.outputs import render as draw
        from curvedoc.cli.saved_diagnosis import read_saved

        out = Outputs(
            html=html, json=json, markdown=markdown, sarif=sarif, junit=junit, embed=embed, assets=assets,
            format=str(format_), redact=tuple(redact or ()), no_html=True, force=force, all_runs=all_runs,
            verbose=verbose, color=str(color),
        )  # fmt: skip
        draw(read_saved(file), prepared(out, [file]), file.stem)


for _name, _command in COMMANDS:
    app.command(_name, cls=UsageCommand)(_command)
