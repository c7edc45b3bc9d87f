"""Rows of numbers without names: counters are told by how they go, names by what stands above or below."""

from __future__ import annotations

from pathlib import Path

from curvedoc.ingest.contract import Log
from curvedoc.ingest.text import reader as text_reader


def parse(text: str) -> Log:
    logs = text_reader.logs_in(Path("train.txt"), text, len(text))
    assert len(logs) == 1
    return logs[0]


def curve(log: Log, metric: str) -> list[tuple[int | None, float]]:
    return list(log.points.filter(log.points["metric"] == metric).select("step", "value").iter_rows())


def test_bare_rows_beside_a_named_validation_loss_are_the_training() -> None:
    rows = "".join(
        f"[{i // 2}] {i * 10} {5.0 / (i * 10 + 1):.6f} 0.2523\n" + ("Validation loss: 2.5\n" if i % 2 else "")
        for i in range(20)
    )  # fmt: skip
    log = parse("Using loss ce\n" + rows)
    assert [s for s, _ in curve(log, "loss")] == list(range(0, 200, 10))
    assert log.axis == "step"
    assert len(curve(log, "column 4")) == 20


def test_a_column_under_a_title_has_its_name() -> None:
    log = parse("training error\n" + "".join(f" {300 / (i + 1):.4e}\n" for i in range(40)))
    assert [v for _, v in curve(log, "training error")][:2] == [300.0, 150.0]
    assert log.axis == "row"


def test_a_bare_number_after_each_epoch_is_named_by_the_line_below() -> None:
    log = parse("".join(f"epoch: {e}\n{1 / (e + 1):.8f}\nlosses: <utils.Meter object at 0x7f2{e}>\n" for e in range(6)))
    assert [s for s, _ in curve(log, "losses")] == list(range(6))


def test_rows_of_yolo_results_are_read_without_a_header() -> None:
    row = "{:>10}  11.6G  0.0788  0.0373  0.0682  {:.4f}  42  640  0  0  0.0187  0.0066  0.1022  0.0423  0.0618"
    log = parse("".join(row.format(f"{e}/299", 0.18 - e / 1000) + "\n" for e in range(30)))
    assert curve(log, "train/total_loss")[:2] == [(0, 0.18), (1, 0.179)]
    assert curve(log, "mAP@.5")[0] == (0, 0.0187)
    assert log.axis == "epoch"


def test_rows_of_numbers_alone_are_no_record() -> None:
    text = "The matrix of the first layer:\n" + "".join(f"{i} {i * 0.37:.3f} {i * 1.1:.3f}\n" for i in range(60))
    assert not len(parse(text).points)
