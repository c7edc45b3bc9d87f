"""What trackers export, in the shapes that their documentation shows, read as the curves that were logged."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from corpus import SIGNALS

from curvedoc.ingest import read_runs

N = 40


def loss(i: int) -> float:
    return round(2 * math.exp(-i / 12) + 0.3 + 0.02 * (i * 7 % 5), 4)


def val(i: int) -> float:
    return round(loss(i) + 0.2, 4)


def both(row: Callable[[str, Callable[[int], float], int], str]) -> str:
    return "".join(row(split, f, i) for split, f in (("train", loss), ("val", val)) for i in range(N))


def drawn(f: Callable[[int], float], **more: str) -> dict[str, object]:
    return {"x": [10 * i for i in range(N)], "y": [f(i) for i in range(N)], **more}


CLOCK = "2024-05-01 10:{:02}:00.123+00:00"
EXPORTS = {
    "aim.csv": "run.hash,metric.name,metric.context.subset,step,value,epoch,time\n"
    + both(lambda s, f, i: f"ab12,loss,{s},{10 * i},{f(i)},{i},{1.7e9 + 30 * i}\n"),
    "aim_frame.csv": ",idx,step,value,epoch,time,run.hash,metric.name,metric.context.subset\n"
    + both(lambda s, f, i: f"{i},{i},{10 * i},{f(i)},{i},{1.7e9 + 30 * i},ab12,loss,{s}\n"),
    "swanlab.csv": "step,exp1-train/loss,exp1-train/loss_timestamp,exp1-val/loss\n"
    + "".join(f"{10 * i},{loss(i)},{1700000000000 + 1000 * i},{val(i)}\n" for i in range(N)),
    "clearml.json": json.dumps({
        "loss": {"train": drawn(loss, name="train"), "validation": drawn(val, name="validation")},
        ":monitor:gpu": {"utilization": {"name": "utilization", "x": [3, 7, 12], "y": [90.0, 91.0, 90.5]}},
    }),
    "neptune.csv": "project_id,run_id,attribute_path,attribute_type,step,timestamp,float_value\n"
    + both(lambda s, f, i: f"ws/p,RUN-1,metrics/{s}/loss,float_series,{10 * i}.0,{CLOCK.format(i)},{f(i)}\n"),
    "neptune_chart.csv": "Step,RUN-1/metrics/train/loss,RUN-1/metrics/val/loss\n"
    + "".join(f"{10 * i},{loss(i)},{val(i)}\n" for i in range(N)),
    "comet.json": json.dumps([
        {"metricName": "loss", "metricValue": str(f(i)), "timestamp": 1700000000000 + 1000 * i, "step": 10 * i,
         "epoch": i, "runContext": context}
        for context, f in (("train", loss), ("validate", val)) for i in range(N)
    ]),
    "comet_chart.json": json.dumps([drawn(loss, name="exp1 train_loss"), drawn(val, name="exp1 val_loss")]),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_gives_the_curves_of_one_run(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(EXPORTS[name])
    (run,) = read_runs([tmp_path], signals_file=SIGNALS).runs
    for role, f in (("loss", loss), ("val_loss", val)):
        series = run.series(role)
        assert series is not None, [(m.role, m.metric) for m in run.roles]
        assert series.value.tolist() == [f(i) for i in range(N)]
        assert series.step.tolist() == [10 * i for i in range(N)]
    assert not any("/x" in m.metric for m in run.roles)
