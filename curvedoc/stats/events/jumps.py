"""Level shifts of a series: jumps of a dense curve, one shift of a short epoch-level one."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np

from curvedoc.core.series import Floats, Ints, Series, once_a_series
from curvedoc.stats.basic.medians import bottom_of, inner_median5, median5, median_of, neighbors, top_of
from curvedoc.stats.basic.robust import clipped, finite_rows, mad_noise, unit_of
from curvedoc.stats.basic.windows import log_of_wide
from curvedoc.stats.events.event import CurveEvent, CurveEvents
from curvedoc.stats.events.jump_proof import confirm
from curvedoc.stats.events.jump_scan import Jump, scan
from curvedoc.stats.shape.decay import ground

# Score above sqrt(2 ln n): at most 1 % of smooth noisy decays show a false jump (measured, n = 60 to 20,000).
ALPHA = 1.5
# The step between logged rows changes its size by more than this: another cadence, to be searched apart.
CADENCE = 4.0
MIN_REGIME = 40
# A jump is undone when the median of five rows is back within this many deviations of the level before.
BACK = 1.5
# A shift is permanent when it stood for this share of the series, and at least this many rows, or to the end.
HELD_SHARE, HELD_ROWS = 0.1, 20


def cadence_splits(step: Ints) -> list[int]:
    """Rows at which the logging interval changes for good by more than 4 times, or a gap of 20 typical ones ends."""
    gaps = np.maximum(step[1:] - step[:-1], 1).astype(np.float64)
    if len(gaps) < 12 or top_of(gaps) <= CADENCE * bottom_of(gaps):
        return []
    windows = inner_median5(gaps)
    before, after = windows[:-5], windows[5:]
    change = np.abs(np.log(after / before))
    rows: list[int] = []
    for group in _groups(np.flatnonzero(change > np.log(CADENCE))):
        # Of a plateau of equal changes the middle is the place.
        top = group[change[group] >= change[group].max() - 1e-12]
        rows.append(int(top[len(top) // 2]) + 5)
    holes = np.flatnonzero(gaps > 20.0 * median_of(gaps)) + 1
    far = [int(h) for h in holes if all(abs(int(h) - r) > 5 for r in rows)]
    return sorted({*rows, *far})


def _groups(rows: Ints) -> list[Ints]:
    return np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1) if len(rows) else []


def jumps(s: Series, alpha: float = ALPHA) -> CurveEvents:
    """Abrupt changes of level, up and down, in order of step; a steep or curved decay is none.

    alpha: strictness above sqrt(2 ln n); 1.5 gives at most 1 % false alarms a curve, 0.8 up to 4 %.
    Non-finite rows are left out; stretches of different logging interval are searched apart. No events below 60 finite
    rows. `recovered` and `rows` tell whether and after how many rows the level before was reached again.

    >>> y = [1 - 0.001 * i + 0.01 * (i * 7 % 5) + (i >= 300) for i in range(600)]
    >>> [e.step for e in jumps(Series.of(y), 1.5).items]
    [300.0]
    """
    u, center, scale = unit_of(s)
    step = s.finite().step
    found: list[tuple[int, Jump]] = []
    for low, high in pairwise([0, *cadence_splits(step), len(u)]):
        if high - low >= MIN_REGIME:
            whole = ground(s) if high - low == len(u) else None
            found += [(low, jump) for jump in scan(u[low:high], step[low:high], alpha, whole)]
    if not found:
        return CurveEvents((), len(u))
    rows, smooth, sigma = finite_rows(s.value)[1], median5(u), mad_noise(u)
    return CurveEvents(tuple(_event(j, low, smooth, sigma, step, rows, center, scale) for low, j in found), len(u))


def _event(
    jump: Jump, low: int, smooth: Floats, sigma: float, step: Ints, rows: Ints, center: float, scale: float
) -> CurveEvent:
    row = low + jump.row
    sign = 1.0 if jump.after > jump.before else -1.0
    # Half of the jump may be closed by noise alone where the jump is small.
    level = jump.before + sign * min(BACK * sigma, 0.5 * abs(jump.after - jump.before))
    back = np.flatnonzero(sign * (smooth[row:] - level) < 0.0)
    lasted = max(1, int(back[0])) if len(back) else len(smooth) - row
    end = min(row + lasted, len(smooth) - 1)
    return CurveEvent(
        step=float(step[row]),
        end=float(step[end]),
        size=scale * (jump.after - jump.before),
        z=jump.z,
        before=center + scale * jump.before,
        after=center + scale * jump.after,
        rows=lasted,
        recovered=len(back) > 0,
        row=int(rows[row]),
    )


def _stood(event: CurveEvent, rows: int) -> bool:
    return not event.recovered or event.rows >= max(HELD_ROWS, HELD_SHARE * rows)


@once_a_series
def _usual(s: Series) -> CurveEvents:
    return jumps(s)


def largest_drop(s: Series) -> CurveEvent | None:
    """The largest abrupt and lasting fall of level by value; None without one. As biggest_drop."""
    events = _usual(s)
    return min((e for e in events.items if e.size < 0 and _stood(e, events.rows)), key=lambda e: e.size, default=None)


def biggest_drop(s: Series) -> CurveEvent | None:
    """The largest abrupt and lasting fall of level (as at a drop of the learning rate); None without one.

    Lasting: stood for a tenth of the series and 20 rows, or to its end. Search as in jumps at its default alpha. Where
    no fall stands out by its value, the largest by its factor, of a positive series that spans ten: where batches
    scatter by factors, a fall to a quarter is lost among the values of the start.
    """
    found = largest_drop(s)
    if found is None and (logs := log_of_wide(s)) is not None and (by_factor := largest_drop(logs)) is not None:
        before, after = math.exp(by_factor.before), math.exp(by_factor.after)
        found = replace(by_factor, before=before, after=after, size=after - before)
    return found


def biggest_rise(s: Series) -> CurveEvent | None:
    """The largest abrupt and lasting rise of level; None without one. As biggest_drop."""
    events = _usual(s)
    return max((e for e in events.items if e.size > 0 and _stood(e, events.rows)), key=lambda e: e.size, default=None)


# A shift of a short series must exceed chance by this score; the noise of 20 rows is known to a third only.
SHIFT_SCORE = 7.0
SHIFT_STEP = 2.5


def level_shift(s: Series, min_rows: float = 5.0) -> CurveEvent | None:
    """The one clear change of level of a short series (a few dozen evaluations); None where none is clear.

    min_rows: rows that must stand on either side (at least 4). Lines through them are compared at the change; the
    step between the two rows themselves must stand out from all others, and a step must explain the neighborhood better
    than a cubic. Conservative: the first fifth of a decay never counts.
    """
    y, rows = finite_rows(s.value)
    h = int(max(4.0, min(min_rows, 1e6)))
    n = len(y)
    if n < 3 * h:
        return None
    u, center, scale = unit_of(s)
    sigma = mad_noise(u)
    step = s.step[rows]
    gap = np.abs(np.diff(u))
    usual = median_of(gap)
    first = max(h, n // 5)
    x = np.arange(h) - (h - 1) / 2.0
    power = h * (h * h - 1.0) / 12.0
    cells = neighbors(u[first - h :], h)
    level, tilt = cells.mean(axis=1), cells @ x / power * (h / 2.0)
    before, after = (level + tilt)[:-h], (level - tilt)[h:]
    spread = max(sigma, usual / 0.954, 1e-6)
    score = np.abs(after - before) / (spread * np.sqrt(2.0 / h + 6.0 * h / (h * h - 1.0)))
    at = int(score.argmax())
    if score[at] < SHIFT_SCORE:
        return None
    jump = Jump(first + at, float(score[at]), float(before[at]), float(after[at]), h)
    others = np.delete(gap, jump.row - 1)[max(0, n // 5 - 1) :]
    if gap[jump.row - 1] < SHIFT_STEP * float(others.max(initial=0.0)):
        return None
    low = max(0, jump.row - 2 * h)
    t, _ = confirm(u[low : jump.row + 2 * h], jump.row - low, 0)
    if t < 0.67 * SHIFT_SCORE:
        return None
    return _event(jump, 0, clipped(u), sigma, step, rows, center, scale)
