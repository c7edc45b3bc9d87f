"""Lists of numbers as Python prints them are curves; settings and values of a few things are none."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.ingest.json import number_lists
from curvedoc.rulebook.load import signals_file


def losses(n: int, seed: int = 0) -> list[float]:
    r = Random(seed)
    return [round(0.2 + 2.1 * math.exp(-5 * i / n) + r.gauss(0, 0.01), 4) for i in range(n)]


def read(place: Path, text: str, name: str) -> list[Run]:
    (place / name).write_text(text)
    return list(read_runs([place / name], signals_file=signals_file()).runs)


def sizes(run: Run) -> dict[str, int]:
    return {m: len(s) for m in run.metrics() if (s := run.metric(m)) is not None}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("history.txt", "{{'loss': {a}, 'val_loss': {b}}}"),
        ("results.txt", "train_losses = {a}\n\nval_losses = {b}\nbest epoch: 12\n"),
        ("out.log", "loss: {a}\nval_loss: {b}\n"),
        ("curves.txt", "loss = array({a})\nval_loss = np.array({b})\n"),
    ],
)
def test_lists_called_by_their_keys_are_curves_of_one_run(tmp_path: Path, name: str, text: str) -> None:
    (run,) = read(tmp_path, text.format(a=losses(30), b=losses(30, 1)), name)
    assert sorted(sizes(run).values()) == [30, 30]
    assert len(run.matches("loss")) == 1 and len(run.matches("val_loss")) == 1


def test_numbers_wrapped_by_numpy_or_torch_are_numbers(tmp_path: Path) -> None:
    wrapped = ", ".join(
        f"np.float64({v})" if i % 2 else f"tensor({v}, device='cuda:0')" for i, v in enumerate(losses(20))
    )
    (run,) = read(tmp_path, f"losses = [{wrapped}]\n", "out.txt")
    assert sizes(run) == {"losses": 20}


@pytest.mark.parametrize("text", ["{a}", "[{a}]"])
def test_a_list_alone_is_the_curve_that_the_file_is_called_by(tmp_path: Path, text: str) -> None:
    (run,) = read(tmp_path, text.format(a=", ".join(map(str, losses(30)))), "train_loss.txt")
    assert sizes(run) == {"train_loss": 30} and run.matches("loss")


def test_a_key_that_comes_again_begins_another_training(tmp_path: Path) -> None:
    text = "".join(f'{{"model": "m{k}", "batch": 16, "losses": {losses(12, k)}}},\n' for k in range(3))
    runs = read(tmp_path, f"[{text[:-2]}]", "all_models.json")
    assert [sizes(r) for r in runs] == [{"losses": 12}] * 3


def test_lists_called_by_their_models_are_a_training_each(tmp_path: Path) -> None:
    runs = read(tmp_path, f"RNN:{losses(20)}\nLSTM:{losses(20, 1)}\n", "loss_log.txt")
    assert [r.name.rsplit("::", 1)[-1] for r in runs] == ["RNN", "LSTM"]


def test_a_torn_list_gives_the_values_before_the_tear(tmp_path: Path) -> None:
    (run,) = read(tmp_path, str({"loss": losses(30)})[:-4], "history.txt")
    assert sizes(run)["loss"] in (28, 29)
    assert any(n.kind == "truncated" for s in run.sources for n in s.notes)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config.txt", "betas = [0.9, 0.999]\nmilestones = [30, 60, 90, 120, 150, 180, 210, 240]\nlr = 0.1\n"),
        ("per_class_accuracy.txt", "accuracy per class: [0.9, 0.8, 0.7, 0.8, 0.9, 0.6, 0.7, 0.8, 0.9, 0.5]"),
        ("notes.txt", "the losses were fine. " * 60 + "losses = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]"),
        ("steps.json", '[{"step": 3, "loss": 0.4, "logits": [1, 2, 3, 4, 5, 6, 7, 8, 9]}]'),
    ],
)
def test_other_lists_are_none(tmp_path: Path, name: str, text: str) -> None:
    assert not number_lists.claims(tmp_path / name, text.encode())


@settings(deadline=None)  # the first call imports what reads
@given(st.text(alphabet="[](){}'\"=:,.0123456789enaiftlos \n", max_size=400))
def test_no_content_makes_reading_fail(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("x") / "loss_history.txt"
    path.write_text(text)
    number_lists.claims(path, text.encode())
    assert number_lists.read([path])


def test_a_short_history_of_training_and_validation_is_one(tmp_path: Path) -> None:
    text = f"{{'loss': {losses(4)}, 'mae': {losses(4, 2)}, 'val_loss': {losses(4, 1)}, 'val_mae': {losses(4, 3)}}}"
    assert sizes(read(tmp_path, text, "result.txt")[0]) == {"loss": 4, "mae": 4, "val_loss": 4, "val_mae": 4}
    assert not read(tmp_path, f"{{'loss': {losses(4)}, 'lr_steps': {losses(4, 2)}}}", "other.txt")
