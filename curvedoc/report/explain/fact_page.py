"""A fact file -> its page: what it says, how it is known, who reads it."""

from __future__ import annotations

from curvedoc.report.explain import program_tables
from curvedoc.report.explain.page import Code, Items, Page, PageSection, PageTable, Prose, made
from curvedoc.rulebook.compiler import FIELD
from curvedoc.rulebook.expr import Expr
from curvedoc.rulebook.rule import Fact, Rulebook, Way


def fact_page(fact: Fact, book: Rulebook) -> Page:
    """The page of a fact."""
    ways = tuple((str(i), w.trust, w.source, _sentence(w), _value(w)) for i, w in enumerate(fact.ways, 1))
    grown = "\n".join(f"{name} = {e.text}" for name, e in fact.program.measures)
    words = Items(tuple(f"`{word}`: {reads}" for word, reads in fact.words.items()))
    doubt = f"In doubt where two sure ways that read different things differ by more than `{fact.doubt}`."
    if fact.type in ("flag", "word"):
        doubt = "In doubt where two sure ways that read different things disagree."
    readers = [r.id for r in book.rules if fact.id in r.program.facts]
    readers += [c.id for c in book.causes.values() if fact.id in c.program.facts]
    others = [f.id for f in book.facts.values() if fact.id in f.program.facts]
    sections = [
        PageSection("", (Prose(fact.what), words)),
        PageSection(
            "How it is known",
            (
                Prose("By the first of these that speaks, the sure ones before the guesses:"),
                PageTable(("", "trust", "from", "what the report says", "value"), ways),
                Prose(doubt if fact.doubt or fact.type in ("flag", "word") else ""),
                Prose(f"`--fact {fact.id}=VALUE` overrides it."),
            ),
        ),
        PageSection("What it reads", (program_tables.needs(fact.program), program_tables.patterns(fact.program))),
        PageSection("What it takes as true of the run", (program_tables.facts_read(fact.program, book.facts),)),
        PageSection("How it is found", (Code(grown, "python"), program_tables.vocabulary(fact.program))),
        PageSection(f"Thresholds (--set {fact.id}.NAME=VALUE)", (program_tables.params(fact.program),)),
        PageSection("Who reads it", (Items(tuple(f"`{name}`" for name in (*readers, *others))),)),
    ]
    return made(fact.id, "fact", fact.title, f"fact, {fact.unit or fact.type}", sections)


def _value(way: Way) -> str:
    value = way.value.text if isinstance(way.value, Expr) else str(way.value).lower()
    return f"`{value}`" + (f" if `{way.given.text}`" if way.given is not None else "")


def _sentence(way: Way) -> str:
    """A sentence with the names of its numbers in the place of the numbers."""
    return FIELD.sub(lambda m: f"`{m[1].partition(':')[0]}`", way.say)
