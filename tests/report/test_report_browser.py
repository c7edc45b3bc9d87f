"""The HTML report in a real browser: it opens from disk, asks for nothing, and does what a reader asks of it."""

from __future__ import annotations

import base64
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import pytest
from browser import Browser, Page, needs_chromium
from make_diagnosis import nan_run

pytestmark = needs_chromium

RUN_BYTES, SWEEP_BYTES = 1_500_000, 4_000_000

Open = Callable[..., Page]
#: Of each panel the first and last upright line of the grid, in pixels, and how many there are.
TICKS = """[...document.querySelectorAll('.js .run.on .plot, html:not(.js) .plot')].map(p => {
    const at = [...p.querySelectorAll('svg line')].map(l => l.getBoundingClientRect())
        .filter(r => r.height > 60 && r.width < 2).map(r => Math.round(r.x));
    return [Math.min(...at), Math.max(...at), at.length];
})"""


def window(page: Page) -> list[int]:
    """The steps between which the chosen run's curves are drawn, as the page states them in its address."""
    text: str | None = page.eval("new URLSearchParams(location.hash.slice(1)).get('x')")
    return [int(x) for x in text.split("-")] if text else []


def ticks(page: Page) -> list[list[float]]:
    """First and last tick of the x axis grid of each drawn panel, in pixels: equal in all panels that are linked."""
    return page.eval(TICKS)  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", ["failed", "healthy", "fifty"])
