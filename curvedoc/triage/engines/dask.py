"""Shards over dask.distributed: an existing scheduler, or a cluster of this machine's cores for the one call.

A shard whose worker is lost is tried again run by run; a run whose worker is lost again is tried with nothing beside it
in flight; one that ends its worker even so is told as unreadable, and no other run with it.
"""

from __future__ import annotations

import logging
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from curvedoc.core.diagnosis import Unreadable
from curvedoc.core.errors import CurvedocError, UsageError
from curvedoc.triage.engines.workers import WORKERS_SECONDS, workers_watched
from curvedoc.triage.run.interrupts import ctrl_c_later
from curvedoc.triage.run.limits import Limits
from curvedoc.triage.run.shard import Shard, WorkContext
from curvedoc.triage.store.outcome import Outcome

#: A scheduler that does not answer in this time is not there.
_CONNECT_SECONDS = 20.0
#: One thread each: the parallelism is over runs.
_ENVIRONMENT = {
    name: "1" for name in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
}
#: For how long a killed worker may be on its way back. dask looks once, after 15 s of its own: a worker that was
#: killed again just then is taken for lost, its nanny is closed, and the cluster shrinks until nobody is left to work.
_COMES_BACK = {"distributed.deploy.lost-worker-timeout": "1 day"}
#: Shards that failed, each with what was raised; "" where its worker was lost.
Lost = dict[Shard, str]
_INSTALL = "pip install 'curvedoc[dask]'"


class EngineLost(CurvedocError):
    """The scheduler or its workers went away, or cannot do this work."""


class DaskEngine:
    """The engine `dask`. address: of a scheduler, or its .json file; "" for a cluster of `jobs` processes here."""

    def __init__(self, address: str, jobs: int) -> None:
        self.address = address
        self._jobs = jobs
        self._stack = ExitStack()
        self._client: Any = None

    @property
    def jobs(self) -> int:
        """Processes of the own cluster, or threads of all workers of the scheduler."""
        if not self.address:
            return self._jobs
        info = self._connected(Limits()).scheduler_info(n_workers=-1)
        return max(1, int(sum(w["nthreads"] for w in info["workers"].values())))

    def close(self) -> None:
        """Leave the scheduler; stop the own cluster."""
        self._client = None
        self._stack.close()

    def run(self, shards: Sequence[Shard], context: WorkContext, limits: Limits) -> Iterator[tuple[int, Outcome]]:
        """As `Engine.run`. Raises UsageError where dask or the scheduler is absent, EngineLost where it went away."""
        if not shards:
            return
        client = self._connected(limits)
        from curvedoc.triage.engines.dask_worker import Setup

        if context.store is not None:
            context.store.folder.mkdir(parents=True, exist_ok=True)
        name = f"curvedoc-{uuid.uuid4().hex}"
        _register(client, Setup(context, 0.0 if self.address else limits.seconds), name)
        try:
            _prove(client, name)
            lost: Lost = {}
            yield from _map(client, name, shards, lost)
            # what comparing repeats would have added is lost with its group, not the runs themselves
            alone = [Shard((t,)) for s in lost if not s.together for t in s.tasks]
            suspects: Lost = {}
            yield from _map(client, name, alone, suspects)
            for suspect in suspects:
                guilty: Lost = {}
                yield from _map(client, name, [suspect], guilty)
                for shard, raised in guilty.items():
                    run = shard.tasks[0]
                    yield run.index, Outcome((), (Unreadable(run.bundle.name, raised or self._told(limits)),))
        finally:
            _unregister(client, name)

    def _told(self, limits: Limits) -> str:
        if self.address:
            return "it ended every dask worker that took it, at last with nothing beside it"
        return (
            f"it ended three dask workers: it crashes them, takes longer than {limits.seconds:g} s (--time-limit) "
            f"or needs more than {limits.memory >> 20:,} MB (--memory-limit)"
        )

    def _connected(self, limits: Limits) -> Any:
        if self._client is None:
            try:
                import distributed  # noqa: F401
            except ImportError as e:
                raise UsageError("dask.distributed is not installed", "--engine dask", _INSTALL) from e
            self._client = self._join() if self.address else self._start(limits)
        return self._client

    def _join(self) -> Any:
        from distributed import Client

        file = self.address.endswith(".json")
        if file and not Path(self.address).is_file():
            raise UsageError("no such scheduler file", self.address)
        place = {"scheduler_file": self.address} if file else {"address": self.address}
        try:
            client = self._stack.enter_context(Client(**place, timeout=_CONNECT_SECONDS, set_as_default=False))
        except (OSError, ValueError, TimeoutError) as e:
            hint = "give HOST:PORT of a running scheduler, or --engine dask for a cluster of this machine"
            raise UsageError(f"no dask scheduler answers: {str(e)[:200]}", f"dask:{self.address}", hint) from e
        try:
            client.wait_for_workers(1, timeout=WORKERS_SECONDS)
        except TimeoutError as e:
            raise EngineLost("the scheduler has no worker", f"dask:{self.address}", "start dask worker there") from e
        return client

    def _start(self, limits: Limits) -> Any:
        import dask
        from distributed import Client, LocalCluster

        self._stack.enter_context(dask.config.set(_COMES_BACK))
        folder = self._stack.enter_context(
            tempfile.TemporaryDirectory(prefix="curvedoc-dask-", ignore_cleanup_errors=True)
        )
        try:
            with ctrl_c_later():
                cluster = LocalCluster(
                    n_workers=self._jobs, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL + 1, memory_limit=limits.memory, local_directory=folder,
                    env=_ENVIRONMENT, scheduler_kwargs={"allowed_failures": 0},
                )  # fmt: skip
        except (OSError, RuntimeError, TimeoutError) as e:
            raise EngineLost(f"a dask cluster cannot be started here: {str(e)[:200]}", "", "use --engine local") from e
        self._stack.enter_context(cluster)
        return self._stack.enter_context(Client(cluster, set_as_default=False))


