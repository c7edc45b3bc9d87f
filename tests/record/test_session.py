"""A watched training leaves the right report however it ends; real processes end in each case."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import curvedoc
from benchmarks.record_cost import measured
from curvedoc.session import Session, is_first_process

TRAINING = """\
import curvedoc, os, signal, sys, time
with curvedoc.watching("out", {"max_steps": 200}, every=0.2) as watch:
    for i in range(200):
        loss = 2.3 * (1 + i / 10) ** -0.4 + 0.001 * ((i * 7919) % 13)
        watch.log(i, loss=loss, lr=0.1)
        if i == 120:
            ACT
"""
#: What the training does at step 120 -> (verdict, ending).
ENDS = {
    "pass": ("healthy", "finished"),
    "{}['a']": ("failed", "crash"),
    "os.kill(os.getpid(), signal.SIGKILL)": ("ended-early", "killed"),
    "os.kill(os.getpid(), signal.SIGTERM)": ("ended-early", "killed"),
    "os.kill(os.getpid(), signal.SIGINT)": ("ended-early", "by-hand"),
    "os.kill(os.getpid(), signal.SIGSEGV)": ("failed", "crash"),
    "os._exit(1)": ("ended-early", "killed"),
    "sys.exit(3)": ("failed", "crash"),
}


def awaited(file: Path, seconds: float = 60.0) -> dict[str, Any]:
    """The report of the one run, which a companion may still be writing."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if file.exists():
            (run,) = json.loads(file.read_text("utf-8"))["runs"]
            return dict(run)
        time.sleep(0.1)
    raise AssertionError(f"{file} was not written")


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("act", ENDS)
def test_every_end_leaves_its_report(act: str, tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", TRAINING.replace("ACT", act)], cwd=tmp_path, timeout=120, check=False,
        capture_output=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path))},
    )  # fmt: skip
    run = awaited(tmp_path / "out" / "curvedoc-report.json")
    assert (run["verdict"], run["ending"]["value"]) == ENDS[act], run["headline"]
    assert (tmp_path / "out" / "curvedoc-report.html").stat().st_size > 10_000
    assert run["config"]["max_steps"] == 200 and "python" in run["config"]


def test_a_fatal_finding_says_stop_while_it_runs(tmp_path: Path) -> None:
    with curvedoc.watching(tmp_path / "a", every=0.0) as watch:
        for i in range(60):
            watch.log(i, loss=2.3 * (1 + i / 10) ** -0.4)
        assert not watch.should_stop() and watch.look() == "healthy" and not watch.should_stop()
        for i in range(60, 80):
            watch.log(i, loss=float("nan"))
        assert watch.look() == "failed" and watch.should_stop()
    assert watch.report.exists()


def test_a_session_that_is_not_the_first_process_does_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    assert not is_first_process()
    with Session(tmp_path / "a") as watch:
        watch.attach(None)
        watch.log(1, loss=2.0)
        assert not watch.should_stop()
    assert not list(tmp_path.iterdir())


def test_the_training_goes_on_where_the_companion_dies(tmp_path: Path) -> None:
    with Session(tmp_path / "a", every=1e9) as watch:
        watch.log(1, loss=2.0)
        assert watch._companion is not None
        watch._companion.kill()
        watch._companion.wait()
        with pytest.warns(UserWarning, match="nothing judges the records any more"):
            watch.look(5.0)
        watch.log(2, loss=1.9)
        assert not watch.should_stop()
    assert '"step": 2' in (tmp_path / "a" / "curvedoc.jsonl").read_text("utf-8")


def test_a_record_costs_less_than_fifty_microseconds(tmp_path: Path) -> None:
    cost = measured(tmp_path)
    # json.dumps of a record takes 2 to 5 us where it is alone on a core, so this is 30 to 75 us on a busy machine
    assert cost["Session.log"] < 15 * cost["json.dumps"], cost


def test_watching_imports_nothing_heavy() -> None:
    code = (
        "import sys, curvedoc.record\nfrom curvedoc.session import Session\n"
        "bad = {'polars', 'numpy', 'torch', 'altair', 'pydantic'} & set(sys.modules)\nassert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
