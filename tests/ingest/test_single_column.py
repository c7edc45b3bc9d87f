"""A table of one column is a log where its values go on from row to row; times beside a loss are no sum of it."""

from pathlib import Path

import pytest

import curvedoc
from curvedoc.core.errors import CurvedocError


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
