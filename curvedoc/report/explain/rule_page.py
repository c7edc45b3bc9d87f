"""A rule or cause file -> its page. All of it is in the file: nothing stands twice."""

from __future__ import annotations

import re
from collections.abc import Iterable

from curvedoc.core.errors import UsageError
from curvedoc.core.numbers import spelled
from curvedoc.report import words
from curvedoc.report.explain import program_tables
from curvedoc.report.explain.case_drawing import drawn
from curvedoc.report.explain.fact_page import fact_page
from curvedoc.report.explain.page import CasePicture, Code, Items, Page, PageSection, PageTable, Prose, made
from curvedoc.report.explain.remark_page import remark_page
from curvedoc.rulebook.compiler import FIELD
from curvedoc.rulebook.rule import Cause, Rule, Rulebook, Sentence

_OVER = {
    "run": "",
    "layer": "Judged for every layer; one finding names them all.",
    "metric": "Judged for every data set or metric; one finding names them all.",
    "rank": "Judged for every rank against the others.",
    "siblings": "Judged over the repeats of one configuration.",
}


def page(id_: str, book: Rulebook) -> Page:
    """The page of a rule, cause, fact or remark of the book. Raises UsageError for an id that is none."""
    rule = book.rule(id_)
    if rule is not None:
        return _symptom(rule, book)
    if id_ in book.facts:
        return fact_page(book.facts[id_], book)
    if id_ in book.remarks:
        return remark_page(book.remarks[id_])
    if id_ not in book.causes:
        raise UsageError(f"no symptom, cause, fact or remark '{id_}'")
    return _cause(book.causes[id_], book)


def _symptom(rule: Rule, book: Rulebook) -> Page:
    # where none is marked as shown, the first that fires
    firing = sorted((c for c in rule.tests if c.expect == "fires"), key=lambda c: not c.shown)
    silent = [c for c in rule.tests if c.expect == "silent"]
    pictures = [drawn(rule, c) for c in (*firing[:1], *silent[:1])]
    known = [f"Known {c.known.replace('-', ' ')}: {c.name}." for c in rule.tests if c.known]
    total = sum(c.weight for c in rule.causes)
    causes = tuple(
        (
            f"`{link.cause}`",
            spelled(link.weight),
            words.percent(link.weight / total),
            link.because + "".join(f"; ×{spelled(f)} if `{m}`" for m, f in link.times.items()),
        )
        for link in sorted(rule.causes, key=lambda c: -c.weight)
    )
    together = [_listed("Explains", rule.explains, "told as a consequence of it when both are seen")]
    together.append(_listed("Yields to", rule.yields, "not told beside it"))
    owners = [r.id for r in book.rules if rule.id in r.explains]
    together.append(_listed("Explained by", owners, "told as a consequence of it when both are seen"))
    several = len(rule.when) > 1
    conditions = "\n".join(f"{name + ': ' if name else ''}{e.text}" for name, group in rule.when for e in group)
    grown = tuple(f"{name} = {e.text}" for name, e in rule.program.measures)
    sections = [
        PageSection("", (Prose(_filled(rule.what, rule)), *(CasePicture(p) for p in pictures))),
        PageSection("Why it matters", (Prose(_filled(rule.why, rule)),)),
        PageSection("Not to be taken for", (Prose(_filled(rule.lookalikes, rule)), *(Prose(text) for text in known))),
        PageSection("Likely causes", (PageTable(("cause", "odds", "share", "because"), causes),)),
        PageSection(
            "What it reads",
            (Prose(_OVER[rule.over]), program_tables.needs(rule.program), program_tables.patterns(rule.program)),
        ),
        PageSection("What it takes as true of the run", (program_tables.facts_read(rule.program, book.facts),)),
        PageSection(
            "How it is seen",
            (
                Prose(f"It fires when {'the lines of one name' if several else 'these lines'} all hold:"),
                Code(conditions, "python"),
                Prose(_excuses(rule)),
                Prose("where" if grown else ""),
                Code("\n".join(grown), "python"),
                program_tables.vocabulary(rule.program),
                Prose(_complex(rule.complex_because)),
            ),
        ),
        PageSection(f"Thresholds (--set {rule.id}.NAME=VALUE)", (program_tables.params(rule.program),)),
        PageSection("What the report says", (Items(tuple(_template(s) for s in rule.evidence)),)),
        PageSection("Beside other findings", tuple(Prose(text) for text in together)),
        PageSection("Sources", (program_tables.sources(rule.references),)),
    ]
    tag = f"{rule.kind}, {rule.severity}, {rule.family}" + (", on trial" if rule.status == "trial" else "")
    return made(rule.id, "symptom", rule.title, tag, sections)


