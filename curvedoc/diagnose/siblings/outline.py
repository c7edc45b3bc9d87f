"""What siblings need to know of a run: its settings and where its loss ended, without the log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from curvedoc.core.frozen import dataclass
from curvedoc.core.run import Run, Scalar
from curvedoc.stats.basic.medians import median_of


class Sibling(Protocol):
    """A run as its siblings see it: a whole one, or its outline."""

    @property
    def name(self) -> str:
        """As `Run.name`."""

    @property
    def config(self) -> Mapping[str, Scalar]:
        """As `Run.config`."""

    @property
    def settings(self) -> Mapping[str, Scalar]:
        """As `Run.settings`."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A run without its log. end: `final_loss`."""

    name: str
    config: Mapping[str, Scalar]
    settings: Mapping[str, Scalar]
    end: float | None = None


def outline(run: Run) -> Outline:
    """The outline of a run."""
    return Outline(run.name, run.config, run.settings, final_loss(run))


def final_loss(run: Sibling) -> float | None:
    """The median of the last tenth of the finite validation losses (the training loss where there are none)."""
    if isinstance(run, Outline):
        return run.end
    if not isinstance(run, Run):
        return None
    series = run.series("val_loss") or run.series("loss")
    value = None if series is None else series.finite().value
    if value is None or not len(value):
        return None
    return median_of(value[-max(1, len(value) // 10) :])
