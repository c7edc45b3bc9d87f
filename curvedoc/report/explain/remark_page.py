"""A remark file -> its page: what is said of a run beside its findings, and by which limits."""

from __future__ import annotations

from curvedoc.report.explain import program_tables
from curvedoc.report.explain.page import Page, PageSection, Prose, made
from curvedoc.rulebook.rule import Remark


def remark_page(remark: Remark) -> Page:
    """The page of a remark."""
    sections = [
        PageSection("", (Prose(remark.what),)),
        PageSection("Why it matters", (Prose(remark.why),)),
        PageSection("Not to be taken for", (Prose(remark.lookalikes),)),
        PageSection(f"Thresholds (--set {remark.id}.NAME=VALUE)", (program_tables.params(remark.program),)),
        PageSection("", (Prose(f"`--ignore {remark.id}` leaves it out."),)),
        PageSection("Sources", (program_tables.sources(remark.references),)),
    ]
    return made(remark.id, "remark", remark.title, "remark", sections)
