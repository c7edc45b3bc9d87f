"""The phases of a run as bands behind its curves: warm-up, decay, divergence."""

from __future__ import annotations

from dataclasses import replace

from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.core.frozen import dataclass
from curvedoc.core.series import Series
from curvedoc.report.summary import lead_finding
from curvedoc.stats.schedule.phases import lr_final_ratio, lr_peak, warmup_steps
from curvedoc.stats.schedule.ramp import ramp

#: Findings after which the loss goes away from its best for good.
_DIVERGING = ("divergence", "nan-after-blowup", "exploding-gradients")
#: A rate that ends above this share of its peak was not taken down.
_DOWN = 0.7
_RISES = "learning rate rises"
#: A rate this near to its peak still stands at it.
_AT_PEAK = 0.999
#: A phase of less than this share of the run is too narrow to be seen, one of more says nothing.
_LEAST, _MOST = 0.008, 0.97


@dataclass(frozen=True, slots=True)
class RunPhase:
    """One phase. kind: warm, decay or diverge."""

    start: int
    end: int
    kind: str
    text: str


def phases(run: RunDiagnosis, start: int, end: int) -> tuple[RunPhase, ...]:
    """What the learning rate and the findings tell of the course of a run, in order of step."""
    found = [*_of_rate(run, start, end)]
    lead = lead_finding(run)
    stop = end + 1
    for a, _ in (s for c in run.curves[:1] for s in c.nonfinite[:1]):
        stop = min(stop, a)
    # what a run is only warned of came back
    gone = lead is not None and lead.symptom in _DIVERGING and run.verdict == "failed"
    if lead is not None and gone and lead.first_step is not None:
        began = max(start, lead.first_step)
        rising = any(p.text == _RISES and p.start <= began <= p.end for p in found)
        text = f"diverging while the {_RISES}" if rising else "diverging"
        found = [*_until(found, began), RunPhase(began, min(end, stop), "diverge", text)]
    width = max(1, end - start)
    return tuple(p for p in _until(found, stop) if _LEAST * width <= p.end - p.start <= _MOST * width)


def _until(found: list[RunPhase], step: int) -> list[RunPhase]:
    """What comes before a step: of two phases at once the later one is the news."""
    return [replace(p, end=min(p.end, step)) for p in found if p.start < step]


def _of_rate(run: RunDiagnosis, start: int, end: int) -> list[RunPhase]:
    curve = next((c for c in run.curves if c.role == "lr" and len(c.step) > 2), None)
    if curve is None:
        return []
    rate = Series.of(curve.mean, curve.step)
    out = []
    climb = ramp(rate)
    warm, peak, left = warmup_steps(rate), lr_peak(rate), lr_final_ratio(rate)
    if warm and climb is None:  # one that begins in the middle of a run is none
        first = 0 if curve.step[0] <= warm else curve.step[0]
        out.append(RunPhase(max(start, first), min(end, first + round(warm)), "warm", "warm-up"))
    if climb is not None:
        out.append(RunPhase(round(climb.first), round(climb.last), "warm", _RISES))
    if peak and left is not None and left < _DOWN:
        top = [s for s, v in zip(curve.step, curve.mean, strict=True) if v >= _AT_PEAK * peak]
        stop = [s for s, v in zip(curve.step, curve.mean, strict=True) if v <= left * peak * 1.001 and s > top[-1]]
        out.append(RunPhase(top[-1], stop[0] if stop else end, "decay", "learning rate decays"))
    return out
