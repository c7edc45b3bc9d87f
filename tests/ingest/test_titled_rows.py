"""Rows under a comment that names them, counters behind the name, and words that run into an epoch by dots."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.rulebook.location import signals_file

N = 30


def only(tmp_path: Path, name: str, lines: list[str]) -> Run:
    (tmp_path / name).write_text("\n".join(lines) + "\n")
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    return run


def roles(run: Run) -> dict[str, str]:
    return {m.role: m.metric for m in run.roles}


@pytest.mark.parametrize("flat", [False, True])
def test_columns_are_called_by_a_comment_whether_the_loss_falls_or_not(tmp_path: Path, flat: bool) -> None:
    values = [1.5 + 0.01 * (i % 3) if flat else 2 / (1 + i) for i in range(N)]
    rows = [f"[{7 * i + 7:6d},  0.0020000]   {v:.4f},   {v:.4f},  0.35,  0.91, " for i, v in enumerate(values)]
    run = only(tmp_path, "flow.out", ["# [step, lr] loss, epe, 1px, 3px", "Parameter Count: 10609", *rows])
    loss = run.series("loss")
    assert loss is not None and len(loss) == N and loss.step[0] == 7
    assert roles(run)["lr"] == "lr"


def test_a_table_of_numbers_counts_by_the_first_of_its_names(tmp_path: Path) -> None:
    rows = [f"{7 * i + 7} {0.08 - i / 1000:.6e} 16.77 7.748e-01" for i in range(N)]
    loss = only(tmp_path, "mse.dat", ["# it  mse  psnr  |grad|", *rows]).series("loss")
    assert loss is not None and loss.step[:2].tolist() == [7, 14]


def test_a_name_may_stand_ahead_of_its_counters(tmp_path: Path) -> None:
    lines = []
    for e in range(1, 9):
        lines += [f"loss in epoch {e} iteration {i}: {2 / (e + i / 40)}" for i in range(0, 40, 10)]
        lines.append(f"Evaluating....epoch:{e}, time: {5.3 * e}(s), valid (NDCG@10: 0.{10 + e}, HR@10: 0.{20 + e})")
    run = only(tmp_path, "rank.txt", lines)
    loss, quality = run.series("loss"), run.metric("valid NDCG@10")
    assert loss is not None and len(loss) == 32
    assert quality is not None and len(quality) == 8


def test_a_line_above_the_header_says_which_split_a_part_of_it_is_of(tmp_path: Path) -> None:
    head = [
        "** go **",
        "                        |------- VALID --------|------- TRAIN/BATCH -----------|         ",
        "rate     iter   epoch   |  loss   dice   pick  |  loss   dice  |  loss   dice  |  time   ",
        "-" * 90,
    ]
    rows = [
        f"0.0100  {i / 2:5.1f}{'* '[i % 3 > 0]}  {i / 8:6.1f} | {0.9 / (1 + i) + 0.2:6.3f}  {1 - 0.8 / (1 + i):6.3f}"
        f"  0.5 | {0.8 / (1 + i) + 0.1:6.3f}  {1 - 0.7 / (1 + i):6.3f}  | {0.7 + 0.01 * (i % 4):6.3f}  0.400"
        f"  | {i // 4:2d} hr {15 * (i % 4):02d} min"
        for i in range(N)
    ]
    run = only(tmp_path, "log.train.txt", [*head, *rows])
    loss, val = run.series("loss"), run.series("val_loss")
    assert loss is not None and val is not None and len(loss) == len(val) == N
    assert (loss.value[0], val.value[0]) == (pytest.approx(0.9), pytest.approx(1.1))
    assert roles(run)["lr"] == "rate" and run.metric("valid dice") is not None


def test_a_table_under_a_line_of_groups_that_are_no_splits_keeps_its_own_names(tmp_path: Path) -> None:
    head = [
        "         | ------ A ------ | ------ B ------ |",
        "epoch    |  loss   acc     |  size   left    |",
        "-" * 50,
    ]
    rows = [f"{i:5d}    | {2 / (1 + i):6.3f}  {0.3 + i / 60:5.3f}  |  {i * 3}   {900 - i}   |" for i in range(N)]
    run = only(tmp_path, "train.txt", [*head, *rows])
    loss = run.series("loss")
    assert loss is not None and len(loss) == N and "val_loss" not in roles(run)


@pytest.mark.parametrize(
    "say",
    [
        lambda n: f"# correct:\t{n}/800 = {n / 8}%",
        lambda n: f"Correct: {n / 8:.3f}%",
        lambda n: f"{n}/800 correct ({n / 8:.3f}%)",
        lambda n: f"number of correct predictions: {n}/800",
        lambda n: f"Correctly classified {n} / 800",
        lambda n: f"correct {n / 800:.5f}",
    ],
)
def test_how_many_of_all_are_correct_is_an_accuracy(tmp_path: Path, say: Callable[[int], str]) -> None:
    lines = []
    for e in range(1, 9):
        lines += [f"epoch {e}, batch {b}, training loss: {2 / (e + b / 40)}" for b in range(10, 40, 10)]
        lines += ["On the validation set ...", say(400 + 20 * e), f"correct: {300 + e}"]
    found = only(tmp_path, "train.txt", lines).series("val_accuracy")
    assert found is not None and found.value.tolist() == pytest.approx([(400 + 20 * e) / 800 for e in range(1, 9)])
