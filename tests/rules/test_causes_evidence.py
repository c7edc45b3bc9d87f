"""What the cause files make of a run: evidence must tell rivals apart, and what was not logged must say nothing."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

from curvedoc.core.run import Run
from curvedoc.diagnose.cases import build
from curvedoc.diagnose.judge.answers import answered
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.judge.rank import agreement
from curvedoc.rulebook.load import load, rules_dir
from curvedoc.rulebook.rule import Cause
from curvedoc.rulebook.schema import Case

FLAT = [[0, 1.0], [1000, 1.0]]
CHANCE = math.log(10)
STUCK = {"knots": [[0, CHANCE], [1000, CHANCE]], "noise": 0.01}
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
FLOWS = {"knots": FLAT, "noise": 0.1}


@cache
def causes() -> dict[str, Cause]:
    return dict(load([rules_dir() / "causes"], builtin=False).causes)


def run_of(series: dict[str, Any], config: dict[str, Any] | None = None, log: list[str] | None = None) -> Run:
    case = Case(name="a run", series=series, config=config or {}, log=log, expect="fires")
    return build(case, case)


def lines(run: Run, cause: str) -> tuple[set[str], set[str], float]:
    """Names of the lines for and against that hold, and what they say together."""
    spec = causes()[cause]
    env = Bench(run).environment(spec.program, Bench(run).subject())
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


DIAGNOSES: list[tuple[str, str, list[str], dict[str, Any], dict[str, Any], list[str] | None]] = [
    (
        "weights that never move while gradients flow",
        "optimizer-not-connected",
        ["detached-graph", "lr-zero", "label-mismatch", "frozen-layers"],
        {"loss": STUCK, "grad_norm": FLOWS, "weight_norm": [[0, 40.0], [1000, 40.0]], "lr": [[0, 1e-3], [1000, 1e-3]]},
        {"num_classes": 10},
        None,
    ),
    (
        "a rate of zero",
        "lr-zero",
        ["optimizer-not-connected", "lr-too-low", "detached-graph"],
        {"loss": STUCK, "grad_norm": FLOWS, "weight_norm": [[0, 40.0], [1000, 40.0]], "lr": [[0, 0.0], [1000, 0.0]]},
        {"num_classes": 10, "lr": 0.0},
        None,
    ),
    (
        "gradients that are zero from the first step",
        "detached-graph",
        ["label-mismatch", "optimizer-not-connected", "dead-relu", "lr-too-low", "shrinking-gradients"],
        {"loss": STUCK, "grad_norm": [[0, 0.0], [1000, 0.0]]},
        {"num_classes": 10},
        None,
    ),
    (
        "gradients that die during the run",
        "dead-relu",
        ["detached-graph", "frozen-layers", "shrinking-gradients"],
        {"loss": STUCK, "grad_norm": [[0, 1.0], [100, 2.0], [101, 0.0], [1000, 0.0]]},
        {},
        None,
    ),
    (
        "a model that moves and stays at chance",
        "label-mismatch",
        ["detached-graph", "frozen-layers", "optimizer-not-connected", "dead-relu"],
        {"loss": STUCK, "grad_norm": FLOWS, "weight_norm": [[0, 40.0], [1000, 48.0]]},
        {"num_classes": 10},
        None,
    ),
    (
        "a loss scale that halves and halves",
        "fp16-overflow",
        ["numerical-instability", "bad-data"],
        {"loss": FALLING, "loss_scale": {"knots": [[0, 65536.0], [1000, 1.0]], "log": True}},
        {"precision": "fp16"},
        None,
    ),
    (
        "a NaN out of calm single precision",
        "numerical-instability",
        ["fp16-overflow", "missing-clipping", "bad-batch"],
        {
            "loss": {"knots": [[0, 2.0], [600, 1.0], [700, math.nan], [1000, math.nan]], "noise": 0.01},
            "grad_norm": {"knots": [[0, 1.0], [600, 1.0], [700, math.nan], [1000, math.nan]], "noise": 0.05},
        },
        {"precision": "fp32"},
        None,
    ),
    (
        "a first loss of batch size times ln C",
        "wrong-loss-function",
        ["bad-init", "double-softmax", "scaled-loss"],
        {"loss": [[0, 32 * CHANCE], [1000, 20.0]]},
        {"num_classes": 10, "batch_size": 32},
        None,
    ),
    (
        "a first loss that its scale explains",
        "scaled-loss",
        ["bad-init", "wrong-loss-function"],
        {"loss": [[0, 65536 * CHANCE], [1000, 65536 * 0.7]], "loss_scale": [[0, 65536.0], [1000, 65536.0]]},
        {"num_classes": 10},
        None,
    ),
    (
        "an opening that climbs and then recovers at the same rate",
        "no-warmup",
        ["lr-too-high", "bad-init"],
        {"loss": [[0, 2.3], [20, 6.0], [100, 2.0], [1000, 0.4]], "lr": [[0, 1e-3], [1000, 1e-3]]},
        {},
        None,
    ),
    (
        "a climb that never comes back at a huge rate",
        "lr-too-high",
        ["no-warmup", "missing-clipping", "bad-batch"],
        {"loss": [[0, 2.3], [20, 6.0], [100, 30.0], [1000, 80.0]], "lr": [[0, 0.5], [1000, 0.5]]},
        {"optimizer": "adam", "lr": 0.5},
        None,
    ),
    (
        "a weight norm that sinks under a huge decay",
        "over-regularization",
        ["capacity-too-low", "data-pipeline-bug", "label-noise"],
        {"loss": STUCK, "val_loss": STUCK, "weight_norm": [[0, 40.0], [1000, 4.0]]},
        {"weight_decay": 5.0, "num_classes": 10},
        None,
    ),
    (
        "memory that climbs step by step",
        "memory-leak",
        ["batch-too-large-for-memory"],
        {"memory": {"knots": [[0, 4e9], [1000, 8e9]], "noise": 0.005}},
        {},
        None,
    ),
    (
        "memory that is flat until it runs out",
        "batch-too-large-for-memory",
        ["memory-leak"],
        {"memory": {"knots": [[0, 8e9], [1000, 8e9]], "noise": 0.001}},
        {},
        ["@1000 torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"],
    ),
    (
        "steps that mostly wait for data",
        "input-bottleneck",
        ["host-sync"],
        {"step_time": FLAT, "data_time": [[0, 0.7], [1000, 0.7]], "gpu_utilization": [[0, 30.0], [1000, 30.0]]},
        {},
        None,
    ),
    (
        "an idle device although data are ready",
        "host-sync",
        ["input-bottleneck"],
        {"step_time": FLAT, "data_time": [[0, 0.02], [1000, 0.02]], "gpu_utilization": [[0, 30.0], [1000, 30.0]]},
        {},
        None,
    ),
    (
        "validation at chance while training learns",
        "preprocessing-mismatch",
        ["distribution-shift", "insufficient-regularization"],
        {
            "loss": FALLING,
            "val_loss": [[0, 2.4], [500, 3.0], [1000, 3.5]],
            "val_accuracy": {"knots": [[0, 0.1], [1000, 0.1]], "noise": 0.02},
        },
        {"num_classes": 10},
        None,
    ),
    (
        "a gap that is there from the first evaluation",
        "distribution-shift",
        ["preprocessing-mismatch", "insufficient-regularization", "too-little-data"],
        {
            "loss": {"knots": [[0, 2.3], [300, 1.2], [1000, 0.9]], "noise": 0.01},
            "val_loss": [[0, 3.4], [300, 1.9], [1000, 1.5]],
            "val_accuracy": [[0, 0.1], [300, 0.45], [1000, 0.5]],
        },
        {"num_classes": 10},
        None,
    ),
    (
        "a drop at a cut of the rate",
        "lr-schedule-step",
        ["breakthrough", "data-change"],
        {
            "loss": {"knots": [[0, 2.0], [499, 1.0], [505, 0.5], [1000, 0.45]], "noise": 0.01},
            "lr": [[0, 0.1], [499, 0.1], [500, 0.01], [1000, 0.01]],
        },
        {},
        None,
    ),
    (
        "a drop that validation follows at a constant rate",
        "breakthrough",
        ["lr-schedule-step", "data-change"],
        {
            "loss": {"knots": [[0, 2.0], [499, 1.9], [505, 0.5], [1000, 0.45]], "noise": 0.01},
            "val_loss": [[0, 2.1], [499, 2.0], [505, 0.6], [1000, 0.55]],
            "lr": [[0, 0.1], [1000, 0.1]],
        },
        {},
        None,
    ),
    (
        "a drop that validation does not follow",
        "data-change",
        ["lr-schedule-step", "breakthrough"],
        {
            "loss": {"knots": [[0, 2.0], [499, 1.9], [505, 0.5], [1000, 0.45]], "noise": 0.01},
            "val_loss": [[0, 2.1], [1000, 2.0]],
            "lr": [[0, 0.1], [1000, 0.1]],
        },
        {},
        None,
    ),
    (
        "a rate that leaps up and takes the loss along",
        "lr-restart",
        ["bad-batch", "missing-clipping", "lr-too-high"],
        {
            "loss": {"knots": [[0, 2.0], [499, 0.5], [505, 1.2], [700, 0.6], [1000, 0.4]], "noise": 0.01},
            "lr": [[0, 0.1], [499, 0.001], [500, 0.1], [1000, 0.001]],
        },
        {},
        None,
    ),
    (
        "one isolated spike",
        "bad-batch",
        ["lr-restart", "lr-too-high"],
        {
            "loss": {"knots": [[0, 2.0], [495, 0.8], [500, 6.0], [505, 0.8], [1000, 0.5]], "noise": 0.01},
            "lr": [[0, 1e-4], [1000, 1e-4]],
        },
        {"optimizer": "adamw", "lr": 1e-4, "max_grad_norm": 1.0},
        None,
    ),
]


@pytest.mark.parametrize(
    ("what", "cause", "rivals", "series", "config", "log"), DIAGNOSES, ids=[d[0] for d in DIAGNOSES]
)
def test_evidence_prefers_the_cause_to_its_rivals(
    what: str, cause: str, rivals: list[str], series: dict[str, Any], config: dict[str, Any], log: list[str] | None
) -> None:
    run = run_of(series, config, log)
    own = factor(run, cause)
    assert own > 1.0, what
    assert {r: (factor(run, r), own, lines(run, r)) for r in rivals if factor(run, r) >= own} == {}


@pytest.mark.parametrize(
    ("cause", "config"),
    [
        ("fp16-overflow", {"precision": "bf16"}),
        ("fp16-overflow", {"precision": "bf16-mixed"}),
        ("fp16-overflow", {"precision": "fp32"}),
        ("missing-clipping", {"max_grad_norm": 1.0}),
        ("clip-too-tight", {"max_grad_norm": 0.0}),
        ("batch-too-small", {"batch_size": 256}),
        ("missing-weight-decay", {"weight_decay": 0.1}),
        ("over-regularization", {"weight_decay": 0.0, "dropout": 0.0}),
        ("lr-too-high", {"optimizer": "AdamW", "lr": 1e-5}),
        ("lr-too-low", {"optimizer": "SGD", "lr": 0.1}),
        ("too-little-data", {"train_size": 1_000_000}),
        ("data-not-shuffled", {"shuffle": 1}),
        ("no-warmup", {"warmup_steps": 500}),
    ],
)
def test_a_setting_can_speak_against_a_cause(cause: str, config: dict[str, Any]) -> None:
    assert factor(run_of({}, config), cause) < 1.0


@pytest.mark.parametrize("precision", ["fp16", "16-mixed", "float16", "torch.float16"])
def test_half_precision_is_known_by_its_names(precision: str) -> None:
    supports, against, _ = lines(run_of({}, {"precision": precision}), "fp16-overflow")
    assert supports == {"half"} and not against


def test_a_loss_below_the_double_softmax_floor_rules_it_out() -> None:
    run = run_of({"loss": [[0, CHANCE], [1000, 1.2]]}, {"num_classes": 10})
    assert factor(run, "double-softmax") <= 0.05


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


def test_a_norm_that_climbs_without_scatter_speaks_for_a_sum_and_against_the_rate() -> None:
    run = run_of({"grad_norm": {"knots": [[0, 0.3], [1000, 90]], "noise": 0.001}, "loss": FALLING})
    assert "sums_up" in lines(run, "lr-too-high")[1]
    assert "sums_smoothly" in lines(run, "missing-zero-grad")[0]
    noisy = run_of({"grad_norm": {"knots": [[0, 0.3], [1000, 90]], "noise": 0.2}, "loss": FALLING})
    assert "sums_up" not in lines(noisy, "lr-too-high")[1]


@pytest.mark.parametrize("unit", [1.0, 100.0])
def test_a_loss_that_climbs_under_answers_that_stay_speaks_for_decay_and_against_the_rate(unit: float) -> None:
    run = run_of(
        {
            "loss": {"knots": [[0, 0.75], [400, 1.25], [1000, 1.28]], "noise": 0.03},
            "val_loss": {"knots": [[0, 0.78], [400, 1.23], [1000, 1.26]], "points": 30},
            "val_accuracy": {"knots": [[0, 0.71 * unit], [1000, 0.7 * unit]], "points": 30},
        }
    )
    assert "shrunk_outputs" in lines(run, "over-regularization")[0]
    assert "keeps_answers" in lines(run, "lr-too-high")[1]


def test_answers_stay_open_where_the_log_tells_one_side_only() -> None:
    spec = causes()["lr-too-high"]
    for rate, answer in ((0.1, "yes"), (1e-3, "unanswerable"), (1e-5, "no")):
        bench = Bench(run_of({}, {"optimizer": "adam", "lr": rate}))
        env = bench.environment(spec.program, bench.subject())
        assert answered(spec.checks[0], env, env.texts(), spec.program, "step").answer == answer


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
    assert "as_lively" in lines(batches, "data-not-shuffled")[0]
    assert "as_lively" in lines(batches, "running-average-reset")[1]
    assert "calms_down" in lines(mean, "running-average-reset")[0]
    assert "calms_down" in lines(mean, "data-not-shuffled")[1]


def test_gradients_that_add_up_over_a_loss_that_stays_are_of_an_optimizer_that_holds_others() -> None:
    rising = {"knots": [[0, 1.0], [1000, 40.0]], "noise": 0.05}
    still = run_of({"loss": STUCK, "grad_norm": rising})
    learning = run_of({"loss": FALLING, "grad_norm": rising})
    assert factor(still, "optimizer-not-connected") > 3 > 1 > factor(still, "missing-zero-grad")
    assert factor(learning, "missing-zero-grad") > 1 and "adds_up" not in lines(learning, "optimizer-not-connected")[0]


def test_evaluations_equal_to_the_last_digit_come_from_weights_that_stood_still() -> None:
    still = run_of({"loss": STUCK, "val_loss": {"knots": [[0, 2.31], [1000, 2.31]], "noise": 0.0, "points": 10}})
    assert "same_evals" in lines(still, "lr-zero")[0] & lines(still, "optimizer-not-connected")[0]


def test_a_gap_within_the_first_pass_is_no_memory() -> None:
    early = {"loss": FALLING, "val_loss": {"knots": [[0, 2.4], [50, 2.9], [1000, 3.2]], "points": 40}}
    run = run_of(early, {"steps_per_epoch": 400})
    assert "before_memory" in lines(run, "too-little-data")[1]
    assert "before_memory" in lines(run, "distribution-shift")[0] & lines(run, "preprocessing-mismatch")[0]
    assert "before_memory" not in lines(run_of(early, {"steps_per_epoch": 2}), "too-little-data")[1]


@pytest.mark.parametrize(("level", "held"), [(1.2, "on_floor"), (0.7, "below_floor")])
def test_wrong_labels_leave_a_loss_that_their_share_foretells(level: float, held: str) -> None:
    settled = {
        "loss": {"knots": [[0, 1.61], [200, level], [1000, level]], "noise": 0.03},
        "accuracy": {"knots": [[0, 0.2], [200, 0.6], [1000, 0.6]], "noise": 0.03},
    }
    found = lines(run_of(settled, {"num_classes": 5}), "label-noise")
    assert held in found[0] | found[1]


def test_a_nan_out_of_a_level_that_had_stood_long_points_at_the_batch() -> None:
    long = run_of(
        {"loss": {"knots": [[0, 2.3], [100, 0.5], [590, 0.5], [600, math.nan], [1000, math.nan]], "noise": 0.02}}
    )
    new = run_of({"loss": {"knots": [[0, 2.3], [590, 0.1], [600, math.nan], [1000, math.nan]], "noise": 0.02}})
    assert "settled" in lines(long, "bad-data")[0] & lines(long, "numerical-instability")[1]
    assert "new_ground" in lines(new, "numerical-instability")[0] and "settled" not in lines(new, "bad-data")[0]


SINKS = {"knots": [[0, 2.490], [1000, 2.489]], "points": 20}


def test_steps_far_shorter_than_rate_and_gradient_promise_were_cut() -> None:
    stuck = {"knots": [[0, 2.49], [1000, 2.489]], "noise": 0.01}
    told = {"loss": stuck, "val_loss": SINKS, "grad_norm": {"knots": FLAT, "noise": 0.1}}
    cut = run_of({**told, "lr": {"knots": [[0, 0.1], [1000, 0.1]]}})
    slow = run_of({**told, "lr": {"knots": [[0, 1e-6], [1000, 1e-6]]}})
    assert "cut_short" in lines(cut, "clip-too-tight")[0]
    assert "unkept" in lines(cut, "lr-too-low")[1]
    assert "cut_short" not in lines(slow, "clip-too-tight")[0]
    assert "unkept" not in lines(slow, "lr-too-low")[1]


def test_a_validation_loss_that_inches_down_speaks_against_long_steps_and_a_loose_optimizer() -> None:
    creeps = run_of({"loss": STUCK, "val_loss": SINKS})
    for cause in ("lr-too-high", "label-mismatch", "optimizer-not-connected"):
        assert "inches" in lines(creeps, cause)[1], cause
    swings = run_of({"loss": STUCK, "val_loss": {"knots": [[0, 2.49], [1000, 2.489]], "points": 20, "noise": 0.05}})
    for cause in ("lr-too-high", "label-mismatch", "optimizer-not-connected"):
        assert "inches" not in lines(swings, cause)[1], cause


def test_a_loss_that_stays_above_a_constant_guess_belongs_to_weights_that_rest() -> None:
    above = {"knots": [[0, 2.5], [1000, 2.5]], "noise": 0.02}
    rests = run_of({"loss": above}, {"num_classes": 10})
    guesses = run_of({"loss": STUCK}, {"num_classes": 10})
    assert "unmoved" in lines(rests, "optimizer-not-connected")[0]
    assert "unmoved" in lines(rests, "lr-too-high")[1]
    assert "unmoved" not in lines(guesses, "optimizer-not-connected")[0]
    assert "unmoved" not in lines(guesses, "lr-too-high")[1]


def test_evaluations_that_stray_are_not_those_of_short_steps() -> None:
    strays = run_of(
        {"loss": STUCK, "val_loss": {"knots": [[0, CHANCE], [1000, CHANCE]], "points": 20, "noise": 0.0007}}
    )
    assert "strays" in lines(strays, "lr-too-low")[1]
    assert "strays" not in lines(run_of({"loss": STUCK, "val_loss": SINKS}), "lr-too-low")[1]


def test_an_infinite_loss_out_of_a_calm_curve_is_a_logarithm_of_zero() -> None:
    calm = [[0, 2.0], [900, 0.2], [910, math.inf], [911, math.nan], [1000, math.nan]]
    huge = [[0, 2.0], [880, 0.2], [890, 1e12], [900, 1e30], [910, math.inf], [911, math.nan], [1000, math.nan]]
    nan_at_once = [[0, 2.0], [900, 0.2], [910, math.nan], [1000, math.nan]]
    assert "log_of_zero" in lines(run_of({"loss": calm}), "numerical-instability")[0]
    assert "log_of_zero" not in lines(run_of({"loss": huge}), "numerical-instability")[0]
    assert "log_of_zero" not in lines(run_of({"loss": nan_at_once}), "numerical-instability")[0]


def test_answers_lost_with_the_loss_speak_for_the_input_and_against_the_formula() -> None:
    loss = [[0, 2.0], [600, 0.3], [610, math.nan], [1000, math.nan]]
    spoiled = run_of({"loss": loss, "accuracy": [[0, 0.2], [600, 0.95], [610, 0.15], [1000, 0.15]]})
    kept = run_of({"loss": loss, "accuracy": [[0, 0.2], [600, 0.95], [610, 0.95], [620, 0.15], [1000, 0.15]]})
    assert "answers_lost" in lines(spoiled, "bad-data")[0]
    assert "answers_lost" in lines(spoiled, "numerical-instability")[1]
    assert "answers_lost" not in lines(kept, "numerical-instability")[1]


def test_a_training_loss_a_thousand_times_that_of_validation_is_scaled_and_no_leak() -> None:
    right = {"knots": [[0, 0.1], [300, 0.9], [1000, 0.95]], "noise": 0.02}
    val = {"knots": [[40, 2.0], [300, 0.8], [1000, 0.2]], "points": 25}
    big = {"knots": [[0, 2300.0], [300, 800.0], [1000, 200.0]], "noise": 2.0}
    scaled = run_of({"loss": big, "val_loss": val, "accuracy": right, "val_accuracy": right})
    plain = run_of({"loss": FALLING, "val_loss": val, "accuracy": right, "val_accuracy": right})
    assert "larger" in lines(scaled, "scaled-loss")[0]
    assert "other_scale" in lines(scaled, "leakage")[1]
    assert "larger" not in lines(plain, "scaled-loss")[0]
    assert "other_scale" not in lines(plain, "leakage")[1]


def test_a_validation_loss_many_times_that_of_training_from_the_start_is_a_sum_over_more_samples() -> None:
    right = {"knots": [[0, 0.1], [300, 0.9], [1000, 0.95]], "noise": 0.02}
    summed = {"knots": [[40, 30.0], [300, 12.0], [1000, 3.0]], "points": 25}
    both = {"accuracy": right, "val_accuracy": right}
    assert "larger_sets" in lines(run_of({"loss": FALLING, "val_loss": summed, **both}), "wrong-loss-function")[0]
    parts = {"knots": [[40, 2.3], [300, 2.5], [1000, 3.0]], "points": 25}
    assert "larger_sets" not in lines(run_of({"loss": FALLING, "val_loss": parts, **both}), "wrong-loss-function")[0]


def test_weights_that_grow_do_not_clear_dropout() -> None:
    held = {
        "loss": {"knots": [[0, 1.9], [300, 1.62], [1000, 1.6]], "noise": 0.01},
        "val_loss": {"knots": [[40, 1.85], [300, 1.5], [1000, 1.48]], "points": 25},
        "weight_norm": [[0, 7.0], [1000, 9.0]],
    }
    alike = {**held, "val_loss": {"knots": [[40, 1.9], [300, 1.63], [1000, 1.61]], "points": 25}}
    assert "expands" not in lines(run_of(held), "over-regularization")[1]
    assert "expands" in lines(run_of(alike), "over-regularization")[1]


def test_loss_and_gradient_that_keep_their_level_speak_against_long_steps() -> None:
    random_samples = {"knots": [[0, 3.28], [1000, 3.24]], "points": 40, "noise": 0.003}
    rate = {"knots": [[0, 0.1], [1000, 0.1]]}
    told = {"loss": {"knots": [[0, 3.26], [1000, 3.25]], "noise": 0.05}, "val_loss": random_samples, "lr": rate}
    still = run_of({**told, "grad_norm": {"knots": [[0, 3.0], [1000, 3.0]], "noise": 0.2}})
    moves = run_of({**told, "grad_norm": {"knots": [[0, 3.0], [1000, 0.6]], "noise": 0.1}})
    assert "standstill" in lines(still, "lr-too-high")[1]
    assert "cut_short" in lines(still, "clip-too-tight")[0]
    assert "standstill" not in lines(moves, "lr-too-high")[1]
    assert "cut_short" not in lines(moves, "clip-too-tight")[0]


def test_the_damage_that_a_batch_did_is_no_further_accident() -> None:
    blow = [[0, 0.9], [300, 0.03], [599, 0.02], [600, 1500.0], [601, 9.0], [640, 0.4], [760, 0.1], [1000, 0.08]]
    again = [
        *blow[:5],
        [640, 0.4],
        [700, 0.2],
        [701, 900.0],
        [702, 0.3],
        [820, 0.2],
        [821, 700.0],
        [822, 0.2],
        [1000, 0.1],
    ]
    once = {"knots": blow, "noise": 0.02, "points": 1001}
    often = {"knots": again, "noise": 0.02, "points": 1001}
    assert "single" in lines(run_of({"loss": once}), "bad-batch")[0]
    assert "towers" not in lines(run_of({"loss": often}), "bad-batch")[0]
    assert factor(run_of({"loss": once}), "bad-batch") > factor(run_of({"loss": often}), "bad-batch")


def test_units_that_go_out_after_the_weights_swelled_were_put_out_by_long_steps() -> None:
    grad = [[0, 0.7], [150, 3.0], [160, 0.0], [1000, 0.0]]
    swells = run_of({"loss": STUCK, "grad_norm": grad, "weight_norm": [[0, 3.4], [150, 26.0], [1000, 28.0]]})
    rests = run_of({"loss": STUCK, "grad_norm": grad, "weight_norm": [[0, 3.4], [150, 3.5], [1000, 3.5]]})
    assert "killed" in lines(swells, "lr-too-high")[0]
    assert "killed" not in lines(rests, "lr-too-high")[0]


def test_a_training_loss_that_leaps_without_validation_is_a_change_of_data() -> None:
    loss = {"knots": [[0, 2.3], [300, 0.5], [500, 0.4], [501, 2.4], [1000, 2.2]], "noise": 0.05}

    def with_validation(*knots: list[float], **more: Any) -> Run:
        return run_of({"loss": loss, "val_loss": {"knots": list(knots), "points": 50, "noise": 0.005}, **more})

    start = [[10, 2.2], [300, 0.55], [490, 0.45]]
    old_data = with_validation(*start, [510, 0.5], [700, 0.8], [990, 0.9])
    assert "rose_alone" in lines(old_data, "data-change")[0]
    assert "rose_alone" not in lines(with_validation(*start, [510, 2.4], [990, 2.2]), "data-change")[0]
    leapt = {"knots": [[0, 0.01], [499, 0.01], [500, 0.1], [1000, 0.1]], "noise": 0}
    assert "rose_alone" not in lines(with_validation(*start, [510, 0.5], [990, 0.9], lr=leapt), "data-change")[0]
    foreign = with_validation([10, 2.4], [300, 2.0], [490, 2.0], [510, 2.1], [990, 2.2])
    assert "rose_alone" not in lines(foreign, "data-change")[0]


def test_a_gradient_that_climbs_while_the_loss_still_falls_adds_up() -> None:
    loss = {"knots": [[0, 3.4], [100, 2.1], [300, 3.2], [1000, 15.0]], "noise": 0.02}
    sums = run_of({"loss": loss, "grad_norm": {"knots": [[0, 0.9], [100, 20.0], [1000, 330.0]], "noise": 0.01}})
    follows = run_of({"loss": loss, "grad_norm": {"knots": [[0, 0.9], [100, 0.7], [1000, 330.0]], "noise": 0.05}})
    assert "grew_on_the_way" in lines(sums, "missing-zero-grad")[0]
    assert "grew_on_the_way" not in lines(follows, "missing-zero-grad")[0]
