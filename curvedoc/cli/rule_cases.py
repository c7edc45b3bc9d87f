"""`curvedoc test-rules`: check rule files and run the cases inside them."""

from __future__ import annotations

import sys
from pathlib import Path


def run_cases(directory: Path | None, only: list[str]) -> bool:
    """Print what failed and a count; whether all passed. Raises RuleErrors with every error of every file."""
    from curvedoc.diagnose.cases import check
    from curvedoc.diagnose.cause_cases import check_cause
    from curvedoc.diagnose.fact_cases import check_fact
    from curvedoc.diagnose.remark_cases import check_remark
    from curvedoc.rulebook.load import load

    book = load((directory,)) if directory else load()
    # by id and not by path: a later file of one id wins, and "rules/..." may be a shipped path or the user's
    here = {p.stem for p in directory.rglob("*.yaml")} if directory else None
    rules = [r for r in book.rules if _wanted(r.id, here, only)]
    causes = [c for c in book.causes.values() if _wanted(c.id, here, only)]
    facts = [f for f in book.facts.values() if _wanted(f.id, here, only)]
    remarks = [r for r in book.remarks.values() if _wanted(r.id, here, only)]
    results = [check(rule, case, book.facts) for rule in rules for case in rule.tests]
    results += [check_cause(cause, case, book) for cause in causes for case in cause.tests]
    results += [check_fact(fact, case, book.facts) for fact in facts for case in fact.tests]
    results += [check_remark(remark, case, book) for remark in remarks for case in remark.tests]
    for result in results:
        if not result.passed:
            sys.stdout.write(f"FAILED  {result.rule}: {result.case}\n        {result.problem}\n")
    failed = sum(not r.passed for r in results)
    known = sum(r.known is not None for r in results)
    also = f", {known} known weaknesses" if known else ""
    kinds = ((rules, "rules"), (causes, "causes"), (facts, "facts"), (remarks, "remarks"))
    of = " and ".join(f"{len(files)} {name}" for files, name in kinds if files)
    sys.stdout.write(f"{len(results) - failed} of {len(results)} cases of {of or 'no rules'} hold{also}\n")
    return not failed


def _wanted(id_: str, here: set[str] | None, only: list[str]) -> bool:
    return (here is None or id_ in here) and (not only or id_ in only)
