"""The TensorBoard reader: what it keeps, what it drops, and that damage never changes a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from curvedoc.ingest import tensorboard

tensorboardX = pytest.importorskip("tensorboardX")


def test_scalars_come_out_in_file_order_with_raw_tags_steps_and_wall_times(tmp_path: Path) -> None:
    with tensorboardX.SummaryWriter(str(tmp_path)) as w:
        for step in range(50):
            w.add_scalar("train/loss", 2.0 / (step + 1), step, walltime=1000.0 + step)
            w.add_scalar("lr", 0.25, step, walltime=1000.5 + step)
    (path,) = tmp_path.glob("*tfevents*")
    (log,) = tensorboard.read([path])
    assert log.notes == ()
    assert log.points["metric"].to_list() == ["train/loss", "lr"] * 50
    assert log.points["step"].to_list() == [s for s in range(50) for _ in range(2)]
    assert log.points["value"].to_list()[:4] == [2.0, 0.25, 1.0, 0.25]
    assert log.points["time"].to_list()[:2] == [1000.0, 1000.5]
