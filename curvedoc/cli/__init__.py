"""The command line: the only place that prints or sets an exit code."""

from __future__ import annotations


def main() -> None:
    """Entry point of `curvedoc` and `python -m curvedoc`."""
    from curvedoc.cli.app import app

    app()
