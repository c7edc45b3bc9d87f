# ruff: noqa: E501 (rows as programs print them)
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


def test_a_batch_behind_its_loss_is_the_counter_under_an_epoch() -> None:
    log = parse(
        "".join(f"Epoch: {e}\n" + "".join(f"{9 - e - b / 900}, {b}\n" for b in (0, 100, 200)) for e in range(9))
    )
    assert [s for s, _ in curve(log, "column 1")][:5] == [0, 100, 200, 300, 400]


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


def yolo(epochs: int) -> str:
    out = [
        "task=detect, mode=train, epochs=100, batch=16, patience=50, lr0=0.01, lrf=0.01, momentum=0.937, box=7.5, cls=0.5"
    ]
    for e in range(1, epochs + 1):
        out.append("\n      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size")
        row = "{:>10}       7.1G      {:.3f}      1.191         23        640:  {:>3}%|█████     | {}/4 [00:01<00:02,  3.37it/s]"
        out.append("\r".join(row.format(f"{e}/{epochs}", 3 / e + 0.1 * (4 - i), 25 * i, i) for i in range(1, 5)))
        out.append(
            "                 Class     Images  Instances      Box(P          R     mAP@.5  mAP@.5:.95:  50%|█████     | 1/2 [00:00<00:00]"
        )
        out.append(
            f"                   all         55         27      0.585      0.441      {e / 50:.3f}      {e / 90:.3f}"
        )
    return "\n".join(out) + "\n"


def test_a_row_under_a_bar_counts_once_an_epoch_and_its_settings_are_no_record() -> None:
    log = parse(yolo(12))
    assert curve(log, "box_loss") == [(e, round(3 / e, 3)) for e in range(1, 13)]
    assert curve(log, "mAP@.5") == [(e, round(e / 50, 3)) for e in range(1, 13)]
    assert curve(log, "mAP@.5:.95")[0] == (1, 0.011)
    assert log.axis == "epoch"
    assert "momentum" not in log.points["metric"]


def test_a_table_behind_what_a_logger_writes_is_read_whose_longest_name_fills_its_column() -> None:
    head = "2025-11-30 16:33:{:02d},104 - __main__ - INFO - "
    rows = [(i, 2 / (1 + i / 4), 0.2 + 0.05 * i) for i in range(1, 15)]
    text = head.format(0) + "Train: 193, Val: 43\n"
    text += (
        head.format(1)
        + "Epoch  Train Loss   Train Recall Val Loss     Val Recall  \n"
        + head.format(1)
        + "-" * 60
        + "\n"
    )
    for i, v, r in rows:
        text += head.format(i + 2) + f"{i:<6} {v:<12.4f} {r:<12.4f} {1.1 * v:<12.4f} {r / 2:<12.4f}\n"
    log = parse(text)
    assert curve(log, "Train Loss") == [(i, round(v, 4)) for i, v, _ in rows]
    assert curve(log, "Val Loss") == [(i, round(1.1 * v, 4)) for i, v, _ in rows]
    assert curve(log, "Val Recall") == [(i, round(r / 2, 4)) for i, _, r in rows]


def test_the_best_so_far_in_another_language_is_no_curve_beside_that_of_every_epoch() -> None:
    text = ""
    for i in range(1, 13):
        text += f"Epoch [{i}/12], Train Loss: {2 / i:.4f}, Val Acc: {0.4 + 0.04 * (i - i % 2):.4f}\n"
        text += f"保存最佳模型，验证准确率: {0.4 + 0.04 * i:.4f}\n" if i % 2 else ""
    log = parse(text)
    assert len(curve(log, "Val Acc")) == 12 and "验证准确率" not in set(log.points["metric"])


def test_columns_between_dashes_have_the_names_between_dashes() -> None:
    rows = "".join(f"     {60 + i}.25\n{i} - {0.9 * 0.8**i:.5f} - {60 + i}.30 - {58 + i}.10\n" for i in range(9))
    log = parse("trials: 4120\nEpoch - Loss - Training Accuracy - Validation Accuracy\n" + rows)
    assert curve(log, "Loss")[0] == (0, 0.9)
    assert [len(curve(log, n)) for n in ("Loss", "Training Accuracy", "Validation Accuracy")] == [9, 9, 9]


def test_the_bar_of_an_evaluation_is_no_epoch_where_parts_of_epochs_are_named() -> None:
    text = "***** Running training *****\n"
    for i in range(60):
        text += f"{{'loss': {2 - 0.02 * i:.4f}, 'grad_norm': 1.2{i % 7}, 'learning_rate': 1e-05, 'epoch': {(i + 1) / 12:.2f}}}\n"
        if i % 12 == 11:
            text += "".join(f"{100 * k // 17:3}% {k}/17 [00:0{k // 4}<00:03,  4.1{k % 10}it/s]\n" for k in range(17))
            text += f"100% 17/17 [00:04<00:00,  3.86it/s]{{'mr': np.float64({i}.25), 'mrr': np.float64(0.0{i})}}\n"
            text += f"{{'eval_loss': {2 - 0.02 * i:.4f}, 'epoch': {(i + 1) / 12:.1f}}}\n"
    assert "printed.steps_per_epoch" not in parse(text).config


def test_a_setting_that_bars_repeat_is_no_curve() -> None:
    text = "".join(
        f"Map (num_proc=4): {k:3}%|###   | {k}/100 [00:0{k // 50}<00:01, 41.2 examples/s]\n" for k in range(0, 101, 9)
    )
    log = parse(
        "Loading data\n" + text + "Traceback (most recent call last):\nImportError: No module named 'kernels'\n"
    )
    assert not len(log.points)


def test_what_a_row_says_in_brackets_behind_its_last_column_shifts_no_column() -> None:
    rows = [
        f"{e:6d} {e - 90.5:8.2f} {30 - e:6.1f}%  {0.9 - 0.01 * e:.4f}  {0.97**e:.3f}  [{3 * e}s]" for e in range(1, 13)
    ]
    log = parse("\n".join(["    EP   Reward   Missed    Loss    eps", *rows, ""]))
    assert (curve(log, "Reward")[-1], curve(log, "Loss")[-1]) == ((12, -78.5), (12, 0.78))
