"""What is looked at of a metric to tell its role: `roles.Facts`."""

from __future__ import annotations

from typing import Protocol

from curvedoc.core.series import Floats


class MetricValues(Protocol):
    """What is looked at of a metric: `roles.Facts`."""

    @property
    def metric(self) -> str:
        """Its name."""

    @property
    def points(self) -> int:
        """How many values it has."""

    @property
    def finite(self) -> Floats:
        """Its finite values in file order."""

    @property
    def cover(self) -> float:
        """The share of the run's steps from its first value to its last."""

    @property
    def growing(self) -> bool:
        """Whether it never falls."""
