"""What the cause files make of a run: evidence must tell rivals apart, and what was not logged must say nothing."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from curvedoc.core.run import Run
from curvedoc.diagnose.cases import build
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.judge.names import WHOLE
from curvedoc.diagnose.judge.rank import agreement
from curvedoc.rulebook.load import load, rules_dir
from curvedoc.rulebook.rule import Cause
from curvedoc.rulebook.schema.case import Case

ACCURACY_CAUSES = [
    "preprocessing-mismatch",
    "label-mismatch",
    "distribution-shift",
    "too-little-data",
    "capacity-too-low",
    "over-regularization",
    "lr-too-high",
]
FALLING = {"knots": [[0, 2.3], [300, 0.8], [1000, 0.2]], "noise": 0.02}


@cache
def causes() -> dict[str, Cause]:
    return dict(load([rules_dir() / "causes"], builtin=False).causes)


def run_of(series: dict[str, Any], config: dict[str, Any] | None = None, log: list[str] | None = None) -> Run:
    case = Case(name="a run", series=series, config=config or {}, log=log, expect="fires")
    return build(case, case)


def lines(run: Run, cause: str) -> tuple[set[str], set[str], float]:
    """Names of the lines for and against that hold, and what they say together."""
    spec = causes()[cause]
    env = Bench(run).environment(spec.program, WHOLE)
    held = [p for p in spec.predicts if env.get(p.given) is True]
    return (
        {p.given for p in held if p.times > 1},
        {p.given for p in held if p.times < 1},
        agreement((p.channel, p.times) for p in held),
    )


def factor(run: Run, cause: str) -> float:
    return lines(run, cause)[2]


def test_an_empty_run_says_nothing_for_or_against_any_cause() -> None:
    empty = run_of({})
    assert {name: factor(empty, name) for name in causes() if factor(empty, name) != 1.0} == {}


def test_a_log_without_telling_lines_says_nothing_for_or_against_any_cause() -> None:
    quiet = run_of({}, log=["starting", "saving checkpoint at step 100", "done"])
    assert {name: factor(quiet, name) for name in causes() if factor(quiet, name) != 1.0} == {}


def test_a_loss_alone_never_confirms_a_cause_by_a_factor_above_five() -> None:
    plain = run_of({"loss": FALLING})
    assert {name for name in causes() if factor(plain, name) > 5} == set()


@pytest.mark.parametrize("cause", ACCURACY_CAUSES)
def test_accuracies_in_percent_give_the_evidence_of_fractions(cause: str) -> None:
    def run(unit: float) -> Run:
        return run_of(
            {
                "loss": FALLING,
                "val_loss": [[0, 2.4], [1000, 3.5]],
                "accuracy": [[0, 0.1 * unit], [1000, 0.9 * unit]],
                "val_accuracy": [[0, 0.1 * unit], [1000, 0.11 * unit]],
            },
            {"num_classes": 10, "batch_size": 10, "steps_per_epoch": 20},
        )

    assert lines(run(1.0), cause) == lines(run(100.0), cause)


def _epochs(order: bool) -> dict[str, Any]:
    """Eight epochs of fifty steps: single batches in order of difficulty, or their mean since the epoch began."""
    rng, rows = np.random.default_rng(4), []
    for epoch in range(8):
        batches = 1.0 - 0.05 * epoch - 0.3 * np.arange(50) / 50 + 0.1 * rng.standard_normal(50)
        shown = batches if order else np.cumsum(batches) / np.arange(1, 51)
        rows += [[epoch * 50 + i, float(v)] for i, v in enumerate(shown)]
    return {"loss": rows}


def test_an_average_calms_down_within_an_epoch_and_batches_in_order_do_not() -> None:
    config = {"steps_per_epoch": 50}
    batches, mean = run_of(_epochs(True), config), run_of(_epochs(False), config)
    assert "as_lively" in lines(batches, "running-average-reset")[1]
    assert "epoch_means" in lines(mean, "running-average-reset")[0]
    assert "epoch_means" in lines(mean, "data-not-shuffled")[1]


def agreement_in(run: Run, cause: str, channel: str) -> float:
    """What one channel says of a cause."""
    spec = causes()[cause]
    env = Bench(run).environment(spec.program, WHOLE)
    return agreement((p.channel, p.times) for p in spec.predicts if p.channel == channel and env.get(p.given) is True)


def test_on_a_flat_run_each_course_of_validation_has_its_own_cause() -> None:
    """Training sinks by heart; one answer to all; nothing moves; both sink: the same training loss, four causes."""
    rng = np.random.default_rng(5)
    step = np.arange(100, 1001, 100)
    chance = {"loss": {"knots": [[0, 2.306], [1000, 2.28]], "noise": 0.004}}

    def validation(values: Any, right: Any) -> dict[str, Any]:
        def knots(y: Any) -> dict[str, Any]:
            return {"knots": [[int(s), float(v)] for s, v in zip(step, y, strict=True)], "points": 10, "noise": 0}

        return {**chance, "val_loss": knots(values), "val_accuracy": knots(right)}

    varied = 0.1 + 0.001 * rng.permutation(10)
    courses = {
        "label-mismatch": (2.305 + 0.01 * np.arange(10), varied),
        "dead-relu": (2.31 + 0.012 * rng.random(10), np.where(rng.random(10) < 0.7, 0.073, 0.0781)),
        "lr-zero": (np.full(10, 2.3141), np.full(10, 0.0822)),
        "lr-too-low": (2.31 - 0.0025 * np.arange(10), varied),
    }
    for cause, (values, right) in courses.items():
        run = run_of(validation(values, right), {"num_classes": 10})
        score = {c: agreement_in(run, c, "validation") for c in courses}
        assert score[cause] >= 5.0, (cause, score)
        assert all(v <= 1.0 for c, v in score.items() if c != cause), (cause, score)
