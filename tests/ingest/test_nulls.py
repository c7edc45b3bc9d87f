"""null and blank cells: NaN that could not be written, or nothing that was logged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus import SIGNALS

from curvedoc.ingest import read_runs

N = 100


def lost(path: Path, metric: str = "loss") -> tuple[int, int]:
    """How many values the metric has, and how many of them are NaN."""
    series = read_runs([path], signals_file=SIGNALS).runs[0].metric(metric)
    assert series is not None
    return len(series), int(np.isnan(series.value).sum())


def lines(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


def steps(**other: Any) -> list[dict[str, Any]]:
    return [{"step": i, "loss": 2 - i / 100, "lr": 0.1, **other} for i in range(N)]


def test_null_to_the_end_beside_others_that_go_on_is_nan(tmp_path: Path) -> None:
    rows = [{**r, "loss": r["loss"] if r["step"] < 60 else None} for r in steps()]
    assert lost(lines(tmp_path / "m.jsonl", rows)) == (100, 40)


def test_null_in_records_of_another_phase_says_nothing(tmp_path: Path) -> None:
    summary = [{"step": N + i, "loss": None, "summary": float(i)} for i in range(4)]
    assert lost(lines(tmp_path / "m.jsonl", [*steps(), *summary])) == (100, 0)


def test_null_by_turns_is_a_gap(tmp_path: Path) -> None:
    rows = [{**r, "loss": r["loss"] if r["step"] % 2 else None} for r in steps()]
    assert lost(lines(tmp_path / "m.jsonl", rows)) == (50, 0)


def table(path: Path, header: str, rows: Sequence[str]) -> Path:
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


@pytest.mark.parametrize("beside", ["0.1", "{i}.5"])
def test_blank_cells_to_the_end_in_rows_that_go_on_are_nan(tmp_path: Path, beside: str) -> None:
    rows = [f"{i},{2 - i / 100 if i < 60 else ''},{beside.format(i=i)}" for i in range(N)]
    assert lost(table(tmp_path / "m.csv", "step,loss,lr", rows)) == (100, 40)


def test_blank_cells_of_rows_of_another_kind_are_none(tmp_path: Path) -> None:
    rows = [line for i in range(N) for line in (f"{i},{2 - i / 100},0.1,", *([f"{i},,,1.5"] if i % 10 == 9 else []))]
    path = table(tmp_path / "m.csv", "step,loss,lr,val_loss", rows)
    assert (lost(path), lost(path, "val_loss")) == ((100, 0), (10, 0))
    tests = [f"{N + i},,,0.{i}" for i in range(4)]
    rows = [*(f"{i},{2 - i / 100},0.1," for i in range(N)), *tests]
    assert lost(table(tmp_path / "t.csv", "step,loss,lr,test_acc", rows)) == (100, 0)


def test_a_validation_that_was_given_up_is_no_nan(tmp_path: Path) -> None:
    rows = [f"{i},{2 - i / 100},{1.9 if i % 5 == 0 and i < 60 else ''}" for i in range(N)]
    assert lost(table(tmp_path / "m.csv", "epoch,loss,val_loss", rows), "val_loss") == (12, 0)


def test_catboost_names_its_metrics_once(tmp_path: Path) -> None:
    meta = {"learn_metrics": [{"name": "Accuracy"}, {"name": "Logloss"}], "test_metrics": [{"name": "Logloss"}]}
    rows = [{"learn": [0.5 + i / 100, 1 - i / 100], "test": [1.1 - i / 100], "iteration": i} for i in range(30)]
    path = tmp_path / "catboost_training.json"
    path.write_text(json.dumps({"meta": meta, "iterations": rows}))
    run = read_runs([tmp_path], signals_file=SIGNALS).runs[0]
    assert {m.role: m.metric for m in run.roles} == {
        "loss": "learn/Logloss", "val_loss": "test/Logloss", "accuracy": "learn/Accuracy",
    }  # fmt: skip
    text = path.read_text()
    path.write_text(text[: text.index('"iteration": 20') - 8])
    assert lost(path, "learn/Logloss")[0] in (19, 20)


@pytest.mark.parametrize("folder", ["catboost_info", "boosted"])
def test_what_catboost_writes_beside_its_record_is_no_run_of_its_own(tmp_path: Path, folder: str) -> None:
    place = tmp_path / folder
    place.mkdir()
    rows = [{"learn": [1.0 / (1 + i)], "iteration": i, "test": [1.1 / (1 + i)]} for i in range(30)]
    meta = {"test_sets": ["test"], "test_metrics": [{"best_value": "Min", "name": "MultiClass"}],
            "learn_metrics": [{"best_value": "Min", "name": "MultiClass"}]}  # fmt: skip
    (place / "catboost_training.json").write_text(json.dumps({"meta": meta, "iterations": rows}))
    for name in ("learn", "test"):
        (place / f"{name}_error.tsv").write_text(
            "iter\tMultiClass\n" + "".join(f"{r['iteration']}\t{r[name][0]}\n" for r in rows)  # type: ignore[index]
        )
    (place / "time_left.tsv").write_text(
        "iter\tPassed\tRemaining\n" + "".join(f"{i}\t{i}\t{99 - i}\n" for i in range(30))
    )
    (run,) = read_runs([tmp_path], signals_file=SIGNALS).runs
    assert {m.role: m.metric for m in run.roles} == {"loss": "learn/MultiClass", "val_loss": "test/MultiClass"}
    (place / "catboost_training.json").unlink()
    (run,) = read_runs([tmp_path], signals_file=SIGNALS).runs
    assert {m.role: m.metric for m in run.roles} == {"loss": "MultiClass", "val_loss": "test/MultiClass"}
