"""Curves that stand in places of their own: records under numbered keys, lists in the cells of a table, scripts."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from printed_rows import N, acc, last, loss, val

import curvedoc
from curvedoc.core.errors import NothingToAnalyse

pytestmark = pytest.mark.fast

ROWS = range(1, N + 1)


def both(i: int, train: str = "train", unseen: str = "val") -> dict[str, Any]:
    return {train: {"loss": loss(i), "acc": acc(i)}, unseen: {"loss": val(i), "acc": acc(i)}}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    "value",
    [
        {f"epoch_{i}": both(i) for i in ROWS},
        {str(i): both(i, "training", "validation") for i in ROWS},
        {f"epoch{i}": {"metrics": {"loss": loss(i), "val_loss": val(i)}} for i in ROWS},
        {str(i): {"loss": loss(i), "val_loss": val(i)} for i in ROWS},
        {"train": {str(i): {"loss": loss(i)} for i in ROWS}, "val": {str(i): {"loss": val(i)} for i in ROWS}},
        {"config": {"lr": 0.1}, "results": {f"epoch_{i}": both(i, "Train", "Val") for i in ROWS}},
        {"config": {"lr": 0.1}, **{f"epoch_{i}": both(i) for i in ROWS}, "best": {"epoch": 3}},
        {
            "loss": [{"epoch": i, "value": loss(i)} for i in ROWS],
            "val_loss": [{"epoch": i, "value": val(i)} for i in ROWS],
        },
        {f"Epoch {i}": {"loss": {"train": loss(i), "val": val(i)}} for i in ROWS},
    ],
)
def test_records_under_numbered_keys(value: Any, indent: int | None, tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(json.dumps(value, indent=indent) + "\n")
    (run,) = curvedoc.read(tmp_path)
    assert (last(run, "loss"), last(run, "val_loss")) == ((N, loss(N), 1, N), (N, val(N), 1, N))


def test_a_list_of_histories_is_a_training_each(tmp_path: Path) -> None:
    runs = [
        {"name": f"r{k}", "history": {"loss": [loss(i) + k for i in ROWS], "val_loss": [val(i) + k for i in ROWS]}}
        for k in range(2)
    ]
    (tmp_path / "all.json").write_text(json.dumps({"runs": runs}))
    assert [last(r, "loss")[:2] for r in curvedoc.read(tmp_path)] == [(N, loss(N)), (N, loss(N) + 1)]


def test_settings_under_numbered_keys_are_no_training(tmp_path: Path) -> None:
    value = {str(i): {"train": {"lr": 0.1 * i}, "val": {"lr": 0.1}} for i in range(1, 12)}
    (tmp_path / "results.json").write_text(json.dumps(value))
    with pytest.raises(NothingToAnalyse):
        curvedoc.read(tmp_path)


def table(folder: Path, names: list[str], rows: list[list[Any]], sep: str = ",") -> None:
    with (folder / "runs.csv").open("w", newline="") as f:
        csv.writer(f, delimiter=sep).writerows([names, *rows])


def curve(values: Any, k: int) -> str:
    return str([round(values(i) + 0.1 * k, 4) for i in ROWS])


@pytest.mark.parametrize("sep", [",", ";", "\t"])
@pytest.mark.parametrize(
    "names",
    [["model", "train_loss", "val_loss"], ["lr", "loss_history", "val_loss_history"], ["seed", "loss", "vloss"]],
)
def test_a_row_for_each_training(names: list[str], sep: str, tmp_path: Path) -> None:
    table(tmp_path, names, [[k + 1, curve(loss, k), curve(val, k)] for k in range(3)], sep)
    runs = list(curvedoc.read(tmp_path))
    assert [last(r, "loss")[:2] for r in runs] == [(N, round(loss(N) + 0.1 * k, 4)) for k in range(3)]
    assert [last(r, "val_loss")[:2] for r in runs] == [(N, round(val(N) + 0.1 * k, 4)) for k in range(3)]


def test_lists_of_one_moment_are_no_trainings(tmp_path: Path) -> None:
    table(tmp_path, ["epoch", "loss", "class_acc"], [[i, loss(i), curve(acc, 0)] for i in ROWS])
    (run,) = curvedoc.read(tmp_path)
    assert last(run, "loss") == (N, loss(N), 1, N)


def test_lists_of_things_are_no_trainings(tmp_path: Path) -> None:
    table(tmp_path, ["image", "box", "scores"], [[f"{i}.png", "[1, 2, 3, 4]", curve(acc, i)] for i in ROWS])
    with pytest.raises(NothingToAnalyse):
        curvedoc.read(tmp_path)


@pytest.mark.parametrize(
    "form",
    [
        "// generated\nconst trainLoss = [\n{lines}\n];\nconst valLoss = [\n{more}\n];\n",
        "export const loss = [{row}];\nexport const val_loss = [{second}];\n",
        "var history = {{\n  loss: [{row}],\n  val_loss: [{second}],\n}};\n",
    ],
)
def test_arrays_in_a_script(form: str, tmp_path: Path) -> None:
    first, second = ([str(f(i)) for i in ROWS] for f in (loss, val))
    lines, more = (",\n".join(x) for x in (first, second))
    said = form.format(lines=lines, more=more, row=", ".join(first), second=", ".join(second))
    (tmp_path / "loss_history.js").write_text(said)
    (run,) = curvedoc.read(tmp_path)
    assert (last(run, "loss")[:2], last(run, "val_loss")[:2]) == ((N, loss(N)), (N, val(N)))


def test_a_script_that_draws_is_no_training(tmp_path: Path) -> None:
    said = (
        "function draw(loss) {\n  const widths = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];\n  plot(widths);\n}\n"
    )
    (tmp_path / "loss_curve.js").write_text(said)
    with pytest.raises(NothingToAnalyse):
        curvedoc.read(tmp_path)
