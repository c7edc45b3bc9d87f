"""Consoles as famous programs leave them: bars and records on one line, means beside batches, what counts twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from curvedoc import read
from curvedoc.core.run import Run


def run_of(tmp_path: Path, text: str, name: str = "train.log") -> Run:
    (tmp_path / name).write_text(text)
    (found,) = read(tmp_path)
    return found


def first(run: Run, role: str) -> str:
    return next(m.metric for m in run.roles if m.role == role)


def fall(i: int, start: float = 3.0, floor: float = 0.5) -> float:
    return round(floor + (start - floor) * 0.93**i + 0.02 * ((7 * i) % 5 - 2), 4)


def test_records_behind_a_bar_that_is_drawn_again_are_a_console(tmp_path: Path) -> None:
    text = "".join(
        f"\r {i}%|#    | {4 * i}/80 [01:0{i % 10}<09:00,  3.10s/it]\r{' ' * 40}\r"
        f"{{'loss': {fall(i)}, 'reward': {round(0.1 + 0.03 * i, 4)}, 'epoch': {round(0.01 * i, 2)}}}\n"
        for i in range(1, 21)
    )
    found = run_of(tmp_path, text + "\r{'train_runtime': 700.5, 'train_loss': 1.25, 'epoch': 0.2}\n")
    assert found.metric("reward").step.tolist() == [4 * i for i in range(1, 21)]
    assert first(found, "reward") == "reward"


def test_a_time_alone_in_its_cell_hides_no_record(tmp_path: Path) -> None:
    text = "".join(
        (f"step {i}: train loss {fall(i)}, val loss {fall(i) + 0.1:.4f}\n" if i % 10 == 0 else "")
        + f"{i} | loss {fall(i)} | lr 3.0e-04 | {600 + i}.25ms | mfu 21.4%\n"
        for i in range(0, 101, 2)
    )
    found = run_of(tmp_path, text)
    assert len(found.metric("loss").step) == 51 and first(found, "loss") == "loss"
    text = "".join(
        f"{i} | loss {fall(i)} | acc 0.{40 + i} | 12.{i % 10}s\n"
        + (f"step {i}: val loss {fall(i) + 0.1:.4f}\n" if i % 5 == 0 else "")
        for i in range(40)
    )
    assert len(run_of(tmp_path, text).metric("loss").step) == 40


def test_the_mean_of_an_epoch_that_says_its_last_step_is_no_value_of_the_batches(tmp_path: Path) -> None:
    text = ""
    for e in range(1, 7):
        for b in (50, 100, 150):
            s = 170 * (e - 1) + b
            text += f"| epoch {e:03d}:    {b} / 170 loss={fall(s // 50)}, ppl={8.5 - e}, num_updates={s}, lr=0.2\n"
        text += f"| epoch {e:03d} | loss {fall(3 * e)} | ppl {8.2 - e:.2f} | num_updates {170 * e} | lr 0.2\n"
        text += f"| epoch {e:03d} | valid on 'valid' subset | loss {fall(3 * e) + 0.2:.4f} | num_updates {170 * e}\n"
    found = run_of(tmp_path, text)
    assert found.metric("loss").step.tolist() == [170 * e + b for e in range(6) for b in (50, 100, 150)]
    assert found.metric("epoch loss").step.tolist() == [170 * e for e in range(1, 7)]


def test_a_batch_behind_the_epoch_counts_and_a_word_before_a_bar_says_the_split(tmp_path: Path) -> None:
    text = ""
    for e in range(8):
        for b in (200, 400, 600):
            stamp = f"2024-05-0{e + 1} 10:{b // 100:02d}:00,100 DEBUG"
            text += f"{stamp} TRAIN | steps/sec 2.5| Batch {e}/{b} loss {fall(3 * e + b // 200)} lr 0.001 rank 0\n"
        text += f"2024-05-0{e + 1} 10:09:00,100 DEBUG CV | steps/sec 6.1| Batch {e}/100 loss {fall(3 * e) + 0.3:.4f}\n"
    found = run_of(tmp_path, text)
    assert found.metric("loss").step.tolist() == [600 * e + b for e in range(8) for b in (200, 400, 600)]
    assert first(found, "val_loss") == "valid loss"


def test_what_opens_a_block_counts_it(tmp_path: Path) -> None:
    text = ""
    for i in range(30):
        text += f"{'#' * 40}\n          Learning iteration {i}/500\n\n    Value function loss: {fall(i)}\n"
        text += f"           Mean reward: {0.5 * i - 1:.2f}\n{'-' * 40}\n       Total timesteps: {4096 * (i + 1)}\n\n"
    reward = run_of(tmp_path, text).metric("Mean reward")
    assert reward.step.tolist() == list(range(30)) and float(reward.value[0]) == -1.0


def test_a_bar_with_a_traceback_behind_it_keeps_its_last_value(tmp_path: Path) -> None:
    bars = "".join(
        f"\rSteps:  {i}%|#   | {i}/100 [00:{i:02d}<01:00, 1.1it/s, step_loss={fall(i)}]" for i in range(1, 31)
    )
    trace = 'Traceback (most recent call last):\n  File "train.py", line 9, in <module>\nValueError: bad shape\n'
    found = run_of(tmp_path, bars + trace)
    assert float(found.metric("step_loss").value[-1]) == fall(30)


@pytest.mark.parametrize("mark", ["#", "0"])
def test_a_mark_ahead_of_a_title_may_name_a_column(tmp_path: Path, mark: str) -> None:
    ahead = "0  " if mark == "#" else ""
    text = "#     Step    Time |    avgR   stdR |    expR   objC\n"
    text += "".join(
        f"{ahead}{1000 * (i + 1):8d}  {9 * i} |{-1200.5 + 28 * i:8.2f}  90.5 |   {-0.9 + 0.01 * i:.2f}  {fall(i):.2f}\n"
        for i in range(60)
    )
    found = run_of(tmp_path, text)
    assert found.metric("avgR").step.tolist() == [1000 * (i + 1) for i in range(60)]
    assert first(found, "reward") == "avgR"


def test_the_steps_of_a_loss_that_is_told_less_often_than_epochs_count(tmp_path: Path) -> None:
    text = ""
    for e in range(1, 61):
        if e % 5 == 1:
            terms = ", ".join(str(fall(e + k)) for k in range(5))
            text += f"2024-04-09 19:{e - 1:02d}:22\tINFO\tLosses: [{terms}], step: {40 * (e - 1)}, lr: 0.0001, "
            text += f"reference_loss: {fall(e, 40)}\n"
        text += f"2024-04-09 19:{e - 1:02d}:43\tINFO\t====> Epoch: {e}, cost 21.2 s\n"
    found = run_of(tmp_path, text)
    assert found.metric("loss_mel").step.tolist() == [200 * i for i in range(12)]


def test_a_loss_said_at_a_step_keeps_its_own_name(tmp_path: Path) -> None:
    text = "".join(
        f"INFO  Training average positive_sample_loss at step {i}: {fall(i)}\n"
        f"INFO  Training average loss at step {i}: {fall(i) + 0.1:.4f}\n"
        for i in range(0, 60, 2)
    )
    found = run_of(tmp_path, text)
    assert first(found, "loss") == "training loss"
    assert len(found.metric("training positive sample loss").step) == 30


def test_objectives_of_a_chain_model_are_told_with_their_penalty(tmp_path: Path) -> None:
    head = "LOG (nnet3-chain-train[5.5]:PrintStatsForThisPhase():nnet-training.cc:278) Average objective function for "
    text = ""
    for i in range(24):
        of = f"for minibatches {100 * i}-{100 * i + 99} is"
        text += f"{head}'output-xent' {of} {-1.6 + 0.004 * i:.5f} over 4288 frames.\n"
        text += (
            f"{head}'output' {of} {-0.12 + 0.0006 * i:.5f} + -0.00714 = {-0.12714 + 0.0006 * i:.5f} over 4288 frames.\n"
        )
    found = run_of(tmp_path, text)
    assert first(found, "loss") == "objf/output"
    assert np.isclose(float(found.metric("objf/output").value[0]), 0.12)


def test_rows_of_pairs_under_what_counts_the_environment(tmp_path: Path) -> None:
    text = ""
    for i in range(1, 31):
        text += f"[INFO 22:11:{i:02d}] my_main Recent Stats | t_env:      {10040 * i} | Episode:      {378 * i}\n"
        text += f"grad_norm:      {fall(i)}\tloss:      {fall(i, 0.2, 0.02)}\treturn_mean:      {0.5 * i + 2:.4f}\t\n\n"
    found = run_of(tmp_path, text)
    assert found.metric("return_mean").step.tolist() == [10040 * i for i in range(1, 31)]


def test_a_rate_that_is_said_to_be_set_is_logged(tmp_path: Path) -> None:
    text = ""
    for e in range(1, 5):
        text += "".join(f"\titers: {i}, epoch: {e} | loss: {fall(3 * e + i // 100)}\n" for i in (100, 200))
        text += f"Epoch: {e}, Steps: 266 | Train Loss: {fall(3 * e)} Vali Loss: {fall(3 * e) + 0.2:.4f}\n"
        text += f"Updating learning rate to {0.0004 / 2**e}\n"
    found = run_of(tmp_path, text)
    assert found.metric(first(found, "lr")).value.tolist() == [0.0004 / 2**e for e in range(1, 5)]
    text = "".join(
        f"Epoch {e}: loss {fall(e)}\nAdjusting learning rate of group 0 to {0.1 / 2 ** (e // 4):.4e}.\n"
        for e in range(12)
    )
    found = run_of(tmp_path, text)
    assert found.metric(first(found, "lr")).value.tolist()[::4] == [0.1, 0.05, 0.025]


def test_a_share_that_is_told_as_a_fraction_too_is_a_grade(tmp_path: Path) -> None:
    text = ""
    for i in range(1, 61):
        text += f"step {i}/60 | loss {fall(i)} | lr 1e-4\n"
        if i % 10 == 0:
            text += f"val loss {fall(i) + 0.1:.4f}\nHellaSwag: {2500 + 10 * i}/10042 = {(2500 + 10 * i) / 10042:.6f}\n"
    found = run_of(tmp_path, text)
    assert len(found.metric(first(found, "val_metric")).value) == 6


def test_steps_of_the_epoch_beside_steps_of_the_run(tmp_path: Path) -> None:
    text = ""
    for e in range(2):
        for i in range(40):
            text += f"Epoch: {e}, Step: {i}, Rank: 0, loss = {fall(40 * e + i)}\n"
            if i % 10 == 9:
                text += f"[2023-05-01 10:0{e}:{i},739] [INFO] [Rank 0] step={40 * e + i + 1}, skipped=0, lr=[9.6e-06]\n"
    found = run_of(tmp_path, text)
    assert found.metric("loss").step.tolist() == list(range(80))
    assert found.metric(first(found, "lr")).step.tolist() == [10 * i for i in range(1, 9)]


def test_a_grader_of_development_data_that_does_not_say_so(tmp_path: Path) -> None:
    text = "E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  ENTS_P  SCORE\n"
    for i in range(20):
        lost = 60.5 if i == 0 else 150 + 1800 * 0.75**i
        text += f"{i // 2:3d}  {200 * i:6d}  {80 - i:12.2f}  {lost:8.2f}  {80 * (1 - 0.7**i):6.2f}  70.00  0.{i + 10}\n"
    assert first(run_of(tmp_path, text), "val_metric") == "ENTS_F"
