"""The HTML report: one safe, self-contained, reproducible file in which nothing of the diagnosis is lost."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from make_diagnosis import EXAMPLES, HOSTILE, healthy_run, hostile_run, nan_run, of, oom_run, overfit_run, sweep

from curvedoc.core.diagnosis import Diagnosis, Evidence
from curvedoc.report.escape import visible
from curvedoc.report.exchange.json_document import to_json
from curvedoc.report.html import bundle
from curvedoc.report.html.page import to_html
from curvedoc.report.html.template import compiled
from curvedoc.report.markdown import to_markdown
from curvedoc.report.terminal.summary import to_text

LOADERS = {"link", "iframe", "object", "embed", "img", "base", "form", "audio", "video", "image", "foreignobject"}
VOID = {"meta", "col", "input", "link", "br", "img", "hr"}
ASSETS = Path(bundle.__file__).parent / "assets"


class Page(HTMLParser):
    """Elements, attributes and text of a page; keeps a stack to see that it is well formed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.stack: list[str] = []
        self.unbalanced: list[str] = []
        self.words: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.styles: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)
        if tag == "script":
            self.scripts.append((dict(attrs), ""))
        if tag == "style":
            self.styles.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.stack or self.stack.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        if self.stack and self.stack[-1] == "script":
            attrs, text = self.scripts[-1]
            self.scripts[-1] = (attrs, text + data)
        elif self.stack and self.stack[-1] == "style":
            self.styles[-1] += data
        else:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return {name: to_html(make()) for name, make in EXAMPLES.items()}


@pytest.fixture(scope="module", params=sorted(EXAMPLES))
def page(request: pytest.FixtureRequest, pages: dict[str, str]) -> tuple[Diagnosis, str, Page]:
    return EXAMPLES[request.param](), pages[request.param], Page(pages[request.param])


def test_every_element_is_closed_in_order(page: tuple[Diagnosis, str, Page]) -> None:
    assert page[2].unbalanced == [] and page[2].stack == []


def test_no_element_loads_anything(page: tuple[Diagnosis, str, Page]) -> None:
    for tag, attrs in page[2].tags:
        assert tag not in {
            "link",
            "iframe",
            "object",
            "embed",
            "img",
            "base",
            "form",
            "audio",
            "video",
            "image",
            "foreignobject",
        }
        for key in ("src", "srcset", "action", "data", "poster", "xlink:href"):
            assert key not in attrs
        if "href" in attrs:
            assert (attrs["href"] or "").startswith("#")
    assert not re.search(r"url\((?!#)|@import", "".join(page[2].styles))


def test_no_attribute_runs_code_or_is_forbidden_by_the_policy(page: tuple[Diagnosis, str, Page]) -> None:
    for tag, attrs in page[2].tags:
        for key in attrs:
            assert not key.startswith("on"), (tag, key)
            assert key != "style", (tag, attrs)


