"""What many statistics of one series start from: medians, spacing, and results kept on the series."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.series import Floats, Series, once_a_series
from curvedoc.stats.basic.grid import GridCurve, curve_of
from curvedoc.stats.basic.medians import (
    CHUNK,
    FEW,
    NARROW,
    inner_median5,
    median5,
    median_of,
    moving_median,
    quantile_of,
    row_medians,
)
from curvedoc.stats.basic.robust import spread_blocks, unit_of
from curvedoc.stats.basic.spacing import evenly_spaced, typical_gap
from curvedoc.stats.basic.windows import steady
from curvedoc.stats.events import jump_scan
from curvedoc.stats.noise import oscillation, period
from curvedoc.stats.schedule import phases
from curvedoc.stats.shape.decay import ground

numbers = st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0, -1.0, 1e300])


def windows(y: Floats, width: int) -> Floats:
    return np.asarray(np.median(np.lib.stride_tricks.sliding_window_view(y, width), axis=1))


@settings(max_examples=60, deadline=None)
@given(st.lists(numbers, min_size=1, max_size=40))
def test_the_median_equals_the_general_one(values: list[float]) -> None:
    y = np.array(values)
    assert median_of(y) == np.median(y)


@settings(max_examples=60, deadline=None)
@given(st.integers(FEW, 5 * FEW), st.integers(0, 10**6), st.sampled_from(["noise", "ties", "walk", "comb", "constant"]))
def test_places_of_long_arrays_are_those_that_sorting_gives(n: int, seed: int, kind: str) -> None:
    y = np.random.default_rng(seed).standard_normal(n)
    if kind == "comb":  # the rows that are looked at first are like no others
        y[:: n >> 6] += 100.0
    y = {"ties": np.round(y, 1), "walk": np.cumsum(y), "constant": np.full(n, 3.0)}.get(kind, y)
    before = y.copy()
    assert median_of(y) == np.median(y)
    for share in (0.0, 0.02, 0.25, 0.5, 0.9, 0.999, 1.0):
        assert quantile_of(y, share) == np.quantile(y, share)
    assert np.array_equal(y, before)
    y[seed % n] = np.nan
    assert np.isnan(median_of(y)) and np.isnan(quantile_of(y, 0.3))


@pytest.mark.parametrize("n, width", [(60, 4), (60, 5), (2000, 39), (2000, 40), (3000, 201)])
def test_the_moving_median_of_any_width_equals_sorted_windows(n: int, width: int) -> None:
    y = np.random.default_rng(n).integers(0, 900, size=n) / 7.0
    assert np.array_equal(moving_median(y, width), windows(y, width))


@pytest.mark.parametrize("values", [[float("nan")], [1.0, float("nan"), 2.0], [float("nan"), 1.0, 1.0, 1.0], []])
def test_the_median_is_nan_where_a_value_is_or_none_is_given(values: list[float]) -> None:
    assert np.isnan(median_of(np.array(values)))


@pytest.mark.parametrize("width", [1, 2, 3, 8, 39, 40, NARROW, NARROW + 1, NARROW + 2])
def test_medians_of_rows_equal_those_of_numpy(width: int) -> None:
    cells = np.random.default_rng(width).integers(0, 50, size=(30, width)) / 7.0
    before = cells.copy()
    assert np.array_equal(row_medians(cells), np.median(cells, axis=1))
    assert np.array_equal(cells, before)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=3, max_size=40))
def test_the_moving_median_of_five_equals_sorted_windows(values: list[int]) -> None:
    y = np.array(values, dtype=np.float64)
    mirrored = np.concatenate([y[2:3], y[1:2], y, y[-2:-1], y[-3:-2]])
    assert median5(y).tolist() == windows(mirrored, 5).tolist()


@pytest.mark.parametrize("n", [5, CHUNK + 3, CHUNK + 4, CHUNK + 5, 2 * CHUNK + 9])
def test_the_moving_median_joins_its_stretches_without_a_seam(n: int) -> None:
    y = np.random.default_rng(n).standard_normal(n)
    assert (inner_median5(y) == windows(y, 5)).all()


@pytest.mark.parametrize("rows", [3, 5, 9, 501])
def test_a_running_median_equals_sorted_windows_of_any_width(rows: int) -> None:
    y = np.random.default_rng(rows).standard_normal(2000)
    padded = np.pad(y, rows // 2, mode="edge")
    assert (steady(Series(np.arange(2000), y), rows).value == windows(padded, rows)).all()


def test_a_wide_running_median_takes_the_time_and_memory_of_its_rows() -> None:
    n, rows = 120_000, 2401
    y = np.random.default_rng(0).standard_normal(n) + np.linspace(4, 0, n)
    s = Series(np.arange(n), y)
    tracemalloc.start()
    began = time.process_time()
    found = steady(s, rows).value
    took, (_, most) = time.process_time() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    exact = windows(np.pad(y[:6000], rows // 2, mode="edge"), rows)[: 6000 - rows]
    assert (found[rows : len(exact)] == exact[rows:]).all() and found[-1] == y[-1]
    assert most < 16 * 8 * n and took < 5  # all windows would take 2,401 values a row


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=30))
def test_the_typical_gap_is_the_median_gap(gaps: list[int]) -> None:
    step = np.cumsum([0, *gaps])
    assert typical_gap(step) == np.median(gaps)
    assert evenly_spaced(step) == (len(set(gaps)) == 1)


@pytest.mark.parametrize(("n", "blocks"), [(10, 3), (7, 7), (4000, 2), (9001, 3), (5000, 1)])
def test_block_levels_are_joined_by_the_lines_between_their_centers(n: int, blocks: int) -> None:
    level = np.random.default_rng(n).random(blocks)
    centers = (np.arange(blocks) + 0.5) * n / blocks
    assert spread_blocks(level, n) == pytest.approx(np.interp(np.arange(n), centers, level), abs=1e-12)


def test_contrasts_of_a_long_curve_do_not_depend_on_its_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(1).standard_normal(700)
    whole = dict(jump_scan.contrasts(x))
    monkeypatch.setattr(jump_scan, "CHUNK", 64)
    parts = dict(jump_scan.contrasts(x))
    assert list(parts) == list(whole)
    for h, jump in whole.items():
        assert parts[h] == pytest.approx(jump, abs=1e-10)


def naive_swings(c: GridCurve) -> tuple[tuple[int, int], ...]:
    """schedule.swings, one row at a time."""
    top = float(np.max(c.y))
    out: list[tuple[int, int]] = []
    high = low = phases.warmup_row(c)
    falling = False
    for i in range(high, len(c)):
        v = c.y[i]
        if not falling:
            if v >= c.y[high]:
                high = i
            elif v * phases.TIMES <= c.y[high] and c.y[high] - v >= phases.RISE * top:
                falling, low = True, i
            if out and not falling:
                out[-1] = (out[-1][0], high)
        elif v <= c.y[low]:
            low = i
        elif v >= phases.TIMES * c.y[low] and v - c.y[low] >= phases.RISE * top:
            out.append((low, i))
            falling, high = False, i
    return tuple(out)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(1, 4)), min_size=1, max_size=25).filter(
        lambda x: any(v for v, _ in x)
    )
)
def test_swings_found_at_turning_points_equal_those_found_row_by_row(treads: list[tuple[int, int]]) -> None:
    c = phases.rates_of(Series.of([float(v) for v, times in treads for _ in range(times)]))
    assert c is not None
    assert phases.swings(c) == naive_swings(c)


def test_what_is_kept_on_a_series_is_computed_once_and_belongs_to_it_alone() -> None:
    calls: list[Series] = []

    @once_a_series
    def total(s: Series) -> float:
        calls.append(s)
        return float(s.value.sum())

    a, b = Series.of([1.0, 2.0]), Series.of([3.0])
    assert [total(a), total(b), total(a)] == [3.0, 3.0, 3.0]
    assert [c is s for c, s in zip(calls, (a, b), strict=True)] == [True, True]


def test_shared_arrays_cannot_be_written_to() -> None:
    s = Series.of([float(i % 7) for i in range(100)] + [float("nan")])
    g = ground(s)
    assert g is not None
    curve = curve_of(s)
    for shared in (g.y, g.calm, g.model, curve.x, curve.y, curve.calm, unit_of(s)[0], s.finite().value):
        with pytest.raises(ValueError, match="read-only"):
            shared[0] = 1.0


def test_the_finite_rows_of_a_finite_series_are_the_series_itself() -> None:
    s = Series.of([1.0, 2.0])
    part = Series.of([1.0, float("nan")]).finite()
    assert s.finite() is s and s.finite() is s
    assert part.finite() is part and len(part) == 1


def test_what_stands_above_the_decay_is_finite_where_only_subnormal_numbers_move() -> None:
    s = Series.of([0.0, 0.0, 5e-324] * 40)
    g = ground(s)
    assert g is not None
    assert g.rest(curve_of(s).scale).tolist() == [0.0] * 120
    assert oscillation.lag1(s) is None and period.period(s) is None
