"""Drawn training runs of known truth: validation curves that turn or do not, after published learning-curve shapes.

The shapes are the parametric families that fit real learning curves best (Viering and Loog, The Shape of Learning
Curves, 2021, table 1: power law, exponential, inverse logarithm, Weibull, Morgan-Mercer-Flodin). A turn adds a rise
that begins at one evaluation and goes on to the end, straight, slowing down or speeding up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from helpers.simulate import LAWS, Floats, noise

from curvedoc.core.series import Series

SEED = 20_261
TURNLESS = 0.4
EVALUATIONS = (8, 300)
RISE = (0.02, 1.0)  # of the lowest level
NOISE = (0.002, 0.05)  # of the level
TURN = (0.1, 0.8)  # of the run

Shape = Callable[[Floats, np.random.Generator], Floats]


def _power(t: Floats, r: np.random.Generator) -> Floats:
    offset = r.uniform(0.005, 0.05)
    return np.asarray(((t + offset) / offset) ** -r.uniform(0.4, 1.5))


def _exponential(t: Floats, r: np.random.Generator) -> Floats:
    return np.asarray(np.exp(-t / r.uniform(0.05, 0.3)))


def _inverse_log(t: Floats, r: np.random.Generator) -> Floats:
    return np.asarray(1.0 / np.log(np.e + t * r.uniform(50.0, 500.0)))


def _weibull(t: Floats, r: np.random.Generator) -> Floats:
    return np.asarray(np.exp(-((t / r.uniform(0.05, 0.3)) ** r.uniform(0.6, 1.5))))


def _morgan(t: Floats, r: np.random.Generator) -> Floats:
    half, power = r.uniform(0.02, 0.2), r.uniform(0.8, 2.0)
    return np.asarray(half**power / (half**power + t**power))


SHAPES: Mapping[str, Shape] = {
    "power": _power,
    "exponential": _exponential,
    "inverse log": _inverse_log,
    "weibull": _weibull,
    "morgan-mercer-flodin": _morgan,
}
#: How the rise goes on from the turn (0) to the end (1).
RISES: Mapping[str, Callable[[Floats], Floats]] = {
    "straight": lambda u: u,
    "slowing down": lambda u: np.asarray(np.sqrt(u)),
    "speeding up": lambda u: np.asarray(u**1.5),
}


@dataclass(frozen=True, slots=True)
class DrawnRun:
    """One run of known truth.

    rise: how far the curve without noise ends above its lowest point, of that level; 0 where it never turns
    sure: that rise in standard errors of one who knows the curve: the last fifth against the lowest point
    """

    train: Series
    val: Series
    shape: str
    rise: float
    sure: float
    noise: float


def _log_uniform(r: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(r.uniform(np.log(low), np.log(high))))


def drawn_run(i: int, seed: int = SEED) -> DrawnRun:
    """The i-th run."""
    r = np.random.default_rng([seed, i])
    n = round(_log_uniform(r, *EVALUATIONS))
    t = np.arange(1, n + 1) / n
    name = str(r.choice(list(SHAPES)))
    start, floor = float(r.uniform(0.5, 8.0)), float(r.uniform(0.05, 0.6))
    falls = SHAPES[name](t, r)
    # the first row of a log is one evaluation, not an untrained model, in half of the runs
    falls = falls / falls[0] if r.random() < 0.5 else falls
    level = start * (floor + (1.0 - floor) * falls)
    turned = r.random() >= TURNLESS
    if turned:
        at = float(r.uniform(*TURN))
        u = np.clip((t - at) / (1.0 - at), 0.0, 1.0)
        low = float(np.interp(at, t, level))
        # from its turn on the curve falls no further: what falls and what rises would cancel
        level = np.where(t < at, level, low)
        wanted = float(r.uniform(*RISE))
        level = level + wanted * low * RISES[str(r.choice(list(RISES)))](u)
    relative = float(r.uniform(*NOISE))
    law, phi = LAWS[int(r.integers(4))], float(r.choice([0.0, 0.0, 0.0, 0.3]))
    values = level * (1.0 + relative * noise(n, law, r, phi))
    # training is logged once to fifty times an evaluation and goes on falling, as training losses do
    each = int(r.choice([1, 1, 5, 20, 50]))
    fine = np.arange(1, n * each + 1) / (n * each)
    own = start * (r.uniform(0.0, 0.5 * floor) + (1.0 - floor) * SHAPES["power"](fine, r))
    train = own * (1.0 + _log_uniform(r, 0.005, 0.1) * noise(n * each, "gauss", r))
    bottom = float(level.min())
    tail = max(1, n // 5)
    late = float(level[-tail:].mean()) / bottom - 1.0 if turned else 0.0
    error = relative * float(level[-1]) / bottom * (2.0 / tail) ** 0.5
    steps = np.arange(1, n + 1) * 100
    return DrawnRun(
        Series.of(train, (np.arange(1, n * each + 1) * 100 // each).tolist(), "train/loss"),
        Series.of(values, steps.tolist(), "val/loss"),
        name,
        float(level[-1]) / bottom - 1.0 if turned else 0.0,
        late / error,
        relative,
    )
