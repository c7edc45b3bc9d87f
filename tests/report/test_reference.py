"""The pages of symptoms and causes are what the rule files say, and hold together as a set."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from typer.testing import CliRunner

from curvedoc.cli.app import app
from curvedoc.report.explain.markdown import reference, to_markdown
from curvedoc.report.explain.page import Code
from curvedoc.report.explain.rule_page import page
from curvedoc.report.explain.terminal import to_terminal
from curvedoc.rulebook.compiler import FIELD
from curvedoc.rulebook.load import load

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "reference"
BOOK = load()


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """Every page, by its place; made once, and not by whoever only collects the tests."""
    return dict(reference(BOOK))


def test_the_committed_pages_are_what_the_rules_say(made: dict[str, str]) -> None:
    committed = {
        p.relative_to(PAGES).as_posix(): p.read_text(encoding="utf-8") for p in PAGES.rglob("*") if p.is_file()
    }
    stale = sorted({k for k in made.keys() | committed.keys() if made.get(k) != committed.get(k)})
    assert not stale, f"{stale[:5]}: rm -r docs/reference; curvedoc explain --all --output docs/reference"


def test_there_is_a_page_for_every_rule_and_cause_and_the_whole_stays_small(made: dict[str, str]) -> None:
    for rule in BOOK.rules:
        text = made[f"symptoms/{rule.id}.md"]
        assert "**Fires**" in text and "**Stays silent**" in text
        assert all(p.why.split()[0] in text for p in rule.program.params)
        assert all(f"`{link.cause}`](../causes/{link.cause}.md)" in text for link in rule.causes)
    for cause in BOOK.causes.values():
        text = made[f"causes/{cause.id}.md"]
        assert "## What to do" in text and "## How to be sure" in text and "## Sources" in text
    assert sum(len(text.encode()) for text in made.values()) < 1_500_000


def test_there_is_a_page_for_every_fact_that_says_how_it_is_known_and_who_reads_it(made: dict[str, str]) -> None:
    for fact in BOOK.facts.values():
        text = made[f"facts/{fact.id}.md"]
        assert "## How it is known" in text and f"`--fact {fact.id}=VALUE`" in text
        assert all(p.why.split()[0] in text for p in fact.program.params)
    assert "](chance_loss.md)" in made["facts/classes.md"]


def test_every_link_and_picture_leads_to_a_page_of_the_set(made: dict[str, str]) -> None:
    for name, text in made.items():
        if not name.endswith(".md"):
            continue
        for address in re.findall(r"\]\(([^)]+)\)", re.sub(r"`[^`\n]*`", "", text)):  # code holds no links
            if not address.startswith("http"):
                path = (Path("/") / name).parent / address
                assert path.resolve().as_posix().lstrip("/") in made, (name, address)


def test_prose_gives_the_thresholds_of_the_rule_and_the_picture_is_the_shown_case(made: dict[str, str]) -> None:
    rule = BOOK.rule("plateau-after-progress")
    assert rule is not None and "{most_fall:.0%}" in rule.what
    assert f"less than {rule.program.given['most_fall']:.0%} of where" in to_markdown(page(rule.id, BOOK))
    (shown,) = [c for c in rule.tests if c.shown]
    assert shown.name in made[f"symptoms/{rule.id}.md"]
    fields = [f"{{{f}}}" for r in BOOK.rules for text in (r.what, r.why, r.lookalikes) for f in FIELD.findall(text)]
    assert fields and not [f for f in fields if any(f in text for text in made.values())]


def test_the_drawings_are_small_well_formed_and_run_nothing(made: dict[str, str]) -> None:
    drawings = {name: text for name, text in made.items() if name.endswith(".svg")}
    assert len(drawings) > 100
    for name, text in drawings.items():
        root = ElementTree.fromstring(text)
        assert root.get("role") == "img" and root.get("aria-label"), name
        assert {e.tag.rpartition("}")[2] for e in root.iter()} <= {"svg", "style", "path", "rect", "text"}, name
        numbers = [
            v for e in root.iter() for k, v in e.attrib.items() if k not in ("aria-label", "role", "text-anchor")
        ]
        assert not [v for v in numbers if re.search("nan|inf", v)], name
        assert len(text) < 10_000, name


def test_drawing_twice_gives_the_same_bytes(made: dict[str, str]) -> None:
    assert reference(load()) == made


@pytest.mark.parametrize("width", [40, 60, 96])
def test_a_page_in_the_terminal_keeps_its_width_but_for_code_and_addresses(width: int) -> None:
    for id_ in (*(r.id for r in BOOK.rules), *list(BOOK.causes)[:9]):
        made = page(id_, BOOK)
        blocks = [b for s in made.sections for b in s.blocks]
        code = {f"  {line}".rstrip() for b in blocks if isinstance(b, Code) for line in b.text.splitlines()}
        wide = [
            x for x in to_terminal(made, width).splitlines() if len(x) > width and x not in code and "http" not in x
        ]
        assert not wide


def test_a_page_in_the_terminal_shows_where_the_finding_begins() -> None:
    text = to_terminal(page("nan-after-blowup", BOOK))
    caret = next(i for i, line in enumerate(text.splitlines()) if line.lstrip().startswith("^ step 600"))
    lines = text.splitlines()
    curve, at = lines[caret - 1], lines[caret].index("^")
    assert curve[at] == "·" or curve[at - 1 : at + 2].count("·")  # the first block without a finite value
    assert to_terminal(page("nan-after-blowup", BOOK), ascii_only=True).isascii()


def test_one_page_as_markdown_has_its_cases_as_blocks() -> None:
    text = to_markdown(page("overfitting", BOOK))
    assert "fires:" in text and "▁" in text and ".svg" not in text


def test_all_pages_are_written_below_a_folder(tmp_path: Path, made: dict[str, str]) -> None:
    done = CliRunner().invoke(app, ["explain", "--all", "--output", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out" / "README.md").read_text(encoding="utf-8") == made["README.md"]
    for wrong in (["explain"], ["explain", "--all"], ["explain", "overfitting", "--all", "--output", str(tmp_path)]):
        assert CliRunner().invoke(app, wrong).exit_code == 2
