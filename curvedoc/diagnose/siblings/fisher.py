"""Fisher's exact test, and its correction for having looked at many splits of the same runs."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import numpy.typing as npt

#: Up to this many ways to choose the failed runs, every one is tried; beyond it as many are drawn.
MOST_ARRANGEMENTS = 5000
#: Above this many runs Bonferroni's bound takes the place of arrangements: with so many runs its loss does not matter.
MOST_RUNS = 200
#: Tables as probable as the observed one count, whatever the last bits of their probabilities say.
_SLACK = 1e-7

Masks = npt.NDArray[np.bool_]


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def p_values(side: int, runs: int, failed: int) -> npt.NDArray[np.float64]:
    """Two-sided p for every count of failed runs on a side of that size; index: the count, 0 to `side`.

    Counts that cannot occur with these margins have p = 1. Source: Fisher (1922), two-sided by the sum of all tables
    that are at most as probable.
    """
    low, high = max(0, failed - (runs - side)), min(side, failed)
    total = _log_choose(runs, side)
    log = {k: _log_choose(failed, k) + _log_choose(runs - failed, side - k) - total for k in range(low, high + 1)}
    probability = {k: math.exp(x) for k, x in log.items()}
    out = np.ones(side + 1)
    for k, own in probability.items():
        out[k] = min(1.0, math.fsum(p for p in probability.values() if p <= own * (1 + _SLACK)))
    return out


def fisher(failed_here: int, here: int, failed_there: int, there: int) -> float:
    """Two-sided p that a side of `here` runs fails as often as the other.

    >>> round(fisher(3, 3, 0, 9), 6)
    0.004545
    """
    return float(p_values(here, here + there, failed_here + failed_there)[failed_here])


def _arrangements(failed: int, runs: int) -> Masks:
    """Ways in which as many runs could have failed: all of them, or a fixed draw that includes none twice by design."""
    if math.comb(runs, failed) <= MOST_ARRANGEMENTS:
        out = np.zeros((math.comb(runs, failed), runs), dtype=np.bool_)
        for i, chosen in enumerate(combinations(range(runs), failed)):
            out[i, list(chosen)] = True
        return out
    rng = np.random.default_rng(0)
    first = np.zeros((MOST_ARRANGEMENTS, runs), dtype=np.bool_)
    first[:, :failed] = True
    return rng.permuted(first, axis=1)


def corrected(splits: Masks, failed: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """The p of every split, corrected for having tried all of them.

    splits: (splits, runs), which runs are on one side; failed: (runs,). A split's corrected p is the share of
    arrangements of the failures whose best split is at least as good, which takes into account that thresholds of one
    key say nearly the same. Source: Westfall and Young (1993), Resampling-based multiple testing, single-step min P.
    """
    runs, lost = len(failed), int(failed.sum())
    sizes = splits.sum(axis=1)
    tables = {int(s): p_values(int(s), runs, lost) for s in np.unique(sizes)}
    own = np.array(
        [tables[int(s)][int((row & failed).sum())] for s, row in zip(sizes, splits, strict=True)], dtype=np.float64
    )
    if runs > MOST_RUNS:
        return np.minimum(1.0, own * len(splits))
    arranged = _arrangements(lost, runs)
    counts = arranged.astype(np.int32) @ splits.T.astype(np.int32)
    best = np.ones(len(arranged))
    for i, size in enumerate(sizes):
        best = np.minimum(best, tables[int(size)][counts[:, i]])
    best.sort()
    as_good = np.searchsorted(best, own * (1 + _SLACK), side="right")
    drawn = math.comb(runs, lost) > MOST_ARRANGEMENTS
    # a draw can miss the arrangement at hand, so it is added to both counts
    return np.asarray((as_good + 1) / (len(best) + 1) if drawn else as_good / len(best), dtype=np.float64)
