"""Logs as people paste them when they ask: excerpts that begin and end anywhere, copied out of their lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from text_log import read

from curvedoc.core.run import Run

pytestmark = pytest.mark.fast


def curve(run: Run, metric: str) -> list[tuple[int, float]]:
    found = run.metric(metric)
    assert found is not None
    return [(int(s), float(v)) for s, v in zip(found.step, found.value, strict=True)]


def role_of(run: Run, metric: str) -> str:
    return next((m.role for m in run.roles if m.metric == metric), "")


def test_the_last_of_few_records_is_cut_and_read_all_the_same(tmp_path: Path) -> None:
    row = "| epoch 001: {0} / 900 loss={1}, ppl=200.5, wps=1000, ups=2, wpb=10, bsz=8, num_updates={0}, lr=1e-05, oom=0"
    text = "".join(f"{row.format(100 * i, 9 - i)}, wall=10, train_wall=9\n" for i in range(1, 5))
    run = read(tmp_path, f"{text}{row.format(500, 4)}\n")[0]
    assert curve(run, "loss")[-1] == (500, 4.0)


def test_the_seconds_of_an_epoch_count_nothing(tmp_path: Path) -> None:
    took = {12: 4, 95: 3, 96: 2, 97: 1, 98: 1, 99: 2}
    text = "".join(f"Epoch {e}/100\n{s}s - loss: 0.{900 - e} - val_loss: 0.7\n" for e, s in took.items())
    text = text.replace("Epoch 95", "But by the end I get this:\n\n```\nEpoch 95")
    assert [s for s, _ in curve(read(tmp_path, text)[0], "loss")] == list(took)


def test_records_of_one_loss_that_differ_elsewhere_are_several(tmp_path: Path) -> None:
    text = "".join(f"Epoch 2 train Tot Loss: 0.0044 Accu :0.001{i % 3}\n" for i in range(12))
    assert len(curve(read(tmp_path, text)[0], "train Tot Loss")) == 12


def test_a_table_whose_columns_were_copied_one_blank_apart(tmp_path: Path) -> None:
    run = read(tmp_path, "epoch train loss valid loss error_rate\n0 nan nan 0.9\n1 nan nan 0.9\n")[0]
    assert [role_of(run, m) for m in ("train_loss", "valid_loss")] == ["loss", "val_loss"]


def test_rows_of_a_detector_behind_a_clock_and_without_their_header(tmp_path: Path) -> None:
    text = "".join(
        f"2023-08-02T15:00:4{i}.3244865Z     {i}/99      6.47G    0.0{90 - i}   0.003032   0.003846     14     416:"
        f"  34%|###   | 178/517 [00:37<01:13,  4.64it/s]\n"
        for i in range(1, 7)
    )
    run = read(tmp_path, text)[0]
    assert curve(run, "box")[-1] == (6, 0.084)


def test_parts_that_are_never_finite_are_losses_all_the_same(tmp_path: Path) -> None:
    text = " Epoch   gpu_mem       box       obj       cls    labels  img_size\n" + "".join(
        f"      {i}/99     2.64G         nan       nan       nan         4       416: 100%|####| 7/7 [00:15<00:00]\n"
        for i in range(1, 4)
    )
    run = read(tmp_path, text)[0]
    assert role_of(run, "box") in ("aux_loss", "loss")


def test_epochs_of_a_plan_that_took_some_time(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch {e} of 400 took 12.7568740845s\n  LR:                            0.09\n"
        f"  training loss:                 {2 / e:.4f}\n  validation loss:               {3 / e:.4f}\n"
        for e in (2, 3, 400)
    )
    assert [s for s, _ in curve(read(tmp_path, text)[0], "training loss")] == [2, 3, 400]


def test_lines_of_keras_copied_into_one(tmp_path: Path) -> None:
    text = "Epoch 1/30" + "".join(
        f" - 67s - loss: 0.{900 - e} - acc: 0.9 - val_loss: 0.7 - val_acc: 0.8 Epoch {e + 1}/30" for e in range(1, 9)
    )
    run = read(tmp_path, f"I train a CNN as shown below :\n\n{text} - 67s - loss: 0.2 Using TensorFlow backend.\n")[0]
    assert curve(run, "loss")[0] == (1, 0.899)
    assert len(curve(run, "val_loss")) == 8


def test_an_excerpt_that_begins_below_the_line_of_its_first_epoch(tmp_path: Path) -> None:
    text = "".join(
        f"> 518/518 [==============================] - 537s 1s/step - loss: 3.9{9 - e} - val_loss: 4.1\n"
        f"> Epoch {e}/150\n> 517/518 [============================>.] - ETA: 0s - loss: 3.95\n"
        for e in range(2, 7)
    )
    run = read(
        tmp_path, f"{text}> 518/518 [==============================] - 537s 1s/step - loss: 3.2 - val_loss: 4\n"
    )[0]
    assert [s for s, _ in curve(run, "loss")] == [1, 2, 3, 4, 5, 6]


def test_the_objective_of_kaldi_rises(tmp_path: Path) -> None:
    text = "".join(
        f"VLOG[1] (train-ctc-parallel:EvalParallel():ctc-loss.cc:182) After {1000 * i} sequences (3.4Hr): "
        f"Obj(log[Pzx]) = -{40 - i}.5   TokenAcc = 6{i}.5%\n"
        for i in range(1, 9)
    )
    run = read(tmp_path, text)[0]
    assert [(m.role, m.unit) for m in run.roles if m.metric == "objf"] == [("loss", "negated")]
    objective = run.series("loss")
    assert objective is not None and (objective.step[0], objective.value[0]) == (1000, 39.5)
    assert not np.isnan([v for _, v in curve(run, "TokenAcc")]).any()


def test_records_printed_over_several_lines_in_the_middle_of_a_text(tmp_path: Path) -> None:
    pairs = '"epoch": {0}.5,\n "learning_rate": 3.5e-05,\n "loss": {1},\n "step": {2}\n'
    rows = "".join("    {\n" + pairs.format(e, 9 - e, 500 * e) + "    },\n" for e in range(1, 6))
    text = (
        f'Here it is train_state.json:\n  "best_metric": null,\n  "log_history": [\n{rows}    {{\n      "epoch": 6.5,\n'
    )
    assert curve(read(tmp_path, text)[0], "loss") == [(500 * e, 9.0 - e) for e in range(1, 6)]


def test_answers_on_a_target_domain_are_no_goal(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch: {e}/90, loss: 0.{900 - e}, source_train_acc: 99.{e}%, target_val_acc:  5{9 - e}.16%\n"
        for e in range(9)
    )
    assert role_of(read(tmp_path, text)[0], "target_val_acc") == "val_accuracy"


def test_a_position_within_the_epoch_tells_how_long_it_is(tmp_path: Path) -> None:
    text = "".join(f"Epoch: [0]  [ {i}/5005]  eta: 4:43:31  lr: 0.1  loss: 6.8{i} (6.9)\n" for i in range(103, 110))
    assert read(tmp_path, text)[0].config["printed.steps_per_epoch"] == 5005
