"""Who cannot see, has scripts off, prints, or reads on a phone gets the whole report all the same."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, Page, needs_chromium
from make_diagnosis import healthy_run, nan_run, of, oom_run

from curvedoc.report.html.fragment import to_fragment

pytestmark = needs_chromium

#: The file axe.min.js of axe-core; .ci/run fetches it.
AXE = Path(os.environ.get("CURVEDOC_AXE") or "axe.min.js")
needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="needs axe-core (set CURVEDOC_AXE to its axe.min.js)")
NARROW = 390
SEEN = "[...document.querySelectorAll('%s')].filter(e => e.getClientRects().length).length"

Open = Callable[..., Page]


def shown(page: Page) -> str:
    """The text that a reader sees."""
    return " ".join(page.eval("document.body.innerText").split())


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong: rule, impact, first element of each."""
    if not page.eval("!!window.axe"):
        page.eval(AXE.read_text("utf-8") + ";0")
    found: dict[str, Any] = page.eval(
        "axe.run(document, {resultTypes: ['violations']}).then(r => ({passes: r.passes.length,"
        "bad: r.violations.map(v => `${v.id} (${v.impact}) x${v.nodes.length}: ${v.nodes[0].html.slice(0, 160)}"
        " ${v.nodes[0].failureSummary}`)}))"
    )
    assert found["passes"] > 20  # it looked
    bad: list[str] = found["bad"]
    return bad


