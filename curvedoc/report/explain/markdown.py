"""A page of the reference as Markdown for GitHub, and the files of the whole reference."""

from __future__ import annotations

import re
from collections.abc import Mapping

from curvedoc.core.late_regex import late_regex
from curvedoc.report.escape import markdown_block, visible
from curvedoc.report.explain.case_drawing import Drawn
from curvedoc.report.explain.case_svg import svg
from curvedoc.report.explain.page import CASES, FOLDERS, Block, CasePicture, Code, Items, Page, PageTable, Prose
from curvedoc.report.explain.rule_page import page
from curvedoc.report.explain.terminal import picture
from curvedoc.rulebook.rule import Rulebook

_CODE = late_regex(r"`([^`]*)`")
_MARKUP = late_regex(r"([\\`*_\[\]<>|#~$])")
#: A cell border inside a code span needs its backslash too, and only there.
_BORDER = late_regex(r"(?<!\\)\|")
_ADDRESS = late_regex(r"https?://[^\s<>()]+")
#: Columns of a case drawn with block characters.
_WIDTH = 80
_COMMAND = "curvedoc explain --all --output docs/reference"

Links = Mapping[str, str]  # id -> address of its page, relative to the page that links


def reference(book: Rulebook) -> dict[str, str]:
    """Every file of the reference by its path: an index, a page for each id, drawings of symptoms."""
    kinds = {**{r.id: "symptom" for r in book.rules}, **dict.fromkeys(book.causes, "cause")}
    kinds |= {**dict.fromkeys(book.facts, "fact"), **dict.fromkeys(book.remarks, "remark")}
    files = {"README.md": _index(book)}
    for id_, kind in kinds.items():
        made = page(id_, book)
        read = _facts_read(id_, book)  # other names of one word may be those of a measure
        wanted = {i: k for i, k in kinds.items() if i != id_ and (k != "fact" or i in read)}
        links = {i: f"../{FOLDERS[k]}/{i}.md" if k != kind else f"{i}.md" for i, k in wanted.items()}
        files[f"{FOLDERS[kind]}/{id_}.md"] = to_markdown(made, links, pictures=f"../{CASES}/")
        for case in _pictures(made):
            if case.strips:
                files[f"{CASES}/{_file(case)}"] = svg(case)
    return dict(sorted(files.items()))


def _facts_read(id_: str, book: Rulebook) -> frozenset[str]:
    """The facts that a page names, and may link to."""
    if id_ in book.remarks:
        return frozenset()
    if id_ in book.facts:
        others = {f.id for f in book.facts.values() if id_ in f.program.facts}
        return frozenset((*book.facts[id_].program.facts, *others))
    rule = book.rule(id_)
    return frozenset((rule or book.causes[id_]).program.facts)


def to_markdown(made: Page, links: Links | None = None, pictures: str | None = None) -> str:
    """The page as Markdown; cases are shown as the SVG files below `pictures`, as block characters without it."""
    out = [f"# {_said(made.title, {})}", "", f"{_code(made.id)} ({made.tag})"]
    for section in made.sections:
        out += ["", f"## {_said(section.heading, {})}"] if section.heading else []
        for block in section.blocks:
            out += ["", *_block(block, links or {}, pictures)]
    return "\n".join(out) + "\n"


def _pictures(made: Page) -> list[Drawn]:
    return [b.drawn for s in made.sections for b in s.blocks if isinstance(b, CasePicture)]


def _file(drawn: Drawn) -> str:
    return f"{drawn.rule}-{drawn.expect}.svg"


def _block(block: Block, links: Links, pictures: str | None) -> list[str]:
    match block:
        case Prose(text):
            return [_said(text, links)]
        case Items(texts, ordered):
            return [f"{f'{i}.' if ordered else '-'} {_said(t, links)}" for i, t in enumerate(texts, 1)]
        case PageTable(head, rows):
            lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
            return [
                *lines,
                *("| " + " | ".join(_BORDER.sub(r"\|", _said(c, links)) for c in row) + " |" for row in rows),
            ]
        case Code(text, language):
            return markdown_block(text, language).splitlines()
        case CasePicture(drawn):
            return _picture(drawn, links, pictures)


