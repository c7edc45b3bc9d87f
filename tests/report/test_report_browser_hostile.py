"""No text of a log makes the report do anything: each payload of a large corpus, in every place, in a real browser."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, Page, needs_chromium
from make_diagnosis import curve, nan_run, of
from payloads import HOST, PAYLOADS, Payload, careless_page

from curvedoc.core.diagnosis import Diagnosis, RunDiagnosis
from curvedoc.pipeline import Options, analyze
from curvedoc.report.escape import visible
from curvedoc.report.html.fragment import to_fragment
from curvedoc.report.html.page import to_html

pytestmark = needs_chromium

#: What the tool says itself, in words of its own; every other text of a diagnosis may come from a log.
OURS = {"verdict", "kind", "severity", "answer", "cost", "axis", "role", "symptom", "cause", "explained_by", "findings"}
OURS |= {"causes", "yes", "no", "format", "channel", "level", "needs"}
#: Does to the elements that match what a reader might do to some; frames are entered.
PROVOKE = """
(function provoke(d, wanted) {
    for (const e of d.querySelectorAll(wanted)) {
        e.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
        if (e.matches('[tabindex], [onfocus], a, button, input, summary')) e.focus({preventScroll: true});
        if (e.matches('a, button, summary, label, [onclick], form *')) {
            e.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}));
        }
        if (e.matches('iframe')) { try { provoke(e.contentDocument, wanted); } catch { /* of another origin */ } }
    }
})(document, %s)
"""
#: Elements and attributes that could act; the report has its one script, its data, its style, and links to itself.
ACTIVE = """
[...document.querySelectorAll('*')].filter(e =>
    e.matches('iframe, object, embed, base, form:not(.vega-bindings), link, audio, video, [src]:not(img), [srcset]')
    || e.matches('[background], [data], [style*=url], [href*=script], [action], [formaction], [srcdoc]')
    || (e.matches('img') && !e.src.startsWith('data:image/svg+xml;base64,'))
    || (e.matches('script') && e.type !== 'application/json' && e.type !== 'module')
    || (e.matches('meta[http-equiv]') && e.httpEquiv !== 'Content-Security-Policy')
    || (e.matches('a') && !(e.getAttribute('href') ?? '#').startsWith('#'))
    || [...e.attributes].some(a => a.name.startsWith('on'))
).map(e => e.outerHTML.slice(0, 120))
"""
#: The text of the page, of what is folded as well.
WORDS = """
(() => {
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), words = [];
    while (walk.nextNode()) {
        if (!walk.currentNode.parentElement.closest('script, style')) words.push(walk.currentNode.data);
    }
    return words.join(' ');
})()
"""


def acted(page: Page) -> set[str]:
    """The payloads that did something: told of a hit, asked the network, opened a dialog or a window."""
    names = ("Page.javascriptDialogOpening", "Page.windowOpen", "Page.frameRequestedNavigation")
    opened = [p.get("message", "") + " " + p["url"] for name, p in page.heard if name in names]
    found = re.findall(r"\bp\d\d\b", " ".join([*page.hits, *opened]))
    asked = re.findall(re.escape(HOST) + r"(p\d\d)", " ".join(page.requests))
    return {*found, *asked}


def crafted(value: Any, text: str) -> Any:
    """The same value with every text in it that a log could have given replaced."""
    if isinstance(value, str):
        return text
    if isinstance(value, tuple):
        return tuple(crafted(v, text) for v in value)
    if isinstance(value, Mapping):
        return {crafted(k, text): crafted(v, text) for k, v in value.items()}
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    changed = {f.name: crafted(getattr(value, f.name), text) for f in dataclasses.fields(value) if f.name not in OURS}
    inner = ("findings", "causes") if isinstance(value, RunDiagnosis) else ()
    return replace(value, **changed, **{name: crafted(getattr(value, name), text) for name in inner})


def grouped(n: int) -> list[tuple[Payload, ...]]:
    """The payloads, `n` together: as many texts in fewer runs."""
    return [PAYLOADS[i : i + n] for i in range(0, len(PAYLOADS), n)]


def crafted_runs(texts: Iterable[str]) -> list[RunDiagnosis]:
    """A run for each text, which is its name and all that was logged."""
    run = nan_run()
    steps = list(range(0, 8000, 100))
    values = [2.0] * 70 + [9.0] * 5 + [float("nan")] * 5
    base = replace(run, curves=(curve("loss", "loss", steps, values), curve("lr", "lr", steps, [1e-3] * 80)))
    return [crafted(base, text) for text in texts]


def logged_runs(folder: Path) -> Diagnosis:
    """The diagnosis of real logs that hold each payload as directory, metric, setting, value and message."""
    for group in grouped(4):
        texts = [p.text.encode("utf-8", "replace").decode() for p in group]
        place = folder.joinpath(
            *(re.sub(r"[/\x00]", "_", f"{p.id}{t}")[:80] for p, t in zip(group, texts, strict=True))
        )
        place.mkdir(parents=True)
        loss = [2.0 - 0.01 * i for i in range(60)] + [float("nan")] * 20
        extra = [dict.fromkeys((*texts, *(f"val/{t}/loss" for t in texts)), v / 2) for v in loss]
        rows = [{"step": i, "train/loss": v} | more for i, (v, more) in enumerate(zip(loss, extra, strict=True))]
        (place / "metrics.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
        settings = {"lr": 0.1, "optimizer": {t: t for t in texts}, "name": texts}
        (place / "config.json").write_text(json.dumps(settings), "utf-8")
        said = [f"WARNING {t}" for t in texts] + ["Traceback (most recent call last):"]
        said += [f'  File "{t}", line 1, in {t}' for t in texts] + [f"ValueError: {' '.join(texts)}"]
        (place / "train.log").write_text("\n".join(said), "utf-8")
    return analyze(folder, Options(siblings=False))


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    made = Page(chromium)
    yield made
    made.close()


def write(folder: Path, text: str) -> Path:
    path = folder / "page.html"
    path.write_text(text, "utf-8")
    return path


def stays_quiet(page: Page, path: Path) -> None:
    assert acted(page) == set()
    assert page.trouble == []
    assert set(page.requests) == {path.as_uri()}
    assert page.eval(ACTIVE) == []
    assert page.eval("document.scripts.length") in (0, 2)  # the data and the bundle
    assert page.eval("Object.keys(Object.prototype)") == []
    words = page.eval(WORDS)
    assert re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e\u2066\u2028\ufeff]", words) == []


def test_a_careless_page_is_caught(page: Page, tmp_path: Path) -> None:
    dangerous = tuple(p for p in PAYLOADS if p.place)
    assert len(dangerous) >= 40
    page.call("Emulation.setFocusEmulationEnabled", enabled=True)  # else a busy machine may give it none
    page.open(write(tmp_path, careless_page(dangerous)))
    for _ in range(3):  # what one frame takes the focus from is asked again
        page.eval(PROVOKE % "'*'")
        with suppress(TimeoutError):
            page.until(lambda: acted(page) >= {p.id for p in dangerous})
            break
    assert [(p.id, p.text) for p in dangerous if p.id not in acted(page)] == []


#: Sections are made when they are opened.
OPEN_ALL = "document.querySelectorAll('.runs tr[data-run]').forEach(t => t.click())"


@pytest.mark.parametrize("half", [0, 1])
def test_no_payload_acts_in_the_report(half: int, chromium: Browser, tmp_path: Path) -> None:
    some = PAYLOADS[half::2]
    path = write(tmp_path, to_html(of(*crafted_runs(p.text for p in some)), title=some[0].text))
    for scripts in (True, False):
        page = Page(chromium, scripts=scripts).open(path)
        if scripts:
            page.eval(OPEN_ALL)
        stays_quiet(page, path)
        shown = page.eval("[...document.querySelectorAll('.runs .c-name')].map(c => c.textContent)")
        assert set(shown) == {visible(p.text) for p in some}
        assert page.eval("document.querySelectorAll('.run').length") == (len(some) if scripts else 1)
        page.close()


def test_no_payload_acts_when_its_curves_are_drawn_and_everything_is_touched(page: Page, tmp_path: Path) -> None:
    texts = [" ".join(p.text for p in group) for group in grouped(15)]
    path = write(tmp_path, to_html(of(*crafted_runs(texts))))
    page.open(path)
    page.eval("window.print = () => {}; HTMLAnchorElement.prototype.click = () => {}")
    for run in page.eval("[...document.querySelectorAll('.runs tr[data-run]')].map(t => t.dataset.run)"):
        page.eval(f"document.querySelector('.runs tr[data-run={run}]').click()")
        page.until(f"document.querySelectorAll('#{run} .curves.live').length", f"the curves of {run} are drawn")
        page.eval(PROVOKE % f"'#{run} :not([data-run], [data-act], [data-zoom], a, svg *), #{run} svg text'")
    page.eval(PROVOKE % "'.bar *, .hero :not(svg *), .runs :not(svg *), .run.on [data-act], .run.on [data-zoom]'")
    page.eval("new Promise(done => setTimeout(done, 300))")
    stays_quiet(page, path)
    page.eval("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    for width in (1280, 390):  # the overlong ones are broken, not let out
        page.size(width, 900)
        page.until(f"document.documentElement.scrollWidth <= {width}", f"the page fits into {width} px")


def test_no_payload_in_a_log_acts(page: Page, tmp_path: Path) -> None:
    d = logged_runs(tmp_path / "runs")
    assert len(d.runs) == len(grouped(4))
    path = write(tmp_path, to_html(d, title=PAYLOADS[0].text))
    page.open(path)
    page.until("document.documentElement.dataset.drawn")
    page.eval(OPEN_ALL)
    stays_quiet(page, path)
    words = page.eval(WORDS)
    texts = {p.id: p.text.encode("utf-8", "replace").decode().strip()[:40] for p in PAYLOADS}
    assert [name for name, text in texts.items() if visible(text) not in words] == []


def test_no_payload_acts_in_a_fragment_on_a_page_without_a_policy(page: Page, tmp_path: Path) -> None:
    runs = crafted_runs(" ".join(p.text for p in group) for group in grouped(10))
    parts = [to_fragment(of(r), styling="sheet") for r in runs] + [to_fragment(of(r)) for r in runs[::4]]
    parts.append(to_fragment(of(*runs), styling="sheet", title=PAYLOADS[0].text))
    path = write(tmp_path, f"<!doctype html><meta charset=utf-8><title>wiki</title>{''.join(parts)}")
    page.open(path)
    page.eval(PROVOKE % "'*'")
    stays_quiet(page, path)
