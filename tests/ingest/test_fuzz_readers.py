"""Whatever happens to a log of any format: no exception, points as promised, and a file that gave nothing is told."""

from __future__ import annotations

import io
import json
import math
import random
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wandb_writer import exit_record, frame, history, output

from curvedoc.core.run import ASSEMBLED
from curvedoc.ingest import read_runs
from curvedoc.ingest.registry import READERS
from curvedoc.rulebook.location import signals_file

ROWS = [{"step": 10 * i, "loss": round(2.3 * math.exp(-i / 9) + 0.1, 4), "lr": 1e-3, "epoch": i / 4} for i in range(40)]


def _history() -> str:
    return json.dumps({"loss": [r["loss"] for r in ROWS], "val_loss": [r["loss"] + 0.1 for r in ROWS[::2]]})


def _state() -> str:
    return json.dumps({"global_step": 390, "max_steps": 400, "log_history": ROWS, "best_metric": None}, indent=2)


def _parquet() -> bytes:
    sink = io.BytesIO()
    pl.DataFrame(ROWS).rename({"step": "_step"}).write_parquet(sink)
    return sink.getvalue()


def _wandb() -> bytes:
    rows = [history(int(r["step"]), **{k: v for k, v in r.items() if k != "step"}) for r in ROWS]
    return frame([output("hello\n"), *rows, exit_record()])


def _text() -> str:
    return "".join(
        f"2026-01-01 10:00:{i:02d} | INFO | step {r['step']} loss: {r['loss']}\n" for i, r in enumerate(ROWS)
    )


def _message(name: str, value: object, step: object) -> str:
    return (
        json.dumps(
            {"payload": {"metric": {"metricName": name, "metricValue": value, "step": step}}, "type": "metric_msg"}
        )
        + "\n"
    )


def _csv() -> str:
    return "step,loss,lr\n" + "".join(f"{r['step']},{r['loss']},{r['lr']}\n" for r in ROWS)


def _notebook() -> str:
    printed = [f"epoch {i} loss: {r['loss']}\n" for i, r in enumerate(ROWS)]
    output = {"output_type": "stream", "name": "stdout", "text": printed}
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": ["fit()\n"], "outputs": [output]}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def _sacred() -> str:
    trace = ["Traceback (most recent call last):\n", '  File "train.py", line 3, in <module>\n', "ValueError: no\n"]
    about = {"experiment": {"name": "x"}, "heartbeat": "2026-01-01T10:00:00", "status": "FAILED", "fail_trace": trace}
    return json.dumps(about, indent=2)


def _sacred_curves() -> str:
    curve = {"steps": [r["step"] for r in ROWS], "values": [r["loss"] for r in ROWS]}
    return json.dumps({"training.loss": curve | {"timestamps": ["2026-01-01T10:00:00"] * len(ROWS)}})


_MLFLOW = "mlruns/0/" + "a" * 32
_META = f"artifact_uri: file:///x\nexperiment_id: '0'\nlifecycle_stage: active\nrun_id: {'a' * 32}\nstatus: 3\n"

