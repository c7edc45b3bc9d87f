"""Spikes and dips: sudden departures of a series from its own level, with what became of each."""

from __future__ import annotations

from bisect import insort

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.core.series import Floats, Ints, Series
from curvedoc.stats.basic.autocorrelation import lag_one, whitened
from curvedoc.stats.basic.medians import inner_median5, median5, median_of, neighbors, row_medians, top_of
from curvedoc.stats.basic.robust import block_medians, finite_rows, local_noise, unit, unit_of
from curvedoc.stats.events.event import CurveEvent, CurveEvents
from curvedoc.stats.noise.noise import tail_weight

Mask = NDArray[np.bool_]

MIN_ROWS = 30
# Rows of the trailing median that is the baseline; shorter logs take an eighth of themselves.
WINDOW, SHORT = 101, 11
# Rows after which no curve is steep at the scale of the window.
STEEP_ROWS = 10_000
# From this length of window on, medians of blocks stand in for the rows.
BLOCK, BLOCKED = 9, 4 * 9
# No spike in the first rows: there is no level yet that it could leave.
START = 8
# A spike is over when the median of five rows is this near to the level before, in deviations.
BACK = 1.5
# Heavier tails than Gaussian raise the threshold, up to this factor.
HEAVY = 3.0
# Rows that autocorrelation is measured on; the quarter of their blocks that has least of it is believed, since a
# spike that fades over many rows looks like autocorrelation itself.
PHI_ROWS, PHI_MOST, PHI_SHARE = 50, 100_000, 0.25
# The rise has to happen within RISE rows by half the threshold, or within RAMP rows by four fifths of it.
RISE, RISE_SHARE = 4, 0.5
RAMP, RAMP_SHARE = 12, 0.8
# ... and to be so many times what RISE rows usually bring, long before and lately.
PACE, PACE_ROWS, LATELY = 3.0, 24, 6
# A climb that goes on as fast afterwards is no leap.
ONWARD = 1.5
# Rows looked at together, for the memory of their neighborhoods.
CHUNK = 20_000


@dataclass(frozen=True, slots=True)
class _View:
    """A series made ready: values with spikes pointing up, their trailing level, noise and smooth course; all [n]."""

    y: Floats
    level: Floats
    noise: Floats
    smooth: Floats
    limit: float


