"""Curves for other tools: read back, they are the ones that were logged."""

from __future__ import annotations

import io
import json
import math
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import curvedoc
from curvedoc.cli import main
from curvedoc.core.errors import NothingToAnalyse
from curvedoc.core.run import ASSEMBLED
from curvedoc.report.exchange import points

LOSS = [2.0 - 0.01 * i for i in range(50)]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "run" / "metrics.jsonl"
    path.parent.mkdir()
    rows = [
        {"step": i, "loss": v if i != 20 else math.nan, "val/acc": i / 50, "_timestamp": 1.7e9 + i}
        for i, v in enumerate(LOSS)
    ]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


def test_read_gives_runs_with_the_documented_columns(log: Path) -> None:
    runs = curvedoc.read(log)
    assert [type(r) for r in runs] == [curvedoc.Run]
    assert dict(runs[0].points.schema) == dict(ASSEMBLED)
    assert all(f"{name}: " in (curvedoc.read.__doc__ or "") for name in ASSEMBLED)
    assert runs[0].points.filter(pl.col("metric") == "loss")["step"].to_list() == list(range(50))


def test_read_takes_the_meaning_of_columns(log: Path) -> None:
    assert curvedoc.read(log, {"loss": "val/acc"})[0].matches("loss")[0].metric == "val/acc"


def test_read_says_why_there_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("model,accuracy\na,1\nb,2\n")
    with pytest.raises(NothingToAnalyse, match=r"a\.csv"):
        curvedoc.read(tmp_path)


def test_parquet_csv_and_json_lines_hold_the_same_points(log: Path) -> None:
    runs = curvedoc.read(log)
    frame = points.points_frame(runs)
    assert pl.read_parquet(io.BytesIO(points.to_parquet(runs))).equals(frame, null_equal=True)
    back = pl.read_csv(io.BytesIO(points.to_csv(runs)))
    assert back.columns == frame.columns
    assert np.array_equal(back["value"].to_numpy(), frame["value"].to_numpy(), equal_nan=True)
    rows = [json.loads(line) for line in points.to_jsonl(runs).splitlines()]
    assert len(rows) == len(frame)
    assert np.array_equal([float(r["value"]) for r in rows], frame["value"].to_numpy(), equal_nan=True)
    assert {r["role"] for r in rows} >= {"loss", "val_accuracy"}


def test_a_name_that_a_spreadsheet_would_run_is_quoted(tmp_path: Path) -> None:
    rows = [{"step": i, "loss": 2.3 * 0.9**i, "=cmd|' /C calc'!A0": 1.0, "@SUM(1)": 2.0} for i in range(30)]
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    cells = {
        line.split(",")[2].strip('"')
        for line in points.to_csv(curvedoc.read(tmp_path / "run.jsonl")).decode().split("\n")[1:-1]
    }
    assert cells == {"loss", "'=cmd|' /C calc'!A0", "'@SUM(1)"}


def test_event_files_are_read_back_point_by_point(log: Path, tmp_path: Path) -> None:
    run = curvedoc.read(log)[0]
    path = tmp_path / "events.out.tfevents.0.x"
    path.write_bytes(points.to_events(run))
    back = curvedoc.read(path)[0]
    assert not [n for s in back.sources for n in s.notes]
    for name in ("loss", "val/acc"):
        was, now = run.metric(name), back.metric(name)
        assert was is not None
        assert now is not None
        assert now.step.tolist() == was.step.tolist()
        assert np.array_equal(now.value, was.value.astype(np.float32), equal_nan=True)


def test_the_command_writes_every_format(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    words = ["export", str(log.parent), "--parquet", str(out / "p.parquet"), "--csv", str(out / "p.csv")]
    words += ["--jsonl", str(out / "p.jsonl"), "--tensorboard", str(out / "tb")]
    monkeypatch.setattr(sys, "argv", ["curvedoc", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0, capsys.readouterr().err
    assert len(pl.read_parquet(out / "p.parquet")) == 100
    assert len((out / "p.jsonl").read_text().splitlines()) == 100
    assert len(curvedoc.read(out / "tb")[0].points) == 100
