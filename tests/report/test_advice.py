"""What was not logged is told with the line that logs it, and what the recorder is said to log it logs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.make_diagnosis import blind_run, healthy_run, of

import curvedoc
from curvedoc.core.diagnosis import NextAction
from curvedoc.report.advice import RECORDED, RECORDER, how_to_log, missing, recorder_line
from curvedoc.report.summary import summarize, told_first
from curvedoc.report.terminal.summary import to_text


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> curvedoc.Analysis:
    rows = [{"step": i, "loss": float("nan") if i > 60 else 2.3 * 0.99**i} for i in range(100)]
    place = tmp_path_factory.mktemp("run") / "log.jsonl"
    place.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return curvedoc.analyze(place)


def test_the_line_that_logs_most_of_it_is_told(found: curvedoc.Analysis) -> None:
    roles = [name for name, _ in missing(found.runs[0])]
    assert "grad_norm" in roles and recorder_line(roles) == RECORDER and not recorder_line(["val_loss"])
    brief, full = to_text(found.diagnosis), to_text(found.diagnosis, verbose=True)
    flat = " ".join(full.split())
    assert "curvedoc.record.Recorder" in " ".join(brief.split())
    assert all(" ".join(how_to_log(r).split()) in flat for r in roles if how_to_log(r))
    assert "The lines that log them" in found.to_markdown() and how_to_log("lr") in found.to_markdown()


def test_the_recorder_logs_what_is_said_of_it() -> None:
    recorder = "".join(p.read_text("utf-8") for p in Path(curvedoc.__file__).parent.glob("record/*.py"))
    words = {"layer_grad_norm": "grad_norm/", "layer_weight_norm": "weight_norm/", "memory": "memory_rss_gb",
             "wall_time": '"time"'}  # fmt: skip
    assert all(words.get(role, role) in recorder for role in RECORDED)


def test_runs_of_which_none_failed_still_tell_what_decides_the_open_one() -> None:
    open_ = replace(blind_run("b"), next_action=NextAction("Log the loss at every step."))
    first = summarize(of(healthy_run("a"), open_)).first
    assert first is not None and (first.run, first.ask) == ("b", "Log the loss at every step.")
    assert summarize(of(healthy_run("a"), healthy_run("c"))).first is None


def test_a_table_says_of_an_open_run_why_it_is_open() -> None:
    assert told_first(blind_run()) == "Too little was logged to judge this run: no training loss"
    assert told_first(healthy_run()) == "No problem found"
