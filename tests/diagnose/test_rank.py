"""What a story weighs: the fault in it, also where something harmless explains that."""

from dataclasses import replace

import pytest

from curvedoc.core.diagnosis import Finding, RankedCause
from curvedoc.diagnose.judge.rank import scores, stories
from curvedoc.diagnose.siblings.evidence import _weighed_again


def test_a_notice_that_explains_a_fault_does_not_take_its_weight() -> None:
    few = (("too-little-data", 1.0),)
    gap = Finding("generalization-gap", "A gap", "pathology", "warning", 0.5, 1, 9, "val_loss", causes=few)
    turn = Finding("overfitting", "A turn", "notice", "note", 0.5, 3, 9, "val_loss", causes=few)
    alone = scores(stories([gap], {"too-little-data": 6.0}))["too-little-data"]
    folded = scores(stories([turn, replace(gap, explained_by="overfitting")], {"too-little-data": 6.0}))
    assert folded["too-little-data"] >= 0.9 * alone


def test_competing_causes_and_none_share_the_whole_after_siblings_spoke() -> None:
    causes = tuple(
        RankedCause(name, name, p, "", findings=("overfitting",)) for name, p in (("a", 0.6), ("b", 0.3), ("c", 0.05))
    )
    told = _weighed_again(causes, {"b": 20.0})
    none = 0.05 / (0.6 + 6.0 + 0.05 + 0.05)
    assert sum(c.probability for c in told) + none == pytest.approx(1.0, abs=0.01)
    assert max(told, key=lambda c: c.probability).cause == "b"
