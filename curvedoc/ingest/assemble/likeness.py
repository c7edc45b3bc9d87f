"""Whether two strands are the same curve, written down twice."""

from __future__ import annotations

import numpy as np

from curvedoc.core.block import Bools
from curvedoc.core.series import Floats, Ints
from curvedoc.ingest.assemble.stream_curves import StreamBlock

#: Relative difference that rounding to four significant digits may leave.
_ROUNDED = 6e-4
#: The same for three digits.
_SHORT = 5.1e-3
#: Share of compared points that must agree; a running average agrees on few.
_AGREE = 0.95
#: Fewer common points than this prove nothing unless they are all there are.
_COMMON = 3
#: Size classes per doubling.
_SIZES = 4
#: Decimals tried when guessing how a log rounded its values.
_DECIMALS = 8


def same_curve(a: StreamBlock, b: StreamBlock) -> bool:
    """Whether two strands hold equal values at equal steps, up to the rounding of a text log, or, where their steps
    are counted differently, equal values in equal order. NaN equals NaN."""
    xa, ya = _last_writes(a)
    xb, yb = _last_writes(b)
    common, ia, ib = np.intersect1d(xa, xb, assume_unique=True, return_indices=True)
    fewest = min(len(xa), len(xb))
    if len(common) >= min(_COMMON, fewest) and 2 * len(common) >= fewest and _agree(ya[ia], yb[ib]):
        return True
    return fewest >= _COMMON and abs(len(a) - len(b)) <= 2 and _agree(a.value[:fewest], b.value[:fewest])


def conflict(a: StreamBlock, b: StreamBlock) -> bool:
    """Whether two strands cannot be one curve: they overlap in steps and differ there."""
    if not len(a) or not len(b):
        return False
    sa, sb = a.step[a.known], b.step[b.known]
    if not len(sa) or not len(sb):
        return not same_curve(a, b)
    if sa.max() < sb.min() or sb.max() < sa.min():
        return False
    return not same_curve(a, b)


def size(points: int) -> int:
    """The size class of a curve: copies of one class are equally long, but for a torn tail or a skipped header."""
    return int(_SIZES * np.log2(max(points, 1)))


def finesse(s: StreamBlock) -> tuple[int, bool, int]:
    """What makes one of two equally long copies worth more: digits, a clock, a few points more."""
    return decimals(s.value), bool(np.isfinite(s.time).any()), len(s)


def _last_writes(s: StreamBlock) -> tuple[Ints, Floats]:
    step = s.step[s.known]
    value = s.value[s.known]
    if len(step) > 1 and not bool((np.diff(step) > 0).all()):
        step, first = np.unique(step[::-1], return_index=True)
        value = value[::-1][first]
    return step, value


def _agree(a: Floats, b: Floats) -> bool:
    if not len(a):
        return False
    digits = min(decimals(a), decimals(b))
    slack = 0.51 * 10.0**-digits if digits < _DECIMALS else 0.0
    if float(_close(a, b, slack, _ROUNDED).mean()) >= _AGREE:
        return True
    return _in_short(a) != _in_short(b) and float(_close(a, b, 0.0, _SHORT).mean()) >= _AGREE


def _in_short(value: Floats) -> bool:
    """Whether the values were written with three significant digits, as loggers print tables of them."""
    v = value[np.isfinite(value) & (value != 0.0)][:200]
    if not len(v):
        return False
    scaled = v / 10.0 ** (np.floor(np.log10(np.abs(v))) - 2.0)
    return bool((np.abs(scaled - np.rint(scaled)) <= 1e-6 * np.abs(scaled)).all())


def _close(a: Floats, b: Floats, slack: float, part: float) -> Bools:
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(a - b) <= slack + part * np.maximum(np.abs(a), np.abs(b))
    return np.asarray(near & np.isfinite(a) & np.isfinite(b) | (a == b) | (np.isnan(a) & np.isnan(b)))


def decimals(value: Floats) -> int:
    """How many decimals the values were written with, at most 8."""
    v = value[np.isfinite(value)][:200]
    for d in range(_DECIMALS):
        scaled = v * 10.0**d
        if bool((np.abs(scaled - np.rint(scaled)) <= 1e-6).all()):
            return d
    return _DECIMALS
