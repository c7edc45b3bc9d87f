"""Terms are explained where they first stand, and whatever stands around them stays text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curvedoc.report.glossary import TERMS, glossed


def test_a_term_is_explained_once() -> None:
    html = str(glossed("Loss scale halves; the loss scale is back"))
    assert html.count("<abbr") == 1 and html.startswith("<abbr title=") and html.endswith("the loss scale is back")


@given(st.text())
def test_what_stands_around_terms_stays_text(text: str) -> None:
    html = str(glossed(f"{text} weight decay <script>{text}"))
    assert "<script" not in html and html.count("<") == 2 * html.count("</abbr>")


def test_no_explanation_needs_markup() -> None:
    assert all(not set("<>&\"'") & set(text) and text.endswith(".") for text in TERMS.values())