def _register(client: Any, held: Any, name: str) -> None:
    try:
        client.register_plugin(held, name=name)
    except Exception as e:  # whatever the other side raises while it loads: it cannot do this work, and that is told
        hint = "install the same curvedoc and Python for the scheduler and its workers"
        raise EngineLost(f"the dask workers cannot load curvedoc: {_cause(e)}", "", hint) from e


def _unregister(client: Any, name: str) -> None:
    try:
        client.unregister_worker_plugin(name)
    except (OSError, KeyError, ValueError, TimeoutError, RuntimeError):
        return  # the scheduler is gone, and the plugin with it


def _prove(client: Any, name: str) -> None:
    """Have nothing done once: what is wrong with the other side as a whole must not be told as a fault of every run.

    Raises EngineLost.
    """
    from distributed import CancelledError, KilledWorker

    from curvedoc.triage.engines.dask_worker import on_worker

    future = client.submit(on_worker, name, Shard(()), pure=False)
    try:
        with workers_watched(client, [future]) as gone:
            future.result()
    except KilledWorker:
        return  # a worker that goes away just now says nothing of the others
    except (CancelledError, Exception) as e:  # whatever the other side raises, also while it unpacks the call
        if gone:
            raise _without_workers(gone[0]) from e
        hint = "install the same curvedoc and Python for the scheduler and its workers"
        raise EngineLost(f"dask cannot run curvedoc: {_cause(e)}", "", hint) from e
    finally:
        future.release()


def _without_workers(seconds: float) -> EngineLost:
    return EngineLost(f"dask had no worker for {seconds:.0f} s", "", "the same command goes on from there")


def _cause(error: BaseException) -> str:
    """The first error of a chain, in a line."""
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {error}"[:300]


def _map(client: Any, name: str, shards: Sequence[Shard], lost: Lost) -> Iterator[tuple[int, Outcome]]:
    """The outcomes of these shards as they come; those that failed are put into `lost`."""
    if not shards:
        return
    from distributed import as_completed

    from curvedoc.triage.engines.dask_worker import on_worker

    futures = {client.submit(on_worker, name, s, pure=False): s for s in shards}
    try:
        with workers_watched(client, futures) as gone:
            for future in as_completed(list(futures), loop=client.loop, raise_errors=False):
                if gone:
                    raise _without_workers(gone[0])
                shard = futures.pop(future)
                gave, raised = _result(future)
                if raised is None:
                    yield from gave
                else:
                    lost[shard] = raised
                future.release()
    finally:
        client.cancel(list(futures))


def _result(future: Any) -> tuple[list[tuple[int, Outcome]], str | None]:
    """What a shard that was done gave, or why it failed ("" where its worker was lost).

    A result that goes with its worker before it was fetched is made again, and waited for. Raises EngineLost.
    """
    from distributed import CancelledError, KilledWorker

    try:
        return future.result(), None
    except KilledWorker:
        return [], ""
    except (CancelledError, Exception) as e:  # whatever the other side raised: it is told of the run or of the engine
        if future.status != "error":
            raise EngineLost("the dask scheduler went away", "", "the same command goes on from there") from e
        return [], f"it could not be done: {_cause(e)}"