def trailing_level(y: Floats, window: int) -> Floats:
    """Median of the `window` rows before every row (fewer at the start), [n]; windows of 36 and more go by blocks.

    Causal: the row itself is not in it. Row 0 gets its own value.
    """
    n = len(y)
    if n <= 1:
        return y.copy()
    if window < BLOCKED:
        head = running_medians(y[: min(window, n) - 1])
        body = row_medians(neighbors(y, window)[:-1]) if n > window else y[:0]
        return np.concatenate([y[:1], head, body])[:n]
    blocks = n // BLOCK
    if blocks < 2:
        return trailing_level(y, min(window, BLOCKED - 1))
    level = trailing_level(block_medians_exact(y, blocks), max(2, window // BLOCK))
    # The level of block b is known from the rows before it.
    out = np.repeat(level, BLOCK)
    out = np.concatenate([out, np.full(n - len(out), out[-1])])
    out[: 2 * BLOCK] = trailing_level(y[: 2 * BLOCK], BLOCK)
    return out


def running_medians(y: Floats) -> Floats:
    """Medians of y[:1], y[:2] and so on, [n]: quick for a few finite values."""
    ordered: list[float] = []
    out = []
    for i, value in enumerate(y.tolist()):
        insort(ordered, value)
        half = i // 2
        out.append(0.5 * (ordered[half] + ordered[half + 1]) if i % 2 else ordered[half])
    return np.array(out)


def below_short(y: Floats) -> Floats:
    """No more than trailing_level(y, SHORT) and near it, [n] with n > SHORT, at a tenth of the price.

    Six of eleven rows are as high as the lower one of the medians of their first and last five.
    """
    n = len(y)
    five = inner_median5(y)
    opening = np.minimum.accumulate(y[: SHORT - 1])
    return np.concatenate([y[:1], opening, np.minimum(five[: n - SHORT], five[SHORT - 5 : n - 5])])


def block_medians_exact(y: Floats, blocks: int) -> Floats:
    """Medians of the first `blocks` stretches of BLOCK rows."""
    return block_medians(y[: blocks * BLOCK], blocks)


def _view(y: Floats, k: float) -> _View | None:
    """What spikes of y are looked for in; None where no value stands k deviations of its plain noise above its level.

    Heavy tails and autocorrelation only raise what a spike must exceed, so that most curves end here.
    """
    n = len(y)
    window = min(WINDOW, max(11, n // 8)) | 1
    level = trailing_level(y, window)
    noise = local_noise(y)
    lowest = level.copy()
    lowest[:STEEP_ROWS] = np.minimum(level[:STEEP_ROWS], below_short(y[:STEEP_ROWS]))
    if not bool((y - lowest > k * noise).any()):
        return None
    # On a falling curve the long median lags above the values and hides what stands out; the short one does not.
    level[:STEEP_ROWS] = np.minimum(level[:STEEP_ROWS], trailing_level(y[:STEEP_ROWS], SHORT))
    weight = tail_weight(y) if n >= 50 else None
    # The noise of a short log is known roughly: the threshold has to carry that.
    limit = k * min(max(weight or 1.0, 1.0), HEAVY) * (1.0 + 2.0 / n**0.5 if n < 200 else 1.0)
    # Noise that hangs together wanders further than its row-to-row steps tell.
    phi = max(0.0, lag_one(y[:PHI_MOST], PHI_SHARE, max(12, min(32, n // 4))) or 0.0) if n >= PHI_ROWS else 0.0
    return _View(y, level, noise / whitened(min(phi, 1.0)), median5(y), limit)


def _first_below(x: Floats, start: int, level: float) -> int | None:
    """First row from `start` on where x is below the level; looks ahead in growing stretches."""
    size = 64
    while start < len(x):
        hit = x[start : start + size] < level
        if bool(hit.any()):
            return start + int(hit.argmax())
        start, size = start + size, 2 * size
    return None


def _abrupt(v: _View, rows: Ints) -> list[bool]:
    """Which of the rows the series got to by a leap, not by a slow climb that the trailing level lags behind."""
    n = len(v.y)
    out: list[bool] = []
    for start in range(0, len(rows), CHUNK):
        part = rows[start : start + CHUNK]
        inside = (part >= PACE_ROWS) & (part < n - 2 * RISE)
        leaps = np.zeros(len(part), dtype=np.bool_)
        if bool(inside.any()):
            leaps[inside] = _leaps(v, part[inside], PACE_ROWS, 2 * RISE)
        for i in np.flatnonzero(~inside).tolist():
            row = int(part[i])
            leaps[i] = _leaps(v, part[i : i + 1], min(row, PACE_ROWS), min(n - 1 - row, 2 * RISE))[0]
        out += leaps.tolist()
    return out


def _leaps(v: _View, rows: Ints, back: int, ahead: int) -> Mask:
    """_abrupt for rows that all have `back` rows before them (at least START) and `ahead` rows after them."""
    here = v.y[rows]
    before = v.y[rows[:, None] + np.arange(-back, 0)]
    moves = before[:, RISE:] - before[:, :-RISE]
    # What the series climbs in as many rows anyway: a steep start has tiny noise and still no spike.
    pace = np.maximum(row_medians(moves), row_medians(moves[:, -LATELY:]))
    rise = here - before[:, -RISE:].min(axis=1)
    good = rise >= PACE * pace
    if ahead >= RISE:
        after = v.y[rows[:, None] + np.arange(ahead + 1)]
        good &= rise >= ONWARD * row_medians(after[:, RISE:] - after[:, :-RISE])
    leap = here - before[:, -RISE:].max(axis=1)
    climb = here - before[:, -RAMP:].min(axis=1) - (v.level[rows] - v.level[np.maximum(rows - RAMP, 0)])
    limit = v.limit * v.noise[rows]
    return np.asarray(good & ((leap >= RISE_SHARE * limit) | (climb >= RAMP_SHARE * limit)), dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class _Found:
    row: int
    back: int | None
    peak: float
    base: float
    z: float
    after: float


def _find(y: Floats, k: float) -> list[_Found]:
    """Upward spikes of finite values |y| <= 2."""
    v = _view(y, k)
    if v is None or not top_of(v.noise) > 0.0:
        return []
    z = np.divide(v.y - v.level, v.noise, out=np.zeros(len(y)), where=v.noise > 0.0)
    found: list[_Found] = []
    busy = begun = START
    last = -RAMP
    high = np.flatnonzero(z > v.limit)
    high = high[high >= START]
    for top, leaps in zip(high.tolist(), _abrupt(v, high), strict=True):
        if top < busy:
            continue
        # A leap that takes a few rows is dated by its first one above the limit.
        if top > last + 2 or top > begun + RAMP:
            begun = top
        last = top
        if not leaps:
            continue
        row = begun
        base = float(v.level[row])
        back = _first_below(v.smooth, top, base + BACK * float(v.noise[row]))
        # A series that stays up finds a new level in time: from there on new spikes count again.
        settled = _first_below(z, top, 0.5 * v.limit) if back is None else back
        stop = len(y) if settled is None else max(settled, top + 1)
        peak = top_of(v.y[row:stop])
        tail = v.smooth[stop : stop + 5] if stop < len(y) else v.y[-5:]
        found.append(_Found(row, back, peak, base, (peak - base) / float(v.noise[row]), median_of(tail)))
        busy, last = stop, -RAMP
    return found


def _events(s: Series, k: float, sign: float, log: bool) -> CurveEvents:
    y = s.finite().value
    if log:
        y = np.log(y[y > 0.0])
    if len(y) < MIN_ROWS or not k > 0.0:
        return CurveEvents((), len(y))
    u, center, scale = unit(y) if log else unit_of(s)
    found = _find(sign * u, k)
    if not found:
        return CurveEvents((), len(u))
    finite, rows = finite_rows(s.value)
    rows = rows[finite > 0.0] if log else rows
    step = s.step[rows]

    def value(x: float) -> float:
        original = center + scale * sign * x
        return float(np.exp(min(original, 709.0))) if log else original

    items = []
    for f in found:
        lasted = (len(u) if f.back is None else max(f.back, f.row + 1)) - f.row
        items.append(
            CurveEvent(
                step=float(step[f.row]),
                end=float(step[min(f.row + lasted, len(u) - 1)]),
                size=value(f.peak) - value(f.base),
                z=f.z,
                before=value(f.base),
                after=value(f.after),
                rows=lasted,
                recovered=f.back is not None,
                row=int(rows[f.row]),
            )
        )
    return CurveEvents(tuple(items), len(u))


def spikes(s: Series, k: float) -> CurveEvents:
    """Sudden rises of more than k deviations above the level of the 101 rows before, each with its return.

    k: in robust standard deviations of the local noise (6 is usual); raised by up to 3 times where the noise itself has
    heavy tails, and a little for short logs. A rise must happen within a few rows; a slow climb is none, nor is what
    happens in the first 8 rows. The level before is frozen at the start of the spike: a series that settles on a new
    level has not recovered. Non-finite rows are left out, infinite ones too; no events below 30 finite rows.

    >>> y = [1.0 + 0.01 * (i * 7 % 5) for i in range(300)]
    >>> y[150] = 3.0
    >>> [(e.step, e.recovered) for e in spikes(Series.of(y), 6).items]
    [(150.0, True)]
    """
    return _events(s, k, 1.0, False)


def dips(s: Series, k: float) -> CurveEvents:
    """Sudden falls of more than k deviations below the level before; as spikes, downward (size < 0)."""
    return _events(s, k, -1.0, False)


def log_spikes(s: Series, k: float) -> CurveEvents:
    """Spikes of the logarithm of s, for norms and other positive values that vary by factors; sizes in units of s.

    Rows that are not positive are left out too. z counts deviations of the logarithm.
    """
    return _events(s, k, 1.0, True)


def log_dips(s: Series, k: float) -> CurveEvents:
    """Dips of the logarithm of s; as log_spikes, downward."""
    return _events(s, k, -1.0, True)
