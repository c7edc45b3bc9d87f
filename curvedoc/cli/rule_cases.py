"""`curvedoc test-rules`: check rule files and run the cases inside them."""

from __future__ import annotations

import sys
from pathlib import Path


def run_cases(directory: Path | None, only: list[str]) -> bool:
    """Print what failed and a count; whether all passed. Raises RuleErrors with every error of every file."""
    from curvedoc.diagnose.cases import check
    from curvedoc.rulebook.load import load

    book = load((directory,)) if directory else load()
    # by id and not by path: a later file of one id wins, and "rules/..." may be a shipped path or the user's
    here = {p.stem for p in directory.rglob("*.yaml") if p.parent.name != "causes"} if directory else None
    own = [r for r in book.rules if here is None or r.id in here]
    chosen = [r for r in own if not only or r.id in only]
    results = [check(rule, case) for rule in chosen for case in rule.tests]
    for result in results:
        if not result.passed:
            sys.stdout.write(f"FAILED  {result.rule}: {result.case}\n        {result.problem}\n")
    failed = sum(not r.passed for r in results)
    known = sum(r.known is not None for r in results)
    also = f", {known} known weaknesses" if known else ""
    sys.stdout.write(f"{len(results) - failed} of {len(results)} cases of {len(chosen)} rules hold{also}\n")
    return not failed
