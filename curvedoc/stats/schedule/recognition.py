"""Recognition: a logged learning rate as a schedule: its kind, its parts, where it ends and whether it got there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from curvedoc.core.series import Floats, Series
from curvedoc.stats.basic.grid import GridCurve
from curvedoc.stats.basic.medians import median_of, range_of, top_of
from curvedoc.stats.schedule.formula import Family, Fit, fit_descent, tolerance
from curvedoc.stats.schedule.phases import SAME, rates_of, swings, warmup_row
from curvedoc.stats.schedule.steps import is_range_test, is_treads
from curvedoc.stats.schedule.treads import by_tread, printed_treads

Kind = Literal[
    "constant", "warming-up", "linear", "exponential", "cosine", "inverse-sqrt", "polynomial", "one-minus-sqrt",
    "step", "stable-decay", "one-cycle", "restarts", "cyclic", "range-test", "other",
]  # fmt: skip
HOLD = 0.05  # of the rows after warm-up: a shorter stay at the peak is part of the descent
COARSE = 0.7  # of the tread before: exponential treads that fall further are steps
EXACT = 1.0
ONE_DIGIT = 0.1  # of the peak: values printed more coarsely than that follow any formula
LIKER = 0.4  # of the distance from a line: so close to a cosine a rise is one
CERTAIN = 0.5  # an error that no other beginning betters
MOST_STARTS = 12  # rows of a top flattened by printing at which the descent may have begun
GONE = 1e-3  # of the peak: an inexact formula that has come down so far has ended
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


def recognize(lr: Series) -> Schedule | None:
    """The schedule behind a logged rate; None below two rows that are finite and not negative.

    Exact up to printing: families are fitted to the tolerance of the printed digits, so logs of 200 rows and more
    with three digits are told apart reliably (97 % and more of each kind in simulation); shorter ones and those of two
    digits may come out as a neighboring family, and a descent printed in single digits is "other". What is set once
    an epoch is read once an epoch. A log that was cut before a hold ends shows a constant.

    >>> recognize(Series.of([0.5, 1.0, *(1 - i / 40 for i in range(1, 41))])).kind
    'linear'
    """
    c = rates_of(lr)
    if c is None or len(c) < 2:
        return None
    with np.errstate(all="ignore"):  # values no rate has may overflow in a formula, which then fits nothing
        found = _recognized(lr, c)
    # of all rows, as reading once a tread may pass a single row by
    found = replace(found, peak=top_of(c.y) * c.scale, last=float(c.y[-1]) * c.scale)
    if found.horizon is None:
        return found
    return replace(found, end_reached=bool(c.x[-1] >= found.horizon - 0.01 * abs(found.horizon)))


def _recognized(lr: Series, c: GridCurve) -> Schedule:
    if is_range_test(lr):
        return _schedule(c, "range-test", [("cycle", 0, len(c) - 1)], 0, None, False)
    if range_of(c.y) <= SAME * top_of(c.y):
        return _schedule(c, "constant", [("hold", 0, len(c) - 1)], 0, None, False)
    tol = tolerance(c)
    treads = by_tread(c)
    if treads is None:
        return _shaped(c, tol, False)
    if is_range_test(Series(np.arange(len(treads)), treads.y.copy())):
        return _schedule(treads, "range-test", [("cycle", 0, len(treads) - 1)], 0, None, True)
    return _shaped(treads, tolerance(treads), True)


def _shaped(c: GridCurve, tol: Floats, stepped: bool) -> Schedule:
    """A schedule by the turns of its curve; stepped: `c` has one row a tread."""
    warm = warmup_row(c)
    if warm == len(c) - 1:
        return _schedule(c, "warming-up", [("warmup", 0, warm)], warm, None, stepped)
    cycles = swings(c)
    return _cycled(c, warm, cycles, stepped) if cycles else _descended(c, tol, warm, stepped)


def _cycled(c: GridCurve, warm: int, cycles: tuple[tuple[int, int], ...], stepped: bool) -> Schedule:
    """A schedule that rises again: by leaps (restarts) or gradually (cyclic)."""
    bounds = [warm, *(low for low, _ in cycles), len(c) - 1]
    parts = [("cycle", a, b) for a, b in pairwise(bounds) if b > a]
    leaps = sum(high - low <= max(1, (low - warm) // 10) for low, high in cycles)
    kind: Kind = "restarts" if 2 * leaps > len(cycles) else "cyclic"
    return _schedule(c, kind, [("warmup", 0, warm)] * (warm > 0) + parts, warm, None, stepped)


def _descended(c: GridCurve, tol: Floats, warm: int, stepped: bool) -> Schedule:
    """A schedule that goes down once: which formula, after how long a hold, to which floor."""
    n = len(c)
    top = top_of(c.y)
    below = np.flatnonzero(c.y[warm:] < top - np.maximum(tol[warm:], SAME * top))
    hold = n - 1 if not len(below) else max(warm, warm + int(below[0]) - 1)
    head: list[tuple[str, int, int]] = [("warmup", 0, warm)] if warm > 0 else []
    if hold >= n - 1:
        return _schedule(c, "constant", [*head, ("hold", warm, n - 1)], warm, None, stepped)
    if bool((np.diff(c.y[warm:]) > np.maximum(2.0 * tol[warm + 1 :], 0.01 * top)).any()):
        return _schedule(c, "other", [*head, ("descent", warm, n - 1)], warm, None, stepped)
    body = GridCurve(c.x[warm:], c.y[warm:], c.scale)
    treads = None if stepped else by_tread(body)
    if treads is not None:
        return _on_treads(c, warm, treads)
    stairs = is_treads(body) or is_treads(GridCurve(c.x[hold:], c.y[hold:], c.scale))
    if stairs and not printed_treads(body, tol[warm:]):
        return _schedule(c, "step", [*head, ("descent", warm, n - 1)], warm, None, True)
    if top_of(tol) > ONE_DIGIT * top:
        return _schedule(c, "other", [*head, ("descent", warm, n - 1)], warm, None, stepped)
    floor = _rest_row(c)
    tail = [("floor", floor, n - 1)] if floor < n - 1 else []
    # coarse printing flattens the top of a smooth rise and fall: the descent then begins somewhere on it
    flat = warm + int(np.argmax(np.append(c.y[warm:], -1.0) < top * (1 - SAME)))
    fit, start = _fit(c, warm, flat, floor, tol)
    held = start - warm > HOLD * (n - warm)
    if fit is None:
        return _schedule(c, "other", [*head, ("descent", warm, n - 1)], warm, None, stepped)
    kind = "stable-decay" if held else _kind(fit.family)
    if kind in ("cosine", "linear") and warm >= 4 and _curved_warmup(c, (warm + start) // 2):
        kind = "one-cycle"
    if fit.family == "exponential" and stepped and _ratio(c) <= COARSE:
        kind, held = "step", False
    horizon = float(c.x[floor]) if floor < n - 1 else _horizon(fit, c, start)
    middle = [("hold", warm, start), ("descent", start, floor)] if held else [("descent", warm, floor)]
    return _schedule(c, kind, [*head, *middle, *tail], warm, horizon, stepped)


def _on_treads(c: GridCurve, warm: int, treads: GridCurve) -> Schedule:
    """A warm-up by the step before a descent once an epoch: the two put together."""
    body = _descended(treads, tolerance(treads), 0, True)
    if warm == 0:
        return body
    head = _schedule(c, body.kind, [("warmup", 0, warm)], warm, None, True)
    return replace(body, segments=head.segments + body.segments, warmup_end=head.warmup_end)


def _rest_row(c: GridCurve) -> int:
    """First row from which the rate stands at its last value, or the last row."""
    moving = np.flatnonzero(np.abs(c.y - c.y[-1]) > SAME * top_of(c.y))
    return min(int(moving[-1]) + 1, len(c) - 1) if len(moving) else len(c) - 1


def _fit(c: GridCurve, warm: int, flat: int, last: int, tol: Floats) -> tuple[Fit | None, int]:
    """The best family for a descent to `last` that begins between `warm` and `flat`, and the row where it begins.

    Late beginnings are tried first and closely, earlier ones more and more coarsely, then the rows beside the best.
    """
    found: dict[int, Fit] = {}

    def attempt(start: int) -> bool:
        rows = slice(start, last + 1)
        fit = None if start in found else fit_descent(GridCurve(c.x[rows], c.y[rows], c.scale), tol[rows])
        if fit is not None:
            found[start] = fit
        return fit is not None and fit.error <= CERTAIN

    back = np.unique(np.geomspace(1.0, max(flat - warm, 1), MOST_STARTS).astype(np.int64))
    tried = [flat - int(b) for b in back]
    sure = any(attempt(s) for s in (*tried, flat))
    if not found:
        return None, warm
    best = min(found, key=lambda s: found[s].error)
    if not sure and best < flat:
        at = tried.index(best)
        near = (tried[max(at - 1, 0)], tried[min(at + 1, len(tried) - 1)])
        any(attempt(int(s)) for s in np.unique(np.linspace(near[1], near[0], MOST_STARTS).astype(np.int64)))
        best = min(found, key=lambda s: found[s].error)
    return found[best], best


def _kind(family: Family) -> Kind:
    return family


def _horizon(fit: Fit, c: GridCurve, begun: int) -> float | None:
    """End of the formula, where enough of it was seen to tell."""
    if fit.end is None or not np.isfinite(fit.end):
        return None
    start, last = float(c.x[begun]), float(c.x[-1])
    if fit.family == "cosine" and last - start < SURE * (fit.end - start):
        return None
    if fit.error > EXACT and c.y[-1] <= GONE * top_of(c.y):
        return last
    return float(fit.end) if fit.end - start < 1e3 * (last - start) else None


def _ratio(c: GridCurve) -> float:
    """Median of a tread's value over that of the tread before, where it moves."""
    ratio = c.y[1:] / np.maximum(c.y[:-1], 1e-300)
    return median_of(ratio[ratio < 1.0 - SAME]) if bool((ratio < 1.0 - SAME).any()) else 1.0


