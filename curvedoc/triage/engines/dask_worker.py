"""What runs in the processes of dask workers; imported only where dask is installed."""

from __future__ import annotations

import faulthandler
import os
from collections.abc import Iterator
from dataclasses import replace

from distributed import get_worker
from distributed.diagnostics.plugin import WorkerPlugin

from curvedoc.triage.run.shard import Shard, Task, WorkContext, work
from curvedoc.triage.store.outcome import Outcome


class Setup(WorkerPlugin):  # type: ignore[misc,unused-ignore]
    """A worker plugin that holds the kit: sent once to each worker, also to those that join or come back later.

    seconds: a run that takes longer ends its worker; 0 on workers that belong to somebody else
    """

    def __init__(self, context: WorkContext, seconds: float = 0.0) -> None:
        self.context, self.seconds = context, seconds


def on_worker(name: str, shard: Shard) -> list[tuple[int, Outcome]]:
    """What a worker does with a shard: the rows of every run, with one small curve each."""
    held: Setup = get_worker().plugins[name]
    return list(diagnosed(shard, held.context, held.seconds))


def diagnosed(shard: Shard, context: WorkContext, seconds: float) -> Iterator[tuple[int, Outcome]]:
    """(index, outcome) of each task; outcomes are kept only where the caller's folder for them is to be seen."""
    if context.store is not None and not context.store.folder.is_dir():
        context = replace(context, store=None)
    for task, outcome in _watched(shard, context, seconds):
        yield task.index, outcome


def _watched(shard: Shard, context: WorkContext, seconds: float) -> Iterator[tuple[Task, Outcome]]:
    """`work`, with a watch on every run that not even a loop inside a library can hold up."""
    if not seconds:
        yield from ((task, outcome) for task, outcome in work(shard, context) if outcome is not None)
        return
    with open(os.devnull, "w") as sink:  # noqa: PTH123
        try:
            faulthandler.dump_traceback_later(seconds, exit=True, file=sink)
            for task, outcome in work(shard, context):
                faulthandler.dump_traceback_later(seconds, exit=True, file=sink)
                if outcome is not None:
                    yield task, outcome
        finally:
            faulthandler.cancel_dump_traceback_later()
