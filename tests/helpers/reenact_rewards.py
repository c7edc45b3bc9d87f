"""Faults and lookalikes of what learns from rewards or against a rival, and of rates that nobody takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from reenact import Rows, only, write_csv, write_jsonl
from reenact_cases import TEN, fault, healthy, lookalike

STATES, ACTIONS, BATCH = 6, 4, 256


def rewarded(rate: float, updates: int = 60, kept: float = 1.0, told: bool = True) -> Rows:
    """A policy that learns which of four actions is right in each of six states.

    kept: of its weights at each update; told: whether the reward depends on the action.
    """
    rng = np.random.default_rng(3)
    right, weights, rows = rng.integers(0, ACTIONS, STATES), np.zeros((STATES, ACTIONS)), []
    for update in range(updates):
        chances = np.exp(weights - weights.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        seen = rng.integers(0, STATES, BATCH)
        done = (chances[seen].cumsum(axis=1) < rng.random((BATCH, 1))).sum(axis=1).clip(0, ACTIONS - 1)
        reward = told * (done == right[seen]) + 0.3 * rng.standard_normal(BATCH)
        slope = np.zeros_like(weights)
        score = np.eye(ACTIONS)[done] - chances[seen]
        np.add.at(slope, seen, (reward - reward.mean())[:, None] * score / BATCH)
        weights = kept * weights + rate * slope
        after = np.exp(weights - weights.max(axis=1, keepdims=True))
        after /= after.sum(axis=1, keepdims=True)
        moved = (chances * np.log((chances + 1e-12) / (after + 1e-12))).sum(axis=1).mean()
        entropy = -(after * np.log(after + 1e-12)).sum(axis=1).mean()
        rows.append(
            {
                "step": BATCH * update,
                "reward": float(reward.mean()),
                "entropy": float(entropy),
                "approx_kl": float(moved),
            }
        )
    return rows


@fault("policy-collapse")
def _(place: Path) -> None:
    write_jsonl(place, only(rewarded(1_500.0, told=False), "reward", "entropy"))


@lookalike("policy-collapse")
def _(place: Path) -> None:
    write_jsonl(place, only(rewarded(1.5), "reward", "entropy"))


@fault("policy-step-too-large")
def _(place: Path) -> None:
    write_csv(place, only(rewarded(60.0, kept=0.3), "reward", "approx_kl"))


@lookalike("policy-step-too-large")
def _(place: Path) -> None:
    write_csv(place, only(rewarded(1.5), "reward", "approx_kl"))


def criticized(rate: float, updates: int = 60) -> Rows:
    """A critic of six states that moves so far from what it expects towards the mean return of each."""
    rng = np.random.default_rng(4)
    true, expected, rows = rng.standard_normal(STATES), 2.0 * rng.standard_normal(STATES), []
    for update in range(updates):
        seen = rng.integers(0, STATES, BATCH)
        returns = true[seen] + 0.3 * rng.standard_normal(BATCH)
        explained = 1.0 - (returns - expected[seen]).var() / returns.var()
        means = np.array([returns[seen == s].mean() for s in range(STATES)])
        expected = expected + rate * (means - expected)
        reward = float(returns.mean()) + 0.02 * update
        rows.append({"step": BATCH * update, "reward": reward, "explained_variance": float(explained)})
    return rows


@fault("critic-useless")
def _(place: Path) -> None:
    write_csv(place, criticized(2.0))


@lookalike("critic-useless")
def _(place: Path) -> None:
    write_csv(place, criticized(0.2))


def rivals(made: float, judged: float, steps: int = 600) -> Rows:
    """A judge of numbers against one that shifts its own towards those of the data. made, judged: their rates."""
    rng = np.random.default_rng(5)
    shift, slope, level, rows = 0.0, 0.0, 0.0, []
    for step in range(1, steps + 1):
        true, fake = 3.0 + 0.3 * rng.standard_normal(64), shift + 0.3 * rng.standard_normal(64)
        of_true, of_fake = (1.0 / (1.0 + np.exp(-(slope * x + level))) for x in (true, fake))
        slope += judged * float(((1.0 - of_true) * true - of_fake * fake).mean()) - 0.001 * judged * slope
        level += judged * float((1.0 - of_true).mean() - of_fake.mean())
        shift += made * float((1.0 - of_fake).mean()) * slope
        if step % 10 == 0:
            d_loss = -np.log(of_true + 1e-12).mean() - np.log(1.0 - of_fake + 1e-12).mean()
            rows.append({"step": step, "D_loss": float(d_loss), "G_loss": float(-np.log(of_fake + 1e-12).mean())})
    return rows


@fault("game-lost")
def _(place: Path) -> None:
    write_jsonl(place, rivals(0.0, 2.0))


@lookalike("game-lost")
def _(place: Path) -> None:
    write_jsonl(place, rivals(0.02, 0.02))


@fault("rate-unusual")
def _(place: Path) -> None:
    write_jsonl(place, only(healthy(), "loss"), {**TEN, "optimizer": "adamw"})


@lookalike("rate-unusual")
def _(place: Path) -> None:
    write_jsonl(place, only(healthy(), "loss"), {**TEN, "optimizer": "sgd"})
