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


def test_starts_that_count_epochs_alone_are_told_apart_by_the_settings_that_each_prints(tmp_path: Path) -> None:
    runs = read(tmp_path, STARTS)
    losses = [[v for _, v in curve(r, "Loss")] for r in runs]
    assert losses == [[0.2149], [0.2169, 0.192, 0.1696], [0.2154]]
    assert curve(runs[1], "val F1") == [(1, 0.0), (2, 0.05), (3, 0.1)]
