"""How the first word of a command line is taken: for a command, or for a path; and how a command says what it takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from typer.core import TyperCommand, TyperGroup


class Commands(TyperGroup):
    """The commands by name; a path where a command should stand is analyzed, since that is what was meant."""

    # typer brings its own click or takes the one that is installed: neither can be named as the type
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first word names, with the rest."""
        if args and self.get_command(ctx, args[0]) is None and Path(args[0]).exists():
            return super().resolve_command(ctx, ["analyze", *args])
        return super().resolve_command(ctx, args)


class UsageCommand(TyperCommand):
    """A command whose usage reads as in a manual: PATHS... for what must be given, [PATHS]... for what may be."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words after the name of the command."""
        pieces = super().collect_usage_pieces(ctx)
        return [p.upper().replace("{", "").replace("}", "") for p in pieces]
