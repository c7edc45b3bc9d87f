"""The first words about a run: what to log where nothing can be judged, and how it went until an error ended it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.drawn import run_of

import curvedoc
from curvedoc.core.diagnosis import NextAction
from curvedoc.core.run import Run
from curvedoc.core.series import Series
from curvedoc.diagnose.grounds.grounds import Grounds, grounds
from curvedoc.diagnose.story.gain import gain
from curvedoc.diagnose.story.progress import course_of, moved
from curvedoc.diagnose.story.remedy import remedy

FELL = Series.of(np.linspace(2.3, 0.4, 40))


def advice(series: dict[str, Series], by: Callable[[Run, Grounds], NextAction | None] = remedy) -> str:
    run = run_of(series)
    found = by(run, grounds(run))
    return "" if found is None else found.text


@pytest.mark.parametrize(
    ("series", "says"),
    [
        ({}, "Log the training loss at every step or epoch"),
        ({"loss": Series.of([2.3, 2.2, 2.1])}, "at least 20 times a run: 3 finite points"),
        ({"loss": Series.of(np.linspace(1.0, 1.2, 40))}, "Evaluate the first and the last weights"),
        ({"loss": Series.of([2.0, 1.9, np.nan, 1.8, 1.7, np.nan, 1.6, 1.5])}, "Print the loss as it is computed"),
        ({"lr": Series.of([0.1])}, "Give the log that this training wrote"),
    ],
)
def test_a_run_that_cannot_be_judged_is_told_what_to_log(series: dict[str, Series], says: str) -> None:
    assert says in advice(series) and bool(says) == bool(advice(series))


def test_a_loss_that_fell_early_and_rests_is_told_since_when_and_what_decides_it(tmp_path: Path) -> None:
    wave = 0.01 * np.sin(np.arange(300.0) ** 2)
    loss = 1.6 + 1.3 * np.exp(-np.arange(300) / 8) + wave
    (tmp_path / "run.jsonl").write_text("\n".join(json.dumps({"step": 10 * i, "loss": v}) for i, v in enumerate(loss)))
    (run,) = curvedoc.analyze(tmp_path).runs
    assert run.verdict == "inconclusive" and run.next_action is not None
    assert "stays at about 1.6" in run.headline
    assert next(f.first_step for f in run.findings if f.symptom == "plateau-after-progress") is not None
    assert run.next_action.text.startswith("Compare 1.6 with the loss of the best constant answer")


@pytest.mark.parametrize(
    ("last", "says"),
    [(9.0, "Train with a peak learning rate of about 0.003, a tenth"), (0.5, "Sweep on to higher rates")],
)
def test_a_sweep_of_the_rate_is_told_what_it_was_for(tmp_path: Path, last: float, says: str) -> None:
    rate = np.geomspace(1e-6, 1.0, 200)
    loss = np.interp(np.arange(200), [0, 100, 150, 199], [2.3, 2.2, 0.5, last])
    rows = [json.dumps({"step": i, "lr": rate[i], "loss": loss[i] + 0.02 * np.sin(i * i)}) for i in range(200)]
    (tmp_path / "run.jsonl").write_text("\n".join(rows))
    (run,) = curvedoc.analyze(tmp_path).runs
    assert run.verdict == "healthy" and run.next_action is not None
    assert run.next_action.text.startswith(says)


def test_a_rate_far_above_what_a_trainer_takes_is_tried_lower_before_anything_else(tmp_path: Path) -> None:
    rows: list[dict[str, float]] = []
    for i in range(1, 41):
        loss = 2.0 + 6.0 * float(np.exp(-i / 10)) + 0.02 * float(np.sin(i * i))
        rows.append({"step": 10 * i, "epoch": i / 10, "learning_rate": 0.4 * (1 - i / 41), "loss": loss})
        if i % 10 == 0:
            rows.append({"step": 10 * i, "epoch": i / 10, "eval_loss": loss})
    state = {"global_step": 400, "is_world_process_zero": True, "max_steps": 400, "log_history": rows}
    (tmp_path / "trainer_state.json").write_text(json.dumps(state))
    (run,) = curvedoc.analyze(tmp_path).runs
    assert [f.symptom for f in run.findings if f.symptom == "rate-unusual"] == ["rate-unusual"]
    assert run.next_action is not None
    assert run.next_action.text.startswith("Restart with a peak learning rate of 0.001 instead of 0.39, warmed up over")


def test_of_a_game_the_samples_are_to_be_looked_at_where_nothing_rates_them() -> None:
    run = run_of({"game_loss": FELL})
    told = gain(run, grounds(run))
    assert told is not None and told.text.startswith("Look at samples made from the same noise")
    rated = run_of({"game_loss": FELL, "metric": Series.of(np.linspace(1.0, 8.0, 40))})
    assert gain(rated, grounds(rated)) is None


@pytest.mark.parametrize(
    ("made", "judged", "says"),
    [
        (
            [1.0, *[0.69, 0.694] * 15],
            [2.0, *[1.39, 1.384] * 15],
            "Save a grid of samples now: the discriminator rests at 1.39",
        ),
        (np.linspace(0.7, 2.1, 30), np.linspace(1.4, 0.2, 30), "if their variety shrinks, halve the discriminator's"),
        (np.linspace(0.7, 0.9, 30), np.linspace(1.4, 1.2, 30), "where they grow alike, modes are missing"),
    ],
)
def test_of_a_game_the_losses_say_what_to_look_for(
    made: list[float], judged: list[float], says: str, tmp_path: Path
) -> None:
    rows = [
        {"step": i, "g_loss": float(g), "d_loss": float(d)} for i, (g, d) in enumerate(zip(made, judged, strict=True))
    ]
    (tmp_path / "run.jsonl").write_text("\n".join(json.dumps(r) for r in rows))
    (run,) = curvedoc.analyze(tmp_path).runs
    assert run.verdict == "healthy" and run.next_action is not None and says in run.next_action.text
    assert ("no better than a coin" in run.headline) == says.startswith("Save")


@pytest.mark.parametrize(
    ("loss", "says"),
    [
        (np.geomspace(2.3, 0.01, 40), "a task learned or of samples learned by heart"),
        (np.linspace(2.3, 1.4, 40), "training still falls (1.665 -> 1.481 over the last fifth)"),
        (1.5 + np.exp(-np.arange(40) / 4.0), "hardly changes over the last fifth"),
        (np.geomspace(400.0, 1.6, 40), "training still falls"),  # an error in units of its own, of which none is small
    ],
)
def test_training_alone_is_told_with_what_its_curve_leaves_open(loss: list[float], says: str) -> None:
    told = advice({"loss": Series.of(loss)}, gain)
    assert told.startswith("Evaluate on data that it did not train on") and says in told


def test_an_error_that_hardly_fell_is_to_be_compared_with_a_constant_answer() -> None:
    val = Series.of(0.0377 + 0.0045 * np.exp(-np.arange(40) / 3.0) + 1e-5 * np.sin(np.arange(40)))
    told = advice({"loss": FELL, "val_loss": val}, gain)
    assert told.startswith("Compare validation of 0.0377 with that of the best constant answer")


def test_the_last_percents_of_answers_are_no_level_and_the_best_last_weights_are_kept() -> None:
    wave = 0.0005 * np.sin(np.arange(40.0) ** 2)
    slow = Series.of(0.996 - 0.02 * np.exp(-np.arange(40) / 20) + wave)
    assert advice({"loss": FELL, "val_accuracy": slow}, gain) == ""
    rests = Series.of([0.5, 0.7, 0.9, *(0.97 + wave[:30]), 0.971])
    assert advice({"loss": FELL, "val_accuracy": rests}, gain).startswith("Keep the last weights, the best of all")


def test_the_best_evaluation_is_taken_where_the_loss_is_no_dearer_there() -> None:
    found = Series.of([0.5, 0.7, 0.8, 0.9, 0.916, 0.9201, 0.9173, 0.9172, 0.9174, 0.9173])
    val = Series.of([0.9, 0.6, 0.4, 0.3, 0.25, 0.245, 0.249, 0.24, 0.25, 0.251])
    told = advice({"loss": FELL, "val_loss": val, "val_metric": found}, gain)
    assert told.startswith("Use the weights of step 5") and "was best there (0.9201)" in told


def _bumpy(at: list[int], by: float = 8.0) -> Series:
    rng = np.random.default_rng(6)
    loss = np.geomspace(0.5, 0.05, 200) * np.exp(0.1 * rng.standard_normal(200))
    loss[at] *= by
    return Series.of(loss)


def test_passing_jumps_of_a_sound_loss_are_told_and_their_samples_looked_for() -> None:
    one, several, none = (run_of({"loss": _bumpy(at)}) for at in ([60], [60, 110, 160], []))
    assert ", with one passing jump to" in course_of(one, grounds(one))
    assert ", with 3 passing jumps, the largest to" in course_of(several, grounds(several))
    assert "jump" not in course_of(none, grounds(none))
    assert advice({"loss": _bumpy([60, 110, 160])}, gain).startswith("Log the sample ids of each batch, and inspect")
    # a tail of the noise goes on without a gap
    tail = run_of({"loss": Series.of(_bumpy([60], 5.0).value * np.where(np.arange(200) % 9 == 4, 5.0, 1.0))})
    assert "jump" not in course_of(tail, grounds(tail))


def test_a_last_row_far_from_the_level_is_not_told_as_the_end_of_a_loss() -> None:
    noisy = np.linspace(2.0, 1.0, 100) + 0.2 * (-1.0) ** np.arange(100)
    run = run_of({"loss": Series.of([*noisy[:-1], 1.6])})
    assert "the loss went from 2.2 to about 1.22" in course_of(run, grounds(run))
    rewards = run_of({"reward": Series.of([90.0, *(np.linspace(20.0, 60.0, 99) + 20.0 * (-1.0) ** np.arange(99))])})
    assert "went from about 40.4 in the first tenth to about 58" in course_of(rewards, grounds(rewards))


def test_validation_that_is_too_good_is_checked_on_the_training_set() -> None:
    train, right = Series.of(np.geomspace(2.3, 0.35, 40)), Series.of(np.linspace(0.2, 0.995, 40))
    told = advice({"loss": train, "val_loss": Series.of(np.geomspace(2.3, 0.1, 40)), "val_accuracy": right}, gain)
    assert told.startswith("Evaluate the training set in eval mode: a loss near")
    beside = Series.of(np.geomspace(2.3, 0.3, 40))
    assert "eval mode" not in advice({"loss": train, "val_loss": beside, "val_accuracy": right}, gain)


def test_swinging_evaluations_ask_for_a_rate_that_comes_down() -> None:
    val = Series.of([1.6, 0.9, 0.6, 0.4, 0.23, 0.43, 0.34, 0.54, 0.25, 0.21])
    told = advice({"loss": FELL, "val_loss": val}, gain)
    assert told.startswith("Let the learning rate come down over the last third: validation swings between 0.34 and")
    falls = Series.of([1.6, 0.9, 0.6, 0.4, 0.38, 0.3, 0.31, 0.2, 0.21, 0.12])  # progress is no swing
    assert "come down" not in advice({"loss": FELL, "val_loss": falls}, gain)
    down = Series.of(np.linspace(0.1, 1e-5, 40))
    assert "come down" not in advice({"loss": FELL, "val_loss": val, "lr": down}, gain)


def test_what_training_learns_beyond_validation_is_not_asked_of_a_constant_answer() -> None:
    val = Series.of(0.5 + 0.06 * np.exp(-np.arange(40) / 2.0) + 1e-3 * np.sin(np.arange(40)))
    by_heart = Series.of(np.geomspace(0.5, 0.001, 40))
    assert advice({"loss": by_heart, "val_loss": val}, gain).startswith("Stop at about step")


def test_a_run_that_evaluated_once_is_to_go_on_while_training_falls() -> None:
    run = run_of({"loss": FELL})
    once = replace(run_of({"loss": FELL, "val_loss": Series.of([0.5])}), roles=run.roles)
    told = gain(once, grounds(once))
    assert told is not None and told.text.startswith("Train on, and evaluate more often: training still falls (")


def test_of_two_precisions_the_stricter_one_rates_a_detector(tmp_path: Path) -> None:
    head = "epoch,train/box_loss,val/box_loss,metrics/mAP50(B),metrics/mAP50-95(B)"
    rows = [f"{i},{2 / (i + 1)},{2.1 / (i + 1)},{0.9 - 0.4 / (i + 1)},{0.6 - 0.4 / (i + 1)}" for i in range(20)]
    (tmp_path / "results.csv").write_text("\n".join([head, *rows, ""]))
    (run,) = curvedoc.analyze(tmp_path).runs
    assert "mAP50-95(B) from 0.2 to 0.58" in run.headline


def test_a_counter_that_began_anew_is_told_and_to_be_restored(tmp_path: Path) -> None:
    loss = [2.3 * 0.98**i for i in range(120)]
    rows = [{"step": i % 60, "loss": v, **({"val_loss": 1.05 * v} if i % 10 == 9 else {})} for i, v in enumerate(loss)]
    (tmp_path / "run.jsonl").write_text("\n".join(json.dumps(r) for r in rows))
    (run,) = curvedoc.analyze(tmp_path).runs
    assert "step counter began anew on the way, while the loss went on" in run.headline


def test_of_a_game_both_networks_are_told(tmp_path: Path) -> None:
    rows = [{"step": i, "g_loss": 0.7 + 0.02 * i, "d_loss": 1.4 * 0.97**i} for i in range(60)]
    (tmp_path / "run.jsonl").write_text("\n".join(json.dumps(r) for r in rows))
    (run,) = curvedoc.analyze(tmp_path).runs
    assert (
        "loss of the generator went from 0.7 to 1.88 and the loss of the discriminator went from 1.4 to" in run.headline
    )


def test_a_plan_that_was_not_done_is_told_before_what_could_be_gained(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"epochs": 30}')
    rows = [json.dumps({"epoch": i, "loss": 2.3 * 0.8**i}) for i in range(1, 11)]
    (tmp_path / "run.jsonl").write_text("\n".join(rows))
    (run,) = curvedoc.analyze(tmp_path).runs
    assert run.headline.startswith("No problem found so far:") and "The log ends at epoch 10 of 30." in run.headline
    assert run.next_action is not None and run.next_action.text.startswith("If it no longer runs, resume it")
    (tmp_path / "config.json").write_text('{"epochs": 10, "overfit_batches": 1}')
    rows = [json.dumps({"epoch": i, "loss": 2.3 * 0.3**i}) for i in range(1, 11)]
    (tmp_path / "run.jsonl").write_text("\n".join(rows))
    (run,) = curvedoc.analyze(tmp_path).runs
    assert "so far" not in run.headline and run.next_action is not None
    assert "Take overfit_batches out of the configuration" in run.next_action.text


def test_columns_that_nothing_is_known_of_are_offered_as_the_loss() -> None:
    run = replace(run_of({"zorp": FELL, "frob": Series.of([1.0, 2.0])}), roles=())
    found = remedy(run, grounds(run))
    assert found is not None and found.text.endswith("--map loss=NAME: the log holds zorp.")


def test_a_validation_loss_that_was_never_filled_is_not_told() -> None:
    def course(val: list[float]) -> str:
        run = run_of({"loss": FELL, "val_loss": Series.of(val)})
        return course_of(run, grounds(run))

    assert "validation from" not in course([0.0] * 8)
    assert "validation from 1.2 to 0.9" in course([0.0, 0.0, 1.2, 1.1, 0.9])
    assert "to 0" in course([1.2, 0.5, 0.0, 0.0])


def test_an_error_that_ended_a_sound_run_is_told_with_how_it_went_until_then(tmp_path: Path) -> None:
    steps = [f"step {i} loss {2.3 * 0.97**i:.4f}" for i in range(60)]
    error = [
        "Traceback (most recent call last):",
        '  File "train.py", line 39, in <module>',
        "    save(x)",
        "KeyError: 'k'",
    ]
    (tmp_path / "train.log").write_text("\n".join([*steps, *error, ""]), encoding="utf-8")
    told = curvedoc.analyze(tmp_path).runs[0].headline
    assert "KeyError" in told and "Until then training was sound: the loss went from 2.3 to" in told


def test_an_error_is_not_laid_to_what_troubles_the_curve(tmp_path: Path) -> None:
    floor = 1.4612 + 0.84 * np.exp(-np.arange(60) / 6)
    steps = [f"step {i} loss {y:.4f} acc {min(0.99, 0.1 + i / 20):.4f}" for i, y in enumerate(floor)]
    error = [
        "Traceback (most recent call last):",
        '  File "train.py", line 39, in <module>',
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.46 GiB. GPU 0 has a total capacity of 32 GiB",
    ]
    (tmp_path / "train.log").write_text("\n".join(["num_classes: 10", *steps, *error]) + "\n", encoding="utf-8")
    run = curvedoc.analyze(tmp_path).runs[0]
    assert run.headline.startswith("Out of memory after step 59") and "softmax" not in run.headline
    softmax = next(c for c in run.causes if c.cause == "double-softmax")
    assert softmax.beside == "double-softmax-floor" and not run.causes[0].beside


def test_a_sound_run_that_was_stopped_by_hand_is_to_go_on(tmp_path: Path) -> None:
    steps = [f"step {i} loss {2.3 * 0.97**i:.4f}" for i in range(60)]
    stop = ["Traceback (most recent call last):", '  File "train.py", line 39, in <module>', "KeyboardInterrupt"]
    (tmp_path / "train.log").write_text("\n".join([*steps, *stop, ""]), encoding="utf-8")
    told = curvedoc.analyze(tmp_path).runs[0]
    assert told.verdict == "ended-early" and told.next_action is not None
    assert told.next_action.text.startswith("Resume from the last checkpoint")


def test_a_curve_that_stood_still_until_an_error_is_not_told_as_progress() -> None:
    assert not moved(Series.of([0.0] * 30)) and moved(FELL)


@pytest.mark.parametrize(
    ("val", "says"),
    [
        ([2.0, 1.0, 0.6, 0.5, 0.4], "validation still fell from 0.5 to 0.4 after step 3"),
        ([2.0, 0.42, 0.41, 0.9, 0.4], ""),  # back from a bump to where it was: nothing gained
        ([2.0, 0.3, 0.41, 0.9, 0.4], "Use the weights of step 1"),
    ],
)
def test_longer_training_is_advised_where_validation_passes_its_best_before(val: list[float], says: str) -> None:
    found = advice({"loss": FELL, "val_loss": Series.of(val)}, gain)
    assert says in found and bool(says) == bool(found)


@pytest.mark.parametrize(
    ("levels", "says"),
    [
        ([20.0, 40.0, 60.0, 70.0, 80.0], "Train on: the reward still rises, to about 80 in the last fifth"),
        ([20.0, 60.0, 80.0, 76.0, 75.0], "Use a checkpoint from near step 29, where the reward was about 80"),
        ([20.0, 60.0, 80.0, 80.0, 80.0], "Stop at about step 20 next time: the reward has stayed at about 80 since."),
        ([20.0, 40.0, 60.0, 80.0, 80.0], ""),
    ],
)
def test_a_reward_is_told_to_go_on_or_where_it_was_best(levels: list[float], says: str) -> None:
    found = advice({"reward": Series.of(np.repeat(levels, 10))}, gain)
    assert says in found and bool(says) == bool(found)


def test_the_best_of_evaluations_without_a_loss_is_taken() -> None:
    right = Series.of([0.5, 0.9, 0.95, 0.8, 0.7])
    assert "validation accuracy was best there (95.0%)" in advice({"loss": FELL, "val_accuracy": right}, gain)


def test_a_run_that_is_rated_is_not_told_to_evaluate() -> None:
    rises, falls = Series.of(np.linspace(0.1, 0.6, 40)), Series.of(np.linspace(0.6, 0.1, 40))
    assert advice({"loss": FELL, "metric": rises}, gain) == ""
    assert "data that it did not train on" in advice({"loss": FELL, "metric": falls}, gain)  # the loss in other units


@pytest.mark.parametrize("role", ["metric", "val_metric"])
def test_the_measure_that_a_run_is_for_is_told_and_its_best_evaluation_taken(role: str) -> None:
    rated = Series.of([*np.linspace(0.1, 0.7, 30), *np.linspace(0.7, 0.5, 10)])
    run = run_of({"loss": FELL, role: rated})
    assert "(best 0.7 at step 30)" in course_of(run, grounds(run))
    assert "Use the weights of step 30" in advice({"loss": FELL, role: rated}, gain)


def test_more_steps_are_not_advised_where_the_learning_rate_has_run_out() -> None:
    val = Series.of([2.0, 1.0, 0.6, 0.5, 0.4])
    rate = Series.of(np.linspace(0.1, 1e-5, 40))
    assert "a schedule twice as long" in advice({"loss": FELL, "val_loss": val, "lr": rate}, gain)
    assert advice({"loss": FELL, "val_loss": val}, gain).startswith(
        "Train on for another 2 steps: validation still fell"
    )


def test_a_last_fifth_that_gained_no_more_than_evaluations_scatter_is_no_reason_to_go_on() -> None:
    assert advice({"loss": FELL, "val_loss": Series.of([2.0, 1.0, 0.6, 0.5, 0.44, 0.42, 0.41, 0.40])}, gain) == ""
    leveled = Series.of([2.0, *np.linspace(0.6, 0.5, 29)])
    assert advice({"loss": FELL, "val_loss": leveled}, gain) == ""
    swings = [2.0, *(0.6 + 0.1 * (-1) ** i for i in range(18)), 0.45]
    assert "still fell" not in advice({"loss": FELL, "val_loss": Series.of(swings)}, gain)


@pytest.mark.parametrize("last", [3.0, -3.0])
def test_a_reward_that_moves_less_than_it_scatters_neither_rises_nor_collapses(last: float) -> None:
    levels = np.repeat([20.0, 60.0, 80.0, 80.0, 80.0 + last], 20)
    noisy = levels + 8.0 * np.random.default_rng(1).standard_normal(100)
    assert advice({"reward": Series.of(noisy)}, gain).startswith("Stop at about step 40 next time")


def test_a_run_of_a_guessed_loss_is_told_to_say_whether_it_is() -> None:
    run = run_of({"loss": FELL})
    guessed = replace(run, roles=tuple(replace(m, trust="guess") for m in run.roles))
    found = remedy(guessed, grounds(guessed))
    assert found is not None and found.text.startswith("Say whether loss is the loss: with --map loss=loss")


def test_a_better_evaluation_near_100_percent_is_not_lost_among_two_percent() -> None:
    right = Series.of([0.5, 0.9, 0.97, 0.99, 0.993, 0.99, 0.96])
    assert "validation accuracy was best there (99.3%)" in advice({"loss": FELL, "val_accuracy": right}, gain)
    level = Series.of([0.3, 0.5, 0.6, 0.59, 0.595])
    assert "best" not in advice({"loss": FELL, "val_accuracy": level}, gain)


def test_the_first_value_that_is_told_is_where_the_chart_begins() -> None:
    rng = np.random.default_rng(1)
    loss = Series.of(0.55 * np.exp(-np.arange(400) / 20) + 0.05 * (1 + 0.3 * rng.standard_normal(400)))
    run = run_of({"loss": loss})
    told = course_of(run, grounds(run), brief=True)
    assert f"went from {loss.value[0]:.4g} to {loss.value[-1]:.4g}" in told


@pytest.mark.parametrize(
    ("missing", "unexpected", "says"),
    [
        ("conv1.weight", "module.conv1.weight", "Strip the prefix 'module.' (left by"),
        ("module.conv1.weight", "conv1.weight", "model.module.load_state_dict(state) at train.py:8"),
        ("conv1.weight", "_orig_mod.conv1.weight", "Strip the prefix '_orig_mod.' (left by"),
        ("conv1.weight", "conv2.weight", "Print the first five keys of the checkpoint"),
    ],
)
def test_keys_that_differ_by_a_prefix_are_told_by_it(missing: str, unexpected: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(
        "Traceback (most recent call last):\n"
        '  File "train.py", line 8, in <module>\n'
        "    model.load_state_dict(checkpoint)\n"
        "RuntimeError: Error(s) in loading state_dict for ResNet:\n"
        f'\tMissing key(s) in state_dict: "{missing}", "bn.bias".\n'
        f'\tUnexpected key(s) in state_dict: "{unexpected}", "fc.bias".\n'
    )
    run = curvedoc.analyze(tmp_path).runs[0]
    assert run.next_action is not None and says in run.next_action.text
    assert ("begin with" in run.causes[0].title) == ("five keys" not in says)


def test_a_checkpoint_as_good_in_both_measures_is_told_alone() -> None:
    run = run_of(
        {
            "loss": FELL,
            "val_loss": Series.of([2.0, 1.0, 0.4, 0.9, 0.8]),
            "val_accuracy": Series.of([0.2, 0.8, 0.95, 0.93, 0.945]),
        }
    )
    found = gain(run, grounds(run))
    assert found is not None and found.text.startswith("Use the weights of step 2, not the last, if they were saved")


@pytest.mark.parametrize(
    ("settings", "curve", "says"),
    [
        (
            {"optimizer": "adamw", "lr": 0.001, "adam_eps": 1.0},
            np.linspace(2.303, 2.25, 200),
            "epsilon at 1e-8 instead of 1 ",
        ),
        (
            {"optimizer": "sgd", "lr": 0.06, "momentum": 0.998},
            [*np.linspace(2.3, 1.5, 80), *np.geomspace(1.5, 60, 120)],
            "Set momentum to 0.9 instead of 0.998",
        ),
    ],
)
def test_the_setting_that_the_evidence_names_is_the_one_to_change(
    settings: dict[str, object], curve: list[float], says: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    rows = [{"step": i, "train_loss": y * (1 + 0.002 * rng.normal())} for i, y in enumerate(curve)]
    (tmp_path / "metrics.jsonl").write_text("\n".join(json.dumps(r) for r in rows), encoding="utf-8")
    (tmp_path / "config.json").write_text(json.dumps({**settings, "num_classes": 10}), encoding="utf-8")
    run = curvedoc.analyze(tmp_path).runs[0]
    assert run.next_action is not None and says in run.next_action.text, (run.headline, run.next_action)


def test_a_rate_that_was_down_for_most_of_the_run_is_told_to_stay_up() -> None:
    rate = Series.of(np.r_[np.full(12, 5e-5), np.full(28, 2.5e-6)])
    told = advice({"loss": FELL, "lr": rate}, gain)
    assert told.startswith("Keep the learning rate up for longer: from step 12 on, for 69% of the run, it was down to")
    late = Series.of(np.r_[np.full(30, 5e-5), np.full(10, 2.5e-6)])
    assert advice({"loss": FELL, "lr": late}, gain).startswith("Evaluate on data")


@pytest.mark.parametrize(
    ("flat", "says"), [(False, "Keep the learning rate up for longer: until it was cut to 0.0006 at"), (True, "")]
)
def test_a_rate_that_was_cut_while_validation_fell_is_told_to_stay_up(flat: bool, says: str) -> None:
    falls = 5.9 - 0.065 * np.arange(12.0)
    before = falls if not flat else np.r_[falls[:6] - 0.5, np.full(6, 5.0)]
    after = before[-1] - (0.08 if not flat else 0.9) * (1 - 0.3 ** np.arange(1, 13))
    rate = Series.of([6e-3] * 12 + [6e-4] * 12)
    val = Series.of(np.r_[before, after])
    found = advice({"loss": FELL, "val_loss": val, "lr": rate}, gain)
    assert found.startswith(says) and ("stay up" in found) is False and (bool(says) or "Keep the learning" not in found)


def test_a_run_that_gained_nothing_for_its_later_half_is_to_stop_earlier() -> None:
    val = Series.of(0.3 + 1.7 * np.exp(-np.arange(40) / 2.5) + 0.001 * np.sin(np.arange(40)))
    assert advice({"loss": FELL, "val_loss": val}, gain).startswith("Stop at about step 15 next time")
    halves = Series.of(1.7 * np.exp(-np.arange(40) / 8.0))
    assert "Stop at" not in advice({"loss": FELL, "val_loss": halves}, gain)
    slower = Series.of(0.3 + 1.7 * np.exp(-np.arange(40) / 8.0) + 0.001 * np.sin(np.arange(40)))
    assert "Stop at" not in advice({"loss": FELL, "val_loss": slower}, gain)
    still = Series.of(np.linspace(0.3, 0.8, 40))
    assert "Stop at" not in advice({"loss": FELL, "val_loss": val, "val_accuracy": still}, gain)


def test_a_reward_that_kept_its_level_for_most_of_the_run_is_to_stop_where_it_came_to_it() -> None:
    rng = np.random.default_rng(3)
    reward = Series.of(np.repeat([40.0, 190.0, 190.0, 190.0, 190.0], 30) + 5.0 * rng.standard_normal(150))
    assert advice({"reward": reward}, gain).startswith("Stop at about step 30 next time: the reward has stayed")


def test_a_reward_that_rises_by_less_than_one_row_scatters_still_rises() -> None:
    rng = np.random.default_rng(4)
    reward = Series.of(np.repeat([20.0, 40.0, 55.0, 62.0, 72.0], 44) + 12.0 * rng.standard_normal(220))
    assert advice({"reward": reward}, gain).startswith("Train on: the reward still rises, to")


def test_what_was_evaluated_once_needs_no_advice_to_evaluate() -> None:
    run = run_of({"loss": FELL})
    once = replace(run_of({"loss": FELL, "val_loss": Series.of([0.5])}), roles=run.roles)
    told = gain(once, grounds(once))
    assert told is None or "did not train on" not in told.text


def test_validation_that_has_risen_again_is_no_reason_to_go_on() -> None:
    val = Series.of([2.3, 1.2, 0.7, 0.4, 0.25, 0.17, 0.16, 0.06, 0.09, 0.11])
    assert "Train on" not in advice({"loss": FELL, "val_loss": val}, gain)


def test_a_level_of_one_rounded_value_is_no_level() -> None:
    val = Series.of([0.158, 0.08, 0.04, *[0.019] * 30])
    assert "Stop at" not in advice({"loss": FELL, "val_loss": val}, gain)


def _told_of(tmp_path: Path, text: str) -> tuple[str, str]:
    """Headline and first action of a text log."""
    (tmp_path / "train.log").write_text(text, encoding="utf-8")
    run = curvedoc.analyze(tmp_path).diagnosis.runs[0]
    return run.headline, run.next_action.text if run.next_action else ""


def test_a_bare_number_beside_evaluations_counts_epochs(tmp_path: Path) -> None:
    rows = (f"[{i:3d}/12] train={1.2 - 0.05 * i:.4f} valid={1.3 - 0.04 * i:.4f} lr=1e-3\n" for i in range(1, 13))
    assert "by epoch 12" in _told_of(tmp_path, "".join(rows))[0]


def test_a_batch_within_an_epoch_is_told_with_its_epoch(tmp_path: Path) -> None:
    rows = [
        f"Train Epoch: {e} [{i * 32}/320 ({i * 10}%)]\tLoss: {2.3 - 0.2 * e - 0.01 * i:.4f}\n"
        for e in (1, 2, 3)
        for i in range(10)
    ]
    died = 'Traceback (most recent call last):\n  File "lab.py", line 9, in <module>\n    step(x)\nRuntimeError: bad\n'
    headline = _told_of(tmp_path, "".join(rows[:25]) + died)[0]
    assert "after sample 128 of epoch 3 at lab.py:9" in headline, headline


def test_what_the_scheduler_writes_behind_a_bar_is_read(tmp_path: Path) -> None:
    rows = "".join(f"Epoch {i} loss {2.3 - 0.1 * i:.2f}\n" for i in range(1, 9))
    bar = " 15%|#5        | 50/334 [01:07<08:55,  1.89s/it]"
    said = "slurmstepd-node1: error: *** JOB 36361 ON node1 CANCELLED AT 2021-07-19T17:50:09 ***\n"
    assert _told_of(tmp_path, rows + bar + said)[0].startswith("The job was cancelled after epoch 8")


@pytest.mark.parametrize(("said", "condition"), [("", True), ("Saving best model to best.pt\n", False)])
def test_weights_are_offered_on_condition_unless_the_log_says_they_were_saved(
    tmp_path: Path, said: str, condition: bool
) -> None:
    losses = (1.0, 0.6, 0.4, 0.3, 0.25, 0.29, 0.28)
    rows = (f"epoch {i} train_loss {1.1 - 0.1 * i:.3f} val_loss {v}\n{said}" for i, v in enumerate(losses))
    action = _told_of(tmp_path, "".join(rows))[1]
    assert action.startswith("Use the weights of epoch 4") and ("if they were saved" in action) is condition, action


def test_a_result_told_in_a_line_is_quoted(tmp_path: Path) -> None:
    rows = "".join(f"Epoch {i}/40 | Loss: {0.3 + 0.5 * 0.8**i:.4f}\n" for i in range(1, 41))
    headline, action = _told_of(tmp_path, rows + "Recall   : 0.5208\nIoU Score: 0.42532\n")
    assert "IoU Score 0.4253" in headline + action and "no validation" not in headline
