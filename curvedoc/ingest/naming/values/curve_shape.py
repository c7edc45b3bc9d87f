"""What the values of one metric look like: a schedule, a share that rises, a loss that falls."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Floats

#: Fewer values than this show no shape.
FEWEST = 8
#: A longer curve is looked at in so many places, spread over it evenly.
_PLACES = 2_000
#: A schedule is computed: from one value to the next its slope changes by no more than this part of its range,
_BEND = 0.02
#: but for so many kinks (a warm-up's end, a drop).
_KINKS = 0.05
_KINKS_FREE = 3
#: A sum follows its parts, and is off by no more than this share of what it moves by.
_TRACED = 0.02
#: Differences of printed numbers scatter by their last digit.
_EXACT = 1e-4
#: The slope of rounded numbers is off by no more than so many of their last digits.
_DIGITS = 3
#: Values up to here may be small rates; of others no more decimals are printed.
_RATE, _PRINTED = 0.1, 8
#: No rate is higher.
_HIGHEST_RATE = 10.0
#: A share of right answers ends so far above its beginning; a loss so far below it, in its own scatter.
_LEARNED = 1.1
_CLEARLY = 1.0
_PERCENT = 100.0
#: What was learned ends above so many percent; numbers above 1 that never come so far may be a loss that rises.
_FIRST_PERCENTS = 10.0
#: A mean absolute error is at most the root of the mean square, and seldom less than half of it.
_SHARE = (0.5, 1.02)
#: Where neither moves, the loss is the variance of a standardized target, and the share that of usual ones.
_VARIANCE, _STEADY_SHARE = (0.9, 1.1), (0.75, 0.88)
#: It moved where the loss moved by so many times; then its logarithm goes half as far as that of the loss, and with it.
_MOVED, _SLOPE, _TOGETHER = 1.5, (0.3, 0.7), 0.8
#: Where it rests the share scatters by no more than this.
_STEADY = 0.01
#: Nearly all wrong, and a loss that says as much: more than a blunt one of nearly all right would be.
_NEARLY_ALL, _BLUNT = 0.75, 2.0


def thinned(value: Floats) -> Floats:
    """At most some thousand values of the curve, in order."""
    return value if len(value) <= _PLACES else value[:: -(-len(value) // _PLACES)]


def is_schedule(value: Floats) -> bool:
    """Whether the values are positive and computed: levels, lines and smooth arcs with a few kinks, not one constant.

    A curve that falls along one convex arc only is none: so does a loss without noise.
    """
    v = thinned(value)
    if len(v) < FEWEST or not bool((v >= 0.0).all()) or float(v.max()) > _HIGHEST_RATE:
        return False
    span = float(v.max() - v.min())
    if span == 0.0:
        return False
    moves = np.diff(v) / span
    flat = float(np.mean(moves == 0.0))
    if flat >= 0.5:  # levels: every drop or rise is a kink, and there are few
        return int((moves != 0.0).sum()) <= max(_KINKS_FREE, _KINKS * len(v)) or is_smooth(v)
    return is_smooth(v) and not _is_decay(moves) and not _is_jagged(v)


def is_small_rate(value: Floats) -> bool:
    """Whether the values walk as a schedule within what rates are mostly set to."""
    return is_schedule(value) and float(value.max()) <= _RATE


def _is_jagged(v: Floats) -> bool:
    """Whether the slope goes up and down by turns, by more than the last digit and less than a kink: what is measured
    does, what is computed does not."""
    levels = np.diff(np.unique(v))
    digit = min(float(levels.min()), _last_digit(v)) if len(levels) else 0.0
    bends = np.diff(v, 2)
    bends = bends[np.abs(bends) > max(_DIGITS * digit, 10 * _EXACT * float(v.max() - v.min()))]
    turns = float((np.sign(bends[1:]) != np.sign(bends[:-1])).mean()) if len(bends) >= FEWEST else 0.0
    return turns > 1 / _DIGITS


def _last_digit(v: Floats) -> float:
    """The unit of the last digit that is printed of values that are no small rates, which are told by their first
    digits; infinite for those and where there is none."""
    if float(v.max()) <= _RATE:
        return float("inf")
    units = (10.0**-k for k in range(_PRINTED + 1))
    return next((u for u in units if bool(np.isclose(v / u, np.round(v / u), rtol=0.0, atol=1e-4).all())), 0.0)


def is_smooth(value: Floats) -> bool:
    """Whether the slope changes little from one value to the next, but for a few kinks."""
    v = thinned(value)
    span = float(v.max() - v.min()) if len(v) else 0.0
    if len(v) < FEWEST or span == 0.0:
        return False
    bends = np.abs(np.diff(v, 2)) / span
    turns = int((np.diff(np.sign(np.diff(v))) != 0).sum())
    kinks = max(_KINKS_FREE, _KINKS * len(v))
    return int((bends > _BEND).sum()) <= kinks and turns <= 2 * kinks


def _is_decay(moves: Floats) -> bool:
    """Whether the curve only falls, ever more slowly: no line, no arc that begins flat, no constant ratio."""
    if not bool((moves <= 0.0).all()):
        return False
    bends = np.diff(moves)
    straight = float(np.max(np.abs(bends))) <= _EXACT * float(np.max(np.abs(moves)))
    return not straight and float(np.mean(bends >= -_EXACT * float(np.max(np.abs(moves))))) > 0.9


def rises_as_a_share(value: Floats) -> bool:
    """Whether the values lie within 0 and 1, or 0 and 100, scatter, and end well above their beginning."""
    return gains(value) and not is_smooth(value)


def gains(value: Floats) -> bool:
    """Whether the values lie within 0 and 1, or 0 and 100, and end well above their beginning."""
    if len(value) < FEWEST or not bool(((value >= 0.0) & (value <= _PERCENT)).all()):
        return False
    first, last = _ends(value)
    if last < _FIRST_PERCENTS and bool((value > 1.0).any()):
        return False
    return last > _LEARNED * first and last > 0.0 and _moved(value)


def falls(value: Floats) -> bool:
    """Whether the curve ends below its beginning by more than its own scatter, and is no schedule."""
    return comes_down(value) and not is_schedule(value)


def until_lowest(value: Floats) -> Floats:
    """The finite values up to the lowest: where a loss that blows up came down before it did."""
    finite = value[np.isfinite(value)]
    return finite[: int(np.argmin(finite)) + 1] if len(finite) else finite


def comes_down(value: Floats) -> bool:
    """Whether the curve ends below its beginning by more than its own scatter."""
    if len(value) < FEWEST:
        return False
    first, last = _ends(value)
    return last < first and _moved(value)


def _ends(value: Floats) -> tuple[float, float]:
    """The median of the first tenth (three values at least) and of the last."""
    k = max(3, len(value) // 10)
    return float(np.median(value[:k])), float(np.median(value[-k:]))


def end_level(value: Floats) -> float:
    """The middle of the last tenth; 0 of nothing."""
    return float(np.median(value[-max(1, len(value) // 10) :])) if len(value) else 0.0


def _moved(value: Floats) -> bool:
    """Whether beginning and end are further apart than one value is from the next; less will do where they are the
    middle of many values."""
    first, last = _ends(value)
    sure = float((3.0 / max(3, len(value) // 10)) ** 0.25)
    with np.errstate(over="ignore", invalid="ignore"):
        noise = float(np.median(np.abs(np.diff(thinned(value)))))
    return bool(abs(last - first) > _CLEARLY * noise * sure)


def is_scatter(value: Floats) -> bool:
    """Whether positive values scatter around a level with more above than below, as norms of gradients do."""
    if len(value) < FEWEST or not bool((value > 0.0).all()) or is_smooth(value):
        return False
    return float(np.mean(value)) > float(np.median(value))


def parts_of(total: Floats, others: list[Floats]) -> list[int]:
    """Places of the curves of which `total` is the sum with constant positive weights; none where it is no such sum.

    All have one length. The sum must be met in every value to the digits that are printed.
    """
    k, n = len(others), len(total)
    if k < 2 or n < max(FEWEST, 3 * k):
        return []
    rows = np.linspace(0, n - 1, min(n, 400)).astype(np.int64)
    y, x = total[rows], np.stack([o[rows] for o in others], axis=1)
    scale = np.max(np.abs(x), axis=0)
    live = np.flatnonzero((scale > 0.0) & (x.max(axis=0) > x.min(axis=0)))
    top = float(np.max(np.abs(y)))
    if len(live) < 2 or top == 0.0 or float(y.max()) == float(y.min()):
        return []
    # of terms that go alike many sums are one, of which the plain one is meant
    plain = scale[live] / top
    is_plain = bool((plain <= 2.0).all())  # no term is much larger than the sum
    if is_plain:
        missed = np.abs((x[:, live] / top).sum(axis=1) - y / top)
        is_plain = float(np.max(missed)) <= 3e-3 and float(np.median(missed)) <= _EXACT * 10
    weight = plain if is_plain else np.linalg.lstsq(x[:, live] / scale[live], y / top, rcond=None)[0]
    share = weight  # of the total's top, by each part's own
    if bool((share < -_EXACT).any()):
        return []
    miss = np.abs(x[:, live] / scale[live] @ weight - y / top)
    if float(np.max(miss)) > 3e-3 or float(np.median(miss)) > _EXACT * 10:
        return []
    if float(np.median(miss)) > _TRACED * float(np.ptp(y / top)):  # of what hardly moves anything is a sum
        return []
    least = _EXACT if is_plain else 1e-3
    found = [int(live[i]) for i in range(len(live)) if share[i] > least]
    return found if len(found) >= 2 else []


def is_between(values: Floats, others: list[Floats]) -> bool:
    """Whether a curve is nowhere above the highest of others, as a mean of them is and a plain sum of terms is not."""
    return bool(others) and bool((values <= np.max(others, axis=0) * (1.0 + _EXACT)).all())


def is_error_beside(a: Floats, b: Floats) -> bool:
    """Whether values a are, row by row, a share of the root of the loss b as an absolute error is."""
    if len(a) != len(b) or len(a) < 2 or a.min() <= 0.0 or b.min() <= 0.0:
        return False
    share = a / np.sqrt(b)
    if share.min() < _SHARE[0] or share.max() > _SHARE[1]:
        return False
    x, y = np.log(b), np.log(a)
    if float(x.max() - x.min()) < np.log(_MOVED):
        rests = _VARIANCE[0] < b.min() and b.max() < _VARIANCE[1] and float(np.ptp(share)) < _STEADY
        rests = rests and _STEADY_SHARE[0] < share.min() and share.max() < _STEADY_SHARE[1]
        rises = a[np.argsort(b, kind="stable")]
        return bool(rests and a.max() > a.min() and (np.diff(rises) > -_STEADY * np.ptp(rises)).mean() > _TOGETHER)
    x, y = x - x.mean(), y - y.mean()
    slope, along = float(x @ y / (x @ x)), float(x @ y / np.sqrt((x @ x) * max(float(y @ y), 1e-300)))
    return _SLOPE[0] < slope < _SLOPE[1] and along > _TOGETHER


def is_wrong_share(a: Floats, b: Floats, seen: bool) -> bool:
    """Whether values a within 0 and 1 or 0 and 100 are the share of wrong answers beside the loss b: both fall, or of
    samples seen both go the same way, or they begin where nearly all is wrong by the loss too."""
    if len(a) != len(b) or len(a) < FEWEST or a.min() < 0.0 or a.max() > _PERCENT:
        return False
    share = a / (_PERCENT if a.max() > 1.0 else 1.0)
    if share[0] > _NEARLY_ALL and b[0] > _BLUNT:
        return True
    return agreement(a, b) > 0.5 and ((falls(a) and falls(b)) or (seen and _moved(a) and _moved(b)))


def agreement(a: Floats, b: Floats) -> float:
    """How far two curves of one length go up and down together: the correlation of ranks, equal values in file order;
    0 of less than two values."""
    x, y = (r - r.mean() for r in np.argsort(np.argsort(np.stack([a, b]), axis=1), axis=1).astype(np.float64))
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / scale if scale > 0.0 else 0.0
