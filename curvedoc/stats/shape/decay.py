"""The smooth decay under a curve, picked from a dictionary of power laws and exponentials by one matrix product."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.series import Floats, Ints, Series, once_a_series
from curvedoc.stats.basic.buckets import BUCKETS, bucket_means, mix_edges
from curvedoc.stats.basic.robust import clipped, mad_noise, unit_of
from curvedoc.stats.basic.spacing import evenly_spaced, typical_gap

MIN_ROWS = 20
# Power laws (u + c)^-d and exponentials exp(-u / tau) over the run u in (0, 1].
EXPONENTS = np.geomspace(0.05, 3.0, 40)
OFFSETS = np.concatenate([[0.0], np.geomspace(1e-4, 0.3, 12)])
TIMES = np.geomspace(0.005, 3.0, 40)
# Below this share of explained bucket variance the curve is called flat.
R2_FLAT = 0.05


@dataclass(frozen=True, slots=True)
class DecayFit:
    """Smooth monotone model of one curve: base + gain * shape(u), u = position in the run in (0, 1].

    kind:   "power" (u + offset)^-rate, "exponential" exp(-u / rate), or "flat"
    floor:  level of the model at the last step (a curve still falling goes below it later)
    drop:   model at the first step minus model at the last; negative for a rising curve
    limit:  level the model tends to beyond the run (uncertain by nature, never a verdict)
    sigma:  row-to-row noise of the values around it
    r2:     share of the variance of the bucket means that it explains, 0..1
    rows:   finite rows it was fitted to
    """

    kind: Literal["power", "exponential", "flat"]
    floor: float
    drop: float
    limit: float
    sigma: float
    r2: float
    rate: float
    offset: float
    rows: int


@dataclass(frozen=True, slots=True, eq=False)
class DecayShape:
    """A fitted shape on rescaled values: base + gain * shape(u)."""

    kind: Literal["power", "exponential", "flat"]
    base: float
    gain: float
    rate: float
    offset: float
    r2: float

    def at(self, u: Floats) -> Floats:
        """The model at positions u in (0, 1], same length."""
        if self.kind == "power":
            return np.asarray(self.base + self.gain * (u + self.offset) ** -self.rate, dtype=np.float64)
        if self.kind == "exponential":
            return np.asarray(self.base + self.gain * np.exp(-u / self.rate), dtype=np.float64)
        return np.full(len(u), self.base)


def positions(step: Ints) -> Floats:
    """Position of every row in the run, in (0, 1], increasing: the first step stands one typical gap after 0."""
    n = len(step)
    x = step.astype(np.float64) - float(step[0])
    gap = typical_gap(step) if n > 1 else 1.0
    if not gap > 0.0:
        return (np.arange(n) + 1.0) / n
    return np.asarray((x + gap) / (float(x[-1]) + gap), dtype=np.float64)


def _atoms(centers: Floats) -> Floats:
    """All shapes at the bucket centers, [40 * 13 + 40, buckets]."""
    logs = np.log(centers[None, :] + OFFSETS[:, None])
    powers = np.exp(-EXPONENTS[:, None, None] * logs[None, :, :])
    fades = np.exp(-centers[None, :] / TIMES[:, None])
    return np.concatenate([powers.reshape(-1, len(centers)), fades])


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """The dictionary at the bucket centers, and of each shape its weighted mean and norm about it."""

    shapes: Floats  # [40 * 13 + 40, buckets]
    center: Floats
    norm: Floats


def _weighted(shapes: Floats, weight: Floats) -> Atoms:
    total = float(weight.sum())
    center = shapes @ weight / total
    norm = np.sqrt(np.maximum((shapes * shapes) @ weight - center * center * total, 1e-300))
    for shared in (shapes, center, norm):
        shared.setflags(write=False)
    return Atoms(shapes, center, norm)


@lru_cache(maxsize=16)
def _even_atoms(n: int, buckets: int) -> Atoms:
    """The dictionary for n evenly spaced rows: the curves of one batch mostly share their length."""
    edges = mix_edges(n, buckets)
    return _weighted(_atoms((edges[:-1] + edges[1:] + 1) / (2.0 * n)), np.diff(edges).astype(np.float64))


def fit_shape(y: Floats, step: Ints | None = None, calm: Floats | None = None) -> DecayShape:
    """The best dictionary shape for finite values |y| <= 2 of at least 3 rows; by row where `step` is None.

    Least squares on bucket means of outlier-clipped values, weighted by rows. Exponents 40 x offsets 13, 40 time
    constants; no refinement (model error .3 % of the range). calm: clipped(y) where it is known.
    """
    n = len(y)
    edges = mix_edges(n, min(BUCKETS, max(8, n // 3)))
    weight = (edges[1:] - edges[:-1]).astype(np.float64)
    mean = bucket_means(clipped(y) if calm is None else calm, edges)
    if step is None or evenly_spaced(step):
        atoms = _even_atoms(n, min(BUCKETS, max(8, n // 3)))
    else:
        atoms = _weighted(_atoms(bucket_means(positions(step), edges)), weight)
    total = float(weight.sum())
    middle = float(weight @ mean) / total
    left = (mean - middle) * weight
    variance = float(left @ (mean - middle))
    if variance <= 0.0:
        return DecayShape("flat", middle, 0.0, 1.0, 0.0, 0.0)
    center, norm = atoms.center, atoms.norm
    score = (atoms.shapes @ left) / norm
    best = int(np.argmax(np.abs(score)))
    r2 = min(1.0, float(score[best]) ** 2 / variance)
    if r2 < R2_FLAT:
        return DecayShape("flat", middle, 0.0, 1.0, 0.0, r2)
    gain = float(score[best] / norm[best])
    base = middle - gain * float(center[best])
    powers = len(EXPONENTS) * len(OFFSETS)
    if best >= powers:
        return DecayShape("exponential", base, gain, float(TIMES[best - powers]), 0.0, r2)
    d, c = divmod(best, len(OFFSETS))
    return DecayShape("power", base, gain, float(EXPONENTS[d]), float(OFFSETS[c]), r2)


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The finite rows of a series on the scale of unit(), with the smooth decay under them; arrays [n], read-only.

    value = center + scale * y; calm: y with outliers clipped; model: the decay at every row
    """

    y: Floats
    center: float
    scale: float
    calm: Floats
    shape: DecayShape
    model: Floats

    def rest(self, scale: float) -> Floats:
        """What stands above the decay, in units of `scale`, [n]; zeros where only subnormal numbers move."""
        with np.errstate(over="ignore"):
            factor = np.float64(self.scale) / scale
        return (self.y - self.model) * factor if np.isfinite(factor) else np.zeros(len(self.y))


