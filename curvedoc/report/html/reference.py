"""What the findings and causes of a page mean, at its end: a paragraph on each, linked from where it is named."""

from __future__ import annotations

from collections.abc import Sequence

from curvedoc.core.diagnosis import Finding, RunDiagnosis
from curvedoc.core.frozen import dataclass
from curvedoc.diagnose.sentence.fields import fill
from curvedoc.rulebook.load import shipped
from curvedoc.rulebook.rule import Rulebook

#: Of many runs only what each is told of first is explained: the rest would be longer than the page.
FIRST_FINDINGS, FIRST_CAUSES = 3, 2


@dataclass(frozen=True, slots=True)
class Entry:
    """One finding or cause. said: (heading, paragraph)."""

    id: str
    title: str
    said: tuple[tuple[str, str], ...]
    sources: tuple[tuple[str, str], ...]  # (title, address)


def entries(runs: Sequence[RunDiagnosis]) -> tuple[Entry, ...]:
    """The findings that these runs name, then their causes, each by its title; rules of the user's own are not in."""
    whole = len(runs) < 2
    named = [f for r in runs for f in r.findings[: None if whole else FIRST_FINDINGS] if _told(r, f)]
    symptoms = {f.symptom for f in named}
    # what explains a mere notice of a healthy run is asked for where that is all there is to read
    asked = [r for r in runs if r.verdict != "healthy" or (whole and named)]
    causes = {c.cause for r in asked for c in r.causes[: None if whole else FIRST_CAUSES]}
    book = shipped()
    found = [_symptom(book, id_) for id_ in sorted(symptoms & {r.id for r in book.rules})]
    return (*found, *(_cause(book, id_) for id_ in sorted(causes & set(book.causes))))


def _told(run: RunDiagnosis, finding: Finding) -> bool:
    """Whether the page tells of it: of a sound run what was not logged stands in one line only."""
    return finding.kind != "gap" or run.verdict != "healthy"


def _symptom(book: Rulebook, id_: str) -> Entry:
    rule = next(r for r in book.rules if r.id == id_)
    parts = (("What it is", rule.what), ("Why it matters", rule.why), ("What looks alike", rule.lookalikes))
    said = ((head, fill(text, rule.program.given, {})) for head, text in parts)
    return Entry(id_, rule.title, tuple((head, text) for head, text in said if text), rule.references)


def _cause(book: Rulebook, id_: str) -> Entry:
    cause = book.causes[id_]
    return Entry(id_, cause.title, (("How it comes about", cause.mechanism),), cause.references)
