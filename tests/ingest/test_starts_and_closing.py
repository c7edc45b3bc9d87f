"""Starts that print their settings again, and the evaluation of the best weights that closes a training."""

from __future__ import annotations

from pathlib import Path

from text_log import curve, read

#: One epoch, three epochs and one epoch, each behind its settings; two starts between them only evaluate.
STARTS = """\
10:00:00 Running with config {'data': '/d/words.bin', 'cuda': False, 'epochs': 10, 'model': None}
10:10:00 Training Epoch: 1, Loss: 0.2149.
11:00:00 Running with config {'data': '/d/words.bin', 'cuda': True, 'epochs': 10, 'model': 'sums'}
11:10:00 Validating Epoch: 1, accuracy: 0.95, F1: 0.36 .
11:20:00 Running with config {'data': '/d/words.bin', 'cuda': True, 'epochs': 10, 'model': 'sums'}
11:30:00 Training Epoch: 1, Loss: 0.2169.
11:31:00 Validating Epoch: 1, accuracy: 0.94, F1: 0.0 .
11:40:00 Training Epoch: 2, Loss: 0.192.
11:41:00 Validating Epoch: 2, accuracy: 0.94, F1: 0.05 .
11:50:00 Training Epoch: 3, Loss: 0.1696.
11:51:00 Validating Epoch: 3, accuracy: 0.95, F1: 0.1 .
12:00:00 Running with config {'data': '/d/words.bin', 'cuda': False, 'epochs': 10, 'model': 'sums'}
12:10:00 Training Epoch: 1, Loss: 0.2154.
"""
HEAD = "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%|###| 2/2\n"


def test_starts_that_count_epochs_alone_are_told_apart_by_the_settings_that_each_prints(tmp_path: Path) -> None:
    runs = read(tmp_path, STARTS)
    losses = [[v for _, v in curve(r, "Loss")] for r in runs]
    assert losses == [[0.2149], [0.2169, 0.192, 0.1696], [0.2154]]
    assert curve(runs[1], "val F1") == [(1, 0.0), (2, 0.05), (3, 0.1)]


def test_what_the_best_weights_are_worth_in_the_end_is_no_value_of_the_last_epoch(tmp_path: Path) -> None:
    rows = ""
    for i in range(1, 11):
        rows += "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n"
        rows += f"      {i}/10      7.11G     {3 / i:.4f}     {2 / i:.4f}     0.8{i:03}  5  640: 100%|###| 37/37\n"
        rows += f"{HEAD}                   all   55   27  0.649  0.556  0.{500 + i}  0.{200 + i}\n\n"
    closing = f"""10 epochs completed in 0.554 hours.

Validating runs/detect/train7/weights/best.pt...
Model summary (fused): 218 layers, 25840918 parameters, 0 gradients
{HEAD}                   all         55         27      0.787      0.609      0.662      0.319
                 brick         55          9      0.807      0.667      0.705      0.373
Speed: 2.4ms preprocess, 7.8ms inference, 0.0ms loss, 1.8ms postprocess per image
Results saved to runs/detect/train7
"""
    (run,) = read(tmp_path, rows + closing)
    assert curve(run, "mAP50-95")[-1] == (10, 0.21)
