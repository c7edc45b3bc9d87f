"""Schedule: what a logged learning rate did: warm-up, peak, drops, restarts, floor, sweep. Exact values, no noise."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Floats, Ints, Series, once_a_series
from curvedoc.stats.basic.grid import GridCurve, back, curve_of
from curvedoc.stats.basic.medians import top_of
from curvedoc.stats.basic.spacing import typical_gap
from curvedoc.stats.schedule.steps import is_range_test

SAME = 1e-6  # of the peak: float32 rounding and below
RISE = 0.1  # of the peak: a smaller rise is no restart
TIMES = 1.5  # over the trough: a smaller rise is no restart


@once_a_series
def rates_of(lr: Series) -> GridCurve | None:
    """The rows of a learning rate that are finite and not negative; None when none of them is above zero."""
    # NaN is not at or above zero; infinity drops out in the curve
    usable = lr.value >= 0.0
    c = curve_of(lr if bool(usable.all()) else lr.cut(usable))
    return c if len(c) and top_of(c.y) > 0.0 else None


def is_constant_lr(lr: Series) -> bool | None:
    """Whether the rate never changes by more than rounding; None below two finite rows.

    >>> is_constant_lr(Series.of([1e-3] * 5)), is_constant_lr(Series.of([1e-3, 9e-4]))
    (True, False)
    """
    c = curve_of(lr)
    if len(c) < 2:
        return None
    return bool(np.ptp(c.y) <= SAME * top_of(np.abs(c.y)))


def lr_peak(lr: Series) -> float | None:
    """Highest finite rate; None without one above zero.

    >>> lr_peak(Series.of([0.0, 0.5, 1.0, 0.5]))
    1.0
    """
    c = rates_of(lr)
    return None if c is None else back(top_of(c.y), c.scale)


def lr_peak_step(lr: Series) -> float | None:
    """First step at which the rate is at its peak.

    >>> lr_peak_step(Series.of([0.0, 0.5, 1.0, 1.0, 0.5]))
    2.0
    """
    c = rates_of(lr)
    return None if c is None else float(c.x[int(np.argmax(c.y >= (1 - SAME) * np.max(c.y)))])


def lr_final_ratio(lr: Series) -> float | None:
    """Last rate over the peak.

    >>> lr_final_ratio(Series.of([1.0, 0.5, 0.25]))
    0.25
    """
    c = rates_of(lr)
    return None if c is None else float(c.y[-1] / np.max(c.y))


@once_a_series
def warmup_row(c: GridCurve) -> int:
    """Row at which the warm-up ends; 0 when there is none.

    The first stretch that does not fall, up to where it first reaches its top. One long tread and a single leap is a
    jump and not a warm-up; a stretch that gains less than a tenth is none either. Nor is a leap that comes after the
    rate has rested for longer than its whole rise took: the warm-up ended where that rest began.
    """
    top = top_of(c.y)
    falls = np.flatnonzero(np.diff(c.y) < -SAME * top)
    end = int(falls[0]) if len(falls) else len(c) - 1
    high = float(c.y[end])
    row = int(np.argmax(c.y[: end + 1] >= high * (1 - SAME)))
    if row == 0 or c.y[0] > 0.9 * high:
        return 0
    rises = np.flatnonzero(np.diff(c.y[: row + 1]) > SAME * top)
    if len(rises) == 1 and row > 2:
        return 0
    if len(rises) > 1 and rises[-1] == row - 1:
        rest = int(rises[-2]) + 1
        if row - 1 - rest > max(rest, 2) and high >= TIMES * c.y[row - 1]:
            return rest if c.y[0] <= 0.9 * c.y[rest] else 0
    return row


def warmup_steps(lr: Series) -> float | None:
    """Steps until the rate first reaches the top of its initial rise; 0 without a warm-up.

    Counted from step 0 where the log starts near it, from its first step otherwise. A run that ends inside the
    warm-up counts whole. None for a range test, or below three finite rows.

    >>> warmup_steps(Series.of([0.0, 0.5, 1.0, 0.9, 0.8], step=[0, 10, 20, 30, 40]))
    20.0
    """
    c = rates_of(lr)
    if c is None or len(c) < 3 or is_range_test(lr):
        return None
    row = warmup_row(c)
    return 0.0 if row == 0 else float(c.x[row] - _origin(c))


def warmup_share(lr: Series) -> float | None:
    """Share of the run's steps spent in the warm-up; None for a range test, or below three finite rows.

    >>> warmup_share(Series.of([0.0, 0.5, 1.0, 0.9, 0.8], step=[0, 10, 20, 30, 40]))
    0.5
    """
    c, steps = rates_of(lr), warmup_steps(lr)
    if c is None or steps is None:
        return None
    return float(steps / (c.x[-1] - _origin(c)))


def _origin(c: GridCurve) -> float:
    """Step 0 where the log starts within two rows of it, else the first step (a resumed or cut log)."""
    gap = typical_gap(c.x) if len(c) > 1 else 0.0
    return 0.0 if 0.0 <= c.x[0] <= 2.0 * gap else float(c.x[0])


@once_a_series
def swings(c: GridCurve) -> tuple[tuple[int, int], ...]:
    """Pairs (row of a trough, row of the next top) of every rise back up after a decay."""
    top = top_of(c.y)
    out: list[tuple[int, int]] = []
    turns = _turns(c.y, warmup_row(c))
    rows, values = turns.tolist(), c.y[turns].tolist()
    high = low = values[0]
    high_row = low_row = rows[0]
    falling = False
    for i, v in zip(rows, values, strict=True):
        if not falling:
            if v >= high:
                high, high_row = v, i
            elif v * TIMES <= high and high - v >= RISE * top:
                falling, low, low_row = True, v, i
            if out and not falling:
                out[-1] = (out[-1][0], high_row)
        else:
            if v <= low:
                low, low_row = v, i
            elif v >= TIMES * low and v - low >= RISE * top:
                out.append((low_row, i))
                falling, high, high_row = False, v, i
    return tuple(out)


def _turns(y: Floats, start: int) -> Ints:
    """Rows from `start` on at which a stretch that only rises or only falls ends, with the first and last row.

    Of a plateau the last row. What happens within such a stretch has happened at its end too.
    """
    d = np.sign(np.diff(y[start:]))
    moves = np.flatnonzero(d)
    turns = moves[1:][d[moves[1:]] != d[moves[:-1]]]
    ends = np.concatenate(([0], moves[:1], turns, [len(y) - 1 - start]))
    rows: Ints = start + ends[np.append(True, ends[1:] != ends[:-1])]
    return rows


def restarts(lr: Series) -> float | None:
    """How often the rate rises again after a decay, by half at least and by a tenth of the peak; warm-up not counted.

    >>> restarts(Series.of([1.0, 0.5, 0.1, 1.0, 0.5, 0.1]))
    1.0
    """
    c = rates_of(lr)
    return None if c is None or len(c) < 3 else float(len(swings(c)))


def restart_step(lr: Series) -> float | None:
    """Last step before the first rise back up; None without one.

    >>> restart_step(Series.of([1.0, 0.5, 0.1, 1.0, 0.5, 0.1]))
    2.0
    """
    c = rates_of(lr)
    found = () if c is None else swings(c)
    return None if c is None or not found else float(c.x[found[0][0]])


def cycle_count(lr: Series) -> float | None:
    """How many descents by a third or more of their top the rate makes, the unfinished last one included.

    >>> cycle_count(Series.of([0.1, 1.0, 0.1, 1.0, 0.1, 1.0]))
    2.0
    """
    c = rates_of(lr)
    if c is None or len(c) < 3:
        return None
    found = swings(c)
    last_top = found[-1][1] if found else warmup_row(c)
    ends_low = c.y[-1] * TIMES <= top_of(c.y[last_top:])
    return float(len(found) + ends_low)


@once_a_series
def lr_jump_step(lr: Series) -> float | None:
    """First step at which the rate leaps up within one row after its warm-up; None when it does not.

    A leap is half again the rate before, a tenth of the peak, and three times what the rows beside it move.

    >>> lr_jump_step(Series.of([1.0, 0.8, 0.6, 0.4, 1.2, 1.0, 0.8]))
    4.0
    """
    c = rates_of(lr)
    if c is None or len(c) < 3:
        return None
    top, d = top_of(c.y), np.diff(c.y)
    beside = _beside(d)
    leap = (c.y[1:] >= TIMES * c.y[:-1]) & (d >= RISE * top) & (d >= 3.0 * beside)
    leap[: warmup_row(c)] = False
    rows = np.flatnonzero(leap)
    return float(c.x[rows[0] + 1]) if len(rows) else None


def _beside(d: Floats) -> Floats:
    """Size of the larger neighbor of each difference: float64 like `d`."""
    size = np.concatenate([[0.0], np.abs(d), [0.0]])
    out: Floats = np.maximum(size[:-2], size[2:])
    return out
