"""Setback: where the level of a curve steps up, judged by the noise and the level of its own time, not by progress."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Series, once_a_series
from curvedoc.stats.basic.autocorrelation import lag_one
from curvedoc.stats.basic.medians import median_of, neighbors, row_medians, top_of
from curvedoc.stats.basic.robust import finite_rows, unit_of
from curvedoc.stats.events.event import CurveEvent

LEAST = 12  # finite rows
SHARE, SHORTEST, LONGEST = 12, 4, 40  # rows of a level: a twelfth of the curve
TENTH = 10  # of a level's rows lie between one and the next
MOST = 2_000  # levels of longer curves are those of stretches
SKIP = 0.05  # of the rows: the first ones have no level yet
GONE = 0.25  # of the step, or of the level before where that is less: who comes so near has made it good
MEDIAN = 1.2533  # standard error of a median, in that of a mean
FLOOR = 1e-9  # of the scale: rounding is no noise that could be divided by


@once_a_series
def _largest(s: Series) -> CurveEvent | None:
    u, center, scale = unit_of(s)
    if len(u) < LEAST:
        return None
    size = -(-len(u) // MOST)
    if size > 1:
        whole = len(u) // size
        u = row_medians(u[: whole * size].reshape(whole, size))
    n = len(u)
    w = min(max(n // SHARE, SHORTEST), LONGEST)
    # levels overlap by nine tenths: where exactly the step is, its rows say
    stride = max(1, w // TENTH)
    behind = w // stride
    w = behind * stride
    level = row_medians(neighbors(u, w)[::stride])
    last = len(level) - 1
    at = np.arange(-(-max(w, int(SKIP * n)) // stride), last + 1)
    before_at, at_level = level[at - behind], level[at]
    rise = at_level - before_at
    # a climb that came as fast before, or goes on as fast, is no step
    prior = before_at - level[np.maximum(at - 2 * behind, 0)]
    onward = level[np.minimum(at + behind, last)] - at_level
    step_up = rise - np.maximum(np.maximum(prior, onward), 0.0)
    if not top_of(step_up) > 0.0:  # asked before the noise, which takes longer
        return None
    # noise of the rows before, and halfway to that of the rows after where it grew with the level
    moves = row_medians(neighbors(np.abs(u[1:] - u[:-1]), w - 1)[::stride])
    early, late = moves[at - behind], moves[at]
    noise = np.maximum(early, np.sqrt(early * late)) / (0.6745 * 2.0**0.5)  # deviations to the median difference
    noise = np.maximum(noise, max(FLOOR, 0.25 * median_of(moves)))
    phi = min(max(lag_one(u, 0.25, max(12, min(32, n // 4))) or 0.0, 0.0), 0.9)
    z = step_up / (noise * MEDIAN * (2.0 / w * (1.0 + phi) / (1.0 - phi)) ** 0.5)
    best = int(at[z.argmax()])
    step, rows = s.finite().step[::size], finite_rows(s.value)[1][::size]
    # the row of the largest single move among the splits that show the same step
    place = best * stride
    near = np.arange(max(int(at[0]) * stride, place - w // 2), min(n - w, place + w // 2) + 1)
    row = int(near[(u[near] - u[near - 1]).argmax()])
    before, after = float(level[best - behind]), float(level[best])
    later = level[best:]
    # in the units of the log a step may be many times the level it left
    least = min(after - before, abs(center / scale + before) or after - before) if scale > 0.0 else after - before
    good = np.flatnonzero(later < before + GONE * least)
    back = None if not len(good) else min(int(place + good[0] * stride), n - 1)
    return CurveEvent(
        step=float(step[row]),
        end=float(step[n - 1 if back is None else back]),
        size=scale * (after - before),
        z=float(z.max()),
        before=center + scale * before,
        after=center + scale * after,
        rows=(n if back is None else max(back, row + 1)) - row,
        recovered=back is not None,
        row=int(rows[row]),
    )


def setback(s: Series) -> CurveEvent | None:
    """The clearest step up of the level of a curve: medians of a twelfth of its rows (4 to 40) before and after.

    Its score is the step in standard errors by the noise beside it, so that damage to a loss that began a hundred times
    as high shows. `recovered` where the level before was reached again, but for a quarter of the step or of that
    level. None below 12 finite rows or where the level never rises. Curves beyond 2,000 rows are searched by the
    medians of stretches.

    >>> setback(Series.of([100.0 / (i + 1) for i in range(60)] + [5.0 + 0.01 * (i % 3) for i in range(60)])).step
    60.0
    """
    return _largest(s)
