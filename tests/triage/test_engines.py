"""Triage over dask: the local pool's answer, with workers that are killed and runs that kill them."""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from curvedoc.cli.app import app
from curvedoc.core.errors import UsageError
from curvedoc.options import Options
from curvedoc.report.exchange.json_document import to_json
from curvedoc.triage import Limits, SweepOptions, sweep
from curvedoc.triage.engines.choice import Engine, engine_of
from curvedoc.triage.engines.dask import EngineLost
from curvedoc.triage.engines.workers import workers_watched
from curvedoc.triage.store.outcomes import Store

try:
    from curvedoc.triage.engines.dask_worker import Setup
except ImportError:
    Setup = object  # type: ignore[assignment,misc]
    HAS_DASK = False
else:
    HAS_DASK = True

needs_dask = pytest.mark.skipif(not HAS_DASK, reason="dask.distributed is not installed (curvedoc[dask])")
#: Few rules make a call quick; what is tested here is not what they find.
QUICK = Options(select=("nan-sudden", "nan-after-blowup", "divergence", "irreproducible"))
LIMITS = Limits(5.0, 1 << 30)


def log(folder: Path, nan: bool, seed: int) -> None:
    """A run of 60 steps in a folder of its own, every second one repeated under another name."""
    folder.mkdir(parents=True)
    noise = np.random.default_rng(seed).standard_normal(60)
    values = [2.3 * math.exp(-i / 15) + 0.2 + 0.02 * float(noise[i]) for i in range(60)]
    rows = [{"step": i, "loss": math.nan if nan and i >= 30 else v, "lr": 1e-3} for i, v in enumerate(values)]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    (folder / "config.json").write_text(json.dumps({"lr": 1e-3, "seed": seed // 2}))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    for i in range(16):
        log(root / f"run{i}", i % 3 == 0, i)
    return root


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    made = engine_of("dask", 2)
    assert made is not None
    yield made
    made.close()


class Deadly(Setup):  # type: ignore[misc,unused-ignore]
    """Workers that die each time of a run by the name of "deadly"."""

    def setup(self, worker: Any) -> None:
        import curvedoc.triage.engines.dask_worker as module

        whole = module.work
        if getattr(whole, "deadly", False):
            return

        def work(shard: Any, context: Any) -> Iterator[Any]:
            for task, outcome in whole(shard, context):
                if outcome is None and "deadly" in task.bundle.name:
                    os.kill(os.getpid(), signal.SIGKILL)
                yield task, outcome

        work.deadly = True  # type: ignore[attr-defined]
        module.work = work


@needs_dask
def test_dask_finds_what_the_pool_finds_though_a_worker_is_killed_in_the_middle(
    tree: Path, engine: Engine, tmp_path: Path
) -> None:
    killed: list[int] = []

    def kill(phase: str, done: int, of: int) -> None:
        if done >= 2 and not killed:
            worker = next(p for p in multiprocessing.active_children() if p.name.startswith("Dask"))
            assert worker.pid is not None
            os.kill(worker.pid, signal.SIGKILL)
            killed.append(worker.pid)

    alone = sweep([tree], QUICK)
    store = Store(tmp_path / "store")
    spread = sweep([tree], QUICK, SweepOptions(engine=engine, limits=LIMITS, store=store, progress=kill))
    assert killed
    assert to_json(spread.diagnosis) == to_json(alone.diagnosis)
    assert spread.done == spread.total == 16
    assert sweep([tree], QUICK, SweepOptions(store=store)).kept == 16


@needs_dask
def test_results_that_go_with_their_worker_before_they_are_fetched_are_made_again(
    tree: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    import distributed

    whole = distributed.as_completed
    killed: list[int] = []

    def late(futures: Any, **options: Any) -> Iterator[Any]:
        for future in whole(futures, **options):
            if not killed:
                (address,) = future.client.who_has([future])[future.key]
                killed.extend(future.client.run(os.getpid, workers=[address]).values())
                os.kill(killed[0], signal.SIGKILL)
                end = time.monotonic() + 20
                while future.status == "finished" and time.monotonic() < end:
                    time.sleep(0.001)
            yield future

    monkeypatch.setattr(distributed, "as_completed", late)
    spread = sweep([tree], QUICK, SweepOptions(engine=engine, limits=LIMITS))
    assert killed and spread.done == spread.total == 16
    assert to_json(spread.diagnosis) == to_json(sweep([tree], QUICK).diagnosis)


@needs_dask
def test_a_run_that_ends_its_worker_each_time_is_told_and_the_others_go_on(
    tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i, name in enumerate(("a", "b", "c", "deadly", "d", "e", "f", "g")):
        log(tmp_path / "t" / name, i == 0, i)
    monkeypatch.setattr("curvedoc.triage.engines.dask_worker.Setup", Deadly)
    done = sweep([tmp_path / "t"], QUICK, SweepOptions(engine=engine, limits=LIMITS))
    assert [r.run for r in done.diagnosis.runs] == ["a", "b", "c", "d", "e", "f", "g"]
    assert [(u.path, "ended three dask workers" in u.reason) for u in done.diagnosis.unreadable] == [("deadly", True)]
    assert done.done == done.total == 8


@needs_dask
def test_a_cluster_that_loses_all_workers_for_good_is_told_and_not_waited_for(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under load a killed worker may not be started again. The cluster is of this test alone: it stays empty."""
    import distributed

    from curvedoc.triage.engines import dask

    monkeypatch.setattr(dask, "workers_watched", partial(workers_watched, most=2.0))
    whole = distributed.as_completed

    def emptied(futures: Any, **options: Any) -> Any:
        futures[0].client.cluster.scale(0)
        return whole(futures, **options)

    engine = engine_of("dask", 1)
    assert engine is not None
    try:
        with monkeypatch.context() as patched:
            patched.setattr(distributed, "as_completed", emptied)
            with pytest.raises(EngineLost, match="no worker for"):
                sweep([tree], QUICK, SweepOptions(engine=engine, limits=LIMITS))
        # and the next call on the same empty cluster hears it before it has given out any work
        with pytest.raises(EngineLost, match="no worker for"):
            sweep([tree], QUICK, SweepOptions(engine=engine, limits=LIMITS))
    finally:
        engine.close()


@needs_dask
def test_a_worker_that_is_looked_for_while_it_comes_back_is_not_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """dask looks once whether a killed worker is back, and closes its nanny where it was killed again just then."""
    import dask

    monkeypatch.setattr("curvedoc.triage.engines.dask.workers_watched", partial(workers_watched, most=30.0))
    monkeypatch.setattr("curvedoc.triage.engines.dask_worker.Setup", Deadly)
    for i, name in enumerate(("deadly", "a", "b")):
        log(tmp_path / "t" / name, i == 0, i)
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1ms"}):
        engine = engine_of("dask", 1)
        assert engine is not None
        try:
            done = sweep([tmp_path / "t"], QUICK, SweepOptions(engine=engine, limits=LIMITS))
        finally:
            engine.close()
    assert [r.run for r in done.diagnosis.runs] == ["a", "b"]


@needs_dask
def test_ctrl_c_leaves_what_dask_had_finished(tree: Path, engine: Engine, tmp_path: Path) -> None:
    def stop(phase: str, done: int, of: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    store = Store(tmp_path / "store")
    cut = sweep([tree], QUICK, SweepOptions(engine=engine, limits=LIMITS, store=store, progress=stop))
    assert cut.interrupted and cut.done == 5 and len(cut.diagnosis.runs) == 5
    rest = sweep([tree], QUICK, SweepOptions(engine=engine, limits=LIMITS, store=store))
    assert not rest.interrupted and rest.kept >= 5 and rest.done == 16
    assert to_json(rest.diagnosis) == to_json(sweep([tree], QUICK).diagnosis)


@needs_dask
def test_a_scheduler_that_runs_already_takes_the_work(tree: Path, engine: Engine) -> None:
    sweep([tree], QUICK, SweepOptions(engine=engine, limits=LIMITS))
    address = engine._client.scheduler.address  # type: ignore[attr-defined]
    other = engine_of(f"dask:{address}", 1)
    assert other is not None
    try:
        spread = sweep([tree], QUICK, SweepOptions(engine=other))
        assert 1 <= other.jobs <= 2  # a killed worker may be on its way back
    finally:
        other.close()
    assert to_json(spread.diagnosis) == to_json(sweep([tree], QUICK).diagnosis)


@needs_dask
def test_a_run_that_takes_too_long_ends_its_worker() -> None:
    code = """
import time
import curvedoc.triage.engines.dask_worker as module
module.work = lambda shard, context: [(None, None), time.sleep(60)]
list(module._watched(None, None, 0.3))
"""
    done = subprocess.run([sys.executable, "-c", code], timeout=30, check=False)
    assert done.returncode == 1


@needs_dask
def test_a_cluster_without_curvedoc_is_told_and_no_run_blamed(tree: Path, tmp_path: Path) -> None:
    code = """
import sys
if __name__ == "__main__":
    from distributed import LocalCluster
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0")
    print(cluster.scheduler_address if "://" in cluster.scheduler_address else "", flush=True)
    sys.stdin.read()
"""
    bare = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"PYTHONPATH": str(tmp_path / "hidden")}
    (tmp_path / "hidden" / "curvedoc").mkdir(parents=True)
    (tmp_path / "hidden" / "curvedoc" / "__init__.py").write_text("raise ImportError('another curvedoc')")
    code = code.replace("processes=False", "processes=False, protocol='tcp', host='127.0.0.1'")
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, env=bare, cwd=tmp_path,
    ) as cluster:  # fmt: skip
        assert cluster.stdout is not None and cluster.stdin is not None
        made = engine_of(f"dask:{cluster.stdout.readline().strip()}", 1)
        assert made is not None
        try:
            with pytest.raises(EngineLost, match="another curvedoc") as error:
                sweep([tree], QUICK, SweepOptions(engine=made))
        finally:
            made.close()
            cluster.stdin.close()
    assert "install the same curvedoc" in error.value.hint


def test_without_dask_the_error_names_the_extra(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = CliRunner().invoke(app, ["triage", str(tree), "--engine", "dask", "--no-cache"])
    assert result.exit_code == 2
    assert "pip install 'curvedoc[dask]'" in result.output


@needs_dask
def test_a_scheduler_that_is_not_there_is_told(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curvedoc.triage.engines.dask._CONNECT_SECONDS", 0.3)
    for address in ("tcp://127.0.0.1:9", str(tmp_path / "none.json")):
        made = engine_of(f"dask:{address}", 1)
        with pytest.raises(UsageError, match=r"no dask scheduler answers|no such scheduler file"):
            sweep([tree], QUICK, SweepOptions(engine=made))


def test_an_engine_of_another_name_is_refused() -> None:
    with pytest.raises(UsageError, match="no engine 'ray'"):
        engine_of("ray", 1)
    assert engine_of("local", 1) is None
