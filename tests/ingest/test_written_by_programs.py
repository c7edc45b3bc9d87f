"""What single famous programs write: a quantity by its count, mean and deviation, splits by the names of files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import signals_file

pytestmark = pytest.mark.fast


def read(folder: Path) -> list[Run]:
    return list(read_runs([folder], signals_file=signals_file()).runs)


def test_a_quantity_told_by_count_mean_and_deviation_is_its_mean(tmp_path: Path) -> None:
    rows = []
    for i in range(12):
        told = {"Loss/G/loss": 1 + i / 20, "Loss/D/loss": 1.4 - i / 30, "Loss/scores/fake": -0.3 - i / 20}
        row = {name: {"num": 32 * (1 + i % 3), "mean": v, "std": 0.5} for name, v in told.items()}
        rows.append(row | {"Progress/tick": {"num": 1, "mean": i, "std": 0.0}, "timestamp": 1.9e9 + i})
    (tmp_path / "stats.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (run,) = read(tmp_path)
    loss = run.metric("Loss/G/loss")
    assert loss is not None
    assert loss.value.tolist() == [1 + i / 20 for i in range(12)]
    roles = {m.metric: m.role for m in run.roles}
    assert roles["Loss/G/loss"] == roles["Loss/D/loss"] == "game_loss"
    assert "Loss/scores/fake" not in roles
    assert not [n for n in run.metrics() if n.endswith("/num")]


def test_how_long_a_run_takes_so_far_is_no_time_of_a_step(tmp_path: Path) -> None:
    text = ""
    for i in range(90):
        hours, rest = divmod(130 * (i + 1), 3600)
        so_far = f"{hours}h {rest // 60:02}m {rest % 60:02}s" if hours else f"{rest // 60}m {rest % 60:02}s"
        text += f"tick {i}  loss {2 / (i + 1):.3f}  time {so_far}  sec/tick 130.0\n"
    (tmp_path / "log.txt").write_text(text)
    (run,) = read(tmp_path)
    assert "step_time" not in {m.role for m in run.roles}
    assert len(run.series("loss") or ()) == 90


def test_boosting_is_one_run_whose_files_are_called_by_what_they_learn_and_test(tmp_path: Path) -> None:
    for name, more in (("learn", 0.0), ("test", 0.1)):
        rows = "".join(f"{i}\t{0.7 / (1 + i / 9) + more:.6f}\n" for i in range(40))
        (tmp_path / f"{name}_error.tsv").write_text(f"iter\tLogloss\n{rows}")
    text = "".join(
        f"{i}:\tlearn: {0.7 / (1 + i / 9):.6f}\ttest: {0.7 / (1 + i / 9) + 0.1:.6f}\tbest: 0.3 (39)\ttotal: 9ms\n"
        for i in range(0, 40, 10)
    )
    (tmp_path / "boosting.txt").write_text(text)
    (run,) = read(tmp_path)
    assert {"loss", "val_loss"} <= {m.role for m in run.roles}


def test_the_history_of_a_federated_training_is_read_by_rounds(tmp_path: Path) -> None:
    rounds = [(r, 2.0 / r, 0.9 - 0.6 / r) for r in range(1, 9)]
    text = "INFO :      Starting simulation, config: num_rounds=8\n"
    text += "".join(f"INFO :      [ROUND {r}]\nINFO :      aggregate_fit: received 5 results\n" for r, *_ in rounds)
    text += "INFO :      \tHistory (loss, distributed):\n"
    text += "".join(f"INFO :      \t\tround {r}: {v}\n" for r, v, _ in rounds)
    text += "INFO :      \tHistory (metrics, distributed, evaluate):\n"
    pairs = "".join(f"INFO :      \t              ({r}, {a})%\n" for r, _, a in rounds).replace(")%\n", "),\n")
    text += pairs.replace(" " * 14 + "(1,", "{'accuracy': [(1,")[:-2] + "]}\n"
    (tmp_path / "run.log").write_text(text)
    (run,) = read(tmp_path)
    loss, right = run.series("val_loss"), run.series("val_accuracy")
    assert loss is not None
    assert right is not None
    assert loss.step.tolist() == right.step.tolist() == list(range(1, 9))
    assert loss.value.tolist() == [v for _, v, _ in rounds]
    assert right.value.tolist() == [a for _, _, a in rounds]


def test_histories_on_single_lines_are_read_too(tmp_path: Path) -> None:
    pairs = [(r, 2.0 / r) for r in range(1, 9)]
    head = "INFO app 2031-01-02 03:04:05,678 | server.py:148 | app_fit: "
    text = f"{head}losses_distributed {pairs}\n{head}metrics_distributed_fit {{'loss': {pairs}}}\n"
    (tmp_path / "run.log").write_text(text)
    (run,) = read(tmp_path)
    assert {m.role: len(run.series(m.role) or ()) for m in run.roles} == {"loss": 8, "val_loss": 8}


def test_records_over_several_lines_that_two_handlers_write_are_read_once(tmp_path: Path) -> None:
    text = ""
    for i in range(1, 13):
        pairs = f"'Loss/box': {3 / i:.4f},\n 'Loss/total_loss': {4 / i:.4f},\n 'learning_rate': {0.1 / i:.5f}}}\n"
        for head in ("INFO:app:", f"I0601 10:00:{i:02} 1398 loop.py:705] "):
            text += f"{head}Step {100 * i} per-step time 0.5s\n"
        for head in ("INFO:app:", f"I0601 10:00:{i:02} 1398 loop.py:708] "):
            text += f"{head}{{{pairs}"
    (tmp_path / "run.log").write_text(text)
    (run,) = read(tmp_path)
    loss = run.series("loss")
    assert loss is not None
    assert loss.step.tolist() == list(range(100, 1300, 100))


def test_a_speed_ahead_of_a_name_is_no_part_of_it_and_an_error_in_percent_is_none_of_accuracy(tmp_path: Path) -> None:
    text = ""
    for e in range(1, 9):
        for b in (1, 10, 20):
            loss = 2.3 / (e + b / 20)
            text += (
                f"train: epoch {e:02}: {b:3}/ 20: 5156.3 (5187.9) Hz objective: {loss:.3f} top1err: {loss / 3:.3f}\n"
            )
        text += f"val: epoch {e:02}:   5/  5: 9033.4 (8993.1) Hz objective: {2 / e:.3f} top1err: {0.6 / e:.3f}\n"
    (tmp_path / "run.txt").write_text(text)
    (run,) = read(tmp_path)
    names = {m.role: m.metric for m in run.roles}
    assert names["loss"] == "objective"
    assert names["val_loss"] == "val objective"
    assert "accuracy" not in names


def test_an_evaluation_that_says_of_how_many_batches_it_was_stands_where_training_was(tmp_path: Path) -> None:
    text = ""
    for i in range(1, 41):
        head = f"2031-11-03 10:30:{i:02},402 - seg - INFO - "
        text += f"{head}Iter [{50 * i}/2000]\tlr: 9.9e-03, time: 0.42, loss: {2 / i:.4f}\n"
        if i % 8 == 0:
            text += f"{head}Iter(val) [125]\taAcc: 0.{i + 40}00, mIoU: 0.{i + 20}00\n"
    (tmp_path / "run.log").write_text(text)
    (run,) = read(tmp_path)
    overlap = run.series("val_metric")
    assert overlap is not None
    assert overlap.step.tolist() == [400, 800, 1200, 1600, 2000]
    assert overlap.value.tolist() == pytest.approx([0.28, 0.36, 0.44, 0.52, 0.6])


def test_a_dash_between_a_name_and_its_number_is_no_part_of_the_name(tmp_path: Path) -> None:
    text = ""
    for e in range(8):
        text += f"\nEpoch: {e}\n"
        for split, more in (("train", 0.0), ("valid", 0.1)):
            text += (
                f"{split}: 100%|██████████| 46/46 [00:32<00:00,  1.39it/s, dice_loss - {0.5 / (e + 1) + more:.4f}]\n"
            )
    (tmp_path / "run.log").write_text(text)
    (run,) = read(tmp_path)
    assert {m.role: m.metric for m in run.roles} == {"loss": "dice_loss", "val_loss": "valid dice_loss"}


def test_a_heading_counts_rounds_whatever_stands_behind_it(tmp_path: Path) -> None:
    def tested(r: int) -> str:
        return "".join(
            f"{split}_loss: {4 / (r + 1) + more:.5f}, 10th percentile: 0.{r + 10}, 90th percentile 5.{r + 10}\n"
            for split, more in (("train", 0.0), ("test", 0.2))
        )

    text = "Clients in Total: 194\n--- Random Initialization ---\n" + tested(0)
    for r in range(1, 41):
        text += f"--- Round {r} of 40: Training 10 Clients ---\n" + (tested(r) if r % 5 == 0 else "")
    (tmp_path / "run.out").write_text(text)
    (run,) = read(tmp_path)
    for role in ("loss", "val_loss"):
        series = run.series(role)
        assert series is not None
        assert series.step.tolist() == list(range(0, 41, 5))
