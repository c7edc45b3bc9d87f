"""What would have stopped a failed run: simple rules, the step at which each would have, and what that saves."""

from __future__ import annotations

import numpy as np

from curvedoc.core.abort_rule import AbortRule
from curvedoc.core.run import Run
from curvedoc.core.series import Floats, Series
from curvedoc.stats.basic.medians import median_of

#: Factors that are tried, the sharpest first: the first that is quiet until the failure shows is taken.
FACTORS = (3.0, 5.0, 10.0, 20.0, 50.0, 100.0)
#: Values whose median is the usual gradient norm, and values for which the loss must stay high.
WINDOW, PATIENCE = 100, 10
#: A rule needs so many values before it may speak.
_FEW = 10
#: A rule that would have saved less than this share of the run is not worth a word.
_LEAST = 0.02


def abort_rules(run: Run, onset: int | None) -> tuple[AbortRule, ...]:
    """The rules that would have stopped a run after its failure began, the one that saves most first.

    onset: of the failure that is told first. A rule that would have stopped the run before, while that was not to be
    seen, is made blunter until it does not, or left out: what it saved then would be training that was wanted.
    """
    loss, norm = run.series("loss"), run.series("grad_norm")
    if onset is None or onset < 0 or loss is None or len(loss) < 2 * _FEW:
        return ()
    end = int(loss.step[-1])
    found = []
    if norm is not None and len(norm) >= 2 * _FEW:
        found.append(_sharpest("grad-norm", norm, _over_median(norm), onset, WINDOW))
    if len(loss.finite()) and float(loss.finite().value.min()) > 0:
        found.append(_sharpest("loss", loss, _over_best(loss), onset, PATIENCE))
    bad = np.flatnonzero(~np.isfinite(loss.value))
    if len(bad) and loss.step[bad[0]] >= onset:
        found.append(AbortRule("non-finite", 0.0, 1, int(loss.step[bad[0]])))
    made = [_saving(rule, loss, end) for rule in found if rule is not None]
    worth = [r for r in made if r.steps_saved >= _LEAST * max(1, end)]
    return tuple(sorted(worth, key=lambda r: (r.step, r.kind)))


def _sharpest(kind: str, series: Series, ratio: Floats, onset: int, window: int) -> AbortRule | None:
    """The rule of the smallest factor that is quiet before the onset and speaks after it."""
    for factor in FACTORS:
        hits = np.flatnonzero(ratio > factor)
        if not len(hits):
            return None
        step = int(series.step[hits[0]])
        if step >= onset:
            return AbortRule(kind, factor, window, step)
    return None


def _over_median(norm: Series) -> Floats:
    """Each value over the median of the `WINDOW` full ones before it, by blocks; 0 where there are too few."""
    v = np.where(np.isfinite(norm.value), norm.value, np.nan)
    middle = np.full(len(v), np.nan)
    starts = [_FEW, 2 * _FEW, WINDOW // 2, *range(WINDOW, len(v), WINDOW)]
    for a, b in zip(starts, [*starts[1:], len(v)], strict=True):
        before = v[max(0, a - WINDOW) : a]
        before = before[np.isfinite(before)]
        if len(before):
            middle[a:b] = median_of(before)
    return _over(v, middle)


def _over_best(loss: Series) -> Floats:
    """The least of the last `PATIENCE` values over the best before; what is not finite is as high as can be."""
    v = np.where(np.isfinite(loss.value), loss.value, np.inf)
    least = np.lib.stride_tricks.sliding_window_view(v, PATIENCE).min(axis=1)[1:]
    out = np.zeros(len(v))
    out[PATIENCE:] = _over(least, np.minimum.accumulate(v)[:-PATIENCE])
    out[: _FEW + PATIENCE] = 0.0
    return out


def _over(values: Floats, level: Floats) -> Floats:
    """values / level; 0 where the level is none."""
    able = np.isfinite(level) & (level > 0) & ~np.isnan(values)
    with np.errstate(over="ignore"):  # a ratio beyond all numbers is above every factor
        return np.divide(values, level, out=np.zeros(len(values)), where=able)


def _saving(rule: AbortRule, loss: Series, end: int) -> AbortRule:
    hours = None
    if loss.time is not None:
        later = loss.time[loss.step >= rule.step]
        later = later[np.isfinite(later)]
        if len(later) > 1 and later[-1] >= later[0]:
            hours = round(float(later[-1] - later[0]) / 3600, 4)
    return AbortRule(rule.kind, rule.factor, rule.window, rule.step, max(0, end - rule.step), hours)
