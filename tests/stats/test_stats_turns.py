"""Upturns, excursions, short and unevenly logged curves against slow oracles and curves of known truth."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from helpers.learning_curves import drawn_run
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.series import Series
from curvedoc.stats.basic import grid, levels, spacing, windows
from curvedoc.stats.events import excursion
from curvedoc.stats.shape import trend, upturn

quick = settings(max_examples=60, deadline=None)
POSITIVE = st.floats(1e-3, 1e3)
ANY = st.one_of(st.floats(allow_nan=True, allow_infinity=True, width=64), st.sampled_from([0.0, 1e300, 5e-324, 2.3]))


def naive_excursion(y: list[float]) -> tuple[float, int, int] | None:
    """Every stretch of one to three inner rows, tried one after the other."""
    best: tuple[float, int, int] | None = None
    for rows in (1, 2, 3):
        for a in range(1, len(y) - rows):
            times = min(y[a : a + rows]) / max(y[a - 1], y[a + rows])
            if times > excursion.CLEAR and (best is None or times > best[0]):
                best = (times, a, rows)
    return best


@quick
@given(st.lists(POSITIVE, min_size=4, max_size=25), st.integers(1, 9))
def test_the_largest_excursion_is_that_of_all_stretches(values: list[float], gap: int) -> None:
    s = Series.of(values, step=range(0, gap * len(values), gap))
    expected = naive_excursion(values)
    times = excursion.excursion_times(s)
    if expected is None:
        assert times == 1.0 and excursion.excursion_step(s) is None and excursion.excursion_top(s) is None
        return
    assert times == pytest.approx(expected[0])
    assert excursion.excursion_step(s) == expected[1] * gap
    assert excursion.excursion_end(s) == (expected[1] + expected[2]) * gap
    assert excursion.excursion_top(s) == min(values[expected[1] : expected[1] + expected[2]])


def test_a_level_of_four_rows_and_an_end_are_no_excursions() -> None:
    assert excursion.excursion_times(Series.of([1.0, 1.0, 9.0, 9.0, 9.0, 9.0, 1.0])) == 1.0
    assert excursion.excursion_times(Series.of([1.0, 1.0, 1.0, 9.0])) == 1.0
    assert excursion.excursion_times(Series.of([1.0, -1.0, 9.0, 1.0])) is None


@quick
@given(st.lists(ANY, max_size=40))
def test_any_values_give_an_answer_or_none_without_a_warning(values: list[float]) -> None:
    s = Series.of(values)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for f in (
            upturn.upturn_z, excursion.excursion_times, excursion.excursion_step, excursion.excursion_end,
            excursion.excursion_top, trend.speed_left, trend.progress,
        ):  # fmt: skip
            answer = f(s)
            assert answer is None or math.isfinite(answer)


def test_an_upturn_is_seen_where_it_is_and_hardly_where_it_is_not() -> None:
    runs = [drawn_run(i, seed=5) for i in range(400)]
    z = [(run, upturn.upturn_z(run.val) or 0.0) for run in runs]
    assert sum(v > 5.8 for run, v in z if run.rise == 0.0) <= 1
    sure = [v > 5.8 for run, v in z if run.sure > 8.0]
    assert len(sure) > 100 and sum(sure) >= 0.97 * len(sure)


@quick
@given(st.integers(0, 10**6), st.integers(6, 15), st.floats(0.1, 5.0))
def test_the_final_speed_of_a_short_straight_line_is_that_of_the_line(seed: int, n: int, fall: float) -> None:
    start = float(np.random.default_rng(seed).uniform(fall, 10.0))
    y = np.linspace(start, start - fall, n)
    # the drop is measured from the first row to the median of the last three
    expected = (n - 1) / (n - 2) if n >= 6 else 1.0
    assert trend.speed_left(Series.of(y)) == pytest.approx(expected, rel=1e-6)


def test_a_final_speed_that_noise_hides_is_unknown() -> None:
    rng = np.random.default_rng(2)
    flat = [
        trend.speed_left(Series.of(1.0 - 0.05 * np.arange(30) / 30 + 0.05 * rng.standard_normal(30))) for _ in range(50)
    ]
    assert all(v is None or abs(v) < 4.0 for v in flat)


def test_time_and_not_rows_where_the_interval_changes() -> None:
    step = [*range(100), *range(100, 10_100, 500)]
    assert windows.tail(Series.of([0.0] * 120, step=step), 0.5).step[0] >= 4_800
    assert len(windows.head(Series.of([0.0] * 120, step=step), 0.1)) > 100
    value = [5.0] * 100 + [1.0] * 20
    assert levels.tail_level(Series.of(value, step=step), 0.5) == 1.0


@quick
@given(st.lists(st.integers(1, 3), min_size=2, max_size=40), st.floats(0.0, 1.0))
def test_evenly_logged_shares_are_of_rows(gaps: list[int], share: float) -> None:
    s = Series.of([0.0] * (len(gaps) + 1), step=np.cumsum([0, *gaps]))
    rows = max(1, math.ceil(len(s) * share))
    assert spacing.share_of_rows(s, share, late=False) == rows == spacing.share_of_rows(s, share, late=True)


@quick
@given(st.lists(st.integers(1, 1_000), min_size=2, max_size=40), st.floats(0.0, 1.0))
def test_a_share_is_some_of_the_rows(gaps: list[int], share: float) -> None:
    s = Series.of([0.0] * (len(gaps) + 1), step=np.cumsum([0, *gaps]))
    for late in (False, True):
        assert 1 <= spacing.share_of_rows(s, share, late) <= len(s)
    assert spacing.share_of_rows(s, 1.0, late=True) == len(s)


@pytest.mark.parametrize("head", [[9.0], [9.0, 8.0]])
def test_a_fall_over_by_the_third_row_counts(head: list[float]) -> None:
    rng = np.random.default_rng(0)
    rest = 1.0 + 0.05 * rng.standard_normal(300)
    assert grid.head_level(np.array([*head, *rest])) == 9.0
    made = trend.progress(Series.of([*head, *rest]))
    assert made is not None and made > 0.85


def test_a_first_row_within_what_follows_is_one_of_them() -> None:
    y = 1.0 + 0.2 * np.sin(np.arange(200.0))
    y[0] = 1.35
    assert grid.head_level(y) < 1.3
