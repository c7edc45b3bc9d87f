"""Ring one: every case of every rule holds."""

from __future__ import annotations

import pytest
from rule_format import (
    has_both_cases,
    keeps_house_format,
    names_its_thresholds,
    says_why_it_is_complex,
    uses_what_it_declares,
)

from curvedoc.diagnose.cases import check
from curvedoc.diagnose.cause_cases import check_cause
from curvedoc.rulebook.load import load, rules_dir
from curvedoc.rulebook.rule import Cause, Rule
from curvedoc.rulebook.schema.case import Case, CauseCase

BOOK = load()
CAUSE_CASES = [(cause, case) for cause in BOOK.causes.values() for case in cause.tests]
CASES = [(rule, case) for rule in BOOK.rules for case in rule.tests]


@pytest.mark.parametrize(("rule", "case"), CASES, ids=[f"{r.id}: {c.name}" for r, c in CASES])
def test_a_case_holds(rule: Rule, case: Case) -> None:
    result = check(rule, case)
    assert result.passed, result.problem


@pytest.mark.parametrize(
    ("cause", "case"), CAUSE_CASES, ids=[f"{cause.id}: {case.name}" for cause, case in CAUSE_CASES]
)
def test_a_case_of_a_cause_holds(cause: Cause, case: CauseCase) -> None:
    result = check_cause(cause, case, BOOK)
    assert result.passed, result.problem


@pytest.mark.parametrize("rule", BOOK.rules, ids=[r.id for r in BOOK.rules])
def test_a_rule_file_has_both_cases_and_keeps_the_house_format(rule: Rule) -> None:
    has_both_cases(rule)
    keeps_house_format(rule)
    uses_what_it_declares(rule)
    names_its_thresholds(rule)


@pytest.mark.parametrize("file", [*BOOK.rules, *BOOK.causes.values()], ids=lambda f: f.id)
def test_a_file_too_large_to_read_in_one_breath_says_why(file: Rule | Cause) -> None:
    says_why_it_is_complex(file)


def test_every_shipped_pattern_is_a_regex() -> None:
    # loading trusts the shipped files in this; a directory given by a user is checked, and here that is what rules/ is
    load([rules_dir()], builtin=False)
