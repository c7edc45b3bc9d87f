"""What the cells of a notebook printed is read as the trainings that they ran."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import signals_file


def stream(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}


def notebook(*outputs: list[dict[str, Any]]) -> str:
    cells = [{"cell_type": "code", "source": ["train()"], "metadata": {}, "outputs": o} for o in outputs]
    return json.dumps({"cells": [{"cell_type": "markdown", "source": ["# Title"]}, *cells], "nbformat": 4})


def read(tmp_path: Path, text: str) -> tuple[Run, ...]:
    (tmp_path / "train.ipynb").write_text(text, encoding="utf-8")
    return read_runs([tmp_path], signals_file=signals_file()).runs


EPOCHS = "".join(f"Epoch {e}/20 loss: {2 / e:.4f} val_loss: {2.2 / e:.4f}\n" for e in range(1, 21))


def test_printed_epochs_of_a_cell_are_a_run(tmp_path: Path) -> None:
    (run,) = read(tmp_path, notebook([stream("hello\n")], [stream(EPOCHS[:100]), stream(EPOCHS[100:])]))
    assert [len(s.value) for s in (run.series("loss"), run.series("val_loss")) if s is not None] == [20, 20]


def test_each_training_cell_is_a_run_and_a_later_crash_belongs_to_the_last(tmp_path: Path) -> None:
    crash = {
        "output_type": "error", "ename": "OutOfMemoryError", "evalue": "CUDA out of memory.",
        "traceback": ["\x1b[0;31m-----\x1b[0m", "\x1b[0;31mOutOfMemoryError\x1b[0m: CUDA out of memory."],
    }  # fmt: skip
    runs = read(tmp_path, notebook([stream(EPOCHS)], [stream(EPOCHS)], [crash]))
    assert [r.name for r in runs] == [".::cell 2", ".::cell 3"]
    assert [r.messages["level"].to_list() for r in runs] == [[], ["TRACEBACK"]]


def test_the_table_of_the_trainer_is_read(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>{50 * i}</td><td>{2 / i:.6f}</td><td>{2.1 / i:.6f}</td></tr>" for i in range(1, 9))
    html = (
        "<div><progress value='400' max='400'></progress></div><table border='1'><thead><tr><th>Step</th>"
        f"<th>Training Loss</th><th>Validation Loss</th></tr></thead><tbody>{rows}</tbody></table><p>"
    )
    shown = {
        "output_type": "display_data",
        "data": {"text/html": [html], "text/plain": ["<IPython.core.display.HTML>"]},
    }
    (run,) = read(tmp_path, notebook([shown]))
    loss = run.series("loss")
    assert loss is not None and loss.step.tolist() == [50 * i for i in range(1, 9)]
    assert run.series("val_loss") is not None


@pytest.mark.parametrize(
    "text",
    ["{}", "{", '{"cells": 3}', '{"cells": [{"outputs": [3, {"output_type": "stream"}]}]}', '{"worksheets": [1]}'],
)
def test_what_is_no_notebook_gives_no_run_and_no_error(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == ()


def test_settings_and_a_dictionary_that_a_cell_prints_are_no_training(tmp_path: Path) -> None:
    settings = (
        "=" * 20 + "\n  image_size: 128\n  use_cycle_consistency_loss: 1\n  batch_size: 16\n          lr: 0.0002\n"
    )
    vocabulary = {"output_type": "execute_result", "data": {"text/plain": ["{'epoch': 3,\n 'loss': 17,\n 'acre': 18}"]}}
    runs = read(tmp_path, notebook([stream(settings)], [vocabulary], [stream(EPOCHS)]))
    assert [len(r.series("loss").value) for r in runs] == [20]  # type: ignore[union-attr]


def test_the_bar_of_an_evaluation_after_the_training_is_no_run(tmp_path: Path) -> None:
    bar = (
        "55/55 [==============================] - 6s 105ms/step - accuracy: 0.6271 - loss: 0.8470\nTest Loss: 0.8470\n"
    )
    (run,) = read(tmp_path, notebook([stream(EPOCHS)], [stream(bar)]))
    assert len(run.series("loss").value) == 20  # type: ignore[union-attr]


@pytest.mark.parametrize("call", ["trainer.train()", "model.fit(x, y, epochs=3)", "plot(data)"])
def test_a_notebook_whose_training_fails_at_once_is_a_run_that_failed(tmp_path: Path, call: str) -> None:
    frames = [f"<ipython-input-1> in <module>\n----> 1 {call}\n", "RuntimeError: CUDA out of memory. Tried 2.00 GiB"]
    error = {"output_type": "error", "ename": "RuntimeError", "evalue": "CUDA out of memory.", "traceback": frames}
    cell = {"cell_type": "code", "source": [call], "outputs": [error]}
    (tmp_path / "train.ipynb").write_text(json.dumps({"nbformat": 4, "cells": [cell]}))
    found = read_runs([tmp_path], signals_file=signals_file()).runs
    assert len(found) == ("plot" not in call)


@pytest.mark.parametrize("said", [
    "sinogram mse: 36.87 filtered mse: 0.1\nsinogram mse: 1100.2 filtered mse: 0.2\n",
    "fold 1 dog_bark: 0.7 total_acc: 0.6\n" * 10, "".join(f"moves: up\nepisode_reward: {100 + i}\n" for i in range(10)),
])  # fmt: skip
def test_what_is_measured_behind_a_training_is_no_run(tmp_path: Path, said: str) -> None:
    (run,) = read(tmp_path, notebook([stream(EPOCHS)], [stream(said)]))
    loss = run.series("loss")
    assert loss is not None and len(loss) == 20


@pytest.mark.parametrize("name", ["NameError", "FileNotFoundError", "KeyError"])
def test_what_fails_in_another_cell_is_no_end_of_the_training(tmp_path: Path, name: str) -> None:
    crash = {"output_type": "error", "ename": name, "evalue": "plt", "traceback": ["----> 1 plt.plot(history)"]}
    (run,) = read(tmp_path, notebook([stream(EPOCHS)], [crash]))
    assert not len(run.messages)
