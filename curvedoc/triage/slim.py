"""RunDiagnosis without its weight: one curve of a sparkline's size, so that a million runs can be told at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from curvedoc.diagnosis import Curve, RunDiagnosis
from curvedoc.report.summary import main_curve

#: Columns that a sparkline has, on the page and on the terminal.
SPARK = 70


def slim(run: RunDiagnosis) -> RunDiagnosis:
    """The run with its main curve alone, at most `SPARK` buckets of it; everything that is said of it stays."""
    curve = main_curve(run)
    return replace(run, curves=() if curve is None else (coarse(curve, SPARK),))


def coarse(curve: Curve, buckets: int) -> Curve:
    """The curve in at most so many buckets: means of means, extremes of extremes, raw points left out.

    The last bucket stands by itself, so that the last value stays what it was. NaN where no bucket had a finite value.
    """
    n = len(curve.step)
    if n <= buckets:
        return replace(curve, raw=((), ()))
    edges = np.unique(np.append(np.linspace(0, n - 1, buckets).astype(np.int64), n))[:-1]
    mean, low, high = (np.array(v, dtype=np.float64) for v in (curve.mean, curve.low, curve.high))
    ok = np.isfinite(mean)
    count = np.add.reduceat(ok.astype(np.int64), edges)
    some = count > 0
    total = np.add.reduceat(np.where(ok, mean, 0.0) / np.repeat(np.maximum(count, 1), np.diff([*edges, n])), edges)
    least = np.minimum.reduceat(np.where(ok, low, np.inf), edges)
    most = np.maximum.reduceat(np.where(ok, high, -np.inf), edges)
    return replace(
        curve,
        step=tuple(curve.step[i] for i in edges),
        mean=tuple(np.where(some, total, np.nan).tolist()),
        low=tuple(np.where(some, least, np.nan).tolist()),
        high=tuple(np.where(some, most, np.nan).tolist()),
        raw=((), ()),
    )


class Shared:
    """Equal parts of many diagnoses held once: what was not judged, and why, is the same in most runs of a tree."""

    def __init__(self) -> None:
        self._known: dict[object, object] = {}

    def __call__(self, run: RunDiagnosis) -> RunDiagnosis:
        """The run with its repeated parts replaced by the equal ones that were seen first."""
        known = self._known.setdefault(run.not_judged, run.not_judged)
        causes = tuple(
            replace(c, checks=self._known.setdefault(c.checks, c.checks), fix=self._known.setdefault(c.fix, c.fix))  # type: ignore[arg-type]
            for c in run.causes
        )
        return replace(run, not_judged=known, causes=causes)  # type: ignore[arg-type]
