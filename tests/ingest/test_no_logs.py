# ruff: noqa: E501 (files as people write them)
"""Ordinary files that are no training log give no run on a walk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import signals_file

WORDS = [
    "model",
    "training",
    "data",
    "loss",
    "learning",
    "rate",
    "network",
    "layer",
    "paper",
    "result",
    "table",
    "figure",
    "method",
    "baseline",
    "gradient",
    "batch",
    "experiment",
    "dataset",
    "image",
    "token",
    "accuracy",
    "the",
    "a",
    "of",
    "we",
    "in",
    "with",
    "and",
    "is",
    "for",
    "on",
    "by",
    "from",
]
NAMES = [
    "resnet18",
    "resnet50",
    "vit_b",
    "swin_t",
    "convnext",
    "efficientnet_b0",
    "mobilenet_v3",
    "regnet",
    "densenet121",
    "deit_s",
]


def prose(r: Random) -> str:
    out = []
    for _ in range(r.randint(3, 12)):
        words = [r.choice(WORDS) for _ in range(r.randint(20, 60))]
        out.append(" ".join(words).capitalize() + ".")
        out.append(
            f"We trained for {r.randint(10, 300)} epochs with a learning rate of {r.random() / 100:.4f} and a batch size of"
            f" {2 ** r.randint(4, 10)}; the accuracy reached {r.random() * 100:.1f}% and the loss fell to {r.random():.3f}."
        )
    return "\n\n".join(out) + "\n"


def source(r: Random) -> str:
    return f"""import torch
lr = {r.random() / 100:.5f}
epochs = {r.randint(1, 300)}
batch_size = {2 ** r.randint(3, 9)}
best_loss = 1e9
weights = [0.1, 0.2, {r.random():.3f}]

def train(model, loader, optimizer):
    total_loss = 0.0
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total_loss += loss.item()
        if step % {r.randint(10, 200)} == 0:
            print(f"epoch {{epoch}} step {{step}} loss {{loss.item():.4f}} lr {{lr:.6f}}")
    return total_loss / len(loader)

for epoch in range(epochs):
    train_loss = train(model, train_loader, optimizer)
    val_loss, val_acc = evaluate(model, val_loader)
    print("Epoch: %d, train loss: %.4f, val loss: %.4f, val acc: %.2f" % (epoch, train_loss, val_loss, val_acc))
    if val_loss < best_loss:
        best_loss = val_loss
