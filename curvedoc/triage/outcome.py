"""What one bundle of files gave."""

from __future__ import annotations

from dataclasses import dataclass

from curvedoc.diagnose.outline import Outline
from curvedoc.diagnosis import RunDiagnosis, Unreadable


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one bundle gave.

    metrics: every name it logged, only where the user chose signals by name
    """

    runs: tuple[RunDiagnosis, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    metrics: tuple[str, ...] = ()
    outlines: tuple[Outline, ...] = ()  # of the runs, in their order
