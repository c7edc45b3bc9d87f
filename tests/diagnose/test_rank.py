"""What a story weighs: the fault in it, also where something harmless explains that."""

from dataclasses import replace

from curvedoc.core.diagnosis import Finding
from curvedoc.diagnose.judge.rank import scores, stories


def test_a_notice_that_explains_a_fault_does_not_take_its_weight() -> None:
    few = (("too-little-data", 1.0),)
    gap = Finding("generalization-gap", "A gap", "pathology", "warning", 0.5, 1, 9, "val_loss", causes=few)
    turn = Finding("overfitting", "A turn", "notice", "note", 0.5, 3, 9, "val_loss", causes=few)
    alone = scores(stories([gap], {"too-little-data": 6.0}))["too-little-data"]
    folded = scores(stories([turn, replace(gap, explained_by="overfitting")], {"too-little-data": 6.0}))
    assert folded["too-little-data"] >= 0.9 * alone