def _curved_warmup(c: GridCurve, turn: int) -> bool:
    """Whether the rise up to row `turn` follows a cosine and no line, as in a one-cycle policy."""
    t = (c.x[: turn + 1] - c.x[0]) / (c.x[turn] - c.x[0])
    rise = (c.y[: turn + 1] - c.y[0]) / (c.y[turn] - c.y[0])
    curved = 0.5 * (1.0 - np.cos(np.pi * t))
    return bool(np.linalg.norm(rise - curved) < LIKER * np.linalg.norm(rise - t))


def _schedule(
    c: GridCurve, kind: Kind, parts: list[tuple[str, int, int]], warm: int, horizon: float | None, stepped: bool
) -> Schedule:
    segments = tuple(
        Segment(part, float(c.x[a]), float(c.x[b]), float(c.y[a]) * c.scale, float(c.y[b]) * c.scale)  # type: ignore[arg-type]
        for part, a, b in parts
    )
    return Schedule(
        kind=kind,
        segments=segments,
        warmup_end=float(c.x[warm]) if warm > 0 else None,
        peak=top_of(c.y) * c.scale,
        last=float(c.y[-1]) * c.scale,
        horizon=horizon,
        restarts=len(swings(c)) if kind in ("restarts", "cyclic") else 0,
        stepped=stepped,
        end_reached=None,
    )


def lr_horizon(lr: Series) -> float | None:
    """Step at which the descent of the rate ends or would end; None where it has no end or it cannot be told yet.

    >>> round(lr_horizon(Series.of([1.0 - i / 100 for i in range(50)])))
    100
    """
    found = recognize(lr)
    return None if found is None or found.horizon is None else float(found.horizon)


def decays_smoothly(lr: Series) -> bool | None:
    """Whether the rate follows a smooth formula down (linear, cosine, polynomial, ...), by step or by epoch.

    >>> decays_smoothly(Series.of([1.0 - i / 100 for i in range(50)])), decays_smoothly(Series.of([1.0] * 50))
    (True, False)
    """
    found = recognize(lr)
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
