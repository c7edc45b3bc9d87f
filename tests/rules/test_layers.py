"""A model's layers as one series, and the surge and rounding of a logged norm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.series import Series
from curvedoc.diagnose.judge.layers import summary
from curvedoc.stats.events.surge import rounding, surge_factor, surge_step


def _layers(**values: list[float]) -> list[tuple[str, Series]]:
    return [(label.replace("__", "."), Series.of(v, metric=label)) for label, v in values.items()]


def test_the_total_of_the_layers_is_the_norm_of_the_model() -> None:
    total = summary("total", _layers(a=[3.0, 0.0], b=[4.0, 2.0]))
    assert total is not None
    assert total.value.tolist() == [5.0, 2.0]


def test_biases_and_norm_scales_do_not_make_a_model_weak() -> None:
    layers = _layers(
        fc1__weight=[1.0], fc1__bias=[1e-9], ln_1__weight=[1e-9], fc2__weight=[1.0], fc3__weight=[1.0], head=[2.0]
    )
    weak = summary("weak", layers)
    assert weak is not None
    assert weak.value[0] == pytest.approx(1.0)


def test_three_layers_have_no_weak_quarter() -> None:
    assert summary("weak", _layers(a=[1.0], b=[1.0], c=[1.0])) is None


def test_the_farthest_moved_layer_counts_from_its_own_first_row() -> None:
    moved = summary("moved", _layers(small=[1.0, 1.5], large=[100.0, 101.0], zero=[0.0, 1.0]))
    assert moved is not None
    assert moved.value.tolist() == [0.0, 0.5]


def test_the_stillest_layer_is_the_one_that_never_moves() -> None:
    still = summary("still", _layers(moves=[1.0, 1.5], stays=[100.0, 100.0]))
    assert still is not None
    assert still.value.tolist() == [0.0, 0.0]


def test_the_least_is_the_smallest_of_all_whatever_they_are_called() -> None:
    least = summary("least", _layers(cat=[0.3, 0.9], bias=[0.0, 0.0], dog=[0.4, 0.8]))
    assert least is not None
    assert least.value.tolist() == [0.0, 0.0]


def test_a_layer_that_is_not_finite_is_passed_over_and_spoils_the_total_only() -> None:
    layers = _layers(a=[1.0, np.nan], b=[2.0, 3.0])
    total, strong = summary("total", layers), summary("strong", layers)
    assert total is not None and strong is not None
    assert np.isnan(total.value[1])
    assert strong.value.tolist() == [2.0, 3.0]


def test_layers_without_a_common_step_have_no_summary() -> None:
    a = Series(np.array([0, 2]), np.array([1.0, 1.0]), "a")
    b = Series(np.array([1, 3]), np.array([1.0, 1.0]), "b")
    assert summary("total", [("a", a), ("b", b)]) is None


@given(st.lists(st.floats(0.5, 2.0), min_size=2, max_size=60), st.floats(10.0, 1e6))
@settings(max_examples=50, deadline=None)
def test_a_planted_surge_is_found_at_its_step_and_size(base: list[float], factor: float) -> None:
    values = [*base, 2.0 * factor, *base]
    s = Series.of(values)
    assert surge_step(s) == len(base)
    found = surge_factor(s)
    assert found is not None
    assert factor <= found <= 4.0 * factor * 1.0001


@given(st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=80))
@settings(max_examples=50, deadline=None)
def test_a_norm_that_never_rises_has_no_surge(values: list[float]) -> None:
    found = surge_factor(Series.of(sorted(values, reverse=True)))
    assert found is not None
    assert found <= 1.0


@pytest.mark.parametrize("values", [[np.nan, 1.0], [np.inf, -1.0], [0.0, 0.0], [], [1.0]])
def test_a_surge_needs_two_positive_values(values: list[float]) -> None:
    assert surge_factor(Series.of(values)) is None
    assert surge_step(Series.of(values)) is None


@pytest.mark.parametrize(
    ("values", "unit"),
    [([1.0, 25.0], 1.0), ([0.1, 2.5], 0.1), ([37.4145, 2.0], 1e-4), ([np.pi, 1.0], 0.0), ([1e15, 0.5], 0.0)],
)
def test_the_rounding_of_a_log_is_the_decimal_that_all_values_share(values: list[float], unit: float) -> None:
    assert rounding(Series.of(values)) == pytest.approx(unit)


def test_nothing_finite_has_no_rounding() -> None:
    assert rounding(Series.of([np.nan])) is None
