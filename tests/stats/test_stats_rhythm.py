"""Oscillation, periods and sudden transitions against oracles and curves whose truth is known."""

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
from curvedoc.stats.noise import batch_order, oscillation, period, restarted_means
from curvedoc.stats.shape import transition

quick = settings(max_examples=30, deadline=None)
ONE: list[Callable[[Series], object]] = [
    oscillation.swing, oscillation.flip_rate, oscillation.lag1, oscillation.wander, oscillation.wanders,
    oscillation.back_and_forth, lambda s: oscillation.oscillating(s, 0.5),
    period.period, period.period_score, period.period_amplitude,
    lambda s: period.epoch_fold(s, 11.0), lambda s: period.epoch_amplitude(s, 7.0),
    lambda s: period.sawtooth_sign(s, 9.5), restarted_means.mean_period,
    lambda s: batch_order.order_kept(s, 12.0),
    transition.half_time, transition.half_fall_time, transition.late_breakthrough, transition.double_descent,
    lambda s: transition.grokking_gap(s, s), lambda s: transition.grokking_step(s, s),
]  # fmt: skip
ANY = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True, width=64),
    st.sampled_from([0.0, 1e-300, -1e-300, 1e300, -1e300, 5e-324, 1.7e308, float("nan"), 2.3, 2.3]),
)


@quick
@given(st.one_of(st.lists(ANY, max_size=70), st.lists(ANY, min_size=3, max_size=6).map(lambda v: v * 30)))
def test_any_values_give_an_answer_or_none_without_a_warning(values: list[float]) -> None:
    s = Series.of(values)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for f in ONE:
            answer = f(s)
            assert not isinstance(answer, float) or math.isfinite(answer)


@quick
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=14))
def test_isotonic_regression_is_the_min_max_formula(values: list[int]) -> None:
    fit = transition.isotonic(np.array(values, dtype=np.float64), np.ones(len(values)))
    assert fit.tolist() == pytest.approx(naive.isotonic([float(v) for v in values]))


@quick
@given(st.integers(0, 10**6), st.sampled_from([2.0**-40, 2.0**30]))
def test_scaling_the_values_changes_no_relative_answer(seed: int, factor: float) -> None:
    rng = np.random.default_rng(seed)
    s = Series.of(1 + naive.decay(rng, 200, 0.1)[1])
    t = Series(s.step, s.value * factor)
    for f in (oscillation.swing, oscillation.wander, oscillation.lag1, oscillation.flip_rate, period.period_score,
              transition.half_fall_time, transition.late_breakthrough):  # fmt: skip
        before, after = f(s), f(t)
        assert (before is None) == (after is None)
        assert (before or 0.0) == pytest.approx(after or 0.0, rel=1e-9)


@pytest.mark.parametrize(("n", "cycle"), [(1000, 25), (5000, 50), (5000, 333), (4000, 7)])
def test_a_period_of_two_noise_widths_is_found_within_two_percent(n: int, cycle: int) -> None:
    rng = np.random.default_rng(n + cycle)
    hits = 0
    for _ in range(8):
        wave = 0.04 * np.sin(2 * math.pi * np.arange(n) / cycle + rng.uniform(0, 6))
        found = period.period(Series.of(naive.decay(rng, n, 0.02)[1] + wave))
        hits += found is not None and abs(found / cycle - 1) < 0.02
    assert hits == 8


def test_curves_without_a_period_show_none() -> None:
    rng = np.random.default_rng(1)
    found = [period.period(Series.of(naive.decay(rng, int(rng.integers(150, 3000)), 0.03)[1])) for _ in range(150)]
    assert sum(v is not None for v in found) <= 4


def test_a_period_survives_missing_rows_and_counts_in_steps() -> None:
    rng = np.random.default_rng(2)
    keep = np.flatnonzero(rng.random(3000) < 0.5)
    y = np.sin(2 * math.pi * keep / 60) + 0.5 * rng.standard_normal(len(keep))
    found = period.period(Series.of(y, step=(keep * 10).tolist()))
    assert found == pytest.approx(600, rel=0.02)


def test_a_known_epoch_shows_its_sawtooth_and_its_direction() -> None:
    rng = np.random.default_rng(3)
    n, epoch = 600, 40
    base = naive.decay(rng, n, 0.02)[1]
    falls = Series.of(base - 0.002 * (np.arange(n) % epoch))
    tilt = period.sawtooth_sign(falls, float(epoch))
    assert (period.epoch_fold(falls, float(epoch)) or 0.0) > 6
    assert tilt is not None and tilt < -0.8
    assert period.epoch_amplitude(falls, float(epoch)) == pytest.approx(0.07, abs=0.03)


