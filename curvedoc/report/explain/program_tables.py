"""What rules, causes and facts share on their pages: inputs, patterns, thresholds, vocabulary, sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from curvedoc.core.numbers import spelled
from curvedoc.report.explain.page import Items, PageTable
from curvedoc.rulebook.rule import Fact, Need, Program
from curvedoc.rulebook.vocabulary import functions

_MEMBERS = {
    "": "", "each": "each ", "same": "the same ", "others": "the others' ", "first": "the first ", "last": "the last ",
    "total": "the sum of all ", "weak": "a low quantile of all ", "strong": "a high quantile of all ",
    "moved": "those that move of ", "still": "those that rest of ",
}  # fmt: skip


def needs(program: Program) -> PageTable:
    """Its inputs."""
    rows = []
    for need in program.needs:
        rows.append((f"`{need.name}`", _source(need), "optional" if need.optional else "needed"))
    return PageTable(("name", "what it is", ""), tuple(rows))


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
    return f"{_MEMBERS[need.member]}`{need.target}`"


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


def vocabulary(program: Program) -> Items:
    """What the functions of the measures give, by their own first lines."""
    known = functions()
    text = " ".join(e.text for _, e in program.measures)
    used = sorted(name for name in known if f"{name}(" in text and _called(name, text))
    return Items(tuple(f"`{name}`: {known[name].about}" for name in used))


def _called(name: str, text: str) -> bool:
    at = text.find(f"{name}(")
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_"):
        at = text.find(f"{name}(", at + 1)
    return at >= 0


def sources(references: Iterable[tuple[str, str]]) -> Items:
    """Where its claims come from."""
    named = tuple(f"{title} {url}".strip() for title, url in references)
    return Items(named or ("Common practice in training neural networks; no single publication.",))


def facts_read(program: Program, facts: Mapping[str, Fact]) -> Items:
    """The facts that a program reads, each with its title."""
    return Items(tuple(f"`{name}`: {facts[name].title}" for name in program.facts if name in facts))
