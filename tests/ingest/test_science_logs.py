"""Logs of programs that learn physics, populations and federations, which name little of what they print."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from corpus import SIGNALS

from curvedoc import analyze
from curvedoc.ingest.read import read_runs

_RISING = [-20 * math.exp(-i / 12) + 4 + 0.3 * math.sin(2.1 * i) for i in range(60)]


def roles(place: Path) -> dict[str, str]:
    (run,) = read_runs([place], signals_file=SIGNALS).runs
    return {m.role: m.metric for m in reversed(run.roles)}


def test_terms_under_a_comment_that_names_their_lists_are_summed(tmp_path: Path) -> None:
    rows = ["# step, loss_train, loss_test, metrics_test"]
    for i in range(9):
        a, b, c = 2.0 * 0.5**i, 0.03 * 0.7**i, 0.4 * 0.6**i
        rows.append(" ".join(f"{v:.12e}" for v in (1000 * i, a, b, c, 1.1 * a, b, 1.02 * c, 0.9 - 0.05 * i)))
    (tmp_path / "loss.dat").write_text("\n".join(rows) + "\n")
    (run,) = read_runs([tmp_path], signals_file=SIGNALS).runs
    loss, val, measure = (run.metric(n) for n in ("loss_train", "loss_test", "metrics_test"))
    assert loss is not None and val is not None and measure is not None
    assert (len(loss), loss.value[0], val.value[0]) == (9, pytest.approx(2.43), pytest.approx(2.638))
    assert measure.value[-1] == pytest.approx(0.5)
    assert {m.role: m.metric for m in reversed(run.roles)}["loss"] == "loss_train"


def test_printed_terms_of_a_loss_are_summed_over_both_optimizers(tmp_path: Path) -> None:
    lines = ["Step      Train loss              Test loss               Test metric"]
    for i in range(12):
        a, b = 30 * 0.4**i, 2 * 0.6**i
        lines.append(f"{1000 * i:<10}[{a:.2e}, {b:.2e}]    [{a:.2e}, {b:.2e}]    []  ")
    lines += [
        "",
        "Best model at step 11000:",
        "  train loss: 8.51e-03",
        "  test loss: 8.51e-03",
        "  test metric: []",
        "",
    ]
    lines += [f"{11000 + 100 * i:<10}[{1e-3 / i:.2e}, {7e-3 / i:.2e}]            " for i in range(1, 6)]
    (tmp_path / "train.log").write_text("\n".join(lines) + "\n")
    (run,) = read_runs([tmp_path], signals_file=SIGNALS).runs
    loss, val = run.series("loss"), run.series("val_loss")
    assert loss is not None and val is not None
    assert (len(loss), loss.value[0], len(val)) == (17, pytest.approx(32.0), 12)
    assert loss.value[-1] == pytest.approx(1.6e-3)


def test_ten_columns_in_a_file_called_loss_begin_with_the_loss(tmp_path: Path) -> None:
    rows = [
        " ".join(f"{v:.5f}" for v in (0.2 + 1 / (1 + i), *[0.01 * k / (1 + i) for k in range(1, 9)])) for i in range(40)
    ]
    (tmp_path / "loss.out").write_text("".join(f"{100 * (i + 1)} {row}\n" for i, row in enumerate(rows)))
    assert roles(tmp_path)["loss"] == "loss"


def test_a_population_writes_its_best_and_its_mean(tmp_path: Path) -> None:
    best = [max(_RISING[: i + 1]) + 5 for i in range(len(_RISING))]
    rows = [f"{b} {m}\n" for b, m in zip(best, _RISING, strict=True)]
    (tmp_path / "fitness_history.csv").write_text("\n".join(rows))
    (run,) = analyze([tmp_path]).runs
    assert run.verdict == "healthy"
    assert run.headline.count("mean fitness_history") == 1


def test_how_often_a_population_explores_is_no_learning_rate(tmp_path: Path) -> None:
    rows = [f"{i + 1},{v + 3},{v},0.1" for i, v in enumerate(_RISING)]
    (tmp_path / "log.csv").write_text("Generation,Best_Fitness,Avg_Fitness,Epsilon\n" + "\n".join(rows) + "\n")
    assert "lr" not in roles(tmp_path)


def test_times_of_boosting_are_no_loss(tmp_path: Path) -> None:
    lines = []
    for i in range(80):
        total, left = 3.4 * (i + 1), 3.4 * (79 - i)
        spent = f"{total:.2f}s" if total < 60 else f"{total // 60:.0f}m {total % 60:.0f}s"
        value = 0.97 - 0.5 * 0.95**i + 0.002 * math.sin(3.1 * i)
        rest = f"remaining: {left // 60:.0f}m {left % 60:.0f}s"
        lines.append(f"{i}:\tlearn: {value:.7f}\ttotal: {spent}\t{rest}")
    (tmp_path / "train.log").write_text("\n".join(lines) + "\n")
    (run,) = analyze([tmp_path]).runs
    assert run.verdict == "healthy"
    assert run.findings == () or all(f.kind != "pathology" for f in run.findings)


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_rounds_of_a_federation_whose_model_every_row_names(tmp_path: Path, kind: str) -> None:
    """The model and the data are the same in every row, so that they name no sample."""
    keys = ("round", "phase", "dataset", "model", "client", "train_loss", "global_loss", "accuracy", "sent")
    rows: list[tuple[object, ...]] = []
    for i in range(1, 16):
        for k in range(2):
            rows.append((i, "train", "digits", "small", f"c{k}", 2.2 * 0.9**i + 0.02 * k, "", "", 900 * i))
        rows.append((i, "eval", "digits", "small", "server", "", 2.3 * 0.91**i, 0.9 - 0.8 * 0.9**i, 1800 * i))
    if kind == "csv":
        text = ",".join(keys) + "\n" + "".join(",".join(map(str, r)) + "\n" for r in rows)
    else:
        text = "".join(json.dumps(dict(zip(keys, r, strict=True))) + "\n" for r in rows)
    (tmp_path / f"metrics.{kind}").write_text(text)
    found = roles(tmp_path)
    assert found["loss"] == "train_loss" and found["val_loss"] == "eval/global_loss"


def test_the_only_table_of_a_folder_is_meant(tmp_path: Path) -> None:
    """Rewards that never rise do not behave like a curve, and nothing names their counter."""
    rows = [f"{i},{-170 + 60 * math.sin(7.3 * i * i)},0.99" for i in range(200)]
    (tmp_path / "rewards.csv").write_text(",rewards,discount\n" + "\n".join(rows) + "\n")
    assert roles(tmp_path)["reward"] == "rewards"
    (tmp_path / "rewards.csv").rename(tmp_path / "drive.csv")
    (tmp_path / "drive.csv").write_text(",steering,throttle\n" + "\n".join(rows) + "\n")
    assert read_runs([tmp_path], signals_file=SIGNALS).runs == ()


def test_errors_of_a_potential_are_no_grades(tmp_path: Path) -> None:
    """The error of the forces is called f, and each row is of one batch on both sides."""
    lines = ["#  step      rmse_val    rmse_trn    rmse_e_val  rmse_e_trn    rmse_f_val  rmse_f_trn         lr"]
    for i in range(400):
        rate = 1e-3 * 10 ** (-(i // 40) / 2)
        a, b = (
            (0.01 + 9 / (1 + i)) * (1 + 0.1 * math.sin(3.7 * i * i)),
            (0.01 + 9 / (1 + i)) * (1 + 0.1 * math.sin(5.3 * i * i)),
        )
        lines.append(" ".join(f"{v:.2e}" for v in (a, b, a / 300, b / 290, a / 40, b / 41, rate)))
        lines[-1] = f"{100 * i:7d} " + lines[-1]
    (tmp_path / "lcurve.out").write_text("\n".join(lines) + "\n")
    (run,) = analyze([tmp_path]).runs
    assert [f.symptom for f in run.findings if f.kind == "pathology"] == []


def test_a_text_that_changes_where_epochs_begin_anew_names_a_training(tmp_path: Path) -> None:
    rows = [
        f"{name},{i},{2.3 * k**i:.4f},{2.4 * k**i:.4f}"
        for name, k in (("HingeLoss", 0.9), ("NLLLoss", 0.8))
        for i in range(9)
    ]
    for column in ("Criterion", "Activation Fn"):
        (tmp_path / "results.csv").write_text(f"{column},Epoch,Train Loss,Test Loss\n" + "\n".join(rows) + "\n")
        assert len(read_runs([tmp_path], signals_file=SIGNALS).runs) == 2


def test_how_far_a_bar_of_an_evaluation_is_is_no_metric(tmp_path: Path) -> None:
    lines = []
    for e in range(6):
        lines += [f"Epoch {e}:  {20 * k}%|##   | {k}/5 [00:0{k}<00:05,  1.10it/s, v_num=ab1]" for k in range(1, 6)]
        lines += [f"Validation DataLoader 0:  {25 * k}%|##   | {k}/4 [00:0{k}<00:01,  3.4{k}it/s]" for k in range(1, 5)]
    cell = {"cell_type": "code", "outputs": [{"output_type": "stream", "name": "stdout", "text": "\n".join(lines)}]}
    (tmp_path / "train.ipynb").write_text(
        json.dumps({"cells": [{"source": "", "metadata": {}, **cell}], "nbformat": 4})
    )
    runs = read_runs([tmp_path / "train.ipynb"], signals_file=SIGNALS).runs
    assert not any("DataLoader" in name for run in runs for name in run.metrics())


def test_generations_tell_their_least_mean_and_most(tmp_path: Path) -> None:
    rows = [f"{i:<5}{100:<7}{v:<9.4f}{v - 9:<9.4f}{v + 4:<9.4f}\n" for i, v in enumerate(_RISING)]
    (tmp_path / "train.log").write_text("gen  nevals avg      min      max\n" + "".join(rows))
    assert roles(tmp_path)["reward"] == "avg"


def test_a_population_prints_its_average_fitness(tmp_path: Path) -> None:
    text = ""
    for i, v in enumerate(_RISING):
        text += f"\n ****** Running generation {i} ****** \n\nPopulation's average fitness: {v:.5f} stdev: 2.1{i % 9}\n"
        text += f"Best fitness: {v + 6:.5f} - size: (2, {5 + i // 9}) - species 1 - id {(37 * i) % 101}\n"
    (tmp_path / "evolve.log").write_text(text)
    (run,) = read_runs([tmp_path], signals_file=SIGNALS).runs
    reward = run.series("reward")
    assert reward is not None and len(reward) == len(_RISING)


def test_a_loss_of_training_that_is_called_an_evaluation(tmp_path: Path) -> None:
    lines = [
        f"INFO:trainer:Epoch[{i}] Evaluation metric '{name}epoch_loss'={k * (1 + 2 * 0.9**i):.6f}\n"
        for i in range(20)
        for name, k in (("", 1.0), ("validation_", 1.2))
    ]
    (tmp_path / "train.log").write_text("".join(lines))
    (run,) = read_runs([tmp_path], signals_file=SIGNALS).runs
    loss, val = run.series("loss"), run.series("val_loss")
    assert loss is not None and val is not None and (loss.value[0], val.value[0]) == (3.0, pytest.approx(3.6))


def test_a_best_score_that_is_whole_counts_nothing(tmp_path: Path) -> None:
    rows = [f"{3.0 + i // 4 % 5 + 2 * (i > 30)} {1.5 + 0.02 * i + 0.01 * math.sin(i)}" for i in range(60)]
    (tmp_path / "fitness_history.csv").write_text("\n".join(rows) + "\n")
    (run,) = read_runs([tmp_path], signals_file=SIGNALS).runs
    assert len(run.metrics()) == 2


def test_a_column_that_numpy_saved(tmp_path: Path) -> None:
    (tmp_path / "loss_history.csv").write_text("".join(f"{0.3 / (1 + i):.18e}\n" for i in range(9)))
    assert len(read_runs([tmp_path], signals_file=SIGNALS).runs) == 1
    (tmp_path / "loss_history.csv").rename(tmp_path / "accuracy.csv")
    assert read_runs([tmp_path], signals_file=SIGNALS).runs == ()
    (tmp_path / "accuracy.csv").unlink()
    (tmp_path / "rewards.csv").write_text("".join(f"{-21 + i // 3:.18e}\n" for i in range(90)))
    assert len(read_runs([tmp_path], signals_file=SIGNALS).runs) == 1


def test_a_monitor_with_a_blank_behind_its_mark(tmp_path: Path) -> None:
    rows = "".join(f"{v + 30},{i % 7 + 9},{i / 3:.2f}\n" for i, v in enumerate(_RISING))
    (tmp_path / "0.0.monitor.csv").write_text('# {"t_start": 155.2, "env_id": "Cars-v0"}\nr,l,t\n' + rows)
    assert roles(tmp_path)["reward"] == "reward"


def test_a_least_a_mean_and_a_most_beside_losses_are_of_something_else(tmp_path: Path) -> None:
    lines = [
        f"INFO value loss: {0.5 / (1 + i)}, policy gradient loss: {0.1 * math.sin(i)}, entropy: -0.6{i % 9}, "
        f"max: 1.0{i % 7 + 1}, min: 0.2{i % 8}, avg: 0.7{i % 6}, episode: {i}\n"
        for i in range(60)
    ]
    (tmp_path / "learner.log").write_text("".join(lines))
    assert {"loss", "reward"}.isdisjoint(roles(tmp_path))
