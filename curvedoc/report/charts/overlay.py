"""The curves of a group over each other: its representative drawn strongly, a few others faintly."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

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


def overlay(head: RunDiagnosis, runs: Sequence[RunDiagnosis]) -> Overlay | None:
    """The picture of a group; None where its representative has no curve."""
    own = main_curve(head)
    if own is None or not any(math.isfinite(v) for v in own.mean):
        return None
    near = [c for r in runs if r is not head and (c := main_curve(r)) and c.role == own.role and r.axis == head.axis]
    thin = [columns(c, _COLUMNS) for c in (own, *near[:_OTHERS])]
    known = [v for v in thin[0].mean if math.isfinite(v)]
    log = min(known) > 0 and max(known) / min(known) >= _LOG_FROM
    began = onset(head)
    low, high = clip([*zip(thin[0].step, thin[0].mean, strict=True)], began, log) or (min(known), max(known))
    # what comes after the last finite value of all would be empty
    ends = [s for c in thin for s, v in zip(c.step, c.mean, strict=True) if math.isfinite(v)]
    first, last = min(0, thin[0].step[0]), max(1, max(ends), began or 0)

    def x(step: int) -> float:
        return round((step - first) / max(1, last - first) * (WIDTH - _LABELS), 1)

    def y(v: float) -> float:
        v = min(high, max(low, v))
        a, b, c = (math.log(low), math.log(high), math.log(v)) if log else (low, high, v)
        return round(HEIGHT - 16 - (0.5 if b <= a else (c - a) / (b - a)) * (HEIGHT - 24), 1)

    shown = x(began) if began is not None and first <= began <= last else None
    lines = [_path(c, x, y, log) for c in thin]
    return Overlay(lines[0], "".join(lines[1:]), shown, words.value(high), words.value(low), f"{head.axis} {last:,}")


def _path(c: DrawnColumns, x: Callable[[int], float], y: Callable[[float], float], log: bool) -> str:
    out, pen = [], "M"
    for step, v in zip(c.step, c.mean, strict=True):
        if not math.isfinite(v) or (log and v <= 0):
            pen = "M"
            continue
        out.append(f"{pen}{x(step):g},{y(v):g}")
        pen = "L"
    return "".join(out)
