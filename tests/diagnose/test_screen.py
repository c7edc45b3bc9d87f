"""What is looked for in messages several patterns at a time is found as if each were looked for alone."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvedoc.core.run import MESSAGES
from curvedoc.diagnose.judge.hits import Screen, hits_in
from curvedoc.rulebook.load import load

BOOK = load()
PATTERNS = BOOK.patterns()
LINES = tuple(dict.fromkeys(line for f in BOOK.rules for case in f.tests for line in case.log or ()))


def messages(lines: list[str]) -> pl.DataFrame:
    rows = [("run.log", i, None, "", None, 0, line, None) for i, line in enumerate(lines, 1)]
    return pl.DataFrame(rows, schema=dict(MESSAGES), orient="row")


def test_every_pattern_finds_what_it_finds_alone() -> None:
    said = messages([*LINES, "epoch 1 loss 0.5", ""])
    screen = Screen(said, PATTERNS)
    narrowed = 0
    for regex in PATTERNS:
        left = screen.suspects(regex)
        narrowed += len(left) < len(said)
        alone = said.filter(said["text"].str.contains(regex))
        assert left.filter(left["text"].str.contains(regex)).equals(alone), regex
        assert hits_in(left, "hit", regex).texts == hits_in(said, "hit", regex).texts
    assert narrowed > len(set(PATTERNS)) / 2


@given(st.lists(st.text(max_size=40), max_size=5), st.sampled_from(PATTERNS))
def test_a_log_of_anything_is_searched_alike(lines: list[str], regex: str) -> None:
    said = messages(lines)
    left = Screen(said, PATTERNS).suspects(regex)
    assert left.filter(left["text"].str.contains(regex)).equals(said.filter(said["text"].str.contains(regex)))


@pytest.mark.parametrize("regex", ["(?x) loss # a comment", "never asked for"])
def test_a_pattern_that_cannot_stand_beside_others_is_looked_for_alone(regex: str) -> None:
    said = messages(["loss 1", "a line"])
    assert len(Screen(said, [regex, "loss"] if "x" in regex[:4] else ["loss"]).suspects(regex)) == 2
