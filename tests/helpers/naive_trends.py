"""Slow, obvious versions of the trend statistics, and curves whose truth is known."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def theil_sen(x: list[float], y: list[float]) -> float:
    """Median of the slopes of all pairs."""
    slopes = [(y[j] - y[i]) / (x[j] - x[i]) for i in range(len(x)) for j in range(i + 1, len(x))]
    return float(np.median(slopes))


def aligned(ax: list[float], ay: list[float], bx: list[float]) -> dict[float, float]:
    """For each step of b, the mean of the rows of a that are nearer to it than to its neighbors."""
    out = {}
    for j, at in enumerate(bx):
        left = (bx[j - 1] + at) / 2 if j > 0 else (at - (bx[1] - at) / 2 if len(bx) > 1 else at - 0.5)
        right = (bx[j + 1] + at) / 2 if j + 1 < len(bx) else (at + (at - bx[-2]) / 2 if len(bx) > 1 else at + 0.5)
        own = [v for s, v in zip(ax, ay, strict=True) if left <= s < right]
        if own:
            out[at] = sum(own) / len(own)
        elif ax and ax[0] <= at <= ax[-1]:
            for (s0, v0), (s1, v1) in pairwise(zip(ax, ay, strict=True)):
                if s0 <= at <= s1:
                    out[at] = v0 + (v1 - v0) * (at - s0) / (s1 - s0)
                    break
            else:
                out[at] = ay[0]
    return out


def local_quadratic(y: list[float], width: float) -> list[float]:
    """Weighted least squares of a parabola around every row, tricube weights."""
    out = []
    for i in range(len(y)):
        weight = [max(0.0, 1 - abs((j - i) / width) ** 3) ** 3 for j in range(len(y))]
        rows = [j for j in range(len(y)) if weight[j] > 0]
        design = np.array([[1.0, j - i, (j - i) ** 2] for j in rows])
        root = np.sqrt([weight[j] for j in rows])
        answer, *_ = np.linalg.lstsq(design * root[:, None], np.array([y[j] for j in rows]) * root, rcond=None)
        out.append(float(answer[0]))
    return out


def isotonic(y: list[float]) -> list[float]:
    """Best non-decreasing fit: max over lower, min over upper bounds of block means (the min-max formula)."""
    n = len(y)
    return [max(min(sum(y[a : b + 1]) / (b - a + 1) for b in range(i, n)) for a in range(i + 1)) for i in range(n)]


def student_quantile(p: float, df: int) -> float:
    """Quantile of Student's t by bisection on the numerically integrated density."""
    grid = np.linspace(0.0, 60.0, 600_001)
    density = (1 + grid**2 / df) ** (-(df + 1) / 2)
    area = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(grid))])
    # the tail beyond the grid, from the power law of the density
    tail = density[-1] * grid[-1] / df
    return float(np.interp((p - 0.5) * 2 * (area[-1] + tail), area, grid))


def ar1(rng: np.random.Generator, n: int, phi: float) -> Floats:
    """Autocorrelated noise of unit variance."""
    out = np.empty(n)
    out[0] = rng.standard_normal()
    shock = rng.standard_normal(n) * math.sqrt(1 - phi * phi)
    for i in range(1, n):
        out[i] = phi * out[i - 1] + shock[i]
    return out


def decay(rng: np.random.Generator, n: int, noise: float) -> tuple[Floats, Floats]:
    """A loss curve that falls from 1 to about 0: the truth, and the truth with noise of that share of the range."""
    t = np.arange(n) / n
    kind = rng.integers(3)
    if kind == 0:
        mean = (1 + 60 * t) ** -rng.uniform(0.4, 1.2)
    elif kind == 1:
        mean = np.exp(-t * rng.uniform(3, 12))
    else:
        mean = 0.5 * np.exp(-t * 20) + 0.25 * (1 + np.cos(math.pi * t))
    mean = (mean - mean.min()) / np.ptp(mean)
    return mean, mean + noise * rng.standard_normal(n)