def _picture(drawn: Drawn, links: Links, pictures: str | None) -> list[str]:
    if pictures is None:
        return markdown_block("\n".join(picture(drawn, _WIDTH))).splitlines()
    lead = "Fires" if drawn.expect == "fires" else "Stays silent"
    out = [f"**{lead}**: {_said(drawn.name, {})}"]
    if drawn.strips:
        out += ["", f"![{_said(drawn.name, {})}]({pictures}{_file(drawn)})"]
    if drawn.log:
        out += ["", *markdown_block("\n".join(drawn.log)).splitlines()]
    if drawn.said:
        out += ["", *(f"> {_said(text, {})}" + "  " for text in drawn.said)]
        out[-1] = out[-1].rstrip()
    return out


def _said(text: str, links: Links) -> str:
    """Prose with its code spans kept; an id of another page becomes a link to it, an address a link to itself."""
    flat = " ".join(text.split())
    out, end = [], 0
    for match in _CODE.finditer(flat):
        out += [_words(flat[end : match.start()], links), _linked(match[1], links)]
        end = match.end()
    return "".join([*out, _words(flat[end:], links)])


def _linked(name: str, links: Links) -> str:
    return f"[{_code(name)}]({links[name]})" if name in links else _code(name)


def _words(text: str, links: Links) -> str:
    """Plain words, escaped; ids of several words are links, single words (oscillation) may be meant as words."""
    out, end = [], 0
    for match in re.finditer(rf"{_ADDRESS.pattern}|[a-z0-9]+(?:-[a-z0-9]+)+", text):
        found = match[0]
        if found.startswith("http"):
            made = f"<{found}>"
        elif found in links:
            made = f"[{found}]({links[found]})"
        else:
            continue
        out += [_escaped(text[end : match.start()]), made]
        end = match.end()
    return "".join([*out, _escaped(text[end:])])


def _code(name: str) -> str:
    """A code span, as `escape.markdown_code`, with cell borders left to the table."""
    plain = visible(name)
    fence = "`" * (max((len(m) for m in re.findall("`+", plain)), default=0) + 1)
    pad = " " if len(fence) > 1 else ""
    return f"{fence}{pad}{plain}{pad}{fence}"


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", visible(text))


def _index(book: Rulebook) -> str:
    """The page that GitHub shows for the folder: every symptom by family, every cause."""
    out = [
        "# Symptoms, causes and facts",
        "",
        "What curvedoc looks for and what it takes for the reason, one page each, written from the rule files by",
        f"`{_COMMAND}`. The drawings are the first cases of each rule: one where it fires, one where it stays silent.",
        "",
        "## Symptoms",
    ]
    for family in sorted({r.family for r in book.rules}):
        out += [
            "",
            f"### {family.replace('-', ' ').capitalize()}",
            "",
            "| symptom | what is seen | kind |",
            "|---|---|---|",
        ]
        for rule in sorted((r for r in book.rules if r.family == family), key=lambda r: r.id):
            address = f"{FOLDERS['symptom']}/{rule.id}.md"
            out.append(f"| [{rule.id}]({address}) | {_said(rule.title, {})} | {rule.kind}, {rule.severity} |")
    out += ["", "## Causes", "", "| cause | what is wrong | named by |", "|---|---|---|"]
    for cause in sorted(book.causes.values(), key=lambda c: c.id):
        named = sum(any(link.cause == cause.id for link in r.causes) for r in book.rules)
        count = f"{named} symptom{'s' * (named != 1)}"
        out.append(f"| [{cause.id}]({FOLDERS['cause']}/{cause.id}.md) | {_said(cause.title, {})} | {count} |")
    out += ["", "## Facts", "", "| fact | what it says | read by |", "|---|---|---|"]
    programs = [r.program for r in book.rules] + [c.program for c in book.causes.values()]
    programs += [f.program for f in book.facts.values()]
    for fact in book.facts.values():
        read = sum(fact.id in p.facts for p in programs)
        address = f"[{fact.id}]({FOLDERS['fact']}/{fact.id}.md)"
        out.append(f"| {address} | {_said(fact.title, {})} | {read} file{'s' * (read != 1)} |")
    out += ["", "## Remarks", "", "| remark | what it says |", "|---|---|"]
    out += [f"| [{r.id}]({FOLDERS['remark']}/{r.id}.md) | {_said(r.title, {})} |" for r in book.remarks.values()]
    return "\n".join(out) + "\n"
