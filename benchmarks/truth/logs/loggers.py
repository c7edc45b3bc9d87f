"""Writers: a log -> files in the shapes that common loggers leave. Clocks are invented, one pace a run."""

from __future__ import annotations

import csv
import json
import math
import random
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from benchmarks.truth.logs.event_file import event_file
from benchmarks.truth.logs.written import Log

#: How the channels are spelled, by school.
_CHANNELS = ("loss", "val_loss", "accuracy", "val_accuracy", "lr", "grad_norm")
SCHOOLS: tuple[Mapping[str, str], ...] = tuple(
    dict(zip(_CHANNELS, names.split(), strict=False))
    for names in (
        "train_loss val_loss train_acc val_acc lr",
        "loss val_loss accuracy val_accuracy learning_rate",
        "train/loss val/loss train/acc val/acc train/lr train/grad_norm",
        "loss valid_loss acc valid_acc lr gnorm",
        "Loss/train Loss/val Accuracy/train Accuracy/val LR",
        "loss eval_loss accuracy eval_accuracy learning_rate",
    )
)
Fields = Iterator[tuple[float, dict[str, float], bool]]


def spelled(name: str, school: Mapping[str, str]) -> str:
    """A channel as a school writes it."""
    if name in school:
        return school[name]
    head, _, layer = name.partition("/")
    if layer:
        return f"{ {'weights': 'weight_norm', 'gradients': 'grad_norm', 'off': 'zero_fraction'}[head] }/{layer}"
    sign = school["loss"].partition("/")
    if name.startswith("val_"):
        stem = school["val_loss"].removesuffix("loss")
        return stem + name[4:]
    if sign[1] and sign[0] == "train" and name.endswith("_loss"):
        return f"train/{name}"
    return name


def lines(log: Log, school: Mapping[str, str]) -> Fields:
    """Rows and evaluations in the order in which they were written: step, fields, whether it is an evaluation."""
    evaluations = list(log.evaluations)
    last = -1.0
    for row in log.rows:
        step = row["step"]
        while evaluations and evaluations[0]["step"] < step and step > last:
            e = evaluations.pop(0)
            yield e["step"], {spelled(k, school): v for k, v in e.items() if k != "step"}, True
        last = step
        yield step, {spelled(k, school): v for k, v in row.items() if k not in ("step", "mean_loss")}, False
    for e in evaluations:
        yield e["step"], {spelled(k, school): v for k, v in e.items() if k != "step"}, True


class Pace:
    """An invented clock."""

    def __init__(self, rng: random.Random) -> None:
        self.start = datetime(2026, rng.randrange(1, 10), rng.randrange(1, 28), rng.randrange(24), rng.randrange(60))
        self.pace = 10 ** rng.uniform(-2, 0)

    def seconds(self, step: float) -> float:
        """Since the start."""
        return round(self.pace * (step + 0.2 * ((int(step) * 2654435761) % 97) / 97), 3)

    def at(self, step: float) -> datetime:
        """The moment of a step."""
        return self.start + timedelta(seconds=self.seconds(step))


def short(v: float) -> str:
    """A number as prints show it."""
    if not math.isfinite(v):
        return "nan" if v != v else "inf" if v > 0 else "-inf"
    return f"{v:.4f}" if 1e-2 <= abs(v) < 1e4 else f"{v:.3e}" if v else "0.0"


def config_file(folder: Path, log: Log, rng: random.Random) -> None:
    """The configuration beside the log, where it is known."""
    if not log.config:
        return
    if rng.random() < 0.5:
        (folder / "config.json").write_text(json.dumps(log.config, indent=2) + "\n")
    else:
        (folder / "config.yaml").write_text("".join(f"{k}: {json.dumps(v)}\n" for k, v in log.config.items()))


