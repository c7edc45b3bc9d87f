"""What is said first of sound runs: a leap of the rate, validation that turned, evaluations that wander."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from helpers.drawn import run_of

import curvedoc
from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.core.series import Series
from curvedoc.diagnose.grounds.grounds import grounds
from curvedoc.diagnose.story.gain import gain
from curvedoc.diagnose.story.level import level_of
from curvedoc.diagnose.story.quality import Quality

WAVE = np.sin(np.arange(100.0) ** 2)


def diagnosed(folder: Path, lines: list[str]) -> RunDiagnosis:
    (folder / "train.log").write_text("\n".join(lines) + "\n")
    (run,) = curvedoc.analyze(folder).runs
    return run


def test_a_resume_at_another_rate_is_told_before_anything_that_could_be_gained(tmp_path: Path) -> None:
    loss = np.interp(np.arange(100), [0, 20, 59, 60, 70, 99], [1.7, 0.6, 0.45, 1.1, 0.45, 0.4]) * (1 + 0.3 * WAVE)
    rate = [0.04 if 60 <= i < 64 else 0.001 for i in range(100)]
    lines = [f"step {10 * i} loss {loss[i]:.4f} lr {rate[i]:.4f}" for i in range(100)]
    run = diagnosed(tmp_path, [*lines[:60], "Resuming from ckpt/step590.pt", *lines[60:]])
    assert run.verdict == "healthy" and run.next_action is not None
    assert "the learning rate leaped from 0.001 to 0.04" in run.headline
    assert run.next_action.text.startswith("Restore optimizer and scheduler from the checkpoint as well")


def test_evaluations_that_wander_over_more_than_they_gained_have_no_level_to_stop_at() -> None:
    right = Quality(
        "validation accuracy", Series.of([1.0, 0.78, 0.99, 0.8, 0.97, 0.9, 0.99, 0.8, 0.96, 0.97, 0.95, 0.97])
    )
    assert level_of(None, right) is None
    calm = Quality(
        "validation accuracy", Series.of([0.6, 0.95, 0.96, 0.95, 0.96, 0.95, 0.96, 0.95, 0.96, 0.95, 0.96, 0.95])
    )
    assert level_of(None, calm) is not None


def test_validation_that_is_told_to_have_turned_is_told_where_its_weights_are() -> None:
    val = Series.of([1.5, 1.0, 0.8, 0.79, 0.8, 0.81, 0.82, 0.82, 0.83, 0.83, 0.84, 0.84])
    run = run_of({"loss": Series.of(np.linspace(1.6, 0.6, 12)), "val_loss": val})
    told = gain(run, grounds(run), turned=True)
    assert told is not None and "validation loss was best there (0.79)" in told.text


def test_what_is_never_found_is_told_beside_the_accuracy_of_one_answer(tmp_path: Path) -> None:
    lines = [
        f"epoch {i}: loss {0.12 + 0.2 / i:.4f} | valid loss {0.11 + 0.2 / i:.4f} acc 0.9640 f1 0.000"
        for i in range(1, 15)
    ]
    run = diagnosed(tmp_path, lines)
    assert run.next_action is not None
    if run.verdict == "inconclusive":
        assert "accuracy is 96.4% at every row" in run.headline and "weight the rare one" in run.next_action.text


def test_a_nan_is_not_told_with_the_cause_of_a_slow_fall(tmp_path: Path) -> None:
    rows = [
        {"epoch": i, "loss": 3.3 - 0.035 * i if i < 12 else float("nan"), "val_loss": 4.4 - 0.03 * i} for i in range(40)
    ]
    (tmp_path / "run.jsonl").write_text("\n".join(json.dumps(r) for r in rows))
    (run,) = curvedoc.analyze(tmp_path).runs
    assert run.headline.startswith("The loss became NaN") and "too low" not in run.headline


def test_what_a_logger_stamps_before_an_error_is_not_quoted(tmp_path: Path) -> None:
    lines = [f"step {i} loss {2 - 0.01 * i + 0.02 * WAVE[i]:.4f}" for i in range(60)]
    stamp = "[E0412 09:10:11.101 ProcessGroupNCCL.cpp:77] "
    run = diagnosed(
        tmp_path, [*lines, stamp + "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9)"]
    )
    assert "[Rank 3] Watchdog caught" in run.headline and "ProcessGroupNCCL" not in run.headline
