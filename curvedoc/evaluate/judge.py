"""One unit with its label and what was said of it -> what was right and what was wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from curvedoc.core.diagnosis import Kind
from curvedoc.evaluate.labels import Label, Unit
from curvedoc.evaluate.predict import UnitPrediction

#: A healthy run that is said to have ended early is alarmed.
EARLY = "ended-early"
Sort = Literal["fault", "healthy", "benign", "quiet"]


@dataclass(frozen=True, slots=True)
class UnitResult:
    """What became of one unit. Fields that do not apply to its sort are None.

    sort:    fault (it showed), healthy (nothing was injected), benign (a peculiarity that is no fault),
             quiet (a fault that did not show: counted for `forbidden` only)
    hit:     an accepted symptom was named (faults, and benign units with an expected notice)
    top1/3:  an accepted cause stands first / among the first three (faults with accepted causes)
    alarms:  pathologies named on a healthy or benign unit that are neither accepted nor fine
    onset:   |first step said - true onset| / length of the run, over hits
    right:   share of the pathologies named on a fault that are accepted or fine
    stated:  the leading cause's probability and whether it is accepted, where the label accepts causes
    ranked:  the same of every cause, the leading one first
    """

    unit: Unit
    sort: Sort
    said: frozenset[str]
    causes: tuple[str, ...]
    found: bool
    hit: bool | None
    top1: bool | None
    top3: bool | None
    alarms: tuple[str, ...]
    forbidden: tuple[str, ...]
    onset: float | None
    right: float | None
    stated: tuple[float, bool] | None
    ranked: tuple[tuple[float, bool], ...] = ()


def _sort(label: Label) -> Sort:
    if label.benign:
        return "healthy" if label.fault == "none" else "benign"
    return "fault" if label.manifested else "quiet"


def _onset(label: Label, said: UnitPrediction) -> float | None:
    if label.onset_step is None or not label.last_step:
        return None
    steps = [step for symptom, _, step in said.symptoms if symptom in label.accept_symptoms and step is not None]
    return abs(steps[0] - label.onset_step) / max(1.0, label.last_step) if steps else None


def judge(unit: Unit, said: UnitPrediction, kinds: Mapping[str, Kind]) -> UnitResult:
    """The outcome of one unit. kinds: symptom -> kind, of the rulebook that was used."""
    label, sort = unit.label, _sort(unit.label)
    ids = frozenset(s for s, _, _ in said.symptoms)
    accepted, fine = set(label.accept_symptoms), set(label.accept_symptoms) | set(label.also_fine)
    pathologies = {i for i in ids - said.noted if kinds.get(i) == "pathology"} | ({EARLY} if said.early else set())
    causes = tuple(c for c, _ in said.causes)
    right = set(label.accept_causes)
    calm, fault = sort in ("healthy", "benign"), sort == "fault"
    hit = bool(ids & accepted) if fault or (calm and accepted) else None
    judged = fault and bool(right)
    ranked = tuple((p, c in right) for c, p in said.causes) if right and sort != "quiet" else ()
    return UnitResult(
        unit=unit,
        sort=sort,
        said=ids,
        causes=causes,
        found=said.runs > 0,
        hit=hit,
        top1=bool(right.intersection(causes[:1])) if judged else None,
        top3=bool(right.intersection(causes[:3])) if judged else None,
        alarms=tuple(sorted(pathologies - fine)) if calm else (),
        forbidden=tuple(sorted(ids & set(label.forbidden))),
        onset=_onset(label, said) if fault and hit else None,
        right=len(pathologies & fine) / len(pathologies) if fault and pathologies else None,
        stated=ranked[0] if ranked else None,
        ranked=ranked,
    )
