"""Trend, schedule, rhythm and pair statistics on step axes that no sane logger writes."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import test_stats_pairs
import test_stats_rhythm
import test_stats_schedule
import test_stats_trends

from curvedoc.core.series import Series

ONE = [f for m in (test_stats_trends, test_stats_schedule, test_stats_rhythm, test_stats_pairs) for f in m.ONE]
TWO = [*test_stats_trends.TWO, *test_stats_pairs.TWO]
AXES = {
    "gap of years": [*range(119), 2**62],
    "both ends of the integers": [-(2**63), *range(118), 2**63 - 1],
    "nanoseconds": [10**18 + 10**6 * i for i in range(120)],
    "negative": list(range(-500, -380)),
    "geometric": sorted({round(1.25**i) + i for i in range(120)}),
    "two points": [5, 9],
    "one point": [7],
    "none": [],
}


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("shape", ["noise", "decay", "constant", "tiny", "huge"])
def test_any_axis_gives_an_answer_or_none_without_a_warning(axis: str, shape: str) -> None:
    step = np.array(AXES[axis], dtype=np.int64)
    n = len(step)
    noise = np.random.default_rng(1).standard_normal(n)
    value = {
        "noise": noise,
        "decay": np.exp(-np.arange(n) / 5) + 1e-3 * noise,
        "constant": np.full(n, 2.3),
        "tiny": 1e-310 * noise,
        "huge": np.sign(noise) * 1.7e308,
    }[shape]
    s, plain = Series(step, value), Series.of(value[::-1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answers = [f(s) for f in ONE] + [f(s, plain) for f in TWO] + [f(plain, s) for f in TWO]
    assert not any(isinstance(v, np.bool_) for v in answers)
    assert all(math.isfinite(v) for v in answers if isinstance(v, float))
