"""Marks of single faults that no comparison of levels tells: zeros, a pattern of epochs, a counter that goes back."""

from __future__ import annotations

from itertools import pairwise
from statistics import median

from benchmarks.truth.effect import column, finite, scatter, size, tail
from benchmarks.truth.logs.written import Log
from benchmarks.truth.setup import Setup


def marks(fault: str, log: Log, twin: Log, s: Setup, classes: int) -> set[str]:
    """zero, mode, period, ragged, rewind; `hidden` where nothing but the twin could tell."""
    loss, beside = column(log.rows, "loss"), column(twin.rows, "loss")
    out: set[str] = set()
    match fault:
        case "masked-nan":
            n = sum(v == 0 for v in loss)
            if n >= 2 and sum(v == 0 for v in beside) == 0:
                out.add("zero")
        case "missing-train-mode":
            x, y = finite(loss), finite(beside)
            if x and y and median(tail(y, 0.7)) - median(tail(x, 0.7)) > 0.15 * size(y):
                first = min((e["step"] for e in log.evaluations), default=0)
                rows = sum(r["step"] <= first for r in log.rows)
                if rows >= 3 and len(log.rows) - rows >= 5:
                    out.add("mode")
        case "running-average-reset":
            steps = [r["step"] for r in log.rows]
            pairs = list(zip(steps, steps[1:], loss, loss[1:], strict=False))
            reset = [abs(d - c) for a, b, c, d in pairs if a // s.steps_per_epoch != b // s.steps_per_epoch]
            inside = [abs(d - c) for a, b, c, d in pairs if a // s.steps_per_epoch == b // s.steps_per_epoch]
            if len(reset) >= 3 and len(inside) >= 4 * len(reset) and median(reset) > 2.5 * median(inside):
                out.add("period")
        case "data-not-shuffled":
            if loss and beside and scatter(tail(loss, 0.7)) > 2 * scatter(tail(beside, 0.7)) > 0:
                out.add("ragged")
            spread = _spread(tail(finite(loss), 0.7))
            if spread > 3 * _spread(tail(finite(beside), 0.7)):
                out.add("ragged")
        case "restarted-run":
            steps = [r["step"] for r in log.rows]
            if any(b <= a for a, b in pairwise(steps)):
                out.add("rewind")
        case "scaled-loss" | "wrong-loss-function":
            if not classes:
                out.add("hidden")
    return out


def _spread(x: list[float]) -> float:
    """The spread of values around their median."""
    return median(abs(v - median(x)) for v in x) if x else 0.0
