"""Rows that several write by turns into one table, a level that is held, a last row back at the start."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_log import losses, read

import curvedoc
from curvedoc.core.errors import NothingToAnalyse
from curvedoc.core.run import Run
from curvedoc.ingest.trainings.workers import of_workers

pytestmark = pytest.mark.fast


def table(*columns: str) -> str:
    return ",".join(columns) + "\n"


def of(run: Run, role: str) -> tuple[int, list[int]]:
    series = run.series(role)
    return (0, []) if series is None else (len(series), [int(series.step[0]), int(series.step[-1])])


@pytest.mark.parametrize("names", [("width", "share"), ("depth", "shots"), ("Model Size", "Dataset Fraction")])
@pytest.mark.parametrize("pace", [2, 5])
def test_jobs_that_append_to_one_table_are_told_apart_by_their_settings(
    tmp_path: Path, names: tuple[str, str], pace: int
) -> None:
    first = [(4, 0.5, e, v) for e, v in enumerate(losses(30, 1), 1)]
    second = [(64, 1.0, e, v) for e, v in enumerate(losses(30, 2), 1)]
    third = [(4, 1.0, e, v) for e, v in enumerate(losses(30, 3), 1)]
    jobs, rows = [first, second, third], []
    while any(jobs):
        for job in jobs:
            rows += job[:pace]
            del job[:pace]
    text = table(*names, "epoch", "train_loss") + "".join(table(*map(str, r)) for r in rows)
    runs = read(tmp_path, text, "log.csv")
    assert sorted(of(r, "loss") for r in runs) == [(30, [1, 30])] * 3
    assert {tuple(r.config[n] for n in names) for r in runs} == {(4.0, 0.5), (64.0, 1.0), (4.0, 1.0)}


def test_a_rate_that_decays_does_not_tell_jobs_apart(tmp_path: Path) -> None:
    text = table("dim", "epoch", "loss", "momentum")
    for e, (a, b) in enumerate(zip(losses(40, 1), losses(40, 2), strict=True), 1):
        for dim, v in ((16, a), (32, b)):
            text += table(str(dim), str(e + 20 * (dim == 16 and e > 60)), str(v), str(0.9 if e < 20 else 0.95))
    lines = text.splitlines(keepends=True)
    # the second job is some epochs late
    rows = sorted(lines[1:], key=lambda r: int(r.split(",")[1]) + 7 * r.startswith("32"))
    runs = read(tmp_path, lines[0] + "".join(rows), "log.csv")
    assert sorted(of(r, "loss") for r in runs) == [(40, [1, 40])] * 2


def of_several(workers: int, n: int, seed: int) -> list[int]:
    """Episodes of workers that each count up to n, written in stretches."""
    random, at, out = Random(seed), [0] * workers, []
    while any(a < n for a in at):
        w = min(range(workers), key=lambda i: at[i] + random.random())
        more = min(n, at[w] + random.randint(4, 7))
        out += range(at[w] + 1, more + 1)
        at[w] = more
    return out


@given(st.integers(2, 4), st.integers(120, 300), st.integers(0, 50))
def test_a_counter_that_goes_back_by_little_again_and_again_is_of_workers(workers: int, n: int, seed: int) -> None:
    assert of_workers(np.array(of_several(workers, n, seed)))


@given(st.integers(2, 12), st.integers(5, 80))
def test_trainings_one_after_another_and_resumes_are_of_no_workers(times: int, n: int) -> None:
    assert not of_workers(np.tile(np.arange(n), times))
    assert not of_workers(np.concatenate([np.arange(k * n, k * n + n + n // 4) for k in range(times)]))
    assert not of_workers(np.arange(times * n))


@pytest.mark.parametrize("head", ["episode,reward,steps", "episode,total_reward,policy_loss", "iteration,reward,len"])
def test_episodes_of_parallel_workers_are_one_training(tmp_path: Path, head: str) -> None:
    random, text = Random(3), head + "\n"
    for i in of_several(2, 200, 3):
        text += f"{i},{round(100 - 80 * 0.98**i + random.gauss(0, 3), 2)},{50 - 20 * (random.random() < 0.2)}\n"
    (run,) = read(tmp_path, text, "log.csv")
    assert of(run, "reward") == (200, [1, 200])


@pytest.mark.parametrize("form", ["Action: Up | Reward: {r}", "reward = {r}", "Score {r} reward {r}"])
def test_a_level_that_is_held_is_said_by_no_two_handlers(tmp_path: Path, form: str) -> None:
    values = [0, 0, -100, *[-100] * 200, -40, *[-30] * 50]
    (run,) = read(tmp_path, "".join(form.format(r=r) + "\n" for r in values))
    assert of(run, "reward")[0] == len(values)


@pytest.mark.parametrize("first", [0, 1])
def test_a_last_row_back_at_the_start_does_not_replace_the_first(tmp_path: Path, first: int) -> None:
    random = Random(1)
    rows = [(i, round(random.gauss(10, 4), 2)) for i in range(first, 25)]
    text = table("episode", "reward") + "".join(table(str(i), str(r)) for i, r in [*rows, (first, 11.0)])
    runs = read(tmp_path, text, "log.csv")
    series = runs[0].series("reward")
    assert series is not None
    assert series.value.tolist() == [r for _, r in rows]


@pytest.mark.parametrize("said", [
    "[{m}] Progress: Episodes {e}/40, Avg Reward: {r}", "{m} so far: episode {e}, mean reward {r}",
    "episode {e} average reward: {r}",
])  # fmt: skip
def test_a_line_that_each_step_of_an_episode_says_again_is_not_the_curve(tmp_path: Path, said: str) -> None:
    random, text = Random(4), ""
    for name in ("DQN", "A2C"):
        text += f"Training {name}\n"
        for e in range(1, 41):
            text += f"[{name}] Episode {e}/40, Reward: {round(random.gauss(900, 300), 1)}\n"
            if e % 20 == 0:
                text += (said.format(m=name, e=e, r=round(random.gauss(900, 30), 2)) + "\n") * 100
    runs = read(tmp_path, text)
    assert [of(r, "reward") for r in runs] == [(40, [1, 40])] * 2


@pytest.mark.parametrize("head", ["lr,hidden,loss,acc", "hidden,lr,val_loss,val_acc", "depth,alpha,loss,score"])
def test_a_grid_of_settings_is_no_training(tmp_path: Path, head: str) -> None:
    random, first, second, *_ = Random(5), *head.split(",")
    values = {"lr": (0.1, 0.01, 0.001), "hidden": (16, 32, 64, 128), "depth": (2, 3, 5), "alpha": (0.1, 0.5, 0.9)}
    rows = [
        table(str(a), str(b), f"{random.uniform(0.2, 0.9):.4f}", f"{random.uniform(0.5, 0.9):.4f}")
        for b in values[second]
        for a in values[first]
    ]
    (tmp_path / "results.csv").write_text(head + "\n" + "".join(rows))
    with pytest.raises(NothingToAnalyse):
        curvedoc.read(tmp_path / "results.csv")


def test_batches_within_epochs_are_no_grid(tmp_path: Path) -> None:
    values = iter(losses(120, 1))
    rows = [table(str(e), str(b), str(next(values))) for e in range(1, 7) for b in range(0, 200, 10)]
    (run,) = read(tmp_path, table("e", "b", "loss") + "".join(rows), "log.csv")
    assert of(run, "loss")[0] == 120
