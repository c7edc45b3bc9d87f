"""What the commands share: kinds of arguments, and how they become options."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from curvedoc.cli.config import FileConfig
    from curvedoc.options import Options


class Format(StrEnum):
    """What stdout gets."""

    text = "text"
    json = "json"
    html = "html"
    markdown = "markdown"
    sarif = "sarif"
    junit = "junit"


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
    list[str] | None, typer.Option("--signal", metavar="ROLE=METRIC", help="Take this metric for that role.")
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
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks.")]


def signals_of(pairs: list[str] | None) -> dict[str, str]:
    """ROLE=METRIC pairs as a table. Raises UsageError."""
    from curvedoc.errors import UsageError

    out = {}
    for pair in pairs or []:
        role, sign, metric = pair.partition("=")
        if not sign or not role or not metric:
            raise UsageError(f"'{pair}' is not ROLE=METRIC", "--signal")
        out[role] = metric
    return out


def options_of(
    file: FileConfig,
    rules: list[Path] | None,
    select: list[str] | None,
    ignore: list[str] | None,
    set_: list[str] | None,
    sensitivity: float | None,
    signal: list[str] | None,
    siblings: bool,
) -> Options:
    """What the command line asks for, over what the configuration file says."""
    from curvedoc.options import Options

    return Options(
        rules=(*(Path(r) for r in file.rules), *(rules or [])),
        select=tuple(select or file.select),
        ignore=tuple(ignore or file.ignore),
        set=(*file.set, *(set_ or [])),
        sensitivity=file.sensitivity if sensitivity is None else sensitivity,
        signals={**file.signals, **signals_of(signal)},
        siblings=siblings,
    )
