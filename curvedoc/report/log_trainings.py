"""Trainings that stand one after another in one log, and how a report calls the one that it tells."""

from __future__ import annotations

from curvedoc.core.diagnosis import Diagnosis, RunDiagnosis

#: How the last training of a log that is told is called where it is not the last of all.
_FAILED = {"failed": "failed", "warning": "has a warning"}
#: How runs are called that stand one after another in one log.
IN_ONE_LOG = "trainings in this log"


def last_training(d: Diagnosis) -> RunDiagnosis | None:
    """The last of several trainings that stand one after another in one log; None where the runs are none."""
    places = {r.run.rpartition("::")[0] for r in d.runs}
    if len(places) != 1 or not all("::" in r.run and r.run.rpartition("::")[2].isdigit() for r in d.runs):
        return None
    return max(d.runs, key=number)


def number(run: RunDiagnosis) -> int:
    """Its place among the trainings of its log."""
    return int(run.run.rpartition("::")[2])


def of_one_log(told: RunDiagnosis, last: RunDiagnosis) -> str:
    """Which of the trainings of one log a report tells.

    "the last (number 35)", "number 2, the last that failed"
    """
    if told is last:
        return f"the last (number {number(told)})"
    return f"number {number(told)}, the last that {_FAILED.get(told.verdict, 'ended so')}"
