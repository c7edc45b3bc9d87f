"""One run, written by eleven loggers, is one run: the same curves, the same findings, the same causes."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import wandb_writer
from numpy.typing import NDArray

from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.core.run import Run
from curvedoc.diagnose.run import diagnose
from curvedoc.ingest import read_runs
from curvedoc.pipeline import Options, rulebook
from curvedoc.rulebook.load import signals_file

Floats = NDArray[np.float64]
Row = dict[str, float]
EVERY, ROWS, EVALS = 10, 300, 15
ROLES = ("loss", "lr", "grad_norm", "val_loss")


def exact(x: Floats) -> Floats:
    """Values that a float32 field keeps."""
    return x.astype(np.float32).astype(np.float64)


def blown_up() -> dict[str, Floats]:
    rng = np.random.default_rng(11)
    t = np.arange(ROWS)
    loss = (0.4 + 2.0 * np.exp(-t / 40)) * (1 + 0.03 * rng.standard_normal(ROWS))
    norm = np.exp(0.2 * rng.standard_normal(ROWS))
    with np.errstate(over="ignore"):
        burst = np.where(t >= 240, np.exp((t - 240) / 2.5), 1.0)
    loss, norm = loss * burst, norm * burst
    loss[270:], norm[270:] = np.nan, np.nan
    return {"loss": loss, "lr": np.full(ROWS, 0.05), "grad_norm": norm, "val_loss": 0.45 + 2 * np.exp(-t[::20] / 40)}


def overfit() -> dict[str, Floats]:
    rng = np.random.default_rng(12)
    t = np.arange(ROWS)
    loss = (0.02 + 2.0 * np.exp(-t / 60)) * (1 + 0.03 * rng.standard_normal(ROWS))
    val = 0.9 + 1.2 * np.exp(-t[::20] / 25) + 0.004 * np.maximum(t[::20] - 70, 0) + 0.004 * rng.standard_normal(EVALS)
    norm = np.exp(0.2 * rng.standard_normal(ROWS))
    return {"loss": loss, "lr": 1e-3 * (1 + np.cos(np.pi * t / ROWS)) / 2, "grad_norm": norm, "val_loss": val}


RUNS = {"blown_up": blown_up, "overfit": overfit}


@cache
def rows(name: str) -> tuple[Row, ...]:
    """One row a logged step: step, and by role what was logged there."""
    curves = {k: exact(v) for k, v in RUNS[name]().items()}
    out: list[Row] = [{"step": i * EVERY} | {k: float(curves[k][i]) for k in ROLES[:3]} for i in range(ROWS)]
    for i, value in enumerate(curves["val_loss"]):
        out[i * ROWS // EVALS]["val_loss"] = float(value)
    return tuple(out)


def renamed(row: Row, **names: str) -> Row:
    return {names.get(k, k): v for k, v in row.items()}


def lines(path: Path, objects: list[object]) -> None:
    path.write_text("".join(json.dumps(o) + "\n" for o in objects))


def table(path: Path, columns: list[str], content: list[Row]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(content)


def flat_jsonl(out: Path, run: list[Row]) -> None:
    lines(out / "metrics.jsonl", list(run))


def one_metric_a_line(out: Path, run: list[Row]) -> None:
    lines(out / "log.jsonl", [{"name": k, "step": r["step"], "value": r[k]} for r in run for k in ROLES if k in r])


def nested_jsonl(out: Path, run: list[Row]) -> None:
    whole = []
    for r in run:
        whole.append({"step": r["step"], "train": {k: r[k] for k in ("loss", "lr", "grad_norm")}})
        if "val_loss" in r:
            whole[-1]["val"] = {"loss": r["val_loss"]}
    lines(out / "events.jsonl", list(whole))


def tensorboard(out: Path, run: list[Row]) -> None:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.record_writer import RecordWriter

    tags = {"loss": "train/loss", "lr": "train/lr", "grad_norm": "train/grad_norm", "val_loss": "val/loss"}
    with (out / "events.out.tfevents.1770000000.host.1.0").open("wb") as file:
        writer = RecordWriter(file)
        writer.write(Event(wall_time=1.77e9, file_version="brain.Event:2").SerializeToString())
        for r in run:
            for k in (k for k in ROLES if k in r):
                one = Summary(value=[Summary.Value(tag=tags[k], simple_value=r[k])])
                event = Event(wall_time=1.77e9 + r["step"], step=int(r["step"]), summary=one)
                writer.write(event.SerializeToString())


def wandb_csv(out: Path, run: list[Row]) -> None:
    names = {
        "step": "_step",
        "loss": "train/loss",
        "lr": "train/lr",
        "grad_norm": "train/grad_norm",
        "val_loss": "val/loss",
    }
    table(out / "history.csv", ["_step", "_timestamp", *list(names.values())[1:]],
          [renamed(r, **names) | {"_timestamp": 1.77e9 + r["step"]} for r in run])  # fmt: skip


def wandb_json(out: Path, run: list[Row]) -> None:
    content = [renamed(r, step="_step") | {"_timestamp": 1.77e9 + r["step"]} for r in run]
    (out / "history.json").write_text(json.dumps(content))


def wandb_offline(out: Path, run: list[Row]) -> None:
    records = []
    for r in run:
        values = {("val/loss" if k == "val_loss" else f"train/{k}"): r[k] for k in ROLES if k in r}
        records.append(wandb_writer.history(int(r["step"]), 1.77e9 + r["step"], **values))
    folder = out / "wandb" / "offline-run-20260301_101500-abcd1234"
    folder.mkdir(parents=True)
    (folder / "run-abcd1234.wandb").write_bytes(wandb_writer.frame([*records, wandb_writer.exit_record()]))


def trainer_state(out: Path, run: list[Row]) -> None:
    history: list[Row] = []
    for r in run:
        history.append(renamed({k: v for k, v in r.items() if k != "val_loss"}, lr="learning_rate"))
        if "val_loss" in r:
            history.append({"step": r["step"], "eval_loss": r["val_loss"]})
    state = {"global_step": EVERY * (ROWS - 1), "is_world_process_zero": True, "log_history": history}
    (out / "trainer_state.json").write_text(json.dumps(state))


def lightning_csv(out: Path, run: list[Row]) -> None:
    content: list[Row] = []
    for r in run:
        content.append(renamed({k: v for k, v in r.items() if k != "val_loss"}, loss="train_loss"))
        if "val_loss" in r:
            content.append({"step": r["step"], "val_loss": r["val_loss"]})
    folder = out / "lightning_logs" / "version_0"
    folder.mkdir(parents=True)
    table(folder / "metrics.csv", ["step", "train_loss", "lr", "grad_norm", "val_loss"], content)


def plain_csv(out: Path, run: list[Row]) -> None:
    table(out / "progress.csv", ["step", *ROLES], run)


def loguru_text(out: Path, run: list[Row]) -> None:
    told = []
    for i, r in enumerate(run):
        values = " ".join(f"{k}={r[k]!r}" for k in ROLES if k in r)
        stamp = f"2026-03-01 10:{i // 60:02}:{i % 60:02}.000"
        told.append(f"{stamp} | INFO     | __main__:fit:58 - step={int(r['step'])} {values}\n")
    (out / "train.log").write_text("".join(told))


FORMATS: tuple[Callable[[Path, list[Row]], None], ...] = (
    flat_jsonl, one_metric_a_line, nested_jsonl, tensorboard, wandb_csv, wandb_json, wandb_offline, trainer_state,
    lightning_csv, plain_csv, loguru_text,
)  # fmt: skip
BOOK = rulebook(Options())


def read(folder: Path, fault: str, write: Callable[[Path, list[Row]], None]) -> Run:
    write(folder, [dict(r) for r in rows(fault)])
    (folder / "config.json").write_text(json.dumps({"lr": 0.05, "batch_size": 32, "seed": 3, "optimizer": "adamw"}))
    (run,) = read_runs([folder], signals_file=signals_file()).runs
    return run


def story(d: RunDiagnosis) -> tuple[object, ...]:
    """What must not depend on the format: all but names, and the symptoms that only a clock or text lets judge."""
    findings = [(f.symptom, f.severity, f.first_step, f.last_step, f.explained_by, f.causes) for f in d.findings]
    return d.verdict, findings, [(c.cause, c.probability) for c in d.causes]


@pytest.mark.parametrize("fault", RUNS)
@pytest.mark.parametrize("write", FORMATS, ids=lambda w: w.__name__)
def test_a_format_gives_the_curves_that_were_written(
    tmp_path: Path, write: Callable[[Path, list[Row]], None], fault: str
) -> None:
    run = read(tmp_path, fault, write)
    for role in ROLES:
        want = [(r["step"], r[role]) for r in rows(fault) if role in r]
        got = run.series(role)
        assert got is not None, role
        assert got.step.tolist() == [s for s, _ in want], role
        np.testing.assert_array_equal(got.value, [v for _, v in want], role)
    assert not [n for s in run.sources for n in s.notes], run.sources


@pytest.mark.parametrize("fault", RUNS)
def test_all_formats_tell_the_same_findings_and_causes(tmp_path: Path, fault: str) -> None:
    told = {}
    for write in FORMATS:
        folder = tmp_path / write.__name__
        folder.mkdir()
        told[write.__name__] = story(diagnose(read(folder, fault, write), BOOK))
    wanted = told["flat_jsonl"]
    assert wanted[0] in ("failed", "warning")
    assert {k: v for k, v in told.items() if v != wanted} == {}, wanted


def test_the_two_faults_are_told_apart(tmp_path: Path) -> None:
    symptoms = {}
    for fault in RUNS:
        folder = tmp_path / fault
        folder.mkdir()
        told = diagnose(read(folder, fault, flat_jsonl), BOOK).findings
        symptoms[fault] = [f.symptom for f in told if f.explained_by is None and f.kind == "pathology"]
    assert symptoms["blown_up"][0] == "nan-after-blowup" and "overfitting" not in symptoms["blown_up"]
    assert symptoms["overfit"] == ["overfitting"]
