"""A rule that cannot be decided says which of its lines is open."""

from __future__ import annotations

from pathlib import Path

from helpers.drawn import run_of

import curvedoc
from curvedoc.core.series import Series
from curvedoc.diagnose.cases import build
from curvedoc.diagnose.judge.detect import detect
from curvedoc.diagnose.judge.inputs import MADE_OF, Bench
from curvedoc.diagnose.run import diagnose
from curvedoc.options import Options, rulebook
from curvedoc.rulebook.load import load
from curvedoc.rulebook.schema.case import Case

RULE = """\
id: accuracy-halves
title: The accuracy halves
kind: pathology
severity: warning
what: it halves
why: it should not
lookalikes: none
needs: {acc: accuracy}
params: {lost: {value: 0.5, unit: of the level, why: half}}
measure:
  drop: biggest_drop(acc)
when:
  - count_finite(acc) >= some_rows
  - 1 - last(acc) / drop.before > lost
evidence: [{say: it halves}]
causes: []
tests:
  - {name: it halves, expect: fires, series: {accuracy: [[0, 0.9], [500, 0.9], [501, 0.3], [1000, 0.3]]}}
  - {name: nothing drops, expect: not-judged, series: {accuracy: [[0, 0.9], [1000, 0.9]]}}
"""


def test_the_line_that_is_open_is_named_and_none_that_holds(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "accuracy-halves.yaml").write_text(RULE)
    rule = load([tmp_path], builtin=False).rules[0]
    case = Case.model_validate(
        {"name": "flat", "expect": "not-judged", "series": {"accuracy": [[0, 0.9], [1000, 0.9]]}}
    )
    judged = detect(rule, Bench(build(case, case)), strict=True)
    assert (judged.outcome, judged.reason) == ("not-judged", "too little to decide: 1 - last(acc) / drop.before > lost")


def test_nothing_is_asked_for_that_is_worked_out_and_not_logged() -> None:
    told = diagnose(run_of({"loss": Series.of([2.3 * 0.97**i for i in range(120)])}), rulebook(Options()))
    asked = {need for row in told.not_judged for need in row.needs}
    assert "accuracy" in asked and not asked & {*MADE_OF, ""}


def test_a_gap_is_told_where_nothing_says_what_learns() -> None:
    """Boosting, whose trees fit training alone, excuses a gap; that it may be boosting does not."""
    epochs = list(range(1, 31))
    log = {
        "epoch": epochs,
        "train_loss": [0.85 + 3.5 * 0.88**i + 0.01 * (i % 3) for i in epochs],
        "val_loss": [2.4 + 0.7 * 0.8**i + 0.01 * (i % 4) for i in epochs],
    }
    (judged,) = curvedoc.analyze(log).diagnosis.runs
    assert judged.verdict == "warning" and "generalization-gap" in [f.symptom for f in judged.findings]
