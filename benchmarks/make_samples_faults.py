"""Sample runs with a fault in the training: each trains, writes logs into a folder and says what it is about."""

from __future__ import annotations

import json
from pathlib import Path

import make_samples_logs as logs
import torch
from make_samples_tasks import (
    Reader,
    Row,
    Task,
    blobs,
    copies,
    evaluate,
    mlp,
    train,
    waves,
)
from torch import Tensor, nn
from torch.nn import functional as F

START = 1_772_000_000.0


def nan_rate_too_high(out: Path) -> str:
    """SGD with momentum on a regression with large inputs, under a rate that climbs past its limit, in TensorBoard."""
    x, y = waves(1024, 0.1, 9)
    data = (torch.cat([x, x**2, x**3], 1), y)
    task = Task(
        mlp([3, 64, 64, 1]),
        data,
        data,
        700,
        32,
        0.8,
        6,
        loss=F.mse_loss,
        optimizer="sgd",
        momentum=0.9,
        rate=lambda step: min(1.0, 0.02 + step / 500),
    )
    rows = [
        {"step": r["step"], "train/loss": r["loss"], "train/lr": r["lr"], "train/grad_norm": r["grad_norm"]}
        for r in train(task)
    ]
    logs.tensorboard(out, rows, START + 5000, 0.02)
    logs.config_yaml(
        out / "config.yaml", {"optimizer": "sgd", "lr": 0.8, "momentum": 0.9, "warmup_steps": 500, "seed": 6}
    )
    return "The rate climbs past what the model bears; the loss blows up and goes NaN."


def diverged(out: Path) -> str:
    """A GRU on the copy task whose Adam rate is far too high, in a W&B history export."""
    torch.manual_seed(77)
    model = Reader(13, 24, 96)
    steps = 1400
    task = Task(
        model,
        copies(2000, 12, 4, 10),
        copies(300, 12, 4, 11),
        steps,
        32,
        0.3,
        7,
        rate=lambda step: min(1.0, 0.01 + max(0, step - 200) / 1000),
    )
    rows: list[Row] = []
    for r in train(task):
        if r["step"] % 4 == 0:
            row = {
                "_step": r["step"],
                "_timestamp": logs.clock(START, r["step"], 0.07),
                "train/loss": r["loss"],
                "train/lr": r["lr"],
                "train/grad_norm": r["grad_norm"],
            }
            if r["step"] % 100 == 0:
                row["val/loss"] = evaluate(task)[0]
            rows.append(row)
    columns = ["_step", "_timestamp", "train/loss", "train/lr", "train/grad_norm", "val/loss"]
    logs.table(out / "wandb_export.csv", columns, rows)
    return "A rate that keeps rising: the copy task is learned, then lost, and the loss stays far above its best."


