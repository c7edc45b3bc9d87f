"""Facts: what is true of a run, known by stated ways. From validated files to checked ones, and what the user tells."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from curvedoc.core.errors import UsageError
from curvedoc.rulebook.compiler import Compiler, Problem, groups_of, references, shared
from curvedoc.rulebook.expr import Expr, word_type
from curvedoc.rulebook.rule import Fact, Program, Rulebook, Way

if TYPE_CHECKING:
    from curvedoc.rulebook.facts.fact_schema import FactFile, WayFile

#: The types of facts in expressions; words have one of their own.
PLAIN_TYPES: Mapping[str, type] = {"number": float, "step": float, "flag": bool}
#: What a value is read from, in words, by the source of the inputs behind it.
_SOURCES: Mapping[str, str] = {
    "config": "configuration",
    "config-text": "configuration",
    "log": "log text",
    "note": "notes of the reader",
}
#: What a way to know a text begins with where a setting says it; else it names a group of a pattern.
SETTING = "config."
#: What a way to know a word begins with where a note says it: "note.ended" reads the kind "ended-by-hand" as by_hand.
NOTE = "note."
_YES, _NO = frozenset(("true", "yes", "1", "on")), frozenset(("false", "no", "0", "off"))


def type_of(fact: FactFile | Fact) -> type:
    """The type of a fact in expressions; a text is a word of no list, of which only `known` can be asked."""
    return word_type(tuple(fact.words)) if fact.type in ("word", "text") else PLAIN_TYPES[fact.type]


def compile_fact(
    file: FactFile, types: Mapping[str, type], path: str, trusted: bool = False
) -> tuple[Fact | None, list[Problem]]:
    """The checked fact, or None with its problems. types: of every fact, this one among them."""
    common = shared(frozenset(types.items()))
    c = Compiler(trusted, {k: t for k, t in types.items() if k != file.id}, common)
    program = c.program(file)
    ways = [_way(c, i, way, file, program) for i, way in enumerate(file.known_by)]
    c.number(("doubt",), file.doubt)
    whole = c.whole(program)
    if c.problems:
        return None, c.problems
    made = Fact(
        file.id, file.title, file.type, file.unit, file.what, dict(file.words), whole,
        tuple(w for w in ways if w is not None), file.doubt, tuple(file.tests), references(file.references), path,
    )  # fmt: skip
    return made, []


def _way(c: Compiler, row: int, way: WayFile, file: FactFile, program: Program) -> Way | None:
    at = ("known_by", row)
    given = None if way.given is None else c.expr((*at, "given"), way.given, bool)
    value: Expr | bool | str | None
    if file.type == "word":
        value = str(way.value)
        if value not in file.words and (problem := _unspelled(value, file, program)):
            c.problems.append(((*at, "value"), problem))
    elif file.type == "text":
        value = str(way.value)
        if value not in c.texts and not value.startswith(SETTING):
            c.problems.append(((*at, "value"), f"'{value}' is no group of a pattern and no {SETTING}<key>"))
    elif isinstance(way.value, bool):
        value = way.value
        if file.type != "flag":
            c.problems.append(((*at, "value"), f"a {file.type} is not true or false"))
    else:
        value = c.expr((*at, "value"), way.value, PLAIN_TYPES[file.type])
    c.saying((*at, "say"), way.say, None if file.type == "flag" else file.type in ("word", "text"))
    if value is None:
        return None
    if file.type == "text":
        source = _SOURCES["config"] if str(value).startswith(SETTING) else _SOURCES["log"]
    elif str(value).startswith(NOTE):
        source = _SOURCES["note"]
    else:
        names = [name for e in (value, given) if isinstance(e, Expr) for name in e.names]
        source = _source(c, program, [*names, value] if isinstance(value, str) else names)
    return Way(value, given, way.trust, way.say, source)


def _unspelled(source: str, file: FactFile, program: Program) -> str:
    """What is wrong with where a way finds a word of the list spelled out; "" where nothing is."""
    if source.startswith(NOTE):
        return ""
    need = program.inputs.get(source)
    regex = file.patterns.get(source) or (need.regex if need is not None and need.source == "config-text" else "")
    groups = groups_of(regex)
    if not groups:
        return f"'{source}' is not in its list of words, nor a regex of a setting or of messages with words as groups"
    strange = sorted(set(groups) - set(file.words))
    return f"a group of '{source}' is no word of its list: {', '.join(strange)}" if strange else ""


def _source(c: Compiler, program: Program, names: Sequence[str]) -> str:
    """What a value is read from, in words: directly or through measures."""
    seen: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            formula = program.formulas.get(name)
            left += formula.names if formula is not None else ()
    found = {_SOURCES.get(n.source, "curves") for n in program.needs if n.name in seen and n.source != "log"}
    found |= {"log text"} if seen & set(program.patterns) else set()
    found |= {"other facts"} if seen & set(c.facts) - set(c.types) else set()
    return " and ".join(sorted(found)) or "nothing else"


def circle(facts: Mapping[str, Fact]) -> tuple[str, ...]:
    """Facts that are known by each other, in order; () without such a circle."""
    done: set[str] = set()

    def walk(name: str, way: tuple[str, ...]) -> tuple[str, ...]:
        if name in way:
            return (*way[way.index(name) :], name)
        if name in done or name not in facts:
            return ()
        for behind in facts[name].program.facts:
            if found := walk(behind, (*way, name)):
                return found
        done.add(name)
        return ()

    return next((found for name in facts if (found := walk(name, ()))), ())


def name_of(text: str) -> str:
    """The name of a fact as a user may spell it: chance-loss is chance_loss."""
    return text.strip().replace("-", "_")


def near_names(name: str, facts: Mapping[str, Fact]) -> str:
    """A hint for the name of a fact that there is none of."""
    import difflib

    close = difflib.get_close_matches(name, list(facts), n=3, cutoff=0.5)
    return f"did you mean {', '.join(close)}?" if close else "curvedoc rules --facts lists them"


def tell(book: Rulebook, said: Sequence[str]) -> Rulebook:
    """The rulebook with facts as the user says they are: "NAME=VALUE" each, the last of one name wins. UsageError."""
    facts = dict(book.facts)
    for text in said:
        name, sign, value = text.partition("=")
        if not sign or not value.strip():
            raise UsageError(f"'{text}' is not FACT=VALUE", "--fact")
        fact = facts.get(name_of(name))
        if fact is None:
            raise UsageError(f"no fact '{name}'", f"--fact {text}", near_names(name_of(name), facts))
        facts[fact.id] = replace(fact, told=_value(fact, value.strip(), text))
    mark = hashlib.sha256(f"{book.digest}{sorted(said)}".encode()).hexdigest()[:16]
    return replace(book, facts=facts, digest=mark if said else book.digest)


def _value(fact: Fact, text: str, whole: str) -> bool | float | str:
    place = f"--fact {whole}"
    if fact.type == "flag":
        if text.lower() not in _YES | _NO:
            raise UsageError(f"'{text}' is not true or false", place)
        return text.lower() in _YES
    if fact.type == "word":
        word = name_of(text.lower())
        if word not in fact.words:
            raise UsageError(f"'{text}' is no word of {fact.id}", place, ", ".join(fact.words))
        return word
    if fact.type == "text":
        return text
    try:
        number = float(text)
    except ValueError as error:
        raise UsageError(f"'{text}' is not a number", place) from error
    if not math.isfinite(number):
        raise UsageError(f"'{text}' is not a finite number", place)
    return number
