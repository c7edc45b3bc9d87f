"""Healthy runs as other people log them: sums of parts, unnamed evaluations, detectors that go on from a checkpoint."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import curvedoc
from curvedoc.core.errors import NothingToAnalyse

RNG = np.random.default_rng(7)


def alarms(path: Path) -> list[str]:
    report = curvedoc.analyze(path)
    return [f.symptom for run in report.runs for f in run.findings if f.kind == "pathology"]


def roles(path: Path) -> dict[str, str]:
    return {m.metric: m.role for run in curvedoc.read(path) for m in run.roles}


def segmentation_log(epochs: int = 40, iters: int = 500, every: int = 10) -> str:
    """Means since the start of the epoch of a sum of two parts; after it an evaluation that is not called one."""
    out = ["DATASET:", "  NUM_CLASSES: 19", "TRAIN:", f"  END_EPOCH: {epochs}", "  LR: 0.05", "  SHUFFLE: True"]
    for e in range(epochs):
        level = 1.3 + 9.0 * np.exp(-(e + np.arange(iters) / iters) / 3)
        batches = level * (1 + 0.12 * RNG.standard_normal(iters))
        share = np.cumsum(batches) / np.arange(1, iters + 1)
        for i in range(0, iters, every):
            out.append(
                f"Epoch: [{e}/{epochs}] Iter:[{i}/{iters}], Time: 0.45, Loss: {share[i]:.6f}, "
                f"Acc:{0.8 - 0.6 * math.exp(-e / 4):.6f}, Part one loss: {share[i] * 0.7:.6f}, "
                f"Part two loss: {share[i] * 0.3:.6f}"
            )
        out.append(f"Loss: {level[-1] * 0.7:.3f}, MeanIU: {0.7 - 0.5 * math.exp(-e / 5): .4f}, Best_mIoU: 0.7")
    return "\n".join(out) + "\n"


def test_an_evaluation_under_the_name_of_the_training_is_no_point_of_it(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(segmentation_log())
    found = roles(path)
    assert found["Loss"] == "loss" and found["val Loss"] == "val_loss"


def test_a_sum_of_parts_with_means_over_each_epoch_is_healthy(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(segmentation_log())
    assert alarms(path) == []


def test_a_detector_that_goes_on_from_a_checkpoint_is_healthy(tmp_path: Path) -> None:
    rows = ["epoch,train/box_loss,train/obj_loss,metrics/mAP_0.5,val/box_loss,val/obj_loss,x/lr0"]
    for e in range(100):
        noise = 1 + 0.02 * RNG.standard_normal(6)
        fall = 1 - 0.25 * e / 99
        rows.append(
            f"{e},{0.0125 * fall * noise[0]:.6f},{0.0036 * fall * noise[1]:.6f},{0.9925 + 0.0038 * e / 99:.5f},"
            f"{0.0092 * fall * noise[2]:.6f},{0.0022 * fall * noise[3]:.6f},{0.001 * (1 - e / 100):.6f}"
        )
    path = tmp_path / "results.csv"
    path.write_text("\n".join(rows) + "\n")
    assert alarms(path) == []


def test_rows_that_hide_how_far_a_descent_leads_are_no_plateau(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    noise = 1 + 0.08 * RNG.standard_normal(131)
    rows = [(i, (2.3 - 0.35 * i / 130) * noise[i]) for i in range(1, 131)]
    path.write_text("".join(f"Epoch [1/1], Step [{100 * i}/13000], Loss: {loss:.4f}\n" for i, loss in rows))
    assert "plateau-from-start" not in alarms(path)


def test_the_boxes_of_a_detector_are_no_classifier_with_a_wrong_start(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(
        "".join(
            f"Epoch[{e}] Batch [{b}]\tSpeed: 12.3 samples/sec\tTrain-{name}={value:.6f}\n"
            for e in range(10)
            for b in range(20, 401, 20)
            for name, value in (
                ("Acc", 0.8 - 0.5 * math.exp(-(e * 20 + b / 20) / 30) + 0.01 * RNG.standard_normal()),
                ("SmoothL1", 12 + 27 * math.exp(-(e * 20 + b / 20) / 20) * (1 + 0.05 * RNG.standard_normal())),
            )
        )
    )
    assert alarms(path) == []


def test_a_detector_that_finds_more_each_epoch_does_not_underfit(tmp_path: Path) -> None:
    rows = ["epoch,train/box_loss,train/cls_loss,metrics/mAP50(B),val/box_loss,val/cls_loss,lr/pg0"]
    for e in range(10):
        rows.append(
            f"{e + 1},{1.97 + 0.2 * math.sin(e / 3) - 0.04 * e:.5f},{3.9 - 0.2 * e:.5f},{0.1 + 0.005 * e * e:.5f},"
            f"{2.15 + 0.1 * math.sin(e / 3) - 0.035 * e:.5f},{4.0 - 0.21 * e:.5f},{0.0016 * (1 - e / 10):.6f}"
        )
    path = tmp_path / "results.csv"
    path.write_text("\n".join(rows) + "\n")
    assert alarms(path) == []


def test_a_table_that_counts_nothing_is_found_on_a_walk_where_both_sides_stand_in_it(tmp_path: Path) -> None:
    rows = ["Learning Rate\tTrain Loss\tValid Loss\tTrain Acc.\tValid Acc.\t"]
    rows += [f"0.020000\t{2.3 / i:.6f}\t{2.4 / i:.6f}\t{9.0 + i:.6f}\t{11.0 + i:.6f}\t" for i in range(1, 20)]
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "log.txt").write_text("\n".join(rows) + "\n")
    assert roles(tmp_path)["Train Loss"] == "loss"


def test_rows_behind_a_padded_position_in_brackets_are_records(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_text("".join(f"[{i:3d}/16] train={2.0 / i:.5f} valid={2.1 / i:.5f} lr=5.0e-02\n" for i in range(1, 17)))
    assert roles(path)["lr"] == "lr" and roles(path)["train"] == "loss"


def test_batches_in_noise_beside_evaluations_of_another_sum_that_fall_are_no_plateau(tmp_path: Path) -> None:
    rows = []
    for i in range(90):
        rows.append(f"epoch: 0, batch: {200 * i}, train loss: {0.0072 * (1 + 0.15 * math.sin(7.1 * i * i)):.6f}")
        val = 0.08 + 0.05 * math.exp(-i / 25) + 0.002 * math.sin(3.3 * i * i)
        rows.append(f"epoch: 0, batch: {200 * i}, mean dev loss: {val:.6f}, best: False")
    path = tmp_path / "train.out"
    path.write_text("\n".join(rows) + "\n")
    assert alarms(path) == []
    assert "plateau-from-start" not in {f.symptom for r in curvedoc.analyze(path).runs for f in r.findings}


def test_validation_far_below_training_does_not_run_in_its_mode(tmp_path: Path) -> None:
    rows = ["epoch,loss,accuracy,val_loss,val_accuracy"]
    for i in range(16):
        swing = 0.13 * (i % 4 == 2) + 0.02 * math.sin(5 * i)
        rows.append(f"{i},{0.47 + 0.02 * math.sin(3 * i):.4f},0.86,{0.2 + swing:.4f},{0.94 - swing / 5:.4f}")
    path = tmp_path / "history.csv"
    path.write_text("\n".join(rows) + "\n")
    (run,) = curvedoc.analyze(path).runs
    assert all(c.cause != "missing-eval-mode" for c in run.causes[:1])


def test_values_of_samples_that_nothing_counts_are_no_training(tmp_path: Path) -> None:
    path = tmp_path / "slurm.out"
    lines = [
        f"[2023-11-20 09:4{i % 6}:43,390] - Log-likelihood tensor([{9000 + 4000 * math.sin(i * i):.3f}])"
        for i in range(60)
    ]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(NothingToAnalyse):
        alarms(path)


def test_evaluations_in_noise_that_end_twice_as_good_are_not_said_to_get_no_better(tmp_path: Path) -> None:
    rows = ["step,rollout/ep_rew_mean,train/loss,eval/mean_reward"]
    for i in range(60):
        held = f"{90 + 1.2 * i + 60 * math.sin(3.7 * i * i):.2f}" if i % 2 else ""
        rows.append(f"{2048 * (i + 1)},{129 + 0.8 * i + 4 * math.sin(i):.2f},{9 / (1 + i):.4f},{held}")
    path = tmp_path / "progress.csv"
    path.write_text("\n".join(rows) + "\n")
    for run in curvedoc.analyze(path).runs:
        assert "never gets better: about 90" not in run.headline
