"""The few figures beside the verdict, and what was read."""

from __future__ import annotations

from curvedoc.core.diagnosis import Diagnosis, RunDiagnosis
from curvedoc.report import words
from curvedoc.report.inbox import lost_unit
from curvedoc.report.summary import Summary, last_step, last_value, main_curve, onset

Figure = tuple[str, str, str]  # label, figure, unit or word


def stats(d: Diagnosis, head: Summary) -> tuple[Figure, ...]:
    """The four figures beside the verdict, each (label, figure, its unit or word)."""
    c = head.cause
    sure = (
        ("Likeliest cause", words.percent(c.probability), words.likelihood(c.probability))
        if c and c.probability >= words.POSSIBLE
        else None
    )
    if not d.runs:
        return ()
    if len(d.runs) == 1:
        return _stats_of_one(d, d.runs[0], sure)
    tally = dict(head.counts)
    rows = [("Failed", f"{tally.get('failed', 0):,}", f"of {len(d.runs):,}")]
    rows.append(("Warnings", f"{tally.get('warning', 0):,}", ""))
    if any(_lost(d)):
        rows.append(_lost_figure(d))
    elif tally.get("ended-early"):
        rows.append(("Ended early", f"{tally['ended-early']:,}", ""))
    elif tally.get("inconclusive"):
        rows.append(("Could not be judged", f"{tally['inconclusive']:,}", ""))
    rows.append(sure if sure and head.asserts else ("Healthy", f"{tally.get('healthy', 0):,}", ""))
    return tuple(rows)


def _stats_of_one(d: Diagnosis, run: RunDiagnosis, sure: tuple[str, str, str] | None) -> tuple[Figure, ...]:
    curve = main_curve(run)
    began = onset(run)
    word = "Ended" if run.verdict == "ended-early" else "Onset"
    # what holds from the first step on has no place to look at
    unit = words.unit(run.axis)
    rows = (
        [(word, f"{unit} {words.step(began)}" if began else "from the start", _first_sign(run, began))]
        if began is not None
        else []
    )
    rows += [_lost_figure(d)] if any(_lost(d)) and rows else []
    if curve:
        rows.append(
            (f"Last {curve.role.replace('_', ' ')}", words.value(last_value(run)), f"{unit} {last_step(run, curve):,}")
        )
    if sure:
        return (*rows[:3], sure)
    points, files = sum(s.points for s in run.sources), words.count(len(run.sources), "file")
    rows += [("Values read", f"{points:,}", f"in {files}")]
    rows += [("Checks skipped", f"{len(run.not_judged):,}", "for lack of signals")] if run.not_judged else []
    return tuple(rows[:4])


def _first_sign(run: RunDiagnosis, began: int) -> str:
    """Where the loss began to rise, of a run whose failure came later: one event has two steps then, and both names."""
    rises = [e.step for e in run.timeline if e.channel == "loss" and e.what == "began to rise" and e.step < began]
    return f"rising since {words.unit(run.axis)} {min(rises):,}" if rises and run.verdict == "failed" else ""


def _lost_figure(d: Diagnosis) -> Figure:
    """What came after the onset, under a label that names its unit: Steps after onset, Time after onset."""
    figure, unit = _lost(d)
    counted = unit.isalpha() and unit != "hours"
    return (f"{words.cap(unit)} after onset", figure, "") if counted else ("Time after onset", figure, unit)


def _lost(d: Diagnosis) -> tuple[str, str]:
    """What came after the first step at which a failure could be seen, in hours where a clock was logged."""
    hours = sum(r.cost.hours_wasted or 0.0 for r in d.runs)
    if hours >= words.SHOWN_HOURS and lost_unit(d.runs) == "hours":
        many = _gpu_hours(d)
        also = f", {many:,.0f} GPU-hours" if many >= 1 else ""
        if hours >= 1:
            return f"{hours:,.1f}" if hours < 100 else f"{hours:,.0f}", f"hours{also}"
        return words.hours(hours), also.removeprefix(", ")
    steps = sum(r.cost.steps_wasted or 0 for r in d.runs)
    axes = {r.axis for r in d.runs if r.cost.steps_wasted}
    return (f"{steps:,}", f"{axes.pop()}s" if len(axes) == 1 else "steps") if steps else ("", "")


def _gpu_hours(d: Diagnosis) -> float:
    """The lost hours times the processes of each run; 0 where no run is known to have had several."""
    total, several = 0.0, False
    for r in d.runs:
        known = r.facts.get("ranks")
        ranks = known.value if known is not None and isinstance(known.value, int | float) else 1
        several |= ranks > 1 and bool(r.cost.hours_wasted)
        total += (r.cost.hours_wasted or 0.0) * max(1, ranks)
    return total if several else 0.0


def read(d: Diagnosis) -> str:
    """How much was read: `3 files (2 jsonl, 1 csv), 4.1 MB, 12,000 values`."""
    sources = [s for r in d.runs for s in r.sources]
    files = {s.path: s for s in sources}
    kinds: dict[str, int] = {}
    for s in files.values():
        kinds[s.format] = kinds.get(s.format, 0) + 1
    listed = ", ".join(f"{n:,} {kind}" for kind, n in sorted(kinds.items()))
    total = sum(s.bytes for s in files.values())
    values = sum(s.points for s in sources)
    return (
        f"{words.count(len(files), 'file')} ({listed}), {words.size(total)}, {words.count(values, 'value')}"
        if files
        else "nothing"
    )
