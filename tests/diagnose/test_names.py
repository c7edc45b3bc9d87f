"""Names of a rule: a second set for firm facts alone where a fact is in doubt, and none where all are firm."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.drawn import run_of

from curvedoc.core.diagnosis import KnownFact
from curvedoc.core.run import Run, once_a_run
from curvedoc.core.series import Series
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.judge.names import WHOLE
from curvedoc.rulebook.load import load

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("trust", ["sure", "guess", None])
def test_firm_names_are_others_only_where_a_fact_is_in_doubt(trust: str | None) -> None:
    program = next(r.program for r in load(lazy=True).rules if r.program.facts)
    bench = Bench(run_of({"loss": Series.of([2.0, 1.0])}))
    known = None if trust is None else KnownFact(True, "", trust, "curves", "so it is")  # type: ignore[arg-type]
    for name in program.facts:
        bench._known[name] = known
    names = bench.environment(program, WHOLE)
    firm = names.certain()
    assert (firm is names) == (trust != "guess")
    assert firm.certain() is firm
    assert all(firm[name] is (True if trust == "sure" else None) for name in program.facts)


def test_what_is_asked_once_a_run_is_made_once() -> None:
    calls = []

    @once_a_run
    def made(run: Run) -> int:
        calls.append(run.name)
        return len(calls)

    run = run_of({"loss": Series.of([2.0, 1.0])})
    assert (made(run), made(run)) == (1, 1)
    assert made(replace(run, name="another")) == 2
