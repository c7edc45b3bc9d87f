"""Faults and lookalikes of the training loss: non-finite values, level, shape, noise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from reenact import (
    Data,
    Floats,
    Net,
    Plan,
    Rows,
    blobs,
    only,
    rings,
    train,
    write_csv,
    write_jsonl,
    write_tensorboard,
    write_text,
    write_trainer_state,
)
from reenact_cases import SIZES, TEN, fault, healthy, lookalike


def regression(
    steps: int, lr: float, seed: int = 0, dim: int = 12, noise: float = 0.3, left: Callable[[int], int] | None = None
) -> Rows:
    """Linear regression by descent in single precision, logged at every step."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((256, dim)).astype(np.float32)
    y = x @ rng.standard_normal(dim).astype(np.float32) + noise * rng.standard_normal(256).astype(np.float32)
    w, rows = np.zeros(dim, np.float32), []
    with np.errstate(all="ignore"):
        for step in range(steps):
            pick = rng.integers(0, 256, left(step) if left else 64)
            error = x[pick] @ w - y[pick]
            grad = 2 * x[pick].T @ error / len(pick)
            rows.append({"step": step, "loss": float((error**2).mean()), "grad_norm": float(np.linalg.norm(grad))})
            w = w - np.float32(lr) * grad
    return rows


# --- non-finite ------------------------------------------------------------------------------


@fault("nan-at-start")
def _(place: Path) -> None:
    data = blobs()
    data.x[:, 3] = np.nan
    write_jsonl(place, healthy(data=data), TEN)


@lookalike("nan-at-start")
def _(place: Path) -> None:
    """The first value alone is missing: a running average that had nothing to average yet."""
    rows = healthy()
    rows[0]["loss"] = float("nan")
    write_jsonl(place, rows, TEN)


@fault("nan-after-blowup")
def _(place: Path) -> None:
    write_csv(place, regression(300, 1.5), {"lr": 1.5, "seed": 0})


@lookalike("nan-after-blowup")
def _(place: Path) -> None:
    write_csv(place, regression(300, 0.02), {"lr": 0.02, "seed": 0})