def write(folder: Path, logger: str, log: Log, rng: random.Random) -> None:
    """The files of a run."""
    folder.mkdir(parents=True)
    school = rng.choice(SCHOOLS)
    pace = Pace(rng)
    {
        "jsonl": _jsonl, "csv": _csv, "text": _text, "nanogpt": _nanogpt, "logging": _logging, "loguru": _logging,
        "tensorboard": _tensorboard, "wandb": _wandb, "hf": _hf, "lightning": _lightning, "keras": _keras,
        "epochs": _epochs,
    }[logger](folder, log, school, pace, rng)  # fmt: skip


def _jsonl(folder: Path, log: Log, school: Mapping[str, str], pace: Pace, rng: random.Random) -> None:
    config_file(folder, log, rng)
    key = rng.choice(("step", "global_step", "iter"))
    out = [json.dumps({key: step, **fields}) for step, fields, _ in lines(log, school)]
    (folder / rng.choice(("log.jsonl", "metrics.jsonl"))).write_text("\n".join(out) + "\n")


def _table(path: Path, rows: list[dict[str, object]]) -> None:
    names = list(dict.fromkeys(k for r in rows for k in r))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _csv(folder: Path, log: Log, school: Mapping[str, str], pace: Pace, rng: random.Random) -> None:
    config_file(folder, log, rng)
    _table(folder / "metrics.csv", [{"step": int(step), **fields} for step, fields, _ in lines(log, school)])


