"""Faults of the rate, its schedule, the optimizer and the size of steps."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from benchmarks.truth.faults.fault import Fault
from benchmarks.truth.problem import Task
from benchmarks.truth.setup import Setup


class HighRate(Fault):
    """A rate many times too high."""

    id, levels = "lr-too-high", (10, 30, 100, 1000)

    def setup(self, s: Setup) -> Setup:
        return replace(s, lr=s.lr * self.level)


class LowRate(Fault):
    """A rate many times too low."""

    id, levels = "lr-too-low", (0.02, 0.003, 1e-4)

    def setup(self, s: Setup) -> Setup:
        return replace(s, lr=s.lr * self.level)


class NoRate(Fault):
    """A rate of zero."""

    id = "lr-zero"

    def setup(self, s: Setup) -> Setup:
        return replace(s, lr=0.0)


class NoWarmup(Fault):
    """No warm-up at a rate that needs one; the twin has it."""

    id, levels = "no-warmup", (4, 8)

    def twin(self, s: Setup, task: Task) -> Setup:
        return replace(s, lr=s.lr * self.level, warmup=0.15, schedule="cosine")

    def setup(self, s: Setup) -> Setup:
        return replace(s, warmup=0.0)


class TightClip(Fault):
    """Gradients clipped to next to nothing, under plain SGD."""

    id, levels = "clip-too-tight", (1e-3, 1e-2)

    def fits(self, task: Task, s: Setup) -> bool:
        return s.optimizer == "sgd"

    def setup(self, s: Setup) -> Setup:
        return replace(s, clip=self.level)


class Momentum(Fault):
    """A momentum that remembers a thousand steps."""

    id, levels = "momentum-too-high", (0.99, 0.998)

    def fits(self, task: Task, s: Setup) -> bool:
        return s.optimizer == "sgd"

    def setup(self, s: Setup) -> Setup:
        return replace(s, momentum=self.level)


class Epsilon(Fault):
    """An epsilon of Adam that swallows the gradient."""

    id, levels = "epsilon-too-large", (1.0, 100.0)

    def fits(self, task: Task, s: Setup) -> bool:
        return s.optimizer in ("adam", "adamw")

    def setup(self, s: Setup) -> Setup:
        return replace(s, epsilon=self.level)

    def told(self, s: Setup) -> dict[str, object]:
        return {"eps": self.level}


class SmallBatch(Fault):
    """A batch of one or two at the rate of the large one."""

    id, needs, lacks, levels = "batch-too-small", "data", "norm", (1, 2)

    def setup(self, s: Setup) -> Setup:
        return replace(s, batch=int(self.level), norm=False)

    def twin(self, s: Setup, task: Task) -> Setup:
        return replace(s, lr=s.lr * 3, norm=False)


class Undivided(Fault):
    """Accumulated gradients that are not divided by their number: a rate as many times higher under SGD."""

    id, levels = "undivided-accumulation", (8,)

    def fits(self, task: Task, s: Setup) -> bool:
        return s.optimizer == "sgd" and s.steps <= 700 and "recurrent" not in task.traits

    def twin(self, s: Setup, task: Task) -> Setup:
        return replace(s, accumulate=4, batch=max(4, s.batch // 4), steps=max(60, s.steps // 3), evaluations=12)

    def loss(self, k: int, s: Setup, loss: Tensor, net: nn.Module) -> Tensor:
        return loss * s.accumulate * (self.level / 4)

    def shown(self, k: int, s: Setup, value: float) -> float:
        return value / s.accumulate / (self.level / 4)


class KeptGradients(Fault):
    """Gradients that are never reset."""

    id = "missing-zero-grad"

    def keeps_gradients(self) -> bool:
        return True


class Unstepped(Fault):
    """A schedule that is planned and never stepped."""

    id = "scheduler-not-stepped"

    def twin(self, s: Setup, task: Task) -> Setup:
        return replace(s, schedule="cosine", warmup=0.0)

    def rate(self, k: int, s: Setup, rate: float) -> float:
        return s.lr


class Misaligned(Fault):
    """A schedule stepped many times as often as was planned: spent early (level > 0), or run anew (level < 0)."""

    id, levels = "scheduler-misaligned", (4, 8, -4)

    def twin(self, s: Setup, task: Task) -> Setup:
        return replace(s, schedule="cosine", warmup=0.0)

    def rate(self, k: int, s: Setup, rate: float) -> float:
        far = k / s.steps * abs(self.level)
        return s.rate(int(s.steps * (min(far, 1.0) if self.level > 0 else far % 2 if far % 2 < 1 else 2 - far % 2)))


class EarlyDecay(Fault):
    """A rate that is cut to a thousandth long before training is done."""

    id, levels = "premature-decay", (0.06, 0.12)

    def rate(self, k: int, s: Setup, rate: float) -> float:
        return rate if k < self.level * s.steps else rate * 2e-3


class Kick(Fault):
    """A rate that leaps midway."""

    id, levels = "lr-restart", (30, 100)

    def rate(self, k: int, s: Setup, rate: float) -> float:
        return s.lr * self.level if self.at <= k / s.steps < self.at + 0.06 else rate


class Decay(Fault):
    """Weight decay that outweighs the loss."""

    id, levels = "over-regularization", (1.0, 0.1)

    def setup(self, s: Setup) -> Setup:
        scale = {"sgd": 1.0, "adamw": 0.2 / s.lr}.get(s.optimizer, 1.0)
        return replace(s, weight_decay=self.level * scale)


class Dropped(Fault):
    """Dropout that leaves next to nothing."""

    id, needs, levels = "over-regularization", "modes", (0.85, 0.95)

    def setup(self, s: Setup) -> Setup:
        return replace(s, dropout=self.level)


class Cut(Fault):
    """A run that ends after a fraction of its way, at a rate below the best."""

    id, levels = "undertrained", (0.1,)

    def twin(self, s: Setup, task: Task) -> Setup:
        return replace(s, schedule="constant", warmup=0.0)

    def setup(self, s: Setup) -> Setup:
        return replace(s, lr=s.lr * 0.3, steps=max(40, int(s.steps * self.level)))


class Unclipped(Fault):
    """Steep places of the loss, met without clipping; the twin clips."""

    id, levels = "missing-clipping", (5, 12)

    def twin(self, s: Setup, task: Task) -> Setup:
        return replace(s, clip=0.5, lr=s.lr * self.level)

    def fits(self, task: Task, s: Setup) -> bool:
        return s.optimizer == "sgd"

    def setup(self, s: Setup) -> Setup:
        return replace(s, clip=0.0)


class Loose(Fault):
    """An optimizer that holds copies of the parameters."""

    id = "optimizer-not-connected"

    def optimized(self, params: list[nn.Parameter]) -> list[nn.Parameter]:
        return [nn.Parameter(torch.zeros_like(p)) for p in params[:1]]


FAULTS: tuple[type[Fault], ...] = (
    HighRate, LowRate, NoRate, NoWarmup, TightClip, Momentum, Epsilon, SmallBatch, Undivided, KeptGradients, Unstepped,
    Misaligned, EarlyDecay, Kick, Decay, Dropped, Cut, Unclipped, Loose,
)  # fmt: skip