assert abs(train_loss - {r.random():.4f}) < 1e-{r.randint(2, 6)}
"""


def readme(r: Random) -> str:
    rows = "".join(f"| {n} | {r.random() * 100:.2f} | {r.random():.4f} | {r.randint(1, 90)}M |\n" for n in NAMES)
    return (
        f"# Project\n\nStep 1: install version {r.randint(1, 3)}.{r.randint(0, 9)}.\nStep 2: run it for {r.randint(1, 90)} epochs.\n\n"
        + ("| Model | Top-1 acc | Loss | Params |\n|---|---|---|---|\n" + rows)
    )


def report(r: Random) -> str:
    rows = "".join(
        f"{c:>14}       {r.random():.2f}      {r.random():.2f}      {r.random():.2f}      {r.randint(10, 999)}\n"
        for c in range(r.randint(2, 20))
    )
    return (
        "              precision    recall  f1-score   support\n\n"
        + rows
        + f"\n    accuracy                           {r.random():.2f}      1000\n"
    )


def matrix(r: Random) -> str:
    n = r.randint(3, 12)
    return "\n".join(" ".join(str(r.randint(0, 500)) for _ in range(n)) for _ in range(n)) + "\n"


def floats(r: Random) -> str:
    return "".join(f"{i} {r.gauss(0, 1):.6f} {r.gauss(0, 1):.6f}\n" for i in range(r.randint(5, 300)))


def settings(r: Random) -> str:
    return json.dumps(
        {"lr": r.random(), "epochs": r.randint(1, 99), "loss": "mse", "layers": [r.randint(8, 512) for _ in range(4)],
         "optimizer": {"name": "adam", "betas": [0.9, 0.999]}, "max_grad_norm": 1.0}, indent=2,
    )  # fmt: skip


def yaml(r: Random) -> str:
    return f"model:\n  depth: {r.randint(2, 48)}\ntrain:\n  lr: {r.random():.4f}\n  epochs: {r.randint(1, 300)}\n  loss: ce\n"


def summary(r: Random) -> str:
    rows = "".join(
        f" conv2d_{i} (Conv2D)           (None, {64 - i}, {64 - i}, 32)        {r.randint(100, 99999)}\n"
        for i in range(12)
    )
    return (
        'Model: "sequential"\n'
        + "_" * 65
        + "\n Layer (type)                Output Shape              Param #\n"
        + "=" * 65
        + "\n"
        + rows
    )


def recipe(r: Random) -> str:
    return "".join(
        f"Step {i}: add {r.randint(1, 500)} g of flour, wait {r.randint(1, 60)} min\n"
        for i in range(1, r.randint(4, 15))
    )


def scores(r: Random) -> str:
    return "".join(f"Round {i}: home {r.randint(0, 5)}, guests {r.randint(0, 5)}\n" for i in range(1, r.randint(4, 30)))


def packages(r: Random) -> str:
    return "".join(f"{n}=={r.randint(0, 5)}.{r.randint(0, 20)}.{r.randint(0, 9)}\n" for n in NAMES)


def bill(r: Random) -> str:
    return "".join(
        f"{i:>3}  {r.choice(WORDS):<12} {r.randint(1, 9)} x {r.random() * 90:7.2f}  {r.random() * 900:8.2f}\n"
        for i in range(1, 20)
    )


def predictions(r: Random) -> str:
    return "".join(
        f"image_{r.randint(0, 99999):05d}.jpg: cat {r.random():.4f}, dog {r.random():.4f}\n" for _ in range(60)
    )


def table(r: Random) -> str:
    """A table of things with a whole column that never falls."""
    return "id,price,weight,city\n" + "".join(
        f"{i},{r.random() * 100:.2f},{r.gauss(70, 10):.1f},{r.choice(WORDS)}\n" for i in range(r.randint(20, 200))
    )


def results(r: Random) -> str:
    return "model accuracy f1 loss\n" + "".join(
        f"{n} {r.random():.4f} {r.random():.4f} {r.random():.4f}\n" for n in NAMES
    )


KINDS: dict[str, tuple[Callable[[Random], str], tuple[str, ...]]] = {
    "prose": (prose, ("paper.txt", "notes.md", "ABSTRACT")),
    "source": (source, ("train_code.txt", "snippet.md", "script")),
    "readme": (readme, ("overview.md", "models.txt")),
    "report": (report, ("report.txt", "classes.md")),
    "matrix": (matrix, ("confusion.txt", "matrix")),
    "floats": (floats, ("points.txt", "embedding.out.txt")),
    "settings": (settings, ("settings.json", "conf.json")),
    "yaml": (yaml, ("setup.yaml", "setup.txt")),
    "summary": (summary, ("architecture.txt", "summary.md")),
    "recipe": (recipe, ("recipe.txt", "howto.md")),
    "scores": (scores, ("league.txt", "league.md")),
    "packages": (packages, ("packages.txt", "frozen")),
    "bill": (bill, ("bill.txt", "bill.md")),
    "predictions": (predictions, ("predictions.txt", "labels")),
    "results": (results, ("results.txt", "table.md")),
    "table": (table, ("items.csv", "stock.csv")),
}


def test_300_ordinary_files_give_no_run(tmp_path: Path) -> None:
    r = Random(11)
    count = 0
    for kind, (write, names) in KINDS.items():
        for i in range(60 if kind == "table" else 16):
            folder = tmp_path / kind / str(i)
            folder.mkdir(parents=True)
            (folder / names[i % len(names)]).write_text(write(r), encoding="utf-8")
            count += 1
    assert count == 300
    found = read_runs([tmp_path], signals_file=signals_file())
    assert [(x.name, x.metrics()[:4]) for x in found.runs] == []


def _trials(columns: str, row: Callable[[int, Random], str]) -> str:
    r = Random(4)
    return columns + "\n" + "".join(row(i, r) + "\n" for i in range(50))


SEARCHES = {
    "trials.csv": _trials(
        "number,value,datetime_start,datetime_complete,duration,params_lr,params_batch,state",
        lambda i, r: (
            f"{i},{0.9 * 0.93**i + 0.1:.4f},2024-05-01 10:{i:02}:00.1,2024-05-01 10:{i:02}:50.1,0 days 00:00:50,{10 ** (-5 + 4 * r.random()):.6f},{16 << i % 2},COMPLETE"
        ),
    ),
    "bare_trials.csv": _trials(
        "number,value,params_lr,params_dropout,state",
        lambda i, r: f"{i},{0.9 * 0.93**i + 0.1:.4f},{10 ** (-5 + 4 * r.random()):.6f},{r.random():.3f},COMPLETE",
    ),
    "search.csv": _trials(
        "trial,loss,lr,batch_size",
        lambda i, r: f"{i},{0.9 * 0.93**i + 0.1:.4f},{10 ** (-5 + 4 * r.random()):.6f},{16 << i % 2}",
    ),
    "tuner.csv": _trials(
        "trial_id,score,learning_rate,best_step",
        lambda i, r: f"{i:02d},{r.random():.4f},{10 ** (-5 + 4 * r.random()):.6f},{5 + i % 4}",
    ),
    "seeds.csv": _trials(
        "seed,lr,final_loss,final_acc", lambda i, r: f"{i},{0.1 ** (1 + i % 2)},{r.random():.4f},{r.random():.4f}"
    ),
}


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("pointed_at", [False, True])
def test_the_runs_of_a_search_are_no_moments_of_one(name: str, pointed_at: bool, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(SEARCHES[name])
    assert not read_runs([path if pointed_at else tmp_path], signals_file=signals_file()).runs


def test_a_seed_beside_the_epochs_of_one_run_makes_no_search(tmp_path: Path) -> None:
    rows = "".join(f"{e},{7},{2 / (e + 1):.4f}\n" for e in range(30))
    (tmp_path / "metrics.csv").write_text("epoch,seed,loss\n" + rows)
    assert len(read_runs([tmp_path], signals_file=signals_file()).runs) == 1
