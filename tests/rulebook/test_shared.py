"""What files share: thresholds and measures that they read by name, set for one rule or for all."""

from __future__ import annotations

from pathlib import Path

import pytest

from curvedoc.core.errors import RuleErrors
from curvedoc.diagnose.cases import check, judge
from curvedoc.rulebook import renames
from curvedoc.rulebook.load import load, tune
from curvedoc.rulebook.rule import Rule
from curvedoc.rulebook.shared import shared_params

MINE = """
id: no-fall
title: The loss loses next to nothing
kind: pathology
severity: warning
what: It falls by less than {slightly:.0%}.
why: Nothing is learned.
lookalikes: None.
needs: {loss: loss}
when: [fell < slightly]
evidence: [{say: "it lost {fell:.1%}"}]
causes: []
tests:
  - {name: rests, series: {loss: [[0, 2.0], [100, 1.99]]}, expect: fires}
  - {name: falls, series: {loss: [[0, 2.0], [100, 0.4]]}, expect: silent}
"""


def mine(folder: Path, text: str = MINE) -> Rule:
    """The rule of a user's file."""
    (folder / "shape").mkdir(exist_ok=True)
    (folder / "shape" / "no-fall.yaml").write_text(text, encoding="utf-8")
    rule = load([folder], builtin=False).rule("no-fall")
    assert rule is not None
    return rule


def test_a_file_reads_a_shared_threshold_and_a_shared_measure(tmp_path: Path) -> None:
    rule = mine(tmp_path)
    assert rule.program.given["slightly"] == shared_params()["slightly"].value
    assert rule.program.shared == ("fell",)
    assert all(check(rule, case).passed for case in rule.tests)


def test_a_name_of_the_file_stands_before_a_shared_one(tmp_path: Path) -> None:
    own = MINE.replace("when:", 'params:\n  slightly: {value: 0.001, unit: share, why: "of this rule alone"}\nwhen:')
    rule = mine(tmp_path, own)
    assert rule.program.given["slightly"] == 0.001
    assert not [p for p in rule.program.params if p.shared]
    assert not check(rule, rule.tests[0]).passed


def test_an_input_that_means_another_thing_is_told(tmp_path: Path) -> None:
    with pytest.raises(RuleErrors, match="'loss' is something else in a shared measure"):
        mine(tmp_path, MINE.replace("{loss: loss}", "{loss: val_loss}"))


def test_a_shared_input_is_known_without_a_line_and_may_be_missing(tmp_path: Path) -> None:
    rule = mine(tmp_path, MINE.replace("[fell < slightly]", "[fell < slightly, not sure(last(lr) > 0)]"))
    assert {n.name for n in rule.program.needs} == {"loss", "left", "lr"}  # what `fell` may be measured by besides
    assert [n.name for n in rule.program.required] == ["loss"]
    assert all(check(rule, case).passed for case in rule.tests)
    rated = rule.tests[0].model_copy(update={"series": {**rule.tests[0].series, "lr": [[0, 0.1], [100, 0.1]]}})
    assert not check(rule, rated).passed


def test_a_sentence_works_out_a_number_that_nothing_else_reads(tmp_path: Path) -> None:
    rule = mine(tmp_path, MINE.replace("{fell:.1%}", "{first(loss) - last(loss):.2f}"))
    found = judge(rule, rule.tests[0]).finding
    assert found is not None and found.evidence[0].text == "it lost 0.01"


def test_what_a_sentence_cannot_work_out_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuleErrors, match=r"'\{first\(los\)\}' names no number: .*unknown name 'los'"):
        mine(tmp_path, MINE.replace("{fell:.1%}", "{first(los)}"))


def test_a_shared_threshold_is_set_for_one_rule_or_for_all(tmp_path: Path) -> None:
    mine(tmp_path)
    book = load([tmp_path])
    for setting, others in (("no-fall.slightly=0.3", 0.05), ("shared.slightly=0.3", 0.3)):
        tuned = tune(book, [setting])
        rule = tuned.rule("no-fall")
        assert rule is not None and rule.program.given["slightly"] == 0.3
        read = [*(r for r in tuned.rules if r.id != rule.id), *tuned.causes.values()]
        assert {r.program.given["slightly"] for r in read if "slightly" in r.program.given} == {others}
        assert any("slightly" in c.program.given for c in tuned.causes.values())


def test_a_function_that_left_the_vocabulary_still_works_with_a_warning(tmp_path: Path) -> None:
    with pytest.warns(renames.OldName, match=r"total_drop\(\) leaves the vocabulary"):
        rule = mine(tmp_path, MINE.replace("when: [fell < slightly]", "when: [fell < slightly, total_drop(loss) < 1]"))
    assert check(rule, rule.tests[0]).passed
