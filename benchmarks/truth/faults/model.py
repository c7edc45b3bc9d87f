"""Faults of the model, its gradients, its loss and its numbers."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from benchmarks.truth.faults.fault import Fault
from benchmarks.truth.problem import Problem, Task
from benchmarks.truth.setup import Setup


def matrices(net: nn.Module) -> list[nn.Parameter]:
    """Weights of more than one dimension, first layer first."""
    return [p for p in net.parameters() if p.dim() > 1]


class Start(Fault):
    """Weights that begin all equal, next to zero, or far too large."""

    id, levels = "bad-init", (0.0, 1e-3, 6.0, 25.0)

    def fits(self, task: Task, s: Setup) -> bool:
        return not s.norm

    def problem(self, p: Problem, s: Setup, g: torch.Generator) -> None:
        with torch.no_grad():
            for w in p.net.parameters():
                if w.dim() > 1 or self.level == 0:
                    w.mul_(self.level)


class Deep(Fault):
    """Many more layers, each of which shrinks the gradient."""

    id, needs, levels = "shrinking-gradients", "deep", (5, 9)

    def setup(self, s: Setup) -> Setup:
        return replace(s, deeper=int(self.level), activation="sigmoid", norm=False)


class Dead(Fault):
    """Biases that keep the units of a layer off."""

    id, needs, levels = "dead-relu", "relu", (3.0, 30.0)

    def fits(self, task: Task, s: Setup) -> bool:
        return super().fits(task, s) and s.activation == "relu" and not s.norm

    def problem(self, p: Problem, s: Setup, g: torch.Generator) -> None:
        linear = [m for m in p.net.modules() if isinstance(m, (nn.Linear, nn.Conv2d)) and m.bias is not None]
        with torch.no_grad():
            for m in linear[:-1]:
                m.bias.fill_(-self.level)


class Frozen(Fault):
    """Parameters that need no gradient: all but the last (1), or everything in the first half (0.5)."""

    id, levels = "frozen-layers", (1.0, 0.5)

    def problem(self, p: Problem, s: Setup, g: torch.Generator) -> None:
        params = list(p.net.parameters())
        kept = 2 if self.level == 1 else max(2, len(params) // 2)
        for q in params[:-kept]:
            q.requires_grad_(False)


class Detached(Fault):
    """A loss that is cut off from all parameters (1), or from those before the last (0.5)."""

    id, levels = "detached-graph", (1.0, 0.5)

    def gradients(self, k: int, s: Setup, net: nn.Module) -> None:
        params = list(net.parameters())
        for q in params if self.level == 1 else params[:-2]:
            if q.grad is not None:
                q.grad.zero_()


class Twice(Fault):
    """Softmax before a loss that applies it again."""

    id, needs, lacks = "double-softmax", "classes", "tokens"

    def problem(self, p: Problem, s: Setup, g: torch.Generator) -> None:
        p.twist = lambda out: out.softmax(-1)


class Summed(Fault):
    """A loss that is summed over the batch where its mean was meant."""

    id, needs = "wrong-loss-function", "data"

    def loss(self, k: int, s: Setup, loss: Tensor, net: nn.Module) -> Tensor:
        return loss * s.batch


class Scale(Fault):
    """The loss that is written down still carries the loss scale or the number of accumulated batches."""

    id, levels = "scaled-loss", (65536.0, 1024.0, 8.0)

    def shown(self, k: int, s: Setup, value: float) -> float:
        return value * self.level


class Root(Fault):
    """A gradient without a value midway: the root of zero, the logarithm of zero."""

    id = "numerical-instability"

    def gradients(self, k: int, s: Setup, net: nn.Module) -> None:
        if k == int(self.at * s.steps):
            for q in net.parameters():
                if q.grad is not None:
                    q.grad.fill_(float("nan"))


class Masked(Fault):
    """Values that are not finite are replaced by zero from a step on."""

    id = "masked-nan"

    def shown(self, k: int, s: Setup, value: float) -> float:
        return 0.0 if k >= self.at * s.steps else value

    def skips(self, k: int, s: Setup) -> bool:
        return k >= self.at * s.steps

    def gradients(self, k: int, s: Setup, net: nn.Module) -> None:
        if k >= self.at * s.steps:
            for q in net.parameters():
                if q.grad is not None:
                    q.grad.zero_()


class Overflow(Fault):
    """Half-precision gradients that overflow from a step on: every step is skipped and the loss scale halves."""

    id, levels = "fp16-overflow", (1.0,)

    def skips(self, k: int, s: Setup) -> bool:
        return k >= self.at * s.steps

    def gradients(self, k: int, s: Setup, net: nn.Module) -> None:
        if k >= self.at * s.steps:
            for q in net.parameters():
                if q.grad is not None:
                    q.grad.fill_(float("inf"))

    def scale(self, k: int, s: Setup) -> float:
        """The dynamic loss scale at a step."""
        past = max(0, k - int(self.at * s.steps))
        return max(2.0**-14, 65536.0 * 0.5**past)

    def told(self, s: Setup) -> dict[str, object]:
        return {"precision": "fp16"}


class StuckInEval(Fault):
    """Training goes on in evaluation mode after the first validation."""

    id, needs = "missing-train-mode", "modes"

    def twin(self, s: Setup, task: Task) -> Setup:
        return replace(s, dropout=0.4)

    def mode(self, net: nn.Module, training: bool, evaluations: int) -> None:
        net.train(training and not evaluations)


class StuckInTrain(Fault):
    """Validation runs in training mode."""

    id, needs = "missing-eval-mode", "modes"

    def twin(self, s: Setup, task: Task) -> Setup:
        return replace(s, dropout=0.4, held_out=max(40, s.held_out // 4))

    def mode(self, net: nn.Module, training: bool, evaluations: int) -> None:
        net.train(True)


class StaleNorm(Fault):
    """Batch norm whose running statistics hardly follow."""

    id, needs, levels = "stale-statistics", "norm", (1e-4, 1e-3)

    def twin(self, s: Setup, task: Task) -> Setup:
        return replace(s, norm=True)

    def problem(self, p: Problem, s: Setup, g: torch.Generator) -> None:
        for m in p.net.modules():
            if isinstance(m, (nn.BatchNorm1d, nn.BatchNorm2d)):
                m.momentum = self.level


class Narrow(Fault):
    """A model too small for the task."""

    id, levels = "capacity-too-low", (0.03, 0.08)

    def setup(self, s: Setup) -> Setup:
        return replace(s, width=self.level)


class Averaged(Fault):
    """A running mean since the start of the epoch is written down instead of the loss."""

    id, needs = "running-average-reset", "data"

    def twin(self, s: Setup, task: Task) -> Setup:
        return replace(s, samples=min(s.samples, s.batch * max(8, s.steps // 8)), held_out=s.held_out)

    def __init__(self, level: float = 1.0, at: float = 0.5) -> None:
        super().__init__(level, at)
        self.sum, self.count = 0.0, 0

    def shown(self, k: int, s: Setup, value: float) -> float:
        if k % s.steps_per_epoch == 0:
            self.sum, self.count = 0.0, 0
        self.sum, self.count = self.sum + value, self.count + 1
        return self.sum / self.count


FAULTS: tuple[type[Fault], ...] = (
    Start, Deep, Dead, Frozen, Detached, Twice, Summed, Scale, Root, Masked, Overflow, StuckInEval, StuckInTrain,
    StaleNorm, Narrow, Averaged,
)  # fmt: skip
