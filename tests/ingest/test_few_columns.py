"""Tables of a column or two, event files that begin anew, and what is written often at the end of each epoch."""

from pathlib import Path

import pytest

import curvedoc
from curvedoc.core.errors import CurvedocError

tensorboardX = pytest.importorskip("tensorboardX")


def test_times_that_follow_a_loss_are_no_sum_of_it(tmp_path: Path) -> None:
    lines = [
        f"Step {100 * i} | loss: {5.6 * 0.97**i + 0.5:.4f} | Forward dt: {9000 * 0.2**i + 9:.2f} | "
        f"Backward dt: {9000 * 0.2**i + 16 + 5.6 * 0.97**i:.2f}"
        for i in range(60)
    ]
    (tmp_path / "step_log.txt").write_text("\n".join(lines))
    (run,) = curvedoc.read(tmp_path)
    assert {m.metric for m in run.matches("loss")} == {"loss"}


def test_a_table_of_one_accuracy_that_goes_on_is_a_log(tmp_path: Path) -> None:
    rows = [f"{80 * (1 - 0.97**i) + (i * 7919 % 13) / 5:.3f}" for i in range(120)]
    (tmp_path / "results.csv").write_text("Average Accuracy\n" + "\n".join(rows) + "\n")
    (run,) = curvedoc.read(tmp_path)
    assert len(run.matches("accuracy")) == 1


def test_accuracies_of_folds_in_a_table_of_their_own_are_no_log(tmp_path: Path) -> None:
    rows = [f"{80 + (i * 7919 % 13) / 5:.3f}" for i in range(60)]
    (tmp_path / "results.csv").write_text("Average Accuracy\n" + "\n".join(rows) + "\n")
    with pytest.raises(CurvedocError, match="no "):
        curvedoc.read(tmp_path)


def test_rewards_alone_and_rewards_of_counted_games_are_logs(tmp_path: Path) -> None:
    paid = [float(i * 7919 % 23) for i in range(200)]
    alone, counted = tmp_path / "a", tmp_path / "b"
    alone.mkdir(), counted.mkdir()
    (alone / "FIFO_log_0.csv").write_text("reward\n" + "".join(f"{r}\n" for r in paid))
    (counted / "defend.csv").write_text("game,total_reward\n" + "".join(f"{i + 1},{r}\n" for i, r in enumerate(paid)))
    for folder in (alone, counted):
        (run,) = curvedoc.read(folder)
        assert len(run.series("reward") or ()) == 200


def test_the_header_of_columns_without_a_name_is_none(tmp_path: Path) -> None:
    rows = [f"{i},{2 * 0.9**i + 0.4:.6f},{0.8 * 0.95**i + 0.1:.6f}" for i in range(60)]
    (tmp_path / "loss.csv").write_text(",0,1\n" + "\n".join(rows) + "\n")
    (run,) = curvedoc.read(tmp_path)
    assert len(run.series("loss") or ()) == 60


def test_ten_grades_at_the_end_of_each_epoch_hide_no_epoch(tmp_path: Path) -> None:
    text = ""
    for epoch in range(1, 6):
        for step in range(0, 336, 48):
            text += f"Train: [ {epoch}/5] Step {step:03}/336 Loss {200 / (336 * (epoch - 1) + step + 20):.3f}\n"
        text += f"Valid: [ {epoch}/5] Final Accuracy 0.{300 + 50 * epoch} Recall 0.{200 + 50 * epoch}\n"
        for name in ("name", "place", "film", "post", "firm", "scene", "state", "book", "game", "song"):
            text += f"Category: {name} Accuracy 0.{100 + 60 * epoch} Recall 0.{150 + 60 * epoch}\n"
    (tmp_path / "log.txt").write_text(text)
    (run,) = curvedoc.read(tmp_path)
    assert len(run.series("loss") or ()) == 35


def _events(folder: Path, at: int, steps: range, level: float) -> None:
    with tensorboardX.SummaryWriter(str(folder), filename_suffix=f".{at}") as writer:
        for k, i in enumerate(steps):
            writer.add_scalar("train/loss", level * 0.98**i + 0.1, i, walltime=1.7e9 + at + k)


@pytest.mark.parametrize(("second", "runs"), [(range(0, 90), 2), (range(0, 6), 2), (range(60, 140), 1)])
def test_an_event_file_that_begins_anew_is_a_training_of_its_own(tmp_path: Path, second: range, runs: int) -> None:
    _events(tmp_path, 0, range(0, 100), 2.0)
    _events(tmp_path, 5000, second, 2.3)
    assert len(curvedoc.read(tmp_path)) == runs


def test_a_start_that_died_at_once_is_an_attempt_of_the_next(tmp_path: Path) -> None:
    _events(tmp_path, 0, range(0, 3), 2.0)
    _events(tmp_path, 5000, range(0, 100), 2.3)
    assert len(curvedoc.read(tmp_path)) == 1


def test_attempts_that_their_folders_name_are_of_one_run(tmp_path: Path) -> None:
    _events(tmp_path / "attempt_0", 0, range(0, 100), 2.0)
    _events(tmp_path / "attempt_1", 5000, range(0, 90), 2.3)
    assert len(curvedoc.read(tmp_path)) == 1