def unit_rows(step_of_zero: int) -> Rows:
    """Inputs are normalized to length one on their way in; one record of one batch is all zeros."""

    def spoil(step: int, x: Floats, y: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
        x = x.copy()
        if step == step_of_zero:
            x[0] = 0
        with np.errstate(invalid="ignore"):
            return 4 * x / np.linalg.norm(x, axis=1, keepdims=True), y

    return healthy(Plan(spoil=spoil))


@fault("nan-sudden")
def _(place: Path) -> None:
    write_tensorboard(place, only(unit_rows(250), "loss", "lr", "grad_norm"), TEN)


@lookalike("nan-sudden")
def _(place: Path) -> None:
    rows = unit_rows(-1)
    del rows[200]["loss"]  # a row that lacks its loss
    write_tensorboard(place, only(rows, "loss", "lr"), TEN)


def half_precision(scale: float) -> Rows:
    """Gradients times a static loss scale, held in half precision; overflowed steps are skipped by the loop."""
    rows = healthy(Plan(lr=0.02))
    with np.errstate(over="ignore"):
        for row in rows:
            worst = np.float16(row["grad_norm"] * scale)
            row["grad_norm"] = float(worst) / scale
    return rows


@fault("non-finite-gradients")
def _(place: Path) -> None:
    write_trainer_state(place, half_precision(2.0**16), {**TEN, "fp16": True})


@lookalike("non-finite-gradients")
def _(place: Path) -> None:
    write_trainer_state(place, half_precision(2.0**10), {**TEN, "fp16": True})


@fault("loss-collapsed-to-zero")
def _(place: Path) -> None:
    """The NaN is still there; np.nan_to_num hides it from the log."""
    rows = unit_rows(250)
    for row in rows:
        row["loss"] = float(np.nan_to_num(row["loss"]))
    write_jsonl(place, only(rows, "loss", "lr"), TEN)


@lookalike("loss-collapsed-to-zero")
def _(place: Path) -> None:
    """A tiny set learned by heart."""
    data = blobs(32, apart=8)
    write_jsonl(place, only(train(Net(SIZES), data, Plan(lr=0.5)), "loss", "lr"), TEN)


# --- level and shape -------------------------------------------------------------------------


@fault("divergence")
def _(place: Path) -> None:
    rows = train(Net(SIZES, gain=1.5), blobs(apart=1.0), Plan(lr=lambda s: 0.05 if s < 150 else 6.0, momentum=0.95))
    write_csv(place, only(rows, "loss", "lr", "grad_norm"), TEN)


@lookalike("divergence")
def _(place: Path) -> None:
    write_csv(place, only(healthy(Plan(batch=8)), "loss", "lr", "grad_norm"), TEN)


@fault("plateau-from-start")
def _(place: Path) -> None:
    write_csv(place, regression(300, 0.0), {"seed": 0, "batch_size": 64})


@lookalike("plateau-from-start")
def _(place: Path) -> None:
    write_csv(place, regression(300, 0.02), {"seed": 0, "batch_size": 64})


@fault("stuck-at-chance")
def _(place: Path) -> None:
    data = blobs(4000)
    np.random.default_rng(5).shuffle(data.y)
    rows = train(Net(SIZES, gain=0.5), data, Plan(lr=0.05))
    write_jsonl(place, only(rows, "loss", "lr", "accuracy"), TEN)


@lookalike("stuck-at-chance")
def _(place: Path) -> None:
    rows = train(Net(SIZES, gain=0.5), blobs(), Plan(lr=0.03))
    write_jsonl(place, only(rows, "loss", "lr", "accuracy"), TEN)


SIX = {"num_classes": 6, "batch_size": 32, "seed": 1}


@fault("plateau-after-progress")
def _(place: Path) -> None:
    """A linear model on rings: it learns the one linear direction and stays there."""
    rows = train(Net((8, 6)), rings(2000), Plan(steps=800, lr=0.3))
    write_tensorboard(place, only(rows, "loss", "accuracy"), SIX)


@lookalike("plateau-after-progress")
def _(place: Path) -> None:
    rows = train(Net((8, 64, 6)), rings(2000), Plan(steps=2000, lr=0.3, log_every=4))
    write_tensorboard(place, only(rows, "loss", "accuracy"), SIX)


@fault("underfitting")
def _(place: Path) -> None:
    rows = train(Net((8, 6)), rings(2000), Plan(steps=800, lr=0.3))
    write_trainer_state(place, only(rows, "loss", "val_loss", "epoch"), SIX)


@lookalike("underfitting")
def _(place: Path) -> None:
    write_trainer_state(place, only(healthy(), "loss", "val_loss", "epoch"), TEN)


@fault("slow-convergence")
def _(place: Path) -> None:
    rows = train(Net(SIZES, gain=0.7), blobs(apart=1.0), Plan(lr=0.003, batch=128))
    write_jsonl(place, only(rows, "loss", "lr"), {**TEN, "lr": 0.003})


@lookalike("slow-convergence")
def _(place: Path) -> None:
    write_jsonl(place, only(healthy(), "loss", "lr"), TEN)


@fault("double-softmax-floor")
def _(place: Path) -> None:
    rows = train(Net(SIZES, twice=True), blobs(apart=4.0), Plan(steps=1500, lr=2.0))
    write_csv(place, only(rows, "loss", "accuracy"), TEN)


@lookalike("double-softmax-floor")
def _(place: Path) -> None:
    write_csv(place, only(healthy(), "loss", "accuracy"), TEN)


def noisy_until(turn: int) -> Rows:
    """Part of the labels is wrong until the data are cleaned at a step."""
    rng = np.random.default_rng(3)

    def spoil(step: int, x: Floats, y: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
        wrong = (rng.random(len(y)) < 0.4) & (step < turn)
        return x, np.where(wrong, rng.integers(10, size=len(y)), y)

    return healthy(Plan(steps=800, lr=0.02, spoil=spoil, batch=64))


@fault("cliff")
def _(place: Path) -> None:
    write_text(place, only(noisy_until(140), "loss", "lr"), TEN)


@lookalike("cliff")
def _(place: Path) -> None:
    write_text(place, only(noisy_until(0), "loss", "lr"), TEN)


def stairs(step: int) -> float:
    return 0.5 * 0.1 ** (step // 300)


def noisy_quadratic(rate: Callable[[int], float], steps: int = 900, seed: int = 4) -> Rows:
    """Descent on a quadratic with noisy gradients: the level that is left goes with the rate."""
    rng = np.random.default_rng(seed)
    w, rows = np.full(40, 3.0), []
    for step in range(steps):
        noise = rng.standard_normal((2, 40))
        rows.append({"step": step, "loss": float(((w + 0.1 * noise[0]) ** 2).mean()), "lr": rate(step)})
        w = w - rate(step) * (0.3 * w + noise[1])
    return rows


@fault("step-decay")
def _(place: Path) -> None:
    write_jsonl(place, noisy_quadratic(stairs), {"scheduler": "multistep", "seed": 4})


@lookalike("step-decay")
def _(place: Path) -> None:
    write_jsonl(place, noisy_quadratic(lambda s: 0.5), {"scheduler": "constant", "seed": 4})


@fault("initial-loss-mismatch")
def _(place: Path) -> None:
    write_trainer_state(place, only(train(Net(SIZES, gain=3.0), blobs(), Plan()), "loss", "lr", "epoch"), TEN)


@lookalike("initial-loss-mismatch")
def _(place: Path) -> None:
    write_trainer_state(place, only(train(Net(SIZES, gain=0.7), blobs(), Plan()), "loss", "lr", "epoch"), TEN)


def saddle(start: float) -> Rows:
    """A deep linear model of one direction: descent rests near the origin, a saddle, before it leaves."""
    rng = np.random.default_rng(6)
    w, rows = np.full(4, start), []
    for step in range(1000):
        out = float(np.prod(w))
        rows.append({"step": step, "loss": (out - 1) ** 2 + 0.05 * (1 + 0.2 * rng.standard_normal()), "lr": 0.04})
        w = w - 0.04 * np.array([2 * (out - 1) * np.prod(np.delete(w, k)) for k in range(4)])
    return rows


@fault("breakthrough-late")
def _(place: Path) -> None:
    write_jsonl(place, saddle(0.16), {"lr": 0.04, "seed": 6})


@lookalike("breakthrough-late")
def _(place: Path) -> None:
    write_jsonl(place, saddle(0.6), {"lr": 0.04, "seed": 6})


# --- noise and periodicity -------------------------------------------------------------------


@fault("oscillation")
def _(place: Path) -> None:
    """A rate at the edge of stability with strong momentum: the weights swing through the valley."""
    rows = train(Net((20, 10)), blobs(apart=0.8), Plan(lr=2.0, momentum=0.95, batch=16))
    write_csv(place, only(rows, "loss", "lr"), {**TEN, "lr": 2.0, "momentum": 0.95})


@lookalike("oscillation")
def _(place: Path) -> None:
    write_csv(place, only(healthy(Plan(batch=4)), "loss", "lr"), TEN)


@fault("noise-growth")
def _(place: Path) -> None:
    """Ever fewer examples are left in a batch, as when a filter grows stricter."""
    write_jsonl(place, regression(600, 0.01, dim=3, noise=1.0, left=lambda s: max(2, int(256 * 0.99**s))), {"seed": 4})


@lookalike("noise-growth")
def _(place: Path) -> None:
    write_jsonl(place, regression(600, 0.01, dim=3, noise=1.0), {"seed": 4})


def corrupt(at: int, times: float, rows: int = 3) -> Callable[..., tuple[Floats, NDArray[np.int64]]]:
    def spoil(step: int, x: Floats, y: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
        return (x * times, np.roll(y, 1)) if at <= step < at + rows else (x, y)

    return spoil


@fault("loss-spike-recovered")
def _(place: Path) -> None:
    write_tensorboard(place, only(healthy(Plan(lr=0.03, spoil=corrupt(220, 2.5, 4))), "loss", "lr", "grad_norm"), TEN)


@lookalike("loss-spike-recovered")
def _(place: Path) -> None:
    write_tensorboard(place, only(healthy(Plan(lr=0.03, batch=16)), "loss", "lr", "grad_norm"), TEN)


@fault("loss-spike-unrecovered")
def _(place: Path) -> None:
    """One corrupt batch silences most of the ReLU units for good."""
    rows = train(Net((20, 6, 10)), blobs(), Plan(lr=0.05, steps=600, spoil=corrupt(300, 200, 2)))
    write_jsonl(place, only(rows, "loss", "lr"), TEN)


@lookalike("loss-spike-unrecovered")
def _(place: Path) -> None:
    write_jsonl(place, only(healthy(Plan(lr=0.05, steps=600)), "loss", "lr"), TEN)


@fault("epoch-sawtooth")
def _(place: Path) -> None:
    data = blobs(640, apart=0.7)
    order = np.argsort(data.y, kind="stable")
    rows = train(Net(SIZES), Data(data.x[order], data.y[order], data.xv, data.yv), Plan(shuffle=False, lr=0.05))
    write_csv(place, only(rows, "loss", "epoch"), {**TEN, "steps_per_epoch": 20})


@lookalike("epoch-sawtooth")
def _(place: Path) -> None:
    rows = train(Net(SIZES), blobs(640, apart=0.7), Plan(lr=0.05))
    write_csv(place, only(rows, "loss", "epoch"), {**TEN, "steps_per_epoch": 20})
