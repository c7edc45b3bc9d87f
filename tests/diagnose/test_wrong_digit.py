"""A value that leaps by orders of magnitude for one row and back, where no checksum tells: a doubt, no finding."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest

from curvedoc.pipeline import analyze

ROWS, WRONG = 400, 259


def log(path: Path, column: str, factor: float, without: str = "") -> None:
    r = random.Random(1)
    rows = []
    for i in range(ROWS):
        row = {
            "step": 10.0 * i,
            "loss": 0.3 + 2 * math.exp(-i / 80) + r.gauss(0, 0.02),
            "lr": 1e-3 * (1 - i / ROWS),
            "grad_norm": 1 + abs(r.gauss(0, 0.2)),
            "seconds_per_step": 0.2 + r.random() / 100,
        }
        if i % 20 == 19:
            row |= {
                "val_loss": 0.35 + 2 * math.exp(-i / 80) + r.gauss(0, 0.02),
                "val_acc": 0.9 - 0.6 * math.exp(-i / 80),
            }
        rows.append(row)
    rows[WRONG][column] *= factor
    for row in rows:
        row.pop(without, None)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize("column", ["step", "loss", "lr", "grad_norm", "seconds_per_step", "val_loss", "val_acc"])
@pytest.mark.parametrize("factor", [1e4, 1e6])
def test_one_wrong_digit_is_at_most_a_note(tmp_path: Path, column: str, factor: float) -> None:
    log(tmp_path / "metrics.jsonl", column, factor)
    (run,) = analyze(tmp_path).runs
    assert [f.symptom for f in run.findings if f.kind == "pathology"] == []
    if column in ("loss", "grad_norm", "val_loss"):
        assert any("a damaged value" in f.title for f in run.findings)


@pytest.mark.parametrize("factor", [1e4, 1e6])
def test_where_no_gradient_norm_was_logged_it_is_a_note_as_well(tmp_path: Path, factor: float) -> None:
    log(tmp_path / "metrics.jsonl", "loss", factor, without="grad_norm")
    (run,) = analyze(tmp_path).runs
    assert [f.symptom for f in run.findings if f.kind == "pathology"] == []
    assert any("one damaged value, or one bad batch" in f.title for f in run.findings)
