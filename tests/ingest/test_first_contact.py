"""Logs as strangers write them: each shows one way of writing that was once misread."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus import SIGNALS
from text_log import read

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
