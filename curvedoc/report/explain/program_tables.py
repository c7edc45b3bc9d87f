"""What rules, causes and facts share on their pages: inputs, patterns, thresholds, vocabulary, sources."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from curvedoc.core.numbers import spelled
from curvedoc.report.explain.page import Items, PageTable
from curvedoc.rulebook.rule import Fact, Need, Program
from curvedoc.rulebook.vocabulary import brought_functions, fields_of, functions

_MEMBERS = {
    "": "", "each": "each ", "same": "the same ", "others": "the others' ", "first": "the first ", "last": "the last ",
    "total": "the sum of all ", "least": "the smallest of all ", "weak": "a low quantile of all ",
    "strong": "a high quantile of all ", "moved": "those that move of ", "still": "those that rest of ",
}  # fmt: skip


def needs(program: Program) -> PageTable:
    """Its inputs."""
    rows = []
    for need in program.needs:
        rows.append((f"`{need.name}`", _source(need) + ("" if need.optional else ", which must be there")))
    return PageTable(("name", "what it is"), tuple(rows))


def _source(need: Need) -> str:
    match need.source:
        case "log":
            return "the text log"
        case "name":
            return f"whether the metric taken for `{need.target}` is named like `{need.regex}`"
        case "ranks":
            return "how many ranks logged"
        case "restarts":
            return "restarts of the step counter"
        case "label":
            return f"whether the name matches `{need.regex}`"
        case "config":
            return f"setting `{need.target}`"
        case "config-text":
            return f"whether setting `{need.target}` matches `{need.regex}`"
        case "note":
            return f"remarks of reading of the kind `{need.target}`"
        case "axis":
            return f"whether the log counts in {need.target}s"
    named = f" that is named like `{need.regex}`" if need.regex else ""
    return f"{_MEMBERS[need.member]}`{need.target}`{named}"


def patterns(program: Program) -> PageTable:
    """The messages that it looks for."""
    rows = [(f"`{name}`", f"`{regex}`") for name, regex in program.patterns.items()]
    rows += [(f"`{name}`, but for", f"`{regex}`") for name, regex in program.excepted.items()]
    return PageTable(("name", "messages that match"), tuple(rows))


def params(program: Program) -> PageTable:
    """Its thresholds."""
    rows = []
    for p in program.params:
        ends = f"{spelled(p.loose, '.4g')} to {spelled(p.strict, '.4g')}" if p.loose is not None else ""
        rows.append((f"`{p.name}`", spelled(p.value, ".4g"), p.unit, p.why, ends))
    if not any(r[4] for r in rows):
        return PageTable(("name", "value", "unit", "why"), tuple(r[:4] for r in rows))
    return PageTable(("name", "value", "unit", "why", "--sensitivity"), tuple(rows))


#: What every reader knows by its name; said on each of some hundred pages it hides what needs saying.
PLAIN = frozenset((
    "after", "argmax", "argmin", "before", "exp", "first", "first_step", "last", "last_step", "log", "low",
    "mean", "median", "peak", "size", "sqrt",
))  # fmt: skip


def vocabulary(program: Program) -> Items:
    """What the functions of the measures give, by their own first lines."""
    known = {**functions(), **brought_functions()}
    nodes = [node for _, e in program.measures for node in ast.walk(e.tree)]
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    read = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    rows = []
    for name in sorted((called & set(known)) - PLAIN):
        fields = {field: f for field, f in fields_of(known[name].result).items() if field in read}
        rows.append(f"`{name}`: {known[name].about}")
        rows += [f"`{name}(...).{field}`: {function.about}" for field, function in fields.items()]
    return Items(tuple(rows))


def sources(references: Iterable[tuple[str, str]]) -> Items:
    """Where its claims come from."""
    named = tuple(f"{title} {url}".strip() for title, url in references)
    return Items(named or ("Common practice in training neural networks; no single publication.",))


def facts_read(program: Program, facts: Mapping[str, Fact]) -> Items:
    """The facts that a program reads, each with its title."""
    return Items(tuple(f"`{name}`: {facts[name].title}" for name in program.facts if name in facts))
