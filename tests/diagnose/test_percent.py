"""Shares are fractions to every rule, fact and picture, whatever the log counts in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.core.run import RoleMatch, Run
from curvedoc.diagnose.cases import build
from curvedoc.diagnose.run import diagnose
from curvedoc.rulebook.load import load
from curvedoc.rulebook.schema.case import Case, CaseCurve

BOOK = load()
#: A classifier that learns its training set by heart while validation stays at 96 %, then falls a little.
RIGHT = {"accuracy": [(0, 0.1), (200, 0.9), (1000, 1.0)], "val_accuracy": [(0, 0.1), (200, 0.96), (1000, 0.94)]}


def run_of(times: float, top: float = 1.0) -> Run:
    """The run with shares times 1 or 100, the highest of them lifted to `top`."""
    curves: dict[str, list[tuple[int, float]] | CaseCurve] = {
        "loss": CaseCurve(knots=[(0, 2.3), (200, 0.3), (1000, 0.001)], noise=0.02),
        "val_loss": CaseCurve(knots=[(0, 2.3), (200, 0.2), (1000, 0.9)], points=20, noise=0.01),
    }
    for role, knots in RIGHT.items():
        lifted = [(s, (top if v == max(x for _, x in knots) else v) * times) for s, v in knots]
        curves[role] = CaseCurve(knots=lifted, points=21)
    case = Case(name="run", series=curves, config={"num_classes": 10}, expect="silent")
    return build(case, case)


def judged(run: Run) -> RunDiagnosis:
    return diagnose(run, BOOK)


def test_percent_and_fractions_give_the_same_diagnosis() -> None:
    fraction, percent = judged(run_of(1.0)), judged(run_of(100.0))
    assert fraction.findings and fraction.causes
    assert [f.symptom for f in percent.findings] == [f.symptom for f in fraction.findings]
    assert percent.causes == fraction.causes and percent.headline == fraction.headline
    assert {k: v.value for k, v in percent.facts.items()} == {k: v.value for k, v in fraction.facts.items()}
    for here, there in zip(percent.signals, fraction.signals, strict=True):
        assert here.last_value == pytest.approx(there.last_value)


def test_a_share_that_overshoots_by_a_hundredth_is_no_percent() -> None:
    over, plain = judged(run_of(1.0, top=1.01)), judged(run_of(1.0))
    assert [f.symptom for f in over.findings] == [f.symptom for f in plain.findings]
    assert [c.cause for c in over.causes] == [c.cause for c in plain.causes]
    told = " ".join(e.text for c in over.causes for e in (*c.supports, *c.against))
    assert "1 %" not in told.replace("101 %", "").replace("51 %", "") and "that of guessing" not in told


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20))
@settings(max_examples=40, deadline=None)
def test_an_accuracy_in_percent_is_the_same_curve_as_a_fraction(values: list[float]) -> None:
    values[0] = 0.5  # a percentage above 1.5

    def series(times: float) -> np.ndarray:
        run = run_of(1.0)
        knots = [(i, v * times) for i, v in enumerate(values)]
        case = Case(
            name="made up", series={"val_accuracy": CaseCurve(knots=knots, points=len(values))}, expect="silent"
        )
        found = replace(run, data=build(case, case).data).series("val_accuracy")
        assert found is not None
        return found.value

    np.testing.assert_allclose(series(100.0), series(1.0), atol=1e-12)


def test_the_layers_of_a_role_are_counted_alike_and_other_roles_are_left_alone() -> None:
    knots: dict[str, list[tuple[int, float]] | CaseCurve] = {
        "zero_fraction:a": [(0, 60.0), (10, 70.0)],
        "zero_fraction:b": [(0, 0.5), (10, 0.9)],
        "loss": [(0, 90.0), (10, 80.0)],
    }
    case = Case(name="made up", series=knots, expect="silent")
    run = build(case, case)
    (a, b) = (run.metric(m.metric) for m in run.matches("zero_fraction"))
    assert a is not None and b is not None and a.value[-1] == 0.7 and b.value[-1] == pytest.approx(0.009)
    loss = run.series("loss")
    assert loss is not None and loss.value[0] == 90.0
    bare = replace(run, roles=tuple(RoleMatch(m.role, m.metric, m.label) for m in run.roles))
    found = bare.metric("zero_fraction:a")
    assert found is not None and found.value[-1] == 70.0
