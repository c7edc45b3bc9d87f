"""Triage that is killed, crowded, starved of disk, or whose tree changes: what it says is what it would have said.

CURVEDOC_KILLS sets how often the call is killed before it may end (20 unless told).
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.triage.test_engines import log

KILLS = int(os.environ.get("CURVEDOC_KILLS", "20"))
RUNS = 48
#: a whole call of this tree takes about two seconds where the machine is idle
LATEST_KILL = 2.0
FAILED_WRITE = 2


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    for i in range(RUNS):
        log(root / f"run{i:02d}", i % 3 == 0, i)
    return root


def start(tree: Path, cache: Path, *more: str, before: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    """One call of triage with a cache of its own choosing, in a group of its own."""
    command = [sys.executable, "-m", "curvedoc", "triage", str(tree), *more]
    return subprocess.Popen(
        command,
        env=os.environ | {"CURVEDOC_CACHE": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=before,
    )


def judged(tree: Path, cache: Path) -> Any:
    """What an undisturbed call says, as JSON."""
    call = start(tree, cache, "--format", "json")
    out, problem = call.communicate(timeout=120)
    assert out, problem
    return json.loads(out)


@pytest.fixture(scope="module")
def truth(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return judged(tree, tmp_path_factory.mktemp("cache"))


def test_killed_at_random_moments_and_taken_up_again_it_says_the_same(tree: Path, truth: Any, tmp_path: Path) -> None:
    when = random.Random(0)
    for _ in range(KILLS):
        call = start(tree, tmp_path / "cache", "--format", "json")
        time.sleep(when.uniform(0.05, LATEST_KILL))
        os.killpg(call.pid, signal.SIGKILL)
        call.communicate(timeout=60)
    assert judged(tree, tmp_path / "cache") == truth


def test_two_calls_on_one_cache_do_not_disturb_each_other(tree: Path, truth: Any, tmp_path: Path) -> None:
    calls = [start(tree, tmp_path / "cache", "--format", "json") for _ in range(2)]
    said = [json.loads(call.communicate(timeout=120)[0]) for call in calls]
    assert said == [truth, truth]
    assert judged(tree, tmp_path / "cache") == truth


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """So few runs that no worker is started for them, and a cache that has the rules."""
    root, cache = tmp_path_factory.mktemp("few"), tmp_path_factory.mktemp("cache")
    for i in range(4):
        log(root / f"run{i:02d}", i % 3 == 0, i)
    judged(root, cache)
    return root, cache


@pytest.mark.parametrize("output", ["--html", "--json", "--markdown", "--csv", "--parquet"])
def test_a_disk_that_fills_is_one_clear_error_and_leaves_nothing(
    few: tuple[Path, Path], tmp_path: Path, output: str
) -> None:
    def small() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))

    made = tmp_path / "out"
    call = start(*few, output, str(made), before=small)
    out, problem = call.communicate(timeout=120)
    assert call.returncode == FAILED_WRITE, problem
    assert str(made) in problem
    assert "Traceback" not in problem
    assert "run00" in out, "the summary is printed whatever happens to a file"
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == []


def test_a_tree_that_changes_while_it_is_read_yields_what_stays(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    for i in range(RUNS):
        log(root / f"run{i:02d}", i % 3 == 0, i)
    call = start(root, tmp_path / "cache", "--format", "json", "--jobs", "1")
    change = random.Random(1)
    time.sleep(0.6)
    for i in range(RUNS // 2, RUNS):
        path = root / f"run{i:02d}" / "metrics.jsonl"
        match change.randrange(3):
            case 0:
                path.unlink()
            case 1:
                path.write_bytes(path.read_bytes()[: change.randrange(10, 2000)])
            case 2:
                with path.open("a") as file:
                    file.write('{"step": 60, "loss": 0.2, "lr": 1e-3}\n{"step": 61, "lo')
        time.sleep(0.05)
    out, problem = call.communicate(timeout=120)
    assert "Traceback" not in problem
    names = {run["run"].rsplit("/")[-1] for run in json.loads(out)["runs"]}
    assert {f"run{i:02d}" for i in range(RUNS // 2)} <= names


def hears(pid: int) -> bool:
    """Whether curvedoc's own handler of Ctrl-C is set: it takes SIGVTALRM as well, which Python does not."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = int(status.split("SigCgt:")[1].split()[0], 16)
    return bool(caught >> (signal.SIGVTALRM - 1) & 1)


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="no /proc says which signals a process takes")
def test_ctrl_c_at_any_moment_is_one_word_and_never_a_backtrace(tree: Path, tmp_path: Path) -> None:
    for share in range(12):
        call = start(tree, tmp_path / "cache")
        # before that it is Python's own start, which took half a second where the machine was busy
        while call.poll() is None and not hears(call.pid):
            time.sleep(0.001)
        time.sleep(0.09 * share)
        os.killpg(call.pid, signal.SIGINT)  # as a terminal does: to the workers and what starts them as well
        _, problem = call.communicate(timeout=60)
        # a shell shows a death by SIGINT as 130 as well: so Python ends where C code of an import was interrupted
        assert call.returncode in (0, 1, 130, -signal.SIGINT), problem
        assert "Traceback" not in problem, f"after {share}: {problem}"
        # one that dies of the signal itself has said so; it may come when all is told and Python is on its way out
        assert call.returncode in (0, 1, -signal.SIGINT) or "interrupted" in problem


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("pickle.UnpicklingError('pickle data was truncated')", False),
        ("EOFError('Ran out of input')", False),
        ("pickle.UnpicklingError('invalid load key')", True),
        ("ValueError('no')", True),
    ],
)
def test_a_worker_whose_task_was_cut_off_by_an_interruption_says_nothing(error: str, told: bool) -> None:
    """The server that forks tells what a child raises before its own code runs by `sys.excepthook`."""
    code = (
        "import pickle, sys, curvedoc.triage.run.preload\n"
        f"try: raise {error}\nexcept Exception: sys.excepthook(*sys.exc_info())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ("Traceback" in done.stderr) == told
