"""Where results go: every output of analyze and render, figures, fragments, and the user's own redaction."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from make_diagnosis import EXAMPLES, HOSTILE, hostile_run, nan_run, of, overfit_run, sweep
from typer.testing import CliRunner, Result

from curvedoc.cli.app import app
from curvedoc.core.diagnosis import Diagnosis
from curvedoc.core.errors import UsageError
from curvedoc.report.exchange.json_document import from_json, to_json
from curvedoc.report.exchange.junit import to_junit
from curvedoc.report.exchange.sarif import to_sarif
from curvedoc.report.figures.figure import figures, index, svg
from curvedoc.report.html.fragment import to_fragment
from curvedoc.report.html.page import to_html
from curvedoc.report.limits import limits
from curvedoc.report.markdown import to_markdown
from curvedoc.report.mask import masked, masker
from curvedoc.report.terminal.summary import to_text


def call(*args: str | Path) -> Result:
    return CliRunner().invoke(app, [str(a) for a in args])


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "diagnosis.json"
    path.write_text(to_json(of(nan_run())), "utf-8")
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    run = tmp_path / "secret-project" / "run"
    run.mkdir(parents=True)
    rows = [{"step": i, "loss": 2 - i / 200 if i < 120 else 1.4 * 1.5 ** (i - 119), "lr": 0.1} for i in range(150)]
    rows += [{"step": i, "loss": float("nan"), "lr": 0.1} for i in range(150, 200)]
    (run / "metrics.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    return tmp_path / "secret-project"


class Tags(HTMLParser):
    """Tags and attributes of a piece of HTML; `open` holds what was not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in {"img", "br"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_analyze_writes_every_output_in_one_call(log: Path, tmp_path: Path) -> None:
    at = {name: tmp_path / f"out.{name}" for name in ("html", "json", "md", "sarif", "xml", "wiki.html")}
    folder = tmp_path / "figures"
    done = call(
        "analyze", log, "--jobs", "1", "--html", at["html"], "--json", at["json"], "--markdown", at["md"],
        "--sarif", at["sarif"], "--junit", at["xml"], "--embed", at["wiki.html"], "--assets", folder,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    d = from_json(at["json"].read_text("utf-8"))
    assert json.loads(at["sarif"].read_text("utf-8"))["version"] == "2.1.0"
    assert int(ElementTree.parse(at["xml"]).getroot().attrib["failures"]) >= 1
    assert d.runs[0].headline in at["wiki.html"].read_text("utf-8")
    names = sorted(p.suffix for p in folder.iterdir())
    assert names.count(".svg") == names.count(".png") >= 1 and names.count(".md") == 1
    listed = re.findall(r"\]\(([^)]+\.png)\)", (folder / "figures.md").read_text("utf-8"))
    assert sorted(listed) == sorted(p.name for p in folder.glob("*.png")) and listed
    assert all((folder / n).read_bytes().startswith(b"\x89PNG") for n in listed)


@pytest.mark.parametrize("kind", ["sarif", "junit", "markdown", "html", "json"])
def test_render_prints_the_format_that_was_asked_for_and_nothing_else(saved: Path, kind: str) -> None:
    done = call("render", saved, "--format", kind)
    assert done.exit_code == 0, done.output
    made = {"sarif": to_sarif, "junit": to_junit, "markdown": to_markdown, "json": to_json}
    d = from_json(saved.read_text("utf-8"))
    assert done.stdout == (to_html(d, title="diagnosis") if kind == "html" else made[kind](d))


def test_render_writes_what_analyze_would_have_written(saved: Path, tmp_path: Path) -> None:
    a, b = tmp_path / "a.xml", tmp_path / "b.json"
    done = call("render", saved, "--junit", a, "--json", b, "--redact", "lr3e-3")
    assert done.exit_code == 0, done.output
    assert "lr3e-3" not in a.read_text() + b.read_text() and "[redacted]-bs256-s1" in b.read_text()


def test_an_embedded_fragment_is_overwritten_and_a_page_of_somebody_else_is_not(saved: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.html"
    assert call("render", saved, "--embed", out).exit_code == 0
    assert call("render", saved, "--embed", out).exit_code == 0
    out.write_text("<p>mine</p>")
    assert call("render", saved, "--embed", out).exit_code == 2
    assert out.read_text() == "<p>mine</p>"


def test_assets_into_a_file_is_a_usage_error(saved: Path) -> None:
    done = call("render", saved, "--assets", saved)
    assert done.exit_code == 2 and "--assets" in done.output


def views(d: Diagnosis) -> dict[str, str]:
    return {
        "html": to_html(d, baked=0),
        "json": to_json(d),
        "markdown": to_markdown(d),
        "sarif": to_sarif(d),
        "junit": to_junit(d),
        "text": to_text(d, verbose=True, all_runs=True),
        "embed": to_fragment(d, styling="sheet"),
        "figures": index(d, tuple(figures(d))),
    }


def test_what_the_user_redacts_stands_in_no_view() -> None:
    word = "zebra"
    run = replace(
        nan_run(),
        run=f"{word}-run",
        headline=f"The loss of {word} blew up.",
        config={"data": f"/mnt/{word}/train", f"{word}.key": "x"},
        messages=tuple(replace(m, text=f"loading {word}") for m in hostile_run().messages),
        sources=tuple(replace(s, path=f"{word}/log.jsonl") for s in nan_run().sources),
        findings=tuple(replace(f, title=f"{f.title} in {word}") for f in nan_run().findings),
        curves=tuple(replace(c, metric=f"{word}/{c.metric}") for c in nan_run().curves),
    )
    d = of(run)
    assert all(word in text for text in views(d).values())
    hidden = views(masked(d, masker([word])))
    assert not [name for name, text in hidden.items() if word in text]


def test_masking_keeps_ids_numbers_and_one_name_for_each_run() -> None:
    d = masked(sweep(), masker([".+"]))
    assert len({r.run for r in d.runs}) == len(sweep().runs)
    assert {n for g in d.groups for n in g.runs} <= {r.run for r in d.runs}
    assert [f.symptom for r in d.runs for f in r.findings] == [f.symptom for r in sweep().runs for f in r.findings]
    assert [c.cause for r in d.runs for c in r.causes] == [c.cause for r in sweep().runs for c in r.causes]
    assert [c.points for r in d.runs for c in r.curves] == [c.points for r in sweep().runs for c in r.curves]
    assert from_json(to_json(d)).runs[0].verdict == d.runs[0].verdict


def test_a_wrong_pattern_is_a_usage_error(saved: Path) -> None:
    with pytest.raises(UsageError, match="regular expression"):
        masker(["("])
    assert call("render", saved, "--redact", "(").exit_code == 2


ALLOWED = {
    "div", "p", "b", "span", "code", "table", "thead", "tbody", "tr", "th", "td", "ul", "ol", "li", "br", "pre", "img",
    "details", "summary",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_notebook_fragment_holds_only_what_sanitizers_let_through(name: str) -> None:
    tags = Tags(to_fragment(EXAMPLES[name]())).found
    for tag, attrs in tags:
        assert tag in ALLOWED
        assert set(attrs) <= {"style", "alt", "src"}
        assert (attrs.get("src") or "data:image/svg+xml;base64,").startswith("data:image/svg+xml;base64,")


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_wiki_fragment_has_one_scoped_sheet_and_no_way_out(name: str) -> None:
    text = to_fragment(EXAMPLES[name](), styling="sheet")
    tags = Tags(text)
    assert tags.open == []
    assert sum(t == "style" for t, _ in tags.found) == 1
    (sheet,) = re.findall(r"<style>(.*?)</style>", text, re.S)
    assert all(rule.startswith(".curvedoc") for rule in sheet.split("}") if rule.strip())
    for tag, attrs in tags.found:
        assert tag not in {"script", "link", "iframe", "object", "a", "form", "base", "meta", "foreignobject"}
        assert not [k for k in attrs if k.startswith("on") or k in ("src", "href", "action")]
    ids = [a["id"] for _, a in tags.found if "id" in a]
    assert len(ids) == len(set(ids))
    assert not re.search(r"url\((?!#)|@import", text)


def test_fragments_are_the_same_for_the_same_diagnosis() -> None:
    for styling in ("inline", "sheet"):
        assert to_fragment(of(nan_run()), styling=styling) == to_fragment(of(nan_run()), styling=styling)


def test_a_figure_needs_nothing_around_it_and_shows_foreign_names_as_text() -> None:
    drawn = tuple(figures(of(hostile_run())))
    assert drawn
    for figure in drawn:
        assert re.fullmatch(r"[A-Za-z0-9_.-]+", figure.name)
        text = svg(figure)
        root = ElementTree.fromstring(text)
        assert {e.tag.rsplit("}", 1)[-1] for e in root.iter()} <= {
            "svg", "g", "path", "text", "tspan", "defs", "clipPath", "rect", "line", "style",
        }  # fmt: skip
        assert "var(" not in text and "http" not in text.replace("http://www.w3.org/", "")


def test_two_runs_whose_names_make_one_file_name_do_not_overwrite_each_other() -> None:
    drawn = tuple(figures(of(replace(nan_run(), run="a/b"), replace(nan_run(), run="a b"))))
    assert len({f.name for f in drawn}) == len(drawn) == 2 * len(tuple(figures(of(nan_run()))))


def test_every_report_states_what_its_curves_cannot_show() -> None:
    for name, make in EXAMPLES.items():
        d = make()
        said = [text for r in d.runs for text in limits(r)]
        assert len(said) >= len(d.runs), name
        if len(d.runs) == 1:
            for view in (to_html(d, baked=0), to_markdown(d), to_text(d, verbose=True), to_fragment(d)):
                assert "What these curves cannot show" in view


def test_causes_that_stand_close_together_are_named_with_the_check_that_decides() -> None:
    run = overfit_run()
    first, second = run.causes[0], run.causes[1]
    shared = {"findings": first.findings}
    near = (replace(first, probability=0.45), replace(second, probability=0.4, **shared), *run.causes[2:])
    said = " ".join(limits(replace(run, causes=near)))
    assert first.title in said and second.title in said and "look alike in these curves" in said
    far = (replace(first, probability=0.9), replace(second, probability=0.05, **shared), *run.causes[2:])
    assert "look alike in these curves" not in " ".join(limits(replace(run, causes=far)))


def test_hostile_text_in_a_fragment_stays_text() -> None:
    for styling in ("inline", "sheet"):
        tags = {t for t, _ in Tags(to_fragment(EXAMPLES["hostile"](), styling=styling)).found}
        assert "script" not in tags
    assert HOSTILE not in to_fragment(EXAMPLES["hostile"]())
