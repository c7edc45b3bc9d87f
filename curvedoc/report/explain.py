"""A rule or cause file -> its page, in the terminal and as Markdown. All of it is in the file: nothing stands twice."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from curvedoc.diagnose.cases import build
from curvedoc.diagnose.curves import thin
from curvedoc.report.spark import blocks
from curvedoc.rulebook.rule import Cause, Program, Rule, Rulebook
from curvedoc.rulebook.schema import Case

WIDTH = 96
SPARK = 44


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a page: paragraphs, a list or preformatted lines."""

    heading: str
    lines: tuple[str, ...]
    kind: str = "prose"  # prose, list, table or code


@dataclass(frozen=True, slots=True)
class Page:
    """What there is to say of a symptom or cause."""

    id: str
    title: str
    tag: str
    sections: tuple[Section, ...]


def page(id_: str, book: Rulebook) -> Page:
    """The page of a rule or cause of the book."""
    rule = book.rule(id_)
    return _rule_page(rule, book) if rule is not None else _cause_page(book.causes[id_], book)


def _inputs(program: Program) -> tuple[str, ...]:
    out = []
    for need in program.needs:
        source = f"config.{need.target}" if need.source in ("config", "config-text") else need.target or "text log"
        match = f' matches "{need.regex}"' if need.regex else ""
        out.append(
            f"{need.name:14} {need.member} {source}{match}{'  (optional)' if need.optional else ''}".replace(
                "  ", " ", 1
            )
        )
    return tuple(out)


def _drawn(case: Case) -> tuple[str, ...]:
    run = build(case, case)
    lines = [f"{case.expect}: {case.name}"]
    for match in run.roles:
        series = run.metric(match.metric)
        if series is not None:
            lines.append(
                f"  {match.metric[:18]:18} {blocks(thin(series, match.role, '', SPARK), SPARK, int(series.step[-1]))}"
            )
    lines += [f"  log: {line[:76]}" for line in (case.log or [])[:2]]
    return tuple(lines)


def _rule_page(rule: Rule, book: Rulebook) -> Page:
    conditions = tuple(f"{name + ': ' if name else ''}{expr.text}" for name, group in rule.when for expr in group)
    params = tuple(f"{p.name:16} {p.value:g} {p.unit}: {p.why}" for p in rule.program.params)
    causes = []
    for link in sorted(rule.causes, key=lambda c: -c.weight):
        factors = "".join(f"; x{f:g} if {m}" for m, f in link.times.items())
        causes.append(f"{link.cause} (weight {link.weight:g}): {link.because}{factors}")
    known = [f"{c.known}: {c.name}" for c in rule.tests if c.known]
    fires = next((c for c in rule.tests if c.expect == "fires"), None)
    silent = next((c for c in rule.tests if c.expect == "silent"), None)
    sections = [
        Section("", (rule.what,)),
        Section("Why it matters", (rule.why,)),
        Section("Not to be taken for", (rule.lookalikes, *known)),
        Section("Reads", _inputs(rule.program), "code"),
        Section(
            "Fires when all of these hold" if len(rule.when) == 1 else "Fires when one group holds", conditions, "code"
        ),
        Section("with", tuple(f"{name:16} = {e.text}" for name, e in rule.program.measures), "code"),
        Section("Thresholds (--set ID.NAME=VALUE)", params, "list"),
        Section("Likely causes", tuple(causes), "list"),
        Section("Examples", tuple(line for c in (fires, silent) if c for line in _drawn(c)), "code"),
        Section("References", tuple(f"{t} {u}".strip() for t, u in rule.references), "list"),
    ]
    return Page(
        rule.id, rule.title, f"{rule.kind}, {rule.severity}, {rule.family}", tuple(s for s in sections if s.lines)
    )


def _cause_page(cause: Cause, book: Rulebook) -> Page:
    named = tuple(f"{r.id}: {link.because}" for r in book.rules for link in r.causes if link.cause == cause.id)
    checks = tuple(f"{c.ask} ({c.cost}) {c.how.strip()} Yes: {c.yes}. No: {c.no}." for c in cause.checks)
    sections = [
        Section("", (cause.mechanism,)),
        Section("What to do", cause.fix, "list"),
        Section("How to be sure", checks, "list"),
        Section("Speaks for it", tuple(o.sentence.text for o in cause.supports), "list"),
        Section("Speaks against it", tuple(o.sentence.text for o in cause.against), "list"),
        Section("Probe", tuple(cause.probe.rstrip().splitlines()), "code"),
        Section("Seen in", named, "list"),
        Section("References", tuple(f"{t} {u}".strip() for t, u in cause.references), "list"),
    ]
    return Page(cause.id, cause.title, "cause", tuple(s for s in sections if s.lines))


def to_terminal(made: Page) -> str:
    """The page as plain text, 96 columns wide."""
    out = [f"{made.id}  [{made.tag}]", made.title]
    for section in made.sections:
        out += ["", *([section.heading] if section.heading else [])]
        for line in section.lines:
            if section.kind == "code":
                out.append(f"  {line}")
            else:
                bullet = "- " if section.kind == "list" else ""
                flat = " ".join(line.split())
                out += textwrap.wrap(
                    flat, WIDTH, initial_indent=f"  {bullet}", subsequent_indent="    " if bullet else "  "
                )
    return "\n".join(out) + "\n"


def to_markdown(made: Page) -> str:
    """The page as Markdown."""
    out = [f"# {made.title}", "", f"`{made.id}` ({made.tag})"]
    for section in made.sections:
        out += ["", *([f"## {section.heading}", ""] if section.heading else [])]
        if section.kind == "code":
            out += ["```", *section.lines, "```"]
        else:
            out += [f"{'- ' if section.kind == 'list' else ''}{' '.join(line.split())}" for line in section.lines]
    return "\n".join(out) + "\n"
