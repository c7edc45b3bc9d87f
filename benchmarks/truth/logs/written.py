"""What of a history is written to the log: the channels that were chosen, at the interval that was chosen."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from benchmarks.truth.history import History, Row
from benchmarks.truth.problem import Task
from benchmarks.truth.setup import Setup

#: Loggers, and how often each is drawn. Those of an epoch write one row an evaluation.
LOGGERS = {
    "jsonl": 3, "csv": 3, "text": 3, "nanogpt": 2, "logging": 2, "tensorboard": 3, "wandb": 2, "hf": 2, "lightning": 2,
    "keras": 3, "epochs": 3, "loguru": 1,
}  # fmt: skip
BY_EPOCH = ("keras", "epochs")
#: Channels beside the loss and the share of runs that log them.
SHARES = {"val": 0.75, "quality": 0.6, "parts": 0.7, "lr": 0.45, "grad_norm": 0.4, "weight_norm": 0.15, "layers": 0.14,
          "off": 0.1, "config": 0.7, "classes": 0.5, "mean": 0.5, "loss_scale": 0.06}  # fmt: skip
QUALITY = ("accuracy", "dice", "mAP", "mae", "top1", "recall", "reward", "entropy", "q_value")


@dataclass(frozen=True)
class Choice:
    """Logger, channels and interval of a run."""

    logger: str
    channels: frozenset[str]
    every: int  # of the rows of the history


def choose(rng: random.Random, task: Task, fault: str) -> Choice:
    """How this run is logged."""
    logger = rng.choices(list(LOGGERS), list(LOGGERS.values()))[0]
    channels = {c for c, p in SHARES.items() if rng.random() < p}
    if task.progress == "reward" and rng.random() < 0.8:
        channels.add("quality")
    if fault == "fp16-overflow" and rng.random() < 0.6:
        channels.add("loss_scale")
    if fault in ("scheduler-not-stepped", "scheduler-misaligned"):
        channels |= {"lr", "config"}
    if logger in BY_EPOCH:
        channels -= {"layers", "off", "weight_norm", "loss_scale"}
        channels.add("mean")
    return Choice(logger, frozenset(channels), rng.choice((1, 1, 2, 4, 8)))


@dataclass
class Log:
    """What a logger is given: rows and evaluations of canonical channels, and the configuration."""

    rows: list[Row]
    evaluations: list[Row]
    config: dict[str, Any] = field(default_factory=dict)
    setup: Setup = field(default_factory=Setup)


def kept(name: str, channels: frozenset[str]) -> bool:
    """Whether a channel of the history is written."""
    if name in ("step", "loss", "val_loss"):
        return True
    plain = name.removeprefix("val_")
    if plain in QUALITY:
        return "quality" in channels
    if plain.endswith("_loss") and plain != "mean_loss":
        return "parts" in channels
    head = name.partition("/")[0]
    return {"weights": "layers", "gradients": "layers"}.get(head, head) in channels


def mean_rows(h: History, every: int) -> list[Row]:
    """Every so many rows one, whose loss is the mean since the one before."""
    out = []
    for i in range(0, len(h.rows), every):
        block = h.rows[max(0, i - every + 1) : i + 1]
        out.append(h.rows[i] | {"loss": sum(r["mean_loss"] for r in block) / len(block)})
    return out


def by_epoch(h: History) -> list[Row]:
    """One row an evaluation: the mean of all losses and measures since the one before."""
    ends = [e["step"] for e in h.evaluations] or [r["step"] for r in h.rows[7::8]]
    out, rest = [], list(h.rows)
    for end in ends:
        block = [r for r in rest if r["step"] <= end] or rest[:1]
        if not block:
            break
        rest = rest[len(block) :]
        row = dict(block[-1])
        for name in ("mean_loss", *QUALITY):
            if name in row:
                row[name] = sum(r[name] for r in block) / len(block)
        out.append(row | {"loss": row["mean_loss"], "step": end})
    return out


def written(h: History, s: Setup, told: dict[str, Any], choice: Choice) -> Log:
    """The log of a history under a choice."""
    if choice.logger in BY_EPOCH:
        rows = by_epoch(h)
    elif "mean" in choice.channels:
        rows = mean_rows(h, choice.every)
    else:
        rows = h.rows[:: choice.every]
    rows = [{k: v for k, v in r.items() if kept(k, choice.channels)} for r in rows]
    evaluations = []
    if "val" in choice.channels:
        evaluations = [{k: v for k, v in r.items() if kept(k, choice.channels)} for r in h.evaluations]
    config: dict[str, Any] = {}
    if "config" in choice.channels:
        config = s.told() | told
        if choice.logger in BY_EPOCH:  # where an epoch is what lies between two evaluations
            del config["steps"]
            config["epochs"] = len(rows)
        if "classes" in choice.channels and h.classes:
            config["num_classes"] = h.classes
    return Log(rows, evaluations, config, s)
