"""Setbacks: steps up of a curve's level, found by the noise of their own time, whatever the curve began with."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulate import LAWS, noise

from curvedoc.core.series import Floats, Series
from curvedoc.stats.events.event import CurveEvent, enduring
from curvedoc.stats.events.setback import setback

CLEAR = 8.0  # the score that rules ask for


def damaged(seed: int, n: int = 200, rise: float = 0.6, share: float = 0.05) -> Floats:
    """A loss that falls from 20 to 0.5 and steps up by `rise` of itself at six tenths."""
    r = np.random.default_rng(seed)
    level = 0.5 + 19.5 * np.exp(-np.arange(n) / (0.05 * n))
    level[int(0.6 * n) :] *= 1.0 + rise
    return np.asarray(level * (1.0 + share * r.standard_normal(n)))


@pytest.mark.parametrize("seed", range(8))
def test_a_late_step_is_found_where_it_is(seed: int) -> None:
    found = setback(Series.of(damaged(seed)))
    assert found is not None and not found.recovered
    assert found.step == pytest.approx(120, abs=3)
    assert found.z > CLEAR
    assert found.after / found.before == pytest.approx(1.6, abs=0.12)


def test_a_step_that_is_made_good_has_recovered() -> None:
    y = damaged(1, rise=0.0)
    y[120:140] *= 2.0
    found = setback(Series.of(y))
    assert found is not None and found.recovered
    assert found.end == pytest.approx(140, abs=12)


def test_hardly_a_falling_curve_steps_up() -> None:
    clear = 0
    for seed in range(300):
        r = np.random.default_rng(seed)
        n = int(r.integers(12, 600))
        level = 0.3 + 3.0 * (1.0 + np.arange(n) / r.uniform(1.0, 30.0)) ** -r.uniform(0.3, 1.0)
        law = LAWS[seed % 4]
        found = setback(Series.of(level * np.maximum(1.0 + 0.06 * noise(n, law, r, 0.2), 0.05)))
        clear += found is not None and found.z > CLEAR and found.size > 0.15 * abs(found.before)
    assert clear == 0


def test_a_climb_is_no_step() -> None:
    found = setback(Series.of(np.concatenate([np.linspace(3.0, 1.0, 60), np.linspace(1.0, 4.0, 140)])))
    assert found is None or found.size < 1.0


@settings(max_examples=40, deadline=None)
@given(st.floats(1e-6, 1e6), st.floats(-1e3, 1e3))
def test_scale_and_shift_change_neither_place_nor_score(scale: float, shift: float) -> None:
    y = damaged(3)
    plain, moved = setback(Series.of(y)), setback(Series.of(scale * y + scale * shift))
    assert plain is not None and moved is not None
    assert moved.step == plain.step
    assert moved.z == pytest.approx(plain.z, rel=1e-3)
    assert moved.size == pytest.approx(scale * plain.size, rel=1e-3)


def test_rows_that_are_not_finite_are_left_out() -> None:
    y = damaged(4)
    holes = y.copy()
    holes[[5, 50, 119, 170]] = np.nan
    found = setback(Series.of(holes))
    assert found is not None and found.step == pytest.approx(120, abs=3)
    assert setback(Series.of([np.nan] * 40)) is None
    assert setback(Series.of([1.0] * 11)) is None
    assert setback(Series.of([1.0] * 40)) is None


def test_long_curves_are_searched_by_stretches() -> None:
    found = setback(Series.of(damaged(5, n=50_000)))
    assert found is not None and found.step == pytest.approx(30_000, abs=200)


def test_only_what_endures_is_kept() -> None:
    event = CurveEvent(40.0, 99.0, 2.0, 9.0, 1.0, 3.0, 60, False, 40)
    assert enduring(event, 8.0, 1.5) is event
    assert enduring(event, 10.0, 1.5) is None
    back = CurveEvent(40.0, 60.0, 2.0, 9.0, 1.0, 3.0, 20, True, 40)
    assert enduring(back, 8.0, 1.5) is None
