"""Every shipped fact: its own cases, and a format that reads well."""

from __future__ import annotations

import re

import pytest

from curvedoc.diagnose.fact_cases import check_fact
from curvedoc.rulebook.compiler import shared
from curvedoc.rulebook.facts.fact_files import types_of
from curvedoc.rulebook.load import load
from curvedoc.rulebook.rule import Fact

BOOK = load()
FACTS = sorted(BOOK.facts)


@pytest.mark.parametrize("name", FACTS)
def test_the_cases_of_a_fact_hold(name: str) -> None:
    fact = BOOK.facts[name]
    results = [check_fact(fact, case, BOOK.facts) for case in fact.tests]
    assert not [f"{r.case}: {r.problem}" for r in results if not r.passed]


@pytest.mark.parametrize("name", FACTS)
def test_a_fact_has_cases_where_it_is_known_and_where_it_is_not(name: str) -> None:
    fact = BOOK.facts[name]
    assert {c.expect == "unknown" for c in fact.tests} == {True, False}
    assert len({c.name for c in fact.tests}) == len(fact.tests), "two cases of one name"


def _gives_a_text(regex: str, said: str) -> bool:
    return any(group in said for group in re.findall(r"\(\?P<\w+>", regex))


@pytest.mark.parametrize("name", FACTS)
def test_a_fact_reads_well(name: str) -> None:
    fact: Fact = BOOK.facts[name]
    assert not fact.title.endswith(".") and fact.title[0].isupper()
    assert not (fact.type == "number" and not fact.unit), "a number has a unit"
    for way in fact.ways:
        assert not way.say.endswith(".") and len(way.say) < 120, way.say
    for p in fact.program.params:
        assert len(p.why.split()) >= 4, f"{p.name}: on what grounds?"
    read = {n for _, e in fact.program.measures for n in e.names}
    read |= {n for w in fact.ways for e in (w.value, w.given) for n in getattr(e, "names", ())}
    read |= {fact.doubt} if fact.doubt else set()
    read |= {w.value for w in fact.ways if isinstance(w.value, str)}
    said = " ".join(w.say for w in fact.ways)
    names = [p.name for p in fact.program.params] + [m for m, _ in fact.program.measures]
    said += "".join(f"(?P<{w.value}>" for w in fact.ways if fact.type == "text")  # the group that a text is read from
    names += [name for name, regex in fact.program.patterns.items() if not _gives_a_text(regex, said)]
    names += [n.name for n in fact.program.needs if n.source != "log"]
    assert not [n for n in names if n not in read and f"{{{n}" not in said], "nothing reads these"


def test_no_fact_has_the_name_of_something_that_files_share() -> None:
    """Files would read the fact instead, and their pages say so."""
    common = shared(frozenset(types_of(BOOK.facts).items()))
    assert not BOOK.facts.keys() & {*common.needs, *common.params, *common.formulas}
