"""A model that is fitted further counts its epochs from one again: one training. A new model is another one."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from curvedoc import read
from curvedoc.core.run import Run


def losses(n: int, tau: float = 8.0) -> list[float]:
    rng = Random(n)
    return [0.3 + 2.0 * 0.5 ** (i / tau) + rng.gauss(0, 0.005) for i in range(n)]


def keras(values: Sequence[float]) -> str:
    lines = ""
    for e, v in enumerate(values, 1):
        bar = "\x1b[1m32/32\x1b[0m \x1b[32m━━━━━━━━━━━━━━━━━━━━\x1b[0m\x1b[37m\x1b[0m \x1b[1m1s\x1b[0m 3ms/step"
        lines += (
            f"Epoch {e}/{len(values)}\n{bar} - accuracy: {1 - v / 3:.4f} - loss: {v:.4f} - val_loss: {v * 1.1:.4f}\n"
        )
    return lines


def keras2(values: Sequence[float]) -> str:
    lines = "Train on 1000 samples, validate on 200 samples\n"
    for e, v in enumerate(values, 1):
        lines += f"Epoch {e}/{len(values)}\n1000/1000 [==============================] - 2s 2ms/step - loss: {v:.4f}"
        lines += f" - val_loss: {v * 1.1:.4f}\n"
    return lines


def logger(values: Sequence[float]) -> str:
    return "".join(f"{e},{v:.5f},{v * 1.1:.5f}\n" for e, v in enumerate(values))


def runs_in(path: Path, text: str) -> list[Run]:
    path.write_text(text)
    return read(path)


def loss(run: Run) -> tuple[list[int], list[float]]:
    s = run.metric("loss")
    assert s is not None
    return s.step.tolist(), s.value.tolist()


@pytest.mark.parametrize("write", [keras, keras2, logger])
@pytest.mark.parametrize("cuts", [(15,), (10, 20), (7, 20)])
def test_a_fit_that_goes_on_is_one_training(
    tmp_path: Path, write: Callable[[Sequence[float]], str], cuts: tuple[int, ...]
) -> None:
    all_of_it = losses(30)
    head = "epoch,loss,val_loss\n" if write is logger else ""
    text = head + "".join(write(all_of_it[a:b]) for a, b in zip((0, *cuts), (*cuts, 30), strict=True))
    (run,) = runs_in(tmp_path / ("log.csv" if head else "train.log"), text)
    step, value = loss(run)
    assert step == list(range(step[0], step[0] + 30))
    assert value == pytest.approx(all_of_it, abs=1e-4)


@pytest.mark.parametrize("write", [keras, keras2])
def test_a_fit_of_one_epoch_called_again_and_again(tmp_path: Path, write: Callable[[Sequence[float]], str]) -> None:
    (run,) = runs_in(tmp_path / "train.log", "".join(write([v]) for v in losses(25)))
    assert loss(run)[0] == list(range(1, 26)) and len(loss(run)[1]) == 25


@pytest.mark.parametrize("write", [keras, keras2, logger])
def test_a_fit_that_starts_anew_is_another_training(tmp_path: Path, write: Callable[[Sequence[float]], str]) -> None:
    head = "epoch,loss,val_loss\n" if write is logger else ""
    text = head + write(losses(15)) + write(losses(14))
    found = runs_in(tmp_path / ("log.csv" if head else "train.log"), text)
    assert [len(loss(r)[1]) for r in found] == [15, 14]


@pytest.mark.parametrize("lengths", [(4, 4, 4, 4, 4, 4), (3, 4, 5, 6)])
def test_trainings_of_few_epochs_in_one_file_are_told_apart(tmp_path: Path, lengths: tuple[int, ...]) -> None:
    rows = [{"epoch": e, "loss": v} for n in lengths for e, v in enumerate(losses(n, 2.0), 1)]
    found = runs_in(tmp_path / "log.jsonl", "".join(json.dumps(r) + "\n" for r in rows))
    assert [loss(r)[0] for r in found] == [list(range(1, n + 1)) for n in lengths]
    assert {r.axis for r in found} == {"epoch"}
