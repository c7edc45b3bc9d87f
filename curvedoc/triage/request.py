"""What a sweep over many runs is asked for, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING

from curvedoc.core.diagnosis import Diagnosis
from curvedoc.core.frozen import dataclass
from curvedoc.triage.run.limits import Limits

if TYPE_CHECKING:
    from curvedoc.triage.engines.choice import Engine
    from curvedoc.triage.store.outcomes import Store

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class SweepOptions:
    """How to sweep.

    jobs:     worker processes of the local pool
    store:    where outcomes are kept for the next call; None keeps nothing beyond this one
    slim:     runs come back with one small curve each, those that a report shows in full with all of theirs; False
              keeps every curve, and the memory that takes
    limits:   what one run may take
    since:    only runs of which a file changed at or after this time (seconds since the epoch)
    progress: called with (phase, done, of); never decides anything
    engine:   who works on the shards instead of the local pool
    full:     whether the runs that a report shows in full come with all of their curves, of slim ones; a table of runs
              needs none, and without a store none is then kept for it
    """

    jobs: int = 1
    store: Store | None = None
    slim: bool = True
    limits: Limits = field(default_factory=Limits)
    since: float | None = None
    progress: Progress | None = None
    engine: Engine | None = None
    full: bool = True


@dataclass(frozen=True, slots=True)
class Sweep:
    """A finished or interrupted triage. done, total: bundles; kept: how many of them came from the store."""

    diagnosis: Diagnosis
    done: int
    total: int
    kept: int = 0
    interrupted: bool = False
