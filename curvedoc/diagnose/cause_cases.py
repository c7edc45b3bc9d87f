"""The tests inside cause files: build the run that a case describes, weigh the cause, compare."""

from __future__ import annotations

import math
from collections.abc import Iterator

from curvedoc.diagnose.cases import CaseResult, build, result_of
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.judge.names import WHOLE
from curvedoc.diagnose.judge.rank import weigh_cause
from curvedoc.diagnose.run import diagnose
from curvedoc.rulebook.rule import Cause, Rulebook
from curvedoc.rulebook.schema.case import CauseCase


def check_cause(cause: Cause, case: CauseCase, book: Rulebook) -> CaseResult:
    """Whether a case of a cause holds. book: what ranks it, its rivals, and facts."""
    return result_of(cause.id, case, "; ".join(_cause_problems(cause, case, book)))


def _cause_problems(cause: Cause, case: CauseCase, book: Rulebook) -> Iterator[str]:
    run = build(case, case, ranks=case.ranks)
    bench, want = Bench(run, facts=book.facts), case.expect
    env = bench.environment(cause.program, WHOLE)
    held = {p.given for p in cause.predicts if env.get(p.given) is True}
    for name in (*want.supports, *want.against):
        if name not in held:
            yield f"'{name}' does not hold: {env.get(name)}"
    yield from (f"'{name}' holds" for name in want.without if name in held)
    own = weigh_cause(cause, bench)
    for rival in want.above:
        other = weigh_cause(book.causes[rival], bench).factor if rival in book.causes else math.nan
        if not own.factor > other:
            yield f"its evidence of {own.factor:.3g} is not above the {other:.3g} of {rival}"
    for start, answer in want.answers.items():
        got = next(c.answer for c in own.checks if c.ask.startswith(start))
        if got != answer and (got, answer) != ("unanswerable", "open"):
            yield f"'{start}' is answered {got}, expected {answer}"
    if want.rank is not None:
        group = [run, *(build(m, case, f"sibling {i}") for i, m in enumerate(case.siblings, 1))]
        ranked = [c.cause for c in diagnose(run, book, group, strict=True).causes]
        if cause.id not in ranked[: want.rank]:
            yield f"not among the first {want.rank}: {', '.join(ranked[:5]) or 'no cause is named'}"
