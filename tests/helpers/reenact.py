"""Small trainings really run in NumPy, and writers of the formats that real trainings leave behind."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Row = dict[str, float]
Rows = list[Row]


@dataclass(frozen=True)
class Data:
    x: Floats
    y: NDArray[np.int64]
    xv: Floats
    yv: NDArray[np.int64]


def blobs(n: int = 512, classes: int = 10, dim: int = 20, apart: float = 2.0, seed: int = 0, nv: int = 256) -> Data:
    """Gaussian clouds, one a class."""
    rng = np.random.default_rng(seed)
    centers = rng.standard_normal((classes, dim)) * apart / np.sqrt(2)
    y = rng.integers(classes, size=n + nv)
    x = centers[y] + rng.standard_normal((n + nv, dim))
    return Data(x[:n], y[:n], x[n:], y[n:])


def rings(n: int = 600, classes: int = 6, seed: int = 0) -> Data:
    """Clouds whose class is mostly in the radius, which a linear model cannot see."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n + 300, 8))
    rank = np.argsort(np.argsort((x[:, :4] ** 2).sum(1) + 3 * x[:, 5]))
    y = (rank * classes // len(rank)).astype(np.int64)
    return Data(x[:n], y[:n], x[n:], y[n:])


def softmax(z: Floats) -> Floats:
    e = np.exp(z - z.max(1, keepdims=True))
    return np.asarray(e / e.sum(1, keepdims=True), dtype=np.float64)


@dataclass
class Net:
    """A dense classifier; gradients by hand."""

    sizes: Sequence[int]
    act: str = "relu"
    gain: float = 1.0
    seed: int = 0
    bias: float = 0.0
    twice: bool = False  # softmax before a loss that applies it again
    w: list[Floats] = field(default_factory=list)
    b: list[Floats] = field(default_factory=list)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.seed)
        pairs = list(zip(self.sizes, self.sizes[1:], strict=False))
        self.w = [rng.standard_normal((i, o)) * self.gain * np.sqrt(1 / i) for i, o in pairs]
        self.b = [np.full(o, self.bias if k < len(pairs) - 1 else 0.0) for k, (_, o) in enumerate(pairs)]

    def forward(self, x: Floats, drop: float = 0.0, rng: np.random.Generator | None = None) -> list[Floats]:
        out = [x]
        for k, (w, b) in enumerate(zip(self.w, self.b, strict=True)):
            z = out[-1] @ w + b
            if k < len(self.w) - 1:
                z = {"relu": lambda v: np.maximum(v, 0), "tanh": np.tanh, "sigmoid": lambda v: 1 / (1 + np.exp(-v))}[
                    self.act
                ](z)
                if drop and rng is not None:
                    z = z * (rng.random(z.shape) > drop) / (1 - drop)
            out.append(z)
        return out

    def loss(self, x: Floats, y: NDArray[np.int64]) -> tuple[float, float]:
        """(cross-entropy, accuracy)."""
        z = self.forward(x)[-1]
        p = softmax(softmax(z)) if self.twice else softmax(z)
        rows = np.arange(len(y))
        return float(-np.log(p[rows, y] + 1e-300).mean()), float((z.argmax(1) == y).mean())

    def gradients(self, acts: list[Floats], y: NDArray[np.int64]) -> tuple[float, list[Floats], list[Floats]]:
        rows, n = np.arange(len(y)), len(y)
        q = softmax(acts[-1])
        p = softmax(q) if self.twice else q
        loss = float(-np.log(p[rows, y] + 1e-300).mean())
        d = p.copy()
        d[rows, y] -= 1
        d /= n
        if self.twice:
            d = q * (d - (d * q).sum(1, keepdims=True))
        gw: list[Floats] = []
        gb: list[Floats] = []
        for k in range(len(self.w) - 1, -1, -1):
            gw.insert(0, acts[k].T @ d)
            gb.insert(0, d.sum(0))
            if k:
                a = acts[k]
                slope = {"relu": a > 0, "tanh": 1 - a**2, "sigmoid": a * (1 - a)}[self.act]
                d = (d @ self.w[k].T) * slope
        return loss, gw, gb


def norm(arrays: Iterable[Floats]) -> float:
    return float(np.sqrt(sum(float((a**2).sum()) for a in arrays)))


@dataclass
class Plan:
    """How to train; every field beyond the first few is one mistake that a test makes."""

    steps: int = 400
    lr: float | Callable[[int], float] = 0.1
    batch: int = 32
    eval_every: int = 20
    momentum: float = 0.0
    decay: float = 0.0
    seed: int = 0
    shuffle: bool = True
    clip: float = 0.0
    keep_gradients: bool = False
    frozen: tuple[int, ...] = ()
    stepless: bool = False  # the optimizer holds other parameters
    detached: bool = False
    drop: float = 0.0
    drop_until: int = 1 << 30
    layers: bool = False
    spoil: Callable[[int, Floats, NDArray[np.int64]], tuple[Floats, NDArray[np.int64]]] | None = None
    log_every: int = 1


