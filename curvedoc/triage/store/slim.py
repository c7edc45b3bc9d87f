"""RunDiagnosis without its weight: one curve of a sparkline's size, so that a million runs can be told at once."""

from __future__ import annotations

from dataclasses import replace

from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.diagnose.siblings.shape import SPARK, coarse, main_curve


def slim(run: RunDiagnosis) -> RunDiagnosis:
    """The run with its main curve alone, at most `SPARK` buckets of it; everything that is said of it stays."""
    curve = main_curve(run)
    return replace(run, curves=() if curve is None else (coarse(curve, SPARK),))


class Shared:
    """Equal parts of many diagnoses held once: what was not judged, and why, is the same in most runs of a tree."""

    def __init__(self) -> None:
        self._known: dict[object, object] = {}

    def __call__(self, run: RunDiagnosis) -> RunDiagnosis:
        """The run with its repeated parts replaced by the equal ones that were seen first."""
        known = self._known.setdefault(run.not_judged, run.not_judged)
        causes = tuple(
            replace(c, checks=self._known.setdefault(c.checks, c.checks), fix=self._known.setdefault(c.fix, c.fix))  # type: ignore[arg-type]
            for c in run.causes
        )
        return replace(run, not_judged=known, causes=causes)  # type: ignore[arg-type]
