"""`curvedoc test-rules`: check rule files and run the cases inside them."""

from __future__ import annotations

import sys
from pathlib import Path


def run_cases(directory: Path | None, only: list[str]) -> bool:
    """Print what failed and a count; whether all passed. Raises RuleErrors with every error of every file."""
    from curvedoc.diagnose.cases import check
    from curvedoc.diagnose.fact_cases import check_fact
    from curvedoc.rulebook.load import load

    book = load((directory,)) if directory else load()
    # by id and not by path: a later file of one id wins, and "rules/..." may be a shipped path or the user's
    here = {p.stem for p in directory.rglob("*.yaml") if p.parent.name != "causes"} if directory else None
    own = [r for r in book.rules if here is None or r.id in here]
    chosen = [r for r in own if not only or r.id in only]
    facts = [f for f in book.facts.values() if (here is None or f.id in here) and (not only or f.id in only)]
    results = [check(rule, case, book.facts) for rule in chosen for case in rule.tests]
    results += [check_fact(fact, case, book.facts) for fact in facts for case in fact.tests]
    for result in results:
        if not result.passed:
            sys.stdout.write(f"FAILED  {result.rule}: {result.case}\n        {result.problem}\n")
    facts_too = f" and {len(facts)} facts" if facts else ""
    failed = sum(not r.passed for r in results)
    known = sum(r.known is not None for r in results)
    also = f", {known} known weaknesses" if known else ""
    sys.stdout.write(f"{len(results) - failed} of {len(results)} cases of {len(chosen)} rules{facts_too} hold{also}\n")
    return not failed
