"""From the findings of all rules to the story of a run: what owns a picture, what is a mere consequence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from curvedoc.core.diagnosis import Finding
from curvedoc.rulebook.rule import Rule

SEVERITY_ORDER = ("fatal", "error", "warning", "note")
KIND_ORDER = ("pathology", "notice", "gap")


def order(finding: Finding) -> tuple[int, int, float, float, str]:
    """Pathologies first, then by severity, then the first failure first, then the clearest."""
    onset = float("inf") if finding.first_step is None else float(finding.first_step)
    return (
        KIND_ORDER.index(finding.kind),
        SEVERITY_ORDER.index(finding.severity),
        onset,
        -finding.strength,
        finding.symptom,
    )


def fold(findings: Sequence[Finding], rules: Mapping[str, Rule]) -> tuple[Finding, ...]:
    """The findings in the order they are told; those that yield are dropped, consequences name what explains them."""
    fired = {f.symptom for f in findings}
    # a rule yields only to one that itself stays: otherwise two that yield to each other would both vanish
    kept: dict[str, Finding] = {}
    for finding in sorted(findings, key=lambda f: (len(set(rules[f.symptom].yields) & fired), order(f))):
        if not set(rules[finding.symptom].yields) & set(kept):
            kept[finding.symptom] = finding
    told = sorted(kept.values(), key=order)
    explained: dict[str, str] = {}
    for owner in told:
        for consequence in rules[owner.symptom].explains:
            if (
                consequence in kept
                and consequence not in explained
                and not _leads_to(owner.symptom, consequence, explained)
            ):
                explained[consequence] = owner.symptom
    # a consequence is told after what explains it, however early it began
    told.sort(key=lambda f: (KIND_ORDER.index(f.kind), f.symptom in explained))
    return tuple(replace(f, explained_by=explained.get(f.symptom)) for f in told)


def _leads_to(symptom: str, target: str, explained: Mapping[str, str]) -> bool:
    """Whether `symptom` is already explained, directly or not, by `target` (so that no circle forms)."""
    seen: str | None = symptom
    while seen is not None:
        if seen == target:
            return True
        seen = explained.get(seen)
    return False


def root(symptom: str, findings: Mapping[str, Finding]) -> str:
    """The first failure behind a symptom."""
    while (owner := findings[symptom].explained_by) is not None:
        symptom = owner
    return symptom