#: Log -> its files, whole.
LOGS: Mapping[str, Mapping[str, Callable[[], str | bytes]]] = {
    "keras": {"history.json": _history},
    "trainer": {"trainer_state.json": _state},
    "parquet": {"history.parquet": _parquet},
    "wandb": {"run-1.wandb": _wandb},
    "json lines": {"metrics.jsonl": lambda: "".join(json.dumps(r) + "\n" for r in ROWS)},
    "xml": {
        "log.xml": lambda: (
            "<log>"
            + "".join("<row>" + "".join(f"<{k}>{v}</{k}>" for k, v in r.items()) + "</row>\n" for r in ROWS)
            + "</log>\n"
        )
    },
    "yaml": {"log.yaml": lambda: "".join("- " + "\n  ".join(f"{k}: {v}" for k, v in r.items()) + "\n" for r in ROWS)},
    "comet": {
        "messages.json": lambda: "".join(_message(k, v, r["step"]) for r in ROWS for k, v in r.items() if k != "step")
    },
    "export": {"export.csv": lambda: _csv().replace("step", "_step", 1)},
    "csv": {"metrics.csv": _csv},
    "text": {"train.log": _text},
    "tables": {
        "report.html": lambda: (
            "<table><tr><th>Step</th><th>Loss</th></tr>"
            + "".join(f"<tr><td>{r['step']}</td><td>{r['loss']}</td></tr>\n" for r in ROWS)
            + "</table>"
        )
    },
    "numbered-keys": {"loss.properties": lambda: "".join(f"loss.{r['step']}={r['loss']}\n" for r in ROWS)},
    "json-tables": {
        "h.json": lambda: json.dumps({"columns": ["step", "loss"], "data": [[r["step"], r["loss"]] for r in ROWS]})
    },
    "lists": {"losses.txt": lambda: f"losses = {[r['loss'] for r in ROWS]}\n"},
    "notebook": {"train.ipynb": _notebook},
    "scalars": {"loss.json": lambda: json.dumps([[1.7e9 + i, r["step"], r["loss"]] for i, r in enumerate(ROWS)])},
    "sacred": {"1/run.json": _sacred, "1/metrics.json": _sacred_curves},
    "mlflow": {
        f"{_MLFLOW}/meta.yaml": lambda: _META,
        f"{_MLFLOW}/metrics/loss": lambda: "".join(
            f"{17 * 10**11 + r['step']} {r['loss']} {r['step']}\n" for r in ROWS
        ),
    },
    "wandb folder": {
        "files/wandb-history.jsonl": lambda: "".join(json.dumps({**r, "_step": r["step"]}) + "\n" for r in ROWS),
        "files/wandb-summary.json": lambda: json.dumps({**ROWS[-1], "_runtime": 12}),
        "files/config.yaml": lambda: "wandb_version: 1\nlr:\n  desc: null\n  value: 0.001\n",
    },
}


def written(folder: Path, log: str) -> list[Path]:
    """The files of a log in a folder."""
    paths = []
    for name, make in LOGS[log].items():
        data = make()
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        paths.append(path)
    return paths


def damaged(data: bytes, r: random.Random) -> bytes:
    """A few of the things that disks, networks, editors and full quotas do to files."""
    out = bytearray(data)
    for _ in range(r.randint(1, 4)):
        at, size = r.randrange(len(out) + 1), r.randint(1, 60)
        match r.randrange(7):
            case 0:
                out = out[:at]
            case 1:
                out[at : at + size] = bytes(len(out[at : at + size]))
            case 2:
                out[at:at] = out[max(0, at - 8 * size) : at]
            case 3:
                out[at : at + size] = r.randbytes(size)
            case 4:
                del out[at : at + size]
            case 5:
                out[at:at] = r.choice(
                    (b'"', b"{", b"[[[[", b"\n\n", b"1e999", b"NaN", b"\xff\xfe", b"null,", b"-" * 99)
                )
            case _:
                out = out.replace(b"\n", b"\r\n")
    return bytes(out)


def test_the_logs_are_read_when_nothing_happened_to_them(tmp_path: Path) -> None:
    seen = set()
    for log in LOGS:
        written(tmp_path / log, log)
        (run,) = read_runs([tmp_path / log], signals_file=signals_file()).runs
        loss = run.series("loss")
        assert loss is not None and len(loss) == len(ROWS), log
        seen |= {s.format for s in run.sources}
    # these are damaged in tests of their own
    elsewhere = {
        "tensorboard",
        "mlflow-db",
        "trackio",
        "numpy",
        "headless",
        "swanlab",
        "aim",
        "catboost",
        "json-epochs",
    }
    assert {r.NAME for r in READERS} - seen == elsewhere


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
@pytest.mark.parametrize("log", LOGS)
def test_a_damaged_log_is_read_in_part_or_told(tmp_path: Path, log: str, seed: int) -> None:
    r = random.Random(seed)
    paths = written(tmp_path, log)
    hit = r.choice(paths)
    hit.write_bytes(damaged(hit.read_bytes(), r))
    harvest = read_runs([tmp_path], signals_file=signals_file())
    for run in harvest.runs:
        assert dict(run.points.schema) == dict(ASSEMBLED)
        assert run.points["step"].null_count() == 0
        assert all(len(b) for b in run.blocks)
    assert [u for u in harvest.unreadable if "reader failed" in u.reason] == []
    if hit.stat().st_size:
        told = {u.path for u in (*harvest.unreadable, *harvest.ignored)}
        read = {s.path for run in harvest.runs for s in run.sources}
        assert told | read, "the log is nowhere"
