"""Numbers of one thing after another are no curve: tests item by item, the models of a cross-validation."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import signals_file


def whys(tmp_path: Path, text: str) -> list[str]:
    """Why the file is no run; none where it is one."""
    log = tmp_path / "out.log"
    log.write_text(text)
    found = read_runs([log], signals_file=signals_file())
    return [] if found.runs else [u.reason for u in (*found.unreadable, *found.ignored)]


def batches(start: str = "") -> str:
    r = Random(3)
    rows = [
        f"Batch {i}, accuracy = {r.choice((0.8, 0.9, 1.0))}\nBatch {i}, loss = {r.expovariate(2):.5f}\n"
        for i in range(60)
    ]
    return "Loading weights from model.bin\n" + start + "".join(rows)


def test_batches_of_a_test_are_no_run(tmp_path: Path) -> None:
    assert "no order" in whys(tmp_path, batches())[0]


@pytest.mark.parametrize("said", ["Start training\n", "optimizer: sgd\n", "Epoch 1\n", "iter 10 of 60\n"])
def test_unless_a_line_speaks_of_training(tmp_path: Path, said: str) -> None:
    assert whys(tmp_path, batches(said)) == []


def test_batches_that_all_cost_the_same_may_be_a_training_that_came_to_nothing(tmp_path: Path) -> None:
    r = Random(4)
    rows = "".join(f"Batch {i}, loss = {0.693 + r.gauss(0, 0.02):.5f}\n" for i in range(60))
    assert whys(tmp_path, rows) == []


def test_batches_that_learn_are_a_training(tmp_path: Path) -> None:
    r = Random(5)
    rows = "".join(f"Batch {i}, loss = {0.1 + r.expovariate(2) * (200 - i) / 200:.5f}\n" for i in range(200))
    assert whys(tmp_path, rows) == []


def test_images_one_by_one_are_no_run(tmp_path: Path) -> None:
    r = Random(6)
    rows = [
        f"img_{r.randrange(9999):04d}.jpg, loss: {r.expovariate(2):.4f}, accuracy: {r.random():.4f}\n"
        for _ in range(80)
    ]
    assert "no order" in whys(tmp_path, "".join(rows))[0]


@pytest.mark.parametrize("line", ["Fold {k}: accuracy 0.{v}", "  Fold {k} - MAE: 0.{v}, RMSE: 1.{v}"])
def test_the_models_of_a_cross_validation_are_no_curve(tmp_path: Path, line: str) -> None:
    rows = [line.format(k=k, v=v) for k, v in enumerate((812, 794, 833, 801, 820), 1)]
    assert "fold" in whys(tmp_path, "Training 5 models\n" + "\n".join(rows) + "\n")[0]


def test_epochs_within_folds_are_trainings(tmp_path: Path) -> None:
    rows = [f"Fold {k} Epoch {e} loss {1 / (e + 1):.4f} val_loss {1.1 / (e + 1):.4f}" for k in (1, 2) for e in range(9)]
    assert whys(tmp_path, "\n".join(rows) + "\n") == []


def test_the_code_of_an_error_is_no_loss(tmp_path: Path) -> None:
    rows = [f"[{i}/30] asking the judge ... Error code: 400 - the model was retired" for i in range(1, 31)]
    assert whys(tmp_path, "\n".join(rows) + "\n")


_MODELS = ("resnet18", "vgg16", "densenet121", "mobilenet_v2", "vit_b_16", "swin_t")


@pytest.mark.parametrize("form", [
    "{m}: train loss {v} val loss {w} acc {a}", "Model {i}/6 ({m}): best epoch 12, loss={v}, acc={a}",
    "{m} | loss {v} | accuracy {a}", "[{m}] test_loss={v}",
])  # fmt: skip
def test_results_of_one_model_after_another_are_no_run(tmp_path: Path, form: str) -> None:
    r = Random(5)
    rows = [
        form.format(m=m, i=i, v=round(r.uniform(0.2, 0.9), 4), w=round(r.uniform(0.3, 0.9), 4), a=round(r.random(), 3))
        for i, m in enumerate(_MODELS, 1)
    ]
    assert "models" in whys(tmp_path, "\n".join(rows) + "\n")[0]


def test_one_name_on_each_line_is_a_training(tmp_path: Path) -> None:
    rows = [f"resnet18: train loss {round(2 / i + 0.1, 4)} acc {round(1 - 1 / i, 3)}\n" for i in range(1, 20)]
    assert whys(tmp_path, "".join(rows)) == []


def test_a_counter_within_a_word_names_nothing(tmp_path: Path) -> None:
    rows = [f"[E{i // 5}][B{i:04}] {{loss:{round(2 / (i + 1) + 0.1, 4)}}}\n" for i in range(20)]
    assert whys(tmp_path, "".join(rows)) == []
