"""What the commands share: kinds of arguments, and how they become options."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from curvedoc.cli.settings.call_options import options_of as options_of
from curvedoc.cli.settings.call_options import signals_of as signals_of


class Format(StrEnum):
    """What stdout gets."""

    text = "text"
    json = "json"
    html = "html"
    markdown = "markdown"
    sarif = "sarif"
    junit = "junit"
    brief = "brief"
    github = "github"
    gitlab = "gitlab"


class FailOn(StrEnum):
    """From which severity on findings make the exit code 1."""

    never = "never"
    note = "note"
    warning = "warning"
    error = "error"
    failed = "failed"
    fatal = "fatal"


class Color(StrEnum):
    """When to color."""

    auto = "auto"
    always = "always"
    never = "never"


class TriageFormat(StrEnum):
    """What stdout of a triage gets."""

    text = "text"
    json = "json"
    jsonl = "jsonl"
    csv = "csv"
    parquet = "parquet"
    markdown = "markdown"
    html = "html"


Paths = Annotated[
    list[Path], typer.Argument(help="Run directories, trees of them, log files or globs.", show_default=False)
]
OptionalPaths = Annotated[
    list[Path] | None, typer.Argument(help="Run directories, trees of them, log files or globs.", show_default=False)
]
Rules = Annotated[
    list[Path] | None, typer.Option("--rules", help="Further directory of rule files.", show_default=False)
]
Signals = Annotated[
    list[str] | None,
    typer.Option(
        "--signal",
        "--map",
        metavar="ROLE=METRIC",
        help="Take this metric for that role; step, time, name, value, split: take this column for it. a=x,b=y.",
    ),
]
Facts = Annotated[
    list[str] | None, typer.Option("--fact", metavar="FACT=VALUE", help="Take this as true of the runs: classes=10.")
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Worker processes; default one per core.", show_default=False)
]
Html = Annotated[Path | None, typer.Option("--html", help="Write the HTML report here.")]
Markdown = Annotated[Path | None, typer.Option("--markdown", help="Write a Markdown postmortem here.")]
Sarif = Annotated[Path | None, typer.Option("--sarif", help="Write SARIF 2.1.0 here.")]
Junit = Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML here.")]
Embed = Annotated[Path | None, typer.Option("--embed", help="Write an HTML fragment for a wiki here.")]
Assets = Annotated[Path | None, typer.Option("--assets", help="Write each figure as SVG and PNG into this directory.")]
Redact = Annotated[
    list[str] | None, typer.Option("--redact", metavar="REGEX", help="Mask this in every output; may be repeated.")
]
BaselineRun = Annotated[
    str | None, typer.Option("--baseline-run", metavar="RUN", help="Set every other run beside this one.")
]
FollowLinks = Annotated[
    bool, typer.Option("--follow-links", help="Read what links that lead out of the paths point at.")
]
TimeLimit = Annotated[
    float, typer.Option("--time-limit", min=1, help="Seconds for one run, and one more for each 4 MB.")
]
MemoryLimit = Annotated[int, typer.Option("--memory-limit", min=64, help="MB for one run in a worker.")]
ShowSecrets = Annotated[bool, typer.Option("--show-secrets", help="Do not mask what looks like a credential.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks.")]


def _version(show: bool) -> None:
    if show:
        from curvedoc.core.version import __version__

        typer.echo(f"curvedoc {__version__}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
]
