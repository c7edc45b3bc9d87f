"""What is new since a saved diagnosis."""

from __future__ import annotations

from dataclasses import replace

from curvedoc.diagnose.many import groups
from curvedoc.diagnosis import Diagnosis, RunDiagnosis


def new_only(now: Diagnosis, before: Diagnosis) -> Diagnosis:
    """The runs with a failure of their own that the saved diagnosis did not have for them, and paths newly unreadable.

    A run is known by its name; one whose failures are all known, and one that is healthy, is left out.
    """
    known = {r.run: _failures(r) for r in before.runs}
    runs = tuple(r for r in now.runs if _failures(r) - known.get(r.run, frozenset()))
    paths = {u.path for u in before.unreadable}
    lost = tuple(u for u in now.unreadable if u.path not in paths)
    return replace(now, runs=runs, groups=groups(runs), contrasts=(), unreadable=lost)


def _failures(run: RunDiagnosis) -> frozenset[str]:
    """The symptoms that nothing else in the run explains."""
    return frozenset(f.symptom for f in run.findings if f.kind == "pathology" and f.explained_by is None)
