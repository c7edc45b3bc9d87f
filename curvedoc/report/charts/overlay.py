"""The curves of a group over each other: its representative drawn strongly, a few others faintly."""

from __future__ import annotations

import math
from collections.abc import Sequence

from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.core.frozen import dataclass
from curvedoc.report import words
from curvedoc.report.charts.columns import DrawnColumns, columns
from curvedoc.report.charts.scale import clip
from curvedoc.report.summary import main_curve, onset

WIDTH, HEIGHT = 300, 92
#: Room on the right for the labels of the scale.
_LABELS = 44
_OTHERS, _COLUMNS = 6, 90
#: Fewer finite columns show no shape.
_FEW = 10
#: A log scale where a positive curve spans at least this factor.
_LOG_FROM = 5.0


@dataclass(frozen=True, slots=True)
class Overlay:
    """A small picture in SVG coordinates; what is outside of the scale is drawn at its edge."""

    main: str
    others: str
    onset: float | None
    top: str
    bottom: str
    end: str
    band: str = ""  # from lows to highs of the main curve


def overlay(head: RunDiagnosis, runs: Sequence[RunDiagnosis]) -> Overlay | None:
    """The picture of a group; None where its representative has no curve."""
    own = main_curve(head)
    if own is None or not any(math.isfinite(v) for v in own.mean):
        return None
    near = [c for r in runs if r is not head and (c := main_curve(r)) and c.role == own.role and r.axis == head.axis]
    thin = [columns(c, _COLUMNS, raw=False) for c in (own, *near[:_OTHERS])]
    if sum(map(math.isfinite, thin[0].mean)) < _FEW:  # what broke off at once is drawn row by row
        thin[0] = columns(own, len(own.step))
    known = [v for v in (*thin[0].low, *thin[0].high) if math.isfinite(v)]
    log = min(known) > 0 and max(known) / min(known) >= _LOG_FROM
    began = onset(head)
    low, high = clip([*zip(thin[0].step, thin[0].mean, strict=True)], began, log) or (min(known), max(known))
    # over the length of its representative: beside a long run nothing would be seen of a short one; what comes after
    # the last finite value would be empty
    ends = [s for s, v in zip(thin[0].step, thin[0].mean, strict=True) if math.isfinite(v)]
    first, last = min(0, thin[0].step[0]), max(1, max(ends), began or 0)

    def x(step: int) -> float:
        return round((step - first) / max(1, last - first) * (WIDTH - _LABELS), 1)

    def y(v: float) -> float:
        v = min(high, max(low, v))
        a, b, c = (math.log(low), math.log(high), math.log(v)) if log else (low, high, v)
        return round(HEIGHT - 16 - (0.5 if b <= a else (c - a) / (b - a)) * (HEIGHT - 24), 1)

    def path(steps: Sequence[int], values: Sequence[float]) -> str:
        out, pen = [], "M"
        for step, v in zip(steps, values, strict=True):
            if not math.isfinite(v) or (log and v <= 0) or step > last:
                pen = "M"
                continue
            out.append(f"{pen}{x(step):g},{y(v):g}")
            pen = "L"
        return "".join(out)

    def band(c: DrawnColumns) -> str:
        """From the lowest to the highest value of each column, as one outline; "" where they are the same."""
        seen = [row for row in zip(c.step, c.low, c.high, strict=True) if math.isfinite(row[1]) and row[0] <= last]
        if all(a == b for _, a, b in seen) or (log and any(a <= 0 for _, a, _ in seen)):
            return ""
        steps = [s for s, _, _ in seen]
        up, down = path(steps, [b for _, _, b in seen]), path(steps[::-1], [a for _, a, _ in reversed(seen)])
        return f"{up}L{down[1:]}Z"

    shown = x(began) if began is not None and first <= began <= last else None
    bottom, top = _apart(low, high)
    lines = [path(c.step, c.mean) for c in thin]
    end = f"{head.axis} {last:,}"
    return Overlay(lines[0], "".join(lines[1:]), shown, top, bottom, end, band(thin[0]))


def _apart(low: float, high: float) -> tuple[str, str]:
    """Both ends of the scale, with as many digits as tell them apart."""
    made = (words.value(low), words.value(high))
    if made[0] != made[1] or low == high:
        return made
    return next(((a, b) for n in range(4, 9) if (a := f"{low:.{n}g}") != (b := f"{high:.{n}g}")), made)
