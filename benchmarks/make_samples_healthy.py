"""Sample runs in which nothing is wrong: each trains, writes its logs into a folder and says what the run is about."""

from __future__ import annotations

import json
from pathlib import Path

import make_samples_logs as logs
import torch
from make_samples_tasks import (
    TEXT_SYMBOLS,
    Reader,
    Row,
    Task,
    blobs,
    chars,
    copies,
    cosine,
    evaluate,
    grad_norm,
    mlp,
    spirals,
    train,
    waves,
)
from torch import nn
from torch.nn import functional as F

START = 1_772_000_000.0


def small_batches(out: Path) -> str:
    """Spirals with batches of 12: noisy, and fine."""
    task = Task(
        mlp([2, 64, 64, 3]),
        spirals(1800, 3, 0.05, 1),
        spirals(600, 3, 0.05, 2),
        1500,
        12,
        2e-3,
        5,
        rate=cosine(1500, floor=0.05),
    )
    rows = []
    for r in train(task):
        if r["step"] % 4 == 0:
            row = {
                "step": r["step"],
                "train/loss": round(r["loss"], 5),
                "lr": r["lr"],
                "grad_norm": round(r["grad_norm"], 5),
            }
            if r["step"] % 100 == 0:
                loss, right = evaluate(task)
                row |= {"val/loss": round(loss, 5), "val/accuracy": round(right or 0.0, 4)}
            rows.append(row)
    logs.jsonl(out / "metrics.jsonl", rows)
    (out / "config.json").write_text(
        json.dumps(
            {
                "dataset": "spirals",
                "num_classes": 3,
                "batch_size": 12,
                "lr": 2e-3,
                "lr_scheduler": "cosine",
                "max_steps": 1500,
                "optimizer": "adamw",
                "seed": 5,
            },
            indent=2,
        )
    )
    return "Three spirals, batches of 12: the loss is noisy from step to step and nothing is wrong."


def scheduled(out: Path) -> str:
    """A character GRU in the Hugging Face Trainer's log."""
    steps = 1200
    model = Reader(len(TEXT_SYMBOLS), 24, 64)
    task = Task(model, chars(900, 32, 3), chars(200, 32, 4), steps, 16, 4e-3, 8, rate=cosine(steps, 60), limit=1.0)
    history: list[Row] = []
    window: list[float] = []
    per_epoch = 900 // 16
    for r in train(task):
        done = r["step"] + 1
        window.append(r["loss"])
        if done % 10 == 0:
            history.append(
                {
                    "epoch": round(done / per_epoch, 4),
                    "grad_norm": r["grad_norm"],
                    "learning_rate": r["lr"],
                    "loss": round(sum(window) / len(window), 4),
                    "step": done,
                }
            )
            window = []
        if done % 100 == 0:
            loss, _ = evaluate(task)
            history.append({"epoch": round(done / per_epoch, 4), "eval_loss": loss, "eval_runtime": 0.21, "step": done})
    logs.hf_state(out / "trainer_state.json", history, steps, steps // per_epoch)
    return "A character model with warm-up and a cosine schedule, as the Hugging Face Trainer logs it."


def converged(out: Path) -> str:
    """A regression at its noise floor for most of the run, in Lightning's CSV."""
    task = Task(
        mlp([1, 48, 48, 1], nn.Tanh), waves(2048, 0.1, 5), waves(512, 0.1, 6), 2600, 64, 4e-3, 2, loss=F.mse_loss
    )
    rows: list[Row] = []
    for r in train(task):
        if r["step"] % 10 == 9:
            rows.append({"epoch": r["epoch"], "step": r["step"], "train_loss": r["loss"]})
        if r["step"] % 32 == 31:
            rows.append({"epoch": r["epoch"], "step": r["step"], "val_loss": evaluate(task)[0]})
    folder = out / "lightning_logs" / "version_0"
    folder.mkdir(parents=True)
    logs.table(folder / "metrics.csv", ["epoch", "step", "train_loss", "val_loss"], rows)
    logs.config_yaml(folder / "hparams.yaml", {"batch_size": 64, "lr": 4e-3, "hidden": 48, "seed": 2})
    return "A regression that reaches the noise in its targets early and stays there: converged, not stuck."


def two_ranks(out: Path) -> str:
    """Data-parallel training of one model over two shards, one log a rank."""
    torch.manual_seed(31)
    model = mlp([6, 40, 5])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
    shards = [blobs(1600, 5, 6, 0.6, seed) for seed in (41, 42)]
    rows: list[list[Row]] = [[], []]
    for step in range(400):
        optimizer.zero_grad()
        losses = []
        for rank, (x, y) in enumerate(shards):
            take = torch.tensor([(step * 40 + i * 7 + rank) % 1600 for i in range(40)])
            loss = F.cross_entropy(model(x[take]), y[take])
            (loss / 2).backward()
            losses.append(loss.item())
        norm = grad_norm(model)
        optimizer.step()
        for rank in (0, 1):
            rows[rank].append(
                {
                    "step": step,
                    "rank": rank,
                    "loss": round(losses[rank], 5),
                    "grad_norm": round(norm, 5),
                    "lr": 0.2,
                    "time": logs.clock(START, step, 0.11),
                }
            )
    for rank in (0, 1):
        logs.jsonl(out / f"metrics_rank{rank}.jsonl", rows[rank])
    logs.config_yaml(out / "config.yaml", {"world_size": 2, "batch_size": 40, "lr": 0.2, "num_classes": 5, "seed": 31})
    return "Two data-parallel ranks over two shards: their losses differ by batch noise only."


def three_loggers(out: Path) -> str:
    """One copy-task run that wrote event files, a CSV and print lines at once."""
    model = Reader(9, 16, 48)
    task = Task(model, copies(1500, 8, 5, 7), copies(256, 8, 5, 8), 900, 32, 6e-3, 4, limit=1.0)
    rows = [r for r in train(task) if r["step"] % 5 == 0]
    exact = [{**r, "loss": float(torch.tensor(r["loss"], dtype=torch.float32))} for r in rows]
    folder = out / "tb"
    folder.mkdir()
    logs.tensorboard(
        folder,
        [{"step": r["step"], "train/loss": r["loss"], "train/grad_norm": r["grad_norm"]} for r in exact],
        START,
        0.05,
    )
    logs.table(out / "metrics.csv", ["step", "loss", "grad_norm", "lr"], exact)
    text = [
        f"step {r['step']:4d} | loss {r['loss']:.4f} | lr {r['lr']:.2e} | grad_norm {r['grad_norm']:.3f}\n"
        for r in exact
    ]
    (out / "train.log").write_text("".join(text))
    logs.config_yaml(
        out / "config.yaml", {"task": "copy", "lr": 6e-3, "batch_size": 32, "max_grad_norm": 1.0, "seed": 4}
    )
    return "One healthy run that three loggers wrote: event files, a CSV and print lines."
