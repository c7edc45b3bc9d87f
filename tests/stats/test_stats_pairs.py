"""Pairs of runs, climbing values and theoretical levels."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import naive_trends as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.series import Series
from curvedoc.stats.basic import anchors
from curvedoc.stats.events import ladder
from curvedoc.stats.pairs import runs as run_pairs

quick = settings(max_examples=40, deadline=None)
ONE: list[Callable[[Series], object]] = [
    ladder.ladder_z, ladder.ladder_growth, ladder.ladder_steady, ladder.growth_per_step, ladder.growth_z,
    ladder.growth_factor, ladder.levelling, ladder.late_growth, ladder.collapse_factor,
    lambda s: ladder.projected_step(s, 80.0),
]  # fmt: skip
TWO: list[Callable[[Series, Series], object]] = [
    run_pairs.first_difference, run_pairs.share_equal_pairs, run_pairs.noise_correlation,
    run_pairs.same_order, run_pairs.paired_shift,
    run_pairs.paired_z, lambda a, b: run_pairs.departs_at(a, b, 0.1),
]  # fmt: skip
NUMBERS: list[Callable[[float], object]] = [
    anchors.chance_level, anchors.chance_accuracy, anchors.double_softmax_floor, anchors.double_softmax_ceiling,
    anchors.classes_at_chance, anchors.classes_at_floor, lambda x: anchors.smoothing_floor(x, 0.1),
    lambda x: anchors.init_excess(x, 10.0), lambda x: anchors.power_of_two_factor(x, 2.3, 0.01),
    lambda x: anchors.integer_factor(x, 2.3, 0.01), lambda x: anchors.integer_factor(2.3, x, 0.01),
    lambda x: anchors.power_of_two_factor(2.3, x, 0.01),
]  # fmt: skip
ANY = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True, width=64),
    st.sampled_from([0.0, 1e-300, -1e-300, 1e300, -1e300, 5e-324, 1.7e308, float("nan"), 2.3, 2.3]),
)


@quick
@given(st.lists(ANY, max_size=70), st.lists(ANY, max_size=70))
def test_any_values_give_an_answer_or_none_without_a_warning(a: list[float], b: list[float]) -> None:
    p, q = Series.of(a), Series.of(b)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answers = [f(p) for f in ONE] + [f(p, q) for f in TWO] + [f(q, p) for f in TWO]
        answers += [f(x) for f in NUMBERS for x in a[:5]]
    assert all(not isinstance(v, float) or math.isfinite(v) for v in answers)


def memory(rng: np.random.Generator, n: int, kind: str) -> Series:
    """Megabytes of a process that leaks, climbs stairs, stays, warms up, collects garbage, or grows once."""
    t = np.arange(n)
    base = 4000 + 20 * rng.standard_normal(n)
    extra = {
        "leak": 1.0 * t * 1500 / n,
        "stairs": np.floor(t / (n / 9)) * 200,
        "stable": 0 * t,
        "warm": 2000 * (1 - np.exp(-t / (n / 60))),
        "collected": 800 * ((t % (n // 15)) / (n // 15)),
        "once": 1500.0 * (t > n * 0.6),
    }[kind]
    return Series.of(base + extra)


@pytest.mark.parametrize(("kind", "climbs"), [
    ("leak", True), ("stairs", True), ("stable", False), ("warm", False), ("collected", False), ("once", False),
])  # fmt: skip
def test_leaks_climb_and_ordinary_memory_does_not(kind: str, climbs: bool) -> None:
    rng = np.random.default_rng(1)
    verdicts = []
    for _ in range(40):
        s = memory(rng, int(rng.integers(100, 1500)), kind)
        z, growth, steady = ladder.ladder_z(s), ladder.ladder_growth(s), ladder.ladder_steady(s)
        verdicts.append((z or 0.0) > 5 and (growth or 0.0) > 0.01 and (steady or 0.0) > 0.5)
    assert np.mean(verdicts) >= 0.95 if climbs else np.mean(verdicts) <= 0.05


def test_the_climb_reaches_capacity_where_the_line_does() -> None:
    s = memory(np.random.default_rng(2), 1000, "leak")
    assert ladder.growth_per_step(s) == pytest.approx(1.5, rel=0.1)
    assert ladder.projected_step(s, 8500.0) == pytest.approx(3000, rel=0.1)


def test_norms_that_saturate_level_off_and_straight_ones_do_not() -> None:
    rng = np.random.default_rng(3)
    t = np.arange(300) / 300
    for _ in range(30):
        noise = 0.002 * rng.standard_normal(300)
        assert ladder.levelling(Series.of(1 + 1 - np.exp(-6 * t) + noise)) is True
        assert ladder.levelling(Series.of(1 + t + noise)) is False
        assert ladder.late_growth(Series.of(1 + t**2 + noise)) == pytest.approx(0.5, abs=0.08)
        z = ladder.growth_z(Series.of(1 + t + noise))
        assert z is not None and z > 5


def test_one_data_order_is_told_from_another() -> None:
    rng = np.random.default_rng(4)
    for _ in range(40):
        n = int(rng.integers(300, 3000))
        mean, a = naive.decay(rng, n, 0.05)
        same = a + 0.003 * rng.standard_normal(n) + 0.01
        other = mean + 0.05 * rng.standard_normal(n)
        assert run_pairs.same_order(Series.of(a), Series.of(same)) is True
        assert run_pairs.same_order(Series.of(a), Series.of(other)) is not True


def test_a_shifted_order_is_found_at_its_lag() -> None:
    x = np.random.default_rng(5).standard_normal(800)
    a, b = Series.of(x[:-2]), Series.of(x[2:])
    r = run_pairs.noise_correlation(a, b)
    assert r is not None and r > 0.95


@quick
@given(st.lists(st.floats(-5, 5), min_size=1, max_size=30), st.integers(0, 29))
def test_the_first_difference_is_the_first_row_that_differs(values: list[float], at: int) -> None:
    at = at % len(values)
    other = [v if i < at else v + 1 for i, v in enumerate(values)]
    assert run_pairs.first_difference(Series.of(values), Series.of(other)) == at
    assert run_pairs.first_difference(Series.of(values), Series.of(values)) is None


def test_pairing_finds_a_shift_far_below_the_noise() -> None:
    rng = np.random.default_rng(6)
    found = false = 0
    for _ in range(60):
        _, a = naive.decay(rng, 1200, 0.05)
        b = a + 0.002 * rng.standard_normal(1200)
        lift = np.where(np.arange(1200) > 700, 0.005, 0.0)
        found += (run_pairs.paired_z(Series.of(b + lift), Series.of(a)) or 0.0) > 4
        false += abs(run_pairs.paired_z(Series.of(b), Series.of(a)) or 0.0) > 4
    assert found == 60 and false <= 1


@pytest.mark.parametrize("classes", [2, 10, 100, 1000])
def test_the_floor_of_a_doubled_softmax_is_the_loss_of_a_certain_answer(classes: int) -> None:
    inner = np.zeros(classes)
    inner[0] = 1.0
    loss = math.log(np.exp(inner).sum()) - 1.0
    assert anchors.double_softmax_floor(float(classes)) == pytest.approx(loss)
    assert anchors.double_softmax_ceiling(float(classes)) == pytest.approx(math.log(np.exp(inner).sum()))
    floor = anchors.double_softmax_floor(float(classes))
    assert floor is not None and anchors.classes_at_floor(floor) == pytest.approx(classes)


def test_label_smoothing_floor_is_the_entropy_of_the_smoothed_label() -> None:
    p = np.full(50, 0.1 / 50)
    p[0] += 0.9
    assert anchors.smoothing_floor(50.0, 0.1) == pytest.approx(float(-(p * np.log(p)).sum()))


def test_powers_of_two_and_whole_numbers_are_recognized_and_others_are_not() -> None:
    assert anchors.power_of_two_factor(0.69 / 8, 0.69, 0.01) == pytest.approx(0.125)
    assert anchors.power_of_two_factor(2.3 * 3, 2.3, 0.01) is None
    assert anchors.power_of_two_factor(2.3, 2.3, 0.01) is None
    assert anchors.integer_factor(2.3 * 3, 2.3, 0.01) == 3.0
    assert anchors.integer_factor(2.3 * 2.5, 2.3, 0.01) is None