def test_an_epoch_without_a_pattern_scores_low() -> None:
    rng = np.random.default_rng(4)
    scores = [period.epoch_fold(Series.of(naive.decay(rng, 600, 0.02)[1]), 40.0) or 0.0 for _ in range(150)]
    assert np.quantile(scores, 0.97) < 4


def test_noise_however_large_is_no_oscillation_but_swings() -> None:
    rng = np.random.default_rng(5)
    for _ in range(40):
        s = Series.of(2 + naive.decay(rng, int(rng.integers(100, 1500)), 0.5)[1])
        assert oscillation.oscillating(s, 0.5) is False
        assert (oscillation.swing(s) or 0.0) > 0.8


def test_movement_of_the_model_is_an_oscillation() -> None:
    rng = np.random.default_rng(6)
    seen = 0
    for i in range(40):
        n = int(rng.integers(150, 1000))
        t = np.arange(n)
        kind = i % 3
        if kind == 0:
            y = 0.4 * (-1.0) ** t
        elif kind == 1:
            y = 0.5 * np.sin(2 * math.pi * t / (n / 12))
        else:
            y = 0.4 * naive.ar1(rng, n, 0.97)
        s = Series.of(2 + np.exp(-t / 10) * 0.5 + y + 0.05 * rng.standard_normal(n))
        seen += oscillation.oscillating(s, 0.5) is True
    assert seen >= 37


def test_a_settled_run_does_not_swing() -> None:
    rng = np.random.default_rng(7)
    for _ in range(40):
        s = Series.of(naive.decay(rng, 300, 0.01)[1])
        assert (oscillation.swing(s) or 0.0) < 0.1
        assert oscillation.oscillating(s, 0.5) is False


def test_white_noise_flips_at_two_rows_of_three() -> None:
    s = Series.of(np.random.default_rng(8).standard_normal(3000))
    assert oscillation.flip_rate(s) == pytest.approx(2 / 3, abs=0.03)
    assert oscillation.lag1(s) == pytest.approx(0.0, abs=0.06)


def test_half_time_of_a_rise_is_where_it_crosses_half_way() -> None:
    rng = np.random.default_rng(9)
    for _ in range(30):
        middle = rng.uniform(4, 8)
        x = np.unique(np.geomspace(10, 1e5, 300).astype(int))
        y = 0.02 + 0.97 / (1 + np.exp(-4 * (np.log(x) - middle))) + 0.02 * rng.standard_normal(len(x))
        at = transition.half_time(Series.of(y, step=x.tolist()))
        assert at is not None and abs(math.log(at) - middle) < 0.15


def test_grokking_is_late_validation_and_ordinary_learning_is_not() -> None:
    rng = np.random.default_rng(10)
    x = np.arange(1, 501) * 20
    late = ordinary = 0
    for _ in range(30):
        train = 1 / (1 + np.exp(-(x - 300) / 60)) + 0.01 * rng.standard_normal(500)
        val = 0.1 + 0.85 / (1 + np.exp(-(x - rng.uniform(4000, 8000)) / 300)) + 0.02 * rng.standard_normal(500)
        near = 0.1 + 0.7 / (1 + np.exp(-(x - 500) / 200)) + 0.02 * rng.standard_normal(500)
        t = Series.of(train, step=x.tolist())
        late += transition.grokking_step(t, Series.of(val, step=x.tolist())) is not None
        ordinary += transition.grokking_step(t, Series.of(near, step=x.tolist())) is not None
    assert late == 30 and ordinary == 0


def test_a_breakthrough_is_found_where_the_plateau_ends_and_decays_have_none() -> None:
    rng = np.random.default_rng(11)
    off, false = [], 0
    for _ in range(60):
        n = int(rng.integers(80, 800))
        t = np.arange(n) / n
        at = rng.uniform(0.35, 0.8)
        y = 2.3 + 0.3 * np.exp(-t * 60) - 2 / (1 + np.exp(-(t - at) * 90))
        found = transition.late_breakthrough(Series.of(y + 0.03 * rng.standard_normal(n)))
        off.append(1.0 if found is None else abs(found / n - at))
        false += transition.late_breakthrough(Series.of(naive.decay(rng, n, rng.uniform(0.005, 0.1))[1])) is not None
    assert np.quantile(off, 0.95) < 0.06 and false <= 1


