"""Logs of unlike makers, re-enacted: boxes, output that was held back, counters that count something else."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from random import Random

import pytest
from text_log import curve, losses, read

from curvedoc.core.run import Run


def of(run: Run, role: str) -> list[str]:
    return [m.metric for m in run.matches(role)]


def test_a_bar_keeps_its_steps_beside_lines_that_a_buffer_held_back(tmp_path: Path) -> None:
    text = "Optimizing ./out\n"
    for at in (700, 3000):
        text += f"[ITER {at}] Evaluating train: L1 0.03{at} PSNR 24.{at}\n[ITER {at}] Saving\n"
    for i, v in enumerate(losses(300), 1):
        text += (
            f"Training progress: {i // 3:3d}%|###   | {i * 10}/3000 [00:{i % 60:02d}<01:08, 23.65it/s, Loss={v:.7f}]\n"
        )
    (run,) = read(tmp_path, text)
    assert [s for s, _ in curve(run, "Loss")] == [i * 10 for i in range(1, 301)]
    assert [s for s, _ in curve(run, "eval PSNR")] == [700, 3000]


def bar(at: int, of: int) -> str:
    return f"\r {100 * at // of:3d}%|##   | {at}/{of} [00:{at % 60:02d}<01:08, 3.65it/s]"


@pytest.mark.parametrize("blocks", [(20,), (20, 10)])
def test_records_that_a_buffer_held_back_are_laid_out_over_the_bar(tmp_path: Path, blocks: tuple[int, ...]) -> None:
    rows = [f"{{'loss': {v:.4f}, 'learning_rate': 1e-05, 'epoch': {i / 100:.2f}}}" for i, v in enumerate(losses(30))]
    text, at = "", 0
    for size in blocks:
        text += (
            "".join(bar(i, 900) for i in range(at * 10, (at + size) * 10 + 1)) + "\n".join(rows[at : at + size]) + "\n"
        )
        at += size
    text += "Configuration saved in ./out/checkpoint-200/config.json\nTrainOutput(global_step=200, training_loss=0.5)\n"
    (run,) = read(tmp_path, text)
    assert curve(run, "loss") == [(10 * i, pytest.approx(v, abs=1e-4)) for i, v in enumerate(losses(30)[:at], 1)]


def test_a_bar_that_was_full_before_the_first_record_is_no_counter_of_these(tmp_path: Path) -> None:
    text = "".join(bar(i, 3000) for i in range(0, 3001, 100)) + "\n"
    text += "".join(
        f"{{'loss': {v:.4f}, 'learning_rate': 1e-05, 'epoch': {i / 10}}}\n" for i, v in enumerate(losses(30))
    )
    (run,) = read(tmp_path, text)
    assert len(curve(run, "loss")) == 30


def test_the_length_of_an_episode_is_no_axis_beside_the_episode(tmp_path: Path) -> None:
    r = Random(3)
    text = ""
    for i in range(1, 121):
        reward, length = i * 0.4 + r.gauss(0, 5), r.randint(20, 900)
        text += f"2025-04-20 02:{i // 60:02d}:{i % 60:02d} | Episode {i}/300 | Reward: {reward:.1f}"
        text += f" | Epsilon: {0.97**i:.5f} | Steps: {length}\n"
    (run,) = read(tmp_path, text)
    assert [s for s, _ in curve(run, "Reward")] == list(range(1, 121))
    assert len(curve(run, "Steps")) == 120 and not of(run, "lr")


def box(rows: dict[str, float], bars: bool) -> str:
    if not bars:
        return (
            "-----------  ------\n" + "".join(f"{k:20s}  {v:.4g}\n" for k, v in rows.items()) + "-----------  ------\n"
        )
    edge = "-" * 40 + "\n"
    return edge + "".join(f"| {k:22s} | {v:<11.4g} |\n" for k, v in rows.items()) + edge


@pytest.mark.parametrize("bars", [True, False])
@pytest.mark.parametrize("counter", ["epoch", "total/steps", "TotalEnvInteracts", ""])
def test_boxes_are_records_whatever_counts_them(tmp_path: Path, bars: bool, counter: str) -> None:
    text = "Logging to /tmp/x\n"
    for i in range(30):
        rows = {"rollout/return": i * 3.5 - 20.123, "train/loss_actor": -i * 1.25, "test/success_rate": i / 31}
        text += box(rows | ({counter: i * 100} if counter else {}), bars) + "Saving policy\n"
    (run,) = read(tmp_path, text, "log.txt")
    steps = [i * 100 if counter else i for i in range(30)]
    assert [s for s, _ in curve(run, "rollout/return")] == steps
    assert of(run, "reward") == ["rollout/return"] and of(run, "game_loss") == ["train/loss_actor"]


def test_a_table_of_lua_ahead_of_the_records_does_not_make_a_log_json(tmp_path: Path) -> None:
    text = "{\n  hflip : true\n  batchSize : 128\n  epoch_step : \n    {\n      1 : 60\n    }\n}\n"
    for i, v in enumerate(losses(40), 1):
        record = {"depth": 50, "epoch_step": [60, 120], "epoch": i, "loss": v, "test_acc": 50 + i, "lr": 0.1}
        text += (
            f"==> online epoch # {i} [batchSize = 128]\t\njson_stats: {json.dumps(record, separators=(',', ':'))}\t\n"
        )
    (run,) = read(tmp_path, text * 1, "log.txt")
    assert len(curve(run, "loss")) == 40 and of(run, "val_accuracy") == ["test_acc"]


def test_mlperf_records_of_the_second_year_are_read(tmp_path: Path) -> None:
    text = ':::MLL 0.0 submission_benchmark: {"value": "ssd", "metadata": {"lineno": 0, "file": "N/A"}}\n'
    for i in range(8):
        meta = f'"metadata": {{"epoch_num": {10 + i}, "lineno": 607, "file": "/tmp/x.py"}}'
        text += f':::MLL 1560216786.{i:03d} eval_start: {{"value": null, {meta}}}\n'
        text += f':::MLL 1560216787.{i:03d} eval_accuracy: {{"value": 0.{100 + 20 * i}, {meta}}}\n'
    (run,) = read(tmp_path, text, "result_0.txt")
    assert of(run, "val_accuracy") == ["eval_accuracy"] and not of(run, "loss")
    assert [s for s, _ in curve(run, "eval_accuracy")] == list(range(10, 18))


def test_epochs_back_at_one_are_another_training_where_the_loss_says_nothing(tmp_path: Path) -> None:
    r = Random(5)
    text = ""
    for k in range(2):
        for i in range(1, 31):
            joint = 105 - 30 * k + r.gauss(0, 22)
            text += f"Epoch {i}/500, Validation Joint Loss: {joint:.2f}, Validation Sharpe: {-i:.2f}\n"
    assert [len(curve(run, "Validation Joint Loss")) for run in read(tmp_path, text)] == [30, 30]


def test_a_smooth_l1_beside_another_loss_is_no_mean_of_it(tmp_path: Path) -> None:
    text = ""
    for i, v in enumerate(losses(40)):
        text += (
            f"[Epoch {i // 2}][Batch {i % 2 * 50}], CrossEntropy={v:.2e}, SmoothL1={v / 500:.2e}, val_AP={i / 50:.3f}\n"
        )
    (run,) = read(tmp_path, text)
    assert of(run, "loss") == ["CrossEntropy", "SmoothL1"]


def test_a_part_that_is_all_of_the_loss_is_a_part(tmp_path: Path) -> None:
    text = ""
    for i, v in enumerate(losses(60, top=5.0)):
        text += f"Epoch: [0]  [{i:3d}/60]  lr: 0.000100  loss: {v:.4f}  loss_iou: {v:.4f}"
        text += f"  loss_iou_unscaled: {v / 100:.4f}\n"
    (run,) = read(tmp_path, text)
    assert of(run, "loss") == ["loss"] and set(of(run, "aux_loss")) == {"loss_iou", "loss_iou_unscaled"}


def test_what_names_no_split_beside_a_training_loss_is_of_the_evaluation(tmp_path: Path) -> None:
    rows = [
        {"epoch": i, "train_loss": v, "loss": v + 0.2 + i / 99, "f1": 1 - v / 3, "recall": 0.9 - v / 4}
        for i, v in enumerate(losses(30), 1)
    ]
    (run,) = read(tmp_path, json.dumps(rows, indent=2), "metrics.json")
    assert of(run, "loss") == ["train_loss"] and of(run, "val_loss") == ["loss"]
    assert {"f1", "recall"} == set(of(run, "val_metric"))


def test_what_is_measured_may_stand_ahead_of_a_bar(tmp_path: Path) -> None:
    text = ""
    for i, v in enumerate(losses(60), 1):
        text += f"d: {-v:.3f};gen: {v / 3:.3f}:   {i}%|▉         | {i}/20000 [00:{i % 60:02d}<5:28:40,  1.01it/s]\n"
    (run,) = read(tmp_path, text)
    assert [s for s, _ in curve(run, "gen")] == list(range(1, 61)) and of(run, "game_loss") == ["d", "gen"]


def test_a_bar_of_ones_own_counts_and_that_of_a_tokenizer_does_not(tmp_path: Path) -> None:
    text = "./build/train \\\n  --epochs 1 \\\n  --loss-scale 1024 \\\n"
    text += f"Tokenizing [{'=' * 40}] 100.0% 9843688080/9843688080 | 414.98 MiB/s | ETA: 0.0 s | Total time: 22.62 s\n"
    for i, v in enumerate(losses(12), 1):
        bar = f"[{'=' * (3 * i):40s}] {i * 8.5:.1f}% {i * 5000}/60000"
        text += f"Training {bar} | 4.62 it/s | ETA: {99 - i}.8 s | loss={v} | validation_loss={v + 0.1:.4f}\n"
        text += f'Saved validation checkpoint at step {i * 5000} to "output/step-{i * 5000}"\n'
    (run,) = read(tmp_path, text, "training_output.txt")
    assert [s for s, _ in curve(run, "loss")] == [i * 5000 for i in range(1, 13)] and len(
        curve(run, "validation_loss")
    ) == 12


def test_a_mean_over_the_last_episodes_is_named_by_what_stands_before(tmp_path: Path) -> None:
    text = "Built the network!\n"
    for i in range(40):
        text += f"Avg learning reward last 100 episodes: {i * 1.3:.4f}\nUpdated target network!\n"
        if i % 2:
            text += f"Step {(i + 1) * 25000}\n"
    (run,) = read(tmp_path, text, "training_output.txt")
    found = curve(run, "Avg learning reward")
    assert len({s for s, _ in found if s is not None}) >= 38 and found[-1][1] == 50.7


def test_a_table_of_commas_amid_a_log_is_read(tmp_path: Path) -> None:
    text = 'Model: "sequential"\nTotal params: 294,873\n\n,loss,acc,val_loss,val_acc\n'
    text += "".join(f"{i},{v},{1 - v / 3:.5f},{v + 0.1:.4f},{0.9 - v / 3:.5f}\n" for i, v in enumerate(losses(8)))
    (run,) = read(tmp_path, text + "\nResults:\n   tp\t  fp\t  fn\nadvise   19\t  12\t 119\n")
    assert len(curve(run, "loss")) == len(curve(run, "val_acc")) == 8 and of(run, "val_loss") == ["val_loss"]


def test_a_table_of_epochs_and_errors_is_read(tmp_path: Path) -> None:
    text = "Epochs     Error\n-----------------\n" + "".join(f"{i}     {v} \n" for i, v in enumerate(losses(60)))
    (run,) = read(tmp_path, text, "progress.txt")
    assert [s for s, _ in curve(run, "Error")] == list(range(60)) and of(run, "loss") == ["Error"]


def test_the_seconds_that_an_epoch_cost_are_no_loss(tmp_path: Path) -> None:
    text = ""
    for e in range(20):
        for b in range(3):
            v = 5 * math.exp(-(3 * e + b) / 20) + 0.2
            text += f"[Epoch {e}][Batch {b * 10 + 9}], Speed: 218.798 samples/sec, LR=0.000125, HeatmapFocal={v:.3f}\n"
        text += f"[Epoch {e}] Training cost: {96 + e % 3}.736, HeatmapFocal={v:.3f}\ncost time  0.1{e}\n"
    (run,) = read(tmp_path, text)
    assert of(run, "loss") == ["HeatmapFocal"]


def test_sentences_that_tell_a_loss_are_records_without_a_counter_where_they_are_many(tmp_path: Path) -> None:
    def said(n: int) -> str:
        return "".join(f"iter pictures/img_{i * 37 % 991:04d}.png, loss: {2 / (1 + i / 50):.4f}\n" for i in range(n))

    (run,) = read(tmp_path, said(240), "train.log")
    assert len(curve(run, "loss")) == 240


def test_a_quality_among_settings_that_are_printed_again_is_a_curve(tmp_path: Path) -> None:
    head = (
        "INFO: Starting training:\n    Epochs: 40\n    Batch size: 2\n    Learning rate: 0.01\n    Training size: 80\n"
    )
    scores = "".join(f"INFO: Validation Dice Coeff: {0.5 + 0.02 * i:.3f}\n" for i in range(9))
    (run,) = read(tmp_path, head + head + scores + head + head, "train.log")
    assert of(run, "val_metric") == ["Validation Dice Coeff"]


def test_settings_that_are_printed_again_and_again_are_no_curve(tmp_path: Path) -> None:
    text = ""
    for k in range(5):
        text += f"[2025-02-12 22:0{k}:59,532][rank0][INFO] Config:\n" + " " * 20 + "gradient_accumulation_steps=1,\n"
        text += " " * 20 + f"learning_rate={0.0005 if k < 2 else 5e-05},\n" + " " * 20 + "max_grad_norm=1.0,\n"
    assert not read(tmp_path, text, "rank_0000.log")


def test_numbers_ahead_of_their_names_behind_a_time_of_day_are_read(tmp_path: Path) -> None:
    text = ""
    for i, v in enumerate(losses(30)):
        text += f"Epoch {i} @ {1 + i % 12:02d}:{10 + i} {'AP'[i % 2]}M : {v} C.E. Loss, {99 - 20 * v:.2f}% Accuracy\n"
    (run,) = read(tmp_path, text, "train.out")
    assert [s for s, _ in curve(run, "CE Loss")] == list(range(30)) and of(run, "accuracy") == ["Accuracy"]


def test_a_name_of_two_words_with_a_colon_between_is_one(tmp_path: Path) -> None:
    text = ""
    for i, v in enumerate(losses(30), 1):
        text += f"2019-11-18 02:37:{i:02d},423 - root - INFO - [Epoch 1 Batch {i}/30] loss={v}, "
        text += f"metrics:accuracy:{1 - v / 3:.4f}\n"
    (run,) = read(tmp_path, text)
    assert of(run, "accuracy") == ["metrics/accuracy"]


def test_lines_of_a_step_a_split_and_a_loss_are_read(tmp_path: Path) -> None:
    text = ""
    for i, v in enumerate(losses(60)):
        text += f"{i} val {v + 0.05:.4f}\n{i} hella {0.25 + i / 900:.4f}\n" if i % 20 == 0 else ""
        text += f"{i} train {v:.6f}\n"
    (run,) = read(tmp_path, text, "log.txt")
    assert len(curve(run, "train loss")) == 60 and [s for s, _ in curve(run, "val loss")] == [0, 20, 40]
    assert of(run, "loss") == ["train loss"] and of(run, "val_loss") == ["val loss"]


def test_an_epoch_and_a_batch_in_brackets_behind_the_split_count(tmp_path: Path) -> None:
    text = ""
    for e in range(3):
        for b, v in enumerate(losses(20, e, 8.0 / (e + 1))):
            text += f"0: TRAIN [{e}][{b * 10}/200]\tTime 0.443 (0.443)\tTok/s 11990 (11990)"
            text += f"\tLoss/tok {v} (9.9)\tLR 2.0e-05\n"
    (run,) = read(tmp_path, text, "result_0.txt")
    assert of(run, "loss") == ["Loss/tok"] and [s for s, _ in curve(run, "LR")] == [i * 10 for i in range(60)]


def test_a_name_that_stands_twice_is_of_the_split_named_before_it(tmp_path: Path) -> None:
    text = ""
    for i, v in enumerate(losses(20), 1):
        text += (
            f"Epoch {i}/20 | Train Loss: {v} Acc: {1 - v / 3:.4f} | Val Loss: {v + 0.1:.4f} Acc: {0.9 - v / 3:.4f}\n"
        )
    (run,) = read(tmp_path, text)
    assert of(run, "accuracy") == ["train Acc"] and of(run, "val_accuracy") == ["val Acc"]


def test_a_part_is_no_sum_of_the_loss_and_a_part_of_the_validation(tmp_path: Path) -> None:
    text = "epoch,train_kl,train_loss,train_recon,val_kl,val_loss,val_recon\n"
    for i, v in enumerate(losses(40)):
        kl = 0.001 * v
        text += f"{i},{kl},{v + kl},{v},{kl * 1.1},{v + 0.1 + kl * 1.1},{v + 0.1}\n"
    (run,) = read(tmp_path, text, "metrics.csv")
    assert of(run, "loss")[0] == "train_loss" and of(run, "val_loss")[0] == "val_loss"


def test_a_number_amid_a_name_is_a_part_of_it(tmp_path: Path) -> None:
    text = ""
    for i, v in enumerate(losses(20)):
        text += f"Epoch {i}: loss {v} | top 1 acc: {90 - 30 * v:.2f} | top 5 acc: {99 - 20 * v:.2f}\n"
    (run,) = read(tmp_path, text)
    assert of(run, "accuracy") == ["top1 acc"] and of(run, "metric") == ["top5 acc"]
    assert len(curve(run, "top1 acc")) == len(curve(run, "top5 acc")) == 20


@pytest.mark.parametrize("line", ["| a" + " " * 60_000, "[" + "0.5, " * 12_000, "[0.1, " * 10_000])
def test_lines_that_resemble_boxes_and_lists_end_quickly(tmp_path: Path, line: str) -> None:
    started = time.process_time()
    read(tmp_path, f"{line}\n--------------\n" * 3, "losses.txt")
    assert time.process_time() - started < 5
