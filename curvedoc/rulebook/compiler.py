"""The parts of a validated file to checked ones: inputs, measures, sentences. Collects every error of a file."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from curvedoc.core.errors import RuleError, RuleErrors
from curvedoc.core.late_regex import late_regex
from curvedoc.core.notes import unknown_kind
from curvedoc.core.series import Series
from curvedoc.rulebook.expr import TRUTHS, Expr, Word, compile_expr
from curvedoc.rulebook.location import rules_dir
from curvedoc.rulebook.rule import (
    MarkSpec,
    Member,
    Need,
    Param,
    Program,
    Sentence,
    Source,
)
from curvedoc.rulebook.rule_file import located
from curvedoc.rulebook.shared import FILE, SharedNames, shared_document, shared_params
from curvedoc.rulebook.vocabulary import Function, callable_functions, functions, type_name

if TYPE_CHECKING:
    from curvedoc.rulebook.facts import fact_schema
    from curvedoc.rulebook.schema.cause import CauseFile
    from curvedoc.rulebook.schema.rule import MarkFile, Reference, RuleFile
    from curvedoc.rulebook.schema.shared import SharedFile

#: Texts that are no names of a program: of the last message, how a series is logged, the unit in its name.
_TEXTS = ("said.", "name.", "unit.")
_NEED = late_regex(
    r"^(?:(?P<member>each|same|others|first|last|total|least|weak|strong|moved|still) )?"
    r"(?P<target>config\.[a-z0-9_]+|name\.[a-z][a-z0-9_]*|note\.[a-z0-9-]+|axis\.[a-z]+|[a-z][a-z0-9_]*)"
    r"(?P<optional>\?)?(?: ~ (?P<regex>.+))?$"
)
#: A field of a sentence; a width would be a memory bomb, so only a sign, a precision and a type.
FIELD = late_regex(r"\{([^{}]*)\}")
FORMAT = late_regex(r"^(?:\+?,?(?:\.\d)?[efg%]|step)?$")

#: What an input is that is no series.
_INPUTS: Mapping[str, type] = {
    **dict.fromkeys(("config", "note", "axis", "ranks"), float),
    **dict.fromkeys(("config-text", "label", "name"), bool),
}

#: The group of a pattern whose number is the value of its rows.
CAPTURED = "value"

#: A path inside the file (as pydantic gives it) and what is wrong there.
Problem = tuple[tuple[str | int, ...], str]


def groups_of(regex: str) -> list[str]:
    """The named groups of a regex, in order.

    >>> groups_of("(?P<adam>adam)|(?P<sgd>sgd)")
    ['adam', 'sgd']
    """
    return re.findall(r"\(\?P<([a-z0-9_]+)>", regex)


class Compiler:
    """Turns one file's parts into checked ones; problems are collected, not raised."""

    def __init__(
        self, trusted: bool = False, facts: Mapping[str, type] | None = None, common: SharedNames | None = None
    ) -> None:
        """common: what files share; that of rules/shared.yaml where none is given."""
        self.trusted = trusted
        self.problems: list[Problem] = []
        self.types: dict[str, type] = {}
        self.facts: Mapping[str, type] = facts or {}
        self.functions: Mapping[str, Function] = functions() if trusted else callable_functions()
        self.shared = shared(frozenset(self.facts.items())) if common is None else common
        #: names of the file stand before those of others, so that a new fact breaks no file with a measure of its name
        self.names: dict[str, type] = {
            **{name: _INPUTS.get(need.source, Series) for name, need in self.shared.needs.items()},
            **dict.fromkeys(self.shared.params, float),
            **{name: e.type for name, e in self.shared.formulas.items()},
            **self.facts,
        }
        self.texts: set[str] = set()
        self.unnamed: dict[str, Expr] = {}
        self._read: set[str] = set()

    def read(self) -> tuple[str, ...]:
        """The facts that expressions and sentences read so far."""
        return tuple(sorted(self.shared.behind(self._read) & set(self.facts)))

    def whole(self, program: Program) -> Program:
        """The program with the facts, thresholds and measures of others that were read so far, and their inputs."""
        behind = self.shared.behind(self._read - set(self.facts))
        for name in behind & set(self.types):
            own = program.inputs.get(name)
            if own is None or not _alike(own, self.shared.needs.get(name)):
                self.problems.append((("needs",), f"'{name}' is something else in a shared measure that is read"))
        measures = tuple((n, e) for n, e in self.shared.formulas.items() if n in behind and n not in self.types)
        needs = (n for n in self.shared.needs.values() if n.name in behind and n.name not in program.inputs)
        params = (p for p in self.shared.params.values() if p.name in behind and p.name not in self.types)
        return replace(
            program,
            needs=(*program.needs, *(replace(n, optional=True) for n in needs)),
            params=(*program.params, *params),
            measures=(*measures, *program.measures),
            facts=self.read(),
            shared=tuple(name for name, _ in measures),
            unnamed=tuple(self.unnamed.items()),
        )

    def kind(self, name: str) -> type | None:
        """The type of a name, noted where it is that of a fact or shared."""
        if name not in self.types and name in self.names:
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
        if regex and source not in ("role", "config-text", "label", "name"):
            self.problems.append((("needs", name), "only a role, config.<key>, name.<role> and label take a regex"))
        if regex:
            self._regex(("needs", name), regex)
        if source != "log":
            self._define(("needs", name), name, _INPUTS.get(source, Series))
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
            self.problems.append((path, f"'{name}' was read above as a fact or shared threshold: give it another name"))
        self.types[name] = self.names[name] = kind

    def expr(self, path: tuple[str | int, ...], text: str, want: type | None = None) -> Expr | None:
        """One checked expression of the wanted type."""
        try:
            expr = compile_expr(text, self.names, self.functions)
        except RuleError as error:
            self.problems.append((path, str(error)))
            return None
        self._read |= {name for name in expr.names if name not in self.types}
        if want is not None and expr.type is not want:
            self.problems.append((path, f"'{text}' must give {type_name(want)}"))
            return None
        return expr

    def program(
        self,
        file: RuleFile | CauseFile | SharedFile | fact_schema.FactFile,
        own_params: bool = True,
    ) -> Program:
        """Inputs, thresholds and measures. own_params: whether the thresholds of the file are known by it alone."""
        needs = [n for n in (self.need(k, v) for k, v in file.needs.items()) if n is not None]
        if file.patterns and not any(n.source == "log" for n in needs):
            self.problems.append((("patterns",), "patterns need 'log' among the needs"))
        for name, regex in file.patterns.items():
            self._regex(("patterns", name), regex)
            self._define(("patterns", name), name, Series)
            self.texts |= {f"{name}_text", *groups_of(regex)} - {CAPTURED}
        for name, regex in file.excepted.items():
            if name not in file.patterns:
                self.problems.append((("except", name), f"no pattern '{name}' to take messages from"))
            self._regex(("except", name), regex)
        params = []
        for name, p in file.params.items() if own_params else ():
            self._define(("params", name), name, float)
            params.append(Param(name, p.value, p.unit, p.why, p.loose, p.strict))
        measures = []
        for name, text in file.measure.items():
            expr = self.expr(("measure", name), text)
            if expr is not None:
                measures.append((name, expr))
            self._define(("measure", name), name, expr.type if expr else float)
        return Program(tuple(needs), dict(file.patterns), tuple(params), tuple(measures), dict(file.excepted))

    def truth(self, path: tuple[str | int, ...], text: str | None) -> None:
        """The name of a true/false measure, or an expression that gives one."""
        self._asked(path, text, bool, "true/false")

    def number(self, path: tuple[str | int, ...], text: str | None) -> None:
        """The name of a numeric measure or param, or an expression that gives a number."""
        self._asked(path, text, float, "a number")

    def _asked(self, path: tuple[str | int, ...], text: str | None, want: type, said: str) -> None:
        if text is None:
            return
        if not text.isidentifier():
            if (expr := self.expr(path, text, want)) is not None:
                self.unnamed[text] = expr
        elif self.kind(text) is not want:
            self.problems.append((path, f"'{text}' is not {'defined' if text not in self.names else said}"))

    def prose(self, path: tuple[str | int, ...], text: str, program: Program) -> None:
        """A paragraph; its fields must be params with a harmless format."""
        for field in FIELD.findall(text):
            name, _, form = field.partition(":")
            if name not in program.given and (name in self.types or name not in self.shared.params):
                self.problems.append((path, f"'{{{field}}}' names no param"))
            elif not FORMAT.match(form):
                self.problems.append((path, f"'{form}' is not a format; use .3g, .0% or +.1f"))
            else:
                self.kind(name)

    def saying(self, path: tuple[str | int, ...], text: str, value: bool | None = None) -> None:
        """The fields of a sentence: names, or expressions that give a number.

        {value}, of a fact, is text (true) or a number (false) where it may stand.
        """
        for field in FIELD.findall(text):
            name, _, form = field.partition(":")
            own = value is not None and name == "value"
            worked_out = not (name.isidentifier() or name.startswith(_TEXTS))
            if worked_out:
                self._worked_out(path, field, name)
            kind = float if worked_out else None if own else self.kind(name)
            words = name == "label" or name in self.texts or name.startswith(_TEXTS)
            if words or (own and value) or (kind and issubclass(kind, Word)):
                if form:
                    self.problems.append((path, f"'{{{field}}}' is text and takes no format"))
            elif kind is not float and not own:
                self.problems.append((path, f"'{{{field}}}' names no number, text group or label"))
            elif not FORMAT.match(form):
                self.problems.append((path, f"'{form}' is not a format; use .3g, .0%, +.1f or step"))

    def _worked_out(self, path: tuple[str | int, ...], field: str, text: str) -> None:
        """A number that a sentence works out where it says it."""
        told = len(self.problems)
        self.number(path, text)
        wrong = self.problems[told:]
        self.problems[told:] = [(p, f"'{{{field}}}' names no number: {why}") for p, why in wrong]

    def sentence(self, path: tuple[str | int, ...], text: str, given: str | None, mark: MarkFile | None) -> Sentence:
        """An evidence sentence; fields must be known and have a harmless format."""
        self.saying(path, text)
        self.truth((*path, "given"), given)
        spec = None
        if mark is not None:
            if self.kind(mark.metric) is not Series:
                self.problems.append(((*path, "mark"), f"'{mark.metric}' is not a series"))
            for key in (mark.point, mark.start, mark.end, mark.level):
                self.number((*path, "mark"), key)
            spec = MarkSpec(mark.metric, mark.point, mark.start, mark.end, mark.level, mark.called or "")
        return Sentence(text, given, spec)


def _alike(own: Need, other: Need | None) -> bool:
    """Whether two inputs are one, whatever they are needed for."""
    return other is not None and replace(own, optional=True) == replace(other, optional=True)


def references(refs: Iterable[Reference]) -> tuple[tuple[str, str], ...]:
    return tuple((r.title, r.url or "") for r in refs)


@functools.lru_cache(maxsize=8)
def shared(facts: frozenset[tuple[str, type]]) -> SharedNames:
    """What files share. facts: names and types of the facts that measures may read. Raises RuleErrors."""
    document = shared_document()
    compiler = Compiler(True, dict(facts), SharedNames(shared_params(), {}, {}))
    program = compiler.program(document, own_params=False)
    if compiler.problems:
        raise RuleErrors(located(rules_dir() / FILE, f"rules/{FILE}", compiler.problems))
    return SharedNames(shared_params(), program.inputs, program.formulas)
