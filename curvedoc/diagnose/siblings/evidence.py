"""What siblings say of a run's causes, put into its diagnosis without judging the run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from curvedoc.core.diagnosis import Evidence, RankedCause, RunDiagnosis
from curvedoc.diagnose.judge.action import next_action
from curvedoc.diagnose.judge.rank import CEILING, raised
from curvedoc.diagnose.judge.verdict import next_check
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.diagnose.story.headline import said
from curvedoc.diagnose.story.lead import led, unexplained


def with_sibling_evidence(run: RunDiagnosis, evidence: Mapping[str, tuple[float, Evidence]]) -> RunDiagnosis:
    """The diagnosis with the odds of causes multiplied and the reason put first; headline and next check follow.

    evidence: cause -> (factor on its odds, sentence), as `contrast.sibling_evidence` gives it; causes that no finding
    names stay out.
    """
    if not any(c.cause in evidence for c in run.causes):
        return run
    told = _weighed_again(run.causes, {c: factor for c, (factor, _) in evidence.items()})
    told = [replace(c, supports=(evidence[c.cause][1], *c.supports)) if c.cause in evidence else c for c in told]
    findings, causes = led(run.findings, sorted(told, key=lambda c: -c.probability))
    if run.verdict not in ("failed", "warning"):
        return replace(run, causes=causes)
    return replace(
        run, causes=causes, findings=findings, headline=said(Counter(run.axis), findings, causes),
        next_check=next_check(causes), next_action=next_action(causes),
        none_of_these=unexplained(causes),
    )  # fmt: skip


def _weighed_again(causes: Sequence[RankedCause], factors: Mapping[str, float]) -> list[RankedCause]:
    """The causes with the odds of some multiplied.

    Those of the first trouble still share the whole with "none of these"; a cause of another trouble stands by itself.
    """
    own = {c.cause: c.probability * factors.get(c.cause, 1.0) for c in causes if not c.beside}
    whole = sum(own.values()) + (unexplained(causes) or 0.0)

    def after(c: RankedCause) -> float:
        return raised(c.probability, factors.get(c.cause, 1.0)) if c.beside else min(own[c.cause] / whole, CEILING)

    return [replace(c, probability=round(after(c), 4)) for c in causes]
