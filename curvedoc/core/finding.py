"""Finding: one symptom that a rule saw in one run, with its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from curvedoc.core.frozen import dataclass

Kind = Literal["pathology", "notice", "gap"]
Severity = Literal["fatal", "error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Mark:
    """What to draw on a curve: a point (start), a span (start to end) or a level."""

    metric: str  # raw metric name
    start: int | None = None
    end: int | None = None
    level: float | None = None
    name: str = ""  # of the level; one without a name is not drawn


@dataclass(frozen=True, slots=True)
class Evidence:
    """One sentence with its numbers already in it, and where it shows."""

    text: str
    metric: str | None = None
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One symptom that a rule saw in one run."""

    symptom: str
    title: str
    kind: Kind
    severity: Severity
    strength: float  # 0..1, how clearly the picture is there
    first_step: int | None
    last_step: int | None
    metric: str | None
    scope: Mapping[str, str] = field(
        default_factory=dict
    )  # {} | {"layer": ...} | {"metric": ...} | {"rank": ...} | {"siblings": ...}
    evidence: tuple[Evidence, ...] = ()
    measures: Mapping[str, float | bool] = field(default_factory=dict)
    explained_by: str | None = None
    #: (cause id, share); sums to 1, empty for a finding without causes
    causes: tuple[tuple[str, float], ...] = ()
    about: str = ""  # what the symptom is, for who does not know it
    general: str = ""  # the title without the numbers of this run, for what several runs share


@dataclass(frozen=True, slots=True)
class NotJudged:
    """A symptom that could not be decided, and the signals that would decide it."""

    symptom: str
    reason: str
    needs: tuple[str, ...] = ()