def detached_graph(out: Path) -> str:
    """The features are detached and the head is fixed: nothing learns, in loguru's format."""

    class Cut(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = mlp([8, 64, 64])
            self.head = nn.Linear(64, 6)

        def forward(self, x: Tensor) -> Tensor:
            out: Tensor = self.head(self.body(x)).detach().requires_grad_(True)
            return out

    task = Task(Cut(), blobs(2400, 6, 8, 0.7, 12), blobs(600, 6, 8, 0.7, 13), 800, 48, 3e-3, 9)
    lines = [(START, "INFO", "__main__:main:31", "lr=0.003 batch_size=48 num_classes=6 seed=9")]
    for r in train(task):
        if r["step"] % 5 == 0:
            text = (
                f"step={r['step']} loss={r['loss']:.5f} lr={r['lr']:.3g} "
                f"grad_norm={r['grad_norm']:.4f} acc={r['acc']:.4f}"
            )
            lines.append((logs.clock(START, r["step"], 0.03), "INFO", "__main__:fit:58", text))
        if r["step"] % 100 == 99:
            loss, right = evaluate(task)
            lines.append(
                (
                    logs.clock(START, r["step"], 0.03) + 0.02,
                    "INFO",
                    "__main__:fit:66",
                    f"step={r['step']} val_loss={loss:.5f} val_acc={right:.4f}",
                )
            )
    logs.loguru(out / "train.log", lines)
    return "The logits are detached from the model: the loss stays where it began and the gradient norm is zero."


def overfitting(out: Path) -> str:
    """A wide network on 200 noisy points, in Keras's CSVLogger format."""
    task = Task(
        mlp([10, 128, 128, 4]), blobs(200, 4, 10, 1.4, 14, 0.1), blobs(1000, 4, 10, 1.4, 15, 0.1), 60 * 12, 16, 3e-4, 10
    )
    rows: list[Row] = []
    seen: list[Row] = []
    for r in train(task):
        seen.append(r)
        if len(seen) == 12:
            loss, right = evaluate(task)
            rows.append(
                {
                    "epoch": len(rows),
                    "accuracy": sum(s["acc"] for s in seen) / 12,
                    "loss": sum(s["loss"] for s in seen) / 12,
                    "val_accuracy": right,
                    "val_loss": loss,
                }
            )
            seen = []
    logs.table(out / "training.csv", ["epoch", "accuracy", "loss", "val_accuracy", "val_loss"], rows)
    settings = {"train_size": 200, "batch_size": 16, "lr": 3e-4, "weight_decay": 0.0, "dropout": 0.0, "epochs": 60}
    (out / "params.json").write_text(json.dumps(settings | {"seed": 10}))
    return "A wide network learns 200 points by heart: the validation loss turns up while the training loss falls on."


def bad_batch(out: Path) -> str:
    """Two batches of inputs are sixty times too large, in an offline W&B log."""
    torch.manual_seed(12)

    def spoil(step: int, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return (x * 60, y) if step in (611, 612) else (x, y)

    task = Task(
        mlp([12, 64, 7]),
        blobs(3000, 7, 12, 0.9, 16),
        blobs(500, 7, 12, 0.9, 17),
        1000,
        64,
        0.05,
        11,
        optimizer="sgd",
        momentum=0.5,
        spoil=spoil,
    )
    rows: list[Row] = []
    for r in train(task):
        row = {"step": r["step"], "train/loss": r["loss"], "train/grad_norm": r["grad_norm"], "train/lr": r["lr"]}
        if r["step"] % 50 == 0:
            row["val/loss"], row["val/acc"] = evaluate(task)
        rows.append(row)
    folder = out / "wandb" / "offline-run-20260301_101500-k3v9x2qa"
    folder.mkdir(parents=True)
    config = {"lr": 0.05, "momentum": 0.5, "batch_size": 64, "num_classes": 7, "seed": 11}
    logs.wandb_offline(folder / "run-k3v9x2qa.wandb", config, rows, START, 0.04)
    return "Two batches have inputs sixty times too large: the loss jumps and comes back."


def vanishing(out: Path) -> str:
    """Twelve sigmoid layers, with gradient norms by layer, in nested JSON lines."""
    torch.manual_seed(3)
    model = mlp([4] + [32] * 10 + [5], nn.Sigmoid)

    def layers(model: nn.Module) -> Row:
        norms = {
            n: float(p.grad.norm()) for n, p in model.named_parameters() if n.endswith("weight") and p.grad is not None
        }
        return {"layers": norms}

    task = Task(
        model,
        blobs(2000, 5, 4, 0.4, 18),
        blobs(400, 5, 4, 0.4, 19),
        900,
        50,
        2e-3,
        13,
        optimizer="sgd",
        momentum=0.9,
        each=layers,
    )
    rows = [
        {
            "step": r["step"],
            "train": {"loss": r["loss"], "lr": r["lr"], "grad_norm": r["grad_norm"]},
            "grad_norm": {k: float(f"{v:.4g}") for k, v in r["layers"].items()},
        }
        for r in train(task)
        if r["step"] % 5 == 0
    ]
    logs.jsonl(out / "events.jsonl", rows)
    (out / "config.json").write_text(
        json.dumps({"model": {"depth": 11, "act": "sigmoid"}, "lr": 2e-3, "num_classes": 5, "seed": 13})
    )
    return "Eleven sigmoid layers: the early layers' gradients are a million times smaller, the loss rests at ln 5."


def schedule_never_stepped(out: Path) -> str:
    """The configuration names a cosine schedule, the rate never moves, in a W&B history export as JSON."""
    task = Task(mlp([5, 48, 48, 8]), blobs(2500, 8, 5, 0.5, 20), blobs(500, 8, 5, 0.5, 21), 1200, 32, 1e-2, 14)
    rows: list[Row] = []
    for r in train(task):
        if r["step"] % 6 == 0:
            row = {
                "_step": r["step"],
                "_timestamp": logs.clock(START, r["step"], 0.05),
                "loss": r["loss"],
                "lr": r["lr"],
            }
            if r["step"] % 60 == 0:
                row["val_loss"] = evaluate(task)[0]
            rows.append(row)
    (out / "history.json").write_text(json.dumps(rows, indent=1))
    config = {"lr": 1e-2, "lr_scheduler": "cosine", "max_steps": 1200, "batch_size": 32, "num_classes": 8, "seed": 14}
    logs.config_yaml(out / "config.yaml", config)
    return "The configuration asks for a cosine schedule; scheduler.step() is never called and the rate stays at 0.01."


def double_softmax(out: Path) -> str:
    """Softmax before the cross-entropy, in TensorBoard."""
    model = nn.Sequential(mlp([6, 64, 9]), nn.Softmax(1))
    task = Task(model, blobs(4000, 9, 6, 0.3, 22), blobs(600, 9, 6, 0.3, 23), 2000, 64, 1e-2, 15)
    rows: list[Row] = []
    for r in train(task):
        if r["step"] % 5 == 0:
            row = {"step": r["step"], "Loss/train": r["loss"], "Accuracy/train": r["acc"], "lr": r["lr"]}
            if r["step"] % 50 == 0:
                row["Loss/val"], row["Accuracy/val"] = evaluate(task)
            rows.append(row)
    logs.tensorboard(out, rows, START + 9000, 0.03)
    logs.config_yaml(out / "hparams.yaml", {"lr": 1e-2, "num_classes": 9, "batch_size": 64, "seed": 15})
    return (
        "The model ends in a softmax and the loss applies another: accuracy is high, the loss rests at ln(e + 8) - 1."
    )
