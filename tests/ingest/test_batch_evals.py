"""Validation that is logged batch by batch is one value a pass: the mean of its batches, where training had got to."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from curvedoc import read

BATCHES, UNSEEN, EPOCHS = 20, 8, 12


def losses() -> list[tuple[list[float], list[float]]]:
    rng = Random(3)
    level = [0.3 + 2.0 * 0.8**e for e in range(EPOCHS)]
    return [
        (
            [round(v + rng.gauss(0, 0.05), 4) for _ in range(BATCHES)],
            [round(v + rng.gauss(0, 0.2), 4) for _ in range(UNSEEN)],
        )
        for v in level
    ]


def lines(train: str, val: str) -> str:
    out = ""
    for e, (own, unseen) in enumerate(losses(), 1):
        for shape, values in ((train, own), (val, unseen)):
            out += "".join(
                shape.format(e=e, b=b, s=64 * (b - 1), p=100 * (b - 1) // len(values), v=v) + "\n"
                for b, v in enumerate(values, 1)
            )
    return out


@pytest.mark.parametrize(("name", "text"), [
    ("train.log", lines("Epoch {e}/12 train batch {b}/20 loss {v}", "Epoch {e}/12 valid batch {b}/8 loss {v}")),
    ("train.log", lines("Train Epoch: {e} [{s}/1280 ({p}%)]\tLoss: {v}",
                        "Validation Epoch: {e} [{s}/512 ({p}%)]\tLoss: {v}")),
    ("log.csv", "epoch,split,batch,loss\n" + lines("{e},train,{b},{v}", "{e},val,{b},{v}")),
    ("log.jsonl", "".join(
        json.dumps({"phase": phase, "epoch": e, "batch": b, "loss": v}) + "\n"
        for e, parts in enumerate(losses())
        for phase, values in zip(("train", "val"), parts, strict=True)
        for b, v in enumerate(values)
    )),
])  # fmt: skip
def test_the_mean_of_each_pass(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    (run,) = read(tmp_path / name)
    by_role = {m.role: run.metric(m.metric) for m in run.roles}
    loss, val = by_role["loss"], by_role["val_loss"]
    assert loss is not None and val is not None and len(loss) == EPOCHS * BATCHES
    assert val.value.tolist() == pytest.approx([sum(u) / UNSEEN for _, u in losses()])
    assert val.step.tolist() == loss.step.tolist()[BATCHES - 1 :: BATCHES]


def test_an_evaluation_at_each_of_some_steps_stands_for_itself(tmp_path: Path) -> None:
    rows = [
        {"step": s, "loss": 2.0 / (1 + s / 50), **({"val_loss": 2.1 / (1 + s / 50)} if s % 10 == 9 else {})}
        for s in range(300)
    ]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    (run,) = read(tmp_path / "log.jsonl")
    assert len(run.metric("val_loss") or ()) == 30


def test_an_evaluation_an_epoch_beside_rows_logged_once_in_50_steps_stands_for_itself(tmp_path: Path) -> None:
    """Rows one or two logging intervals apart are no passes of batches, however regular the two lengths beat."""
    rng, rows, at = Random(4), [], 0
    for epoch in range(35):
        for i in range(62):
            at += 1
            if at % 50 == 0:
                rows.append(f"epoch {epoch} step {i}/62 loss {0.4 * 0.94**epoch + 0.01 * rng.random():.4f}")
        rows.append(f"epoch {epoch} finished: train_loss={0.6 * 0.94**epoch:.4f} val_loss={0.33 * 0.95**epoch:.4f}")
    (tmp_path / "output.log").write_text("\n".join([*rows, ""]), encoding="utf-8")
    run = read(tmp_path)[0]
    val = run.series("val_loss")
    assert val is not None and len(val) == 35 and val.value[0] == pytest.approx(0.33)
