"""Faults and lookalikes of the rate, of mixed precision and of resources."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from reenact import Floats, Net, Plan, Rows, blobs, only, train, write_csv, write_jsonl, write_tensorboard, write_text
from reenact_cases import SIZES, TEN, both, fault, healthy, lookalike

# --- learning-rate schedule ------------------------------------------------------------------


def scheduled(place: Path, rate: Callable[[int], float], config: dict[str, object], **more: float) -> None:
    rows = healthy(Plan(lr=rate, steps=600, momentum=more.get("momentum", 0.0)))
    write_tensorboard(place, only(rows, "loss", "lr"), {**TEN, "max_steps": 600, **config})


def cosine(period: int, top: float = 0.1) -> Callable[[int], float]:
    return lambda s: top * (1 + float(np.cos(np.pi * s / period))) / 2


def ended(period: int) -> Callable[[int], float]:
    return lambda s: cosine(period)(min(s, period))


@fault("lr-never-stepped")
def _(place: Path) -> None:
    scheduled(place, lambda s: 0.1, {"lr_scheduler": "cosine"})


@lookalike("lr-never-stepped")
def _(place: Path) -> None:
    scheduled(place, ended(600), {"lr_scheduler": "cosine"})


@fault("lr-decayed-too-early")
def _(place: Path) -> None:
    scheduled(place, ended(200), {"lr_scheduler": "cosine", "gradient_accumulation_steps": 3})


@lookalike("lr-decayed-too-early")
def _(place: Path) -> None:
    scheduled(place, lambda s: 0.01 + 0.9 * ended(480)(s), {"lr_scheduler": "cosine"})


@fault("lr-cycled")
def _(place: Path) -> None:
    scheduled(place, cosine(150), {"lr_scheduler": "cosine"})


@lookalike("lr-cycled")
def _(place: Path) -> None:
    scheduled(place, cosine(150), {"lr_scheduler": "cosine_with_restarts"})


@fault("lr-jump")
def _(place: Path) -> None:
    scheduled(place, lambda s: 0.01 if s < 300 else 0.1, {"lr_scheduler": "constant"})


@lookalike("lr-jump")
def _(place: Path) -> None:
    """A warm-up is a rise too, but no leap."""
    scheduled(place, lambda s: 0.1 * min(1.0, (s + 1) / 60), {"lr_scheduler": "constant_with_warmup"})


def hot_start(top: float, warmup: int) -> Rows:
    def rate(step: int) -> float:
        return top * min(1.0, (step + 1) / max(1, warmup)) * (1 - step / 600)

    return only(train(Net((20, 64, 64, 10), gain=1.3), blobs(), Plan(steps=600, lr=rate, momentum=0.9)), "loss", "lr")


@fault("warmup-missing")
def _(place: Path) -> None:
    write_csv(place, hot_start(0.6, 0), {**TEN, "lr": 0.6, "warmup_steps": 0})


@lookalike("warmup-missing")
def _(place: Path) -> None:
    write_csv(place, hot_start(0.2, 150), {**TEN, "lr": 0.2, "warmup_steps": 150})


@fault("lr-range-test")
def _(place: Path) -> None:
    rows = healthy(Plan(steps=200, lr=lambda s: 1e-5 * 10 ** (s / 30)))
    write_jsonl(place, only(rows, "loss", "lr"), TEN)


@lookalike("lr-range-test")
def _(place: Path) -> None:
    rows = healthy(Plan(steps=200, lr=lambda s: 0.1 * 10 ** (-s / 100)))
    write_jsonl(place, only(rows, "loss", "lr"), TEN)


# --- mixed precision -------------------------------------------------------------------------


def scaler(peak: float) -> Rows:
    """Dynamic loss scaling over gradients in half precision: halved at an overflow, doubled after 100 good steps."""
    scale, good = 65536.0, 0
    rows = healthy(Plan(lr=0.02))
    with np.errstate(over="ignore", invalid="ignore"):
        for row in rows:
            row["loss_scale"] = scale
            overflow = not np.isfinite(np.float16(np.float16(peak) * np.float16(row["grad_norm"]) * scale))
            scale, good = (scale / 2, 0) if overflow else (scale, good + 1)
            if good == 100:
                scale, good = scale * 2, 0
    return only(rows, "loss", "loss_scale")


@fault("loss-scale-collapse")
def _(place: Path) -> None:
    """An activation beyond 65504 is infinite in half precision at any scale."""
    write_jsonl(place, scaler(70000.0), {**TEN, "fp16": True})


@lookalike("loss-scale-collapse")
def _(place: Path) -> None:
    write_jsonl(place, scaler(4.0), {**TEN, "fp16": True})


@fault("scaled-loss-logged")
def _(place: Path) -> None:
    rows = both(train(Net(SIZES, gain=0.5), blobs(), Plan(lr=0.03)))
    for row in rows:
        row["loss"] *= 65536
    write_csv(place, rows, {**TEN, "precision": "fp16"})


@lookalike("scaled-loss-logged")
def _(place: Path) -> None:
    """A loss that is summed over the batch."""
    rows = both(train(Net(SIZES, gain=0.5), blobs(), Plan(lr=0.03)))
    for row in rows:
        row["loss"] *= 32
    write_csv(place, rows, {**TEN, "precision": "fp16"})


# --- resources -------------------------------------------------------------------------------


def beside(name: str, value: Floats, noise: float, place: Path, write: Callable[..., None] = write_jsonl) -> None:
    """A healthy run with one more column."""
    rng = np.random.default_rng(12)
    rows = healthy(Plan(steps=len(value)))
    for row, v in zip(rows, value, strict=True):
        row[name] = float(v * (1 + noise * rng.standard_normal()))
    write(place, only(rows, "loss", "lr", name), TEN)


@fault("memory-growth")
def _(place: Path) -> None:
    beside("gpu_memory_mb", 4000 + 8.0 * np.arange(500), 0.003, place)


@lookalike("memory-growth")
def _(place: Path) -> None:
    beside("gpu_memory_mb", 4000 + 3000 * (1 - np.exp(-np.arange(500) / 15.0)), 0.003, place)


def memory_log(place: Path, share: int) -> None:
    rows = only(healthy(), "loss")
    rng = np.random.default_rng(1)
    for row in rows:
        row["memory_gb"] = share * 0.24 + 0.02 * float(rng.standard_normal())
    lines = {i: f"INFO GPU memory in use: {share}% of 24.0 GB" for i in range(50, 400, 50)}
    write_text(place, rows, TEN, lines)


@fault("memory-near-capacity")
def _(place: Path) -> None:
    memory_log(place, 97)


@lookalike("memory-near-capacity")
def _(place: Path) -> None:
    memory_log(place, 61)


@fault("low-gpu-utilization")
def _(place: Path) -> None:
    beside("gpu_utilization", np.full(400, 22.0), 0.2, place, write_csv)


@lookalike("low-gpu-utilization")
def _(place: Path) -> None:
    beside("gpu_utilization", np.full(400, 93.0), 0.03, place, write_csv)


@fault("throughput-drop")
def _(place: Path) -> None:
    beside("samples_per_second", np.where(np.arange(400) < 220, 1800.0, 900.0), 0.05, place, write_tensorboard)


@lookalike("throughput-drop")
def _(place: Path) -> None:
    """Single slow steps at checkpoints."""
    beside("samples_per_second", np.where(np.arange(400) % 50 == 49, 600.0, 1800.0), 0.05, place, write_tensorboard)


def ranks(place: Path, slow: float) -> None:
    rng = np.random.default_rng(13)
    for rank in range(3):
        rows = only(healthy(Plan(seed=rank)), "loss")
        for row in rows:
            times = slow if rank == 2 else 1.0
            row |= {"rank": rank, "step_time": float(0.2 * times * (1 + 0.1 * abs(rng.standard_normal())))}
        write_jsonl(place, rows, TEN, f"metrics_rank{rank}.jsonl")


@fault("rank-straggler")
def _(place: Path) -> None:
    ranks(place, 2.0)


@lookalike("rank-straggler")
def _(place: Path) -> None:
    ranks(place, 1.0)
