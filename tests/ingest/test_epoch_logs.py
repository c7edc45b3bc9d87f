"""Logs that count epochs only: one row stands for hundreds of steps."""

import json
import math
from pathlib import Path

import pytest

from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.pipeline import Options, analyze


def diagnosed(place: Path, loss: list[float], lr: list[float], **config: float | str) -> RunDiagnosis:
    rows = [{"epoch": i + 1, "train_loss": v, "lr": r} for i, (v, r) in enumerate(zip(loss, lr, strict=True))]
    (place / "log.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    (place / "config.json").write_text(json.dumps(config))
    (run,) = analyze(place, Options()).runs
    assert run.axis == "epoch"
    return run


def symptoms(run: RunDiagnosis) -> list[str]:
    return [f.symptom for f in run.findings if f.kind == "pathology"]


FALLING = [0.3 + 2.0 * math.exp(-i / 5) for i in range(30)]


@pytest.mark.parametrize("plan", [{"epochs": 30}, {}])
def test_a_rate_that_never_moves_under_a_cosine_is_told_by_epochs(tmp_path: Path, plan: dict[str, float]) -> None:
    run = diagnosed(tmp_path, FALLING, [0.01] * 30, scheduler="cosine", max_steps=6000, warmup_steps=500, **plan)
    assert symptoms(run) == ["lr-never-stepped"]
    assert not any("6000" in e.text or "6,000" in e.text for f in run.findings for e in f.evidence)


def test_a_cosine_over_epochs_is_stepped(tmp_path: Path) -> None:
    rate = [0.01 * (1 + math.cos(math.pi * i / 30)) / 2 for i in range(30)]
    assert symptoms(diagnosed(tmp_path, FALLING, rate, scheduler="cosine", max_steps=6000)) == []


def test_a_loss_that_is_nan_from_the_second_epoch_on_was_finite_for_hundreds_of_steps(tmp_path: Path) -> None:
    run = diagnosed(tmp_path, [1.2, *[math.nan] * 11], [0.01] * 12, num_classes=10)
    assert symptoms(run) == ["nan-sudden"]
    first = symptoms(diagnosed(tmp_path, [math.nan] * 12, [0.01] * 12, num_classes=10))
    assert first == ["nan-at-start"]


def test_a_pace_is_judged_from_guessing_and_not_from_the_mean_of_the_first_epoch(tmp_path: Path) -> None:
    """ln 5 is 1.61: a first epoch of 0.9 has made half of the way already."""
    slow = [0.45 + 0.45 * math.exp(-i / 20) for i in range(40)]
    told = symptoms(diagnosed(tmp_path, slow, [0.01] * 40, num_classes=5))
    assert "slow-convergence" not in told
