"""The Typer application; commands import what they need when they run, so that --help is instant."""

from __future__ import annotations

import typer

app = typer.Typer(name="curvedoc", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def root() -> None:
    """Offline diagnosis of training runs: what went wrong, where it began, why, and what to do next."""
