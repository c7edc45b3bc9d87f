"""A made training by epochs, for logs that print it in many ways, and what is read of it."""

from __future__ import annotations

from curvedoc.core.run import Run

#: Epochs.
N = 30


def loss(i: int) -> float:
    return round(2.0 * 0.88**i + 0.31 + 0.003 * (i % 3), 4)


def val(i: int) -> float:
    return round(loss(i) + 0.11 + 0.001 * i, 4)


def acc(i: int) -> float:
    return round(0.95 - 0.8 * 0.9**i, 3)


def last(run: Run, role: str) -> tuple[int, float, int, int]:
    """How many values the curve of a role has, the last one, its first step and its last."""
    series = run.series(role)
    assert series is not None, role
    return len(series), round(float(series.value[-1]), 4), int(series.step[0]), int(series.step[-1])
