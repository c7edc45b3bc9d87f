"""What can be held out: the map from scores to probabilities, fitted on all tasks but one and judged on that one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from curvedoc.diagnose.judge.rank import CEILING, DOUBT, SHIFT, SLOPE, calibrate
from curvedoc.evaluate.judge import UnitResult
from curvedoc.evaluate.rates import Rate, calibration_error, rate, reliability

#: Weight of the pull toward the map that changes nothing, in units of runs: few runs must not make the map steep.
PULL = 4.0
#: Tasks from which one can be left out.
FEWEST = 3

Stated = tuple[float, bool]  # probability or score of one cause, and whether the label accepts it


@dataclass(frozen=True, slots=True)
class HeldOut:
    """One task, judged by constants fitted on the others; "" stands for all tasks together.

    slope, shift: those constants (of `calibrate`), NaN for all together
    right:        how often the first cause is accepted
    shipped, held: mean probability stated of the first cause, by the shipped constants and by the fitted ones
    shipped_error, held_error:       calibration error of the first cause; None for a single task
    shipped_surprise, held_surprise: negative log-likelihood of what is accepted, over all causes, per run
    """

    task: str
    slope: float
    shift: float
    right: Rate
    shipped: float
    held: float
    shipped_error: float | None
    held_error: float | None
    shipped_surprise: float
    held_surprise: float


def fit_map(pairs: Sequence[Stated]) -> tuple[float, float]:
    """Slope and shift by penalised maximum likelihood (Newton's method); the slope stays above 0.1: the map rises.

    pairs: (score, whether right). Source: Platt (1999), Probabilistic outputs for support vector machines.
    """
    inside = np.array([min(max(s, DOUBT), 1 - DOUBT) for s, _ in pairs])
    x = np.log(inside / (1 - inside))
    y = np.array([r for _, r in pairs], dtype=float)
    slope, shift = 1.0, 0.0
    for _ in range(100):
        p = 1 / (1 + np.exp(-(slope * x + shift)))
        gradient = np.array([((y - p) * x).sum() - PULL * (slope - 1), (y - p).sum()])
        w = p * (1 - p)
        curve = np.array([[(w * x * x).sum() + PULL, (w * x).sum()], [(w * x).sum(), w.sum() + 1e-9]])
        move = np.linalg.solve(curve, gradient)
        slope, shift = max(0.1, slope + float(move[0])), shift + float(move[1])
        if abs(move).max() < 1e-9:
            break
    return slope, shift


def surprise(stated: Sequence[Stated]) -> float:
    """The negative log-likelihood of what was right, summed over stated probabilities."""
    return -math.fsum(math.log(max(1e-9, p if r else 1 - p)) for p, r in stated)


def score_of(probability: float) -> float:
    """The score behind a stated probability: the inverse of `calibrate`, within what it rounds and cuts off.

    >>> round(score_of(calibrate(0.3)), 6)
    0.3
    """
    p = min(max(probability / CEILING, 1e-6), 1.0 - 1e-6)
    odds = (math.log(p / (1.0 - p)) - SHIFT) / SLOPE
    return 1.0 / (1.0 + math.exp(-odds))


def held_out(outcomes: Sequence[UnitResult]) -> tuple[HeldOut, ...]:
    """One row a task and one for all, over the units whose label accepts causes; empty below three such tasks."""
    cases: dict[str, list[list[Stated]]] = {}
    for o in outcomes:
        if o.ranked:
            cases.setdefault(o.unit.label.task, []).append([(p, r) for p, r in o.ranked])
    if len(cases) < FEWEST:
        return ()
    rows, shipped, held = [], [], []
    for task, own in sorted(cases.items()):
        others = [(score_of(p), r) for t, runs in cases.items() if t != task for run in runs for p, r in run]
        slope, shift = fit_map(others)
        again = [[(calibrate(score_of(p), slope, shift), r) for p, r in run] for run in own]
        rows.append(_row(task, slope, shift, own, again))
        shipped += own
        held += again
    return (*rows, _row("", math.nan, math.nan, shipped, held))


def _row(
    task: str, slope: float, shift: float, shipped: Sequence[Sequence[Stated]], held: Sequence[Sequence[Stated]]
) -> HeldOut:
    before, after = [run[0] for run in shipped], [run[0] for run in held]
    return HeldOut(
        task=task,
        slope=slope,
        shift=shift,
        right=rate(r for _, r in before),
        shipped=math.fsum(p for p, _ in before) / len(before),
        held=math.fsum(p for p, _ in after) / len(after),
        shipped_error=None if task else calibration_error(reliability(before)),
        held_error=None if task else calibration_error(reliability(after)),
        shipped_surprise=math.fsum(map(surprise, shipped)) / len(shipped),
        held_surprise=math.fsum(map(surprise, held)) / len(held),
    )
