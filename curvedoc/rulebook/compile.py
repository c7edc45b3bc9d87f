"""From a validated file to a checked Rule or Cause. Collects every error of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from curvedoc.rulebook.compiler import Compiler, Problem, references
from curvedoc.rulebook.rule import GRADES, Act, Answer, Cause, CheckSpec, Link, Prediction, Rule

if TYPE_CHECKING:
    from curvedoc.rulebook.schema.case import CauseExpect
    from curvedoc.rulebook.schema.cause import CauseFile
    from curvedoc.rulebook.schema.rule import RuleFile


def compile_rule(
    file: RuleFile, family: str, path: str, trusted: bool = False, facts: Mapping[str, type] | None = None
) -> tuple[Rule | None, list[Problem]]:
    """The checked rule, or None with its problems. trusted: shipped with curvedoc, its patterns are held by tests."""
    c = Compiler(trusted, facts)
    program = c.program(file)
    groups: Mapping[str, Sequence[str]] = {"": file.when} if isinstance(file.when, list) else file.when
    when = []
    for name, lines in groups.items():
        where = ("when", name) if name else ("when",)
        exprs = [c.expr((*where, i), line, bool) for i, line in enumerate(lines)]
        when.append((name, tuple(e for e in exprs if e is not None)))
    for name in filter(None, groups):
        c._define(("when", name), name, bool)
    for key in ("excused_by", "harmless_if", "undecided_if"):
        for i, name in enumerate(getattr(file, key)):
            c.truth((key, i), name)
    strength = c.expr(("strength",), file.strength, float)
    for key in ("what", "why", "lookalikes"):
        c.prose((key,), getattr(file, key), program)
    for key in ("onset", "until"):
        c.number((key,), getattr(file, key))
    titles = tuple(c.sentence(("title", i), t.say, t.given, None) for i, t in enumerate(file.title))
    for i, title in enumerate(file.title):
        c.number(("title", i, "at"), title.at)
    evidence = tuple(c.sentence(("evidence", i), e.say, e.given, e.mark) for i, e in enumerate(file.evidence))
    links = []
    for i, link in enumerate(file.causes):
        times = {}
        for key, graded, sign in (("for", link.supports, 1), ("against", link.against, -1)):
            for measure, grade in graded.items():
                c.truth(("causes", i, key, measure), measure)
                times[measure] = GRADES[grade] ** sign
        links.append(Link(link.cause, link.weight, times, link.because))
    members = {n.member for n in program.needs} - {""}
    if file.over != "run" and "each" not in members:
        c.problems.append((("over",), f"over: {file.over} needs one input written 'each <role>'"))
    if file.over == "run" and members & {"each", "same", "others"}:
        c.problems.append((("needs",), "'each', 'same' and 'others' need over: layer, metric, rank or siblings"))
    whole = c.whole(program)
    if c.problems or strength is None:
        return None, c.problems
    return (
        Rule(
            file.id, family, file.kind, file.title[-1].say, file.severity, file.status, file.what, file.why,
            file.lookalikes, file.over, whole, tuple(when), tuple(file.excused_by),
            tuple(file.harmless_if), tuple(file.undecided_if), strength,
            file.onset, file.until, tuple(file.explains), tuple(file.yields), evidence, tuple(links), tuple(file.tests),
            references(file.references), path, file.complex_because or "", titles, tuple(t.at for t in file.title),
        ),
        [],
    )  # fmt: skip


def _unknown_in(expect: CauseExpect, predicts: Sequence[Prediction], checks: Sequence[CheckSpec]) -> Iterator[str]:
    """What a case of a cause expects of lines and questions that the cause does not have."""
    for key, names, lines in (
        ("for", expect.supports, [p.given for p in predicts if p.times > 1]),
        ("against", expect.against, [p.given for p in predicts if p.times < 1]),
        ("without", expect.without, [p.given for p in predicts]),
    ):
        yield from (f"'{key}': no such line is given '{name}'" for name in names if name not in lines)
    for start in expect.answers:
        if sum(check.ask.startswith(start) for check in checks) != 1:
            yield f"'answers': not one question begins with '{start}'"


def compile_cause(
    file: CauseFile, path: str, trusted: bool = False, facts: Mapping[str, type] | None = None
) -> tuple[Cause | None, list[Problem]]:
    """The checked cause, or None with its problems."""
    c = Compiler(trusted, facts)
    program = c.program(file)
    predicts = []
    for channel, lines in file.predicts.items():
        for i, line in enumerate(lines):
            where = ("predicts", channel, i)
            c.truth((*where, "given"), line.given)
            times = GRADES[line.supports] if line.supports else 1.0 / GRADES[line.against or ""]
            predicts.append(Prediction(channel, line.given, times, c.sentence(where, line.say, None, line.mark)))
    checks = []
    for i, check in enumerate(file.checks):
        answer = a if (a := check.answer) is None or isinstance(a, str) else Answer(a.yes, a.no)
        for name in (answer,) if isinstance(answer, str) else () if answer is None else answer.names:
            c.truth(("checks", i, "answer"), name)
        because = c.sentence(("checks", i, "because"), check.because or "", None, None)
        checks.append(CheckSpec(check.ask, check.how, check.cost, check.yes, check.no, answer, because.text))
    for i, name in ((i, name) for i, a in enumerate(file.act) for name in a.set.values()):
        c.number(("act", i, "set"), name)
    titles = tuple(c.sentence(("title", i), t.say, t.given, None) for i, t in enumerate(file.title))
    acts = tuple(Act(c.sentence(("act", i), a.say, a.given, None), a.code, a.set) for i, a in enumerate(file.act))
    c.problems += [(("act",), "'code' needs a probe") for a in acts if a.code and not file.probe]
    for i, case in enumerate(file.tests):
        c.problems += [(("tests", i, "expect"), what) for what in _unknown_in(case.expect, predicts, checks)]
    whole = c.whole(program)
    if c.problems:
        return None, c.problems
    return (
        Cause(
            file.id, file.title[-1].say, file.mechanism, whole, tuple(predicts), tuple(checks),
            tuple(file.fix), file.probe or "", tuple(file.tests), references(file.references), path,
            file.complex_because or "", acts, titles,
        ),
        [],
    )  # fmt: skip
