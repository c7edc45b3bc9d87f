"""The two standard streams, each behind one door: what a terminal would obey is shown and not sent to it.

A log may hold any text, and a metric name that carries an escape sequence must not write to the clipboard of whoever
runs `doctor`. Every view escapes what it quotes; this is the one place that all of it passes.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import Any, TextIO

from curvedoc.core.late_regex import late_regex

#: What may pass: line ends, tabs, colors (SGR) and the two that rewrite the progress line, which begins with its CR.
_FORBIDDEN = late_regex(
    r"\x1b(?!\[[0-9;]{0,20}m|\[K)|(?<=[\s\S])\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)


def visible_text(text: str) -> str:
    r"""The text with every control that a terminal would obey spelled out.

    >>> visible_text("a\x1b]52;c;ZXZpbA==\x07b \x1b[1mc") == "a\\x1b]52;c;ZXZpbA==\\x07b \x1b[1mc"
    True
    """
    return _FORBIDDEN.sub(lambda m: f"\\x{ord(m[0]):02x}" if ord(m[0]) < 256 else f"\\u{ord(m[0]):04x}", text)


class Door:
    """A text stream that passes on what is harmless; everything else is the stream's own.

    quiet: what cannot be written is dropped. A full or closed standard error must not change what a command does.
    """

    def __init__(self, stream: TextIO, quiet: bool, guarded: bool) -> None:
        self._stream, self._quiet, self._guarded = stream, quiet, guarded

    def write(self, text: str) -> int:
        """Write the text; the number of characters that were given. Raises OSError where not quiet.

        Ends the process where the reader went away (head, less): no error of ours, and Typer would make one of it.
        """
        try:
            self._stream.write(visible_text(text) if self._guarded else text)
        except BrokenPipeError:
            if not self._quiet:
                raise SystemExit(0) from None
        except (OSError, ValueError):
            if not self._quiet:
                raise
        return len(text)

    def flush(self) -> None:
        """Hand on what is held back. Raises OSError where not quiet."""
        try:
            self._stream.flush()
        except (OSError, ValueError):
            if not self._quiet:
                raise

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class ClosedStream:
    """Standard output of a process that was started without one: whoever writes there learns it."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        """Raises OSError."""
        raise OSError(errno.EBADF, "standard output is closed")

    @property
    def buffer(self) -> ClosedStream:
        """Itself: bytes cannot be written either."""
        return self

    def flush(self) -> None:
        """Nothing is held back."""

    def isatty(self) -> bool:
        """It is no terminal."""
        return False


def guard_streams() -> None:
    """Put both streams behind their doors. Files and pipes get standard output as it is, byte for byte."""
    out: Any = sys.stdout if sys.stdout is not None else ClosedStream()
    err: Any = sys.stderr if sys.stderr is not None else open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    sys.stdout = Door(out, quiet=False, guarded=out.isatty())
    sys.stderr = Door(err, quiet=True, guarded=True)


def finish() -> int | None:
    """Write out what standard output still holds: the errno of what prevented it, None where nothing did."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # the reader of our output went away (head, less): not an error of ours
        _to_nowhere()
    except OSError as error:
        _to_nowhere()
        return error.errno or errno.EIO
    return None


def _to_nowhere() -> None:
    """What the interpreter would flush at its end goes where it fails no more."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError:
        sys.stdout = None
