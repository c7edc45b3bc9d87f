"""Which finding leads the story of a run, and which causes are its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from curvedoc.core.diagnosis import Finding, RankedCause
from curvedoc.diagnose.judge.fold import root
from curvedoc.diagnose.judge.verdict import ASSERTED, NEAR_CERTAIN

#: Symptoms that an error in the log alone makes, whatever the curves look like.
ERRORS = frozenset(
    {"autograd-double-backward", "autograd-inplace", "autograd-leaf-inplace", "collective-timeout", "crash-traceback",
     "device-mismatch", "dtype-mismatch", "label-out-of-range", "no-grad-error", "oom-at-start", "oom-later",
     "shape-mismatch", "worker-died"}
)  # fmt: skip


def leading(findings: Sequence[Finding], causes: Sequence[RankedCause]) -> Finding | None:
    """The finding to tell first: of the gravest that nothing explains the one that the likeliest cause explains, where
    that cause is more likely than not; else the earliest. None without a fault.
    """
    faults = [f for f in findings if f.kind == "pathology"]
    if not faults:
        return None
    free = [f for f in faults if f.explained_by is None] or faults
    gravest = [f for f in free if f.severity == free[0].severity]
    sure = max(causes, key=lambda c: c.probability, default=None)
    if sure is None or sure.probability < ASSERTED:
        return gravest[0]
    return next((f for f in gravest if f.symptom in sure.findings), gravest[0])


def led(
    findings: Sequence[Finding], causes: Sequence[RankedCause]
) -> tuple[tuple[Finding, ...], tuple[RankedCause, ...]]:
    """Findings and causes as they are told: the leading finding first, and before all others the causes of its story.

    A cause of another trouble may be likelier, but it does not explain what is said first; one that is nearly certain
    leads all the same where no own one is likely, but for an error in the log: what troubles a curve ends no program.
    """
    first = leading(findings, causes)
    if first is None:
        return tuple(findings), tuple(causes)
    by_id = {f.symptom: f for f in findings}
    story = {f.symptom for f in findings if root(f.symptom, by_id) == first.symptom}
    told = (first, *(f for f in findings if f is not first))
    placed = [replace(c, beside="" if story & set(c.findings) else c.findings[0]) for c in causes if c.findings]
    placed = _sharing(placed)
    own = max((c.probability for c in placed if not c.beside), default=0.0)
    if placed and placed[0].probability >= NEAR_CERTAIN and first.symptom not in ERRORS and own < ASSERTED:
        return told, tuple(placed)
    return told, tuple(sorted(placed, key=lambda c: bool(c.beside)))


def _sharing(causes: Sequence[RankedCause]) -> list[RankedCause]:
    """The causes, best first, of which those of the first trouble come to no more than 100 %: what another trouble adds
    to one of them leaves less to those behind the likeliest."""
    own = [c for c in causes if not c.beside]
    left, total = 1.0 - sum(c.probability for c in own[:1]), sum(c.probability for c in own[1:])
    if total <= left:
        return list(causes)
    behind = own[1:]
    return [replace(c, probability=round(c.probability * left / total, 4)) if c in behind else c for c in causes]


def unexplained(causes: Sequence[RankedCause]) -> float | None:
    """What the causes of the first trouble leave of 100 %: that it was none of them. None without such a cause."""
    own = [c.probability for c in causes if not c.beside]
    return round(max(0.0, 1.0 - sum(own)), 4) if own else None
