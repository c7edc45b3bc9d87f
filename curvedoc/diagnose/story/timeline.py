"""Which channel of a failed run moved first: every departure that its curves show, in order of step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from curvedoc.core.diagnosis import Event, Finding
from curvedoc.core.run import Run
from curvedoc.core.series import Series
from curvedoc.diagnose.story.lead import ERRORS
from curvedoc.rulebook.rule import Remark
from curvedoc.stats.basic.finite import first_nonfinite, nonfinite_kind
from curvedoc.stats.basic.medians import median_of
from curvedoc.stats.events.blowup import blowup_onset, departure, mirrored
from curvedoc.stats.events.event import CurveEvent
from curvedoc.stats.events.jumps import biggest_rise, largest_drop
from curvedoc.stats.events.surge import surge_factor, surge_step
from curvedoc.stats.schedule.phases import lr_jump_step, lr_peak_step, restart_step, warmup_steps
from curvedoc.stats.schedule.ramp import ramp
from curvedoc.stats.schedule.steps import lr_drop_steps
from curvedoc.stats.shape.turning import rise_z, turn_step

#: The limits of rules/remarks/timeline.yaml.
_Limits = Mapping[str, float]
_KINDS = {1.0: "became NaN", 2.0: "became infinite", 3.0: "became minus infinite"}

#: What a rate does at the end of its warm-up.
WARMED = "reached its peak after the warm-up"

_Reader = Callable[[str, Series, _Limits], Iterator[Event]]


def _over(after: float, before: float) -> float | None:
    """after / before as a finite number above zero; None where it is none."""
    ratio = after / before if before > 0.0 else 0.0
    return ratio if 0.0 < ratio < float("inf") else None


def _factor(s: Series, step: float, rising: bool, limits: _Limits) -> float | None:
    """Extreme of the finite values from `step` on over their median just before; None without a positive level."""
    v = s.finite()
    row = int(np.searchsorted(v.step, step))
    before, after = v.value[max(0, row - int(limits["before_rows"])) : max(row, 1)], v.value[row:]
    if not len(before) or not len(after):
        return None
    return _over(float(after.max() if rising else after.min()), median_of(before))


def _opens(s: Series, step: float, factor: float | None, limits: _Limits) -> bool:
    """Whether what began at `step` is the opening of the run rather than a departure from a level."""
    row = int(np.searchsorted(s.step, step))
    return row < max(2.0, limits["opening"] * len(s)) and (factor is None or factor < limits["far_up"])


def _broken(channel: str, s: Series, limits: _Limits) -> Iterator[Event]:
    """Where the values stopped being finite, or stood still at exactly zero to the end."""
    bad = first_nonfinite(s)
    if bad is not None:
        yield Event(round(bad), channel, _KINDS[nonfinite_kind(s) or 1.0])
    v = s.finite()
    moving = np.flatnonzero(v.value != 0.0)
    row = int(moving[-1]) + 1 if len(moving) else len(v)
    if len(v) - row >= limits["zero_rows"] and row > 0:
        yield Event(int(v.step[row]), channel, "became exactly zero")


def _moved(channel: str, s: Series, onset: float | None, limits: _Limits, least: float = 1.0) -> Iterator[Event]:
    factor = None if onset is None else _factor(s, onset, True, limits)
    if onset is not None and not _opens(s, onset, factor, limits) and (factor is None or factor >= least):
        yield Event(round(onset), channel, "began to rise", factor)


def _jumped(channel: str, change: CurveEvent | None, what: str) -> Iterator[Event]:
    if change is not None:
        # the levels are read off fitted lines, which may pass zero where no value did
        yield Event(round(change.step), channel, what, _over(change.after, change.before))


def _surged(channel: str, s: Series, before: float | None, limits: _Limits) -> Iterator[Event]:
    """The highest single value, where it came before the series left for good."""
    factor, step = surge_factor(s), surge_step(s)
    if factor is None or step is None or factor < limits["surge"] or (before is not None and step >= before):
        return
    if not _opens(s, step, None, limits):
        yield Event(round(step), channel, "spiked", factor)


def _loss(channel: str, s: Series, limits: _Limits) -> Iterator[Event]:
    onset = departure(s)
    risen = list(_moved(channel, s, onset, limits))
    yield from risen
    if not risen:
        yield from _jumped(channel, biggest_rise(s), "jumped up")
    yield from _surged(channel, s, onset, limits)
    yield from _broken(channel, s, limits)


def _val_loss(channel: str, s: Series, limits: _Limits) -> Iterator[Event]:
    turned = (rise_z(s) or 0.0) > limits["turned"]
    yield from _moved(channel, s, turn_step(s) if turned else departure(s), limits)
    yield from _broken(channel, s, limits)


def _norm(channel: str, s: Series, limits: _Limits) -> Iterator[Event]:
    onset = departure(s)
    factor = None if onset is None else _factor(s, onset, False, limits)
    risen = list(_moved(channel, s, onset, limits, limits["drift"]))
    yield from risen
    if not risen and onset is not None and factor is not None and factor <= 1.0 / limits["drift"]:
        yield Event(round(onset), channel, "began to fall", factor)
    yield from _surged(channel, s, onset if risen else None, limits)
    yield from _broken(channel, s, limits)


def _score(channel: str, s: Series, limits: _Limits) -> Iterator[Event]:
    """An accuracy: its rise is what training is for, only its fall is news."""
    onset = blowup_onset(mirrored(s))
    if onset is not None and not _opens(s, onset, None, limits):
        yield Event(round(onset), channel, "began to fall", _factor(s, onset, False, limits))
    else:
        yield from _jumped(channel, largest_drop(s), "dropped")


def _lr(channel: str, s: Series, limits: _Limits) -> Iterator[Event]:
    v = s.finite()
    warm, top = warmup_steps(s), lr_peak_step(s)
    if warm and top is not None and top < v.step[-1]:
        yield Event(round(top), channel, WARMED)
    leap = lr_jump_step(s)
    if leap is not None:
        row = int(np.searchsorted(v.step, leap))
        before = float(v.value[row - 1]) if row > 0 else 0.0
        yield Event(round(leap), channel, "jumped up", _over(float(v.value[row]), before))
    climb = ramp(s)
    if climb is not None and leap is None:
        yield Event(round(climb.first), channel, "began to rise", _over(climb.times, 1.0))
    again = restart_step(s) if climb is None else None
    if again is not None and (leap is None or abs(again - leap) > np.median(np.diff(v.step))):
        yield Event(round(again), channel, "began to rise again")
    drops = lr_drop_steps(s)
    for step, share in list(zip(drops.step.tolist(), drops.value.tolist(), strict=True))[: int(limits["most_drops"])]:
        yield Event(step, channel, "dropped", _over(share, 1.0))
    yield from _broken(channel, s, limits)


def _loss_scale(channel: str, s: Series, limits: _Limits) -> Iterator[Event]:
    v = s.finite()
    if len(v) > 1:
        rises = np.flatnonzero(v.value[1:] > v.value[:-1])
        row = int(rises[-1]) + 1 if len(rises) else 0
        falls = np.flatnonzero(v.value[row + 1 :] < v.value[row:-1])
        top, end = float(v.value[row]), float(v.value[-1])
        if len(falls) and top > 0.0 and end <= limits["retreat"] * top:
            step = int(v.step[row + int(falls[0]) + 1])
            yield Event(step, channel, "began to halve again and again", _over(end, top))
    yield from _broken(channel, s, limits)


#: Channels in the order in which a failure usually runs through them; ties of one step are told in it.
CHANNELS: tuple[tuple[str, _Reader], ...] = (
    ("lr", _lr),
    ("grad_norm", _norm),
    ("update_ratio", _norm),
    ("weight_norm", _norm),
    ("loss_scale", _loss_scale),
    ("loss", _loss),
    ("val_loss", _val_loss),
    ("accuracy", _score),
    ("val_accuracy", _score),
    ("memory", _norm),
)


def _as_told(events: list[Event], s: Series, findings: Sequence[Finding], limits: _Limits) -> list[Event]:
    """The events of one curve, dated as the first failure is.

    The rise of its own curve stands at the step that it gives: what one measure sees at once and another a little later
    is one event. A rise of another curve that had come to nothing when the failure began belongs to what came after.
    """
    lead = next((f for f in findings if f.kind == "pathology" and f.explained_by is None), None)
    at = lead.first_step if lead is not None and lead.symptom not in ERRORS else None
    if lead is None or at is None:
        return events
    if lead.metric == s.metric and all(e.what == "began to rise" for e in events):
        return [replace(e, step=max(e.step, at)) for e in events]
    # a schedule goes by its own plan; where its warm-up ended tells something of what came after that
    events = [e for e in events if e.what != WARMED or e.step <= at]
    if events and events[0].channel == "lr":
        return events
    return [e for e in (_redated(e, s, at, limits) for e in events) if e is not None]


def _redated(e: Event, s: Series, at: int, limits: _Limits) -> Event | None:
    """A rise or fall, from the row on which the curve left its level where it had not when the failure began.

    None where it never did.
    """
    if e.what not in ("began to rise", "began to fall") or e.step >= at or e.factor is None:
        return e
    v = s.finite()
    row, onset = (int(np.searchsorted(v.step, x)) for x in (e.step, at))
    rows = int(limits["before_rows"])
    level = median_of(v.value[max(0, row - rows) : max(row, 1)])
    # half of the way to where it fell
    edge = level * (limits["drift"] if e.what == "began to rise" else (1.0 + e.factor) / 2.0)
    gone = v.value >= edge if edge >= level else v.value <= edge
    if (
        bool(gone[max(row, onset - 1) : onset].any())
        or 2 * int(gone[max(row, onset - rows) : onset].sum()) > onset - row
    ):
        return e
    out = np.flatnonzero(gone[onset:])
    return replace(e, step=int(v.step[onset + int(out[0])])) if len(out) else None


def _log(run: Run, restarts: Series, limits: _Limits) -> Iterator[Event]:
    for step in restarts.step[: int(limits["most_drops"])].tolist():
        yield Event(step, "log", "the step counter went back to here")
    if not len(run.messages):
        return
    seen = run.messages.filter(pl.col("level").is_in(("TRACEBACK", "CRITICAL", "ERROR")) & pl.col("step").is_not_null())
    if len(seen):
        first = seen.sort("step", maintain_order=True).row(0, named=True)
        what = "a traceback is logged" if first["level"] == "TRACEBACK" else "an error is logged"
        yield Event(int(first["step"]), "log", what)


def timeline(run: Run, findings: Sequence[Finding], restarts: Series, remark: Remark | None) -> tuple[Event, ...]:
    """What left its course, in order of step; empty where no fault has a first step, or without the remark.

    restarts: one row per restart, as `Bench.restarts`. remark: what may be told, with its limits. A step is known to
    about half an e-folding of the rise and to the logging interval of its channel: two events closer than that have no
    order. Channels of one step stand in the order of `CHANNELS`.
    """
    if remark is None or not any(f.kind == "pathology" and f.first_step is not None for f in findings):
        return ()
    limits = remark.program.given
    found: list[Event] = []
    for role, read in CHANNELS:
        series = run.series(role)
        if series is not None and len(series):
            found += _as_told(list(read(role, series, limits)), series, findings, limits)
    found += _log(run, restarts, limits)
    return tuple(sorted(found, key=lambda e: e.step)[: int(limits["most_events"])])
