"""The command line: the only place that prints or sets an exit code."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of `curvedoc` and `python -m curvedoc`."""
    from curvedoc.cli.plain import plain, run

    call = plain(sys.argv[1:])
    if call is not None:
        run(call)
    else:
        from curvedoc.cli.app import app

        app()
