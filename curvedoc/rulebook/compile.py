"""From a validated file to a checked Rule or Cause: names, types, sentences. Collects every error of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from curvedoc.core.errors import RuleError
from curvedoc.core.notes import unknown_kind
from curvedoc.core.series import Series
from curvedoc.rulebook.expr import TRUTHS, Expr, Word, compile_expr
from curvedoc.rulebook.rule import (
    GRADES,
    Act,
    Answer,
    Cause,
    CheckSpec,
    Link,
    MarkSpec,
    Member,
    Need,
    Param,
    Prediction,
    Program,
    Rule,
    Sentence,
    Source,
)
from curvedoc.rulebook.vocabulary import functions, type_name

if TYPE_CHECKING:
    from curvedoc.rulebook import facts_schema, schema

_NEED = re.compile(
    r"^(?:(?P<member>each|same|others|first|last|total|weak|strong|moved|still) )?"
    r"(?P<target>config\.[a-z0-9_]+|name\.[a-z][a-z0-9_]*|note\.[a-z0-9-]+|axis\.[a-z]+|[a-z][a-z0-9_]*)"
    r"(?P<optional>\?)?(?: ~ (?P<regex>.+))?$"
)
#: A field of a sentence; a width would be a memory bomb, so only a sign, a precision and a type.
FIELD = re.compile(r"\{([^{}]*)\}")
FORMAT = re.compile(r"^(?:\+?,?(?:\.\d)?[efg%]|step)?$")

#: The group of a pattern whose number is the value of its rows.
CAPTURED = "value"

#: A path inside the file (as pydantic gives it) and what is wrong there.
Problem = tuple[tuple[str | int, ...], str]


class Compiler:
    """Turns one file's parts into checked ones; problems are collected, not raised."""

    def __init__(self, trusted: bool = False, facts: Mapping[str, type] | None = None) -> None:
        self.trusted = trusted
        self.problems: list[Problem] = []
        self.types: dict[str, type] = {}
        self.facts: Mapping[str, type] = facts or {}
        #: names of the file stand before facts, so that a new fact breaks no file that has a measure of its name
        self.names: dict[str, type] = dict(self.facts)
        self.texts: set[str] = set()
        self._read: set[str] = set()

    def read(self) -> tuple[str, ...]:
        """The facts that expressions and sentences read so far."""
        return tuple(sorted(self._read))

    def kind(self, name: str) -> type | None:
        """The type of a name, noted where it is a fact's."""
        if name not in self.types and name in self.facts:
            self._read.add(name)
        return self.names.get(name)

    def need(self, name: str, text: str) -> Need | None:
        """One input; unknown forms are problems."""
        match = _NEED.match(text.strip())
        if not match:
            self.problems.append(
                (("needs", name), f"'{text}' is not a role, config.<key>, note.<kind>, axis.epoch or log")
            )
            return None
        target, regex = match["target"], (match["regex"] or "").strip().strip("\"'")
        prefix, _, rest = target.partition(".")
        source: Source
        if target in ("log", "restarts", "ranks") or (target == "label" and regex):
            source = cast(Source, target)
        elif prefix == "name" and rest and regex:
            source = "name"
        elif prefix == "config" and rest:
            source = "config-text" if regex else "config"
        elif prefix in ("note", "axis") and rest:
            source = cast(Source, prefix)
            if prefix == "note" and (problem := unknown_kind(rest)):
                self.problems.append((("needs", name), problem))
        else:
            source, rest = "role", target
        if regex and source not in ("config-text", "label", "name"):
            self.problems.append((("needs", name), "only config.<key>, name.<role> and label take a regex"))
        if regex:
            self._regex(("needs", name), regex)
        kind: dict[str, type] = dict.fromkeys(("config", "note", "axis", "ranks"), float)
        kind |= dict.fromkeys(("config-text", "label", "name"), bool)
        if source != "log":
            self._define(("needs", name), name, kind.get(source, Series))
        return Need(name, source, rest, bool(match["optional"]), cast(Member, match["member"] or ""), regex)

    def _regex(self, path: tuple[str | int, ...], regex: str) -> None:
        if self.trusted:
            return  # shipped files are held by tests; compiling every pattern would cost a fifth of a second a start
        import polars as pl

        try:
            pl.Series(["x"]).str.contains(regex)
        except pl.exceptions.ComputeError as error:
            self.problems.append((path, f"not a regex: {str(error)[:160]}"))

    def _define(self, path: tuple[str | int, ...], name: str, kind: type) -> None:
        if name in self.types or name in functions() or name in TRUTHS:
            self.problems.append((path, f"'{name}' is taken already"))
        if name in self._read:  # it would read itself
            self.problems.append((path, f"'{name}' was read as a fact above: give it another name"))
        self.types[name] = self.names[name] = kind

    def expr(self, path: tuple[str | int, ...], text: str, want: type | None = None) -> Expr | None:
        """One checked expression of the wanted type."""
        try:
            expr = compile_expr(text, self.names, functions())
        except RuleError as error:
            self.problems.append((path, str(error)))
            return None
        self._read |= {name for name in expr.names if name not in self.types}
        if want is not None and expr.type is not want:
            self.problems.append((path, f"'{text}' must give {type_name(want)}"))
            return None
        return expr

    def program(self, file: schema.RuleFile | schema.CauseFile | facts_schema.FactFile) -> Program:
        """Inputs, thresholds and measures."""
        needs = [n for n in (self.need(k, v) for k, v in file.needs.items()) if n is not None]
        if file.patterns and not any(n.source == "log" for n in needs):
            self.problems.append((("patterns",), "patterns need 'log' among the needs"))
        for name, regex in file.patterns.items():
            self._regex(("patterns", name), regex)
            self._define(("patterns", name), name, Series)
            self.texts |= {f"{name}_text", *re.findall(r"\(\?P<([a-z0-9_]+)>", regex)} - {CAPTURED}
        for name, regex in file.excepted.items():
            if name not in file.patterns:
                self.problems.append((("except", name), f"no pattern '{name}' to take messages from"))
            self._regex(("except", name), regex)
        params = []
        for name, p in file.params.items():
            self._define(("params", name), name, float)
            params.append(Param(name, p.value, p.unit, p.why, p.loose, p.strict))
        measures = []
        for name, text in file.measure.items():
            expr = self.expr(("measure", name), text)
            if expr is not None:
                measures.append((name, expr))
            self._define(("measure", name), name, expr.type if expr else float)
        return Program(tuple(needs), dict(file.patterns), tuple(params), tuple(measures), dict(file.excepted))

    def truth(self, path: tuple[str | int, ...], name: str | None) -> None:
        """A name that must be a true/false measure."""
        if name is not None and self.kind(name) is not bool:
            what = "is not defined" if name not in self.names else "is not true/false"
            self.problems.append((path, f"'{name}' {what}"))

    def number(self, path: tuple[str | int, ...], name: str | None) -> None:
        """A name that must be a numeric measure or param."""
        if name is not None and self.kind(name) is not float:
            what = "is not defined" if name not in self.names else "is not a number"
            self.problems.append((path, f"'{name}' {what}"))

    def prose(self, path: tuple[str | int, ...], text: str, program: Program) -> None:
        """A paragraph; its fields must be params with a harmless format."""
        for field in FIELD.findall(text):
            name, _, form = field.partition(":")
            if name not in program.given:
                self.problems.append((path, f"'{{{field}}}' names no param"))
            elif not FORMAT.match(form):
                self.problems.append((path, f"'{form}' is not a format; use .3g, .0% or +.1f"))

    def saying(self, path: tuple[str | int, ...], text: str, value: bool | None = None) -> None:
        """The fields of a sentence; {value}, of a fact, is text (true) or a number (false) where it may stand."""
        for field in FIELD.findall(text):
            name, _, form = field.partition(":")
            own = value is not None and name == "value"
            kind = None if own else self.kind(name)
            words = name == "label" or name in self.texts or name.startswith("said.")  # of the last message
            if words or (own and value) or (kind and issubclass(kind, Word)):
                if form:
                    self.problems.append((path, f"'{{{field}}}' is text and takes no format"))
            elif kind is not float and not own:
                self.problems.append((path, f"'{{{field}}}' names no number, text group or label"))
            elif not FORMAT.match(form):
                self.problems.append((path, f"'{form}' is not a format; use .3g, .0%, +.1f or step"))

    def sentence(
        self, path: tuple[str | int, ...], text: str, given: str | None, mark: schema.MarkFile | None
    ) -> Sentence:
        """An evidence sentence; fields must be declared names with a harmless format."""
        self.saying(path, text)
        self.truth((*path, "given"), given)
        spec = None
        if mark is not None:
            if self.types.get(mark.metric) is not Series:
                self.problems.append(((*path, "mark"), f"'{mark.metric}' is not a series"))
            for key in (mark.point, mark.start, mark.end, mark.level):
                self.number((*path, "mark"), key)
            spec = MarkSpec(mark.metric, mark.point, mark.start, mark.end, mark.level, mark.called or "")
        return Sentence(text, given, spec)


