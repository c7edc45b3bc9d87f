"""Loss and accuracy together, repeated answers and what carries over, against slow obvious computations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.series import Floats, Series
from curvedoc.stats.pairs.answers import above_error_line, entropy_of_answers, repeated_share
from curvedoc.stats.pairs.carry import carried_over

ROWS = 200


def softmax(x: Floats) -> Floats:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def answers(sure: float, right: float, classes: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Logits of a model that is right in a share of all cases and as sure as told, and the labels."""
    label = rng.integers(0, classes, 4000)
    said = np.where(rng.random(4000) < right, label, (label + rng.integers(1, classes, 4000)) % classes)
    logits = rng.normal(0.0, 0.3, (4000, classes))
    logits[np.arange(4000), said] += sure
    return logits, label


def cost(logits: Floats, label: Floats) -> float:
    return float(-np.log(softmax(logits)[np.arange(len(label)), label]).mean())


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 20), st.floats(6.0, 20.0), st.integers(0, 9))
def test_a_softmax_before_the_loss_keeps_it_on_the_error_line_from_half_right_to_nearly_all(
    classes: int, sure: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    right = [0.5, 0.7, 0.9, 0.97]
    doubled, once = [], []
    for share in right:
        logits, label = answers(sure, share, classes, rng)
        doubled.append(cost(softmax(logits), label))
        once.append(cost(logits, label))
    line = above_error_line(Series.of(doubled), Series.of(right), float(classes))
    assert line is not None
    assert float(np.abs(line.value).max()) < 0.1
    plain = above_error_line(Series.of(once), Series.of(right), float(classes))
    assert plain is not None and float(np.ptp(plain.value)) > 0.3


def test_the_error_line_knows_no_single_class_and_reads_only_common_rows() -> None:
    assert above_error_line(Series.of([1.0]), Series.of([0.5]), 1.0) is None
    line = above_error_line(Series.of([2.0, float("nan"), 1.6]), Series.of([0.5, 0.6, 0.9]), 10.0)
    assert line is not None and line.step.tolist() == [0, 2]


@settings(max_examples=50, deadline=None)
@given(st.floats(0.01, 0.99), st.integers(2, 100))
def test_no_model_that_knows_only_how_often_it_errs_loses_less_than_the_entropy_of_its_answers(
    right: float, classes: int
) -> None:
    entropy = entropy_of_answers(right, float(classes))
    assert entropy is not None
    for stated in (0.5 * right, right, 0.5 * (1.0 + right)):
        loses = -right * math.log(stated) - (1.0 - right) * math.log((1.0 - stated) / (classes - 1))
        assert loses >= entropy - 1e-9


def test_certain_answers_have_no_entropy_to_compare_with() -> None:
    assert entropy_of_answers(1.0, 10.0) is None
    assert entropy_of_answers(0.5, 1.0) is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 400), min_size=4, max_size=30))
def test_repeats_counts_the_values_that_came_before(counts: list[int]) -> None:
    found = repeated_share(Series.of([c / 400 for c in counts]))
    slow = sum(c in counts[:i] for i, c in enumerate(counts)) / (len(counts) - 1)
    gaps = [abs(a - b) for a in counts for b in counts if a != b]
    assert found == (None if gaps and min(gaps) * 50 > 400 else pytest.approx(slow))


def test_repeats_of_percentages_are_those_of_shares_and_few_examples_say_nothing() -> None:
    percent = [7.25, 7.5, 7.25, 7.25, 8.0]
    assert repeated_share(Series.of(percent)) == repeated_share(Series.of([p / 100 for p in percent])) == 0.5
    assert repeated_share(Series.of([0.1, 0.2, 0.1, 0.1, 0.2])) is None
    assert repeated_share(Series.of([0.1, 0.1])) is None


def noisy(start: float, end: float, noise: float, seed: int, rows: int = ROWS) -> Series:
    rng = np.random.default_rng(seed)
    return Series.of(np.linspace(start, end, rows) + noise * rng.standard_normal(rows))


@settings(max_examples=40, deadline=None)
@given(st.floats(0.05, 0.3), st.floats(-2.0, 2.0), st.floats(0.0, 0.02), st.integers(0, 99))
def test_what_carries_over_is_the_ratio_of_the_two_falls(fall: float, share: float, noise: float, seed: int) -> None:
    train = noisy(2.3, 2.3 - fall, noise, seed)
    step = list(range(20, ROWS + 1, 20))
    val = Series.of(np.linspace(2.32, 2.32 - share * fall * 180 / 199, 10), step=step)
    found = carried_over(train, val)
    if found is not None:
        assert found == pytest.approx(share, abs=0.05 + 0.35 * abs(share) * noise / 0.02)
    else:
        assert fall < 10 * noise


def test_what_carries_over_is_unknown_while_training_stands_still() -> None:
    flat = noisy(2.3, 2.3, 0.02, 3)
    val = Series.of([2.31, 2.32, 2.33], step=[60, 120, 180])
    assert carried_over(flat, val) is None
    assert carried_over(noisy(2.3, 2.0, 0.02, 3), Series.of([2.3, 2.2], step=[50, 150])) is None


def test_huge_and_broken_values_carry_nothing() -> None:
    val = Series.of([1e308, -1e308, 1e308, -1e308], step=[10, 20, 30, 40])
    for train in (Series.of([1e308, -1e308] * 25), Series.of([float("nan")] * 50), Series.of([])):
        found = carried_over(train, val)
        assert found is None or math.isfinite(found)
