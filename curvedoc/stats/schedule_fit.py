"""Recognition: a logged learning rate as a schedule: its kind, its parts, where it ends and whether it got there."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from curvedoc.series import Floats, Series
from curvedoc.stats.grid import Curve
from curvedoc.stats.medians import median_of
from curvedoc.stats.schedule import rates_of, swings, warmup_row
from curvedoc.stats.schedule_family import Family, Fit, fit_descent, tolerance
from curvedoc.stats.schedule_floor import floor_row
from curvedoc.stats.steps import is_range_test, is_treads

Kind = Literal[
    "constant", "warming-up", "linear", "exponential", "cosine", "inverse-sqrt", "polynomial", "one-minus-sqrt",
    "step", "stable-decay", "one-cycle", "restarts", "cyclic", "range-test", "other",
]  # fmt: skip
HOLD = 0.05  # of the rows after warm-up: a shorter stay at the peak is part of the descent
TREADS = 8  # treads from which their formula can be told
COARSE = 0.7  # of the tread before: exponential treads that fall further are steps
EXACT = 1.0
SURE = 0.5  # of a cosine: before that its end cannot be told from its floor


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a schedule between two steps: warm-up, hold, descent, floor, or a whole cycle."""

    part: Literal["warmup", "hold", "descent", "floor", "cycle"]
    start: float
    end: float
    first: float
    last: float


@dataclass(frozen=True, slots=True)
class Schedule:
    """What a learning rate did.

    kind:        the formula of the descent, or what it did instead
    warmup_end:  step at which the warm-up ends; None without one
    peak, last:  rates
    horizon:     step at which the descent ends or would end; None where it has no end or it cannot be told yet
    restarts:    rises back up after a decay
    stepped:     set once an epoch (treads) and not every step
    end_reached: whether the log goes on to the horizon; None without one
    """

    kind: Kind
    segments: tuple[Segment, ...]
    warmup_end: float | None
    peak: float
    last: float
    horizon: float | None
    restarts: int
    stepped: bool
    end_reached: bool | None


def recognise(lr: Series) -> Schedule | None:
    """The schedule behind a logged rate; None below two rows that are finite and not negative.

    Exact up to printing: families are fitted to the tolerance of the printed digits, so logs of 200 rows and more
    are told apart reliably; shorter ones and coarsely printed ones may come out as a neighboring family.

    >>> recognise(Series.of([0.5, 1.0, 0.8, 0.6, 0.4, 0.2, 0.0])).kind
    'linear'
    """
    c = rates_of(lr)
    if c is None or len(c) < 2:
        return None
    with np.errstate(all="ignore"):  # values no rate has may overflow in a formula, which then fits nothing
        return _recognized(lr, c)


def _recognized(lr: Series, c: Curve) -> Schedule:
    warm = warmup_row(c)
    if is_range_test(lr):
        return _schedule(c, "range-test", [("cycle", 0, len(c) - 1)], 0, None, False)
    if float(np.ptp(c.y)) <= 1e-6 * float(np.max(c.y)):
        return _schedule(c, "constant", [("hold", 0, len(c) - 1)], 0, None, False)
    if warm == len(c) - 1:
        return _schedule(c, "warming-up", [("warmup", 0, warm)], warm, None, False)
    cycles = swings(c)
    if cycles:
        return _cycled(c, warm, cycles)
    return _descended(c, warm)


