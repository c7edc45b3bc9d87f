"""What is told sooner than by a search, or for a column at once, is what the plain way tells."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.report import escape, redact
from curvedoc.report.drawing import short, shorts

#: Without what a strategy cannot make up: what stands before and behind.
SECRETS = redact._VALUE.pattern.replace("(?<=bearer )", "bearer ").replace("(?<=://)", "://").replace("(?=@)", "@")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=12), st.from_regex(re.compile(SECRETS), fullmatch=True), st.text(max_size=12))
def test_a_credential_is_masked_whatever_is_looked_for_first(before: str, secret: str, after: str) -> None:
    text = f"{before} {secret} {after}"
    assert redact.redact(text) == redact._VALUE.sub(redact.MASK, text)
    assert redact.redact(text.replace("bearer", "Bearer")) == redact._VALUE.sub(
        redact.MASK, text.replace("bearer", "Bearer")
    )


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40))
def test_text_is_made_visible_as_by_looking_at_each_character(text: str) -> None:
    assert escape.visible(text) == escape._LINE.sub(escape._spell, text)
    assert escape.visible_block(text) == escape._BLOCK.sub(escape._spell, text.replace("\r\n", "\n"))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats() | st.integers(-20_000, 20_000).map(float), max_size=8))
def test_a_column_of_numbers_is_shortened_as_each_of_them(column: list[float]) -> None:
    assert repr(shorts(column)) == repr([short(v) for v in column])
