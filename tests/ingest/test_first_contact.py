"""Logs as strangers write them: each shows one way of writing that was once misread."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from corpus import SIGNALS
from text_log import read

import curvedoc
from curvedoc.core.errors import NothingToAnalyse
from curvedoc.core.run import Run
from curvedoc.ingest import read_runs

pytestmark = pytest.mark.fast


def loss(i: int) -> float:
    return round(0.2 + 2.0 / (1 + i) + 0.01 * (i * 7 % 5), 4)


def last(run: Run, role: str) -> tuple[str, int, float]:
    """Name, number of values and last value of the first metric of a role."""
    match = next(iter(run.matches(role)))
    series = run.metric(match.metric)
    assert series is not None
    return match.metric, len(series), float(series.value[-1])


def walk(place: Path, text: str, name: str) -> list[Run]:
    (place / name).write_text(text)
    return list(read_runs([place], signals_file=SIGNALS).runs)


def test_what_stands_beside_the_accuracy_of_the_test_is_of_the_test(tmp_path: Path) -> None:
    text = ""
    for i in range(12):
        text += f"epoch {i + 1}: train acc: {40 + i}.5%, loss: {loss(i)}\n"
        if i % 3 == 2:
            text += f"The result of the net with Adam is test acc: {35 + i}.25%, loss: {loss(i) + 0.5:.4f}\n"
    run = read(tmp_path, text)[0]
    assert last(run, "loss") == ("loss", 12, loss(11))
    assert last(run, "val_loss") == ("test loss", 4, round(loss(11) + 0.5, 4))


@pytest.mark.parametrize("name", ["trainer.INFO", "net.host.log.INFO.20260304-101500.4711", "run_2026-03-04"])
def test_a_log_may_end_as_no_log_is_called(name: str, tmp_path: Path) -> None:
    text = "".join(f"I0304 10:15:{i:02d}.5 77 solver.cpp:9] Iteration {10 * i}, loss = {loss(i)}\n" for i in range(12))
    (run,) = walk(tmp_path, text, name)
    assert last(run, "loss") == ("loss", 12, loss(11))
    (tmp_path / "atoms.xyz").write_text("3\nwater, loss of mass 0.5\n" + "O 0.1 0.2 0.3\nH 0.4 0.5 0.6\n" * 9)
    assert len(read_runs([tmp_path], signals_file=SIGNALS).runs) == 1


def test_a_number_within_a_rule_counts_the_epochs(tmp_path: Path) -> None:
    epochs = [*range(8), *range(11)]
    runs = read(
        tmp_path, "".join(f"-----{i}-----\ntrain loss: {loss(i)}\ntest loss: {loss(i) + 0.1:.4f}\n" for i in epochs)
    )
    assert [last(r, "loss")[1:] for r in runs] == [(8, loss(7)), (11, loss(10))]


def test_records_without_line_ends_are_records(tmp_path: Path) -> None:
    text = "".join(f"epoch: {i}/40, train_loss: {loss(i)}, train_acc: 0.{300 + i}" for i in range(1, 31))
    run = read(tmp_path, text + "\n")[0]
    assert last(run, "loss") == ("train_loss", 30, loss(30))


def test_a_source_line_in_words_is_no_metric(tmp_path: Path) -> None:
    head = "[2024-03-01 10:{:02}:30,120 INFO train.py line 190 13107] "
    text = "".join(
        head.format(i % 60) + f"Epoch: [{i // 10 + 1}/5][{i % 10 + 1}/10] Data 0.351 (0.4) Loss {loss(i)}.\n"
        for i in range(50)
    )
    run = read(tmp_path, text)[0]
    assert last(run, "loss") == ("Loss", 50, loss(49))
    assert not [m for m in run.metrics() if "line" in m]


def test_a_letter_for_the_loss(tmp_path: Path) -> None:
    text = "".join(
        f"[epoch: {i // 5}, iter: {100 * i}] l_pixel: {loss(i):.3e} l_style: {2 * loss(i):.3e}\n" for i in range(1, 21)
    )
    run = read(tmp_path, text)[0]
    assert {m.metric for r in ("loss", "aux_loss") for m in run.matches(r)} == {"l_pixel", "l_style"}


def test_the_error_that_is_validated_is_the_loss_beside_a_part(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch {i + 1:02} | Train MSE: {loss(i)} | Gate Loss: {0.5 - 0.01 * i:.4f} | Val MSE: {loss(i) + 0.1:.4f}\n"
        for i in range(8)
    )
    run = read(tmp_path, text)[0]
    assert last(run, "loss") == ("Train MSE", 8, loss(7))
    assert last(run, "val_loss")[0] == "Val MSE"


def test_an_iteration_that_begins_anew_with_each_epoch_counts_within_it(tmp_path: Path) -> None:
    rows = [(e, 4 * k) for e in range(6) for k in range(10)]
    text = "epoch, iteration, loss, error\n" + "".join(f"{e}, {k}, {loss(10 * e + k // 4)}, 2.5\n" for e, k in rows)
    run = walk(tmp_path, text, "trn_loss.txt")[0]
    assert last(run, "loss") == ("loss", 60, loss(59))


def test_a_table_of_nothing_but_losses_that_go_on_is_a_log(tmp_path: Path) -> None:
    text = "losses\n" + "".join(f"{loss(i)}\n" for i in range(60))
    assert last(walk(tmp_path, text, "losses.csv")[0], "loss") == ("losses", 60, loss(59))


def test_lists_of_losses_are_losses(tmp_path: Path) -> None:
    text = ",ff_train_losses,ff_test_losses\n" + "".join(f"{i},{loss(i)},{loss(i) + 0.1:.4f}\n" for i in range(12))
    run = walk(tmp_path, text, "losses.csv")[0]
    assert last(run, "loss") == ("ff_train_losses", 12, loss(11))
    assert last(run, "val_loss")[0] == "ff_test_losses"


SERVER = "".join(
    f"E0718 02:{i:02}:55.396392 1399 _internal.py:225] 127.0.0.1 code 400, message Bad request\n"
    f"W0718 02:{i:02}:56.951381 1399 event.py:244] Deleting accumulator 'Loss/train'\n"
    for i in range(40)
)
EVALUATED = "".join(
    f"[2024-07-22 00:{i:02}:58,747 INFO test.py line 190 131] Test: [{i * 20}/900] Data 0.351.\n" for i in range(9)
)


@pytest.mark.parametrize("text", [SERVER, EVALUATED], ids=["server", "evaluation"])
def test_a_program_that_does_not_train_is_no_run(text: str, tmp_path: Path) -> None:
    assert not walk(tmp_path, text, "nohup.out")


def test_a_training_that_failed_before_its_first_step_is_one(tmp_path: Path) -> None:
    text = 'Loading data\nTraceback (most recent call last):\n  File "train.py", line 24\nRuntimeError: no memory\n'
    assert len(walk(tmp_path, text, "nohup.out")) == 1


def test_a_bar_that_starts_before_its_epoch_is_named_counts_within_that_epoch(tmp_path: Path) -> None:
    """Each epoch a bar of the training and one of the validation, drawn over itself, and nothing said at its start."""

    def bar(said: str, at: int, of: int) -> str:
        return f"\r{said}{100 * at // of:3}%|{'█' * (10 * at // of):10}| {at}/{of} [00:0{at % 10}<00:09,  1.1it/s]"

    text = ""
    for epoch in range(4):
        text += bar("", 0, 40) + "".join(
            bar(f"Epoch {epoch}, training loss {loss(40 * epoch + i)}: ", i, 40) for i in range(1, 41)
        )
        right = 0.7 + 0.05 * epoch
        text += "\n" + bar("", 0, 15)
        text += "".join(bar(f"Epoch {epoch}, validation pixAcc: {right:.3f}: ", i, 15) for i in range(1, 16)) + "\n"
    (run,) = walk(tmp_path, text, "train.log")
    name, count, end = last(run, "loss")
    assert (name, end) == ("training loss", loss(160)) and count >= 4 * 20
    assert last(run, "val_accuracy")[1] == 4


def test_episodes_beside_a_reward_count_whatever_the_reward_does(tmp_path: Path) -> None:
    rows = "".join(f"{i},{0.3 + 0.1 * (i % 4)},{(i * 37) % 11 * 21.0},{i * 230 + i % 7}\n" for i in range(60))
    (run,) = walk(tmp_path, "episode,episode time,episode_reward,steps_done\n" + rows, "progress.csv")
    assert last(run, "reward") == ("episode_reward", 60, 105.0)


@pytest.mark.parametrize("head", ["", "Some weights were newly initialized\n" * 60])
def test_a_search_of_trainings_that_count_parts_of_an_epoch_is_one_run_each(head: str, tmp_path: Path) -> None:
    text = head
    for seed in (10, 300, 3000):
        text += f"(1e-05, {seed})\n"
        for i in range(60):
            text += f"{{'loss': {loss(i)}, 'grad_norm': 1.{i}, 'learning_rate': 1e-05, 'epoch': {i / 20:.2f}}}\n"
        text += "{'eval_loss': 0.4, 'eval_runtime': 12.1, 'epoch': 2.99}\n"
    assert [last(r, "loss")[1:] for r in read(tmp_path, text)] == [(60, loss(59))] * 3


@pytest.mark.parametrize("row", ["epoch{}\t{}", "{}_{}", "step {}: {}"])
def test_a_counter_that_is_called_so_in_each_row_of_a_file_named_for_its_metric_is_one(
    row: str, tmp_path: Path
) -> None:
    (run,) = walk(tmp_path, "".join(row.format(i, loss(i)) + "\n" for i in range(1, 40)), "train_loss.txt")
    assert last(run, "loss")[1:] == (39, loss(39))


def test_a_misspelled_iteration_counts(tmp_path: Path) -> None:
    text = "".join(f"train loss of iteraction {i}:{loss(i)}\n" for i in range(2, 40))
    assert last(walk(tmp_path, "Initial loss after 1:2.3\n" + text, "train_loss.txt")[0], "loss")[2] == loss(39)


def test_source_code_returns_no_reward(tmp_path: Path) -> None:
    code = "".join(f"def f{i}(n):\n    if n < 2:\n        return {i}\n    return max(n, {i})\n" for i in range(40))
    assert not walk(tmp_path, code, "answers.txt")


def test_the_letters_of_two_splits_tell_them_beside_each_other(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch: {i:3d} | T_Loss {loss(i)} | T_acc 0.5{i} | V_Loss {loss(i) + 0.1:.4f} | V_acc. 0.4{i}\n"
        for i in range(10, 40)
    )
    run = read(tmp_path, text)[0]
    assert [last(run, r)[0] for r in ("loss", "val_loss", "accuracy", "val_accuracy")] == [
        "T_Loss",
        "V_Loss",
        "T_acc",
        "V_acc.",
    ]
    players = "step,v_loss,p_loss\n" + "".join(f"{i},{loss(i)},{-loss(i)}\n" for i in range(30))
    assert not any(m.role == "val_loss" for m in read(tmp_path, players, "ppo.csv")[0].roles)


def bar(i: int, of: int) -> str:
    return f"{100 * i // of:3d}%|{'#' * (10 * i // of):10s}| {i}/{of} [00:{i % 60:02}<00:{(of - i) % 60:02}, "


def test_a_bar_of_epochs_around_bars_of_batches_counts_epochs(tmp_path: Path) -> None:
    head = "2024-06-14 22:56:54,452 - INFO - "
    text = f"{head}{bar(0, 6)}?epoch/s]\n"
    for e in range(1, 7):
        text += "".join(
            f"{head}{bar(b, 8)}7.11batch/s, loss={loss(8 * e + b)}]\n{head}[A\n" for b in range(0 if e > 1 else 1, 9)
        )
        text += f"{head}Epoch {e}: \n{head}loss={loss(8 * e):.5f}, \n{head}val_loss={loss(e)}\n"
        text += f"{head}{bar(e, 6)}34.99s/epoch, loss={loss(8 * e):.3g}, val_loss={loss(e):.3g}]\n"
    runs = read(tmp_path, text)
    assert len(runs) == 1
    assert last(runs[0], "loss") == ("loss", 48, loss(56))


def test_the_mean_over_an_epoch_is_no_value_of_its_bar(tmp_path: Path) -> None:
    text = ""
    for e in range(1, 21):
        text += "".join(f"Epoch {e}: {bar(b, 5)}9.6it/s, CE={loss(e) + 0.01 * b:.4f}]\n" for b in range(1, 6))
        text += f"\nEpoch {e}\n  Train - CE: {loss(e):.4f}, acc: 9{e % 10}.5%\n"
        text += f"  Val   - CE: {loss(e) + 0.1:.4f}, acc: 8{e % 10}.5%\n"
    run = read(tmp_path, text)[0]
    counts = {name: len(s) for name in run.metrics() if (s := run.metric(name)) is not None}
    assert (counts["CE"], counts["epoch CE"], counts["val CE"]) == (100, 20, 20)


def test_a_server_whose_requests_fail_is_no_training(tmp_path: Path) -> None:
    text = "[I 21:25:14.039 NotebookApp] 302 GET / (127.0.0.1) 1.170000ms\n" * 9
    text += "Traceback (most recent call last):\n  File \"/srv/app.py\", line 3, in listen\nKeyError: 'text'\n" + text
    assert walk(tmp_path, text, "nohup.out") == []
    early = "Loading the data\nTraceback (most recent call last):\n  File \"train.py\", line 3\nKeyError: 'text'\n"
    asked = 'DEBUG:urllib3.connectionpool:https://huggingface.co:443 "HEAD /bert HTTP/1.1" 200 0\n' * 9
    assert len(walk(tmp_path, asked + early, "nohup.out")) == 1


def test_an_epoch_and_its_number_may_be_one_word(tmp_path: Path) -> None:
    head = "2023-11-26 17:00:08,407 - trainer - INFO - ---"
    text = "".join(
        f"{head}Epoch.{i} Train Negative Overall Log-Loss per event: {loss(i):.6f}. \n"
        f"{head}Epoch.{i} Val Negative Log-Loss per event: {loss(i) + 0.1:.6f}; Acc_Top1: 0.{300 + i}; QQ_dev: 0.5\n"
        for i in [*range(12), *range(20)]
    )
    runs = read(tmp_path, text)
    assert [last(r, "loss")[1:] for r in runs] == [(12, loss(11)), (20, loss(19))]
    assert last(runs[1], "val_loss") == ("Val Negative Log-Loss per event", 20, round(loss(19) + 0.1, 6))
    assert last(runs[1], "val_accuracy") == ("val Acc_Top1", 20, 0.319)


def test_a_likelihood_that_begins_anew_begins_a_run(tmp_path: Path) -> None:
    text = ""
    for run in range(1, 4):
        text += f"Starting run: {run} / 3\nUsing kernel Gauss.\n"
        for s in range(0, 3000, 100):
            text += f"Lasso 10 Step: {s} MLL: tf.Tensor({-100 - 900 / (1 + s):.6f}, shape=(), dtype=float64)\n"
        text += "Train error 0.75 Test error 0.74\n"
    runs = read(tmp_path, text)
    assert [len(r.metric("MLL") or ()) for r in runs] == [30, 30, 30]


def test_the_cores_of_a_map_are_no_precision(tmp_path: Path) -> None:
    text = "".join(f"Map (num_proc=8): {bar(i, 20)}51.2 examples/s]\n" for i in range(1, 21))
    assert walk(tmp_path, text, "train.log") == []


def test_a_letter_at_the_head_of_a_line_is_a_network_and_no_unit(tmp_path: Path) -> None:
    text = "".join(f"[G loss: {3 - loss(i):.4f}] [D loss: {loss(i)}] [epoch {i}/40]\n" for i in range(40))
    (run,) = read(tmp_path, text)
    assert set(run.metrics()) == {"D loss", "G loss"}


def test_a_number_ahead_of_brackets_counts(tmp_path: Path) -> None:
    text = "".join(f"{i} [D loss: {loss(i)}, acc.: {50 + i % 9}.5%] [G loss: {3 - loss(i):.4f}]\n" for i in range(40))
    run = read(tmp_path, text)[0]
    series = run.metric("D loss")
    assert series is not None
    assert series.step.tolist() == list(range(40))


def test_marian_puts_a_colon_between_name_and_value(tmp_path: Path) -> None:
    text = ""
    for i in range(40):
        text += f"[2024-03-01 10:{i:02}:12] Ep. {1 + i // 20} : Up. {500 * (i + 1)} : Sen. {12_000 * (i + 1):,} : "
        text += f"Cost {loss(i):.8f} * 812,345 @ 1,024 after {i},345 : Time 31.0{i % 10}s : 26195.40 words/s : "
        text += f"gNorm 0.{30 + i} : L.r. 3.0000e-04\n"
    text += "[2024-03-01 11:00:12] [valid] Ep. 2 : Up. 20000 : cross-entropy : 5.123 : new best\n"
    run = read(tmp_path, text)[0]
    assert last(run, "loss") == ("loss", 40, loss(39))
    assert last(run, "grad_norm") == ("grad_norm", 40, 0.69)
    assert last(run, "val_loss") == ("valid cross-entropy", 1, 5.123)
    assert run.metric("loss").step[-1] == 20_000  # type: ignore[union-attr]


def test_time_module_and_level_stand_apart_by_tabs(tmp_path: Path) -> None:
    head = "2023-06-01 10:00:{:02},123\tmy-model\tINFO\t"
    text = "".join(f"{head.format(i)}[{200 * i}, 0.0001]\n{head.format(i)}loss_mel={loss(i)}\n" for i in range(30))
    run = read(tmp_path, text)[0]
    assert last(run, "loss") == ("loss_mel", 30, loss(29))


def test_an_abbreviation_of_validation_in_russian(tmp_path: Path) -> None:
    run = read(tmp_path, "".join(f"Эпоха {i}: потери {loss(i)}, вал. потери {loss(i) + 0.1:.4f}\n" for i in range(20)))[
        0
    ]
    assert last(run, "loss")[1:] == (20, loss(19))
    assert last(run, "val_loss")[1:] == (20, round(loss(19) + 0.1, 4))


def test_two_positions_at_the_head_of_a_line_are_the_epoch_and_its_batch(tmp_path: Path) -> None:
    text = "".join(
        f"[{e}/4][{b * 50}/200] Loss_D: {loss(4 * e + b) / 2:.4f} Loss_G: {3 - loss(4 * e + b):.4f} D(x): 0.6\n"
        for e in range(4)
        for b in range(4)
    )
    run = read(tmp_path, text)[0]
    for name in ("Loss_D", "Loss_G"):
        series = run.metric(name)
        assert series is not None and series.step.tolist() == list(range(0, 800, 50))


def test_a_step_with_a_bracket_behind_a_position_counts_over_all_epochs(tmp_path: Path) -> None:
    text = ""
    for i in range(40):
        text += f"[{i // 10 + 1}/4] {i * 100}), Loss: {loss(i):.3f}, mAP {40 + i}.25%\n"
        if i % 10 == 9:
            text += f"TESTING: {i * 100 + 50}), mAP {38 + i}.50%\n"
    (run,) = read(tmp_path, text)
    series = run.metric("Loss")
    assert series is not None and series.step.tolist() == list(range(0, 4000, 100))


def test_a_header_of_two_lines_between_bars_names_the_columns(tmp_path: Path) -> None:
    rule = "|" + "=" * 88 + "|\n"
    text = rule
    text += (
        "|  Epoch  |  Iteration  |  Time Elapsed  |  Mini-batch  |  Validation  |  Mini-batch  |  Base Learning  |\n"
    )
    text += (
        "|         |             |   (hh:mm:ss)   |   Accuracy   |   Accuracy   |     Loss     |      Rate       |\n"
    )
    text += rule
    for i in range(1, 21):
        seen = f"{30 + i}.50%" if i % 5 == 0 else ""
        text += f"| {i // 4 + 1:7d} | {i * 50:11d} |       00:00:{i:02d} | {40 + i:10d}.00% | {seen:>12} |"
        text += f" {loss(i):12.4f} |          0.0100 |\n"
    (run,) = read(tmp_path, text + rule, "out.txt")
    assert last(run, "loss") == ("Mini-batch Loss", 20, loss(20))
    assert last(run, "lr") == ("Base Learning Rate", 20, 0.01)
    assert last(run, "val_accuracy") == ("Validation Accuracy", 4, 0.505)


def test_a_table_with_a_row_for_each_metric_and_a_column_for_each_split(tmp_path: Path) -> None:
    at = "2020-01-01 10:{:02d}:00,123 - INFO - library.training.writer - "
    text = ""
    for i in range(12):
        head = at.format(i)
        text += f"{head}Epoch {i}/11\n{head}                   Training |  Validation\n"
        text += f"{head}accuracy           |     0.{30 + i}0  |     0.{28 + i}0\n"
        text += f"{head}gpu_0_memory_MB    |  1000.000  |       N/A\n"
        text += f"{head}loss               |     {loss(i):.4f}  |     {loss(i) + 0.1:.4f}\n"
    (run,) = read(tmp_path, text)
    assert last(run, "loss") == ("train loss", 12, loss(11))
    assert last(run, "val_loss") == ("validation loss", 12, round(loss(11) + 0.1, 4))
    assert last(run, "val_accuracy") == ("validation accuracy", 12, 0.39)


def test_a_file_called_by_two_words_in_one(tmp_path: Path) -> None:
    (run,) = walk(tmp_path, "".join(f"{loss(i)}\n" for i in range(60)), "iterloss_log.txt")
    assert last(run, "loss") == ("iterloss_log", 60, loss(59))


@pytest.mark.parametrize("epochs", ["14,14,14,14,14,14,14,14", "500,0,200,500,0,500,200,500"])
def test_a_table_of_results_that_tells_the_epochs_of_each_is_no_log(epochs: str, tmp_path: Path) -> None:
    text = "Model,Dataset,Epochs,Learning Rate,Accuracy\n"
    for i, n in enumerate(epochs.split(",")):
        text += f"{('conv', 'transformer')[i % 2]},{('shoes', 'chairs')[i // 4]},{n},0.001,{0.5 + 0.37 * i % 0.4:.4f}\n"
    assert walk(tmp_path, text, "results_log.csv") == []


def test_a_weight_of_a_loss_among_the_settings_is_no_loss(tmp_path: Path) -> None:
    text = "hid_dim: 512\nloss_temporal_wei: 1.0\nloss_pairs: 2.0\n" + "-" * 20 + "\n"
    for i in range(12):
        text += f"Train Epoch: {i} [0/100 (0%)] Loss1: {loss(i)} Loss2: {loss(i) / 3:.4f}\nepoch {i}\nF1: {30 + i}.5\n"
    (run,) = read(tmp_path, text)
    assert last(run, "loss") == ("Loss1", 12, loss(11))


def test_names_and_values_by_turns(tmp_path: Path) -> None:
    text = "".join(f"iteration,{i * 100},test_loss,{loss(i)},test_accuracy,0.{40 + i}0\n" for i in range(1, 21))
    (run,) = read(tmp_path, text)
    assert last(run, "val_loss") == ("test_loss", 20, loss(20))
    assert last(run, "val_accuracy") == ("test_accuracy", 20, 0.6)


def test_two_splits_without_another_word_are_losses(tmp_path: Path) -> None:
    (run,) = read(tmp_path, "".join(f"train={loss(i)} valid={loss(i) + 0.1:.4f}\n" for i in range(6)))
    assert last(run, "loss") == ("train", 6, loss(5))
    assert last(run, "val_loss")[:2] == ("valid", 6)


def test_the_loss_of_the_value_beside_that_of_the_policy_is_a_part(tmp_path: Path) -> None:
    text = "".join(f"iter {i} p_loss {loss(i)} v_loss {loss(i) / 3:.4f} entropy {2 - i / 30:.3f}\n" for i in range(30))
    (run,) = read(tmp_path, text)
    assert next(iter(run.matches("aux_loss"))).metric == "v_loss"


def test_the_loss_of_the_value_is_no_validation_where_agents_are_evaluated(tmp_path: Path) -> None:
    text = "".join(
        f"iter {i} pg_loss={0.1 / (i + 1):.4f}, v_loss={loss(i) / 3:.4f}\n"
        + (f"Evaluating\npg_loss=0.01, v_loss={loss(i):.4f}\nreward {i / 10}\n" if i % 5 == 4 else "")
        for i in range(30)
    )
    run = read(tmp_path, text)[0]
    assert not list(run.matches("val_loss"))


def test_a_share_that_other_lines_tell_in_percent_stays_a_share(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch {i}: loss={loss(i)}, acc={0.1 + i / 50:.4f}\n"
        + (f"  Best so far: epoch {i}, acc {10 + 2 * i:.2f}%\n" if i % 5 == 4 else "")
        for i in range(30)
    )
    run = read(tmp_path, text)[0]
    right = run.series("accuracy")
    assert right is not None and right.value.max() == pytest.approx(0.68) and right.value.min() == pytest.approx(0.1)


def test_a_value_behind_a_comma_a_compact_date_and_a_readme_of_output(tmp_path: Path) -> None:
    """What the first look at newly fetched logs missed."""
    (tmp_path / "a").mkdir()
    commas = [f"epoch {e}, phase train, step {10 * (20 * e + i)}, loss_train, {0.8 * 0.97 ** (20 * e + i):.3f}"
              for e in range(3) for i in range(1, 21)]  # fmt: skip
    (tmp_path / "a" / "train.log").write_text("\n".join([*commas, ""]), encoding="utf-8")
    (tmp_path / "b").mkdir()
    dated = []
    for e in range(1, 31):
        at = f"2020020{4 + e // 20}-{10 + e // 3}:{e:02}"
        dated += [f"{at}:00 Train Epoch: {e}/30 ...", f"{at}:40     total_loss: {25 * 0.95**e:.4f} time: 15m 1s"]
    (tmp_path / "b" / "log.log").write_text("\n".join([*dated, ""]), encoding="utf-8")
    (tmp_path / "c").mkdir()
    lines = [
        f"2025-07-07 13:55:26.649 INFO: Epoch [{e:03}/300] - Train Loss: {145 * 0.97**e:.5f}" for e in range(1, 41)
    ]
    (tmp_path / "c" / "readme_output_aws.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    (tmp_path / "c" / "README_en.txt").write_text("loss 0.5\nloss 0.4\n", encoding="utf-8")
    lengths = {}
    for run in curvedoc.read(tmp_path):
        loss = run.series("loss")
        lengths[run.name] = None if loss is None else (len(loss), int(loss.step[-1]))
    assert lengths == {"a": (60, 600), "b": (30, 30), "c": (40, 40)}


def test_a_table_whose_loss_comes_down_at_once_and_then_scatters_is_a_log_on_a_walk(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    i = np.arange(1200)
    loss = 0.9 + 2.0 * np.exp(-i / 60) + 0.08 * rng.standard_normal(1200)
    rows = ["i,time,loss,similarity", *(f"{10 * k},{0.7 * k:.6f},{y:.9f},{0.6 + 0.02 * rng.random():.6f}"
            for k, y in enumerate(loss))]  # fmt: skip
    (tmp_path / "log.csv").write_text("\n".join([*rows, ""]), encoding="utf-8")
    assert len(curvedoc.read(tmp_path)) == 1
    shuffled = rng.permutation(loss)
    rows = ["nr,price,loss", *(f"{rng.integers(1e6)},{rng.random():.4f},{y:.6f}" for y in shuffled)]
    (tmp_path / "log.csv").write_text("\n".join([*rows, ""]), encoding="utf-8")
    with pytest.raises(NothingToAnalyse):
        curvedoc.read(tmp_path)


def test_one_record_an_epoch_at_the_same_batch_each_time_is_counted_on(tmp_path: Path) -> None:
    text = ""
    for i in range(12):
        text += f'{{"mode": "train", "epoch": {i + 1}, "iter": 4, "loss": {loss(i)}}}\n'
        text += f'{{"mode": "val", "epoch": {i + 1}, "iter": 9, "PCK": {0.5 + i / 50}}}\n'
    run = walk(tmp_path, text, "train.log.json")[0]
    assert last(run, "loss")[1:] == (12, loss(11))
