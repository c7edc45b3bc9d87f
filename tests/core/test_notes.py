"""Notes: each kind stands in one list, and what is met often is told once."""

from __future__ import annotations

import re
from pathlib import Path

from curvedoc.core.notes import NOTE_KINDS, Note, NoteTally, coalesce
from curvedoc.rulebook.facts.fact_files import shipped_facts

PACKAGE = Path(__file__).resolve().parents[2] / "curvedoc"


def test_every_kind_of_note_is_made_somewhere() -> None:
    code = "".join(p.read_text(encoding="utf-8") for p in PACKAGE.rglob("*.py") if p.name != "notes.py")
    # how a run ended is a word of a fact behind one of two heads
    words = {word.replace("_", "-") for word in shipped_facts()["ending"].words}
    ends = {f"{head}-{word}" for head in ("ended", "perhaps") for word in words}
    assert not {kind for kind in NOTE_KINDS - ends if f'"{kind}"' not in code}
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", kind) for kind in NOTE_KINDS)


def test_notes_of_one_kind_are_told_once_with_the_first_place_and_the_sum() -> None:
    met = [Note("damaged", "a", line=3, count=2), Note("empty", "e"), Note("damaged", "b", line=9)]
    assert coalesce(met) == (Note("damaged", "a", line=3, count=3), Note("empty", "e"))


def test_a_tally_tells_the_lowest_place_of_each_cause_and_sorts_by_place() -> None:
    tally = NoteTally({"gap": ("damaged", "bytes were skipped"), "torn": ("truncated", "the file ends")})
    tally.add("torn", 90)
    tally.add("gap", 70)
    tally.add("gap", 20, count=4)
    assert "gap" in tally and "huge" not in tally and tally.count("gap") == 5
    assert tally.notes() == (
        Note("damaged", "bytes were skipped", offset=20, count=5),
        Note("truncated", "the file ends", offset=90),
    )
