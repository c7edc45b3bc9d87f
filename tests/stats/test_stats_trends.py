"""Trend, end state, plateau and train/validation statistics against slow oracles and known curves."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import naive_trends as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.series import Series
from curvedoc.stats.basic import grid
from curvedoc.stats.pairs import train_val
from curvedoc.stats.shape import end_state, extrema, plateau, trend, turning

quick = settings(max_examples=40, deadline=None)
ONE: list[Callable[[Series], object]] = [
    trend.slope, trend.trend_z, trend.total_change, trend.total_drop, trend.progress, trend.best_progress,
    trend.drop_in_noise, trend.fraction_done, trend.speed_left,
    end_state.flat_end, end_state.still_falling, end_state.rising_end, end_state.end_slope,
    lambda s: end_state.change_over(s, 0.25), lambda s: end_state.change_low(s, 0.25),
    lambda s: end_state.flat_within(s, 0.5, 0.05),
    plateau.plateau_start, plateau.plateau_level, plateau.plateau_share, lambda s: plateau.flat_from_start(s, 0.02),
    turning.turn_step, turning.turn_low, turning.turn_high, turning.rise_after, turning.rise_of_drop, turning.rise_z,
    turning.best_level, turning.improves, turning.never_improves, extrema.turns,
]  # fmt: skip
TWO: list[Callable[[Series, Series], object]] = [
    train_val.aligned, train_val.difference, train_val.ratio, train_val.gap_end, train_val.gap_ratio,
    train_val.gap_of_drop,
    train_val.gap_trend_z, train_val.val_noise_ratio, train_val.better_throughout, train_val.crossing_step,
    lambda a, b: train_val.val_jitter(b),
]  # fmt: skip
ANY = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True, width=64),
    st.sampled_from([0.0, 1e-300, -1e-300, 1e300, -1e300, 5e-324, 1.7e308, float("nan"), float("inf"), 2.3, 2.3]),
)


def sound(answer: object) -> bool:
    """An answer a rule can use: nothing, a truth, a finite number, a tuple, or a series."""
    return not isinstance(answer, float) or bool(np.isfinite(answer))


@quick
@given(st.lists(ANY, max_size=70))
def test_any_values_give_an_answer_or_none_without_a_warning(values: list[float]) -> None:
    s = Series.of(values)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for f in ONE:
            assert sound(f(s))


@quick
@given(st.lists(ANY, max_size=40), st.lists(ANY, max_size=15), st.integers(1, 7))
def test_any_pair_of_series_gives_an_answer_or_none(a: list[float], b: list[float], gap: int) -> None:
    p, q = Series.of(a), Series.of(b, step=range(3, 3 + gap * len(b), gap))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for f in TWO:
            assert sound(f(p, q)) and sound(f(q, p))


@quick
@given(st.integers(0, 10**6), st.sampled_from([2.0**-60, 2.0**40, 2.0**-900]))
def test_scaling_the_values_changes_no_relative_answer(seed: int, factor: float) -> None:
    rng = np.random.default_rng(seed)
    s = Series.of(naive.decay(rng, int(rng.integers(20, 300)), 0.05)[1] + 0.3)
    t = Series(s.step, s.value * factor)
    for f in (trend.trend_z, trend.progress, trend.drop_in_noise, trend.speed_left, end_state.flat_end,
              end_state.still_falling, plateau.plateau_start, plateau.plateau_share, turning.turn_step,
              turning.rise_z, turning.rise_after, turning.improves):  # fmt: skip
        assert f(s) == f(t)


@quick
@given(st.integers(0, 10**6), st.floats(-50, 50))
def test_adding_a_constant_changes_no_answer_about_shape(seed: int, lift: float) -> None:
    rng = np.random.default_rng(seed)
    s = Series.of(naive.decay(rng, int(rng.integers(20, 300)), 0.05)[1])
    t = Series(s.step, s.value + lift)
    for f in (trend.slope, trend.trend_z, trend.total_change, end_state.end_slope, trend.speed_left):
        assert f(t) == pytest.approx(f(s), rel=1e-6, abs=1e-9)
    assert end_state.flat_end(s) == end_state.flat_end(t)


@quick
@given(st.integers(0, 10**6))
def test_non_finite_rows_are_left_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 200))
    s = Series.of(naive.decay(rng, n, 0.05)[1])
    value, step = s.value.copy(), s.step * 2
    holes = np.sort(rng.choice(n, 5, replace=False))
    value = np.insert(value, holes, [np.nan, np.inf, -np.inf, np.nan, np.inf])
    dirty = Series(np.insert(step, holes, step[holes] - 1), value)
    clean = Series(step, s.value)
    for f in ONE:
        assert f(dirty) == f(clean)


@quick
@given(st.lists(st.floats(-5, 5), min_size=4, max_size=40), st.integers(1, 9))
def test_slope_of_a_short_series_is_the_median_of_all_pairs(values: list[float], gap: int) -> None:
    s = Series.of(values, step=range(0, gap * len(values), gap))
    expected = naive.theil_sen([float(v) for v in s.step], values)
    assert trend.slope(s) == pytest.approx(expected, abs=1e-12)


@quick
@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=40, unique=True),
    st.lists(st.integers(0, 60), min_size=1, max_size=12, unique=True),
    st.integers(0, 99),
)
def test_alignment_averages_the_nearest_rows(ax: list[int], bx: list[int], seed: int) -> None:
    ax, bx = sorted(ax), sorted(bx)
    ay = [float(v) for v in np.random.default_rng(seed).standard_normal(len(ax))]
    got = train_val.aligned(Series.of(ay, step=ax), Series.of([0.0] * len(bx), step=bx))
    expected = naive.aligned([float(v) for v in ax], ay, [float(v) for v in bx])
    assert got.step.tolist() == list(expected)
    assert got.value.tolist() == pytest.approx(list(expected.values()))


def test_the_smooth_is_a_local_parabola() -> None:
    y = naive.decay(np.random.default_rng(3), 40, 0.05)[1]
    fit = turning.smooth_of(grid.GridCurve(np.arange(40.0), y, 1.0)).fit
    expected = naive.local_quadratic(grid.clipped(y).tolist(), 40 / 6)
    assert fit.tolist() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("df", [3, 4, 6, 10, 14, 40])
def test_student_quantiles_match_the_integrated_density(df: int) -> None:
    assert grid.student(1.6449, df) == pytest.approx(naive.student_quantile(0.95, df), rel=0.01)
    assert grid.as_normal(naive.student_quantile(0.95, df), df) == pytest.approx(1.6449, rel=0.02)


@pytest.mark.parametrize("phi", [0.0, 0.2, 0.5, 0.8])
def test_a_trend_is_claimed_in_about_one_flat_curve_of_twenty_however_correlated(phi: float) -> None:
    rng = np.random.default_rng(1)
    z = [trend.trend_z(Series.of(naive.ar1(rng, 500, phi))) for _ in range(400)]
    share = np.mean([abs(v) > 1.96 for v in z if v is not None])
    assert 0.01 <= share <= 0.085


@pytest.mark.parametrize(("noise", "n"), [(0.01, 200), (0.01, 2000), (0.05, 200), (0.05, 2000), (0.1, 150)])
def test_a_curve_that_still_falls_by_three_percent_is_never_called_flat(noise: float, n: int) -> None:
    rng = np.random.default_rng(2)
    wrong = 0
    for _ in range(100):
        t = np.arange(n) / n
        mean = np.exp(-t * 15) + 0.03 * np.clip(1 - t, 0, 0.25) / 0.25
        wrong += end_state.flat_end(Series.of(mean + noise * rng.standard_normal(n))) is True
    assert wrong == 0


def test_a_long_flat_end_is_called_flat_and_a_falling_one_falling() -> None:
    rng = np.random.default_rng(3)
    flat = falling = 0
    for _ in range(50):
        t = np.arange(2000) / 2000
        flat += end_state.flat_end(Series.of(np.exp(-t * 40) + 0.01 * rng.standard_normal(2000))) is True
        falling += end_state.still_falling(Series.of(1 - t + 0.05 * rng.standard_normal(2000))) is True
    assert flat >= 48 and falling == 50


def test_a_curve_that_never_moves_is_flat_from_start_and_one_that_learns_is_not() -> None:
    rng = np.random.default_rng(4)
    still = moved = 0
    for _ in range(60):
        n = int(rng.integers(60, 1500))
        still += plateau.flat_from_start(Series.of(2.3 + 0.02 * rng.standard_normal(n)), 0.02) is True
        moved += plateau.flat_from_start(Series.of(2.3 * naive.decay(rng, n, 0.05)[1] + 0.1), 0.02) is False
    assert still >= 58 and moved == 60


def test_a_plateau_begins_where_the_curve_stops_falling() -> None:
    rng = np.random.default_rng(5)
    wrong = []
    for _ in range(60):
        n, knee = 400, int(rng.integers(60, 250))
        mean = np.maximum(1 - np.arange(n) / knee, 0)
        at = plateau.plateau_start(Series.of(mean + 0.02 * rng.standard_normal(n)))
        wrong.append(abs((at if at is not None else -n) - knee) / n)
    assert np.quantile(wrong, 0.9) < 0.06


def test_the_turn_lies_inside_its_interval_and_near_the_truth() -> None:
    rng = np.random.default_rng(6)
    inside, off, total = 0, [], 120
    for _ in range(total):
        m = int(rng.integers(20, 60))
        t = np.arange(m) / m
        turn = rng.uniform(0.3, 0.7)
        mean = np.where(t < turn, (1 - t / turn) ** 2, 0.6 * ((t - turn) / (1 - turn)) ** 2)
        s = Series.of(mean + 0.05 * rng.standard_normal(m), step=range(0, 10 * m, 10))
        low, at, high = turning.turn_low(s), turning.turn_step(s), turning.turn_high(s)
        assert low is not None and at is not None and high is not None and low <= at <= high
        inside += low - 10 <= turn * 10 * m <= high + 10
        off.append(abs(at / (10 * m) - turn))
    assert inside / total >= 0.85
    assert np.median(off) < 0.1


def test_a_rise_is_seen_and_a_flat_tail_is_not_one() -> None:
    rng = np.random.default_rng(7)
    false = seen = 0
    for _ in range(300):
        m = int(rng.integers(10, 80))
        t = np.arange(m) / m
        down = np.exp(-6 * t)
        false += (turning.rise_z(Series.of(down + 0.03 * rng.standard_normal(m))) or 0.0) > 3.5
        up = down + 0.5 * np.clip(t - 0.4, 0, None)
        seen += (turning.rise_z(Series.of(up + 0.03 * rng.standard_normal(m))) or 0.0) > 3.5
    assert false <= 5 and seen >= 260


def test_a_validation_curve_that_only_rises_never_improves() -> None:
    rng = np.random.default_rng(8)
    for _ in range(50):
        m = int(rng.integers(8, 40))
        noise = 0.02 * rng.standard_normal(m)
        assert turning.never_improves(Series.of(2.3 + np.arange(m) / m + noise)) is not False
        assert turning.improves(Series.of(2.3 - np.arange(m) / m + noise)) is True


def test_double_turn_is_a_valley_and_a_peak() -> None:
    t = np.arange(600) / 600
    y = (
        np.exp(-8 * t)
        + 0.3 * np.exp(-0.5 * ((t - 0.5) / 0.06) ** 2)
        + 0.01 * np.random.default_rng(9).standard_normal(600)
    )
    assert [v.valley for v in extrema.turns(Series.of(y))] == [True, False]


def test_gap_crossing_and_share_below_come_from_common_steps() -> None:
    train = Series.of(np.linspace(2.0, 0.0, 101))
    val = Series.of(np.linspace(1.5, 1.0, 21), step=range(0, 101, 5))
    crossing = train_val.crossing_step(train, val)
    assert crossing is not None and 25 <= crossing <= 45
    assert train_val.gap_end(train, val) == pytest.approx(1.0, abs=0.08)
    share = train_val.better_throughout(train, val)
    assert share is not None and 0.25 < share < 0.45
    z = train_val.gap_trend_z(train, val)
    assert z is not None and z > 5


def test_evaluation_noise_is_measured_against_averaged_training_noise() -> None:
    rng = np.random.default_rng(10)
    train = Series.of(1 + 0.1 * rng.standard_normal(4000))
    val = Series.of(1 + 0.1 * rng.standard_normal(100), step=range(0, 4000, 40))
    ratio = train_val.val_noise_ratio(train, val)
    assert ratio is not None and 4 < ratio < 10


@quick
@given(st.integers(5, 40), st.floats(2.0, 40.0))
def test_a_clean_decay_however_steep_does_not_rise(m: int, rate: float) -> None:
    s = Series.of(2.3 * np.exp(-rate * np.arange(m) / m) + 1e-4)
    assert turning.turn_step(s) == pytest.approx(m - 1, abs=0.5 * m)
    assert (turning.rise_after(s) or 0.0) < 0.02
    assert (turning.rise_z(s) or 0.0) < 2.5


def test_the_first_level_of_a_long_run_is_that_of_its_first_rows() -> None:
    """Half of a fast start is over within a few rows, however long the run is."""
    t = np.arange(20_000)
    y = 1.0 + 8.0 / (1.0 + t / 20.0) + 0.02 * np.random.default_rng(7).standard_normal(len(t))
    assert trend.total_drop(Series.of(y)) == pytest.approx(8.0, rel=0.2)
    assert trend.progress(Series.of(y)) == pytest.approx(8.0 / 9.0, rel=0.05)
