"""Logs as strangers write them: bars of their own, counters named last, folds, seeds and heads that are cut off."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from corpus import SIGNALS
from test_first_contact import last, loss, walk
from text_log import read

from curvedoc.ingest.naming.roles import assign, facts
from curvedoc.ingest.naming.signals import load_signals

pytestmark = pytest.mark.fast


def test_a_bar_headed_by_its_phase_in_brackets_counts_batches(tmp_path: Path) -> None:
    text = ""
    for e in range(3):
        text += f"Epoch: {e + 1}/3\n"
        for k in range(1, 9):
            text += f"[Training] {k}/8 [=====>......................] - ETA: 12:41  [ loss={loss(8 * e + k)} ]\n"
        text += "".join(f"[Evaluating] {k}/4 [======>.......................] - ETA: 39s\n" for k in range(1, 5))
    run = read(tmp_path, text)[0]
    assert last(run, "loss") == ("loss", 24, loss(24))
    assert not list(run.matches("accuracy"))


def test_passes_named_by_their_last_batch_behind_a_row_of_dots(tmp_path: Path) -> None:
    text = ""
    for e in range(8):
        head = f"0301 15:0{e}:34.664185    39 TrainerInternal.cpp"
        text += f"{'.' * 40}\nI{head}:165]  Batch=1000 samples=128000 AvgCost={loss(e)} CurrentCost={loss(e)} Eval: "
        text += f"error_evaluator=0.1{e} error_evaluator=0.2{e}\n"
        text += f"{'.' * 30}I{head}:182]  Pass={e} Batch=1472 samples=188399 AvgCost={loss(e)} Eval: "
        text += f"error_evaluator=0.1{e}\n"
        text += f"I0301 15:0{e}:50.1    39 Tester.cpp:127]  Test samples=912 cost={loss(e) + 0.2:.4f} Eval: "
        text += f"error_evaluator=0.3{e}\n"
    run = read(tmp_path, text)[0]
    assert last(run, "loss") == ("CurrentCost", 8, loss(7))
    assert last(run, "val_loss")[1:] == (8, round(loss(7) + 0.2, 4))
    series = run.metric("CurrentCost")
    assert series is not None
    assert len(set(series.step.tolist())) == 8


def test_each_fold_that_is_announced_is_a_training(tmp_path: Path) -> None:
    ends = (9, 7, 9, 8)  # the loss of each begins near where the one before ended
    text = "".join(
        f"\nFold {f + 1}/4\n"
        + "".join(f"Epoch {e + 1}/40 | Loss: {0.52 - 0.001 * e} | Val Acc: 0.9{e}\n" for e in range(n))
        for f, n in enumerate(ends)
    )
    assert [last(r, "loss")[1] for r in read(tmp_path, text)] == list(ends)


def test_a_loss_that_fell_by_powers_of_ten_does_not_go_on_from_a_thousand(tmp_path: Path) -> None:
    falls = [20000.0 * 0.55**k * (1 + 0.4 * (k * 7 % 3)) for k in range(24)]
    text = "".join(
        f"2020-05-2{d} 12:{i:02}:00,1 - main.py - train - INFO - Epoch: {i // 9} Iter: {100 * i} "
        f"| Train Loss: {v:.4f}\n"
        for d, n in ((4, 24), (5, 15), (6, 20))
        for i, v in enumerate(falls[:n])
    )
    assert [last(r, "loss")[1] for r in read(tmp_path, text)] == [24, 15, 20]


def test_a_box_whose_head_is_cut_off_is_of_the_sections_of_the_others(tmp_path: Path) -> None:
    box = "".join(
        f"| rollout/      |      |\n|    ep_rew_mean | {i + 0.5} |\n| time/         |      |\n"
        f"|    total_timesteps | {100 * i} |\n| train/        |      |\n|    loss        | {loss(i)} |\n"
        f"|    value_loss  | {loss(i) / 2:.4f} |\n{'-' * 30}\n{'-' * 30}\n"
        for i in range(6)
    )
    run = read(tmp_path, "\n".join(box.split("\n")[5:]))[0]
    assert {n for n in run.metrics() if "loss" in n} == {"train/loss", "train/value_loss"}


def test_no_curve_of_a_game_is_the_rate_and_no_time_or_weight_is_a_loss() -> None:
    table = load_signals(SIGNALS)
    n = np.arange(200)
    curves = {
        "d_real": 0.02 * np.exp(-n / 40), "d_fake": 0.03 * np.exp(-n / 30) + 0.001 * (n * 7 % 5),
        "g_adv": 1 + 0.01 * (n % 7), "g_l1": 2 * np.exp(-n / 80) + 0.05 * (n * 7 % 5),
        "l1_w": np.full(200, 100.0), "btime": 0.38 + 0.01 * (n * 3 % 7),
    }  # fmt: skip
    roles = {(m.metric, m.role) for m in assign([facts(k, v) for k, v in curves.items()], table)}
    assert {m for m, role in roles if role == "game_loss"} == {"d_real", "d_fake", "g_adv"}
    assert not {m for m, role in roles if role == "lr"} | ({m for m, _ in roles} & {"l1_w", "btime"})


def test_a_table_of_one_seed_again_begins_with_the_same_digits(tmp_path: Path) -> None:
    noisy = [20155.94, 2731.81, 5153.9, 736.3, 1784.1, 1873.9, 333.4, 900.1, 1500.2, 700.7, 450.3, 800.9]
    rows = [f"{e},{v + (0 if e == 0 else k)}" for k, n in enumerate((12, 9)) for e, v in enumerate(noisy[:n])]
    runs = walk(tmp_path, "\n".join(["epoch,loss", *rows]) + "\n", "log.csv")
    assert [last(r, "loss")[1] for r in runs] == [12, 9]


def test_a_table_headed_by_ep_with_a_star_behind_the_best(tmp_path: Path) -> None:
    text = "    Ep    Loss  L_bit  L_mean    Acc%      α   atk\n" + "=" * 60 + "\n"
    text += "".join(
        f"{i + 1:6d}  {loss(i)} {loss(i) / 2:.4f} 0.00{i:02}  5{i % 10}.20% 0.4990 0.{i:03}{' ★' * (i % 2)}\n"
        for i in range(12)
    )
    run = read(tmp_path, text)[0]
    assert last(run, "loss") == ("Loss", 12, loss(11))
    assert last(run, "accuracy")[:2] == ("Acc%", 12)


def test_a_stage_that_counts_anew_goes_on_in_what_is_tested_all_along(tmp_path: Path) -> None:
    text = "".join(
        f" {i}0%|##   | {i}/30 [00:12<12:09, 10.58s/it]\nTrain Loss: {loss(i)}, Acc: 5{i:02}e-3\n"
        f"Test Loss: {loss(i) + 0.1:.4f}, Acc: 0.5\n"
        for i in range(30)
    )
    text += "".join(
        f" {i}0%|##   | {i}/30 [00:12<12:09, 10.58s/it]\nFine Tune Loss: {loss(i) / 9:.4f}\n"
        f"Test Loss: {loss(29) + 0.1:.4f}, Acc: 0.5\n"
        for i in range(9)
    )
    run = read(tmp_path, text)[0]
    assert last(run, "test_loss" if list(run.matches("test_loss")) else "val_loss")[1] == 39
    assert last(run, "loss")[:2] == ("Train Loss", 30)


def test_the_validation_is_called_like_the_loss_of_training(tmp_path: Path) -> None:
    head = "2023-11-26 17:00:08,407 - trainers.trainer - INFO - ---Epoch"
    text = "".join(
        f"{head}.{i} Train Negative Overall Log-Loss per event: {loss(i)}. \n"
        f"{head}.{i} Val Negative Log-Loss per event: {loss(i) + 0.2:.4f}; Cross-Entropy per event:{loss(i) / 3:.4f}\n"
        for i in range(11)
    )
    assert last(read(tmp_path, text)[0], "val_loss") == (
        "Val Negative Log-Loss per event",
        11,
        round(loss(10) + 0.2, 4),
    )


def test_the_file_that_logs_is_no_split(tmp_path: Path) -> None:
    text = "".join(
        f"[2021-08-24 12:40:{i:02},770][train.py][line:18{i}][INFO] [Epoch {i}/20] [Batch 58/59] [D loss: {loss(i)}]"
        f" [G loss: 0.9{i:02}]\n"
        for i in range(20)
    )
    assert set(read(tmp_path, text)[0].metrics()) == {"D loss", "G loss"}


def test_rows_without_a_step_are_counted_although_the_last_line_names_an_epoch(tmp_path: Path) -> None:
    row = "[2031-02-03 10:{:02}:{:02},110] INFO: loss: {}, grad_norm: 2.1{}"
    rows = [row.format(i // 60, i % 60, loss(i), i % 9) for i in range(90)]
    rows.append("[2031-02-03 10:03:40,551] INFO: Eval Metrics: {'eval_loss': 0.61, 'epoch': 2.0}")
    run = read(tmp_path, "\n".join(rows) + "\n")[0]
    assert last(run, "loss") == ("loss", 90, loss(89))
    assert last(run, "val_loss") == ("eval_loss", 1, 0.61)


def parts(n: int, evaluated: bool) -> str:
    """Rows named by the part of an epoch that they stand at, evaluated every seven rows or never."""
    text = ""
    for i in range(n):
        text += f"{i // 7}.{i % 7 * 5:02}  train_ce={loss(i)}\n"
        if evaluated and i % 7 == 6:
            text += f"---- dev @ step {5 * (i + 1)}: ce={loss(i) + 0.3:.4f} tok_acc=0.5{i:02} ----\n"
    return text


def test_a_number_that_counts_parts_of_an_epoch_is_no_step(tmp_path: Path) -> None:
    assert last(read(tmp_path, parts(21, False))[0], "loss") == ("train_ce", 21, loss(20))


def test_rows_ahead_of_the_first_line_that_names_a_step_are_laid_backward(tmp_path: Path) -> None:
    (run,) = read(tmp_path, parts(35, True))
    series = run.metric("train_ce")
    assert series is not None
    assert series.step.tolist() == [5 * i for i in range(35)]
    assert last(run, "val_loss")[:2] == ("dev ce", 5)


def test_each_line_names_a_file_of_its_own(tmp_path: Path) -> None:
    names = ["".join(chr(97 + (i * k) % 26) for k in (3, 5, 7, 11)) for i in range(60)]
    text = "".join(f"fit on /scans/{n}_t1.nii.gz iter {i} loss: {loss(i)}\n" for i, n in enumerate(names))
    assert last(read(tmp_path, text)[0], "loss") == ("loss", 60, loss(59))


def test_the_passes_of_meta_learning_are_counted(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    text = "".join(f"meta-iter {i:04d} :: outer {1.2 * 0.99**i + rng.uniform(0, 1):.4f}\n" for i in range(200))
    run = walk(tmp_path, text, "maml.out")[0]
    assert run.axis == "step"
    assert last(run, "loss")[:2] == ("outer", 200)


def test_a_letter_of_which_no_value_is_finite_is_a_loss_still(tmp_path: Path) -> None:
    text = ""
    for e in range(1, 5):
        text += "".join(f"[{e:02d}:{i:04d}] L=nan |g|=nan\n" for i in range(1, 9)) + "  >> dev loss=nan\n"
    run = read(tmp_path, text)[0]
    assert [m.metric for m in run.roles if m.role == "loss"] == ["L"]


def test_a_bar_that_is_drawn_again_for_its_last_batch_tells_an_epoch_once(tmp_path: Path) -> None:
    text = ""
    for e in range(1, 9):
        head = f"Epoch {e}/8\n1874/1875 [============================>.] - ETA: 0s - loss: {loss(e)} - acc: 0.6{e}\n"
        text += head + f"Epoch {e}: val_acc improved from 0.5 to 0.6{e}, saving model to best.h5\n"
        text += f"1875/1875 [==============================] - 9s 5ms/step - loss: {loss(e)} - acc: 0.6{e}"
        text += f" - val_loss: {loss(e) + 0.1:.4f} - val_acc: 0.6{e}\n"
    run = read(tmp_path, text)[0]
    assert last(run, "loss")[1] == last(run, "val_loss")[1] == 8


def test_an_iteration_ahead_of_a_step_with_a_total_counts_the_epochs(tmp_path: Path) -> None:
    text = ""
    for e in range(1, 7):
        text += "".join(
            f"2031-08-17 16:{e:02d}:{k:02d},814 - tagger - INFO - iteration:{e} step:{100 * k}/1687, "
            f"NER loss: {loss(16 * e + k)}\n"
            for k in range(1, 17)
        )
    runs = read(tmp_path, text)
    assert len(runs) == 1 and last(runs[0], "loss")[1] == 96
    assert runs[0].series("epoch") is not None


def test_a_second_training_of_another_loss_begins_where_the_epochs_do(tmp_path: Path) -> None:
    text = ""
    for scale, epochs in ((4000.0, 12), (0.9, 20)):
        text += "".join(
            f"Epoch {e}/50:\nTrain Loss: {scale / (1 + e):.4f}\nVal Loss: {scale / (2 + e):.4f}\n----\n"
            for e in range(1, epochs + 1)
        )
    assert [last(run, "loss")[1] for run in read(tmp_path, text)] == [12, 20]


def test_a_bar_around_its_position_with_times_in_parts_tells_training_and_evaluation(tmp_path: Path) -> None:
    text = ""
    for e in range(30):
        text += f"\nEpoch: {e}\n"
        for total, more in ((391, 0.0), (100, 0.2)):
            text += f" [============================ {total}/{total} ===========================>]  Step: {60 + e}ms | "
            text += f"Tot: {total // 9}s{31 * e}ms | Loss: {loss(e) + more:.3f} | Acc: {50 + e}.3% (9000/10000) \n"
    run = read(tmp_path, text)[0]
    assert last(run, "loss")[1] == last(run, "val_loss")[1] == 30
    assert last(run, "val_loss")[2] == round(loss(29) + 0.2, 3)


@pytest.mark.parametrize("width", [110, 60], ids=["as wide as the line", "of another terminal"])
def test_a_position_that_backspaces_write_into_a_bar_counts(tmp_path: Path, width: int) -> None:
    text = ""
    for e in range(8):
        text += f"\nEpoch: {e}\n"
        for total, more in ((12, 0.0), (5, 0.2)):
            for i in range(1, total + 1):
                bar = f" [{'=' * (40 * i // total):.<40}]  Step: 61ms | Tot: {i}s31ms | "
                bar += f"Loss: {2 / (e + 1) + more + 1 / i:.3f} | Acc: {50 + e}.3% ({i}/{total}00)"
                text += bar.ljust(width) + "\b" * (width - 20) + f" {i}/{total} " + ("\n" if i == total else "\r")
    run = read(tmp_path, text)[0]
    for role, total, more in (("loss", 12, 0.0), ("val_loss", 5, 0.2)):
        series = run.series(role)
        assert series is not None
        assert series.value.tolist() == [round(2 / (e + 1) + more + 1 / total, 3) for e in range(8)]


def test_a_table_of_nothing_but_losses_is_a_training_however_noisy(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows = "".join(f"{g:.6f},{d:.6f}\n" for g, d in rng.uniform(3, 4.5, size=(60, 2)))
    run = walk(tmp_path, "gen_loss,disc_loss\n" + rows, "train_loss.csv")[0]
    assert [len(s) for n in run.metrics() if (s := run.metric(n)) is not None] == [60, 60]


def test_bars_that_were_kept_at_their_ends_alone_are_an_epoch_each(tmp_path: Path) -> None:
    text = "".join(
        f"4124/4124 [==============================] - {799 + e}s 2ms/step"
        f" - loss: {loss(e)} - val_loss: {loss(e) + 0.1:.4f}\n"
        for e in range(12)
    )
    run = read(tmp_path, text)[0]
    assert last(run, "loss") == ("loss", 12, loss(11))
    assert last(run, "val_loss")[1] == 12


def test_a_counter_that_never_moves_is_none_beside_records_without_one(tmp_path: Path) -> None:
    text = "".join(
        f"0 [D loss: {1 + loss(e):.4f}, acc.: 50.00%] [G loss: {loss(e):.4f}]\n"
        + ("Mean IoU: 0.3\n" if e % 5 == 4 else "")
        for e in range(20)
    )
    assert last(read(tmp_path, text)[0], "game_loss")[1] == 20


def test_processes_of_xla_are_ranks_and_their_speed_is_no_setting(tmp_path: Path) -> None:
    speeds = (180.3, 2410.5, 96.1, 1900.7)
    text = "".join(
        f"[xla:{r}]({20 * e}) Loss={loss(e)} Rate={speeds[(e + r) % 4]} Time=Wed May 13 2020\n"
        for e in range(10)
        for r in (1, 0, 2)
    )
    (run,) = read(tmp_path, text)
    assert last(run, "loss") == ("Loss", 10, loss(9))
    assert run.ranks() == (0, 1, 2)
