"""Exit codes, the same for every output format, and the one place that turns errors into them."""

from __future__ import annotations

import errno
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import NoReturn, TextIO

from curvedoc.cli.output.ctrl_c import was_pressed
from curvedoc.core.diagnosis import Diagnosis
from curvedoc.core.errors import CurvedocError, NothingToAnalyse


class Exit(IntEnum):
    """What the process tells its caller."""

    DONE = 0
    FINDINGS = 1  # at or above --fail-on
    USAGE = 2  # usage, configuration or rule-file error; an output that cannot be written
    INTERNAL = 3
    NOTHING = 4  # no run to analyze
    PARTIAL = 5  # some input unreadable, with --strict
    INTERRUPTED = 130


#: --fail-on: the severities that count, "failed" being the verdict's name for fatal and error. A run that ended early
#: counts as a warning.
FAIL_ON = {
    "never": (),
    "fatal": ("fatal",),
    "error": ("fatal", "error"),
    "failed": ("fatal", "error"),
    "warning": ("fatal", "error", "warning"),
    "note": ("fatal", "error", "warning", "note"),
}


def exit_code(d: Diagnosis, fail_on: str, strict: bool) -> Exit:
    """The exit code of a finished analysis."""
    severities = FAIL_ON[fail_on]
    if "warning" in severities and any(r.verdict == "ended-early" for r in d.runs):
        return Exit.FINDINGS
    if any(f.severity in severities for r in d.runs for f in r.findings if f.kind == "pathology" or fail_on == "note"):
        return Exit.FINDINGS
    damaged = any(
        n.kind in ("truncated", "damaged", "bad-checksum") for r in d.runs for s in r.sources for n in s.notes
    )
    return Exit.PARTIAL if strict and (d.unreadable or damaged) else Exit.DONE


#: What writing to a full, closed or broken standard stream fails with.
_OUTPUT_TROUBLE = (errno.ENOSPC, errno.EBADF, errno.EIO, errno.EFBIG, errno.EDQUOT)


def _show(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    sys.stderr.write(f"warning: {message}\n")


@contextmanager
def reported_errors(debug: bool = False) -> Iterator[None]:
    """Errors as one message on stderr and an exit code; tracebacks only with --debug."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show
            yield
    except CurvedocError as error:
        if debug:
            raise
        sys.stderr.write(f"error: {error}\n")
        raise SystemExit(Exit.NOTHING if isinstance(error, NothingToAnalyse) else Exit.USAGE) from error
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        raise SystemExit(Exit.INTERRUPTED) from None
    except BrokenPipeError:
        # the reader of our output went away (head, less): not an error of ours
        raise SystemExit(Exit.DONE) from None
    except OSError as error:
        if debug or error.errno not in _OUTPUT_TROUBLE or error.filename is not None:
            _internal(error, debug)
        sys.stderr.write(f"error: the output cannot be written: {error.strerror}\n")
        raise SystemExit(Exit.USAGE) from None
    except Exception as error:
        _internal(error, debug)


def _internal(error: Exception, debug: bool) -> NoReturn:
    if debug or _is_end(error):
        raise error
    if was_pressed():
        sys.stderr.write("interrupted\n")
        raise SystemExit(Exit.INTERRUPTED) from error
    sys.stderr.write(
        f"internal error: {type(error).__name__}: {str(error)[:500]}\nrerun with --debug for a traceback\n"
    )
    raise SystemExit(Exit.INTERNAL) from error


def _is_end(error: Exception) -> bool:
    """Whether this is Typer's own way to end a command; without Typer it is not."""
    typer = sys.modules.get("typer")
    return typer is not None and isinstance(error, (typer.Exit, typer.Abort))
