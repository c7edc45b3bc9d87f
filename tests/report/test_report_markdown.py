"""The Markdown view: safe in an issue, short enough for a comment, and with the fixes as a task list."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make_diagnosis import EXAMPLES, hostile_run, nan_run, of, oom_run, sweep

from curvedoc.core.diagnosis import Diagnosis
from curvedoc.report.escape import markdown, markdown_block, markdown_code
from curvedoc.report.markdown import MOST, to_markdown


@pytest.fixture(scope="module", params=sorted(EXAMPLES))
def example(request: pytest.FixtureRequest) -> Diagnosis:
    return EXAMPLES[request.param]()


def test_a_comment_on_github_holds_it(example: Diagnosis) -> None:
    assert len(to_markdown(example).encode()) <= MOST


def test_two_hundred_failures_are_cut_with_a_remark() -> None:
    run = replace(nan_run(), curves=())
    text = to_markdown(of(*(replace(run, run=f"run-{i}") for i in range(200))))
    assert len(text.encode()) <= MOST
    assert re.search(r"\d+ more flagged runs left out", text)
    assert text.endswith("_\n")


def test_a_single_run_with_endless_text_is_cut() -> None:
    text = to_markdown(of(replace(oom_run(), messages=oom_run().messages * 2, headline="x " * 90_000)))
    assert len(text.encode()) <= MOST


def test_one_run_has_its_causes_as_a_table_and_its_fixes_as_tasks() -> None:
    text = to_markdown(of(nan_run()))
    assert "| Cause | Likelihood | For | Against |" in text
    assert "| Learning rate too high | very likely, 78 % |" in text
    for fix in nan_run().causes[0].fix:
        assert f"- [ ] {fix}" in text
    assert "- [ ] Does it survive from the last good checkpoint at half the rate? (one short run)" in text


def test_a_sweep_has_one_row_for_each_run() -> None:
    text = to_markdown(sweep())
    assert sum(line.startswith(("| ✕", "| ▲", "| ✓", "| ?")) for line in text.splitlines()) == 12
    assert text.startswith("## Three of 12 runs failed the same way")


def outside_code(text: str) -> str:
    """The text without its fenced blocks and code spans."""
    text = re.sub(r"(?ms)^(`{3,}).*?^\1$|<code>.*?</code>", "", text)
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)


def test_crafted_text_becomes_neither_tag_nor_link_nor_mention() -> None:
    for d in (of(hostile_run()), of(hostile_run(), nan_run())):
        text = outside_code(to_markdown(d))
        allowed = re.sub(r"</?(?:details|summary|br)>|<!-- -->", " ", text)
        allowed = re.sub(r"\\[\\`*_{}\[\]<>|#~$&.+-]", "", allowed)
        assert "<" not in allowed
        assert not re.search(r"@\w|(?<![\w&])#\d|://|\]\(", allowed)


def test_rows_of_a_table_keep_their_number_of_cells() -> None:
    for d in (of(hostile_run()), of(hostile_run(), nan_run())):
        rows = [line for line in to_markdown(d).splitlines() if line.startswith("| ")]
        heads = {len(re.findall(r"(?<!\\)\|", line)) for line in rows}
        assert heads <= {5, 8}


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_escaped_text_is_one_line_without_live_markup(text: str) -> None:
    out = markdown(text)
    assert "\n" not in out and "\r" not in out
    bare = re.sub(r"\\.", "", out.replace("<!-- -->", ""))
    assert not set(bare) & set("`*_[]<>|~$&")


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="`ab |\n", max_size=30))
def test_a_name_cannot_leave_its_code_span_or_block(text: str) -> None:
    span = markdown_code(text)
    fence = re.match(r"`+", span)
    assert fence and span.endswith(fence[0]) and "|" not in span and "\n" not in span
    inside = span[len(fence[0]) : -len(fence[0])]
    assert all(len(run) != len(fence[0]) for run in re.findall("`+", inside))
    block = markdown_block(text).split("\n")
    assert all(not line.startswith(block[0]) for line in block[1:-1])
