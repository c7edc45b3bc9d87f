"""The shape of a run's main curve, free of its units: what two runs have in common that failed alike."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from curvedoc.core.diagnosis import Curve, RunDiagnosis
from curvedoc.diagnose.main_curve import main_curve as main_curve

#: Columns that a sparkline has, on the page and on the terminal; all that is kept of a run among thousands.
SPARK = 70
#: Points of a shape.
POINTS = 24
#: Fewer finite buckets have no shape.
_FEWEST = 6
#: Where a bucket without a finite value stands: beyond anything that a finite loss may reach (`_REACH`).
_BROKEN = 3.5
_REACH = (-1.5, 2.5)
#: The drop from start to best is at least this share of the start's level: a flat curve has noise and no shape.
_LEAST_DROP = 0.02


def coarse(curve: Curve, buckets: int) -> Curve:
    """The curve in at most so many buckets: means of means, extremes of extremes, raw points left out.

    The last bucket stands by itself, so that the last value stays what it was. NaN where no bucket had a finite value.
    """
    n = len(curve.step)
    if n <= buckets:
        return replace(curve, raw=((), ()))
    edges, rows = _buckets(n, buckets)
    mean, low, high = (np.array(v, dtype=np.float64) for v in (curve.mean, curve.low, curve.high))
    ok = np.isfinite(mean)
    count = np.add.reduceat(ok.astype(np.int64), edges)
    some = count > 0
    total = np.add.reduceat(np.where(ok, mean, 0.0) / np.repeat(np.maximum(count, 1), rows), edges)
    least = np.minimum.reduceat(np.where(ok, low, np.inf), edges)
    most = np.maximum.reduceat(np.where(ok, high, -np.inf), edges)
    return replace(
        curve,
        step=tuple(curve.step[i] for i in edges.tolist()),
        mean=tuple(np.where(some, total, np.nan).tolist()),
        low=tuple(np.where(some, least, np.nan).tolist()),
        high=tuple(np.where(some, most, np.nan).tolist()),
        raw=((), ()),
    )


# The runs of a tree are mostly of a few lengths.
@lru_cache(maxsize=64)
def _buckets(n: int, most: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The first row of at most so many buckets of n rows, and how many rows each has; read-only."""
    edges = np.unique(np.append(np.linspace(0, n - 1, most).astype(np.int64), n))
    first, rows = edges[:-1], np.diff(edges)
    for shared in (first, rows):
        shared.setflags(write=False)
    return first, rows


def shape(run: RunDiagnosis) -> npt.NDArray[np.float64] | None:
    """`POINTS` values along the run, 0 at the level of its start, -0.7 at its best, 3.5 where it is not finite.

    Distances from the start are counted in drops from start to best, on a logarithmic scale; the same for a run with
    all of its curve and with a sparkline's worth of it. None below `_FEWEST` finite buckets.
    """
    found = main_curve(run)
    if found is None:
        return None
    curve = coarse(found, SPARK)
    mean, step = np.array(curve.mean), np.array(curve.step, dtype=np.float64)
    ok = np.isfinite(mean)
    if ok.sum() < _FEWEST or step[-1] <= step[0]:
        return None
    finite = np.clip(mean[ok], -1e150, 1e150)
    start, best = float(np.median(finite[:3])), float(np.quantile(finite, 0.05))
    scale = max(start - best, 3 * float(np.median(np.abs(np.diff(finite)))), _LEAST_DROP * abs(start), 1e-300)
    value = np.full(len(mean), _BROKEN)
    value[ok] = np.clip(np.sign(finite - start) * np.log1p(np.abs(finite - start) / scale), *_REACH)
    along = (step - step[0]) / (step[-1] - step[0])
    return np.asarray(np.interp(np.linspace(0, 1, POINTS), along, value), dtype=np.float64)


def distance(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> float:
    """How far two shapes lie apart: 0 for the same, about 0.2 within one kind of failure, 1 and more for another."""
    return float(np.abs(a - b).mean())
