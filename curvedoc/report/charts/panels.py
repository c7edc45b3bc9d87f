"""Which curves of a run are drawn, and on which panels."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from curvedoc.core.diagnosis import Curve, Evidence, Mark, RunDiagnosis
from curvedoc.core.frozen import dataclass
from curvedoc.report import words
from curvedoc.report.charts.marks import Band, Level, Pin, bands, levels, onset_window, pins
from curvedoc.report.charts.scale import Clip, beyond, clip
from curvedoc.report.charts.strip import cells
from curvedoc.report.summary import last_step, onset, ranked_findings, weighed_causes

#: Panels of one run: loss, gradient norm and rate, and those that its findings need most.
_MOST_PANELS = 8
#: Lines of one panel: more cannot be told apart by hue.
_MOST_LINES = 6
#: Layers from which on a strip of rows says more than as many lines.
_LEAST_ROWS = 3
#: A curve with a value in so many steps of an epoch, and more, is logged once an epoch.
_ONCE = 0.8
#: Rows of so many epochs are labeled by them.
_EPOCHS = 2
#: A log scale where a positive curve spans at least this factor.
_LOG_FROM = 3.0

_TITLES = {
    "loss": "Loss",
    "grad_norm": "Gradient norm",
    "lr": "Learning rate",
    "kl": "KL divergence",
    "game_loss": "Loss",
    "memory": "Memory",
    "gpu_utilization": "GPU utilization",
    "wall_time": "Wall time",
    "data_time": "Time spent waiting for data",
    "layer_grad_norm": "Gradient norm of each layer",
    "layer_weight_norm": "Weight norm of each layer",
    "layer_update_norm": "Update of each layer",
    "layer_update_ratio": "Update ratio of each layer",
}
_FIRST = ("reward", "loss", "grad_norm")
_QUALITIES = ("accuracy", "metric", "reward")
_MEMBERS = ("layer_", "rank_", "loss_part")
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
    rows: bool = False  # a row for each curve, shaded by its values, in place of lines
    clip: Clip | None = None  # the values that are shown at first; None for all of them


@dataclass(frozen=True, slots=True)
class RunPicture:
    """Everything drawn of one run."""

    panels: tuple[Panel, ...]
    start: int
    end: int
    pins: tuple[Pin, ...]
    bands: tuple[Band, ...]
    levels: tuple[Level, ...]
    zoom: tuple[int, int] | None
    view: tuple[int, int]  # what is shown at first
    axis: str = "step"  # the unit that the axis is labeled in, and how many steps it has
    per: float = 1.0

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
    named = levels(run, {c.metric: p.key for p in reversed(panels) for c in p.curves})
    return RunPicture(
        tuple(_down_to(p, named) for p in panels),
        start,
        end,
        pins(run, start, end),
        bands(run, main, panels[0].title.lower() if panels else "", start, end),
        named,
        onset_window(run, main, start, end),
        (start, _alive(main, start, end)),
        *_unit(run, main),
    )


def _down_to(panel: Panel, named: Sequence[Level]) -> Panel:
    """The panel with the levels below its calm part in sight: what fell to one of them is what is told."""
    low = min((x.value for x in named if x.panel == panel.key and (x.value > 0 or not panel.log)), default=math.inf)
    if panel.clip is None or low >= panel.clip[0]:
        return panel
    return replace(panel, clip=(low, panel.clip[1]))


def _unit(run: RunDiagnosis, main: Curve | None) -> tuple[str, float]:
    """What the user counts in: epochs where the curve was logged about once in each, else what the log counts."""
    known = run.facts.get("epoch_steps")
    steps = known.value if known is not None and known.firm else None
    if run.axis not in ("step", "row") or main is None or len(main.step) < 2:
        return run.axis, 1.0
    if not isinstance(steps, int | float) or steps <= 1:
        return run.axis, 1.0
    # rows mean nothing to a user, and sentences count the same run in epochs
    if run.axis == "row":
        return ("epoch", float(steps)) if last_step(run, main) - main.step[0] >= _EPOCHS * steps else (run.axis, 1.0)
    apart = (last_step(run, main) - main.step[0]) / max(1, main.points - 1)
    return ("epoch", float(steps)) if apart >= _ONCE * steps else (run.axis, 1.0)


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
        by_family.setdefault(_place(c), []).append(c)
    wanted = [k for k in _FIRST if k in by_family]
    main_key = wanted[0] if wanted else ""
    marked = _metrics_of_findings(run)
    needed = [_place(c) for m in marked for c in curves if c.metric == m]
    # members are there only where a finding rests on them
    needed = [k for k in by_family if k.startswith(_MEMBERS)] + needed
    # the headline tells how good the model is beside its loss
    needed += [k for k in _QUALITIES if k in by_family]
    wanted += [k for k in dict.fromkeys(needed) if k not in wanted and k != "lr"]
    if len(wanted) < 2:  # little was logged: show what there is
        wanted += [k for k in by_family if k not in wanted and k != "lr"][: 3 - len(wanted)]
    # what every rank logged is not drawn again for the first of them
    wanted = [k for k in wanted if k == main_key or f"rank_{k}" not in wanted]
    room = _MOST_PANELS - ("lr" in by_family)
    wanted = wanted[:room] + ["lr"] * ("lr" in by_family)
    calm = onset(run)
    return tuple(_panel(key, by_family[key], marked, calm) for key in wanted)


def _place(c: Curve) -> str:
    """The panel of a curve; parts of a loss have one each, since their scales differ."""
    return f"{c.role}:{c.metric}" if c.role == "loss_part" else family(c.role) or c.metric


def _metrics_of_findings(run: RunDiagnosis) -> list[str]:
    names: list[str | None] = []
    for f in ranked_findings(run):
        names += [f.metric, *(m for e in f.evidence for m in _metrics(e))]
    for cause in weighed_causes(run):
        names += [m for e in (*cause.supports, *cause.against) for m in _metrics(e)]
    return [n for n in dict.fromkeys(names) if n]


def _metrics(e: Evidence) -> Iterable[str | None]:
    return (e.metric, *(m.metric for m in e.marks))


def _panel(key: str, curves: list[Curve], marked: Sequence[str], calm: int | None) -> Panel:
    if key.startswith("layer_") and len(curves) >= _LEAST_ROWS:
        return Panel(key, title(key), _of_model(curves), True, False, max(60, min(200, 12 * len(curves))), rows=True)
    # The training curve before its validation curves, whatever the order of the log; of many, those that are marked.
    ordered = sorted(curves, key=lambda c: (family(c.role) != c.role, c.metric not in marked))[:_MOST_LINES]
    low = [v for c in ordered for v in c.low if math.isfinite(v)]
    high = [v for c in ordered for v in c.high if math.isfinite(v)]
    can_log = bool(low and high) and min(low) > 0
    log = can_log and max(high) / min(low) >= _LOG_FROM and key not in ("lr", *_QUALITIES)
    height = 80 if key.startswith("loss_part") else _HEIGHT.get(key, 120)
    main = ordered[0]
    points = [(s, v) for column in (main.low, main.high) for s, v in zip(main.step, column, strict=True)]
    # what is zero but for its peaks, as a divergence or a wait, is told by its peaks
    shown = clip(points, calm, log) if log or key in _FIRST else None
    return Panel(key, title(key), tuple(ordered), log, can_log, height, clip=shown)


def _of_model(curves: list[Curve]) -> tuple[Curve, ...]:
    """One curve for each layer, in the order of the model: as logged, or by their numbers where the log sorts names."""
    by_layer: dict[str, Curve] = {}
    for c in curves:
        name = c.label or c.metric
        if name not in by_layer or len(c.step) < len(by_layer[name].step):
            by_layer[name] = c
    names = list(by_layer)
    if names == sorted(names):
        names.sort(key=lambda n: [(int(t), "") if t.isdecimal() else (-1, t) for t in re.split(r"(\d+)", n[:200])])
    return tuple(by_layer[n] for n in names)


def title(key: str) -> str:
    """The heading of a panel: `Gradient norm`."""
    if key.startswith("loss_part:"):
        return f"Part of the loss: {key.partition(':')[2]}"
    if key.startswith("rank_"):
        return f"{title(key.removeprefix('rank_'))} of each rank"
    return _TITLES.get(key) or (key.replace("_", " ")[:1].upper() + key.replace("_", " ")[1:])


def panel_note(p: Panel, end: int) -> str:
    """`Goes up to 1.5e+35, off this scale.`; for a strip of layers its rows and shades; "" for nothing."""
    if p.rows:
        made = cells(p.curves, end)
        names = made["names"]
        shades = f"pale {words.value(made['low'])}, dark {words.value(made['high'])}"
        broken = ", red NaN or Inf" if -1 in made["s"] else ""
        return f"a row for each of {len(names)} layers, 1 is {names[0]}, {len(names)} is {names[-1]}; {shades}{broken}"
    if p.clip is None:
        return ""
    low, high = beyond((v for c in p.curves for v in (*c.low, *c.high)), p.clip)
    said = [f"up to {words.value(high)}"] if high is not None else []
    said += [f"down to {words.value(low)}"] if low is not None else []
    return f"goes {' and '.join(said)}, off this scale" if said else ""
