"""Every symptom is told on a real or re-enacted log of its fault, and is not told on a log that looks alike."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path

import pytest
import reenact_curves
import reenact_layers
import reenact_rewards
import reenact_schedule
import reenact_texts
import reenact_validation
from reenact_cases import FAULTS, LOOKALIKES

from curvedoc.core.diagnosis import Diagnosis
from curvedoc.diagnose.many import diagnose_all
from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import load, signals_file
from curvedoc.rulebook.rule import Rulebook

#: Importing them fills the registry.
MAKERS = (reenact_curves, reenact_layers, reenact_rewards, reenact_schedule, reenact_texts, reenact_validation)

#: What a lookalike truly shows; those not named here show nothing but what was not logged.
SHOWN: dict[str, set[str]] = {
    "double-descent": {"generalization-gap", "overfitting"},  # the validation loss stays up
    "grokking": {"breakthrough-late"},  # both sides fall late, together
    "loss-collapsed-to-zero": {"initial-loss-mismatch", "warmup-missing"},  # inputs and rate are large, the start wild
    "oom-at-start": {"oom-later"},
    "scaled-loss-logged": {"initial-loss-mismatch", "val-better-than-train"},  # a sum over the batch
    "train-regime-shift-after-eval": {"val-better-than-train"},  # dropout
    "vanishing-gradients": {"initial-loss-mismatch"},  # weights too large rather than too small
}
#: What a fault shows beside its own symptom: its consequences, and what else the mistake does.
WITH: dict[str, set[str]] = {
    "clip-saturated": {"slow-convergence", "stuck-at-chance"},
    "dead-activations": {"plateau-from-start", "stuck-at-chance"},
    "divergence": {"exploding-gradients", "loss-spike-unrecovered", "lr-jump"},
    "exploding-gradients": {"divergence"},
    "lr-range-test": {"divergence"},
    "nan-after-blowup": {"exploding-gradients"},
    "overfit-test-failed": {"slow-convergence"},
    "overfitting": {"generalization-gap"},
    "policy-collapse": {"plateau-from-start"},
    "policy-step-too-large": {"plateau-from-start"},
    "saturated-activations": {"initial-loss-mismatch", "plateau-after-progress"},
    "scaled-loss-logged": {"initial-loss-mismatch", "val-better-than-train"},
    "stuck-at-chance": {"plateau-from-start"},
    "truncated-log": {"ended-early"},
    "underfitting": {"plateau-after-progress"},
    "update-ratio-unhealthy": {"divergence", "initial-loss-mismatch", "plateau-from-start"},
    "val-flat-from-start": {"generalization-gap", "overfitting"},
    "vanishing-gradients": {"stuck-at-chance"},
    "warmup-missing": {"stuck-at-chance"},
    "weight-norm-collapse": {"divergence", "loss-spike-unrecovered", "stuck-at-chance"},
    "weight-norm-growth": {"divergence"},
    "weights-never-change": {"plateau-from-start"},
    "zero-gradients": {"plateau-from-start"},
}


@cache
def book() -> Rulebook:
    return load()


def diagnosed(place: Path) -> Diagnosis:
    harvest = read_runs([place], signals={}, signals_file=signals_file())
    assert harvest.runs and not harvest.unreadable, "the log itself must be read"
    return diagnose_all(harvest.runs, book())


def symptoms(diagnosis: Diagnosis, gaps: bool = True) -> set[str]:
    """Of every finding, also of those that are folded under another one. gaps: with what was not logged."""
    return {f.symptom for run in diagnosis.runs for f in run.findings if gaps or f.kind != "gap"}


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
    found = diagnosed(tmp_path)
    assert symptom in symptoms(found)
    beside = symptoms(found, gaps=False) - {symptom}
    assert beside <= WITH.get(symptom, set()), "a symptom that is wrong for this fault"


@pytest.mark.parametrize("symptom", sorted(LOOKALIKES))
def test_a_lookalike_shows_what_it_is_and_nothing_else(symptom: str, tmp_path: Path) -> None:
    LOOKALIKES[symptom](tmp_path)
    found = diagnosed(tmp_path)
    assert symptom not in symptoms(found)
    assert symptoms(found, gaps=False) == SHOWN.get(symptom, set())
