"""The stretch of values that a panel shows: a blow-up over thirty decades leaves the part before it readable."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

#: Fewer values before the onset say nothing of the calm part.
_FEW = 8
#: A whole range of so many times the calm one, and more decades than these beyond it, is cut.
_TIMES, _DECADES = 8.0, 4.0
#: Of values above zero: up to so many times the calm ones, all are readable on one scale.
_AS_MUCH = 2.0
#: What is left above and below the calm part, in its own widths and in decades at least.
_ROOM, _ROOM_DECADES = 1.5, 1.5
#: The calm part is this share of the values before the onset, the lowest ones.
_SHARE = 0.9

Clip = tuple[float, float]


def clip(points: Sequence[tuple[int, float]], onset: int | None, log: bool) -> Clip | None:
    """The values to show at first, as (lowest, highest); None where all of them make a readable picture.

    points: (step, value) of the main curve. Calm are the lower nine tenths of
    what lies before the onset, or of everything where that is little.
    """
    known = [(s, v) for s, v in points if math.isfinite(v) and (v > 0 or not log)]
    before = [v for s, v in known if onset is not None and s < onset]
    # the run-up to a blow-up lies before its onset, too
    calm = sorted(before if len(before) >= _FEW else [v for _, v in known])
    calm = calm[: max(1, math.ceil(_SHARE * len(calm)))]
    if len(calm) < _FEW:
        return None
    low, high = calm[0], calm[-1]
    least, most = min(v for _, v in known), max(v for _, v in known)
    if log:
        width = math.log10(high) - math.log10(low)
        if math.log10(most) - math.log10(least) <= 2 * width + _DECADES:
            return None
        room = 10.0 ** min(100.0, max(_ROOM_DECADES, width))
        return max(least, low / room), min(most, high * room)
    width = high - low
    if low > 0 and most <= _AS_MUCH * high:
        return None
    made = max(least, low - _ROOM * width), min(most, high + _ROOM * width)
    return made if width > 0 and most - least > _TIMES * width and all(map(math.isfinite, made)) else None


def beyond(values: Iterable[float], shown: Clip) -> tuple[float | None, float | None]:
    """The lowest and the highest value outside of what is shown; None where there is none on that side."""
    seen = [v for v in values if math.isfinite(v)]
    low, high = min(seen, default=shown[0]), max(seen, default=shown[1])
    return (low if low < shown[0] else None), (high if high > shown[1] else None)
