"""Parts of losses in a game, means that no word but "avg" names, and splits said in two letters or in other scripts."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

import numpy as np
import pytest

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.ingest.naming.values.running_means import is_running_mean
from curvedoc.rulebook.load import signals_file

pytestmark = pytest.mark.fast

R = Random(3)
N = 40
FALLS = [2.2 * math.exp(-i / 10) + 0.3 + R.gauss(0, 0.03) for i in range(N)]
PAID = [-200 + 350 * (1 - math.exp(-i / 15)) + R.gauss(0, 25) for i in range(N)]


def read(place: Path, form: str, name: str = "train.log", head: str = "") -> Run:
    rows = (
        form.format(i=i, a=FALLS[i], b=1.1 * FALLS[i] + R.gauss(0, 0.02), c=1 / (1 + FALLS[i]), d=0.9 / (1 + FALLS[i]),
                    g=1 + i / 20 + R.gauss(0, 0.1), r=PAID[i], m=float(np.mean(PAID[max(0, i - 9) : i + 1])))
        for i in range(N)
    )  # fmt: skip
    (place / name).write_text(head + "".join(rows))
    (run,) = read_runs([place / name], signals_file=signals_file()).runs
    return run


def named(run: Run, role: str) -> set[str]:
    return {m.metric for m in run.matches(role)}


@pytest.mark.parametrize(
    ("form", "name", "head", "game", "terms"),
    [
        ("{g:.4f},{a:.4f},{b:.4f}\n", "gan.csv", "g_loss,d_loss_real,d_loss_fake\n",
         {"g_loss", "d_loss_real", "d_loss_fake"}, set()),
        ("epoch {i} errD_real: {a:.4f} errD_fake: {b:.4f} errG: {g:.4f}\n", "train.log", "",
         {"errD_real", "errD_fake", "errG"}, set()),
        ("[Epoch {i}/40] [D loss: {a:.4f}] [G loss: {g:.4f}, adv: {b:.4f}, cycle: {a:.4f}]\n", "train.log", "",
         {"D loss", "G loss"}, {"adv", "cycle"}),
        ("step {i} | D loss {a:.4f} | G loss {g:.4f} | idt {b:.4f}\n", "train.log", "", {"D loss", "G loss"}, {"idt"}),
    ],
)  # fmt: skip
def test_each_loss_of_a_game_has_its_role(
    tmp_path: Path, form: str, name: str, head: str, game: set[str], terms: set[str]
) -> None:
    run = read(tmp_path, form, name, head)
    assert named(run, "game_loss") == game and named(run, "aux_loss") == terms


@pytest.mark.parametrize("word", ["avg", "mean", "average", "running avg", "moving average"])
def test_a_mean_is_that_of_the_reward_beside_it(tmp_path: Path, word: str) -> None:
    run = read(tmp_path, f"ep: {{i}} | score: {{r:.2f}} | {word}: {{m:.2f}} | eps: 0.9\n")
    assert named(run, "reward") == {"score", word}


def test_what_is_no_mean_of_it_is_none() -> None:
    paid = np.array(PAID)
    assert is_running_mean(np.cumsum(paid) / np.arange(1, N + 1), paid)
    assert not is_running_mean(paid[::-1], paid)
    assert not is_running_mean(np.array(FALLS), paid)


@pytest.mark.parametrize(
    "form",
    [
        "epoch {i}\n  训练集 loss: {a:.4f}  acc: {c:.4f}\n  测试集 loss: {b:.4f}  acc: {d:.4f}\n",
        "【第{i}轮】\n  训练集 损失：{a:.4f}  准确率：{c:.4f}\n  验证集 损失：{b:.4f}  准确率：{d:.4f}\n",
        "epoch {i}\n  学習セット loss: {a:.4f}  acc: {c:.4f}\n  検証セット loss: {b:.4f}  acc: {d:.4f}\n",
        "Epoch: {i}\nLoss:\n  train: {a:.4f}\n  val: {b:.4f}\nAccuracy:\n  train: {c:.3f}\n  val: {d:.3f}\n",
        '{{"e": {i}, "tl": {a:.4f}, "vl": {b:.4f}, "ta": {c:.4f}, "va": {d:.4f}}}\n',
    ],
)
def test_both_measures_of_both_splits_are_told_apart(tmp_path: Path, form: str) -> None:
    run = read(tmp_path, form, "run.jsonl" if form[0] == "{" else "train.log")
    for role in ("loss", "val_loss", "accuracy", "val_accuracy"):
        found = run.series(role)
        assert found is not None and len(found) == N, role


@pytest.mark.parametrize("names", [("train_obj", "valid_obj"), ("train_obj", "val_obj")])
def test_the_objective_of_a_search_is_its_loss(tmp_path: Path, names: tuple[str, str]) -> None:
    run = read(tmp_path, f"epoch {{i}}\n{names[0]} {{a:.5f}}\n{names[1]} {{b:.5f}}\n")
    assert named(run, "loss") == {names[0]} and named(run, "val_loss") == {names[1]}


def test_a_counter_is_one_whatever_sign_the_values_of_a_line_have(tmp_path: Path) -> None:
    rows = "".join(
        f"[09:00:{i:02d}] t={1000 * i:7d} ret={PAID[i]:8.1f} critic_loss={FALLS[i]:7.3f} "
        f"actor_loss={-100 * FALLS[i]:8.3f}\n"
        for i in range(N)
    )
    (tmp_path / "out.log").write_text(rows)
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    found = run.series("reward")
    assert found is not None and len(found) == N and found.step[-1] == 1000 * (N - 1)


def test_elements_of_an_array_are_a_curve(tmp_path: Path) -> None:
    assert named(read(tmp_path, "loss[{i}] = {a:.4f};\n", "out.txt"), "loss") == {"loss"}


def test_the_part_of_a_detector_that_tells_objects_is_a_part_like_the_others(tmp_path: Path) -> None:
    parts = ("box", "obj", "cls")
    head = ",".join(["epoch", *(f"{split}/{p}_loss" for split in ("train", "val") for p in parts)])
    rows = [",".join([str(i), *(f"{w * FALLS[i]:.5f}" for w in (3, 2, 1, 3.3, 2.2, 1.1))]) for i in range(N)]
    (tmp_path / "results.csv").write_text("\n".join([head, *rows]) + "\n")
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    assert named(run, "loss") == {"train/box_loss"}
    assert "val/box_loss" in named(run, "val_loss")
