"""What SECURITY.md promises of `--engine dask`: who may run code where."""

from __future__ import annotations

import importlib.util
import json
import pickle
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from curvedoc.ingest.find.plan import plan
from curvedoc.triage.engines.dask import DaskEngine
from curvedoc.triage.run.limits import Limits
from curvedoc.triage.run.shard import Shard, Task

needs_dask = pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="dask is not installed")


@needs_dask
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_of_our_own_listens_on_the_loopback_alone() -> None:
    engine = DaskEngine("", 1)
    try:
        client = engine._connected(Limits())
        info = client.scheduler_info(n_workers=-1)
        places = [info["address"], *info["workers"], *(w["nanny"] for w in info["workers"].values())]
        assert {urlsplit(place).hostname for place in places} == {"127.0.0.1"}
        assert all(place is None or "127.0.0.1" in place for place in [client.dashboard_link])
    finally:
        engine.close()


def test_dask_is_not_imported_unless_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text("".join(json.dumps({"step": i, "loss": 5 - i / 50}) + "\n" for i in range(60)))
    code = (
        "import sys; from curvedoc.pipeline import analyze; analyze(sys.argv[1]);"
        "assert not {'dask', 'distributed'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=300)


def test_what_is_sent_to_a_worker_holds_nothing_of_a_log(tmp_path: Path) -> None:
    rows = [{"step": i, "loss": 5 - i / 50, "note": "canary-in-the-log"} for i in range(60)]
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    bundles = plan([tmp_path]).bundles
    shard = Shard(tuple(Task(i, b) for i, b in enumerate(bundles)))
    assert bundles and b"canary" not in pickle.dumps(shard)