def _lightning(folder: Path, log: Log, school: Mapping[str, str], pace: Pace, rng: random.Random) -> None:
    where = folder / "lightning_logs" / "version_0"
    where.mkdir(parents=True)
    (where / "hparams.yaml").write_text("".join(f"{k}: {json.dumps(v)}\n" for k, v in log.config.items()) or "{}\n")
    names = {
        "loss": "train_loss",
        "val_loss": "val_loss",
        "accuracy": "train_acc",
        "val_accuracy": "val_acc",
        "lr": "lr-Adam",
    }
    rows = [
        {"epoch": int(step // log.setup.steps_per_epoch), "step": int(step), **fields}
        for step, fields, _ in lines(log, names)
    ]
    _table(where / "metrics.csv", rows)


def _text(folder: Path, log: Log, school: Mapping[str, str], pace: Pace, rng: random.Random) -> None:
    out = [f"Namespace({', '.join(f'{k}={v!r}' for k, v in log.config.items())})"] if log.config else []
    sep, sign = rng.choice(((" | ", " "), (", ", "="), (" ", "="), ("  ", ": ")))
    for step, fields, evaluated in lines(log, school):
        head = f"[eval] step{sign}{step:.0f}" if evaluated else f"step{sign}{step:.0f}"
        out.append(sep.join([head, *(f"{k}{sign}{short(v)}" for k, v in fields.items())]))
    (folder / rng.choice(("train.log", "stdout.txt", "output.log"))).write_text("\n".join(out) + "\n")


def _nanogpt(folder: Path, log: Log, school: Mapping[str, str], pace: Pace, rng: random.Random) -> None:
    out = [f"{k} = {v!r}" for k, v in log.config.items()]
    recent = float("nan")
    for step, fields, evaluated in lines(log, {"loss": "loss", "val_loss": "val loss"}):
        if evaluated:
            rest = "".join(f", {k.replace('_', ' ')} {v:.4f}" for k, v in fields.items())
            out.append(f"step {step:.0f}: train loss {recent:.4f}{rest}")
            continue
        recent = fields.pop("loss")
        rest = "".join(f", {k} {short(v)}" for k, v in fields.items())
        out.append(f"iter {step:.0f}: loss {short(recent)}{rest}, time {1000 * pace.pace:.2f}ms")
    (folder / "nohup.out").write_text("\n".join(out) + "\n")


def _logging(folder: Path, log: Log, school: Mapping[str, str], pace: Pace, rng: random.Random) -> None:
    loguru = rng.random() < 0.4
    out = []

    def say(step: float, text: str) -> None:
        moment = pace.at(step)
        if loguru:
            out.append(
                f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03} | INFO     | __main__:train:112 - {text}"
            )
        else:
            out.append(f"{moment:%Y-%m-%d %H:%M:%S},{moment.microsecond // 1000:03} - trainer - INFO - {text}")

    if log.config:
        say(0, f"config: {json.dumps(log.config)}")
    for step, fields, evaluated in lines(log, school):
        rest = " ".join(f"{k}={short(v)}" for k, v in fields.items())
        say(
            step, f"Validation at step {step:.0f}: {rest}" if evaluated else f"Step {step:.0f}/{log.setup.steps} {rest}"
        )
    (folder / "run.log").write_text("\n".join(out) + "\n")


def _tensorboard(folder: Path, log: Log, school: Mapping[str, str], pace: Pace, rng: random.Random) -> None:
    config_file(folder, log, rng)
    start = pace.start.timestamp()
    points = [
        (start + pace.seconds(step), int(step), name, value)
        for step, fields, _ in lines(log, SCHOOLS[2] if rng.random() < 0.5 else SCHOOLS[4])
        for name, value in fields.items()
    ]
    where = folder / "runs" if rng.random() < 0.5 else folder
    where.mkdir(exist_ok=True)
    (where / f"events.out.tfevents.{int(start)}.node.4127.0").write_bytes(event_file(start, points))


def _wandb(folder: Path, log: Log, school: Mapping[str, str], pace: Pace, rng: random.Random) -> None:
    config_file(folder, log, rng)
    start = pace.start.timestamp()
    out = [
        json.dumps({"_step": int(s), "_runtime": pace.seconds(s), "_timestamp": start + pace.seconds(s), **fields})
        for s, fields, _ in lines(log, school)
    ]
    (folder / "history.jsonl").write_text("\n".join(out) + "\n")


def _hf(folder: Path, log: Log, school: Mapping[str, str], pace: Pace, rng: random.Random) -> None:
    epoch = log.setup.steps_per_epoch
    history = [
        {**fields, "epoch": round(step / epoch, 4), "step": int(step)} for step, fields, _ in lines(log, SCHOOLS[5])
    ]
    state = {"epoch": log.setup.steps / epoch, "global_step": log.setup.steps, "is_local_process_zero": True,
             "log_history": history, "max_steps": log.setup.steps, "num_train_epochs": log.setup.epochs}  # fmt: skip
    (folder / "trainer_state.json").write_text(json.dumps(state, indent=1) + "\n")
    if log.config:
        (folder / "config.json").write_text(json.dumps(log.config, indent=2) + "\n")


def _paired(log: Log, school: Mapping[str, str]) -> list[dict[str, float]]:
    """One row an epoch: training and validation side by side."""
    out = []
    for i, row in enumerate(log.rows):
        both = row | (log.evaluations[i] if i < len(log.evaluations) else {})
        out.append({spelled(k, school): v for k, v in both.items() if k not in ("step", "mean_loss")})
    return out


def _keras(folder: Path, log: Log, school: Mapping[str, str], pace: Pace, rng: random.Random) -> None:
    rows, out = _paired(log, SCHOOLS[1]), []
    n = max(1, log.setup.steps // max(1, len(rows)))
    for i, fields in enumerate(rows):
        out.append(f"Epoch {i + 1}/{len(rows)}")
        rest = " - ".join(f"{k}: {short(v)}" for k, v in fields.items())
        out.append(f"{n}/{n} - {max(1, round(n * pace.pace))}s - {1000 * pace.pace:.0f}ms/step - {rest}")
    (folder / "stdout.txt").write_text("\n".join(out) + "\n")


def _epochs(folder: Path, log: Log, school: Mapping[str, str], pace: Pace, rng: random.Random) -> None:
    out = [f"{k}: {v}" for k, v in log.config.items()]
    rows = _paired(log, school)
    for i, fields in enumerate(rows):
        rest = ", ".join(f"{k}: {short(v)}" for k, v in fields.items())
        out.append(f"Epoch [{i + 1}/{len(rows)}], {rest}")
    (folder / "train.log").write_text("\n".join(out) + "\n")
