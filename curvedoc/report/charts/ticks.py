"""Where an axis is labeled, and how: decades always, whole steps only, one way of writing numbers on one axis.

The page's script does the same when a reader zooms; the two are held together by a test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Ticks = tuple[list[float], list[str]]  # values, labels

#: Pixels that a label takes along a vertical axis.
LINE = 15.0
#: A plain number below and from these on is written with an exponent.
_SMALL, _LARGE = 1e-3, 1e5
#: A step may be this much smaller than asked for: two labels say less than four.
_NEAR_STEP = 0.7
_SUFFIX = ((1e12, "T"), (1e9, "B"), (1e6, "M"))


def linear(low: float, high: float, most: int, whole: bool = False) -> list[float]:
    """At most about `most` round values from `low` to `high`, whole ones only where they count steps."""
    span = high - low
    if not (span > 0 and math.isfinite(span)):
        return [low] if math.isfinite(low) else []
    rough = span / max(1, most)
    if rough < 1e-290:
        return [low]
    power = math.floor(math.log10(rough))
    step = next(m for m in (1, 2, 5, 10) if m * 10.0**power >= _NEAR_STEP * rough)
    exponent = power + (step == 10)
    step = 1 if step == 10 else step
    if whole and exponent < 0:
        step, exponent = 1, 0
    unit = step * 10.0**exponent
    first, last = math.ceil(low / unit - 1e-9), math.floor(high / unit + 1e-9)
    return [_times(i * step, exponent) for i in range(first, min(last, first + 60) + 1)]


def logarithmic(low: float, high: float, pixels: float) -> list[float]:
    """The decades between two positive values, all or each n-th, with 2 and 5 between them where there is room."""
    if not 0 < low < high < math.inf:
        return [low] if 0 < low < math.inf else []
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    decade = pixels / (math.log10(high) - math.log10(low))
    every = max(1, math.ceil(LINE * 1.6 / decade))
    decades = [_times(1, e) for e in range(first, last + 1) if e % every == 0]
    if every > 1 or decade * math.log10(2) < LINE * 0.8:
        return decades if decades else linear(low, high, 3)
    between = [_times(m, e) for e in range(first - 1, last + 1) for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    chosen = sorted({*decades, *between})
    return chosen if len(chosen) >= 3 else sorted({*decades, *linear(low, high, max(3, int(pixels / 45)))})


def _times(factor: float, exponent: int) -> float:
    """factor x 10^exponent as the nearest double, which a product is not.

    >>> _times(3, -1), _times(77833230404, 0), _times(2e16, 3)
    (0.3, 77833230404.0, 2e+19)
    """
    digits, _, power = repr(float(factor)).partition("e")
    return float(f"{digits}e{int(power or 0) + exponent}")


def labels(values: Sequence[float]) -> list[str]:
    """The values as text, all of an axis in one manner.

    >>> labels([0, 0.0005, 0.001]), labels([0.5, 1, 2, 10]), labels([1e-7, 1e-3, 10.0])
    (['0', '5e-4', '1e-3'], ['0.5', '1', '2', '10'], ['1e-7', '1e-3', '10'])
    """
    sizes = [abs(v) for v in values if v != 0]
    tiny, huge = any(v < _SMALL for v in sizes), any(v >= _LARGE for v in sizes)

    def text(v: float) -> str:
        a = abs(v)
        if a and ((tiny and a < 1) or (huge and a >= 1000)):
            digits, power = f"{v:.3e}".split("e")
            return f"{float(digits):g}e{int(power)}"
        return f"{v:,.10g}" if a < 1000 else f"{v:,.0f}" if v == round(v) else f"{v:,.1f}"

    return [text(v) for v in values]


def step_labels(values: Sequence[float], axis: str) -> list[str]:
    """Steps as text, the first with the name of the axis; long ones shortened where that loses nothing.

    >>> step_labels([0, 500_000, 1_000_000], "step"), step_labels([0, 5], "epoch")
    (['step 0', '500,000', '1,000,000'], ['epoch 0', '5'])
    >>> step_labels([2_000_000, 4_000_000], "step")
    ['step 2M', '4M']
    """
    made = [f"{round(v):,}" for v in values]
    top = max((abs(v) for v in values), default=0)
    for size, suffix in _SUFFIX:
        if top >= 2 * size:
            short = [f"{v / size:.4g}{suffix}" if v else "0" for v in values]
            if len(set(short)) == len(set(made)):
                made = short
            break
    return [f"{axis} {made[0]}", *made[1:]] if made else []
