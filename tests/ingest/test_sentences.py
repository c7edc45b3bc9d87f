# ruff: noqa: E501 (lines as programs print them)
"""Records told as sentences, several trainings in one text, and what is no training although it counts."""

from __future__ import annotations

from pathlib import Path

import pytest

import curvedoc
from curvedoc.core.errors import NothingToAnalyse
from curvedoc.core.run import Run

pytestmark = pytest.mark.fast

N = 14


def loss(i: int) -> float:
    return round(2.1 * 0.8**i + 0.35 + 0.01 * (i % 3), 4)


def val(i: int) -> float:
    return round(loss(i) + 0.1, 4)


def read(folder: Path, text: str, name: str = "train.log") -> list[Run]:
    (folder / name).write_text(text)
    return list(curvedoc.read(folder / name))


def last(run: Run, role: str) -> tuple[int, float]:
    series = run.series(role)
    assert series is not None, role
    return len(series), round(float(series.value[-1]), 4)


@pytest.mark.parametrize(
    "line",
    [
        "Epoch {e} is over. Training loss {t}. On the held-out set the loss is {v}.",
        "After epoch {e} the model has a loss of {t} on the training data and {v} on the validation data.",
        "epoch {e}: mean loss over training batches was {t}; evaluated on dev: {v}",
        "[{e}] we are at loss {t} (train), {v} (valid)",
        "Step {e} finished; loss is now {t}; on the dev set it is {v}",
        "Epoch {e} | Unseen data: loss={v} | Seen data: loss={t}",
        "** epoch {e} ** loss(train/val) = {t}/{v}",
        "Epoch: [{e}/14]  Loss: {t} | {v} (train | val)",
        "Ep.{e} tr-loss {t} te-loss {v} [*]",
        "[epoch, train loss, val loss]: {e}, {t}, {v}",
        "--- Epoch {e} ---\n  train : loss {t}\n  held-out : loss {v}",
    ],
)
def test_a_sentence_says_the_split(line: str, tmp_path: Path) -> None:
    text = "".join(line.format(e=i + 1, t=loss(i), v=val(i)) + "\n" for i in range(N))
    (run,) = read(tmp_path, text)
    assert last(run, "loss") == (N, loss(N - 1))
    assert last(run, "val_loss") == (N, val(N - 1))


def test_what_follows_the_held_out_set_is_of_it(tmp_path: Path) -> None:
    text = "".join(
        f"After {6 * (i + 1)} updates the loss is {loss(i)}.\n"
        + (f"Epoch {i + 1} is over; on the held-out set: loss {val(i)}, mae {val(i) / 2:.4f}.\n" if i % 2 else "")
        for i in range(4 * N)
    )
    (run,) = read(tmp_path, text)
    assert last(run, "loss") == (4 * N, loss(4 * N - 1))
    assert last(run, "val_loss") == (2 * N, val(4 * N - 1))


def test_the_epochs_that_are_planned_are_none_that_is_reached(tmp_path: Path) -> None:
    text = "seed = 107\nepochs = 2\nbatch_size = 1\n"
    text += "".join(
        f"step {i}/30 loss={loss(i % 15)}\n" + f"epoch {i // 15} done: val_loss=0.5\n" * (i % 15 == 0)
        for i in range(1, 31)
    )
    assert len(read(tmp_path, text)) == 1


def test_each_process_that_wrote_into_one_text_is_a_run(tmp_path: Path) -> None:
    rows = [(p, i) for i in range(N) for p in (0, 1)]
    text = "Loading data\n" + "".join(
        f"[{4711 + p}] epoch {i + 1} loss {loss(i) + p} val_loss {val(i) + p}\n" for p, i in rows
    )
    assert [last(r, "loss") for r in read(tmp_path, text)] == [(N, loss(N - 1) + p) for p in (0, 1)]
    text = "".join(f"seed {p} | epoch {i + 1} | loss {loss(i) + p}\n" for p, i in rows)
    assert [last(r, "loss") for r in read(tmp_path, text)] == [(N, loss(N - 1) + p) for p in (0, 1)]


def test_a_number_in_brackets_that_counts_on_is_no_process(tmp_path: Path) -> None:
    (run,) = read(tmp_path, "".join(f"[{100 * i}] loss {loss(i)}\n" for i in range(1, 30)))
    assert last(run, "loss")[0] == 29