@once_a_series
def ground(s: Series) -> Ground | None:
    """The smooth decay under a series, once for every statistic that looks at what is left above it.

    None below 20 finite rows.
    """
    v = s.finite()
    if len(v) < MIN_ROWS:
        return None
    y, center, scale = unit_of(v)
    calm = clipped(y)
    shape = fit_shape(y, v.step, calm)
    model = shape.at(positions(v.step))
    for shared in (calm, model):
        shared.setflags(write=False)
    return Ground(y, center, scale, calm, shape, model)


def decay_fit(s: Series) -> DecayFit | None:
    """The smooth decay (or saturating rise) of a curve; None below 20 finite rows.

    Step coordinate; single outliers are clipped first. A monotone model: valleys and jumps remain in the residual.

    Source: variable projection (Golub & Pereyra 1973) on a fixed grid instead of an iteration.

    >>> fit = decay_fit(Series.of([1 + 3 * 0.9**i for i in range(200)]))
    >>> fit.kind, round(fit.floor, 1), round(fit.r2, 2)
    ('exponential', 1.0, 1.0)
    """
    g = ground(s)
    if g is None:
        return None
    center, scale, shape, model = g.center, g.scale, g.shape, g.model
    first, last = float(model[0]), float(model[-1])
    limit = shape.base if shape.gain * last <= shape.gain * first or shape.kind == "flat" else last
    return DecayFit(
        kind=shape.kind,
        floor=center + scale * last,
        drop=scale * (first - last),
        limit=center + scale * limit,
        sigma=scale * mad_noise(g.y - model),
        r2=shape.r2,
        rate=shape.rate,
        offset=shape.offset,
        rows=len(g.y),
    )


def fitted(s: Series) -> Series:
    """The smooth decay at the finite rows of s; s itself (finite rows) below 20 of them."""
    v, g = s.finite(), ground(s)
    if g is None:
        return v
    with np.errstate(over="ignore"):  # values at the end of the float range may have an infinite model
        return Series(v.step, g.center + g.scale * g.model, v.metric, v.time)


def residual(s: Series) -> Series:
    """Value minus smooth decay at the finite rows of s; zeros below 20 of them.

    >>> bool(abs(residual(Series.of([1 + 3 * 0.98**i for i in range(200)])).value).max() < 0.1)
    True
    """
    v, g = s.finite(), ground(s)
    if g is None:
        return Series(v.step, np.zeros(len(v)), v.metric, v.time)
    with np.errstate(over="ignore"):
        return Series(v.step, g.scale * (g.y - g.model), v.metric, v.time)


def fit_floor(fit: DecayFit) -> float:
    """Level of the smooth decay at the last step."""
    return fit.floor


def fit_drop(fit: DecayFit) -> float:
    """Smooth decay at the first step minus at the last; negative for a rising curve."""
    return fit.drop


def fit_sigma(fit: DecayFit) -> float:
    """Row-to-row noise around the smooth decay."""
    return fit.sigma


def fit_r2(fit: DecayFit) -> float:
    """Share of the variance of the bucket means that the smooth decay explains."""
    return fit.r2
