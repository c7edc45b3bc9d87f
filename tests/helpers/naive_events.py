"""Slow and obvious versions of the event statistics, to compare the fast ones with."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import median

import numpy as np


def naive_noise(values: list[float]) -> float:
    """MAD of second differences, floored by the rounding of the values."""
    second = [abs(values[i - 1] - 2 * values[i] + values[i + 1]) for i in range(1, len(values) - 1)]
    distinct = sorted(set(values))
    gap = min((b - a for a, b in pairwise(distinct)), default=0.0) if len(distinct) >= 4 else 0.0
    return max(median(second) / (0.6745 * math.sqrt(6)), gap / math.sqrt(12))


def naive_median5(values: list[float]) -> list[float]:
    """Centered median of five, ends mirrored."""
    padded = [values[2], values[1], *values, values[-2], values[-3]]
    return [median(padded[i : i + 5]) for i in range(len(values))]


def naive_contrast(values: list[float], row: int, h: int) -> float:
    """Left end of the line through h rows from `row` on minus right end of the line through the h rows before it."""
    x = np.arange(h)
    left = np.polynomial.Polynomial.fit(x, values[row - h : row], 1)
    right = np.polynomial.Polynomial.fit(x, values[row : row + h], 1)
    return float(right(-0.5) - left(h - 0.5))


def naive_inflation(h: int, phi: float) -> float:
    """Variance of the contrast under AR(1) noise over that under white noise, by the full covariance matrix."""
    weights = np.array([naive_contrast([1.0 if i == j else 0.0 for i in range(2 * h)], h, h) for j in range(2 * h)])
    lag = np.abs(np.subtract.outer(np.arange(2 * h), np.arange(2 * h)))
    return float(weights @ (phi**lag) @ weights / (weights @ weights))


def naive_step_t(values: list[float], row: int) -> float:
    """|t| of a step at `row` in a least-squares regression on 1, x, x^2, x^3 and the step."""
    y = np.array(values)
    n = len(y)
    x = (np.arange(n) - (n - 1) / 2) / n
    design = np.column_stack([x**0, x, x**2, x**3, (np.arange(n) >= row).astype(float)])
    coefficient, *_ = np.linalg.lstsq(design, y, rcond=None)
    rest = y - design @ coefficient
    covariance = np.linalg.inv(design.T @ design) * float(rest @ rest) / (n - 5)
    return abs(float(coefficient[4])) / math.sqrt(float(covariance[4, 4]))


def naive_trailing_median(values: list[float], window: int) -> list[float]:
    """Median of the rows before each row."""
    return [values[0], *(median(values[max(0, i - window) : i]) for i in range(1, len(values)))]


def naive_decay_r2(values: list[float], shapes: list[list[float]]) -> float:
    """Best share of variance that one of the shapes explains, by a regression for each."""
    y = np.array(values) - np.mean(values)
    best = 0.0
    for shape in shapes:
        x = np.array(shape) - np.mean(shape)
        best = max(best, float(x @ y) ** 2 / float(x @ x) / float(y @ y))
    return best
