"""Shards over worker processes; one that crashes, hangs or eats memory costs its run and no other."""

from __future__ import annotations

import functools
import pickle
import signal
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from threading import Thread
from typing import TYPE_CHECKING, cast

from curvedoc.core.diagnosis import Unreadable
from curvedoc.core.errors import CurvedocError
from curvedoc.triage.run.fork_server import quiet_start, warm_up
from curvedoc.triage.run.limits import Limits
from curvedoc.triage.run.shard import Shard, Task, WorkContext
from curvedoc.triage.run.worker import serve
from curvedoc.triage.store.outcome import Outcome

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

#: A worker imports polars and compiles the rules first; on a cold disk under load that takes a while.
_START_SECONDS = 120.0
#: Workers to be started on a guess.
_EARLY = 8
#: Workers that die before they are ready, in a row, after which starting more makes no sense.
_FALSE_STARTS = 3


class NoWorkers(CurvedocError):
    """Worker processes cannot be started here."""


@dataclass(slots=True, eq=False)
class _Worker:
    process: BaseProcess
    pipe: Connection
    deadline: float
    seconds: float  # that it may take for a run of its shard
    ready: bool = False
    shard: Shard | None = None
    left: dict[int, Task] = field(default_factory=dict)
    at: int | None = None  # the task it is at, None while it reads


class Pool:
    """Workers that are started before it is known what there is to do; those that `run_pool` took it stops itself."""

    def __init__(self, context: WorkContext, limits: Limits) -> None:
        self.context, self.limits = context, limits
        self._workers: list[_Worker] = []
        self._thread: Thread | None = None

    def start(self, count: int) -> None:
        """Have so many of them get ready, a few at most; `run_pool` starts the others, and tells where none starts.

        By a thread, since the process that they are forked from may still be importing. Until `wait` nothing else is
        to start a process.
        """
        self._thread = Thread(target=self._start, args=(min(count, _EARLY),), daemon=True)
        self._thread.start()

    def _start(self, count: int) -> None:
        try:
            while len(self._workers) < count:
                self._workers.append(_start(self.context, self.limits))
        except (OSError, ValueError, EOFError):
            return

    def wait(self) -> None:
        """Return when all are started that can be."""
        if self._thread is not None:
            self._thread.join()

    def take(self) -> list[_Worker]:
        """All of them, which are no longer its own."""
        self.wait()
        taken, self._workers = self._workers, []
        return taken

    def stop(self) -> None:
        """End those that were not needed."""
        for w in self.take():
            _stop(w)


def run_pool(
    shards: Sequence[Shard], context: WorkContext, jobs: int, limits: Limits | None = None, pool: Pool | None = None
) -> Iterator[tuple[int, Outcome]]:
    """(index, outcome) of every task, as they come. A run that took its worker down has its reason in `unreadable`.

    pool: workers that were started with the same context and limits
    Raises NoWorkers before the first outcome where no process can be started; closing the iterator stops all workers.
    """
    limits = limits or Limits()
    todo = deque(shards)
    workers = [] if pool is None else pool.take()
    false_starts = 0
    try:
        while todo or any(w.shard for w in workers):
            busy = sum(w.shard is not None for w in workers)
            while len(workers) < jobs and len(workers) - busy < len(todo):
                try:
                    workers.append(_start(context, limits))
                except (OSError, EOFError) as e:  # killed before it had all that it is told
                    false_starts += 1
                    if false_starts >= _FALSE_STARTS:
                        raise _none(str(e)) from e
            for w in workers:
                if w.ready and w.shard is None and todo:
                    _give(w, todo.popleft(), limits)
            for w in _waiting(workers):
                lost = _overdue(w)
                if not lost:
                    try:
                        yield from _hear(w)
                        continue
                    except (EOFError, OSError):
                        lost = _death(w)
                workers.remove(w)
                _stop(w)
                if not w.ready:
                    false_starts += 1
                    if false_starts >= _FALSE_STARTS:
                        raise _none(lost)
                    continue
                false_starts = 0
                culprit, rest = _blame(w)
                todo.extendleft(rest)
                if culprit is not None:
                    yield culprit.index, Outcome((), (Unreadable(culprit.bundle.name, _told(lost, w, limits)),))
    finally:
        for w in workers:
            _stop(w)


