"""Spacing: the gaps of a step axis, quickly where all are equal."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from curvedoc.series import Ints
from curvedoc.stats.medians import median_of


def evenly_spaced(step: Ints) -> bool:
    """All gaps of the step axis are equal."""
    gaps = step[1:] - step[:-1]
    return len(gaps) == 0 or bool((gaps == gaps[0]).all())


def typical_gap(step: NDArray[Any]) -> float:
    """Median of the gaps between steps that count up; NaN below two of them."""
    gaps = step[1:] - step[:-1]
    if not len(gaps):
        return float("nan")
    return float(gaps[0]) if bool((gaps == gaps[0]).all()) else median_of(gaps)
