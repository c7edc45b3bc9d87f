"""Commands that write a file to begin with: new-rule, new-cause, new-reader."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from curvedoc.cli.settings.arguments import Debug


def new_rule(
    id_: Annotated[str, typer.Argument(metavar="ID", help="The symptom's id: loss-rises-at-night.")],
    folder: Annotated[Path, typer.Option("--dir", help="Where to write ID.yaml.")] = Path("rules/mine"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file, replace a shipped rule.")] = False,
    debug: Debug = False,
) -> None:
    """Write the skeleton of a rule, with a comment on each key and cases that hold."""
    from curvedoc.cli.exits import reported_errors

    with reported_errors(debug):
        from curvedoc.cli.skeletons.new_files import new_rule as begin

        begin(id_, folder, force)


def new_cause(
    id_: Annotated[str, typer.Argument(metavar="ID", help="The cause's id: rate-too-high.")],
    folder: Annotated[Path, typer.Option("--dir", help="Where to write ID.yaml.")] = Path("rules/causes"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.")] = False,
    debug: Debug = False,
) -> None:
    """Write the skeleton of a cause, with a comment on each key."""
    from curvedoc.cli.exits import reported_errors

    with reported_errors(debug):
        from curvedoc.cli.skeletons.new_files import new_cause as begin

        begin(id_, folder, force)


def new_reader(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The format's name: my_trainer.")],
    folder: Annotated[Path, typer.Option("--dir", help="Where to write NAME.py.")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.")] = False,
    debug: Debug = False,
) -> None:
    """Write the skeleton of a reader for another log format."""
    from curvedoc.cli.exits import reported_errors

    with reported_errors(debug):
        from curvedoc.cli.skeletons.new_files import new_reader as begin

        begin(name, folder, force)
