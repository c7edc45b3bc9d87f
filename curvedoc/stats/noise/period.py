"""Period: a pattern that returns, found without knowing its length, and the pattern of a known epoch."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.series import Floats, Ints, Series, once_a_series
from curvedoc.stats.basic.grid import MAD_TO_SD, curve_of, noise_of, scale_of
from curvedoc.stats.basic.medians import mean_of, median_of, quantile_of, range_of
from curvedoc.stats.basic.robust import median3
from curvedoc.stats.basic.spacing import typical_gap
from curvedoc.stats.shape.decay import ground

LEAST = 100  # rows
SHORTEST = 4.0  # rows of a period
CYCLES = 8  # a pattern must return that often
OVERSAMPLE = 2  # zero padding
HARMONICS = 3
CLEAR = 6.0  # score above ln n: 1 % of curves without a period
MOST = 1 << 19  # rows; of a longer curve, the last ones
SPARSE = 4  # grid cells per row beyond which uneven steps are not put on a grid
BINS = 10  # of an epoch


@dataclass(frozen=True, slots=True)
class Period:
    """The best period of a curve: its length in steps, and its score (power over background)."""

    steps: float
    score: float


@once_a_series
def _about_decay(s: Series) -> tuple[Floats, Ints, float] | None:
    """(what is left of the curve about its smooth decay, the steps, its scatter); None below 100 finite rows, or where
    nothing moves. Rescaled by `scale_of`.
    """
    g = ground(s)
    if g is None or len(g.y) < LEAST:
        return None
    v = s.finite()
    rest = g.rest(scale_of(v.value))[-MOST:]
    rest = rest - median_of(rest)
    spread = MAD_TO_SD * median_of(np.abs(rest))
    return (rest, v.step[-MOST:], spread) if spread > 1e-12 else None


@once_a_series
def find_period(s: Series) -> Period | None:
    """The strongest period of the curve about its smooth decay, significant or not; None below 100 finite rows.

    Hann-windowed FFT of the clipped residual over a background of local medians in log frequency, summed over up to
    three harmonics, local maxima only, at least eight cycles of four rows. Uneven steps go on a grid with holes,
    which equals Lomb-Scargle at a thousandth of its price. None where nothing moves.

    Source: Press and Rybicki 1989 (gridding); background and harmonic sum measured on simulated losses.
    """
    about = _about_decay(s)
    if about is None:
        return None
    rest, step, spread = about
    grid = _on_grid(np.minimum(np.maximum(rest / spread, -4.0), 4.0), step)
    if grid is None:
        return None
    cell, row = grid
    found = _strongest(cell)
    return None if found is None else Period(found[0] * row, found[1])


def _on_grid(y: Floats, step: Ints) -> tuple[Floats, float] | None:
    """Values on even cells (0 in the holes) and the steps of one cell; None where steps are too sparse for that."""
    x = step.astype(np.float64) - float(step[0])
    gaps = x[1:] - x[:-1]
    row = typical_gap(x)
    if bool((gaps == gaps[0]).all()):
        return y - mean_of(y), row
    if mean_of(gaps == row) < 0.9:
        row = max(1.0, float(np.floor(quantile_of(gaps, 0.05))))
    if not (row > 0.0 and x[-1] / row < SPARSE * len(y)):
        return None
    place = np.round(x / row).astype(np.int64)
    cell = np.zeros(int(place[-1]) + 1)
    cell[place] = y - mean_of(y)
    return cell, row


def _strongest(y: Floats) -> tuple[float, float] | None:
    """Period in cells and score of the strongest peak."""
    n = len(y)
    size = 1 << (OVERSAMPLE * n - 1).bit_length()
    power = np.abs(np.fft.rfft(y * _window(n), size)) ** 2
    least, most = -(-size * CYCLES // n), int(size / SHORTEST)
    if most - least < 8:
        return None
    over = power / _background(power, max(4, least // 2))
    wide = 2 * OVERSAMPLE
    k = np.arange(max(least, wide), most)
    k = k[
        (over[k] >= over[k - 1])
        & (over[k] >= over[k + 1])
        & (over[k] > over[k - wide])
        & (over[k] > over[np.minimum(k + wide, len(over) - 1)])
    ]
    if not len(k):
        return None
    best = total = over[k]
    for h in range(2, HARMONICS + 1):
        at = np.minimum(k * h, len(over) - 2)
        add = np.maximum(np.maximum(over[at - 1], over[at]), over[at + 1])
        total = total + np.where(k * h < len(over) - 2, add, 0.0)
        # the price of having looked at h places
        best = np.maximum(best, total - 1.5 * (h - 1) - (h - 1) * np.log(np.maximum(total / h, 1.0)))
    j = int(best.argmax())
    a, b, c = np.log(power[k[j] - 1 : k[j] + 2] + 1e-300)
    bend = a - 2 * b + c
    shift = min(max(float(0.5 * (a - c) / bend), -0.5), 0.5) if abs(bend) > 1e-12 else 0.0
    return size / (float(k[j]) + shift), float(best[j])


def _background(power: Floats, first: int) -> Floats:
    """Power that noise alone would show at every frequency: medians in bins of log frequency, peaks voted out."""
    pairs, center = _bins(len(power), first)
    level = np.log(np.array([median_of(power[a:b]) for a, b in pairs]) / np.log(2.0) + 1e-300)
    smooth = median3(level)
    smooth[0] = max(level[0], smooth[0])
    return np.asarray(np.exp(np.interp(_log_places(len(power)), center, smooth)), dtype=np.float64)


# The runs of a tree are mostly of a few lengths.
@lru_cache(maxsize=4)
def _bins(rows: int, first: int) -> tuple[list[tuple[int, int]], Floats]:
    """(first row, row after the last) of bins of log frequency, and their middles."""
    bounds = [first]
    while bounds[-1] < rows - 1:
        bounds.append(min(rows - 1, max(bounds[-1] + 6 * OVERSAMPLE, int(bounds[-1] * 1.25))))
    return list(pairwise(bounds)), np.array([0.5 * (np.log(a) + np.log(b)) for a, b in pairwise(bounds)])


@lru_cache(maxsize=4)
def _window(n: int) -> Floats:
    return np.hanning(n)


@lru_cache(maxsize=4)
def _log_places(n: int) -> Floats:
    return np.log(np.maximum(np.arange(n), 1.0))


def significant(score: float, rows: int) -> bool:
    """Whether a period of this score is beyond what curves without one show (1 % of them)."""
    return score > float(np.log(max(rows, 2))) + CLEAR


def period(s: Series) -> float | None:
    """Length in steps of a pattern that returns at least eight times; None without one or below 100 finite rows.

    >>> import math
    >>> round(period(Series.of([math.sin(i / 5) + (i * i * 7919 % 101) / 101 for i in range(600)])))
    31
    """
    found = find_period(s)
    return found.steps if found is not None and significant(found.score, len(s.finite())) else None


def period_score(s: Series) -> float | None:
    """Power of the strongest period over its background, significant or not; None below 100 finite rows.

    >>> period_score(Series.of([1.0] * 200)) is None
    True
    """
    found = find_period(s)
    return None if found is None else found.score


def period_amplitude(s: Series) -> float | None:
    """Half of the way from crest to trough of the period's first harmonic, in units of the value; None without one.

    >>> import math
    >>> round(period_amplitude(Series.of([2 * math.sin(i / 5) + (i * i * 7919 % 101) / 101 for i in range(600)])))
    2
    """
    steps, about = period(s), _about_decay(s)
    if steps is None or about is None:
        return None
    rest, step, spread = about
    phase = 2.0 * np.pi * (step.astype(np.float64) - float(step[0])) / steps
    wave = np.stack([np.cos(phase), np.sin(phase)])
    size = float(np.hypot(*(wave @ np.clip(rest, -4 * spread, 4 * spread))) * 2.0 / len(rest))
    size *= scale_of(s.finite().value)
    return size if np.isfinite(size) else None


@dataclass(frozen=True, slots=True)
class Fold:
    """The curve folded at a known epoch length.

    score:     F statistic of the ten bins over the epochs as repeats, each weighed by its own scatter (Welch 1951);
               above 4 a pattern of the epoch
    amplitude: highest minus lowest bin, in units of the value
    tilt:      correlation of the pattern with the place in the epoch: -1 falls within it and leaps up between, 1 rises
    """

    score: float
    amplitude: float
    tilt: float


def fold(s: Series, epoch_steps: float) -> Fold | None:
    """The curve less its moving mean over one epoch, folded; None below three epochs of five rows.

    Epochs count as independent repeats, so noise that is correlated within an epoch does not pass for a pattern.
    """
    c = curve_of(s)
    n = len(c)
    if n < 20 or not 1.0 <= epoch_steps <= (c.x[-1] - c.x[0]) / 3.0:
        return None
    per = round(epoch_steps / typical_gap(c.x))
    if per < 5 or n < 3 * per:
        return None
    level = _epoch_mean(c.y, per)
    skip = per // 2
    rest, x = c.y[skip : skip + len(level)] - level, c.x[skip : skip + len(level)]
    limit = 5.0 * max(noise_of(rest), MAD_TO_SD * median_of(np.abs(rest)))
    rest = np.clip(rest, -limit, limit)
    bins = min(BINS, per)
    place = np.minimum(((x % epoch_steps) / epoch_steps * bins).astype(np.int64), bins - 1)
    epoch = ((x - x[0]) // epoch_steps).astype(np.int64)
    epochs = int(epoch[-1]) + 1
    cell = epoch * bins + place
    count = np.bincount(cell, minlength=epochs * bins).reshape(epochs, bins)
    total = np.bincount(cell, weights=rest, minlength=epochs * bins).reshape(epochs, bins)
    seen = count > 0
    repeats = seen.sum(axis=0)
    if int(repeats.min()) < 2:
        return None
    value = np.where(seen, total / np.maximum(count, 1), 0.0)
    pattern = value.sum(axis=0) / repeats
    # each bin is judged by its own scatter: the first rows of a running average scatter far more than the rest
    spread = (((value - pattern) ** 2) * seen).sum(axis=0) / np.maximum(repeats - 1, 1)
    weight = repeats / np.maximum(spread, 1e-6 * max(float(spread.max()), 1e-18))
    away = (pattern - float(weight @ pattern) / float(weight.sum())) ** 2
    between, score = float(mean_of(away)), float(weight @ away) / (bins - 1)
    if between <= 1e-18:
        return Fold(0.0, 0.0, 0.0)
    score = min(score, 1e6)
    middle = np.arange(bins) - (bins - 1) / 2
    tilt = float(
        middle @ pattern / np.sqrt((middle @ middle) * (pattern - mean_of(pattern)) @ (pattern - mean_of(pattern)))
    )
    return Fold(score, range_of(pattern) * c.scale, tilt)


def _epoch_mean(y: Floats, per: int) -> Floats:
    """The mean over one epoch of `per` rows around each row that has one, from running sums: linear in the rows.

    An even number of rows has no middle: both ends then count half.
    """
    middle = float(y.mean())  # sums of what is left stay small, so their differences lose no digits
    total = np.concatenate(([0.0], np.cumsum(y - middle)))
    mean = (total[per:] - total[:-per]) / per + middle
    return mean if per % 2 else (mean[:-1] + mean[1:]) / 2


def epoch_fold(s: Series, epoch_steps: float) -> float | None:
    """F score of a pattern that every epoch of `epoch_steps` steps repeats: above 4 is one; None below three epochs.

    >>> epoch_fold(Series.of([i % 20 + (i * 7919 % 13) / 13 for i in range(200)]), 20.0) > 4
    True
    """
    found = fold(s, epoch_steps)
    return None if found is None else found.score


def epoch_amplitude(s: Series, epoch_steps: float) -> float | None:
    """Highest minus lowest tenth of the folded epoch, in units of the value; None below three epochs.

    >>> round(epoch_amplitude(Series.of([float(i % 20) for i in range(200)]), 20.0))
    18
    """
    found = fold(s, epoch_steps)
    return None if found is None or not np.isfinite(found.amplitude) else found.amplitude


def sawtooth_sign(s: Series, epoch_steps: float) -> float | None:
    """Tilt of the folded epoch: near -1 it falls within and leaps up between epochs, near 1 it rises within.

    Near 0: no sawtooth, whatever other pattern there may be. None below three epochs.

    >>> round(sawtooth_sign(Series.of([float(i % 20) for i in range(200)]), 20.0))
    1
    """
    found = fold(s, epoch_steps)
    return None if found is None else found.tilt
