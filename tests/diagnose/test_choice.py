"""What comes first where no cause of a fault is likely, and which layer or step an action names."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.drawn import run_of

import curvedoc
from curvedoc.core.diagnosis import Finding, RankedCause, RunDiagnosis
from curvedoc.core.series import Series
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.story.choice import split, when_unsure
from curvedoc.diagnose.story.headline import headline


def finding(symptom: str) -> Finding:
    return Finding(symptom, symptom, "pathology", "warning", 1.0, None, None, "loss")


def cause(name: str, probability: float, action: str = "Act.") -> RankedCause:
    return RankedCause(name, name, probability, "", (), (), (), (), "", action=action)


def test_one_test_rules_out_half_where_no_cause_is_likely() -> None:
    lead, unlikely = finding("underfitting"), (cause("capacity-too-low", 0.2),)
    loss = Series.of(np.full(30, 1.2))
    run = run_of({"loss": loss})
    assert when_unsure(Bench(run), lead, unlikely) == split(run)
    told = split(run_of({"loss": loss, "lr": loss, "grad_norm": loss})).text
    assert "the learning rate" in split(run).text and "the learning rate" not in told and "norm" not in told
    of_policy = when_unsure(Bench(run_of({"loss": loss, "reward": loss})), lead, unlikely)
    assert of_policy is not None and "log its entropy and its KL divergence at each update" in of_policy.text
    logged = when_unsure(Bench(run_of({"loss": loss, "reward": loss, "entropy": loss})), lead, unlikely)
    assert logged is not None and "log its KL divergence at each update" in logged.text
    assert when_unsure(Bench(run_of({"loss": loss})), lead, (cause("capacity-too-low", 0.5),)) is None
    assert when_unsure(Bench(run_of({"loss": loss})), None, unlikely) is None


def test_what_still_rises_is_trained_on() -> None:
    lead, unlikely = finding("underfitting"), (cause("capacity-too-low", 0.2),)
    loss, right = Series.of(np.linspace(1.8, 1.2, 30)), Series.of(np.linspace(0.2, 0.5, 12))
    told = when_unsure(Bench(run_of({"loss": loss, "val_accuracy": right})), lead, unlikely)
    assert told is not None and told.text.endswith("validation accuracy still rose from 41.8% to 50.0% at the end.")
    rising = run_of({"loss": loss, "val_accuracy": right})
    said = headline(rising, "warning", [lead], unlikely, bench=Bench(rising))
    assert "It may be that" not in said  # what still learns needs no reason why it does not
    rests = Series.of(np.r_[np.linspace(0.2, 0.5, 6), np.full(6, 0.5)])
    run = run_of({"loss": loss, "val_accuracy": rests})
    assert when_unsure(Bench(run), lead, unlikely) == split(run)


def test_where_to_stop_comes_first_where_what_made_the_gap_is_unsure() -> None:
    lead = finding("overfitting")
    doubtful, fit = cause("missing-eval-mode", 0.3), cause("too-little-data", 0.2, action="Stop at step 40.")
    told = when_unsure(Bench(run_of({})), lead, (doubtful, fit))
    assert told is not None and told.text == "Stop at step 40." and told.tests == "too-little-data"
    assert when_unsure(Bench(run_of({})), lead, (cause("missing-eval-mode", 0.7), fit)) is None
    turned = Bench(run_of({"val_loss": Series.of([2.0, 1.0, 0.8, 0.9, 1.1, 1.3])}))
    best = when_unsure(turned, lead, (cause("distribution-shift", 0.15),))
    assert best is not None and best.text.startswith("Use the weights of step 2") and "(0.8)" in best.text


def run_from(folder: Path, rows: list[dict[str, float]], config: dict[str, object] | None = None) -> RunDiagnosis:
    (folder / "run.jsonl").write_text("\n".join(json.dumps(r) for r in rows))
    if config:
        (folder / "config.json").write_text(json.dumps(config))
    (run,) = curvedoc.analyze(folder).runs
    return run


def test_a_layer_without_gradient_is_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [
        {
            "step": i,
            "loss": 2.0 * 0.99**i,
            "grad_norm/head.weight": 0.5 + 0.1 * rng.random(),
            "grad_norm/body.weight": 0.0,
        }
        for i in range(1, 101)
    ]
    run = run_from(tmp_path, rows)
    assert run.next_action is not None and "requires_grad=True on body.weight" in run.next_action.text


def test_a_batch_that_left_no_trace_asks_for_no_restart(tmp_path: Path) -> None:
    loss = 1.5 * np.exp(-np.arange(200) / 150) * (1 + 0.02 * np.random.default_rng(2).standard_normal(200))
    norm = 1.0 + 0.1 * np.random.default_rng(3).standard_normal(200)
    loss[90], norm[90] = 140.0, 200.0
    run = run_from(tmp_path, [{"step": i, "loss": loss[i], "grad_norm": norm[i]} for i in range(200)])
    assert run.next_action is not None and run.next_action.text.startswith("Look up the samples of step 90")
    assert "nothing is to be restarted" in run.next_action.text


@pytest.mark.parametrize(
    ("size", "says"), [(12, "at least 10 epochs"), (None, "at least 10 epochs and log a validation")]
)
def test_a_run_of_few_epochs_is_trained_on(size: int | None, says: str, tmp_path: Path) -> None:
    val = {} if size is None else {"val_loss": 1.0}
    run = run_from(tmp_path, [{"epoch": i, "loss": 2.0 / i, **val} for i in (1, 2, 3)])
    assert run.next_action is not None and says in run.next_action.text
    assert "(2 -> 0.667)" in run.next_action.text
