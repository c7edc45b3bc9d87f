"""`curvedoc.read` within limits: the same runs, or one word, and no process that is left behind."""

from __future__ import annotations

import json
import multiprocessing
import sys
from pathlib import Path

import pytest

import curvedoc
from curvedoc.core.errors import NothingToAnalyse, TooMuch, UsageError
from curvedoc.triage import Limits


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "run" / "metrics.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps({"step": i, "loss": 2.3 * 0.99**i}) + "\n" for i in range(200)))
    return path


def test_what_is_read_within_limits_is_what_is_read_without(log: Path) -> None:
    (held,), (free,) = curvedoc.read(log.parent, limits=Limits(60, 2 << 30)), curvedoc.read(log.parent)
    assert held.points.equals(free.points) and held.roles == free.roles and held.sources == free.sources
    (named,) = curvedoc.read(log.parent, {"accuracy": "loss"}, limits=Limits())
    assert named.roles[0].role == "accuracy"
    (rows,) = curvedoc.read({"loss": [1.0 / (i + 1) for i in range(50)]}, limits=Limits())
    assert len(rows.points) == 50


def test_a_call_that_takes_too_long_is_ended(log: Path) -> None:
    with pytest.raises(TooMuch, match=r"longer than 0\.05 s"):
        curvedoc.read(log, limits=Limits(seconds=0.05))
    assert multiprocessing.active_children() == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux holds a process to its memory")
def test_a_file_that_needs_too_much_memory_is_not_left_out_in_silence(log: Path) -> None:
    with log.open("a") as file:
        file.writelines(json.dumps({"step": i, "loss": 0.1, "text": "x" * 999}) + "\n" for i in range(200, 60_000))
    (log.parent.parent / "other.jsonl").write_text(log.read_text()[:5000])
    with pytest.raises(TooMuch, match="needs more"):
        curvedoc.read(log.parent.parent, limits=Limits(memory=40 << 20))


def test_errors_are_those_of_a_call_without_limits(tmp_path: Path, log: Path) -> None:
    with pytest.raises(UsageError):
        curvedoc.read(tmp_path / "missing", limits=Limits())
    (tmp_path / "empty").mkdir()
    with pytest.raises(NothingToAnalyse):
        curvedoc.read(tmp_path / "empty", limits=Limits())
    with pytest.raises(UsageError):
        curvedoc.read(log, {"loss": "no such metric"}, limits=Limits())
