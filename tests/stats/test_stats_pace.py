"""The pace of steps and the parting of repeats."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.series import Series
from curvedoc.stats.events.pace import inverse, row_seconds, slow_clear, slow_factor, slow_step
from curvedoc.stats.pairs.repeats import parting_gap, parting_share, parting_step, typical_gap
from curvedoc.stats.shape.climb import climbing_share


def _timed(gaps: list[float], every: int = 10) -> Series:
    time = np.concatenate([[1.7e9], 1.7e9 + np.cumsum(gaps)])
    return replace(Series.of([1.0] * len(time), step=range(0, every * len(time), every)), time=time)


def test_the_time_of_a_row_is_divided_by_its_steps() -> None:
    assert np.allclose(row_seconds(_timed([2.03, 4.11, 3.07])).value, [0.203, 0.411, 0.307], rtol=1e-4)


def test_a_clock_of_whole_seconds_tells_nothing_about_rows_of_one_second() -> None:
    assert len(row_seconds(_timed([1.0, 0.0, 1.0, 1.0, 0.0, 2.0] * 5))) == 0
    assert len(row_seconds(_timed([10.0, 11.0, 10.0, 12.0, 10.0] * 5))) == 25


def test_without_a_clock_there_are_no_row_times() -> None:
    assert len(row_seconds(Series.of([1.0] * 5))) == 0


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(40, 900), st.floats(0.2, 0.8))
def test_a_doubling_is_found_in_heavy_tailed_times(seed: int, rows: int, where: float) -> None:
    rng = np.random.default_rng(seed)
    y = np.exp(0.05 * rng.standard_normal(rows)) * np.where(rng.random(rows) < 0.02, 10.0, 1.0)
    change = int(rows * where)
    y[change:] *= 2.0
    s = Series.of(y)
    step, factor, clear = slow_step(s), slow_factor(s), slow_clear(s)
    assert step is not None and abs(step - change) <= 0.05 * rows + 3
    assert factor is not None and 1.8 < factor < 2.2
    assert clear is not None and clear > 1.2


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(200, 900))
def test_jitter_alone_is_never_clear(seed: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    clear = slow_clear(Series.of(np.exp(0.4 * rng.standard_t(2, rows).clip(-20, 20))))
    assert clear is not None and clear < 1.0


def test_a_throughput_turns_into_a_time() -> None:
    assert inverse(Series.of([4.0, 0.0, float("nan"), 2.0])).value.tolist() == [0.25, 0.5]


def test_rounding_the_last_digit_is_no_parting() -> None:
    a = Series.of([2.301, 2.122, 1.954, 1.833, 1.741, 1.702])
    b = Series.of([2.301, 2.123, 1.954, 1.832, 1.741, 1.702])
    assert parting_step(a, b) is None
    assert parting_share(a, b) == 0.0


def test_a_nan_on_one_side_only_parts_two_runs() -> None:
    nan = float("nan")
    a, b = Series.of([3.0, 2.0, nan, nan]), Series.of([3.0, 2.0, 1.0, 0.5])
    assert parting_step(a, b) == 2.0
    assert parting_gap(a, b) == 1.0
    assert parting_step(a, a) is None
    assert typical_gap(a, b) == 1.0


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=40))
def test_a_series_never_parts_from_itself(values: list[float]) -> None:
    s = Series.of(values)
    assert parting_step(s, s) is None
    assert parting_share(s, s) == 0.0
    assert typical_gap(s, s) == 0.0


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(64, 900))
def test_a_leak_climbs_in_every_stretch_and_noise_in_half_of_them(seed: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal(rows)
    assert climbing_share(Series.of(np.arange(rows) + 0.01 * noise)) == 1.0
    share = climbing_share(Series.of(noise))
    assert share is not None and share < 0.85
    assert climbing_share(Series.of(np.full(rows, 3.0))) == 0.0
