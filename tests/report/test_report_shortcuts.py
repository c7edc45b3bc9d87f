"""What is told sooner than by a search, or for a column at once, is what the plain way tells."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make_diagnosis import curve

from curvedoc.report import escape, redact
from curvedoc.report.charts import spark
from curvedoc.report.charts.drawing import short, shorts
from curvedoc.report.credentials.shapes import SHAPES

_LETTERS = st.text("abcXYZ019", min_size=44, max_size=44)
#: Beginnings of credentials that are known by their shape alone.
_HEADS = (
    "hf_", "sk-", "sk_live_", "gsk_", "r8_", "npm_", "ghp_", "github_pat_", "glpat-", "pypi-", "xoxb-", "AIza", "ya29.",
    "nvapi-", "lsv2_pt_", "bearer ", "Basic ", "api_key=", "--password ", "hooks.slack.com/services/", "://me:",
    "secret_",
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=12), st.sampled_from(_HEADS), _LETTERS, st.text(max_size=12))
def test_a_credential_is_masked_whatever_is_looked_for_first(before: str, head: str, rest: str, after: str) -> None:
    text = f"{before} {head}{rest} {after}"
    typed = redact._TYPED.sub(rf"\1\2{redact.MASK}", text)
    assert redact.redact(text) == "".join(redact._pairs_masked(SHAPES.sub(redact.MASK, typed)))


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
