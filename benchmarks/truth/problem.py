"""What a task gives to the trainer: a model, data, a loss with its parts, and a measure of quality."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from benchmarks.truth.setup import Setup

Batch = tuple[Tensor, ...]
Numbers = dict[str, Tensor]


@dataclass
class Result:
    """The loss that is minimized, the parts that it is the sum of, and measures of quality."""

    loss: Tensor
    parts: Numbers = field(default_factory=dict)
    quality: Numbers = field(default_factory=dict)


@dataclass
class Problem:
    """One task, set up. `twist` is applied to the outputs before the loss; faults use it."""

    net: nn.Module
    score: Callable[[Tensor, Batch], Result]
    train: Batch = ()
    val: Batch = ()
    classes: int = 0  # of one plain cross-entropy
    twist: Callable[[Tensor], Tensor] | None = None
    forward: Callable[[nn.Module, Batch], Tensor] = lambda net, batch: net(batch[0])
    play: Callable[[nn.Module, int], Result] | None = None  # a task that makes its own data
    second: Batch = ()  # training data of another task, for what is learned later

    def result(self, batch: Batch, step: int) -> Result:
        """The loss on a batch (of the model in its present mode)."""
        if self.play is not None:
            return self.play(self.net, step)
        out = self.forward(self.net, batch)
        return self.score(out if self.twist is None else self.twist(out), batch)


@dataclass(frozen=True)
class Task:
    """A task: how it is set up, its healthy settings, and what faults can be put into it.

    traits: classes (one cross-entropy), inputs (real-valued), labels (targets that can be shuffled), data (a training
    set), modes (dropout or batch norm act), relu, norm, recurrent, deep (a chain of layers that can be deepened)
    """

    name: str
    family: str
    build: Callable[[Setup, torch.Generator], Problem]
    base: Setup
    traits: frozenset[str]
    sgd: float = 0.0  # the rate of plain SGD with momentum; 0: it does not suit the task
    progress: str = "loss"  # what tells that a run learned: loss, or a measure that rises


def mean_correct(out: Tensor, target: Tensor) -> Tensor:
    """The share of right answers."""
    return (out.argmax(-1) == target).float().mean()


def classified(out: Tensor, batch: Batch) -> Result:
    """Plain cross-entropy with its accuracy."""
    loss = nn.functional.cross_entropy(out, batch[-1])
    return Result(loss, {}, {"accuracy": mean_correct(out, batch[-1])})


def traits(words: str) -> frozenset[str]:
    """The traits of a task, from one line."""
    return frozenset(words.split())


def numbers(values: Mapping[str, Tensor]) -> dict[str, float]:
    """Plain floats of tensors."""
    return {k: float(v.detach()) for k, v in values.items()}