def _cause(cause: Cause, book: Rulebook) -> Page:
    named = sorted(
        ((r, link) for r in book.rules for link in r.causes if link.cause == cause.id),
        key=lambda pair: (-pair[1].weight / sum(c.weight for c in pair[0].causes), pair[0].id),
    )
    seen = tuple(
        (f"`{r.id}`", words.percent(link.weight / sum(c.weight for c in r.causes)), link.because) for r, link in named
    )
    odds = tuple((o.channel, spelled(o.times), _template(o.sentence), f"`{o.given}`") for o in cause.predicts)
    checks = []
    for c in cause.checks:
        known = " The log may answer it." if c.answer else ""
        then = f"Yes: {_outcome(c.yes)}. No: {_outcome(c.no)}."
        checks.append(f"{c.ask} {_ended(words.cap(c.how.strip()))} Cost: {words.COSTS[c.cost]}.{known} {then}")
    grown = "\n".join(f"{name} = {e.text}" for name, e in cause.program.measures)
    sections = [
        PageSection("", (Prose(cause.mechanism),)),
        PageSection("What to do", (Items(tuple(_ended(f) for f in cause.fix), ordered=True),)),
        PageSection("How to be sure", (Items(tuple(checks), ordered=True),)),
        PageSection("Probe", (Code(cause.probe.rstrip(), "python"),)),
        PageSection("Symptoms that name it", (PageTable(("symptom", "share", "because"), seen),)),
        PageSection("Evidence of its own", (PageTable(("channel", "odds ×", "what the report says", "where"), odds),)),
        PageSection("What it takes as true of the run", (program_tables.facts_read(cause.program, book.facts),)),
        PageSection(
            "How the evidence is judged",
            (
                program_tables.needs(cause.program),
                program_tables.patterns(cause.program),
                Code(grown, "python"),
                program_tables.vocabulary(cause.program),
                Prose(_complex(cause.complex_because)),
            ),
        ),
        PageSection("Thresholds", (program_tables.params(cause.program),)),
        PageSection("Sources", (program_tables.sources(cause.references),)),
    ]
    return made(cause.id, "cause", cause.title, "cause", sections)


def _complex(because: str) -> str:
    return f"Why it takes so many lines: {_ended(because)}" if because else ""


def _filled(text: str, rule: Rule) -> str:
    """Prose with the thresholds that it names."""

    def value(field: re.Match[str]) -> str:
        name, _, form = field[1].partition(":")
        return spelled(rule.program.given[name], form or ".4g")

    return FIELD.sub(value, text)


def _excuses(rule: Rule) -> str:
    names = ", ".join(f"`{name}`" for name in rule.excused_by)
    silent = f"It is silent all the same where one of these is known to be true: {names}." if names else ""
    noted = ", ".join(f"`{name}`" for name in rule.harmless_if)
    notice = f"It is only a notice where this is known to be true: {noted}." if noted else ""
    doubtful = ", ".join(f"`{name}`" for name in rule.undecided_if)
    opened = (
        f"It is a notice, and the run inconclusive, where this is known to be true: {doubtful}." if doubtful else ""
    )
    return " ".join(filter(None, (silent, notice, opened)))


def _template(sentence: Sentence) -> str:
    """A sentence with the names of its numbers in the place of the numbers."""
    text = FIELD.sub(lambda m: f"`{m[1].partition(':')[0]}`", sentence.text)
    return f"{text} (if `{sentence.given}`)" if sentence.given else text


def _outcome(answer: str) -> str:
    return {"confirmed": "confirmed", "ruled-out": "ruled out"}.get(answer, f"look at `{answer}`")


def _listed(verb: str, ids: Iterable[str], meaning: str) -> str:
    names = ", ".join(f"`{i}`" for i in ids)
    return f"{verb} {names}: {meaning}." if names else ""


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
