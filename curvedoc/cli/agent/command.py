"""The command that serves the tools for agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from curvedoc.cli.settings.arguments import Debug


def mcp(
    root: Annotated[
        list[Path] | None,
        typer.Option("--root", help="A folder whose runs may be asked about; default this one."),
    ] = None,
    skill: Annotated[bool, typer.Option("--skill", help="Print the skill file for agents instead.")] = False,
    debug: Debug = False,
) -> None:
    """Serve analyze, triage, explain, diff and facts as tools over the Model Context Protocol (stdin and stdout)."""
    from curvedoc.cli.exits import reported_errors

    with reported_errors(debug):
        if skill:
            from curvedoc.cli.agent.tools import SKILL

            print(SKILL.read_text(encoding="utf-8"), end="")
            return
        from curvedoc.cli.agent.server import serve

        serve(root or [])
