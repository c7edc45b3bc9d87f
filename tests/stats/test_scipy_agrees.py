"""Small statistics of ours beside scipy's, which takes longer to import than a run to be judged: they say the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.diagnose.siblings.fisher import fisher
from curvedoc.stats.basic.grid import as_normal, student
from curvedoc.stats.shape.transition import isotonic


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 12), st.integers(1, 12), st.integers(0, 12), st.integers(1, 12))
def test_fisher(a: int, here: int, b: int, there: int) -> None:
    from scipy.stats import fisher_exact

    a, b = min(a, here), min(b, there)
    expected = fisher_exact([[a, here - a], [b, there - b]]).pvalue
    assert fisher(a, here, b, there) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("df", [3, 4, 8, 20, 100, 10**6])
@pytest.mark.parametrize("level", [1.0, 1.645, 2.326])
def test_the_quantile_of_student(df: int, level: float) -> None:
    from scipy.special import ndtr, stdtrit

    assert student(level, df) == pytest.approx(stdtrit(df, ndtr(level)), rel=0.02)


@pytest.mark.parametrize("df", [4, 8, 20, 100])
@pytest.mark.parametrize("t", [-3.0, -1.0, 0.5, 2.0, 4.0])
def test_the_deviate_as_rare(df: int, t: float) -> None:
    from scipy.special import ndtri, stdtr

    assert as_normal(t, df) == pytest.approx(ndtri(stdtr(df, t)), rel=0.01)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.floats(-100, 100), st.floats(0.1, 10)), min_size=1, max_size=60))
def test_isotonic_regression(rows: list[tuple[float, float]]) -> None:
    from scipy.optimize import isotonic_regression

    y, weight = np.array(rows).T
    np.testing.assert_allclose(isotonic(y, weight), isotonic_regression(y, weights=weight).x, rtol=1e-9, atol=1e-9)


def test_the_spectrum_is_scipys() -> None:
    from scipy.fft import rfft

    y = np.sin(np.arange(512) / 7.0)
    np.testing.assert_allclose(np.fft.rfft(y), rfft(y), rtol=1e-9, atol=1e-9)
