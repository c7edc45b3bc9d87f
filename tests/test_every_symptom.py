"""Every symptom is told on a real or re-enacted log of its fault, and is not told on a log that looks alike."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path

import pytest
import reenact_curves
import reenact_layers
import reenact_schedule
import reenact_texts
import reenact_validation
from reenact_cases import FAULTS, LOOKALIKES

from curvedoc.diagnose.many import diagnose_all
from curvedoc.diagnosis import Diagnosis
from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import load, signals_file
from curvedoc.rulebook.rule import Rulebook

#: Importing them fills the registry.
MAKERS = (reenact_curves, reenact_layers, reenact_schedule, reenact_texts, reenact_validation)


@cache
def book() -> Rulebook:
    return load()


def diagnosed(place: Path) -> Diagnosis:
    harvest = read_runs([place], signals={}, signals_file=signals_file())
    assert harvest.runs and not harvest.unreadable, "the log itself must be read"
    return diagnose_all(harvest.runs, book())


def symptoms(diagnosis: Diagnosis) -> set[str]:
    """Of every finding, also of those that are folded under another one."""
    return {finding.symptom for run in diagnosis.runs for finding in run.findings}


@pytest.fixture(autouse=True)
def _quiet_writers() -> None:
    logging.getLogger("tensorboardX").setLevel(logging.ERROR)


def test_every_symptom_has_a_fault_and_a_lookalike() -> None:
    ids = sorted(rule.id for rule in book().rules)
    assert sorted(FAULTS) == ids
    assert sorted(LOOKALIKES) == ids


@pytest.mark.parametrize("symptom", sorted(FAULTS))
def test_a_fault_is_told(symptom: str, tmp_path: Path) -> None:
    FAULTS[symptom](tmp_path)
    assert symptom in symptoms(diagnosed(tmp_path))


@pytest.mark.parametrize("symptom", sorted(LOOKALIKES))
def test_a_lookalike_is_not_told(symptom: str, tmp_path: Path) -> None:
    LOOKALIKES[symptom](tmp_path)
    assert symptom not in symptoms(diagnosed(tmp_path))
