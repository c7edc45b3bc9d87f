"""Where the map over shards runs when not in the local pool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from curvedoc.core.errors import UsageError
from curvedoc.triage.engines.dask import DaskEngine
from curvedoc.triage.run.limits import Limits
from curvedoc.triage.run.shard import Shard, WorkContext
from curvedoc.triage.store.outcome import Outcome

__all__ = ["Engine", "engine_of"]


class Engine(Protocol):
    """Workers that take shards and hand back outcomes."""

    @property
    def jobs(self) -> int:
        """How many shards are worked on at once."""

    def run(self, shards: Sequence[Shard], context: WorkContext, limits: Limits) -> Iterator[tuple[int, Outcome]]:
        """(index, outcome) of every task, as they come; a run that cannot be done has its reason in `unreadable`."""

    def close(self) -> None:
        """Let go of what was started."""


def engine_of(name: str, jobs: int) -> Engine | None:
    """The engine of a name: None for "local" (the pool), "dask", "dask:HOST:PORT", "dask:SCHEDULER_FILE.json".

    Nothing is started or connected before it is used. Raises UsageError for another name.
    """
    kind, _, address = name.partition(":")
    if kind == "dask":
        return DaskEngine(address, jobs)
    if name == "local":
        return None
    raise UsageError(f"no engine '{name}'", "--engine", "local, dask or dask:ADDRESS of a scheduler")
