"""What siblings say of a run's causes, put into its diagnosis without judging the run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from curvedoc.core.diagnosis import Evidence, RankedCause, RunDiagnosis
from curvedoc.diagnose.judge.action import next_action
from curvedoc.diagnose.judge.rank import raised
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
    told = [_raised(c, *evidence[c.cause]) if c.cause in evidence else c for c in run.causes]
    findings, causes = led(run.findings, sorted(told, key=lambda c: -c.probability))
    if run.verdict not in ("failed", "warning"):
        return replace(run, causes=causes)
    return replace(
        run, causes=causes, findings=findings, headline=said(Counter(run.axis), findings, causes),
        next_check=next_check(causes), next_action=next_action(causes),
        none_of_these=unexplained(causes),
    )  # fmt: skip


def _raised(cause: RankedCause, factor: float, why: Evidence) -> RankedCause:
    return replace(cause, probability=round(raised(cause.probability, factor), 4), supports=(why, *cause.supports))