def test_the_policy_names_the_hashes_of_the_one_script_and_the_one_style(page: tuple[Diagnosis, str, Page]) -> None:
    found = [
        a["content"] or "" for t, a in page[2].tags if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert len(found) == 1 and "unsafe" not in found[0]
    assert "default-src 'none'" in found[0] and "require-trusted-types-for 'script'" in found[0]
    (script,) = (text for attrs, text in page[2].scripts if attrs.get("type") != "application/json")
    (style,) = page[2].styles
    for text in (script, style):
        assert "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in found[0]


def test_the_policy_stands_before_any_script_or_style(page: tuple[Diagnosis, str, Page]) -> None:
    text = page[1]
    assert text.index("Content-Security-Policy") < min(text.index("<style"), text.index("<script"))


def test_the_bundle_occurs_once(page: tuple[Diagnosis, str, Page]) -> None:
    assert page[1].count("https://vega.github.io/schema/vega/v6.json") == 1
    assert [a.get("type") for a, _ in page[2].scripts] == ["application/json", "module"]


def test_every_sentence_of_evidence_is_shown(page: tuple[Diagnosis, str, Page]) -> None:
    diagnosis, _, parsed = page
    for run in diagnosis.runs:
        # a signal that was not logged has a table of its own
        found = [f for f in run.findings if f.symptom != "missing-signal"]
        said = [run.headline, *(f.title for f in found), *(e.text for f in found for e in f.evidence)]
        for c in run.causes:
            said += [c.mechanism, *(e.text for e in (*c.supports, *c.against)), *c.fix]
            said += [x for check in c.checks for x in (check.ask, check.because)]
        said += [n.reason for n in run.not_judged]
        for text in said:
            assert " ".join(visible(text).split()).lower() in parsed.text.lower(), text


def test_crafted_names_stay_text(pages: dict[str, str]) -> None:
    parsed = Page(pages["hostile"])
    assert len(parsed.scripts) == 2
    assert "img" not in {t for t, _ in parsed.tags}
    assert visible(HOSTILE) in parsed.text
    assert "\u202e" not in pages["hostile"] and "\x1b" not in pages["hostile"]


def test_the_data_cannot_end_its_element_and_reads_as_json(page: tuple[Diagnosis, str, Page]) -> None:
    data = next(text for attrs, text in page[2].scripts if attrs.get("type") == "application/json")
    assert not re.search(r"[<>&\u2028\u2029]", data)
    assert set(json.loads(data)) == {"runs", "templates"}


def test_a_lone_surrogate_in_a_name_can_still_be_written_as_utf8() -> None:
    to_html(of(replace(nan_run(), run="run-\udcff", curves=())), title="x\udcff").encode("utf-8")


def test_one_run_is_small_and_fifty_stay_within_the_budget(pages: dict[str, str]) -> None:
    for name in ("nan", "overfit", "healthy", "oom"):
        assert len(pages[name].encode()) < 1_500_000
    kinds = (nan_run(), overfit_run(), oom_run(), healthy_run())
    many = of(*(replace(kinds[i % 4], run=f"run-{i}") for i in range(50)))
    assert len(to_html(many).encode()) < 4_000_000


def test_three_hundred_runs_give_one_table_and_sections_for_the_worst() -> None:
    small = replace(nan_run(), curves=())
    text = to_html(of(*(replace(small, run=f"run-{i:03}") for i in range(300)), healthy_run("best")))
    parsed = Page(text)
    assert sum(t == "tr" and "data-state" in a for t, a in parsed.tags) == 301
    assert sum(t == "section" and (a.get("class") or "") == "run" for t, a in parsed.tags) == 300
    assert "Curves are shown for 300 runs." in parsed.text
    assert sum(t == "small" and (a.get("class") or "") == "act" for t, a in parsed.tags) == 300
    assert len(text.encode()) < 4_000_000


def test_the_same_diagnosis_gives_the_same_bytes(pages: dict[str, str]) -> None:
    assert to_html(EXAMPLES["sweep"]()) == pages["sweep"]


def test_flagged_runs_have_their_curves_without_scripts(pages: dict[str, str]) -> None:
    for name, panels in (("nan", 3), ("oom", 3), ("healthy", 3)):
        plots = re.findall(r'<div class="plot"[^>]*><svg role="img" aria-label="[^"]+', pages[name])
        assert len(plots) == panels
    assert not re.findall(r'<div class="plot"[^>]*><svg', to_html(of(nan_run()), baked=0))


def test_ids_are_unique_across_the_baked_pictures(page: tuple[Diagnosis, str, Page]) -> None:
    ids = [a["id"] for _, a in page[2].tags if "id" in a]
    assert len(ids) == len(set(ids))
    for name in re.findall(r"url\(#([^)]+)\)", page[1][: page[1].index('<script type="application/json"')]):
        assert name in ids


def test_a_run_that_stays_below_half_is_not_given_a_likely_cause(pages: dict[str, str]) -> None:
    text = Page(pages["oom"]).text
    assert "Possible causes" in text and "Likely causes" not in text
    assert "Possible, 46 %" in text


def test_the_traceback_is_shown_whole(pages: dict[str, str]) -> None:
    blocks = re.findall(r"<pre tabindex=\"0\">(.*?)</pre>", pages["oom"], re.S)
    assert html.unescape(blocks[0]) == oom_run().messages[0].text


def test_credentials_are_shown_in_no_view() -> None:
    quoted = Evidence("the log says: cloning https://me:hunter2@host/x")
    run = replace(
        nan_run(),
        config={"wandb.api_key": "f00dfeed", "hub": "hf_" + "a" * 30},
        messages=(replace(oom_run().messages[0], text="login with ghp_" + "b" * 36),),
        findings=(replace(nan_run().findings[0], evidence=(quoted,)),),
    )
    d = of(run)
    for text in (to_html(d), to_json(d), to_markdown(d), to_text(d, verbose=True)):
        assert "the log says" in text.lower()
        for secret in ("f00dfeed", "hf_aaaa", "ghp_bbbb", "hunter2"):
            assert secret not in text


def test_the_shipped_bundle_was_built_from_the_sources_beside_it() -> None:
    shipped = (ASSETS / "bundle.js").read_text("utf-8")
    digest = re.search(r"page ([0-9a-f]+)", bundle.stamp())
    assert digest and digest[1] in shipped.split("\n", 1)[0]
    if shipped.startswith(bundle.stamp()):  # the same version of the library: the rest must agree as well
        assert shipped == bundle.build()
    assert "</script" not in shipped and "<!--" not in shipped


def test_the_shipped_panels_are_what_altair_writes() -> None:
    shipped = json.loads((ASSETS / "panels.json").read_text("utf-8"))
    if shipped["altair"] == bundle.version("altair"):
        assert json.dumps(shipped, sort_keys=True) == json.dumps(json.loads(bundle.panels()), sort_keys=True)
    assert '"url"' not in json.dumps(shipped)


def test_the_shipped_templates_are_what_jinja_makes_of_the_sources() -> None:
    shipped, made = json.loads((ASSETS / "templates.json").read_text("utf-8")), json.loads(compiled())
    assert shipped == made or shipped["jinja"] != made["jinja"]


def test_nothing_in_a_template_goes_around_the_escaping() -> None:
    for path in (ASSETS.parent / "templates").iterdir():
        assert not re.search(r"\|\s*safe|autoescape", path.read_text("utf-8")), path.name


@pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium to run the page's script")
def test_the_page_draws_its_curves_under_its_own_policy(tmp_path: Path, pages: dict[str, str]) -> None:
    (tmp_path / "page.html").write_text(pages["hostile"], "utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    flags += ["--window-size=1200,5000", f"--user-data-dir={tmp_path}/profile", "--virtual-time-budget=20000"]
    flags.append("--run-all-compositor-stages-before-draw")
    made = subprocess.run(
        ["chromium", *flags, "--dump-dom", (tmp_path / "page.html").as_uri()],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    start = made.stdout[: made.stdout.index("<head>")]
    assert 'data-drawn="1"' in start and "data-blocked" not in start


def test_a_sweep_shows_its_groups_contrasts_and_what_could_not_be_read(pages: dict[str, str]) -> None:
    parsed = Page(pages["sweep"])
    text = parsed.text
    assert "Three of 12 runs failed the same way" in text
    assert sweep().contrasts[0].text in text
    assert "lr9/events.out.tfevents.1" in text
    assert sum(a.get("class") == "sig" for _, a in parsed.tags) == 3  # the letter of a group of one would say nothing
    assert hostile_run().run != text


def test_findings_and_causes_lead_to_their_paragraph_at_the_end_of_the_page() -> None:
    page = Page(to_html(of(nan_run())))
    ids = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    led = [attrs["href"] for tag, attrs in page.tags if tag == "a" and str(attrs.get("href")).startswith("#ref-")]
    assert "#ref-nan-after-blowup" in led
    assert {str(href)[1:] for href in led} <= ids


def test_what_no_shipped_rule_knows_leads_nowhere() -> None:
    run = nan_run()
    own = replace(run, findings=(replace(run.findings[0], symptom="rule-of-our-own"),))
    text = to_html(of(own))
    assert "rule-of-our-own" in text and "#ref-rule-of-our-own" not in text


def test_a_page_of_many_runs_explains_what_each_is_told_of_first() -> None:
    page = Page(to_html(sweep()))
    explained = [attrs["id"] for _, attrs in page.tags if str(attrs.get("id")).startswith("ref-")]
    assert explained and len(explained) == len(set(explained))
