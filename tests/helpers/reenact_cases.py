"""The registry of re-enacted logs: for each symptom one maker of a fault and one of a lookalike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from reenact import Data, Net, Plan, Rows, blobs, only, train

Maker = Callable[[Path], None]
FAULTS: dict[str, Maker] = {}
LOOKALIKES: dict[str, Maker] = {}
TEN = {"num_classes": 10, "batch_size": 32, "seed": 1, "lr": 0.1}
SIZES = (20, 32, 10)


def _into(registry: dict[str, Maker], symptom: str) -> Callable[[Maker], Maker]:
    def register(make: Maker) -> Maker:
        assert symptom not in registry, f"two makers of {symptom}"
        registry[symptom] = make
        return make

    return register


def fault(symptom: str) -> Callable[[Maker], Maker]:
    """Registers a function that writes a log with this fault below the path that it is given."""
    return _into(FAULTS, symptom)


def lookalike(symptom: str) -> Callable[[Maker], Maker]:
    """Registers a function that writes a log which could be mistaken for this fault."""
    return _into(LOOKALIKES, symptom)


def healthy(plan: Plan | None = None, data: Data | None = None) -> Rows:
    """A small classifier that learns its task, unless the plan or the data say otherwise."""
    return train(Net(SIZES), data or blobs(), plan or Plan())


def both(rows: Rows, *more: str) -> Rows:
    return only(rows, "loss", "val_loss", "epoch", *more)
