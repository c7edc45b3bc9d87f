"""How a run is trained: every setting that a fault or a variant may change."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Setup:
    """The settings of one training. Rates and counts are those of a healthy run unless a fault changed them."""

    lr: float = 1e-3
    optimizer: str = "adam"
    momentum: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    weight_decay: float = 0.0
    schedule: str = "constant"
    warmup: float = 0.0  # share of the steps
    clip: float = 0.0  # 0: none
    steps: int = 500
    batch: int = 32
    accumulate: int = 1
    samples: int = 1500  # of training
    held_out: int = 400
    evaluations: int = 20
    dropout: float = 0.0
    norm: bool = False
    activation: str = "relu"
    width: float = 1.0
    deeper: int = 0
    seed: int = 0

    def told(self) -> dict[str, Any]:
        """What a training script would write down of it."""
        keep = asdict(self)
        for hidden in ("samples", "held_out", "evaluations", "deeper", "width", "beta2", "epsilon", "norm"):
            keep.pop(hidden)
        if self.optimizer not in ("sgd", "rmsprop"):
            keep.pop("momentum")
        return {**keep, "epochs": self.epochs}

    @property
    def steps_per_epoch(self) -> int:
        """Optimizer steps that see the training set once."""
        return max(1, self.samples // (self.batch * self.accumulate))

    @property
    def epochs(self) -> int:
        """Passes over the training set, rounded up."""
        return -(-self.steps // self.steps_per_epoch)

    def rate(self, step: int) -> float:
        """The planned learning rate of a step."""
        share = step / max(1, self.steps)
        if share < self.warmup:
            return self.lr * (share / self.warmup + 1 / self.steps)
        left = (share - self.warmup) / (1 - self.warmup)
        return self.lr * decay(self.schedule, left)


def decay(schedule: str, share: float) -> float:
    """The factor of a schedule after a share of its course.

    >>> decay("step", 0.5), decay("linear", 0.25)
    (0.1, 0.75)
    """
    import math

    match schedule:
        case "cosine":
            return 0.5 * (1 + math.cos(math.pi * min(share, 1.0)))
        case "linear":
            return max(0.0, 1 - share)
        case "step":
            return 1.0 if share < 0.45 else 0.1 if share < 0.8 else 0.01
        case _:
            return 1.0