def test_clients_of_a_round_count_within_it(tmp_path: Path) -> None:
    text = "".join(
        f"Round {i + 1}\n" + "".join(f"  Client {c}: train loss = {loss(i)} after 5 local epochs\n" for c in range(3))
        + f"  Global model: test loss = {val(i)}, test acc = {1 - val(i) / 3:.4f}\n" for i in range(N)
    )  # fmt: skip
    (run,) = read(tmp_path, text)
    assert last(run, "loss") == (3 * N, loss(N - 1))
    assert last(run, "val_loss") == (N, val(N - 1))


@pytest.mark.parametrize("line", [
    "[client {c}] round={i} examples=90 loss={v}",
    "2026-03-04 10:00:{i:02d} | Round: {i} | Client {c} | Train Loss: {v}",
])  # fmt: skip
def test_the_losses_of_clients_stand_beside_that_of_the_server(line: str, tmp_path: Path) -> None:
    text = "".join(
        "".join(line.format(c=c, i=i, v=round(loss(i) + 0.1 * c, 4)) + "\n" for c in range(i % 2, 4))
        + f"[server] round={i} agg_train_loss={loss(i)} central_loss={val(i)}\n" for i in range(1, N)
    )  # fmt: skip
    (run,) = read(tmp_path, text)
    assert last(run, "loss") == (N - 1, loss(N - 1))
    assert last(run, "val_loss") == (N - 1, val(N - 1))
    assert sorted(m.label for m in run.matches("aux_loss")) == ["client_0", "client_1", "client_2", "client_3"]


TRIED = [3e-4, 0.08, 1e-5, 0.01, 2e-3, 5e-5, 0.04, 1e-3, 7e-5, 0.02]
FOUND = [0.41, 0.83, 0.52, 0.39, 0.77, 0.6, 0.45, 0.71, 0.48, 0.66]


@pytest.mark.parametrize(
    "line",
    [
        "Testing config {k}/10: lr={a} wd=0.1 -> val_loss {b}",
        "| {k:<9} | {b:<9} | {a:<9} |",
    ],
)
def test_trials_of_a_search_are_no_training(line: str, tmp_path: Path) -> None:
    text = "| iter | target | lr |\n------------------\n" if line.startswith("|") else ""
    text += "".join(line.format(k=k, a=a, b=b) + "\n" for k, (a, b) in enumerate(zip(TRIED, FOUND, strict=True), 1))
    with pytest.raises(NothingToAnalyse, match="trials of a search"):
        read(tmp_path, text)


def test_times_of_a_test_are_no_training(tmp_path: Path) -> None:
    text = "=> loaded checkpoint 'model_best.pth'\n" + "".join(
        f"[2020-07-22 00:{i:02}:33,917 INFO inference.py line 190 25603] Test: [{i}/40] Data {0.3 + i / 9:.3f} (0.4) Batch 0.5 (0.6).\n"
        for i in range(1, 40)
    )
    with pytest.raises(NothingToAnalyse, match="of a test alone"):
        read(tmp_path, text)


def test_a_table_on_its_side_with_both_splits(tmp_path: Path) -> None:
    rows = [["metric", *(str(i + 1) for i in range(N))]]
    rows += [["train_loss", *(str(loss(i)) for i in range(N))], ["val_loss", *(str(val(i)) for i in range(N))]]
    (run,) = read(tmp_path, "".join(",".join(r) + "\n" for r in rows), "history.csv")
    assert last(run, "val_loss") == (N, val(N - 1))


def test_a_letter_ahead_of_a_position_counts_epochs_however_it_is_padded(tmp_path: Path) -> None:
    text = "\ufeff" + "".join(
        f"E{i + 1:3d}/120 | Loss:{loss(i):.4f} | VAcc:{40 + i / 4:.2f}% | ETA:2.1min\n" for i in range(120)
    )
    (run,) = read(tmp_path, text)
    assert run.axis == "epoch"
    assert last(run, "loss") == (120, loss(119))


def test_a_position_ahead_of_a_bar_is_the_epoch_of_its_fold(tmp_path: Path) -> None:
    bar = "[fold_{k}] {e:03d}/030:  {p}%|###  | {b}/4 [00:1{b}<00:09,  3.2s/it, loss={v}]\n"
    text = "".join(
        f"  FOLD {k}\n"
        + "".join(bar.format(k=k, e=e + 1, p=25 * b, b=b, v=loss(e)) for e in range(30) for b in (1, 2, 3, 4))
        for k in range(3)
    )
    assert [last(r, "loss")[1] for r in read(tmp_path, text)] == [loss(29)] * 3


def test_a_name_of_nothing_but_marks_is_a_name(tmp_path: Path) -> None:
    (run,) = read(tmp_path, "".join(f"step {i} loss={loss(i)} __={i % 3} lr=0.001\n" for i in range(20)))
    assert last(run, "loss") == (20, loss(19))