def _cycled(c: Curve, warm: int, cycles: tuple[tuple[int, int], ...]) -> Schedule:
    """A schedule that rises again: by leaps (restarts) or gradually (cyclic)."""
    bounds = [warm, *(low for low, _ in cycles), len(c) - 1]
    parts = [("cycle", a, b) for a, b in pairwise(bounds) if b > a]
    leaps = sum(high - low <= max(1, (low - warm) // 10) for low, high in cycles)
    kind: Kind = "restarts" if 2 * leaps > len(cycles) else "cyclic"
    return _schedule(c, kind, [("warmup", 0, warm)] * (warm > 0) + parts, warm, None, False)


def _descended(c: Curve, warm: int) -> Schedule:
    """A schedule that goes down once: which formula, after how long a hold, to which floor."""
    n = len(c)
    tol = tolerance(c)
    top = float(np.max(c.y))
    resting = floor_row(c)
    floor = n - 1 if resting is None else resting
    below = np.flatnonzero(c.y[warm:] < top - np.maximum(tol[warm:], 1e-6 * top))
    hold = n - 1 if not len(below) else max(warm, warm + int(below[0]) - 1)
    head: list[tuple[str, int, int]] = [("warmup", 0, warm)] if warm > 0 else []
    if hold >= n - 1:
        return _schedule(c, "constant", [*head, ("hold", warm, n - 1)], warm, None, False)
    if bool((np.diff(c.y[warm:]) > np.maximum(2.0 * tol[warm + 1 :], 0.01 * top)).any()):
        return _schedule(c, "other", [*head, ("descent", warm, n - 1)], warm, None, False)
    tail = [("floor", floor, n - 1)] if floor < n - 1 else []
    body = Curve(c.x[warm:], c.y[warm:], c.scale)
    if is_treads(body) or is_treads(Curve(c.x[hold:], c.y[hold:], c.scale)) or _repeats(body, tol[warm:]):
        kind, horizon = _treads(body, tol[warm:])
        return _schedule(c, kind, [*head, ("descent", warm, n - 1)], warm, horizon, True)
    # coarse printing flattens the top of a smooth rise and fall: the descent then begins in its middle
    flat = warm + int(np.argmax(np.append(c.y[warm:], -1.0) < top * (1 - 1e-6)))
    whole = _fit(c, (warm, warm + 1, (warm + flat) // 2), floor, tol)
    part = whole if hold == warm else _fit(c, (hold, hold + 1), floor, tol)
    held = hold - warm > HOLD * (n - warm) and part is not None and (whole is None or whole.error > EXACT)
    fit = part if held else whole
    if fit is None:
        return _schedule(c, "other", [*head, ("descent", warm, n - 1)], warm, None, False)
    kind = "stable-decay" if held else _kind(fit.family)
    if kind in ("cosine", "linear") and warm >= 4 and _curved_warmup(c, warm, tol):
        kind = "one-cycle"
    horizon = float(c.x[floor]) if floor < n - 1 else _horizon(fit, float(c.x[hold if held else warm]), float(c.x[-1]))
    middle = [("hold", warm, hold), ("descent", hold, floor)] if held else [("descent", warm, floor)]
    return _schedule(c, kind, [*head, *middle, *tail], warm, horizon, False)


def _fit(c: Curve, starts: tuple[int, ...], last: int, tol: Floats) -> Fit | None:
    """The best family for the rows from one of `starts` to `last`; the first that is exact wins."""
    best: Fit | None = None
    for start in starts:
        rows = slice(start, last + 1)
        fit = fit_descent(Curve(c.x[rows], c.y[rows], c.scale), tol[rows])
        if fit is not None and (best is None or fit.error < 0.5 * best.error):
            best = fit
        if best is not None and best.error <= EXACT:
            return best
    return best


def _kind(family: Family) -> Kind:
    return family


def _horizon(fit: Fit, start: float, last: float) -> float | None:
    """End of the formula, where enough of it was seen to tell."""
    if fit.end is None or not np.isfinite(fit.end):
        return None
    if fit.family == "cosine" and last - start < SURE * (fit.end - start):
        return None
    return fit.end if fit.end - start < 1e3 * (last - start) else None


def _treads(c: Curve, tol: Floats) -> tuple[Kind, float | None]:
    """Kind and horizon of a descent in treads, from the first row of each tread."""
    first = np.concatenate([[0], np.flatnonzero(np.abs(np.diff(c.y)) > 1e-6 * np.max(c.y)) + 1])
    if len(first) < TREADS:
        return "step", None
    lengths = np.diff(first)
    # rows fall unevenly on equal epochs, and the epoch's number places a tread better than its first row does
    even = float(np.ptp(lengths)) <= 2.0
    gap = float(c.x[first[-1]] - c.x[0]) / (len(first) - 1)
    x = c.x[0] + gap * np.arange(len(first)) if even else c.x[first]
    fit = fit_descent(Curve(x, c.y[first], c.scale), tol[first])
    if fit is None or fit.family == "other":
        return "step", None
    ratio = median_of(c.y[first][1:] / np.maximum(c.y[first][:-1], 1e-300))
    if fit.family == "exponential" and ratio <= COARSE:
        return "step", None
    return _kind(fit.family), _horizon(fit, float(c.x[0]), float(c.x[-1]))


def _repeats(c: Curve, tol: Floats) -> bool:
    """Whether values repeat in pairs or more with real movement between: treads of fewer than three rows."""
    d = np.abs(np.diff(c.y))
    moves = np.flatnonzero(d > 1e-6 * float(np.max(c.y)))
    if len(moves) < TREADS or median_of(d[moves]) <= 3.0 * median_of(tol):
        return False
    lengths = np.diff(moves)  # between the first move and the last, so that neither hold nor floor counts
    return float(np.mean(lengths >= 2)) > 0.7


def _curved_warmup(c: Curve, warm: int, tol: Floats) -> bool:
    """Whether the rise follows a cosine and no line, as in a one-cycle policy."""
    fall = Curve(c.x[: warm + 1], c.y[: warm + 1][::-1], c.scale)
    fit = fit_descent(fall, tol[: warm + 1])
    return fit is not None and fit.family == "cosine"


def _schedule(
    c: Curve, kind: Kind, parts: list[tuple[str, int, int]], warm: int, horizon: float | None, stepped: bool
) -> Schedule:
    segments = tuple(
        Segment(part, float(c.x[a]), float(c.x[b]), float(c.y[a]) * c.scale, float(c.y[b]) * c.scale)  # type: ignore[arg-type]
        for part, a, b in parts
    )
    return Schedule(
        kind=kind,
        segments=segments,
        warmup_end=float(c.x[warm]) if warm > 0 else None,
        peak=float(np.max(c.y)) * c.scale,
        last=float(c.y[-1]) * c.scale,
        horizon=horizon,
        restarts=len(swings(c)) if kind in ("restarts", "cyclic") else 0,
        stepped=stepped,
        end_reached=None if horizon is None else bool(c.x[-1] >= horizon - 0.01 * abs(horizon)),
    )


def lr_horizon(lr: Series) -> float | None:
    """Step at which the descent of the rate ends or would end; None where it has no end or it cannot be told yet.

    >>> round(lr_horizon(Series.of([1.0 - i / 100 for i in range(50)])))
    100
    """
    found = recognise(lr)
    return None if found is None or found.horizon is None else float(found.horizon)


def decays_smoothly(lr: Series) -> bool | None:
    """Whether the rate follows a smooth formula down (linear, cosine, polynomial, ...), by step or by epoch.

    >>> decays_smoothly(Series.of([1.0 - i / 100 for i in range(50)])), decays_smoothly(Series.of([1.0] * 50))
    (True, False)
    """
    found = recognise(lr)
    if found is None:
        return None
    return found.kind in (
        "linear", "exponential", "cosine", "inverse-sqrt", "polynomial", "one-minus-sqrt", "stable-decay", "one-cycle",
    )  # fmt: skip


def lr_cut_short(lr: Series) -> bool | None:
    """Whether the log ends before nine tenths of the way to the horizon; None without a horizon.

    >>> lr_cut_short(Series.of([1.0 - i / 100 for i in range(50)]))
    True
    """
    horizon = lr_horizon(lr)
    return None if horizon is None else bool(float(lr.step[-1]) < 0.9 * horizon)
