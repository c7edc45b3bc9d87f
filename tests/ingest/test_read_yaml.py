"""Logs in YAML: records as entries of a list or documents, curves as lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from curvedoc import read
from curvedoc.core.errors import CurvedocError

LOSS = [0.3 + 2.0 * 0.9**i for i in range(30)]


def block(e: int, v: float) -> str:
    return f"- epoch: {e}\n  loss: {v:.5f}\n  val_loss: {v * 1.1:.5f}\n  lr: 1e-3\n"


def flow(e: int, v: float) -> str:
    return f"- {{epoch: {e}, loss: {v:.5f}, val_loss: {v * 1.1:.5f}, lr: 0.001}}\n"


def document(e: int, v: float) -> str:
    return f"---\nepoch: {e}\nmetrics:\n  loss: {v:.5f}\n  val_loss: {v * 1.1:.5f}\nlr: 1.0e-3\n"


def keyed(e: int, v: float) -> str:
    return f"epoch_{e}:\n  loss: {v:.5f}\n  val_loss: {v * 1.1:.5f}\n  lr: 0.001\n"


def nested(e: int, v: float) -> str:
    return f"- epoch: {e}\n  train:\n    loss: {v:.5f}\n  val:\n    loss: {v * 1.1:.5f}\n  lr: 1.0e-3\n"


@pytest.mark.parametrize("write", [block, flow, document, keyed, nested])
@pytest.mark.parametrize("name", ["log.yaml", "train.yml"])
def test_records(tmp_path: Path, write: object, name: str) -> None:
    assert callable(write)
    path = tmp_path / name
    path.write_text("# metrics\n" + "".join(write(e, v) for e, v in enumerate(LOSS, 1)))
    (run,) = read(path)
    roles = {m.role: run.metric(m.metric) for m in run.roles}
    loss, val, lr = roles["loss"], roles["val_loss"], roles["lr"]
    assert loss is not None and val is not None and lr is not None
    assert loss.step.tolist() == list(range(1, 31)) and loss.value.tolist() == pytest.approx(LOSS, abs=1e-5)
    assert val.value.tolist() == pytest.approx([1.1 * v for v in LOSS], abs=1e-5)
    assert set(lr.value.tolist()) == {0.001}


@pytest.mark.parametrize("long", [False, True])
def test_columns(tmp_path: Path, long: bool) -> None:
    path = tmp_path / "history.yaml"
    sign, end = ("\n- ", "\n") if long else (", ", "]\n")
    lists = {k: sign.join(f"{f * v:.5f}" for v in LOSS) for k, f in (("train_loss", 1.0), ("val_loss", 1.1))}
    path.write_text("".join(f"{k}:{sign if long else ' ['}{v}{end}" for k, v in lists.items()))
    (run,) = read(path)
    assert {m.role for m in run.roles} == {"loss", "val_loss"} and len(run.points) == 60


def test_a_log_that_is_longer_than_is_parsed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "log.yaml"
    path.write_text("".join(f"- step: {i}\n  loss: {2.0 / (1 + i / 900):.6f}\n" for i in range(12_000)))
    (run,) = read(path)
    assert len(run.points) == 12_000 and run.axis == "step"


def test_a_torn_log_keeps_what_is_whole_of_it(tmp_path: Path) -> None:
    path = tmp_path / "log.yaml"
    path.write_text("".join(block(e, v) for e, v in enumerate(LOSS)) + "- epoch: 30\n  loss: 0.3\n  val_lo")
    (run,) = read(path)
    assert len([m for m in run.points["metric"] if m == "loss"]) == 30


@pytest.mark.parametrize("text", [
    "model:\n  name: resnet\n  loss: ce\n  widths: [64, 128, 256]\ntrain:\n  epochs: 10\n  steps: 100\n",
    "- name: adam\n  lr: 0.1\n- name: sgd\n  lr: 0.01\n- name: lion\n  lr: 0.02\n",
    "loss:\n  weights: [0.1, 0.2, 0.3, 0.4]\nanchors: [10, 13, 16, 30, 33, 23, 30, 61, 62]\n",
    "- epoch: 10\n  name: warm-up\n- epoch: 20\n  name: decay\n- epoch: 30\n  name: end\n",
])  # fmt: skip
def test_settings_are_no_log(tmp_path: Path, text: str) -> None:
    (tmp_path / "thing.yaml").write_text(text)
    with pytest.raises(CurvedocError):
        read(tmp_path / "thing.yaml")
