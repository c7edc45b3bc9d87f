"""What rate and gradient promise, and whether a curve goes one way, against slow obvious computations."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.series import Series
from curvedoc.stats.schedule.promise import by_rate, one_way, promised_fall

SHORT_LISTS = st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0, 5.0]), min_size=5, max_size=30)


def spearman(values: list[float]) -> float | None:
    """Correlation of row numbers and average ranks, each rank counted by hand."""
    ranks = [sum(w < v for w in values) + 0.5 * (sum(w == v for w in values) + 1) for v in values]
    if len(set(values)) == 1:
        return None
    return float(np.corrcoef(np.arange(len(values)), ranks)[0, 1])


@settings(max_examples=60, deadline=None)
@given(SHORT_LISTS)
def test_one_way_is_the_rank_correlation_with_the_row(values: list[float]) -> None:
    found, slow = one_way(Series.of(values)), spearman(values)
    assert (found is None) == (slow is None)
    if slow is not None:
        assert found == pytest.approx(slow, abs=1e-9)


def test_a_curve_of_few_printed_digits_still_goes_one_way() -> None:
    assert one_way(Series.of([2.4, 2.4, 2.4, 2.3, 2.3, 2.3])) == pytest.approx(-0.878, abs=0.001)


@settings(max_examples=40, deadline=None)
@given(st.floats(1e-4, 0.02), st.integers(20, 300))
def test_descent_on_a_bowl_falls_by_what_it_promised(rate: float, steps: int) -> None:
    x, loss, norm = 0.9, [], []
    for _ in range(steps):
        loss.append(0.5 * x * x)
        norm.append(abs(x))
        x -= rate * x
    promised = promised_fall(Series.of([rate] * steps), Series.of(norm))
    assert promised is not None
    assert promised == pytest.approx(loss[0] - loss[-1], rel=0.02)


def test_rows_stand_for_the_steps_up_to_the_next_one_and_gaps_are_left_out() -> None:
    every_tenth = Series.of([1.0, float("nan"), 1.0, 1.0], step=[0, 10, 20, 30])
    assert promised_fall(Series.of([0.1, 0.1], step=[0, 30]), every_tenth) == pytest.approx(3.0)


def test_huge_gradients_promise_no_more_than_an_optimizer_that_rescales_them() -> None:
    assert promised_fall(Series.of([0.1] * 3), Series.of([1e6] * 3)) == pytest.approx(2e5)
    assert promised_fall(Series.of([1e308] * 3), Series.of([1e308] * 3)) is None
    assert promised_fall(Series.of([]), Series.of([1.0, 1.0])) is None


@settings(max_examples=40, deadline=None)
@given(st.integers(12, 200), st.sampled_from([0.5, 1.0, 2.0]))
def test_what_falls_with_the_rate_is_a_line_over_what_was_spent(rows: int, power: float) -> None:
    rate = [(1 - k / rows) ** power for k in range(rows + 1)]
    spent = np.concatenate([[0.0], np.cumsum([0.5 * (a + b) for a, b in pairwise(rate)])])
    found = by_rate(Series.of([2.0 - v / spent[-1] for v in spent]), Series.of([0.001 * r for r in rate]))
    line = np.polyfit(found.step / 1e9, found.value, 1)
    assert line == pytest.approx([-1.0, 2.0], abs=1e-4)
    assert bool((np.diff(found.step) > 0).all())


def test_a_steady_rate_leaves_the_course_and_none_leaves_nothing() -> None:
    s = Series.of([3.0, float("nan"), 2.0, 1.0], step=[0, 10, 20, 40])
    assert by_rate(s, Series.of([0.1, 0.1, 0.1, 0.1], step=[0, 10, 20, 40])).step.tolist() == [0, 500000001, 1000000002]
    assert len(by_rate(s, Series.of([0.0, 0.0], step=[0, 40]))) == 0
    assert len(by_rate(s, Series.of([]))) == 0
