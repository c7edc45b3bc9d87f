"""Rows under a comment that names them, counters behind the name, and words that run into an epoch by dots."""

from __future__ import annotations

from pathlib import Path

import pytest

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.rulebook.location import signals_file

N = 30


def only(tmp_path: Path, name: str, lines: list[str]) -> Run:
    (tmp_path / name).write_text("\n".join(lines) + "\n")
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    return run


def roles(run: Run) -> dict[str, str]:
    return {m.role: m.metric for m in run.roles}


@pytest.mark.parametrize("flat", [False, True])
def test_columns_are_called_by_a_comment_whether_the_loss_falls_or_not(tmp_path: Path, flat: bool) -> None:
    values = [1.5 + 0.01 * (i % 3) if flat else 2 / (1 + i) for i in range(N)]
    rows = [f"[{7 * i + 7:6d},  0.0020000]   {v:.4f},   {v:.4f},  0.35,  0.91, " for i, v in enumerate(values)]
    run = only(tmp_path, "flow.out", ["# [step, lr] loss, epe, 1px, 3px", "Parameter Count: 10609", *rows])
    loss = run.series("loss")
    assert loss is not None and len(loss) == N and loss.step[0] == 7
    assert roles(run)["lr"] == "lr"


def test_a_table_of_numbers_counts_by_the_first_of_its_names(tmp_path: Path) -> None:
    rows = [f"{7 * i + 7} {0.08 - i / 1000:.6e} 16.77 7.748e-01" for i in range(N)]
    loss = only(tmp_path, "mse.dat", ["# it  mse  psnr  |grad|", *rows]).series("loss")
    assert loss is not None and loss.step[:2].tolist() == [7, 14]


def test_a_name_may_stand_ahead_of_its_counters(tmp_path: Path) -> None:
    lines = []
    for e in range(1, 9):
        lines += [f"loss in epoch {e} iteration {i}: {2 / (e + i / 40)}" for i in range(0, 40, 10)]
        lines.append(f"Evaluating....epoch:{e}, time: {5.3 * e}(s), valid (NDCG@10: 0.{10 + e}, HR@10: 0.{20 + e})")
    run = only(tmp_path, "rank.txt", lines)
    loss, quality = run.series("loss"), run.metric("valid NDCG@10")
    assert loss is not None and len(loss) == 32
    assert quality is not None and len(quality) == 8
