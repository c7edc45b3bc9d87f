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
