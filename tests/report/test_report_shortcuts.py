"""What is told sooner than by a search, or for a column at once, is what the plain way tells."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make_diagnosis import curve

from curvedoc.report import escape, redact
from curvedoc.report.charts import spark
from curvedoc.report.charts.drawing import short, shorts

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


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6) | st.just(1e-9), min_size=1, max_size=70), st.integers(1, 40), st.integers(-9, 99))
def test_a_curve_of_a_bucket_a_column_is_drawn_as_any_other(mean: list[float], every: int, beyond: int) -> None:
    one = curve("loss", "loss", [every * i for i in range(len(mean))], mean)
    end = one.step[-1] + beyond
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spark, "_single", lambda *_: False)
        expected = spark.spark(one, end, every)
    assert spark.spark(one, end, every) == expected