def test_a_page_opened_from_disk_draws_its_curves_and_asks_for_nothing(
    name: str, show: Open, file: Callable[[str], Path]
) -> None:
    page = show(name)
    page.eval("new Promise(done => setTimeout(done, 200))")
    assert page.requests == [file(name).as_uri()]
    assert page.eval("document.querySelectorAll('.run.on .plot svg').length") >= 1
    ready = page.eval("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    print(f"{name}: usable after {ready:.0f} ms")


@pytest.mark.parametrize(("name", "most"), [("failed", RUN_BYTES), ("one", RUN_BYTES), ("fifty", SWEEP_BYTES)])
def test_a_page_is_light_enough_to_be_sent(name: str, most: int, file: Callable[[str], Path]) -> None:
    assert file(name).stat().st_size < most


def test_zooming_moves_all_panels_together_and_the_whole_run_comes_back(show: Open) -> None:
    page = show("one")
    whole = ticks(page)
    assert len(whole) >= 3 and all(t == whole[0] for t in whole)
    page.click(".run.on [data-act=onset]")
    page.until("!document.querySelector('.run.on [data-act=reset]').disabled")
    near = ticks(page)
    assert near != whole and all(t == near[0] for t in near)
    first, last = window(page)
    assert 0 < first < last
    page.click(".run.on [data-act=reset]")
    page.until("document.querySelector('.run.on [data-act=reset]').disabled")
    assert ticks(page) == whole and window(page) == []


def test_markers_at_the_first_and_the_last_step_leave_the_panels_aligned(show: Open) -> None:
    page = show("edges")
    drawn = ticks(page)
    assert len(drawn) >= 3 and all(t == drawn[0] for t in drawn)
    left, right = page.eval(
        "(r => [r.left, r.right])(document.querySelector('.run.on .stack').getBoundingClientRect())"
    )
    buttons = "[...document.querySelectorAll('.run.on .flags button')]"
    badges = page.eval(buttons + ".map(b => b.getBoundingClientRect()).map(r => [r.x, r.right])")
    assert len(badges) == 3
    assert left <= badges[0][0] and badges[-1][1] <= right
    assert all(a[1] <= b[0] + 1 for a, b in pairwise(badges))
    still = show("edges", scripts=False)
    assert len({tuple(t) for t in still.eval(TICKS)}) == 1


@pytest.mark.parametrize("scripts", [True, False])
def test_a_finite_value_between_two_that_are_not_is_drawn(scripts: bool, show: Open) -> None:
    page = show("lone", scripts=scripts)
    dots = "[...p.querySelectorAll('path[fill*=s-]')].flatMap(d => d.getAttribute('d').match(/M/g)).length"
    counted = f"[...document.querySelectorAll('.plot')].map(p => {dots})"
    assert page.eval(counted) == [0, 4]  # the value at step 200 ends a line


def test_dragging_over_a_panel_zooms_to_what_was_dragged_over(show: Open) -> None:
    page = show("one")
    page.eval("document.querySelector('.run.on .stack').scrollIntoView({block: 'center', behavior: 'instant'})")
    x, y, w = page.eval("(r => [r.x, r.y, r.width])(document.querySelector('.run.on .plot').getBoundingClientRect())")
    page.mouse("Pressed", x + w * 0.4, y + 60, button="left", clickCount=1)
    page.mouse("Moved", x + w * 0.5, y + 60, button="left", buttons=1)
    assert page.eval("document.querySelector('.run.on .brush').getBoundingClientRect().width") == pytest.approx(
        w / 10, abs=2
    )
    page.mouse("Moved", x + w * 0.6, y + 60, button="left", buttons=1)
    page.mouse("Released", x + w * 0.6, y + 60, button="left", clickCount=1)
    page.until("location.hash.includes('x=')")
    first, last = window(page)
    end = max(s for c in nan_run().curves for s in c.step)
    assert (last - first) / end == pytest.approx(0.2 * w / (w - 60), rel=0.1)


def test_the_cross_hair_reads_every_panel_at_one_step(show: Open) -> None:
    page = show("one")
    page.eval("document.querySelector('.run.on .stack').scrollIntoView({block: 'center', behavior: 'instant'})")
    x, y, w = page.eval("(r => [r.x, r.y, r.width])(document.querySelector('.run.on .plot').getBoundingClientRect())")
    page.mouse("Moved", x + w * 0.3, y + 40)
    shown = page.eval("[...document.querySelectorAll('.run.on output')].map(o => o.textContent)")
    assert len(shown) >= 3 and all(shown)
    label = page.eval("document.querySelector('.run.on .xlab').textContent")
    assert label.startswith("step ")
    assert page.eval("getComputedStyle(document.querySelector('.run.on .xh')).display") == "block"


def test_the_curves_are_read_with_the_keyboard_alone(show: Open) -> None:
    page = show("one")
    for _ in range(60):  # as a reader would: Tab until the curves have the focus
        page.key("Tab")
        if page.eval("document.activeElement.classList.contains('stack')"):
            break
    assert page.eval("document.activeElement.matches('.run.on .stack')")
    page.key("ArrowRight")
    said = page.eval("document.querySelector('.run.on .say').textContent")
    assert said.startswith("step ") and "Loss: train " in said and "train/grad_norm " in said
    page.key("]")
    assert page.eval("document.querySelector('.run.on .say').textContent") != said
    page.key("+")
    page.until("location.hash.includes('x=')")
    page.key("0")
    page.until("!location.hash.includes('x=')")


def test_every_control_is_reached_by_tab_and_shows_that_it_has_the_focus(show: Open) -> None:
    page = show("few")
    page.eval("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    want = page.eval(
        """[...document.querySelectorAll('a[href], button, input, summary, [tabindex="0"]')]
        .filter(e => e.getClientRects().length && !e.disabled && (e.type !== 'radio')).length"""
    )
    seen, bare = 0, []
    for _ in range(want + 80):
        page.key("Tab")
        seen, bad = page.eval(
            """(() => {
                const e = document.activeElement, all = window.seen ??= new Set();
                if (e === document.body) return [all.size, ''];
                if (e.type !== 'radio') all.add(e);
                const s = getComputedStyle(e), l = e.closest('label') ? getComputedStyle(e.closest('label')) : s;
                const ring = [s, l].some(c => c.outlineStyle !== 'none' && parseFloat(c.outlineWidth) >= 1.5);
                return [all.size, ring ? '' : e.outerHTML.slice(0, 90)];
            })()"""
        )
        bare += [bad] if bad else []
        if seen >= want:
            break
    assert seen >= want
    assert bare == []


def test_a_run_is_chosen_from_the_table_and_from_its_group(show: Open) -> None:
    page = show("sweep")
    first = page.eval("document.querySelector('.run.on').id")
    page.click('.runs tbody tr[data-run="r4"] .c-why')
    assert page.eval("[...document.querySelectorAll('.run.on')].map(r => r.id)") == ["r4"] != [first]
    assert page.eval("document.querySelector('[aria-selected=true]').dataset.run") == "r4"
    page.until("document.querySelectorAll('#r4 .plot svg').length")
    page.click(".group a[data-run]")
    head = page.eval("document.querySelector('.group a[data-run]').dataset.run")
    assert page.eval("document.querySelector('.run.on').id") == head != "r4"
    page.eval("document.querySelector('.runs tr[data-run=r5] a').focus()")
    page.key("Enter")
    page.until("document.querySelector('.run.on').id === 'r5'")


def test_an_address_with_run_and_window_opens_there_and_follows_what_is_done(show: Open) -> None:
    name = "lr2e-3-bs128-s1"
    page = show("sweep", f"#run={quote(name)}&x=9000-12000")
    assert page.eval("document.querySelector('.run.on .runhead h2').textContent") == name
    page.until("!document.querySelector('.run.on [data-act=reset]').disabled", "the window is taken over")
    assert page.eval("document.querySelector('.run.on .where').textContent").startswith("Steps 9,000 to 12,000")
    page.click(".run.on [data-act=onset]")
    page.until("!location.hash.includes('x=9000-12000')")
    assert window(page)[0] != 9000
    assert page.eval("new URLSearchParams(location.hash.slice(1)).get('run')") == name
    page.eval("location.hash = 'r1'")
    page.until("document.querySelector('.run.on').id === 'r1'")


def test_the_table_is_filtered_searched_and_sorted(show: Open) -> None:
    page = show("sweep")
    rows = "[...document.querySelectorAll('.runs tbody tr')].filter(t => t.getClientRects().length)"
    assert page.eval(rows + ".length") == 12
    page.click('.filters [data-f="fail"]')
    assert page.eval(rows + ".map(t => t.dataset.state)") == ["fail"] * 4
    assert page.eval("document.querySelector('#count').textContent") == "4 shown"
    page.click('.filters [data-f="all"]')
    page.click("#find")
    for letter in "OUT OF":
        page.key(letter)
    assert page.eval(rows + ".map(t => t.querySelector('.c-name').textContent)") == ["lr1e-3-bs256-s3"]
    page.eval("document.querySelector('#find').value = ''; document.querySelector('#find').oninput()")
    column = rows + ".map(t => t.querySelector('.c-on').dataset.v)"
    worst_first = page.eval(column)
    page.click(".runs th:nth-child(6) button")
    up = page.eval(column)
    page.click(".runs th:nth-child(6) button")
    down = page.eval(column)
    numbers = sorted(int(v) for v in worst_first if v)
    blank = [""] * (12 - len(numbers))
    assert up == [*map(str, numbers), *blank] and down == [*map(str, reversed(numbers)), *blank]
    page.click(".runs th:nth-child(1) button")
    assert page.eval(column) == worst_first


def test_what_is_filtered_and_sorted_is_in_the_address_and_comes_back(show: Open) -> None:
    page = show("sweep")
    rows = "[...document.querySelectorAll('.runs tbody tr')].filter(t => t.getClientRects().length)"
    page.click(".group [data-g]")
    letter = page.eval("document.querySelector('.group').dataset.name")
    members = page.eval(rows + ".map(t => t.dataset.group)")
    assert members and set(members) == {letter}
    page.click(".runs th:nth-child(8) button")
    lost = page.eval(rows + ".map(t => t.querySelector('.c-wa').dataset.v)")
    assert [float(v) for v in lost if v] == sorted((float(v) for v in lost if v), reverse=True)
    assert lost == sorted(lost, key=lambda v: v == "")  # blanks last
    address = page.eval("location.hash")
    again = show("sweep", address)
    assert again.eval(rows + ".map(t => t.dataset.run)") == page.eval(rows + ".map(t => t.dataset.run)")
    again.eval("location.hash = '#q=memory'")
    again.until(rows + ".length === 1")
    assert again.eval("document.querySelector('#find').value") == "memory"


def test_a_section_is_made_when_its_run_is_opened(show: Open) -> None:
    page = show("fifty")
    assert page.eval("document.querySelectorAll('.run').length") == 1
    assert page.eval("document.querySelectorAll('*').length") < 8000
    page.click('.runs tbody tr[data-run="r7"] .c-why')
    page.until("document.querySelectorAll('#r7 .plot svg').length")
    assert page.eval("document.querySelectorAll('.run').length") == 2
    page.click("#r7 .forks label")
    page.click("#md")


def test_the_script_labels_axes_as_the_baked_pictures_do(show: Open) -> None:
    live, still = show("failed"), show("failed", scripts=False)
    texts = (
        "[...document.querySelectorAll('.plot svg')].map(s => [...s.querySelectorAll('text')].map(t => t.textContent))"
    )
    for drawn, baked in zip(live.eval(texts), still.eval(texts), strict=True):
        assert [t for t in drawn if t in baked] and set(drawn) ^ set(baked) <= {t for t in (*drawn, *baked) if " " in t}


def test_why_a_run_died_which_fixes_a_sweep_needs_and_a_postmortem_on_paper(show: Open) -> None:
    page = show("failed")
    told = page.eval("document.querySelector('h1').textContent + document.querySelector('.dothis').textContent")
    assert "NaN" in told and "learning rate" in told and "instead of 0.8" in told
    assert page.eval("document.querySelector('h1').getBoundingClientRect().top") < 300
    sweep = show("sweep")
    group = sweep.eval("document.querySelector('.group').textContent")
    assert "First, in lr3e-3" in group and "runs" in group
    sweep.click(".group [data-g]")
    assert sweep.eval("document.querySelector('#count').textContent").endswith(" shown")
    data = page.call(
        "Page.printToPDF", printBackground=True, preferCSSPageSize=True, paperWidth=8.27, paperHeight=11.69
    )
    assert base64.b64decode(data["data"]).count(b"/Type /Page\n") <= 2


def test_a_long_table_shows_its_worst_runs_until_asked_for_all(show: Open) -> None:
    page = show("fifty")
    rows = "[...document.querySelectorAll('.runs tbody tr')].filter(t => t.getClientRects().length).length"
    assert page.eval(rows) == 15
    page.click('.filters [data-f="ok"]')
    assert page.eval(rows) == 20
    page.click('.filters [data-f="all"]')
    assert page.eval(rows) == 15
    page.eval("document.documentElement.dataset.print = 'all'")
    page.media("print")
    assert page.eval(rows) == 50
    page.media()
    page.click(".btn.more")
    assert page.eval(rows) == 50 and page.eval("document.querySelector('.btn.more')") is None
    assert page.eval("document.activeElement.closest('tr') === document.querySelectorAll('.runs tbody tr')[15]")


def test_the_theme_is_kept(show: Open) -> None:
    page = show("one")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.eval(ground)
    page.click("#theme")
    page.click("#theme")
    assert page.eval("document.documentElement.dataset.theme") == "dark"
    dark = page.eval(ground)
    assert dark != light
    page.open(page.eval("location.href.split('#')[0]"))
    assert page.eval(ground) == dark
    page.click("#theme")
    assert page.eval(ground) == light


def test_a_page_without_storage_and_address_works_all_the_same(chromium: Browser, file: Callable[[str], Path]) -> None:
    """As in a frame that is kept apart, where a file is shown by a site that hosts what a job made."""
    page = Page(chromium)
    page.serve("http://artifact.invalid/", file("failed"), {"Content-Security-Policy": "sandbox allow-scripts"})
    page.until("document.documentElement.dataset.drawn")
    with pytest.raises(RuntimeError, match="SecurityError"):
        page.eval("localStorage.length")
    page.click(".run.on [data-act=onset]")
    page.until("!document.querySelector('.run.on [data-act=reset]').disabled")
    page.click("#theme")
    assert page.eval("document.documentElement.dataset.theme") == "light"
    page.click(".run.on .forks label:has([value=no])")
    assert page.trouble == [] and page.requests == ["http://artifact.invalid/"]
    page.close()


def test_answers_are_kept_and_go_into_the_copied_markdown(show: Open) -> None:
    page = show("one")
    box = ".run.on .forks input[value=no]"
    page.eval("navigator.clipboard.writeText = t => { window.copied = t; return Promise.resolve(); }")
    page.click(".run.on .forks label:has([value=no])")
    assert page.eval(f"document.querySelector('{box}').checked")
    asked = page.eval(f"document.querySelector('{box}').closest('.forks').dataset.ask")
    page.click("#md")
    copied = page.until("window.copied")
    assert "lr3e-3-bs256-s1" in copied.splitlines()[0]
    assert f"- {asked} checked: **no**" in copied
    page.open(page.eval("location.href"))
    assert page.eval(f"document.querySelector('{box}').checked")


def test_markdown_is_copied_where_the_clipboard_is_refused(show: Open) -> None:
    page = show("one")
    page.eval("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))")
    page.eval("document.addEventListener('copy', () => { window.copied = String(document.activeElement.value); })")
    page.click("#md")
    assert len(page.until("window.copied")) > 200
    assert page.eval("document.querySelector('#toast').classList.contains('on')")
    assert page.eval("document.querySelector('textarea')") is None


def test_evidence_shows_where_it_is_on_the_curves(show: Open) -> None:
    page = show("one")
    buttons = page.eval("document.querySelectorAll('.run.on [data-zoom]').length")
    assert buttons >= 2
    for i in range(buttons):
        page.eval("document.querySelector('.run.on [data-act=reset]').click()")
        page.until("!location.hash.includes('x=')")
        page.eval("scrollTo({top: 1e6, behavior: 'instant'})")
        want = page.eval(f"document.querySelectorAll('.run.on [data-zoom]')[{i}].dataset.zoom")
        page.eval(f"document.querySelectorAll('.run.on [data-zoom]')[{i}].click()")
        page.until(f"location.hash.includes('x={want}')")
        shade = page.until(
            """(s => s.offsetWidth > 2 && [s.offsetLeft, s.offsetLeft + s.offsetWidth, s.parentElement.clientWidth])
            (document.querySelector('.run.on .spot'))"""
        )
        assert 40 <= shade[0] < shade[1] <= shade[2]  # inside the panels
        page.until(
            "(r => r.bottom > 0 && r.top < innerHeight / 2)"
            "(document.querySelector('.run.on .stack').getBoundingClientRect())"
        )


def test_each_event_of_the_order_leads_to_its_step(show: Open) -> None:
    page = show("failed")
    steps = page.eval("[...document.querySelectorAll('.run.on [data-step]')].map(b => Number(b.dataset.step))")
    assert len(steps) >= 2
    for i, step in enumerate(steps):
        page.eval(f"document.querySelectorAll('.run.on [data-step]')[{i}].click()")
        first, last = window(page)
        assert first <= step <= last
        page.until("document.querySelector('.run.on .spot').offsetWidth > 2")


def test_the_panels_are_saved_as_one_png(show: Open) -> None:
    page = show("one")
    page.eval("HTMLAnchorElement.prototype.click = function () { window.saved = [this.download, this.href]; }")
    page.click(".run.on [data-act=png]")
    name, data = page.until("window.saved")
    assert name.endswith(".png") and data.startswith("data:image/png;base64,") and len(data) > 10_000


def test_an_answer_re_ranks_the_causes_and_changes_headline_and_next_step(show: Open) -> None:
    page = show("one")
    rank = "[...document.querySelectorAll('.run.on li.cause')].map(li => li.dataset.cause)"
    before, headline, action = page.eval(rank), page.eval("document.querySelector('h1').textContent"), None
    first = before[0]
    box = f".run.on .forks[data-cause='{first}']:not([data-no='confirmed'])"
    assert page.eval(f"!!document.querySelector(`{box}`)"), "a No speaks against the likeliest cause"
    action = page.eval("document.querySelector('.dothis .ask').textContent")
    page.eval("navigator.clipboard.writeText = t => { window.copied = t; return Promise.resolve(); }")
    page.click(f"{box} label:has([value=no])")
    after = page.eval(rank)
    assert sorted(after) == sorted(before) and after[0] != first
    told = page.eval("document.querySelector('h1').textContent")
    assert told != headline and "After your checks:" in told
    assert page.eval("document.querySelector('.dothis .ask').textContent") != action
    # the tile, the first bar and the next check are about the cause that the headline names
    tile = page.eval("document.querySelector('[data-tile=cause] .which').textContent")
    title = page.eval("document.querySelector('.run.on li.cause h3').textContent").partition(". ")[2]
    assert tile == title and title.lower() in told.lower()
    share = page.eval("document.querySelector('[data-tile=cause] .fig').textContent")
    assert share in told and share in page.eval("document.querySelector('.run.on .prob span').textContent")
    asked = page.eval("[...document.querySelectorAll('.run.on .node.next .forks')].map(f => f.dataset.cause)")
    assert asked == after[:1]
    assert "Likeliest cause" not in page.eval("document.querySelector('h1').textContent")
    page.click("#md")
    copied = page.until("window.copied")
    assert "checked: **no**" in copied and copied.splitlines()[2] == told
    assert f"- {title}: {share}" in copied
    # taken back, the page stands as it was written
    page.click(f"{box} label:has([value=no])")
    assert page.eval(rank) == before
    assert page.eval("document.querySelector('h1').textContent") == headline
    assert page.eval("document.querySelector('.dothis .ask').textContent") == action


def test_a_link_to_a_run_without_a_section_says_so_and_shows_its_row(show: Open) -> None:
    page = show("hundred")
    runs = page.eval("[...document.querySelectorAll('.runs tbody tr:not([data-run]) .name')].map(e => e.textContent)")
    assert runs
    page.eval(f"location.hash = '#run={quote(runs[0])}'")
    said = page.until("!document.querySelector('#sought').hidden && document.querySelector('#sought').textContent")
    assert runs[0] in said and "no section" in said
    shown = "[...document.querySelectorAll('.runs tbody tr:not([hidden]) .name')].map(e => e.textContent)"
    assert page.eval(shown) == [runs[0]]
    page.eval("location.hash = '#run=nobody'")
    page.until("document.querySelector('#sought').textContent.includes('no run called nobody')")


def test_a_run_that_is_told_as_text_is_opened_without_curves(show: Open) -> None:
    page = show("hundred")
    told = page.eval(
        "[...document.querySelectorAll('template')].find(t => !t.content.querySelector('.curves')).dataset.section"
    )
    page.eval(f"document.querySelector('#at-{told} a').click()")
    assert page.eval("document.querySelector('.run.on').id") == told
    assert page.eval("!!document.querySelector('.run.on .act')") and page.trouble == []