def references(refs: Iterable[schema.Reference]) -> tuple[tuple[str, str], ...]:
    return tuple((r.title, r.url or "") for r in refs)


def compile_rule(
    file: schema.RuleFile, family: str, path: str, trusted: bool = False, facts: Mapping[str, type] | None = None
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
    for key in ("excused_by", "harmless_if"):
        for i, name in enumerate(getattr(file, key)):
            c.truth((key, i), name)
    strength = c.expr(("strength",), file.strength, float)
    for key in ("what", "why", "lookalikes"):
        c.prose((key,), getattr(file, key), program)
    for key in ("onset", "until"):
        c.number((key,), getattr(file, key))
    titles = tuple(c.sentence(("title", i), t.say, t.given, None) for i, t in enumerate(file.title))
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
    if c.problems or strength is None:
        return None, c.problems
    return (
        Rule(
            file.id, family, file.kind, file.title[-1].say, file.severity, file.status, file.what, file.why,
            file.lookalikes, file.over, replace(program, facts=c.read()), tuple(when), tuple(file.excused_by),
            tuple(file.harmless_if), strength,
            file.onset, file.until, tuple(file.explains), tuple(file.yields), evidence, tuple(links), tuple(file.tests),
            references(file.references), path, file.complex_because or "", titles,
        ),
        [],
    )  # fmt: skip


def _unknown_in(
    expect: schema.CauseExpect, predicts: Sequence[Prediction], checks: Sequence[CheckSpec]
) -> Iterator[str]:
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
    file: schema.CauseFile, path: str, trusted: bool = False, facts: Mapping[str, type] | None = None
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
    acts = tuple(Act(c.sentence(("act", i), a.say, a.given, None), a.code, a.set) for i, a in enumerate(file.act))
    c.problems += [(("act",), "'code' needs a probe") for a in acts if a.code and not file.probe]
    for i, case in enumerate(file.tests):
        c.problems += [(("tests", i, "expect"), what) for what in _unknown_in(case.expect, predicts, checks)]
    if c.problems:
        return None, c.problems
    return (
        Cause(
            file.id, file.title, file.mechanism, replace(program, facts=c.read()), tuple(predicts), tuple(checks),
            tuple(file.fix), file.probe or "", tuple(file.tests), references(file.references), path,
            file.complex_because or "", acts,
        ),
        [],
    )  # fmt: skip
