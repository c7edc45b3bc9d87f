"""What the first rows of a classifier tell, and accuracies in percent."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.series import Series
from curvedoc.stats.basic.counting import examples_counted
from curvedoc.stats.basic.guessing import classes_at_rest, classes_at_start


@pytest.mark.parametrize("classes", [2, 3, 4, 5, 6, 8, 10, 20, 83, 1000, 50304])
def test_a_uniform_guess_tells_the_number_of_classes(classes):
    loss = Series.of([np.log(classes), np.log(classes) * 0.99, 0.9 * np.log(classes), 0.5])
    right = Series.of([1 / classes, 1.2 / classes, 2 / classes, 0.8])
    assert classes_at_start(loss, right) == classes
    assert classes_at_start(loss, Series.of(right.value * 100)) == classes


@given(st.floats(0.0, 0.85), st.integers(5, 200))
@settings(max_examples=60, deadline=None)
def test_a_model_that_knew_something_before_the_log_begins_tells_no_classes(share, classes):
    """A calibrated one: right on `right` of the samples, the rest of its belief spread evenly."""
    right = 0.45 + 0.5 * share
    wrong = 1 - right
    loss = -right * np.log(right) - wrong * np.log(wrong / (classes - 1))
    assert classes_at_start(Series.of([loss] * 4), Series.of([right] * 4)) is None


def test_an_accuracy_that_contradicts_the_loss_tells_nothing():
    assert classes_at_start(Series.of([4.6, 4.0, 3.0]), Series.of([0.16, 0.2, 0.4])) is None
    assert classes_at_start(Series.of([]), Series.of([0.1])) is None
    assert classes_at_start(Series.of([np.nan, np.inf]), Series.of([0.1, 0.1])) is None
    assert classes_at_start(Series.of([0.2, 0.1]), Series.of([0.1, 0.1])) is None
    assert classes_at_start(Series.of([-3.0, -4.0]), Series.of([0.1, 0.1])) is None


def test_rows_that_have_learned_are_not_asked():
    loss, right = Series.of([2.303, 1.0, 0.2]), Series.of([0.09, 0.7, 0.95])
    assert classes_at_start(loss, right) == 10.0
    late = Series.of([0.6, 0.7, 0.95], step=[1, 2, 3])
    assert classes_at_start(loss, late) is None


@pytest.mark.parametrize("classes", [3, 5, 8, 10, 20])
def test_a_model_that_ends_at_chance_tells_the_number_of_classes(classes):
    loss = Series.of([4.0, 3.5, *([np.log(classes)] * 4)])
    right = Series.of([0.0, 0.0, *([1 / classes] * 4)])
    assert classes_at_rest(loss, right) == classes
    assert classes_at_rest(loss, Series.of(100 * right.value)) == classes


@given(st.floats(1.0, 2.9), st.floats(1.5, 4.0))
@settings(max_examples=60, deadline=None)
def test_a_model_that_is_right_more_often_than_its_loss_says_does_not_guess(level, times):
    right = min(1.0, times * np.exp(-level))
    assert classes_at_rest(Series.of([level] * 6), Series.of([right] * 6)) is None


def test_outputs_that_rest_above_a_guess_are_counted_by_their_right_answers():
    right = Series.of([0.03, 0.1, 0.102, 0.101, 0.104, 0.102, 0.104, 0.103, 0.101, 0.102, 0.104, 0.102])
    assert classes_at_rest(Series.of([2.45] * 12), right) == 10
    assert classes_at_rest(Series.of([2.303] * 12), right) == 10


def test_no_rows_tell_no_classes_at_rest():
    assert classes_at_rest(Series.of([]), Series.of([0.1])) is None
    assert classes_at_rest(Series.of([np.nan]), Series.of([np.nan])) is None


@given(st.integers(3, 24), st.lists(st.integers(0, 24), min_size=2, max_size=40), st.booleans())
@settings(max_examples=60, deadline=None)
def test_shares_of_a_few_examples_tell_a_number_that_fits_them(count, rights, percent):
    shares = np.array([min(r, count) / count for r in rights])
    told = examples_counted(Series.of(np.round(shares, 4) * (100 if percent and shares.max() > 0.1 else 1)))
    if told is not None:
        assert 3 <= told <= count
        assert np.allclose(shares * told, np.round(shares * told), atol=0.02)


def test_shares_of_many_examples_tell_no_number():
    rng = np.random.default_rng(3)
    assert examples_counted(Series.of(np.round(rng.uniform(0.3, 0.9, 40), 4))) is None
    assert examples_counted(Series.of([1.0, 1.0, 1.0])) is None
    assert examples_counted(Series.of([0.0, 1.0, 1.0])) is None
    assert examples_counted(Series.of([])) is None


@given(st.integers(25, 900), st.integers(0, 2**32 - 1))
def test_a_share_of_some_hundred_examples_is_told_by_its_digits(examples: int, seed: int) -> None:
    right = np.random.default_rng(seed).integers(examples // 2, examples, 30)
    told = examples_counted(Series.of(np.round(right / examples, 4)))
    # all of them may be whole numbers of a part of the set
    assert told is None or (told <= examples and examples_counted(Series.of(right / examples)) is not None)


def test_two_digits_tell_no_hundred_examples() -> None:
    assert examples_counted(Series.of([0.71, 0.62, 0.66, 0.48, 0.6, 0.7])) is None
    assert examples_counted(Series.of([0.7667, 0.7556, 0.7778, 0.7444])) == 90
