"""Tables without a header are read where the file is called by its metric and the first column counts; no others."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.ingest.csv import headless
from curvedoc.rulebook.location import signals_file


def loss(i: int) -> float:
    return round(2 * math.exp(-i / 30) + 0.3, 5)


def rows(row: Callable[[int], str], n: int = 60) -> str:
    return "".join(row(i) + "\n" for i in range(n))


def runs(folder: Path, **files: str) -> tuple[Run, ...]:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    found = read_runs([folder], signals_file=signals_file())
    assert not found.unreadable
    return found.runs


@pytest.mark.parametrize("gap", [" ", "\t", ",", ", ", ";", "   "])
def test_a_counter_and_a_value_are_the_curve_that_the_file_is_called_by(tmp_path: Path, gap: str) -> None:
    (run,) = runs(
        tmp_path,
        train_loss__txt=rows(lambda i: f"{i * 5}{gap}{loss(i)}"),
        val_loss__csv=rows(lambda i: f"{i * 50}{gap}{loss(i) + 0.2:.5f}", 20),
    )
    series = {m.role: run.series(m.role) for m in run.roles}
    assert series["loss"].step.tolist() == list(range(0, 300, 5))  # type: ignore[union-attr]
    assert series["loss"].value.tolist() == [loss(i) for i in range(60)]  # type: ignore[union-attr]
    assert series["val_loss"].step.tolist() == list(range(0, 1000, 50))  # type: ignore[union-attr]


def test_a_third_column_is_kept_without_a_role(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, loss__dat=rows(lambda i: f"{i + 1} {loss(i)} {loss(i) + 0.2:.5f}"))
    assert run.metrics() == ("loss", "column 3")
    assert {m.metric: m.role for m in run.roles} == {"loss": "loss"}


def test_a_counter_behind_the_values_is_the_step(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, **{"loss.log": rows(lambda i: f"{loss(i)} {100 * i}")})
    found = run.series("loss")
    assert found is not None and found.step.tolist()[:3] == [0, 100, 200]


def test_names_in_a_comment_are_those_of_the_columns(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, loss__dat="# step train val\n" + rows(lambda i: f"{i + 1} {loss(i)} {loss(i) + 0.2:.5f}"))
    assert {m.metric: m.role for m in run.roles} == {"train": "loss", "val": "val_loss"}


def test_nan_and_comments_are_read_and_a_cut_row_is_told(tmp_path: Path) -> None:
    text = "# lr 0.1\n" + rows(lambda i: f"{i + 1} {loss(i) if i < 50 else math.nan}")
    (run,) = runs(tmp_path, loss__log=text[:-3])
    series = run.series("loss")
    assert series is not None and series.step.tolist() == list(range(1, 60))
    assert [math.isnan(v) for v in series.value] == [False] * 50 + [True] * 9
    assert "truncated" in {n.kind for s in run.sources for n in s.notes}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("accuracy_per_class.csv", rows(lambda i: f"{i},{loss(i)}")),
        ("loss_weights.txt", rows(lambda i: f"{i} {loss(i)}")),
        ("accuracy.csv", rows(lambda i: f"{i},{loss(i)}", 10)),
        ("loss.csv", rows(lambda i: f"{1e-5 * 1.2**i},{loss(i)}")),
        ("loss.csv", rows(lambda i: f"{i},{i * 3}")),
        ("loss.csv", rows(lambda i: f"{i * i},{loss(i)}")),
        ("loss.csv", rows(lambda i: f"{1000 + i},{loss(i)}")),
        ("loss.csv", rows(lambda i: f"{i}," + ",".join(["0.5"] * 12))),
        ("data.csv", rows(lambda i: f"{i},{loss(i)}")),
        ("val.txt", rows(lambda i: f"{i} {loss(i)}")),
        ("test_log.txt", rows(lambda i: f"{math.sin(i * i):.4f},{math.cos(i * i):.4f}")),
        ("train_history.csv", rows(lambda i: f"{loss(i)},{3 * loss(i):.5f}")),
    ],
)
def test_other_numbers_in_rows_are_no_log(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    found = read_runs([tmp_path], signals_file=signals_file())
    assert not found.runs and not found.unreadable


@settings(max_examples=60, deadline=None)
@given(text=st.text(alphabet="0123456789.,-+eE nan\t\n#x", max_size=400))
def test_no_content_makes_reading_fail(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("h") / "loss.txt"
    path.write_text(text)
    headless.claims(path, text.encode())
    (log,) = headless.read([path])
    assert log.height or log.notes


def test_a_file_called_by_a_measure_and_whose_it_is(tmp_path: Path) -> None:
    for name in ("loss_actor", "loss_critic", "critic_loss"):
        (tmp_path / f"{name}.csv").write_text("".join(f"{100 * i},{2.0 / (1 + i)}\n" for i in range(30)))
    found = read_runs([tmp_path], signals_file=signals_file()).runs
    assert sorted(m for r in found for m in r.metrics()) == ["critic_loss", "loss_actor", "loss_critic"]


def test_what_is_called_a_log_is_read_by_what_its_values_do(tmp_path: Path) -> None:
    rising = [round(95 - 90 * math.exp(-i / 9) + 2 * math.sin(i * i), 3) for i in range(60)]
    (run,) = runs(
        tmp_path,
        train_log__txt=rows(lambda i: f"{loss(i)},{rising[i]}"),
        test_log__txt=rows(lambda i: f"{loss(i) + 0.2:.5f},{rising[i] - 3:.3f}"),
    )
    assert {m.role for m in run.roles} == {"loss", "accuracy", "val_loss", "val_accuracy"}


def test_a_loss_that_falls_in_its_first_rows_alone_is_one_and_a_comma_ends_each_row(tmp_path: Path) -> None:
    values = [0.9, 0.7, 0.4, *(0.05 + 0.04 * math.sin(i * i) for i in range(90))]
    (run,) = runs(tmp_path, loss_curve__csv="".join(f"{v:.6f},\n" for v in values))
    found = run.series("loss")
    assert found is not None and len(found.value) == 93 and found.value[0] == 0.9


def test_rewards_stand_beside_the_steps_at_which_episodes_ended(tmp_path: Path) -> None:
    at = [sum(700 + (k * 7919) % 500 for k in range(i + 1)) for i in range(60)]
    (run,) = runs(tmp_path, rewards__csv="".join(f"{step:.18e},{-21.0 + i // 3:.18e}\n" for i, step in enumerate(at)))
    found = run.series("reward")
    assert found is not None and found.step.tolist() == at and found.value[-1] == -2.0


def test_pairs_of_numbers_in_no_order_are_no_rewards(tmp_path: Path) -> None:
    (tmp_path / "rewards.csv").write_text("".join(f"{(k * 7919) % 500},{k % 7}\n" for k in range(60)))
    assert not read_runs([tmp_path], signals_file=signals_file()).runs
