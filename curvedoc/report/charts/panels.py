"""Which curves of a run are drawn, and on which panels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from curvedoc.core.diagnosis import Curve, Evidence, Mark, RunDiagnosis
from curvedoc.report.charts.marks import Band, Pin, bands, levels, onset_window, pins
from curvedoc.report.summary import last_step, ranked_findings

#: Panels of one run: loss, gradient norm and rate, and the three that its findings need most.
_MOST_PANELS = 6
#: Lines of one panel: more cannot be told apart by hue.
_MOST_LINES = 6
#: A log scale where a positive curve spans at least this factor.
_LOG_FROM = 3.0

_TITLES = {
    "loss": "Loss",
    "grad_norm": "Gradient norm",
    "lr": "Learning rate",
    "memory": "Memory",
    "gpu_utilization": "GPU utilization",
    "wall_time": "Wall time",
}
_FIRST = ("loss", "grad_norm")
_HEIGHT = {"loss": 210, "grad_norm": 130, "lr": 90}


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel: the curve with its band, and others on the same axes."""

    key: str
    title: str
    curves: tuple[Curve, ...]  # the first is the main one
    log: bool
    can_log: bool  # all values are positive
    height: int


@dataclass(frozen=True, slots=True)
class RunPicture:
    """Everything drawn of one run."""

    panels: tuple[Panel, ...]
    start: int
    end: int
    pins: tuple[Pin, ...]
    bands: tuple[Band, ...]
    levels: tuple[tuple[str, float], ...]  # (panel key, value)
    zoom: tuple[int, int] | None
    view: tuple[int, int]  # what is shown at first

    def shows(self, mark: Mark) -> bool:
        """Whether a mark can be seen: its curve is drawn, or a numbered mark stands at its step."""
        drawn = any(c.metric == mark.metric for p in self.panels for c in p.curves)
        return drawn or any(p.step == mark.start for p in self.pins if mark.end is None)

    def axis_key(self, axis: str) -> tuple[str, str]:
        """What two runs must share to be drawn over each other: the first panel and the axis."""
        return (self.panels[0].key if self.panels else "", axis)


def family(role: str) -> str:
    """The panel that a role belongs to: validation curves stand beside their training curve.

    >>> family("val_loss"), family("layer_grad_norm"), family("lr")
    ('loss', 'layer_grad_norm', 'lr')
    """
    for prefix in ("val_", "eval_", "test_", "train_"):
        if role.startswith(prefix) and len(role) > len(prefix):
            return role[len(prefix) :]
    return role


def picture(run: RunDiagnosis) -> RunPicture:
    """The drawing of one run; without curves it has no panels."""
    panels = _panels(run)
    main = panels[0].curves[0] if panels else None
    ends = [last_step(run, c) for p in panels for c in p.curves]
    starts = [c.step[0] for p in panels for c in p.curves]
    end = max(ends, default=1)
    # A crash is often logged just after the last value: its mark belongs on the picture.
    late = [f.first_step for f in run.findings if f.first_step is not None and end < f.first_step <= end * 1.03 + 1]
    end = max([end, *late])
    start = min(starts, default=0)
    start = min(0, start) if start <= 0.05 * end else start
    end = end if end > start else start + 1
    return RunPicture(
        panels,
        start,
        end,
        pins(run, start, end),
        bands(run, main, panels[0].title.lower() if panels else "", start, end),
        levels(run, {c.metric: p.key for p in panels for c in p.curves}),
        onset_window(run, main, start, end),
        (start, _alive(main, start, end)),
    )


def _alive(main: Curve | None, start: int, end: int) -> int:
    """The end of the first view: a run that died early and went on as NaN is not squeezed into the left edge."""
    if main is None or not main.nonfinite:
        return end
    death, last = main.nonfinite[-1]
    if last < end - 0.05 * (end - start) or death - start > 0.4 * (end - start):
        return end
    return min(end, start + max(8, round((death - start) * 2.5)))


def _panels(run: RunDiagnosis) -> tuple[Panel, ...]:
    curves = [c for c in run.curves if c.step]
    by_family: dict[str, list[Curve]] = {}
    for c in curves:
        by_family.setdefault(family(c.role) or c.metric, []).append(c)
    wanted = [k for k in _FIRST if k in by_family]
    marked = _metrics_of_findings(run)
    needed = (family(c.role) or c.metric for m in marked for c in curves if c.metric == m)
    wanted += [k for k in dict.fromkeys(needed) if k not in wanted and k != "lr"]
    if len(wanted) < 2:  # little was logged: show what there is
        wanted += [k for k in by_family if k not in wanted and k != "lr"][: 3 - len(wanted)]
    room = _MOST_PANELS - ("lr" in by_family)
    wanted = wanted[:room] + ["lr"] * ("lr" in by_family)
    return tuple(_panel(key, by_family[key], marked) for key in wanted)


def _metrics_of_findings(run: RunDiagnosis) -> list[str]:
    names: list[str | None] = []
    for f in ranked_findings(run):
        names += [f.metric, *(m for e in f.evidence for m in _metrics(e))]
    for cause in run.causes[:2]:
        names += [m for e in (*cause.supports, *cause.against) for m in _metrics(e)]
    return [n for n in dict.fromkeys(names) if n]


def _metrics(e: Evidence) -> Iterable[str | None]:
    return (e.metric, *(m.metric for m in e.marks))


def _panel(key: str, curves: list[Curve], marked: Sequence[str]) -> Panel:
    # The training curve before its validation curves, whatever the order of the log; of many, those that are marked.
    ordered = sorted(curves, key=lambda c: (family(c.role) != c.role, c.metric not in marked))[:_MOST_LINES]
    low = [v for c in ordered for v in c.low if math.isfinite(v)]
    high = [v for c in ordered for v in c.high if math.isfinite(v)]
    can_log = bool(low and high) and min(low) > 0
    log = can_log and max(high) / min(low) >= _LOG_FROM and key != "lr" and "accuracy" not in key
    return Panel(key, title(key), tuple(ordered), log, can_log, _HEIGHT.get(key, 120))


def title(key: str) -> str:
    """The heading of a panel: `Gradient norm`."""
    return _TITLES.get(key) or (key.replace("_", " ")[:1].upper() + key.replace("_", " ")[1:])
