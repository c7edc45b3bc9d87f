"""The command line: the only place that prints or sets an exit code."""

from __future__ import annotations

import gc
import os
import sys

from curvedoc.cli.output.ctrl_c import listen

#: Nearly all that a call makes stays until its end; looks for garbage after each 700 objects took a tenth of its time.
_OBJECTS = 20_000
#: No matrix here is worth a second thread; the library's take a twentieth of a second to start, and their waiting
#: counts as work.
_ONE_THREAD = "OPENBLAS_NUM_THREADS"
#: What a shell expects of a command that Ctrl-C ended; `exits.Exit`, which has it too, may not be imported by then.
_INTERRUPTED = 130


def main() -> None:
    """Entry point of `curvedoc` and `python -m curvedoc`."""
    gc.set_threshold(_OBJECTS, *gc.get_threshold()[1:])
    os.environ.setdefault(_ONE_THREAD, "1")
    try:
        listen()
        _guarded()
    except KeyboardInterrupt:
        # while Python still imports; once a command runs, `exits` says it with what was done
        sys.stderr.write("interrupted\n")
        raise SystemExit(_INTERRUPTED) from None


def _guarded() -> None:
    from curvedoc.cli.output.streams import finish, guard_streams

    guard_streams()
    try:
        _run()
    finally:
        # before the interpreter's own last flush, which would end with exit code 120 and a backtrace
        trouble = finish()
        if trouble is not None:
            sys.stderr.write(f"error: the output cannot be written: {os.strerror(trouble)}\n")
            raise SystemExit(2)


def _run() -> None:
    from curvedoc.cli.fast_path import fast_arguments, run

    call = fast_arguments(sys.argv[1:])
    if call is not None:
        run(*call)
    else:
        from curvedoc.cli.app import app

        try:
            app()
        except OSError as error:
            # of --help and --version; the other commands tell it themselves
            if error.filename is not None or error.errno is None:
                raise
            sys.stderr.write(f"error: the output cannot be written: {error.strerror}\n")
            raise SystemExit(2) from None
