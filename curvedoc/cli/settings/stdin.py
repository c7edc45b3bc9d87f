"""A path of `-`: what is piped in, as a file for as long as the command works."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from curvedoc.core.errors import UsageError
from curvedoc.ingest.memory import spooled

_STDIN = Path("-")


@contextlib.contextmanager
def with_stdin(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The paths, `-` among them replaced by a file that holds standard input. Raises UsageError at a terminal."""
    if _STDIN not in paths:
        yield list(paths)
        return
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("nothing is piped in", "-", "python train.py | curvedoc analyze -")
    with tempfile.TemporaryDirectory(prefix="curvedoc-") as folder:
        file = spooled(sys.stdin.buffer, Path(folder) / "stdin")
        yield [file if p == _STDIN else p for p in paths]
