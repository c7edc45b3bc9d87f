"""Averaging: whether a logged curve is a running average of what was measured, and over how many rows."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from curvedoc.core.series import Floats, Series
from curvedoc.stats.basic.grid import curve_of
from curvedoc.stats.basic.medians import mean_of, median_of

HEAD = 0.4  # of the rows: the steep beginning, whose slope hides what the noise does
FEWEST = 120  # rows: below that the correlation of differences is known to .1 only
WHITE = 0.16  # correlation of neighboring differences: raw noise has -.5, an average of five rows or more this at most
SMOOTH = 0.2  # above it neighboring differences go the same way: a curve without noise, not an average of noise
DIP = -0.3  # correlation at the lag at which rows leave a moving window; -.5 in theory
LONGEST = 400  # rows of a moving window
LAG = 32  # rows over which the moves of an exponential average are compared with one row's
MOST = 2.0 * LAG - 1.0  # rows: an exponential average is not told from a wider one
FINEST = 1e-15  # of the values: differences below it are rounding
LEAST = 5.0  # rows: a shorter average blurs nothing
MOVING = 0.7  # of the differences are not zero: a value that stands still is no average of noise


def averaged_rows(s: Series) -> float | None:
    """Over how many rows the values look averaged (a moving window, or an exponential average as wide as it).

    0 for raw noise and for curves without noise; None below 120 finite rows. The differences of raw values are
    correlated by -.5, those of an average hardly at all. A random walk looks the same: ask it of training losses, not
    of evaluations of one data set.

    >>> import itertools
    >>> noise = np.random.default_rng(0).standard_normal(500)
    >>> averaged_rows(Series.of(noise)), averaged_rows(Series.of(np.convolve(noise, np.ones(20) / 20, "valid")))
    (0.0, 20.0)
    """
    c = curve_of(s)
    n = len(c)
    if n < FEWEST:
        return None
    d = np.diff(c.y[int(HEAD * n) :])
    n = len(d) + 1
    d = d - _course(d)
    width = 5.0 * 1.4826 * median_of(np.abs(d))
    if width < FINEST or mean_of(d != 0.0) < MOVING:
        return 0.0
    d = np.clip(d, -width, width)
    near = _correlation(d, 1)
    if not -WHITE <= near <= SMOOTH or near - 3.0 / n**0.5 < -0.5 + WHITE:
        return 0.0
    window = _window(d)
    if window is not None:
        return float(window) if window >= LEAST else 0.0
    span = _span(d)
    return span if span >= LEAST else 0.0


def _span(d: Floats) -> float:
    """Rows of a window as wide as the exponential average with these differences; at most twice the lag looked at.

    Over k rows such an average moves by (1 - p^k) / (1 - p) times the variance of one row's move, p its persistence.
    """
    y = np.cumsum(d)
    far = y[LAG:] - y[:-LAG]
    seen = mean_of((far - mean_of(far)) ** 2) / mean_of(d * d)
    p = np.linspace(0.5, 1.0 - 1.0 / LAG, 400)
    persistence = float(p[int(np.argmin(np.abs((1.0 - p**LAG) / (1.0 - p) - seen)))])
    return (1.0 + persistence) / (1.0 - persistence)


@lru_cache(maxsize=8)  # the curves of a run mostly have one length
def _across(n: int) -> Floats:
    x = np.linspace(-1.0, 1.0, n)
    x.setflags(write=False)
    return x


def _course(d: Floats) -> Floats:
    """The slow part of the differences, what the curve's own slope adds: a line in the rows, robust to single ones."""
    x = _across(len(d))
    width = 3.0 * 1.4826 * median_of(np.abs(d - median_of(d)))
    level = np.full(len(d), median_of(d))
    for _ in range(2):
        near = np.clip(d, level - width, level + width)
        level = mean_of(near) + x * float(x @ near) / float(x @ x)
    return np.asarray(level, dtype=np.float64)


def _correlation(d: Floats, lag: int) -> float:
    return float(d[lag:] @ d[:-lag]) / float(d @ d)


def _window(d: Floats) -> int | None:
    """The lag at which differences undo each other, as rows that leave a moving window do; None without one."""
    most = min(LONGEST, len(d) // 4)
    size = 1 << int(2 * len(d) - 1).bit_length()
    power = np.abs(np.fft.rfft(d, size)) ** 2
    r = np.fft.irfft(power, size)[1 : most + 1]
    r = r / float(d @ d)
    at = int(r.argmin())
    rest = np.delete(r, at)
    return at + 1 if r[at] <= DIP and float(np.quantile(np.abs(rest), 0.9)) < -r[at] / 2 else None
