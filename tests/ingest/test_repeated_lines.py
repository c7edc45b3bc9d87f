"""Lines that come again and again with other numbers are records whatever their words are."""

from __future__ import annotations

import math
from pathlib import Path

from corpus import SIGNALS

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs


def read(tmp_path: Path, text: str, name: str = "train.log") -> list[Run]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return list(read_runs([path], signals_file=SIGNALS).runs)


def falling(i: int) -> float:
    return 0.4 + 2.0 * math.exp(-i / 6) + 0.01 * math.sin(7.0 * i)


def test_the_number_before_its_name(tmp_path: Path) -> None:
    text = "".join(f"{falling(i):.4f} train loss | {falling(i) + 0.2:.4f} val loss | epoch {i}\n" for i in range(1, 16))
    (run,) = read(tmp_path, text)
    assert {m.role: len(run.metric(m.metric)) for m in run.roles} == {"loss": 15, "val_loss": 15}


def test_a_split_between_commas(tmp_path: Path) -> None:
    text = "".join(f"ROW,{i},train,{falling(i):.4f}\nROW,{i},valid,{falling(i) + 0.1:.4f}\n" for i in range(1, 16))
    (run,) = read(tmp_path, text, "out.txt")
    assert {m.role for m in run.roles} == {"loss", "val_loss"}
    assert run.metric("train").step.tolist() == list(range(1, 16))


def test_a_number_that_is_always_the_same_belongs_to_the_words(tmp_path: Path) -> None:
    text = "".join(
        f"game {40 * i} mean_score(last 40)={30 - 9 * falling(i):.3f} loss={falling(i):.4f}\n" for i in range(1, 20)
    )
    (run,) = read(tmp_path, text)
    assert "mean_score" in run.metrics() and "loss" in run.metrics()


def test_a_counter_without_a_known_name_counts(tmp_path: Path) -> None:
    text = "".join(
        f"frames: {4096 * i:,}  eval/return: {20 - 6 * falling(i):.3f}  fps: {900 + i % 7}\n" for i in range(1, 20)
    )
    (run,) = read(tmp_path, text)
    assert run.axis == "step"
    assert run.metric("eval/return").step.tolist() == [4096 * i for i in range(1, 20)]


def test_a_title_of_unknown_names_over_rows_that_count(tmp_path: Path) -> None:
    text = " step   crps\n" + "".join(f" {20 * i:4d}  {falling(i):.3f}\n" for i in range(1, 20))
    (run,) = read(tmp_path, text)
    assert run.metric("crps").step.tolist() == [20 * i for i in range(1, 20)]


def test_a_table_of_measured_things_is_no_training(tmp_path: Path) -> None:
    text = "".join(f"part {i} weighs {2.0 + 0.37 * ((7 * i) % 5):.2f} kg, box {i // 4}\n" for i in range(1, 30))
    assert not [r for r in read(tmp_path, text, "stock.log") if len(r.points)]


def test_a_letter_and_its_counter_in_one_word(tmp_path: Path) -> None:
    (run,) = read(tmp_path, "".join(f"b{8 * i:04d} pull={falling(i):.4f} active={1 / i:.2f}\n" for i in range(1, 20)))
    assert run.metric("pull").step.tolist() == [8 * i for i in range(1, 20)]


def test_the_rows_of_a_page(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>{i}</td><td>{falling(i):.3f}</td></tr>\n" for i in range(1, 16))
    page = f"<html><table>\n<tr><th>epoch</th><th>train loss</th></tr>\n{rows}</table></html>\n"
    (run,) = read(tmp_path, page, "training_log.html")
    assert len(run.metric("train loss")) == 15


def test_splits_alone_over_the_columns_of_a_table(tmp_path: Path) -> None:
    text = "Unnamed: 0,tr,va\n" + "".join(f"{i},2.30{i % 3},2.31{i % 4}\n" for i in range(12))
    (run,) = read(tmp_path, text, "hist.csv")
    assert {m.role for m in run.roles} == {"loss", "val_loss"}


def test_one_letter_counts_epochs_on_every_shape(tmp_path: Path) -> None:
    text = "".join(
        "".join(f"[train][e {e:02d}/20][b {b}/4] loss {falling(e + b / 4):.4f}\n" for b in range(1, 5))
        + f"[valid][e {e:02d}/20] loss {falling(e) + 0.1:.4f} acc {1 - falling(e) / 3:.3f}\n"
        for e in range(1, 21)
    )
    (run,) = read(tmp_path, text)
    loss, valid = run.metric("loss"), run.metric("valid loss")
    assert (len(loss), len(valid), len(run.metric("valid acc"))) == (80, 20, 20)
    assert loss.step.tolist() == list(range(1, 81)) and valid.step.tolist() == list(range(4, 81, 4))
