# ruff: noqa: E501 (files as people write them)
"""Several trainings whose metrics stand side by side, in columns or in files of one folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from folder_of_files import ACC, EPOCHS, LOSS, VAL, falling, rising, runs, table, values

from curvedoc.ingest.naming.variants import side_by_side

pytestmark = pytest.mark.fast

MORE, MORE_VAL, MORE_ACC = falling(11, 2.8), falling(12, 2.9), rising(13)
LINES = {"a": "".join(f"{v}\n" for v in LOSS), "b": "".join(f"{v}\n" for v in MORE)}
SIDES: dict[str, dict[str, str]] = {
    "models first": {"c.csv": table(["epoch", "resnet_loss", "vgg_loss", "resnet_acc", "vgg_acc"], EPOCHS, LOSS, MORE,
                                    ACC, MORE_ACC)},
    "models last": {"c.csv": table(["epoch", "loss_resnet", "acc_resnet", "loss_vgg", "acc_vgg"], EPOCHS, LOSS, ACC,
                                   MORE, MORE_ACC)},
    "unknown models, each with its own validation": {
        "c.tsv": table(["epoch", "zeta/train", "zeta/val", "omega/train", "omega/val"], EPOCHS, LOSS, VAL, MORE,
                       MORE_VAL, sep="\t")},
    "settings": {"c.csv": table(["epoch", "loss (lr=0.1)", "loss (lr=0.01)"], EPOCHS, LOSS, MORE)},
    "seeds alone": {"losses.csv": table(["epoch", "seed0", "seed1"], EPOCHS, LOSS, MORE)},
    "folds": {"c.csv": table(["epoch", "fold1_train", "fold1_val", "fold2_train", "fold2_val"], EPOCHS, LOSS, VAL, MORE,
                             MORE_VAL)},
    "optimizers in a file of losses": {"train_loss.csv": table(["step", "SGD", "Adam"], EPOCHS, LOSS, MORE)},
    "two lines of names": {"c.csv": table(["", "ResNet", "ResNet", "VGG", "VGG"], ["epoch", *EPOCHS], ["loss", *LOSS],
                                          ["val_loss", *VAL], ["loss", *MORE], ["val_loss", *MORE_VAL])},
    "names over blank cells": {"c.csv": table(["", "ResNet", "", "VGG", ""], ["epoch", *EPOCHS], ["loss", *LOSS],
                                              ["val_loss", *VAL], ["loss", *MORE], ["val_loss", *MORE_VAL])},
    "a frame of two levels": {"c.csv": "model,ResNet,ResNet,VGG,VGG\n" + table(
        ["metric", "loss", "val_loss", "loss", "val_loss"], ["epoch", *EPOCHS], ["", *LOSS], ["", *VAL], ["", *MORE],
        ["", *MORE_VAL])},
    "Markdown": {"c.md": "| Epoch | ResNet loss | VGG loss |\n|---|---|---|\n" + "".join(
        f"| {e} | {a} | {b} |\n" for e, a, b in zip(EPOCHS, LOSS, MORE, strict=True))},
    "columns of text": {"c.txt": "epoch   baseline_loss   ours_loss\n" + "".join(
        f"{e:<7} {a:<15} {b}\n" for e, a, b in zip(EPOCHS, LOSS, MORE, strict=True))},
    "lists by model": {"losses.json": json.dumps({"resnet": LOSS, "vgg": MORE})},
    "lists by metric": {"h.json": json.dumps({"loss": {"resnet": LOSS, "vgg": MORE}, "val_loss": {"resnet": VAL,
                                                                                                "vgg": MORE_VAL}})},
    "records by model": {"h.json": json.dumps({m: [{"epoch": e, "loss": x} for e, x in zip(EPOCHS, c, strict=True)]
                                                for m, c in (("resnet", LOSS), ("vgg", MORE))})},
    "records in a list of models": {"h.json": json.dumps([{"model": m, "config": {"lr": 0.1}, "epochs": [
        {"epoch": e, "loss": x} for e, x in zip(EPOCHS, c, strict=True)]} for m, c in (("resnet", LOSS), ("vgg", MORE))])},
    "records of models in YAML": {"h.yaml": "".join(f"- name: {m}\n  history:\n" + "".join(
        f"  - {{epoch: {e}, loss: {x}}}\n" for e, x in zip(EPOCHS, c, strict=True)) for m, c in (("a1", LOSS), ("b2", MORE)))},
    "elements of runs": {"h.xml": "<runs>" + "".join(f"<run name='{m}'>" + "".join(
        f"<epoch n='{e}' loss='{x}'/>" for e, x in zip(EPOCHS, c, strict=True)) + "</run>"
        for m, c in (("r1", LOSS), ("r2", MORE))) + "</runs>"},
    "a list for each": {"cv.json": json.dumps({"loss": [LOSS, MORE]})},
    "melted": {"c.csv": "run,variable,epoch,value\n" + "".join(
        f"{m},{k},{e},{x}\n" for m, a, b in (("r1", LOSS, VAL), ("r2", MORE, MORE_VAL))
        for k, c in (("loss", a), ("val_loss", b)) for e, x in zip(EPOCHS, c, strict=True))},
    "files of splits and models": {f"{s}_{m}.csv": table(["epoch", "loss"], EPOCHS, c) for s, m, c in (
        ("train", "cnn", LOSS), ("val", "cnn", VAL), ("train", "rnn", MORE), ("val", "rnn", MORE_VAL))},
    "files": {"resnet_loss.txt": LINES["a"], "vgg_loss.txt": LINES["b"]},
    "files of seeds": {"loss_seed0.txt": LINES["a"], "loss_seed1.txt": LINES["b"]},
}  # fmt: skip


@pytest.mark.parametrize("form", SIDES)
def test_each_training_is_a_run(tmp_path: Path, form: str) -> None:
    one, other = runs(tmp_path, SIDES[form])
    assert values(one, "loss") == LOSS
    assert values(other, "loss") == MORE
    assert ("val" in str(one.metrics())) == bool(values(one, "val_loss"))


@pytest.mark.parametrize(
    "names",
    [
        ["d_loss", "g_loss", "d_acc", "g_acc"],
        ["box_loss", "cls_loss", "dfl_loss", "val_box_loss", "val_cls_loss", "val_dfl_loss"],
        ["actor_loss", "critic_loss"],
        ["seg_loss", "depth_loss", "seg_acc", "depth_acc"],
        ["student_loss", "teacher_loss"],
        ["loss", "resnet_loss", "vgg_loss"],
        ["train_loss", "val_loss", "train_acc", "val_acc"],
        ["mAP_small", "mAP_medium", "mAP_large"],
        ["loss_1", "loss_2"],
        ["task1_loss", "task2_loss"],
        ["resnet_loss", "vgg_acc"],
        ["net1_loss", "net2_loss"],
        ["client_0/loss", "client_1/loss"],
        ["loss", "lr", "grad_norm"],
        ["pérdida", "exactitud", "pérdida val", "exactitud val"],
        ["Verlust (Training)", "Verlust (Test)", "Genauigkeit"],
        ["train_loss", "train_time", "val_loss", "val_time"],
        ["rewards/chosen", "rewards/rejected", "loss"],
        ["Loss/train", "Loss/valid", "Acc/train", "Acc/valid"],
        ["en_loss", "de_loss"],
        ["precision", "recall"],
        ["epoch_loss", "batch_loss"],
    ],
)
def test_parts_of_one_training_stay_together(names: list[str]) -> None:
    assert side_by_side(names) == {}


def test_files_of_metrics_are_one_training(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, {f"{k}.csv": table(["epoch", "train", "val"], EPOCHS, a, b) for k, a, b in (
        ("loss", LOSS, VAL), ("accuracy", ACC, MORE_ACC))})  # fmt: skip
    assert (values(run, "loss"), values(run, "val_loss")) == (LOSS, VAL)
    assert values(run, "val_accuracy") == MORE_ACC


def test_lists_of_networks_and_of_splits_are_one_training(tmp_path: Path) -> None:
    for names in (("generator", "discriminator"), ("train", "val")):
        records = {m: [{"epoch": e, "loss": x} for e, x in zip(EPOCHS, LOSS, strict=True)] for m in names}
        assert len(runs(tmp_path, {"h.json": json.dumps(records)})) == 1


def test_what_is_of_no_training_is_of_all() -> None:
    found = side_by_side(["lr", "resnet_loss", "vgg_loss"])
    assert found == {"resnet": {"lr": "lr", "resnet_loss": "loss"}, "vgg": {"lr": "lr", "vgg_loss": "loss"}}