def train(net: Net, data: Data, plan: Plan) -> Rows:
    """One row a step: loss, lr, grad_norm, weight_norm, accuracy; val_loss and val_accuracy at evaluations."""
    rng = np.random.default_rng(plan.seed + 1)
    size, rows = len(net.w), []
    vw, vb = [np.zeros_like(w) for w in net.w], [np.zeros_like(b) for b in net.b]
    kept: list[Floats] | None = None
    order = np.arange(len(data.y))
    per_epoch = max(1, len(order) // plan.batch)
    for step in range(plan.steps):
        at = step % per_epoch
        if at == 0 and plan.shuffle:
            rng.shuffle(order)
        pick = order[at * plan.batch : (at + 1) * plan.batch]
        x, y = data.x[pick], data.y[pick]
        if plan.spoil is not None:
            x, y = plan.spoil(step, x, y)
        acts = net.forward(x, plan.drop if step < plan.drop_until else 0.0, rng)
        loss, gw, gb = net.gradients(acts, y)
        if plan.detached:
            gw, gb = [g * 0 for g in gw], [g * 0 for g in gb]
        if plan.keep_gradients:
            kept = gw if kept is None else [k + g for k, g in zip(kept, gw, strict=True)]
            gw = kept
        for k in plan.frozen:
            gw[k], gb[k] = gw[k] * 0, gb[k] * 0
        rate = plan.lr(step) if callable(plan.lr) else plan.lr
        grad = norm(gw + gb)
        row = {"step": step, "epoch": step / per_epoch, "loss": loss, "lr": rate, "grad_norm": grad}
        row |= {"weight_norm": norm(net.w), "accuracy": float((acts[-1].argmax(1) == y).mean())}
        if plan.layers:
            row |= {f"grad_norm/layer{k}": norm([g]) for k, g in enumerate(gw)}
            row |= {f"weight_norm/layer{k}": norm([w]) for k, w in enumerate(net.w)}
            hidden = list(enumerate(acts[1:-1]))
            if net.act == "relu":
                row |= {f"zero_fraction/layer{k}": float((a == 0).mean()) for k, a in hidden}
            else:
                far = 0.97 if net.act == "tanh" else 0.985
                row |= {f"saturation_fraction/layer{k}": float((abs(a) > far).mean()) for k, a in hidden}
        scale = min(1.0, plan.clip / grad) if plan.clip and grad > 0 else 1.0
        for k in range(size):
            if plan.stepless:
                break
            vw[k] = plan.momentum * vw[k] + scale * gw[k] + (plan.decay * net.w[k] if k not in plan.frozen else 0)
            vb[k] = plan.momentum * vb[k] + scale * gb[k]
            net.w[k] = net.w[k] - rate * vw[k]
            net.b[k] = net.b[k] - rate * vb[k]
        if plan.eval_every and step % plan.eval_every == plan.eval_every - 1:
            row["val_loss"], row["val_accuracy"] = net.loss(data.xv, data.yv)
        if step % plan.log_every == 0 or "val_loss" in row:
            rows.append(row)
    return rows


def only(rows: Rows, *names: str) -> Rows:
    """Rows with these columns and the step; rows that have none are left out."""
    kept = [{k: v for k, v in row.items() if k in ("step", *names)} for row in rows]
    return [row for row in kept if len(row) > 1]


def write_config(place: Path, config: Mapping[str, Any] | None) -> None:
    place.mkdir(parents=True, exist_ok=True)
    if config is not None:
        (place / "config.json").write_text(json.dumps(dict(config)), encoding="utf-8")


def write_jsonl(place: Path, rows: Rows, config: Mapping[str, Any] | None = None, name: str = "metrics.jsonl") -> None:
    write_config(place, config)
    (place / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_csv(place: Path, rows: Rows, config: Mapping[str, Any] | None = None) -> None:
    write_config(place, config)
    names = list(dict.fromkeys(k for row in rows for k in row))
    with (place / "metrics.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)


def write_tensorboard(place: Path, rows: Rows, config: Mapping[str, Any] | None = None) -> None:
    from tensorboardX import SummaryWriter

    write_config(place, config)
    writer = SummaryWriter(str(place), flush_secs=1)
    for row in rows:
        for name, value in row.items():
            if name != "step":
                tag = f"val/{name[4:]}" if name.startswith("val_") else name if "/" in name else f"train/{name}"
                writer.add_scalar(tag, value, int(row["step"]))
    writer.close()


def write_trainer_state(place: Path, rows: Rows, config: Mapping[str, Any] | None = None) -> None:
    """As the Hugging Face Trainer leaves it: training and evaluation in records of their own."""
    write_config(place, config)
    history: list[dict[str, Any]] = []
    for row in rows:
        base = {"epoch": row.get("epoch", 0.0), "step": int(row["step"]) + 1}
        told = {"loss": "loss", "lr": "learning_rate", "grad_norm": "grad_norm"}
        history.append({**{new: row[old] for old, new in told.items() if old in row}, **base})
        if "val_loss" in row:
            history.append({"eval_loss": row["val_loss"], "eval_runtime": 1.5, **base})
    state = {"best_metric": None, "global_step": int(rows[-1]["step"]) + 1, "log_history": history}
    (place / "trainer_state.json").write_text(json.dumps(state, indent=2), encoding="utf-8")


def write_text(place: Path, rows: Rows, config: Mapping[str, Any] | None = None, lines: Mapping[int, str] | None = None,
               end: str = "") -> None:  # fmt: skip
    """A console log; `lines`: text printed after the row of that number, `end`: what the program printed last."""
    place.mkdir(parents=True, exist_ok=True)
    out = [f"INFO config: {json.dumps(dict(config))}"] if config else []
    for i, row in enumerate(rows):
        pairs = " | ".join(f"{k} {v:.5g}" for k, v in row.items() if k not in ("step", "epoch"))
        out.append(f"INFO step {int(row['step'])} | {pairs}")
        if lines and i in lines:
            out.append(lines[i])
    (place / "train.log").write_text("\n".join([*out, end]) + "\n", encoding="utf-8")