def _none(lost: str) -> NoWorkers:
    return NoWorkers(f"worker processes cannot be started: {lost}", "", "use --jobs 1")


def _processes(context: WorkContext) -> BaseContext:
    from multiprocessing import get_context

    # a caller of analyze() may have use of its own for the one such server that a process can have
    return get_context("forkserver" if context.slim and warm_up() else "spawn")


@functools.lru_cache(maxsize=1)  # packed once for all workers
def _packed(context: WorkContext) -> bytes:
    return pickle.dumps(context)


def _start(context: WorkContext, limits: Limits) -> _Worker:
    processes = _processes(context)
    ours, theirs = processes.Pipe()
    told = theirs, _packed(context), limits.memory
    process = cast("BaseProcess", processes.Process(target=serve, args=told, daemon=True))  # type: ignore[attr-defined]
    with quiet_start():
        process.start()
    theirs.close()
    return _Worker(process, ours, time.monotonic() + _START_SECONDS, limits.seconds)


def _give(w: _Worker, shard: Shard, limits: Limits) -> None:
    w.shard, w.left, w.at = shard, {t.index: t for t in shard.tasks}, None
    w.seconds = limits.seconds_of(t.bundle for t in shard.tasks)
    w.deadline = time.monotonic() + w.seconds
    try:
        w.pipe.send(shard)
    except OSError:
        return  # it died while idle: the next look at it tells, and the shard is given to another


def _waiting(workers: Sequence[_Worker]) -> list[_Worker]:
    """The workers that say something, died or are overdue; waits for the first such."""
    from multiprocessing import connection

    soonest = min((w.deadline for w in workers if w.shard or not w.ready), default=time.monotonic() + 1.0)
    heard = set(connection.wait([w.pipe for w in workers], max(0.0, min(1.0, soonest - time.monotonic()))))
    return [w for w in workers if w.pipe in heard or _overdue(w)]


def _overdue(w: _Worker) -> str:
    late = (w.shard is not None or not w.ready) and time.monotonic() > w.deadline
    # a message that waits was sent in time: the parent was slow, not the worker
    return "time" if late and not w.pipe.poll() else ""


def _hear(w: _Worker) -> Iterator[tuple[int, Outcome]]:
    """Take one message of a worker. Raises EOFError or OSError where it is gone."""
    message = w.pipe.recv()
    w.deadline = time.monotonic() + w.seconds
    match message:
        case ("ready",):
            w.ready = True
        case ("at", index):
            w.at = index
        case ("done", index, outcome, following):
            w.left.pop(index, None)
            w.at = following
            yield index, outcome
        case ("idle",):
            w.shard, w.left, w.at = None, {}, None


def _death(w: _Worker) -> str:
    w.process.join(5.0)
    code = w.process.exitcode
    if code is not None and code < 0:
        try:
            return f"signal {signal.Signals(-code).name}"
        except ValueError:
            return f"signal {-code}"
    return f"exit code {code}"


def _blame(w: _Worker) -> tuple[Task | None, list[Shard]]:
    """The run that took a worker down, where that is known, and what is still to be done.

    While many are read together nobody knows which it was: each is tried by itself.
    """
    if w.shard is None or not w.left:
        return None, []
    left = list(w.left.values())
    if w.at is not None:
        culprit: Task | None = w.left[w.at]
    else:
        culprit = left[0] if len(w.shard.tasks) == 1 or w.shard.together else None
    rest = [t for t in left if t is not culprit]
    if w.shard.together:  # what comparing repeats would have added is lost with its group, not the runs themselves
        return None, []
    if culprit is not None and rest:
        return culprit, [Shard(tuple(rest))]
    return culprit, [Shard((t,)) for t in rest]


def _told(lost: str, w: _Worker, limits: Limits) -> str:
    doing = "diagnosing" if w.at is not None else "reading"
    if lost == "time":
        return f"{doing} it took longer than {w.seconds:.0f} s (--time-limit)"
    if lost in ("signal SIGKILL", "signal SIGABRT"):
        return f"{doing} it ended a worker ({lost}): it may need more than {limits.memory >> 20:,} MB (--memory-limit)"
    return f"{doing} it crashed a worker ({lost})"


def _stop(w: _Worker) -> None:
    w.pipe.close()
    w.process.kill()
    w.process.join(5.0)
    if not w.process.is_alive():  # on a machine that starves it, a killed process may take longer to go
        w.process.close()
