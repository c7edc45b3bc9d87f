"""The command line: the only place that prints or sets an exit code."""

from __future__ import annotations

import gc
import sys

#: Nearly all that a call makes stays until its end; looks for garbage after each 700 objects took a tenth of its time.
_OBJECTS = 20_000


def main() -> None:
    """Entry point of `curvedoc` and `python -m curvedoc`."""
    gc.set_threshold(_OBJECTS, *gc.get_threshold()[1:])
    from curvedoc.cli.fast_path import plain, run

    call = plain(sys.argv[1:])
    if call is not None:
        run(call)
    else:
        from curvedoc.cli.app import app

        app()