@needs_axe
@pytest.mark.parametrize(
    ("name", "ways"),
    [("failed", [("light", 1280)]), ("few", [("light", 1280), ("dark", 1280), ("light", NARROW)])],
)
def test_the_page_has_no_barrier_that_axe_knows(name: str, ways: list[tuple[str, int]], show: Open) -> None:
    page = show(name)
    page.eval("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    for scheme, width in ways:
        page.size(width, 900)
        page.media(prefers_color_scheme=scheme)
        assert violations(page) == [], (scheme, width)


def test_a_fragment_fits_its_page_and_has_no_barrier(chromium: Browser, tmp_path: Path) -> None:
    path = tmp_path / "wiki.html"
    start = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Wiki</title><main><h1>Wiki</h1>'
    path.write_text(
        start + to_fragment(of(nan_run(), oom_run(), healthy_run()), styling="sheet") + "</main></html>", "utf-8"
    )
    page = Page(chromium).open(path)
    if AXE.is_file():
        assert violations(page) == []
    for width in (768, NARROW):
        page.size(width, 900)
        assert page.eval("document.documentElement.scrollWidth") <= width
    assert page.requests == [path.as_uri()] and page.trouble == []
    page.close()


@needs_axe
def test_axe_finds_a_barrier_that_is_there(show: Open) -> None:
    page = show("one")
    page.eval("(b => { b.removeAttribute('aria-label'); b.textContent = ''; })(document.querySelector('#theme'))")
    assert any(v.startswith("button-name") for v in violations(page))


@pytest.mark.parametrize("name", ["failed", "sweep"])
def test_nothing_hangs_over_the_edge_of_the_screen(name: str, show: Open) -> None:
    page = show(name)
    page.eval("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    for width in (1280, 768, NARROW):
        page.size(width, 900)
        page.until(f"document.documentElement.scrollWidth <= {width}", f"the page fits into {width} px")
        over = page.eval(
            """[...document.querySelectorAll('main *, footer *')].filter(e => {
                const r = e.getBoundingClientRect();
                return r.width > 1 && r.height > 1 && r.right > innerWidth + 1 && !e.closest('pre, nav, svg, .sr');
            }).map(e => e.outerHTML.slice(0, 100))"""
        )
        assert over == [], width


def test_with_scripts_off_verdict_curves_causes_and_checks_are_there(show: Open) -> None:
    page = show("one", scripts=False)
    run, text = nan_run(), shown(page)
    assert run.headline.lower() in text.lower()
    assert "Scripts are off" in text
    for cause in run.causes[:2]:
        assert cause.title.lower() in text.lower()
        assert all(c.ask.lower() in text.lower() for c in cause.checks if c.answer != "no")
    for finding in run.findings:
        if not finding.explained_by:
            assert finding.title in text
    curves = page.eval(
        """[...document.querySelectorAll('.plot svg')].map(s => {
            const r = s.getBoundingClientRect(), line = s.querySelector('.mark-line path, path.mark-line');
            return [r.width, r.height, s.querySelectorAll('path').length];
        })"""
    )
    assert len(curves) >= 3
    assert all(width > 600 and height > 60 and paths > 3 for width, height, paths in curves)
    assert page.eval(SEEN % "button:not(.order button, .beside button)") == 0


def test_with_scripts_off_every_run_of_a_sweep_stands_in_the_page(show: Open) -> None:
    page = show("sweep", scripts=False)
    assert page.eval(SEEN % ".run") == 1
    assert page.eval("document.querySelectorAll('.runs td a').length") == 12
    assert page.eval(SEEN % ".runs .act") == page.eval("document.querySelectorAll('.runs .act').length") >= 4
    for anchor in page.eval("[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))"):
        assert page.eval(f"!!document.getElementById({anchor[1:]!r})"), anchor


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_paper_everything_is_unfolded_dark_on_white_and_without_controls(scheme: str, show: Open) -> None:
    page = show("one", prefers_color_scheme=scheme)
    screen = set(shown(page).split())
    page.eval("document.documentElement.dataset.print = 'all'")
    page.media("print", prefers_color_scheme=scheme)
    assert page.eval("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.eval("getComputedStyle(document.querySelector('h1')).color") == "rgb(0, 0, 0)"
    essential = (
        "h1, h2, h3, .ev li, .fix li, .q, .node .e, .fork, .plot svg, .notes li, .miss td, .found li, .log pre, "
        ".settings dd, .limits li, .fold li"
    )
    hidden = page.eval(
        f"""[...document.querySelectorAll('{essential}')]
        .filter(e => !e.getClientRects().length || !e.checkVisibility({{contentVisibilityAuto: true}}))
        .map(e => e.outerHTML.slice(0, 120))"""
    )
    assert hidden == []
    assert page.eval(SEEN % "button:not(.order button), nav, .toast") == 0
    assert page.eval(SEEN % ".box") >= 1
    controls = "'button:not(.order button), nav a, .skip, .where, .fine .how, .logo'"
    controls = page.eval(f"[...document.querySelectorAll({controls})].map(e => e.textContent).join(' ')")
    assert screen - set(shown(page).split()) - set(controls.split()) == set()


def test_on_a_screen_every_column_of_the_table_has_room(show: Open) -> None:
    page = show("sweep")
    for width in (1280, 860, 721):  # narrower ones show a list
        page.size(width, 900)
        wide = page.eval("[...document.querySelectorAll('.runs tbody tr:first-child td')].map(c => c.clientWidth)")
        assert wide[1] >= 110 and wide[2] >= 120
        page.until(f"document.documentElement.scrollWidth <= {width}")


def test_on_paper_every_column_of_the_table_has_room(show: Open) -> None:
    page = show("sweep", width=720)  # about the width of A4 within its margins
    page.eval("document.documentElement.dataset.print = 'all'")
    page.media("print")
    wide = page.eval("[...document.querySelectorAll('.runs tbody tr:first-child td')].map(c => c.clientWidth)")
    assert len(wide) == 8 and min(wide) >= 36 and wide[1] >= 100 and wide[2] >= 180
    assert page.eval("document.documentElement.scrollWidth") <= 720


def test_a_printed_page_is_a_few_sheets(show: Open) -> None:
    page = show("one")

    def sheets() -> int:
        size = {"paperWidth": 8.27, "paperHeight": 11.69}
        data = page.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True, **size)["data"]
        return base64.b64decode(data).count(b"/Type /Page\n")

    assert sheets() <= 2
    page.eval("document.documentElement.dataset.print = 'all'")
    assert 2 < sheets() <= 9
    page = show("sweep")
    assert page.eval("!!document.querySelector('#groups')") and sheets() == 1
