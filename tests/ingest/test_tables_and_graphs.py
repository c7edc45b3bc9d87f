"""Logs of recommenders, of graphs and of tables: grades without a split, and epochs that are named where they end."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_first_contact import last, loss
from text_log import read

pytestmark = pytest.mark.fast

STAMP = "2024-03-01 10:00:{:02},117 P77 INFO "


def test_an_evaluation_is_counted_by_the_epoch_at_which_it_is_held(tmp_path: Path) -> None:
    text = STAMP.format(0) + "Start training: 30 batches/epoch\n" + STAMP.format(0) + "**** Epoch=1 start ****\n"
    for e in range(6):
        at = STAMP.format(e)
        text += f"{at}Evaluation @epoch {e + 1} - batch 30: \n{at}Train loss: {loss(e)}\n"
        text += f"{at}[Metrics] AUC: 0.7{e} - logloss: {loss(e) / 2:.4f}\n{at}**** Epoch={e + 1} end ****\n"
    run = read(tmp_path, text)[0]
    assert last(run, "loss")[1] == last(run, "val_loss")[1] == 6
    assert last(run, "val_metric")[1:] == (6, 0.75)
    train = run.metric("Train loss")
    assert train is not None and train.step.tolist() == [1, 2, 3, 4, 5, 6]


def test_epochs_that_are_named_where_they_end_begin_behind_the_first_that_began(tmp_path: Path) -> None:
    text = "*** Epoch=1 start ***\n"
    for e in range(6):
        text += f"[Metrics] logloss: {loss(e) / 2:.4f} - AUC: 0.7{e}\n--- 30/30 batches finished ---\n"
        text += f"Train loss: {loss(e)}\n*** Epoch={e + 1} end ***\n"
    run = read(tmp_path, text)[0]
    train = run.metric("Train loss")
    assert train is not None and train.step.tolist() == [1, 2, 3, 4, 5, 6]
    assert last(run, "val_loss") == ("val logloss", 6, round(loss(5) / 2, 4))


@pytest.mark.parametrize("unit", ["", "%"])
def test_splits_without_a_name_beside_a_loss_are_grades(tmp_path: Path, unit: str) -> None:
    many = 100 if unit else 1
    text = "".join(
        f"Epoch: {e + 1:02d}, Loss: {loss(e)}, Train: {(0.3 + 0.06 * e) * many:.4f}{unit},"
        f" Valid: {(0.5 - 0.02 * e) * many:.4f}{unit} Test: {(0.48 - 0.02 * e) * many:.4f}{unit}\n"
        for e in range(11)
    )
    run = read(tmp_path, text)[0]
    assert last(run, "loss")[0] == "Loss"
    assert last(run, "accuracy")[2] == pytest.approx(0.9)
    assert last(run, "val_accuracy")[2] == pytest.approx(0.3)
    assert not list(run.matches("val_loss"))
