"""Faults and lookalikes of gradients, weights, activations, ranks and repeats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from reenact import (
    Data,
    Net,
    Plan,
    Rows,
    blobs,
    norm,
    only,
    train,
    write_csv,
    write_jsonl,
    write_tensorboard,
    write_text,
    write_trainer_state,
)
from reenact_cases import SIZES, TEN, fault, healthy, lookalike

# --- experts ---------------------------------------------------------------------------------


def routed(even: float, steps: int = 300, experts: int = 8) -> Rows:
    """A router of tokens that prefers who was chosen before. even: how strongly its bias follows the load."""
    rng = np.random.default_rng(3)
    skill, bias, rows = 0.05 * rng.standard_normal(experts), np.zeros(experts), []
    for step in range(0, 10 * steps, 10):
        chosen = (skill + bias + rng.gumbel(size=(512, experts))).argmax(axis=1)
        load = np.bincount(chosen, minlength=experts) / len(chosen)
        skill = skill + 0.6 * (load - 1 / experts)
        bias = bias - even * (load - 1 / experts)
        loss = 3.0 + 3.0 * float(np.exp(-step / 800)) + 0.03 * float(rng.standard_normal())
        rows.append({"step": step, "loss": loss} | {f"moe/expert_load/{i}": float(x) for i, x in enumerate(load)})
    return rows


@fault("experts-unbalanced")
def _(place: Path) -> None:
    write_jsonl(place, routed(0.0))


@lookalike("experts-unbalanced")
def _(place: Path) -> None:
    write_jsonl(place, routed(2.0))


# --- representations -------------------------------------------------------------------------


def two_views(stopped: bool, steps: int = 400, wide: int = 16) -> Rows:
    """Two noisy views of points on a sphere, mapped by one matrix that is asked for likeness, and for nothing else
    (stopped: and for an even spread)."""
    rng = np.random.default_rng(7)
    weight, rows = rng.standard_normal((wide, wide)) / 4, []
    for step in range(steps):
        x = rng.standard_normal((64, wide))
        a, b = ((x + 0.4 * rng.standard_normal(x.shape)) @ weight for _ in range(2))
        a, b = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (a, b))
        if step % 5 == 0:
            alike = -float((a * b).sum(axis=1).mean())
            rows.append({"step": step, "loss": alike, "feature_std": float(a.std(axis=0).mean())})
        u, s, v = np.linalg.svd(weight)
        s = s if stopped else s * np.where(np.arange(wide) == 0, 1.0, 0.97)
        weight = (u * s) @ v
    if not stopped:  # one direction is left, and its sign goes last
        for row in rows:
            row["feature_std"] *= float(np.exp(-row["step"] / 120))
    return rows


@fault("representation-collapse")
def _(place: Path) -> None:
    write_jsonl(place, two_views(False))


@lookalike("representation-collapse")
def _(place: Path) -> None:
    write_jsonl(place, two_views(True))


# --- gradients -------------------------------------------------------------------------------


@fault("exploding-gradients")
def _(place: Path) -> None:
    """Gradients are never reset: they add up from step to step."""
    rows = train(Net(SIZES), blobs(apart=0.4), Plan(lr=0.01, keep_gradients=True, steps=600))
    write_jsonl(place, only(rows, "loss", "lr", "grad_norm"), TEN)


@lookalike("exploding-gradients")
def _(place: Path) -> None:
    write_jsonl(place, only(healthy(Plan(steps=600)), "loss", "lr", "grad_norm"), TEN)


def deep(act: str, gain: float) -> Rows:
    return train(Net((20, *([24] * 7), 10), act=act, gain=gain), blobs(), Plan(layers=True, lr=0.05))


@fault("vanishing-gradients")
def _(place: Path) -> None:
    rows = deep("sigmoid", 1.0)
    names = [n for n in rows[0] if n.startswith("grad_norm/")]
    write_tensorboard(place, only(rows, "loss", *names), {**TEN, "activation": "sigmoid"})


@lookalike("vanishing-gradients")
def _(place: Path) -> None:
    rows = deep("relu", 1.5)
    names = [n for n in rows[0] if n.startswith("grad_norm/")]
    write_tensorboard(place, only(rows, "loss", *names), {**TEN, "activation": "relu"})


@fault("zero-gradients")
def _(place: Path) -> None:
    write_csv(place, only(healthy(Plan(detached=True)), "loss", "lr", "grad_norm"), TEN)


@lookalike("zero-gradients")
def _(place: Path) -> None:
    """The gradient norm of a solved task is small, not zero."""
    write_csv(place, only(healthy(), "loss", "lr", "grad_norm"), TEN)


def layered(plan: Plan, place: Path) -> None:
    rows = train(Net((20, 32, 32, 10)), blobs(), plan)
    names = [n for n in rows[0] if "_norm/" in n]
    write_jsonl(place, only(rows, "loss", *names), TEN)


@fault("frozen-layer")
def _(place: Path) -> None:
    layered(Plan(layers=True, frozen=(0,)), place)


@lookalike("frozen-layer")
def _(place: Path) -> None:
    layered(Plan(layers=True), place)


@fault("weights-never-change")
def _(place: Path) -> None:
    write_text(place, only(healthy(Plan(stepless=True)), "loss", "lr", "grad_norm", "weight_norm"), TEN)


@lookalike("weights-never-change")
def _(place: Path) -> None:
    write_text(place, only(healthy(Plan(lr=0.003)), "loss", "lr", "grad_norm", "weight_norm"), TEN)


@fault("clip-saturated")
def _(place: Path) -> None:
    rows = healthy(Plan(clip=0.01))
    write_trainer_state(place, only(rows, "loss", "lr", "grad_norm", "epoch"), {**TEN, "max_grad_norm": 0.01})


@lookalike("clip-saturated")
def _(place: Path) -> None:
    rows = healthy(Plan(clip=1.0))
    write_trainer_state(place, only(rows, "loss", "lr", "grad_norm", "epoch"), {**TEN, "max_grad_norm": 1.0})


@fault("update-ratio-unhealthy")
def _(place: Path) -> None:
    """Inputs that nobody scaled, and a rate that was lowered until the loss no longer broke."""
    data = blobs()
    data = Data(data.x * 100, data.y, data.xv * 100, data.yv)
    rows = train(Net(SIZES), data, Plan(lr=1e-7))
    write_csv(place, only(rows, "loss", "grad_norm", "weight_norm"), TEN)


@lookalike("update-ratio-unhealthy")
def _(place: Path) -> None:
    write_csv(place, only(healthy(), "loss", "grad_norm", "weight_norm"), TEN)


# --- weights and activations -----------------------------------------------------------------


@fault("weight-norm-growth")
def _(place: Path) -> None:
    """Weight decay with the wrong sign feeds the weights."""
    data = blobs(4000)
    np.random.default_rng(5).shuffle(data.y)
    rows = train(Net(SIZES, gain=0.5), data, Plan(lr=0.1, decay=-0.06))
    write_jsonl(place, only(rows, "loss", "weight_norm"), TEN)


@lookalike("weight-norm-growth")
def _(place: Path) -> None:
    write_jsonl(place, only(healthy(), "loss", "weight_norm"), TEN)


@fault("weight-norm-collapse")
def _(place: Path) -> None:
    rows = healthy(Plan(decay=1.5))
    write_tensorboard(place, only(rows, "loss", "weight_norm"), {**TEN, "weight_decay": 1.5})


@lookalike("weight-norm-collapse")
def _(place: Path) -> None:
    rows = healthy(Plan(decay=0.001))
    write_tensorboard(place, only(rows, "loss", "weight_norm"), {**TEN, "weight_decay": 0.001})


def activations(net: Net, place: Path, kind: str) -> None:
    rows = train(net, blobs(), Plan(layers=True, lr=0.05))
    write_jsonl(place, only(rows, "loss", *(n for n in rows[0] if n.startswith(kind))), TEN)


@fault("dead-activations")
def _(place: Path) -> None:
    activations(Net((20, 32, 32, 10), bias=-12.0), place, "zero_fraction")


@lookalike("dead-activations")
def _(place: Path) -> None:
    activations(Net((20, 32, 32, 10)), place, "zero_fraction")


@fault("saturated-activations")
def _(place: Path) -> None:
    """Weights so large that no unit is ever between its ends; labels that nothing can learn keep it there."""
    data = blobs(4000)
    np.random.default_rng(5).shuffle(data.y)
    rows = train(Net((20, 32, 32, 10), act="tanh", gain=8.0), data, Plan(layers=True, lr=0.01))
    write_jsonl(place, only(rows, "loss", *(n for n in rows[0] if n.startswith("saturation_fraction"))), TEN)


@lookalike("saturated-activations")
def _(place: Path) -> None:
    activations(Net((20, 32, 32, 10), act="tanh"), place, "saturation_fraction")


def two_ranks(shared: bool, steps: int = 300) -> list[Rows]:
    """Logistic regression on two shards; the ranks average their gradients, or nobody wrapped the model."""
    nets = [Net((20, 10), seed=1), Net((20, 10), seed=1)]
    shards = [blobs(seed=2), Data(blobs(seed=2).xv, blobs(seed=2).yv, blobs(seed=2).x, blobs(seed=2).y)]
    rng = np.random.default_rng(8)
    out: list[Rows] = [[], []]
    for step in range(steps):
        found = []
        for rank, (net, shard) in enumerate(zip(nets, shards, strict=True)):
            pick = rng.integers(0, len(shard.y), 16)
            loss, gw, gb = net.gradients(net.forward(shard.x[pick]), shard.y[pick])
            out[rank].append({"step": step, "rank": rank, "loss": loss, "weight_norm": norm(net.w)})
            found.append((gw[0], gb[0]))
        mean = [(found[0][i] + found[1][i]) / 2 for i in (0, 1)]
        for rank, net in enumerate(nets):
            gw0, gb0 = mean if shared else found[rank]
            net.w[0] = net.w[0] - 0.1 * gw0
            net.b[0] = net.b[0] - 0.1 * gb0
    return out


@fault("rank-divergence")
def _(place: Path) -> None:
    for rank, rows in enumerate(two_ranks(shared=False)):
        write_jsonl(place, rows, TEN, f"metrics_rank{rank}.jsonl")


@lookalike("rank-divergence")
def _(place: Path) -> None:
    for rank, rows in enumerate(two_ranks(shared=True)):
        write_jsonl(place, rows, TEN, f"metrics_rank{rank}.jsonl")


@fault("irreproducible")
def _(place: Path) -> None:
    """Shuffling draws from a generator that nobody seeded."""
    for run in (1, 2):
        write_jsonl(place / f"run{run}", only(healthy(Plan(seed=run)), "loss", "lr"), TEN)


@lookalike("irreproducible")
def _(place: Path) -> None:
    for run in (1, 2):
        write_jsonl(place / f"run{run}", only(healthy(Plan(seed=run)), "loss", "lr"), {**TEN, "seed": run})
