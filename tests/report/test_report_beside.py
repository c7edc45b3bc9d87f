"""A run beside another, and the runs of a group over each other: the right neighbor, the right step, any curve."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make_diagnosis import curve, healthy_run, nan_run, of, sweep

from curvedoc.core.diagnosis import Contrast, Diagnosis, Differing, Group, Nearest
from curvedoc.report.charts.first_difference import parting
from curvedoc.report.charts.overlay import HEIGHT, WIDTH, overlay
from curvedoc.report.charts.panels import picture
from curvedoc.report.html.neighbor import references, with_sections
from curvedoc.report.html.page import to_html
from curvedoc.report.inbox import covers, inbox, lost_unit
from curvedoc.triage.text import to_text

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("at", [50, 120, 180])
def test_curves_part_where_they_go_other_ways_for_good(at: int) -> None:
    steps = list(range(200))
    base = 2 * np.exp(-np.arange(200) / 80)
    a = base + 0.01 * RNG.standard_normal(200)
    b = base + 0.01 * RNG.standard_normal(200)
    b[at:] += 0.5 + 0.02 * np.arange(200 - at)
    found = parting(curve("loss", "loss", steps, a), curve("loss", "loss", steps, b))
    assert found is not None and abs(found - at) <= 2
    assert parting(curve("loss", "loss", steps, a), curve("loss", "loss", steps, a)) is None


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=40))
def test_no_curve_is_too_strange_to_be_compared_or_laid_over_others(values: list[float]) -> None:
    c = curve("loss", "loss", range(len(values)), values)
    at = parting(c, curve("loss", "loss", range(60), [1.0 + i / 60 for i in range(60)]))
    assert at is None or 0 <= at < len(values)
    run = replace(nan_run(), curves=(c,))
    made = overlay(run, (run, healthy_run()))
    if made is not None:
        numbers = [float(v) for v in made.main.replace("M", " ").replace("L", " ").replace(",", " ").split()]
        assert all(0 <= x <= WIDTH for x in numbers[::2]) and all(0 <= y <= HEIGHT for y in numbers[1::2])


def test_the_neighbor_that_the_text_names_is_the_one_that_is_drawn() -> None:
    far, near = healthy_run("a-first"), healthy_run("named", seed=2)
    run = replace(
        nan_run(), nearest=Nearest("named", (Differing("lr", 0.3, 0.03),), "differs from healthy named in: lr")
    )
    runs = (run, far, near)
    found = references(runs, tuple(picture(r) for r in runs), {})
    assert found[run.run].run == "named" and found[run.run].settings == ("lr 0.3, there 0.03",)
    assert set(found) == {run.run}
    page = to_html(of(*runs), baked=0)
    assert "lr 0.3, there 0.03" in page and "Beside healthy run" in page


def test_of_many_runs_the_neighbors_of_failed_ones_have_a_section() -> None:
    calm = [healthy_run(f"calm-{i:02}") for i in range(60)]
    run = replace(nan_run(), nearest=Nearest("calm-59", (), "same"))
    chosen = with_sections((run, *calm), 300)
    assert run in chosen and calm[59] in chosen and len(chosen) == 13
    assert len(with_sections((run, *calm), 10)) == 10


def tree() -> Diagnosis:
    """Twelve failed runs in three groups, and four healthy ones."""
    runs = [replace(nan_run(), run=f"run-{i:02}") for i in range(12)]
    names = [r.run for r in runs]
    contrast = Contrast(
        "lr", "5 of 5 runs with lr of 0.3 or more went this way, 0 of 11 with less did", 0.001, (5, 5), (0, 11)
    )
    groups = tuple(
        Group(
            letter,
            ("nan-after-blowup", "lr-too-high"),
            tuple(members),
            members[0],
            (contrast,) if letter == "A" else (),
        )
        for letter, members in (("A", names[:5]), ("B", names[5:9]), ("C", names[9:]))
    )
    return replace(of(*runs, *(healthy_run(f"calm-{i}") for i in range(4))), groups=groups)


def test_a_few_fixes_cover_what_failed_and_each_says_what_to_do() -> None:
    d = tree()
    made = inbox(d)
    assert [g.group.name for g in made] == ["A", "B", "C"] and [len(g.runs) for g in made] == [5, 4, 3]
    assert covers(d, made) == "One fix covers all 12 failed runs"
    assert lost_unit(d.runs) in ("hours", "steps")
    text = to_text(d, width=100)
    assert text.splitlines()[0] == "One fix covers all 12 failed runs."
    assert "First, in " in text and "5 of 5 runs with lr of 0.3 or more" in text
    page = to_html(d, baked=0)
    assert "One fix covers all 12 failed runs." in page and page.count('class="group"') == 3


@pytest.mark.parametrize("width", [60, 72, 80, 100, 140])
def test_no_number_of_the_table_is_cut_at_any_width(width: int) -> None:
    lines = to_text(sweep(), width=width).splitlines()
    head = next(i for i, line in enumerate(lines) if line.lstrip().startswith("run "))
    assert max(map(len, lines)) <= width
    for line in lines[head + 1 :]:
        if line[:1] in "✕▲■":
            assert not line.rstrip().endswith(("…", "..."))


def test_a_group_is_drawn_over_the_length_of_its_representative() -> None:
    """Beside a run thirty times as long nothing would be seen of it; labels at both ends differ."""
    falls = curve("loss", "loss", range(40), [1.673 - i / 1e5 for i in range(40)])
    short = replace(healthy_run("short"), curves=(falls,))
    long = replace(healthy_run("long"), curves=(curve("loss", "loss", range(1200), [2.0] * 1200),))
    made = overlay(short, (short, long))
    assert made is not None and made.end == "step 39" and made.top != made.bottom
    xs = [float(v) for v in made.main.replace("M", " ").replace("L", " ").replace(",", " ").split()[::2]]
    assert max(xs) - min(xs) > WIDTH / 2


def test_groups_of_one_fault_are_told_apart_by_their_causes() -> None:
    first, other = nan_run("a"), nan_run("c")
    other = replace(other, causes=(replace(other.causes[1], probability=0.9), *other.causes[2:]))
    runs = (first, replace(first, run="b"), other, replace(other, run="d"))
    groups = tuple(
        Group(name, (r.findings[0].symptom, r.causes[0].cause), (r.run, chr(ord(r.run) + 1)), r.run)
        for name, r in (("A", first), ("B", other))
    )
    made = inbox(replace(of(*runs), groups=groups))
    assert len({g.what for g in made}) == 2
    assert all(g.names_cause and g.why.startswith("very likely") for g in made)
