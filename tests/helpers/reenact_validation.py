"""Faults and lookalikes of training against validation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from reenact import (
    Data,
    Floats,
    Net,
    Plan,
    Rows,
    blobs,
    only,
    train,
    write_csv,
    write_jsonl,
    write_tensorboard,
    write_text,
    write_trainer_state,
)
from reenact_cases import SIZES, TEN, both, fault, healthy, lookalike

# --- training against validation -------------------------------------------------------------


@fault("overfitting")
def _(place: Path) -> None:
    data = blobs(96, apart=0.9)
    write_trainer_state(place, both(train(Net((20, 128, 10)), data, Plan(steps=800, lr=0.3))), TEN)


@lookalike("overfitting")
def _(place: Path) -> None:
    write_trainer_state(place, both(healthy(Plan(steps=800))), TEN)


def shifted(by: float) -> Data:
    """Validation inputs from another sensor: part of the classes moved onto each other."""
    data = blobs(1024, apart=2.0)
    rng = np.random.default_rng(9)
    return Data(data.x, data.y, data.xv * (1 - by) + by * rng.standard_normal(data.xv.shape), data.yv)


@fault("generalization-gap")
def _(place: Path) -> None:
    write_csv(place, both(train(Net((20, 10), gain=0.5), shifted(0.75), Plan(lr=0.03, steps=500))), TEN)


@lookalike("generalization-gap")
def _(place: Path) -> None:
    write_csv(place, both(train(Net((20, 10), gain=0.5), shifted(0.0), Plan(lr=0.03, steps=500))), TEN)


@fault("val-flat-from-start")
def _(place: Path) -> None:
    """The labels of the validation set belong to other inputs."""
    data = blobs()
    data.yv[:] = np.random.default_rng(2).permutation(data.yv)
    write_tensorboard(place, both(train(Net(SIZES, gain=0.7), data, Plan()), "val_accuracy"), TEN)


@lookalike("val-flat-from-start")
def _(place: Path) -> None:
    write_tensorboard(place, both(healthy(), "val_accuracy"), TEN)


@fault("val-better-than-train")
def _(place: Path) -> None:
    rows = train(Net((20, 64, 10)), blobs(2000), Plan(drop=0.6))
    write_trainer_state(place, both(rows), {**TEN, "dropout": 0.6})


@lookalike("val-better-than-train")
def _(place: Path) -> None:
    rows = train(Net((20, 64, 10)), blobs(2000), Plan(batch=64))
    write_trainer_state(place, both(rows), {**TEN, "dropout": 0.0})


def validated_on(samples: int) -> Rows:
    """A fresh draw of so many examples at every evaluation."""
    rng = np.random.default_rng(11)
    net, data = Net((20, 32, 10)), blobs(2000, apart=1.2)
    rows: Rows = []
    for part in range(30):
        for row in train(net, data, Plan(steps=20, lr=0.03, seed=part, eval_every=0)):
            rows.append({**row, "step": part * 20 + row["step"]})
        pick = rng.integers(0, len(data.yv), samples)
        rows[-1]["val_loss"] = net.loss(data.xv[pick], data.yv[pick])[0]
    return only(rows, "loss", "val_loss")


@fault("noisy-validation")
def _(place: Path) -> None:
    write_csv(place, validated_on(3), TEN)


@lookalike("noisy-validation")
def _(place: Path) -> None:
    write_csv(place, validated_on(250), TEN)


@fault("train-regime-shift-after-eval")
def _(place: Path) -> None:
    """model.eval() at the first evaluation, and no model.train() after it: dropout is off from then on."""
    rows = train(Net((20, 64, 10)), blobs(2000, apart=1.2), Plan(drop=0.6, drop_until=200, eval_every=200, steps=800))
    write_jsonl(place, both(rows), {**TEN, "dropout": 0.6})


@lookalike("train-regime-shift-after-eval")
def _(place: Path) -> None:
    rows = train(Net((20, 64, 10)), blobs(2000, apart=1.2), Plan(drop=0.6, eval_every=200, steps=800))
    write_jsonl(place, both(rows), {**TEN, "dropout": 0.6})


def drawn(loss: Floats, val: Floats, every: int, seed: int = 0, noise: float = 0.03) -> Rows:
    """Smooth curves with the noise of batches: for courses that take too long to be trained here."""
    rng = np.random.default_rng(seed)
    rows: Rows = [{"step": i, "loss": float(v * (1 + noise * rng.standard_normal()))} for i, v in enumerate(loss)]
    for i in range(every - 1, len(rows), every):
        rows[i]["val_loss"] = float(val[i] * (1 + 0.3 * noise * rng.standard_normal()))
    return rows


def at(knots: list[tuple[float, float]], n: int = 1000) -> Floats:
    x, y = zip(*knots, strict=True)
    return np.asarray(np.interp(np.arange(n) / n, x, y), dtype=np.float64)


FALL = at([(0, 2.3), (0.2, 0.9), (0.5, 0.3), (0.8, 0.1), (1, 0.05)])


@fault("double-descent")
def _(place: Path) -> None:
    val = at([(0, 2.3), (0.2, 1.1), (0.45, 1.8), (0.8, 0.9), (1, 0.75)])
    write_csv(place, drawn(FALL, val, 20), TEN)


@lookalike("double-descent")
def _(place: Path) -> None:
    write_csv(place, drawn(FALL, at([(0, 2.3), (0.2, 1.1), (0.45, 1.5), (1, 1.9)]), 20), TEN)


def grokked(train_at: float, val_at: float) -> Rows:
    """Accuracies that rise at these shares of the run, as for modular addition."""
    share = np.arange(2000) / 2000
    rng = np.random.default_rng(3)
    rows: Rows = []
    for i, s in enumerate(share):
        acc = 1 / (1 + np.exp(-(s - train_at) / 0.01))
        row = {"step": i * 10, "accuracy": float(np.clip(acc + 0.01 * rng.standard_normal(), 0, 1))}
        row |= {"loss": float(4.5 * (1 - acc) + 0.01 + 0.001 * abs(rng.standard_normal()))}
        if i % 10 == 9:
            late = 1 / (1 + np.exp(-(s - val_at) / 0.02))
            row |= {"val_accuracy": float(np.clip(0.02 + 0.98 * late + 0.01 * rng.standard_normal(), 0, 1))}
            row |= {"val_loss": float(4.5 + 4 * min(s / 0.2, 1) * (1 - late) - 4.4 * late)}
        rows.append(row)
    return rows


@fault("grokking")
def _(place: Path) -> None:
    write_jsonl(place, grokked(0.05, 0.6), {"weight_decay": 1.0, "seed": 3})


@lookalike("grokking")
def _(place: Path) -> None:
    write_jsonl(place, grokked(0.3, 0.36), {"weight_decay": 1.0, "seed": 3})


def two_tasks(mixed: bool) -> Rows:
    """Task one, then task two (or both at once), each with a validation loss of its own."""
    one, two = blobs(600, seed=1), blobs(600, seed=2)
    net, rows = Net(SIZES), []
    for part in range(40):
        first = part < 20 if not mixed else part % 2 == 0
        for row in train(net, one if first else two, Plan(steps=20, seed=part, eval_every=0)):
            rows.append({"step": part * 20 + row["step"], "loss": row["loss"]})
        rows[-1] |= {f"val_loss/task{k}": net.loss(d.xv, d.yv)[0] for k, d in (("A", one), ("B", two))}
    return rows


@fault("catastrophic-forgetting")
def _(place: Path) -> None:
    write_jsonl(place, two_tasks(mixed=False), TEN)


@lookalike("catastrophic-forgetting")
def _(place: Path) -> None:
    write_jsonl(place, two_tasks(mixed=True), TEN)


def one_batch(lr: float) -> Rows:
    data = blobs(16)
    return only(train(Net(SIZES), data, Plan(batch=16, lr=lr, steps=300)), "loss", "lr")


@fault("overfit-test-failed")
def _(place: Path) -> None:
    write_text(place, one_batch(1e-4), {**TEN, "overfit_single_batch": True})


@lookalike("overfit-test-failed")
def _(place: Path) -> None:
    write_text(place, one_batch(0.2), {**TEN, "overfit_single_batch": True})
