"""Outcomes -> the figures: rates over all units, per symptom, per family and per part of the data."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from curvedoc.core.diagnosis import Kind
from curvedoc.evaluate.judge import UnitResult
from curvedoc.evaluate.rates import Bin, Rate, calibration_error, rate, reliability

#: An onset said within this share of the run's length counts as placed.
PLACED = 0.05


@dataclass(frozen=True, slots=True)
class Totals:
    """The figures over a set of units.

    macro: (hit, top1, top3), each the mean over families of faults, so that no family weighs by its frequency
    precision: mean over faults of the share of named pathologies that are accepted or fine
    """

    units: int
    missing: int
    quiet: int
    hit: Rate
    top1: Rate
    top3: Rate
    macro: tuple[float | None, float | None, float | None]
    healthy_alarms: Rate
    benign_alarms: Rate
    forbidden: Rate
    notices: Rate
    precision: float | None
    onset_median: float | None
    onset_placed: Rate
    reliability: tuple[Bin, ...]
    calibration_error: float | None


@dataclass(frozen=True, slots=True)
class SymptomRow:
    """One symptom.

    itself: of the units whose label accepts it, where it was named; any: where any accepted symptom was
    right:  of the judged units where it was named, those whose label accepts it or calls it fine. Pathologies only:
            labels do not list the notices and gaps that a run may have
    alarms: healthy and benign units where it was a false alarm
    """

    symptom: str
    kind: Kind | None  # None: no rule detects it
    itself: Rate
    any: Rate
    right: Rate | None
    alarms: int
    onset_median: float | None


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """One family of faults."""

    family: str
    hit: Rate
    top1: Rate
    top3: Rate


@dataclass(frozen=True, slots=True)
class PartRow:
    """One part of the data: a task, a logger, an architecture."""

    part: str
    hit: Rate
    top1: Rate
    alarms: Rate  # over healthy and benign units


def _flags(outcomes: Sequence[UnitResult], of: Callable[[UnitResult], bool | None]) -> Rate:
    return rate(answer for answer in map(of, outcomes) if answer is not None)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return statistics.fmean(known) if known else None


def _calm(outcomes: Sequence[UnitResult], *sorts: str) -> Rate:
    return rate(bool(o.alarms) for o in outcomes if o.sort in sorts)


def families(outcomes: Sequence[UnitResult]) -> tuple[FamilyRow, ...]:
    """The families of faults, by name."""
    faults = [o for o in outcomes if o.sort == "fault"]
    rows = []
    for name in sorted({o.unit.label.family for o in faults}):
        own = [o for o in faults if o.unit.label.family == name]
        rows.append(
            FamilyRow(name, _flags(own, lambda o: o.hit), _flags(own, lambda o: o.top1), _flags(own, lambda o: o.top3))
        )
    return tuple(rows)


def totals(outcomes: Sequence[UnitResult]) -> Totals:
    """The figures over these outcomes."""
    faults = [o for o in outcomes if o.sort == "fault"]
    onsets = [o.onset for o in faults if o.onset is not None]
    rows = families(outcomes)
    bins = reliability([o.stated for o in outcomes if o.stated is not None])
    return Totals(
        units=len(outcomes),
        missing=sum(not o.found for o in outcomes),
        quiet=sum(o.sort == "quiet" for o in outcomes),
        hit=_flags(faults, lambda o: o.hit),
        top1=_flags(faults, lambda o: o.top1),
        top3=_flags(faults, lambda o: o.top3),
        macro=(
            _mean([r.hit.value for r in rows]),
            _mean([r.top1.value for r in rows]),
            _mean([r.top3.value for r in rows]),
        ),
        healthy_alarms=_calm(outcomes, "healthy"),
        benign_alarms=_calm(outcomes, "benign"),
        forbidden=rate(bool(o.forbidden) for o in outcomes),
        notices=_flags([o for o in outcomes if o.sort in ("healthy", "benign")], lambda o: o.hit),
        precision=_mean([o.right for o in faults]),
        onset_median=statistics.median(onsets) if onsets else None,
        onset_placed=rate(x <= PLACED for x in onsets),
        reliability=bins,
        calibration_error=calibration_error(bins),
    )


def symptoms(outcomes: Sequence[UnitResult], kinds: Mapping[str, Kind]) -> tuple[SymptomRow, ...]:
    """Every symptom that a label accepts or that was named, by id. kinds: symptom -> kind, of the rulebook."""
    judged = [o for o in outcomes if o.sort != "quiet"]
    ids = {s for o in judged for s in (*o.said, *o.unit.label.accept_symptoms)}
    rows = []
    for id_ in sorted(ids):
        expected = [o for o in judged if id_ in o.unit.label.accept_symptoms]
        named = [o for o in judged if id_ in o.said]
        wrong = [o for o in named if id_ not in (*o.unit.label.accept_symptoms, *o.unit.label.also_fine)]
        onsets = [o.onset for o in expected if id_ in o.said and o.onset is not None]
        rows.append(
            SymptomRow(
                id_,
                kinds.get(id_),
                rate(id_ in o.said for o in expected),
                rate(bool(o.hit) for o in expected),
                Rate(len(named) - len(wrong), len(named)) if kinds.get(id_) == "pathology" else None,
                sum(id_ in o.alarms for o in wrong),
                statistics.median(onsets) if onsets else None,
            )
        )
    return tuple(rows)


def parts(outcomes: Sequence[UnitResult], by: str) -> tuple[PartRow, ...]:
    """The figures by one field of the labels: task, logger or arch."""
    of = {o.unit.name: str(getattr(o.unit.label, by)) for o in outcomes}
    rows = []
    for name in sorted(set(of.values())):
        own = [o for o in outcomes if of[o.unit.name] == name]
        faults = [o for o in own if o.sort == "fault"]
        rows.append(
            PartRow(
                name,
                _flags(faults, lambda o: o.hit),
                _flags(faults, lambda o: o.top1),
                _calm(own, "healthy", "benign"),
            )
        )
    return tuple(rows)
