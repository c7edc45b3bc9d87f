"""A process that draws static pictures beside this one: half a second to get ready, a tenth for each."""

from __future__ import annotations

import signal
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection

from curvedoc.report.charts.static_svg import render
from curvedoc.triage.run.fork_server import quiet_start

#: Drawn once for what it makes ready.
_SMALLEST = '{"mark": "point", "data": {"values": []}}'


class PictureProcess:
    """Pictures begun here are drawn by another process, in order; where that fails, by this one when they are taken.

    It starts when it is first used, and ends when it is closed.
    """

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None
        self._stop: Callable[[], None] | None = None

    def warm(self) -> None:
        """Have it get ready while this process does something else."""
        if self._threads is not None:
            return
        # one thread that waits for one picture at a time: what is sent never fills a pipe that nobody reads
        self._threads = ThreadPoolExecutor(1)
        context = get_context("spawn")
        try:
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs,), daemon=True)
            with quiet_start():
                process.start()
        except (OSError, ValueError):  # no process can be started here
            return
        theirs.close()

        def stop() -> None:
            process.kill()
            process.join(5.0)

        self._pipe, self._stop = ours, stop
        self._threads.submit(self._ask, _SMALLEST)

    def begin(self, spec: str) -> Callable[[], str]:
        """Begin a picture; what gives it, waiting for it where it must."""
        self.warm()
        if self._threads is None or self._stop is None:
            return lambda: render(spec)
        asked = self._threads.submit(self._ask, spec)
        return lambda: _taken(asked, spec)

    def _ask(self, spec: str) -> str | None:
        self._pipe.send(spec)
        answer = self._pipe.recv()
        return answer if isinstance(answer, str) else None

    def close(self) -> None:
        """End the process; what was not taken is lost."""
        if self._stop is not None:
            self._stop()
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
        if self._stop is not None:
            self._pipe.close()
        self._threads = self._stop = None


def _taken(asked: Future[str | None], spec: str) -> str:
    try:
        found = asked.result()
    except (EOFError, OSError):
        found = None
    return render(spec) if found is None else found


def _serve(pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    try:
        while True:
            spec = pipe.recv()
            try:
                made: str | None = render(spec)
            except ValueError:  # the parent will see for itself
                made = None
            pipe.send(made)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the parent is gone
