"""The tests inside remark files: judge the run that a case describes, see whether the remark is made."""

from __future__ import annotations

from curvedoc.diagnose.cases import CaseResult, build
from curvedoc.diagnose.run import diagnose
from curvedoc.rulebook.rule import Remark, Rulebook
from curvedoc.rulebook.schema.remark import RemarkCase


def check_remark(remark: Remark, case: RemarkCase, book: Rulebook) -> CaseResult:
    """Whether a case of a remark holds. book: with the remark in it."""
    found = diagnose(build(case, case, ranks=case.ranks), book)
    says = bool(found.timeline) if remark.id == "timeline" else any(n.kind == remark.id for n in found.notes)
    wanted = case.expect == "says"
    problem = "" if says == wanted else f"expected that it {'says something' if wanted else 'is silent'}"
    return CaseResult(remark.id, case.name, not problem, None, problem)
