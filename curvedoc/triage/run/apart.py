"""A call in a process of its own, which is ended where it takes more than it may."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from curvedoc.core.errors import CurvedocError, TooMuch
from curvedoc.triage.run.fork_server import quiet_start
from curvedoc.triage.run.limits import Limits
from curvedoc.triage.run.worker import limit

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

T = TypeVar("T")


def apart(call: Callable[..., T], given: Sequence[Any], limits: Limits) -> T:
    """What the call gives, worked out elsewhere: a function of a module, and arguments and a result that can be sent.

    Raises TooMuch where it took longer than `limits.seconds` or more than `limits.memory`, and what it raises itself.
    """
    from multiprocessing import get_context

    processes = get_context("spawn")
    ours, theirs = processes.Pipe(duplex=False)
    process = processes.Process(target=_answer, args=(theirs, limits.memory, call, tuple(given)), daemon=True)
    with quiet_start():
        process.start()
    theirs.close()
    try:
        if not ours.poll(limits.seconds):
            raise TooMuch(f"it took longer than {limits.seconds:g} s")
        answer = ours.recv()
    except EOFError:
        process.join()
        raise _memory(limits) from None
    finally:
        process.kill()
        process.join()
        ours.close()
    if isinstance(answer, MemoryError):
        raise _memory(limits)
    if isinstance(answer, Exception):
        raise answer
    return answer  # type: ignore[no-any-return]


def _memory(limits: Limits) -> TooMuch:
    return TooMuch(f"it ended early: it needs more than {limits.memory >> 20:,} MB")


def _answer(pipe: Connection, memory: int, call: Callable[..., Any], given: Sequence[Any]) -> None:
    # Ctrl-C goes to the whole group of processes; the parent decides what becomes of this one
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit(memory)
    try:
        answer = call(*given)
    except (CurvedocError, MemoryError) as error:
        answer = error
    pipe.send(answer)