def test_double_descent_names_its_peak_and_overfitting_has_none() -> None:
    rng = np.random.default_rng(12)
    t = np.arange(120) / 120
    hits = false = 0
    for _ in range(30):
        noise = 0.01 * rng.standard_normal(120)
        twice = 1 + 0.8 * np.exp(-12 * t) + 0.4 * np.exp(-0.5 * ((t - 0.4) / 0.1) ** 2) - 0.4 * t
        once = 1 + 0.8 * np.exp(-12 * t) + 0.4 * t
        at = transition.double_descent(Series.of(twice + noise))
        hits += at is not None and abs(at / 120 - 0.38) < 0.06
        false += transition.double_descent(Series.of(once + noise)) is not None
    assert hits >= 28 and false == 0


def test_one_bad_batch_in_a_calm_run_is_no_swing() -> None:
    rng = np.random.default_rng(8)
    value = 300.0 * np.exp(-np.arange(750) / 20) + 30.0 + 4.0 * rng.standard_normal(750)
    calm = Series.of(value)
    value[412:416] = [55_000.0, 900.0, 300.0, 120.0]
    hit = Series.of(value)
    for statistic in (oscillation.swing, oscillation.wander):
        before, after = statistic(calm), statistic(hit)
        assert before is not None and after is not None and after < 2.0 * before < 0.4


@pytest.mark.parametrize("every", [20, 37, 120])
def test_a_mean_that_begins_anew_tells_after_how_many_steps(every: int) -> None:
    rng = np.random.default_rng(every)
    rows = np.arange(every * 8)
    batches = 2.0 * np.exp(-rows / (3.0 * every)) + 0.4 + 0.15 * rng.standard_normal(len(rows))
    mean = np.concatenate([np.cumsum(b) / np.arange(1, every + 1) for b in batches.reshape(-1, every)])
    found = restarted_means.mean_period(Series.of(mean, 5 * rows))
    assert found is not None and abs(found - 5 * every) < 0.3 * every
    assert restarted_means.mean_period(Series.of(batches, 5 * rows)) is None


def test_no_curve_of_single_batches_is_taken_for_a_mean_that_begins_anew() -> None:
    rng, found = np.random.default_rng(7), 0
    for n in rng.integers(60, 400, 400):
        t = np.arange(n)
        calm = np.exp(-t / n * rng.uniform(0, 3))  # noise that dies out, and batches in one and the same order
        order = np.tile(rng.standard_normal(20), n // 20 + 1)[:n]
        curve = 2.0 * np.exp(-t / (0.3 * n)) + calm * (0.1 * rng.standard_normal(n) + 0.2 * order * rng.integers(0, 2))
        found += restarted_means.mean_period(Series.of(curve)) is not None
    assert found == 0


def test_batches_in_one_order_whose_moves_shrink_are_no_mean() -> None:
    rng = np.random.default_rng(3)
    block = np.cumsum(rng.choice([-1.0, 1.0], 40) / np.arange(1, 41))
    curve = np.tile(block, 10) + 0.005 * rng.standard_normal(400)
    assert restarted_means.mean_period(Series.of(curve)) is None


@quick
@given(st.integers(0, 10**6), st.sampled_from([2.0**-40, 2.0**30]), st.floats(-50, 50))
def test_batches_in_one_order_make_the_same_moves_in_every_epoch(seed: int, factor: float, shift: float) -> None:
    rng = np.random.default_rng(seed)
    hard = np.tile(rng.normal(size=15), 8)
    fall = 3 * 0.98 ** np.arange(120)
    one = Series.of((fall + hard + rng.normal(size=120) / 4) * factor + shift * factor)
    other = Series.of((fall + rng.permutation(hard)) * factor + shift * factor)
    assert (batch_order.order_kept(one, 15.0) or 0.0) > 0.5 > abs(batch_order.order_kept(other, 15.0) or 0.0)
    assert batch_order.order_kept(one, 15.4) is None  # rows of epochs that drift apart


def test_the_order_of_few_or_broken_epochs_is_not_judged() -> None:
    hard = np.tile(np.random.default_rng(3).normal(size=15), 8)
    gap = np.delete(np.arange(120), 40)
    holes = np.where(np.arange(120) % 17 == 3, np.nan, hard)
    assert batch_order.order_kept(Series.of(hard[:60]), 15.0) is None
    assert batch_order.order_kept(Series.of(hard), 8.0) is None
    assert batch_order.order_kept(Series(gap, hard[gap]), 15.0) is None
    assert batch_order.order_kept(Series.of(holes), 15.0) == pytest.approx(1.0)
