"""A fault: what it changes, and where in the training it takes hold. The base changes nothing."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from benchmarks.truth.problem import Batch, Problem, Task
from benchmarks.truth.setup import Setup


class Fault:
    """The healthy run. A fault overrides the hooks that it needs; `level` is its strength."""

    id: ClassVar[str] = "none"
    needs: ClassVar[str] = ""  # traits of a task, all of them
    lacks: ClassVar[str] = ""  # traits that it does not go with
    levels: ClassVar[tuple[float, ...]] = (1.0,)

    def __init__(self, level: float = 1.0, at: float = 0.5) -> None:
        self.level, self.at = level, at  # at: the share of the run at which what happens once happens

    def fits(self, task: Task, s: Setup) -> bool:
        """Whether the fault can be put into this task."""
        return set(self.needs.split()) <= task.traits and not set(self.lacks.split()) & task.traits

    def twin(self, s: Setup, task: Task) -> Setup:
        """The healthy settings beside which the fault is seen."""
        return s

    def setup(self, s: Setup) -> Setup:
        """The settings under the fault."""
        return s

    def problem(self, p: Problem, s: Setup, g: torch.Generator) -> None:
        """Spoil data or model."""

    def order(self, p: Problem, order: Tensor) -> Tensor:
        """The order of an epoch's samples."""
        return order

    def batch(self, k: int, s: Setup, batch: Batch) -> Batch:
        """What reaches the model in step k."""
        return batch

    def loss(self, k: int, s: Setup, loss: Tensor, net: nn.Module) -> Tensor:
        """What is differentiated."""
        return loss

    def gradients(self, k: int, s: Setup, net: nn.Module) -> None:
        """After backward, before clipping."""

    def optimized(self, params: list[nn.Parameter]) -> list[nn.Parameter]:
        """The parameters that the optimizer holds."""
        return params

    def keeps_gradients(self) -> bool:
        """Whether gradients are not reset."""
        return False

    def rate(self, k: int, s: Setup, rate: float) -> float:
        """The rate of step k."""
        return rate

    def skips(self, k: int, s: Setup) -> bool:
        """Whether step k changes no weight."""
        return False

    def resumes(self, k: int, s: Setup) -> int:
        """Steps by which the run goes back at step k, with a new optimizer; 0: it goes on; -1: anew without rewind."""
        return 0

    def shown(self, k: int, s: Setup, value: float) -> float:
        """The loss that is written down."""
        return value

    def mode(self, net: nn.Module, training: bool, evaluations: int) -> None:
        """Set the mode of the model for training or validation."""
        net.train(training)

    def told(self, s: Setup) -> dict[str, object]:
        """What the configuration says otherwise than the settings do."""
        return {}
