"""Ring one: every case of every rule holds."""

from __future__ import annotations

import pytest

from curvedoc.diagnose.cases import check
from curvedoc.rulebook.load import load, rules_dir
from curvedoc.rulebook.rule import Rule
from curvedoc.rulebook.schema import Case

BOOK = load()
CASES = [(rule, case) for rule in BOOK.rules for case in rule.tests]


@pytest.mark.parametrize(("rule", "case"), CASES, ids=[f"{r.id}: {c.name}" for r, c in CASES])
def test_a_case_holds(rule: Rule, case: Case) -> None:
    result = check(rule, case)
    assert result.passed, result.problem


@pytest.mark.parametrize("rule", BOOK.rules, ids=[r.id for r in BOOK.rules])
def test_a_rule_has_a_case_that_fires_and_one_that_stays_silent(rule: Rule) -> None:
    outcomes = {c.expect for c in rule.tests}
    assert "fires" in outcomes
    assert outcomes & {"silent", "not-judged"}
    assert len({c.name for c in rule.tests}) == len(rule.tests), "two cases of one name"


@pytest.mark.parametrize("rule", BOOK.rules, ids=[r.id for r in BOOK.rules])
def test_a_rule_file_keeps_the_house_format(rule: Rule) -> None:
    assert rule.title[0].isupper() and not rule.title.endswith(".")
    for prose in (rule.what, rule.why, rule.lookalikes):
        assert prose.endswith("."), "prose is made of sentences"
    for param in rule.program.params:
        assert len(param.why) > 10 and param.unit
    if rule.kind != "pathology":
        assert rule.severity == "note", "notices and gaps never change a verdict"
    elif rule.severity == "note":
        pytest.fail("a pathology is at least a warning")
    if rule.over == "run":
        needed = {n.name for n in rule.program.needs} | set(rule.program.patterns)
        read = {name for _, group in rule.when for e in group for name in e.names}
        measured = dict(rule.program.measures)
        seen: set[str] = set()
        while read - seen:
            name = (read - seen).pop()
            seen.add(name)
            if name in measured:
                read |= set(measured[name].names)
        assert seen & needed, "the conditions read none of the inputs"


def test_every_shipped_pattern_is_a_regex() -> None:
    # loading trusts the shipped files in this; a directory given by a user is checked, and here that is what rules/ is
    load([rules_dir()], builtin=False)
