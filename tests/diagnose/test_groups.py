"""Runs that failed the same way stand in one group: by signature, and by the curve's shape where that cannot decide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.diagnosis import Curve, Event, Finding, RankedCause, RunDiagnosis, Waste
from curvedoc.diagnose.siblings.groups import FAR, NEAR, groups, letters
from curvedoc.diagnose.siblings.shape import POINTS, coarse, distance, main_curve, shape
from curvedoc.triage.store.slim import slim

RNG = np.random.default_rng(0)


def falling(n: int = 300, noise: float = 0.02) -> np.ndarray:  # type: ignore[type-arg]
    return 2 * np.exp(-np.arange(n) / (n / 5)) + 0.3 + noise * RNG.standard_normal(n)


def flat(n: int = 300) -> np.ndarray:  # type: ignore[type-arg]
    return 2.3 + 0.02 * RNG.standard_normal(n)


def rising(n: int = 300) -> np.ndarray:  # type: ignore[type-arg]
    """Falls, then climbs to many times its start."""
    return np.concatenate([falling(n)[: n // 3], 0.7 * np.exp(np.linspace(0, 5, n - n // 3))])


def broken(n: int = 300) -> np.ndarray:  # type: ignore[type-arg]
    return np.concatenate([falling(n)[: n // 3], np.full(n - n // 3, math.nan)])


def run(
    name: str,
    values: np.ndarray | None,  # type: ignore[type-arg]
    symptoms: Sequence[str] = ("divergence",),
    cause: str = "",
    chance: float = 0.0,
    moved: Sequence[str] = (),
    every: int = 1,
) -> RunDiagnosis:
    curves: tuple[Curve, ...] = ()
    if values is not None:
        v = tuple(float(x) for x in values)
        curves = (Curve("train/loss", "loss", "", tuple(i * every for i in range(len(v))), v, v, v, len(v)),)
    findings = tuple(Finding(s, s, "pathology", "error", 1.0, 10, None, "loss") for s in symptoms)
    causes = (RankedCause(cause, cause, chance),) if cause else ()
    timeline = tuple(Event(i, channel, "rose") for i, channel in enumerate(moved))
    return RunDiagnosis(name, "failed", "", (), (), findings, causes, (), None, Waste(), curves, timeline=timeline)


def sets(runs: Sequence[RunDiagnosis]) -> set[frozenset[str]]:
    return {frozenset(g.runs) for g in groups(runs)}


def test_runs_without_a_cause_part_where_their_curves_differ_and_not_where_only_units_do() -> None:
    runs = [
        run("a", rising()), run("b", 1000 * rising(900), every=50), run("c", broken()), run("d", 7 * broken(120)),
        run("e", flat()),
    ]  # fmt: skip
    assert sets(runs) == {frozenset("ab"), frozenset("cd"), frozenset("e")}


@pytest.mark.parametrize("chance", [0.65, 0.9])
def test_a_likely_cause_keeps_runs_together_whatever_their_curves(chance: float) -> None:
    assert sets([run("a", rising(), cause="x", chance=chance), run("b", broken(), cause="x", chance=chance)]) == {
        frozenset("ab")
    }


def test_runs_of_one_shape_and_a_very_likely_cause_join_though_another_symptom_came_first() -> None:
    def two(chance: float, second: np.ndarray, shared: bool = True) -> int:  # type: ignore[type-arg]
        more = ("lr-flat", "divergence") if shared else ("lr-flat",)
        a = run("a", rising(), ("divergence", "exploding-gradients"), "lr-too-high", chance)
        return len(groups([a, run("b", second, more, "lr-too-high", chance)]))

    assert two(0.95, rising()) == 1
    assert two(0.95, broken()) == 2  # another shape
    assert two(0.7, rising()) == 2  # the cause is not sure
    assert two(0.95, rising(), shared=False) == 2  # no symptom in common


def test_where_no_cause_is_possible_the_order_of_channels_parts_runs() -> None:
    a = run("a", rising(), moved=("grad_norm", "loss"))
    b = run("b", rising(), moved=("loss", "grad_norm"))
    c = run("c", rising(), moved=("grad_norm", "grad_norm", "loss", "val_loss"))
    assert sets([a, b, c]) == {frozenset("ac"), frozenset("b")}
    sure = [replace(r, causes=(RankedCause("x", "x", 0.6),)) for r in (a, b, c)]
    assert sets(sure) == {frozenset("abc")}


def test_a_run_without_a_curve_stays_with_the_usual_kind() -> None:
    runs = [run("a", rising()), run("b", rising()), run("c", broken()), run("d", None), run("e", np.array([1.0, 2.0]))]
    assert sets(runs) == {frozenset("abde"), frozenset("c")}


def test_healthy_runs_and_mere_consequences_are_in_no_group() -> None:
    healthy = replace(run("h", falling(), ()), verdict="healthy")
    explained = run("x", rising(), ("lr-flat",))
    explained = replace(explained, findings=tuple(replace(f, explained_by="divergence") for f in explained.findings))
    notice = run("n", rising())
    notice = replace(notice, findings=tuple(replace(f, kind="notice") for f in notice.findings))
    assert groups([healthy, explained, notice]) == ()


KINDS = {"flat": flat, "rising": rising, "broken": broken, "falling": falling}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(KINDS)), st.sampled_from(["", "x", "y"]), st.sampled_from([0.1, 0.4, 0.6, 0.9]),
            st.permutations(["p", "q"]), st.sampled_from([30, 200, 700]),
        ),
        max_size=10,
    ),
    st.randoms(use_true_random=False),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_each_failed_run_is_in_one_group_in_any_order_and_with_curves_of_any_size(drawn, random) -> None:  # type: ignore[no-untyped-def]
    runs = [
        run(f"r{i}", KINDS[kind](n), symptoms, cause, chance)
        for i, (kind, cause, chance, symptoms, n) in enumerate(drawn)
    ]
    made = groups(runs)
    assert sorted(n for g in made for n in g.runs) == sorted(r.run for r in runs)
    assert len({g.name for g in made}) == len(made) and all(g.representative in g.runs for g in made)
    assert groups([slim(r) for r in runs]) == made
    random.shuffle(runs)
    assert sets(runs) == {frozenset(g.runs) for g in made}


def test_a_shape_knows_no_units_and_sees_what_broke() -> None:
    values = falling(noise=0.0)
    one, other = shape(run("a", values)), shape(run("b", 1e6 * values, every=1000))
    assert one is not None and other is not None and len(one) == POINTS
    assert distance(one, other) < 1e-9
    near, far = shape(run("c", falling())), shape(run("d", broken()))
    assert near is not None and far is not None
    assert distance(one, near) < NEAR < FAR < distance(one, far)
    curve = main_curve(run("a", values))
    assert curve is not None
    assert shape(replace(run("a", values), curves=(coarse(curve, 70),))) == pytest.approx(one, abs=0)


@given(st.lists(st.floats(width=64), min_size=1, max_size=80))
@settings(max_examples=60, deadline=None)
def test_no_numbers_make_a_shape_that_is_not_finite(values: list[float]) -> None:
    with np.errstate(all="raise", under="ignore"):
        found = shape(run("a", np.array(values)))
    assert found is None or (len(found) == POINTS and bool(np.isfinite(found).all()))


def test_letters_go_on_after_z() -> None:
    assert [letters(i) for i in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]
