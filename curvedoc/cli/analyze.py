"""`curvedoc analyze`: the work behind the command, its outputs and its progress line."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from curvedoc.cli.outputs import Outputs, prepared, render
from curvedoc.cli.settings.stdin import with_stdin
from curvedoc.core.diagnosis import Diagnosis
from curvedoc.core.errors import UsageError
from curvedoc.ingest.find.remote import title_of, url_of
from curvedoc.pipeline import Options, analyze

if TYPE_CHECKING:
    from curvedoc.triage import Limits

#: Work shorter than this needs no progress line.
SILENT_SECONDS = 0.5


class ProgressLine:
    """One rewritten line on stderr, on a terminal only, once the work has lasted a moment."""

    def __init__(self, quiet: bool) -> None:
        self._on = sys.stderr.isatty() and not quiet
        self._start = self._last = time.monotonic()
        self._shown = False

    def __call__(self, phase: str, done: int, of: int) -> None:
        """Show that `done` of `of` are done."""
        now = time.monotonic()
        if not self._on or now - self._start < SILENT_SECONDS or (now - self._last < 0.1 and done < of):
            return
        self._last, self._shown = now, True
        rate = done / (now - self._start)
        what = "files" if phase == "copy" else "runs"
        sys.stderr.write(
            f"\r{phase} {done:,} of {of:,} {what}, {rate:,.0f} a second, {(of - done) / rate:.0f} s left \x1b[K"
        )
        sys.stderr.flush()

    def close(self) -> None:
        """Clear the line."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def workers(jobs: int | None) -> int:
    """How many processes: as asked for, else one per core that this process may use."""
    if jobs is not None:
        return jobs
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(paths: list[Path], options: Options, out: Outputs, jobs: int = 1, limits: Limits | None = None) -> Diagnosis:
    """Analyze and write the outputs; `-` is standard input. limits: what one run may take in a worker process."""
    with with_stdin(paths) as places:
        return _run(places, options, out, jobs, limits)


def _run(paths: list[Path], options: Options, out: Outputs, jobs: int, limits: Limits | None) -> Diagnosis:
    for path in paths:
        if url_of(path) is None and not path.exists() and not any(c in str(path) for c in "*?["):
            from curvedoc.ingest.find.contents import absent

            what, hint = absent(path)
            raise UsageError(what, "", hint)
    from curvedoc.triage import Limits

    out = prepared(out, paths)
    progress = ProgressLine(out.quiet)
    try:
        d = analyze(paths, options, progress, jobs, limits or Limits())
    finally:
        progress.close()
    render(d, out, title_of(paths))
    return d
