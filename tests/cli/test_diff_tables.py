"""`curvedoc diff TABLE`: the settings that part the runs of a table, as W&B, MLflow and Optuna export it."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from curvedoc.cli.app import app
from curvedoc.core.files.output_file import is_own

#: number, rate, optimizer, batch size, whether it went wrong, final loss
Trial = tuple[int, float, str, int, bool, float]


def trials() -> list[Trial]:
    """Thirty runs: those at a high rate go wrong, and SGD ends half a unit higher than Adam."""
    rng = random.Random(7)
    rates = [10 ** rng.uniform(-4, -1) for _ in range(30)]
    kinds = [rng.choice(["adam", "sgd"]) for _ in rates]
    return [
        (i, lr, kind, rng.choice([16, 32, 64]), lr > 0.02, 0.3 + 0.5 * (kind == "sgd") + 0.1 * rng.random())
        for i, (lr, kind) in enumerate(zip(rates, kinds, strict=True))
    ]


def wandb(t: Trial) -> dict[str, Any]:
    i, lr, kind, batch, wrong, loss = t
    return {
        "Name": f"misty-sweep-{i}", "State": "crashed" if wrong and i % 2 else "finished", "Notes": "-", "User": "me",
        "Tags": "", "Created": f"2024-05-{1 + i % 28:02}T10:00:00.000Z", "Runtime": 1000 + i, "Sweep": "k3x9",
        "batch_size": batch, "learning_rate": lr, "optimizer": kind, "epoch": 10, "val_loss": "NaN" if wrong else loss,
    }  # fmt: skip


def mlflow(t: Trial) -> dict[str, Any]:
    i, lr, kind, batch, wrong, loss = t
    return {
        "run_id": f"{i * 7919:032x}", "experiment_id": 0, "status": "FAILED" if wrong else "FINISHED",
        "artifact_uri": "./mlruns/0", "start_time": "2024-01-01 10:00:00", "end_time": "2024-01-01 11:00:00",
        "metrics.val_loss": "" if wrong else loss, "params.lr": lr, "params.batch_size": batch,
        "params.optimizer": kind, "tags.mlflow.runName": f"run {i}",
    }  # fmt: skip


def optuna(t: Trial) -> dict[str, Any]:
    i, lr, kind, batch, wrong, loss = t
    return {
        "": i, "number": i, "value": "" if wrong else loss, "datetime_start": "2024-01-01 10:00:00.1",
        "datetime_complete": "2024-01-01 11:00:00.2", "duration": "0 days 01:00:00", "params_lr": lr,
        "params_batch_size": batch, "params_optimizer": kind, "state": "FAIL" if wrong else "COMPLETE",
    }  # fmt: skip


def written(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    with path.open("w", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows(rows)
    return path


def diff(*args: str) -> str:
    done = CliRunner().invoke(app, ["diff", *args])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize(("row", "result"), [(wandb, "val_loss"), (mlflow, "val_loss"), (optuna, "value")])
def test_settings_that_part_the_runs_are_told(tmp_path: Path, row: Callable[[Trial], Any], result: str) -> None:
    runs = trials()
    path = written(tmp_path / "runs.csv", [row(t) for t in runs])
    made = json.loads(diff(str(path), "-f", "json"))
    wrong, upper = made["parts"]
    assert (made["runs"], made["settings"]) == (30, ["batch_size", "lr", "optimizer"])
    assert (wrong["outcome"], wrong["counted"]) == ("went wrong", sum(t[4] for t in runs))
    assert [c["key"] for c in wrong["contrasts"]] == ["lr"] and wrong["contrasts"][0]["healthy_of"][0] == 0
    assert upper["outcome"] == f"ended in the upper half by {result}"
    assert [c["key"] for c in upper["contrasts"]] == ["optimizer"]
    said = diff(str(path))
    assert f"{wrong['counted']} of 30 runs went wrong:" in said and "optimizer = sgd" in said


def test_settings_that_have_nothing_to_do_with_it_are_not_told(tmp_path: Path) -> None:
    rng = random.Random(1)
    rows = [optuna((i, lr, kind, batch, False, rng.random())) for i, lr, kind, batch, _, _ in trials()]
    made = json.loads(diff(str(written(tmp_path / "t.csv", rows)), "-f", "json"))
    assert [(p["outcome"], p["contrasts"]) for p in made["parts"]] == [("ended in the upper half by value", [])]


def test_runs_that_are_not_over_are_left_out(tmp_path: Path) -> None:
    rows = [optuna(t) for t in trials()]
    for row in rows[:4]:
        row["state"] = "RUNNING"
    assert "26 runs, 4 more are not over" in diff(str(written(tmp_path / "t.csv", rows)))


def test_one_result_is_looked_at_where_it_is_named(tmp_path: Path) -> None:
    rows = [{**wandb(t), "train_loss": t[5]} for t in trials()]
    path = written(tmp_path / "t.csv", rows)
    outcomes = [p["outcome"] for p in json.loads(diff(str(path), "--by", "train_loss", "-f", "json"))["parts"]]
    assert outcomes == ["went wrong", "ended in the upper half by train_loss"]
    done = CliRunner().invoke(app, ["diff", str(path), "--by", "nothing"])
    assert done.exit_code == 2 and "no result 'nothing'" in done.output


def test_a_log_alone_is_no_table_and_analyze_points_at_diff(tmp_path: Path) -> None:
    log = written(tmp_path / "log.csv", [{"step": i, "loss": 2 / (i + 1)} for i in range(30)])
    done = CliRunner().invoke(app, ["diff", str(log)])
    assert done.exit_code == 2 and "give both of them" in done.output
    table = written(tmp_path / "runs.csv", [mlflow(t) for t in trials()])
    done = CliRunner().invoke(app, ["analyze", str(table)])
    assert done.exit_code == 4 and "curvedoc diff" in done.output and "its rows are runs" in done.output


def test_a_table_is_told_as_markdown_and_as_a_page(tmp_path: Path) -> None:
    path, page = written(tmp_path / "runs.csv", [wandb(t) for t in trials()]), tmp_path / "page.html"
    told = diff(str(path), "-f", "markdown", "--html", str(page))
    assert "| `lr` | 5 of 5 runs with lr of 0.02808 or more went wrong" in told and "| 5 of 5 | 0 of 25 |" in told
    text = page.read_text()
    assert is_own(page) and "5 of 5 runs with lr of 0.02808 or more went wrong" in text and "width:80.0%" in text
    assert "<script" not in text and "http:" not in text and "https:" not in text
    diff(str(path), "--html", str(page))  # its own page is written anew
    page.write_text("mine")
    assert CliRunner().invoke(app, ["diff", str(path), "--html", str(page)]).exit_code == 2


def test_names_of_a_table_stay_text(tmp_path: Path) -> None:
    rows = [{**wandb(t), "<b onload=x>|": "<script>alert(1)</script>" if t[4] else "b"} for t in trials()]
    page = tmp_path / "page.html"
    told = diff(str(written(tmp_path / "runs.csv", rows)), "-f", "markdown", "--html", str(page))
    assert "<script" not in page.read_text() and "onload=x&gt;" in page.read_text()
    assert (
        "<script" not in told.replace("\\<script", "")
        and len({line.count(" | ") for line in told.split("\n") if line[:1] == "|"}) == 1
    )
