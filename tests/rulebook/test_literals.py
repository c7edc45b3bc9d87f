"""Words that a pattern needs: no text matches without one of them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvedoc.rulebook.literals import words_needed
from curvedoc.rulebook.load import load

pytestmark = pytest.mark.fast

SIGNS = st.sampled_from("abcAB _-")
ATOMS = st.one_of(SIGNS, st.sampled_from([".", r"\w", r"\.", "[ab]", "[^a]", "(?:ab|ba)", "(abc)"]))
TIMES = st.sampled_from(["", "", "", "?", "*", "+", "{2}", "{0,2}", "{1,2}?", "*?"])


def sequences(atoms: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Atoms one after another, each with or without a repetition."""
    return st.lists(st.tuples(atoms, TIMES).map("".join), max_size=8).map("".join)


PATTERNS = st.recursive(
    sequences(ATOMS),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?P<x>{'|'.join(parts)})".replace("?P<x>", "")),
        st.tuples(inner, inner).map("".join),
    ),
    max_leaves=4,
)


@given(PATTERNS, st.text("abcAB _-.", max_size=12))
def test_what_matches_has_one_of_the_words(pattern: str, text: str) -> None:
    words = words_needed(pattern)
    if re.search(pattern, text, re.IGNORECASE) and words:
        assert any(word in text.lower() for word in words)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"(?i)Out of Memory", {"out of memory"}),
        (r"(?i)(?P<what>CUDA|cuDNN) error: .{0,40}", {" error: "}),
        (r"freez(e|ing)|frozen?", {"freez", "froze"}),
        (r"colou?r map", {"r map"}),
        (r"size mismatch(, m1)?", {"size mismatch"}),
        (r"a|failed", set()),
        (r"(failed)?\d+", set()),
        (r"(failed){0,3}\d+", set()),
        (r"(?x) fai led # no word", set()),
        (r"[\]a]bcd\.e", {"bcd.e"}),
        (r"\x{2502}lost\pLhere", {"lost"}),
    ],
)
def test_the_words_of_a_pattern(pattern: str, words: set[str]) -> None:
    assert words_needed(pattern) == words


def test_nearly_every_pattern_of_the_book_needs_a_word() -> None:
    book = load()
    files = (*book.rules, *book.causes.values(), *book.facts.values())
    patterns = {regex for f in files for regex in f.program.patterns.values()}
    assert sum(not words_needed(regex) for regex in patterns) <= 1


def test_no_pattern_counts_word_characters() -> None:
    # \w{1,80} is written out eighty times with all letters of all languages: a quarter of a second to compile
    book = load()
    files = (*book.rules, *book.causes.values(), *book.facts.values())
    counted = re.compile(r"(?:\\[wS]|\[[^\]^]*\\w[^\]]*\])\{\d*,?[3-9]\d")
    assert [f.id for f in files for regex in f.program.patterns.values() if counted.search(regex)] == []
