"""Faults of data: what is trained on, what is held out, and in which order."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from benchmarks.truth.faults.fault import Fault
from benchmarks.truth.problem import Batch, Problem, Task
from benchmarks.truth.setup import Setup


def shuffled(labels: Tensor, share: float, g: torch.Generator) -> Tensor:
    """Labels of which a share was dealt out anew among themselves."""
    rows = torch.nonzero(torch.rand(len(labels), generator=g) < share)[:, 0]
    out = labels.clone()
    out[rows] = labels[rows[torch.randperm(len(rows), generator=g)]]
    return out


class WrongLabels(Fault):
    """Labels dealt out to the wrong inputs, in training and validation."""

    id, needs = "label-mismatch", "labels"

    def problem(self, p: Problem, s: Setup, g: torch.Generator) -> None:
        p.train = (*p.train[:-1], shuffled(p.train[-1], 1.0, g))
        if self.at > 0.5:
            p.val = (*p.val[:-1], shuffled(p.val[-1], 1.0, g))


class NoisyLabels(Fault):
    """A share of the labels is wrong."""

    id, needs, levels = "label-noise", "labels", (0.25, 0.5)

    def problem(self, p: Problem, s: Setup, g: torch.Generator) -> None:
        p.train = (*p.train[:-1], shuffled(p.train[-1], self.level, g))
        if self.at > 0.5:
            p.val = (*p.val[:-1], shuffled(p.val[-1], self.level, g))


class Shifted(Fault):
    """Class indices of the validation set are off by one."""

    id, needs, lacks = "off-by-one-labels", "classes", "tokens"

    def problem(self, p: Problem, s: Setup, g: torch.Generator) -> None:
        p.val = (*p.val[:-1], (p.val[-1] + 1) % p.classes)


class Corrupt(Fault):
    """Inputs that lose what they hold on their way: blank (0), or mixed up among the samples (1)."""

    id, needs, levels = "data-pipeline-bug", "inputs", (0.0, 1.0)

    def problem(self, p: Problem, s: Setup, g: torch.Generator) -> None:
        x = p.train[0]
        spoiled = x * 0 if self.level == 0 else x[torch.randperm(len(x), generator=g)]
        p.train = (spoiled, *p.train[1:])


class Unnormalized(Fault):
    """Inputs in raw units: hundreds, with an offset."""

    id, needs, levels = "unnormalized-inputs", "inputs", (50.0, 500.0)

    def fits(self, task: Task, s: Setup) -> bool:
        return super().fits(task, s) and not s.norm

    def problem(self, p: Problem, s: Setup, g: torch.Generator) -> None:
        p.train = (p.train[0] * self.level + 2 * self.level, *p.train[1:])
        p.val = (p.val[0] * self.level + 2 * self.level, *p.val[1:])


class OneBatch(Fault):
    """One batch far from all others."""

    id, needs, levels = "bad-batch", "inputs", (30.0, 300.0, 3e4)

    def batch(self, k: int, s: Setup, batch: Batch) -> Batch:
        return (batch[0] * self.level, *batch[1:]) if k == int(self.at * s.steps) else batch


class Absent(Fault):
    """A value in the training data that is not a number."""

    id, needs = "bad-data", "inputs"

    def batch(self, k: int, s: Setup, batch: Batch) -> Batch:
        if k != int(self.at * s.steps) * (self.at > 0.35):
            return batch
        x = batch[0].clone()
        x[0] = float("nan")
        return (x, *batch[1:])


class Sorted(Fault):
    """Training data in the order of their labels."""

    id, needs, lacks = "data-not-shuffled", "labels", "tokens"

    def twin(self, s: Setup, task: Task) -> Setup:
        return replace(s, samples=min(s.samples, s.batch * max(8, s.steps // 10)))

    def order(self, p: Problem, order: Tensor) -> Tensor:
        y = p.train[-1]
        return torch.argsort(y if y.dim() == 1 else y.float().flatten(1).mean(1), stable=True)


class NewData(Fault):
    """Training data of another kind from the middle on."""

    id, needs, levels = "data-change", "inputs", (1.0, 3.0)

    def batch(self, k: int, s: Setup, batch: Batch) -> Batch:
        return (-self.level * batch[0].flip(-1), *batch[1:]) if k >= self.at * s.steps else batch


class FewData(Fault):
    """Training data of a handful, learned by heart."""

    id, needs, levels = "overfitting", "data", (40, 120)

    def setup(self, s: Setup) -> Setup:
        return replace(s, samples=int(self.level), batch=min(s.batch, int(self.level)))

    def twin(self, s: Setup, task: Task) -> Setup:
        return replace(s, steps=int(1.5 * s.steps), weight_decay=0.0, dropout=0.0)

    def fits(self, task: Task, s: Setup) -> bool:
        return super().fits(task, s) and task.family != "graphs"


class OtherWorld(Fault):
    """Validation data from elsewhere."""

    id, needs, levels = "distribution-shift", "inputs", (0.7, 1.5)

    def problem(self, p: Problem, s: Setup, g: torch.Generator) -> None:
        x = p.val[0]
        away = torch.randn(x.shape[1:], generator=g)
        p.val = (x + self.level * x.std() * away, *p.val[1:])


class OtherUnits(Fault):
    """Validation inputs that were not scaled as training inputs were."""

    id, needs, levels = "preprocessing-mismatch", "inputs", (8.0, 0.05)

    def problem(self, p: Problem, s: Setup, g: torch.Generator) -> None:
        p.val = (p.val[0] * self.level + (self.level > 1), *p.val[1:])


class Shaken(Fault):
    """Random augmentation of the validation data."""

    id, needs, levels = "val-augmentation", "inputs", (0.7, 1.5)

    def problem(self, p: Problem, s: Setup, g: torch.Generator) -> None:
        clean, seen = p.forward, [p.val[0]]

        def forward(net, batch):  # type: ignore[no-untyped-def]
            x = batch[0]
            if x is seen[0]:
                x = x + self.level * x.std() * torch.randn_like(x[:, :1]) * torch.rand(()) * 2
            return clean(net, (x, *batch[1:]))

        p.forward = forward


class FewHeldOut(Fault):
    """A validation set of a handful, another at every evaluation."""

    id, needs, levels = "val-set-too-small", "data", (4, 8)

    def problem(self, p: Problem, s: Setup, g: torch.Generator) -> None:
        whole, clean = p.val, p.forward
        size = int(self.level)
        p.val = tuple(t[:size] for t in whole)
        marked = p.val[0]

        def forward(net, batch):  # type: ignore[no-untyped-def]
            if batch[0] is marked:
                rows = torch.randint(0, len(whole[0]), (size,))
                for held, full in zip(batch, whole, strict=True):
                    held.copy_(full[rows])
            return clean(net, batch)

        p.val = tuple(t.clone() for t in p.val)
        marked = p.val[0]
        p.forward = forward

    def fits(self, task: Task, s: Setup) -> bool:
        return super().fits(task, s) and task.family not in ("contrastive", "metric learning", "distillation")


class Resumed(Fault):
    """A run that is taken up from an earlier checkpoint (1), or goes on with a new optimizer (0)."""

    id, levels = "restarted-run", (1.0,)

    def resumes(self, k: int, s: Setup) -> int:
        return max(1, k % 20 + 20) if k == int(self.at * s.steps) else 0


FAULTS: tuple[type[Fault], ...] = (
    WrongLabels, NoisyLabels, Shifted, Corrupt, Unnormalized, OneBatch, Absent, Sorted, NewData, FewData, OtherWorld,
    OtherUnits, Shaken, FewHeldOut, Resumed,
)  # fmt: skip
