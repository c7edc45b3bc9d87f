"""The Python and notebook view: one object, its tables, charts and displays."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import altair as alt
import pytest

import curvedoc
from curvedoc.core.diagnosis import Finding, RankedCause
from curvedoc.core.errors import NothingToAnalyse, UsageError
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.diagnose.story.headline import said
from curvedoc.report.exchange.json_document import from_json


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("runs")
    for name, last in (("bad", float("nan")), ("good", 0.5)):
        (root / name).mkdir()
        rows = []
        for step in range(300):
            calm = 2 * 0.99**step + 0.4 + 0.01 * ((step * 7919) % 13 - 6) / 6
            spike = 1.4 * 1.5 ** (step - 180) if name == "bad" and step >= 180 else calm
            rows.append({"step": step, "loss": last if name == "bad" and step > 220 else spike, "lr": 0.01})
        (root / name / "metrics.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    return root


@pytest.fixture(scope="module")
def found(runs: Path) -> curvedoc.Analysis:
    return curvedoc.analyze(runs)


def test_the_object_has_runs_findings_and_causes(found: curvedoc.Analysis) -> None:
    assert [r.run for r in found.runs] == ["bad", "good"]
    assert found.runs[0].verdict == "failed" and found.runs[0].headline
    assert {f.symptom for f in found.findings} == {f.symptom for r in found.diagnosis.runs for f in r.findings}
    assert found.causes[0] == found.runs[0].causes[0]
    assert "1 failed" in repr(found) and "1 healthy" in repr(found) and len(repr(found)) < 200


def test_the_table_has_a_row_for_each_finding(found: curvedoc.Analysis) -> None:
    table = found.to_polars()
    assert len(table) == len(found.findings)
    assert set(table["run"]) <= {"bad", "good"}


def test_views_are_returned_and_written(found: curvedoc.Analysis, tmp_path: Path) -> None:
    for name, view in (("a.html", found.to_html), ("a.md", found.to_markdown), ("a.json", found.to_json)):
        assert view(tmp_path / name) == view() == (tmp_path / name).read_text("utf-8")
    assert from_json(found.to_json()).runs[0].run in {"bad", "good"}


def test_a_chart_is_an_altair_chart_that_keeps_the_extremes(found: curvedoc.Analysis) -> None:
    chart = found.chart("loss", "bad")
    assert isinstance(chart, alt.Chart)
    (rows,) = chart.to_dict()["datasets"].values()
    (curve,) = (c for c in found.runs[0].curves if c.role == "loss")
    drawn = [r["value"] for r in rows if r["value"] is not None]
    top = max(v for v in curve.high if v == v)
    assert max(drawn) == pytest.approx(top, rel=1e-3)
    assert any(r["value"] is None for r in rows)


def test_a_chart_without_a_run_shows_all_of_them(found: curvedoc.Analysis) -> None:
    (rows,) = found.chart("loss").to_dict()["datasets"].values()
    assert {r["curve"] for r in rows} == {"bad", "good"}
    assert len(rows) <= 5000


def test_a_chart_of_what_is_not_there_says_what_is(found: curvedoc.Analysis) -> None:
    with pytest.raises(UsageError, match="loss"):
        found.chart("perplexity")
    with pytest.raises(UsageError, match="good"):
        found.chart("loss", "nobody")


def test_a_notebook_gets_text_markdown_and_html(found: curvedoc.Analysis) -> None:
    bundle = found._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/markdown", "text/html"}
    html = bundle["text/html"]
    assert "data:image/svg+xml;base64," in html
    assert "<script" not in html and "<style" not in html and "<svg" not in html and "class=" not in html
    assert set(found._repr_mimebundle_(include=("text/plain",))) == {"text/plain"}
    assert "text/html" not in found._repr_mimebundle_(exclude=("text/html",))
    assert len(html) < 1_000_000


def test_a_place_without_runs_raises(tmp_path: Path) -> None:
    with pytest.raises(NothingToAnalyse):
        curvedoc.analyze(tmp_path)


def test_the_object_cannot_be_changed(found: curvedoc.Analysis) -> None:
    with pytest.raises(AttributeError):
        found.title = "x"  # type: ignore[misc]


def test_a_run_that_logged_only_its_validation_loss_is_told_by_it(tmp_path: Path) -> None:
    rows = [{"step": i * 10, "val_loss": 2.0 * 0.98**i + 0.3} for i in range(200)]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    (run,) = curvedoc.analyze(tmp_path).runs
    assert run.verdict == "healthy"
    assert "the validation loss went from" in run.headline


@pytest.mark.parametrize(
    ("finding", "cause", "headline"),
    [
        ("An operation got tensors whose shapes do not fit", "Tensor shapes do not fit", "{}, {seen}."),
        ("The loss is multiplied by the loss scale", "The loss was multiplied by the scale", "{}, {seen}."),
        ("The loss blew up", "The learning rate is too high", "{}, {seen}: the learning rate is too high."),
    ],
)
def test_a_headline_names_the_cause_unless_that_says_the_same(finding: str, cause: str, headline: str) -> None:
    found = Finding("s", finding, "pathology", "error", 1.0, 7, None, None, general=finding)
    ranked = RankedCause("c", cause, 0.9, findings=("s",))
    assert said(Counter("step"), [found], [ranked]) == headline.format(finding, seen="first seen at step 7")


def test_what_holds_from_the_first_step_on_has_no_onset_in_the_headline() -> None:
    found = Finding("s", "The loss rests at the floor", "pathology", "warning", 1.0, 0, None, None)
    assert said(Counter("epoch"), [found], []) == "The loss rests at the floor."


def test_a_chart_and_a_run_show_themselves_without_any_network(found: curvedoc.Analysis) -> None:
    shown = found.chart()._repr_mimebundle_()
    assert shown["image/svg+xml"].startswith("<svg") and "http" not in shown["image/svg+xml"].replace(
        "http://www.w3.org/", ""
    )
    run = found.runs[0]
    bundle = run._repr_mimebundle_()  # type: ignore[attr-defined]
    assert set(bundle) == {"text/plain", "text/markdown", "text/html"}
    assert run.headline in bundle["text/plain"].replace("\n", " ") and "<script" not in bundle["text/html"]
    (plain,) = (r for r in found.diagnosis.runs if r.run == run.run)
    assert run == plain and plain == run and run != found.runs[1]


def test_a_chart_shows_itself_without_vl_convert_and_one_that_was_changed_names_the_extra(
    found: curvedoc.Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    chart = found.chart()
    shown = chart._repr_mimebundle_()["image/svg+xml"]
    assert all(name in shown for name in ("loss against step", "blue: bad", "vermilion: "))
    with pytest.raises(UsageError, match=r"was changed needs 'curvedoc\[vega\]'"):
        chart.properties(width=100)._repr_mimebundle_()


def test_in_a_notebook_that_is_executed_every_view_is_a_picture_or_text(runs: Path) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    cells = [f"import curvedoc; r = curvedoc.analyze({str(runs)!r})", "r", "r.chart()", "r.runs[0]"]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    shown = [cell.outputs[0].data for cell in book.cells[1:]]
    assert "text/html" in shown[0] and "image/svg+xml" in shown[1] and "text/html" in shown[2]
    for data in shown:
        text = "".join(str(v) for v in data.values())
        assert "<script" not in text and "cdn." not in text and "require(" not in text
