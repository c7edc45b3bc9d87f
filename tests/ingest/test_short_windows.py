"""The first print of `running_loss / window` comes after one batch: short by the whole window, it is no best value."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest

import curvedoc
from curvedoc.core.run import Run


def log(place: Path, rows: Sequence[tuple[int, float]], **more: Sequence[float]) -> Run:
    columns = [{k: v[i] for k, v in more.items()} for i in range(len(rows))]
    lines = (json.dumps({"step": s, "loss": v, **c}) for (s, v), c in zip(rows, columns, strict=True))
    (place / "m.jsonl").write_text("\n".join(lines) + "\n")
    (run,) = curvedoc.read(place)
    return run


def level(step: int) -> float:
    return (0.6 + 1.7 * math.exp(-step / 600)) * (1 + 0.02 * math.sin(step))


def steps(run: Run) -> list[int]:
    found = run.series("loss")
    assert found is not None
    return found.step.tolist()


@pytest.mark.parametrize("window", [10, 50, 200])
def test_a_first_value_that_is_short_by_the_window_is_left_out(tmp_path: Path, window: int) -> None:
    rows = [(i, level(i) / (window if i == 0 else 1)) for i in range(0, 40 * window, window)]
    run = log(tmp_path, rows)
    assert steps(run)[0] == window and [n.kind for n in run.notes] == ["part-window"]
    assert "divergence" not in {f.symptom for f in curvedoc.analyze(tmp_path).runs[0].findings}


def test_so_is_the_first_of_every_epoch(tmp_path: Path) -> None:
    rows = [(i, level(i) / (100 if i % 600 == 0 else 1)) for i in range(0, 3000, 100)]
    assert steps(log(tmp_path, rows)) == [i for i in range(0, 3000, 100) if i % 600]


def test_a_run_that_was_taken_up_again_shows_it_in_the_gradient_norm_too(tmp_path: Path) -> None:
    rows = [(i, 0.31 if i == 5000 else 3.0 + 0.05 * math.sin(i)) for i in range(5000, 6000, 10)]
    norms = [0.05 if s == 5000 else 0.5 for s, _ in rows]
    assert steps(log(tmp_path, rows, grad_norm=norms))[0] == 5010


@pytest.mark.parametrize(
    "rows",
    [
        [(i, 0.3 if i == 0 else 3.0 + 0.1 * math.sin(i)) for i in range(0, 400, 10)],  # thrown up by the first steps
        [(i, level(i)) for i in range(0, 400, 10)],
        [(i, 0.3 if i == 0 else level(100 * i)) for i in range(40)],  # every step is logged: there is no window
        [(10 * i, 0.5 if i == 0 else level(10 * i) * (1 + i % 2 * 9)) for i in range(40)],  # it scatters as widely
    ],
    ids=["diverged at once", "whole from the first", "no window", "wild"],
)
def test_other_first_values_stay(tmp_path: Path, rows: list[tuple[int, float]]) -> None:
    run = log(tmp_path, rows)
    assert steps(run) == [s for s, _ in rows] and not run.notes
