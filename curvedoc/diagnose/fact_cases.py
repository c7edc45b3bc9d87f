"""The tests inside fact files: build the run that a case describes, see what is known of it, compare."""

from __future__ import annotations

from collections.abc import Mapping

from curvedoc.core.diagnosis import KnownFact
from curvedoc.diagnose.cases import CaseResult, build
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.rulebook.facts.fact_schema import Expected, FactCase
from curvedoc.rulebook.rule import Fact

#: Two numbers closer than this share are one.
NEAR = 0.01


def known(fact: Fact, case: FactCase, facts: Mapping[str, Fact] | None = None) -> KnownFact | None:
    """What is known of a fact in the run of a case. facts: that it may read, else those that ship with curvedoc."""
    return Bench(build(case, case, ranks=case.ranks), facts=facts).fact(fact.id)


def check_fact(fact: Fact, case: FactCase, facts: Mapping[str, Fact] | None = None) -> CaseResult:
    """Whether a case of a fact holds."""
    problem = _problem(case.expect, known(fact, case, facts))
    return CaseResult(fact.id, case.name, not problem, None, problem)


def _problem(wanted: Expected | str, got: KnownFact | None) -> str:
    if isinstance(wanted, str):
        return "" if got is None else f"expected unknown, got {got.value} ({got.because})"
    if got is None:
        return f"expected {wanted.value}, got unknown"
    if not _same(wanted.value, got.value):
        return f"expected {wanted.value}, got {got.value} ({got.because})"
    if got.trust != wanted.trust:
        return f"expected {wanted.trust}, got {got.trust} ({got.because})"
    if (got.doubt is not None) is not wanted.doubt:
        return f"expected {'doubt' if wanted.doubt else 'no doubt'}, got {got.doubt or 'none'}"
    return ""


def _same(wanted: bool | float | str, got: bool | int | float | str) -> bool:
    if isinstance(wanted, (bool, str)) or isinstance(got, (bool, str)):
        return wanted is got or wanted == got
    return abs(wanted - got) <= NEAR * max(abs(wanted), abs(got))
