"""A worker process: takes shards, tells before each run what it is at, hands back what each gave."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curvedoc.triage.run.shard import WorkContext, work
from curvedoc.triage.store.outcome import Outcome

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

#: Objects made between two looks for unreachable ones: a run makes some thousands, and hardly any refers to itself.
_OBJECTS = 5000
#: Messages to the parent: ("ready",), ("at", index) with None while reading, ("done", index, outcome, index of the next
#: one that it is at or None), ("idle",).
Message = tuple[Any, ...]


def serve(pipe: Connection, packed: bytes, memory: int) -> None:
    """Work until None comes or the parent is gone.

    packed: a `WorkContext`; memory: bytes beyond those of the program itself, 0 for no limit
    """
    context: WorkContext = pickle.loads(packed)
    # Ctrl-C goes to the whole group of processes; the parent decides what becomes of its workers
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # what was imported and compiled stays to the end
    gc.set_threshold(_OBJECTS, *gc.get_threshold()[1:])
    gc.enable()
    try:
        limit(memory)
        pipe.send(("ready",))
        while (shard := pipe.recv()) is not None:
            pipe.send(("at", None))
            done: tuple[int, Outcome] | None = None
            for task, outcome in work(shard, context):
                if outcome is not None:
                    done = task.index, outcome
                    continue  # what comes next comes at once, and is told with it
                pipe.send(("at", task.index) if done is None else ("done", *done, task.index))
                done = None
            if done is not None:
                pipe.send(("done", *done, None))
            pipe.send(("idle",))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the parent is gone


def limit(memory: int) -> None:
    """Let this process grow by so many bytes and no more, where the platform can hold it to that (Linux)."""
    if not memory or not sys.platform.startswith("linux"):
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * os.sysconf("SC_PAGE_SIZE") + memory
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
