"""The terminal view: what stands where, that it fits, and that a name cannot steer the terminal."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make_diagnosis import EXAMPLES, HOSTILE, healthy_run, hostile_run, nan_run, of, oom_run, sweep
from rich.cells import cell_len

from curvedoc.core.diagnosis import Diagnosis, Finding, Group, RunDiagnosis, Waste
from curvedoc.pipeline import analyze
from curvedoc.report.charts.spark import blocks, cells
from curvedoc.report.summary import summarize, worst_first
from curvedoc.report.terminal.lines import Lines
from curvedoc.report.terminal.summary import to_text

ANSI = re.compile(r"\x1b\[[0-9;]*m")
SMALL = replace(nan_run(), curves=())


@pytest.fixture(scope="module", params=sorted(EXAMPLES))
def example(request: pytest.FixtureRequest) -> Diagnosis:
    return EXAMPLES[request.param]()


@pytest.mark.parametrize("width", [40, 80, 100, 160])
@pytest.mark.parametrize("verbose", [False, True])
def test_no_line_is_wider_than_the_terminal(example: Diagnosis, width: int, verbose: bool) -> None:
    for line in to_text(example, width=width, verbose=verbose).splitlines():
        assert cell_len(line) <= width, line


def test_the_verdict_comes_first() -> None:
    text = to_text(sweep(), width=100).splitlines()
    assert text[0].startswith("Three of 12 runs failed the same way: loss became NaN after a blow-up")
    assert "4 failed, 1 warning, 1 could not be judged, 6 healthy" in text[2]
    assert to_text(of(nan_run())).splitlines()[0].startswith("✕ Failed  lr3e-3-bs256-s1")


def test_a_failing_sweep_fits_a_screen_and_collapses_the_healthy() -> None:
    text = to_text(sweep(), width=100)
    assert len(text.splitlines()) <= 30
    assert "6 healthy runs not shown" in text
    assert "lr1e-3-bs256-h0" not in text
    assert "lr1e-3-bs256-h0" in to_text(sweep(), width=100, all_runs=True)


def test_a_sweep_of_two_hundred_failures_still_fits_a_screen() -> None:
    many = of(*(replace(SMALL, run=f"run-{i:03}") for i in range(200)))
    text = to_text(many, width=80)
    assert len(text.splitlines()) <= 30
    assert re.search(r"\d+ flagged runs not shown", text)
    assert text.count("run-") < len(re.findall("run-", to_text(many, width=80, all_runs=True)))


def test_one_run_shows_findings_onset_causes_with_evidence_and_the_next_check() -> None:
    run = nan_run()
    text = " ".join(to_text(of(run), width=160).split())
    for wanted in (
        run.headline,
        run.findings[0].title,
        "step 7,508 to 12,959",
        "very likely, 78 %",
        *(f"+ {e.text}" for e in run.causes[0].supports),
        *(f"− {e.text}" for e in run.causes[0].against),
        run.next_action.text if run.next_action else "",
    ):
        assert wanted in text


def test_a_healthy_run_is_said_to_be_healthy_without_a_list_of_worries() -> None:
    text = to_text(of(healthy_run()))
    assert "✓ Healthy" in text
    for word in ("cause", "Do this first", "Not logged", "✕", "▲"):
        assert word not in text


def test_what_explains_a_notice_is_no_worry_of_a_healthy_run() -> None:
    run = replace(nan_run(), verdict="healthy", findings=nan_run().findings[2:], headline="No problem found.")
    text = to_text(of(run))
    assert "Loss spike, recovered" in text or "also seen" in text
    assert "cause" not in text and "Do this first" not in text
    assert "learning rate" not in to_text(of(run, run), all_runs=True)


def test_a_step_that_is_not_known_is_not_shown_as_minus_one() -> None:
    finding = replace(nan_run().findings[0], first_step=-1, last_step=-1)
    run = replace(SMALL, findings=(finding,), cost=Waste(-1), headline="It broke.")
    assert "-1" not in to_text(of(run)) and "-1" not in to_text(of(run, run))


def test_a_small_group_does_not_speak_for_all() -> None:
    small = [replace(SMALL, run=f"run-{i}") for i in range(9)]
    group = Group("A", ("nan-after-blowup", "lr-too-high"), ("run-0", "run-1"), "run-0")
    head = summarize(of(*small, groups=(group,)))
    assert head.headline == "All nine runs failed."
    assert head.details[0].startswith("Two of 9 runs failed the same way")


def test_below_half_the_heading_promises_only_possible_causes() -> None:
    text = to_text(of(oom_run()))
    assert "Possible causes" in text and "Likely causes" not in text
    assert "possible, 46 %" in text


def test_the_headline_of_a_group_asserts_no_cause_below_half() -> None:
    runs = tuple(replace(r, causes=(replace(r.causes[0], probability=0.4),)) if r.causes else r for r in sweep().runs)
    assert "learning rate" not in summarize(replace(sweep(), runs=runs)).headline


def test_a_crafted_name_cannot_steer_the_terminal(example: Diagnosis) -> None:
    for verbose in (False, True):
        text = ANSI.sub("", to_text(example, color=True, verbose=verbose, all_runs=True))
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]", text)


def test_markup_in_a_name_is_shown_and_not_obeyed() -> None:
    assert "[red]" in to_text(of(replace(SMALL, run="a[red]b")), color=True)


def test_color_changes_nothing_but_color(example: Diagnosis) -> None:
    assert ANSI.sub("", to_text(example, color=True)) == to_text(example) or example.runs == ()
    assert "\x1b[" not in to_text(example)


def test_ascii_is_ascii(example: Diagnosis) -> None:
    for width in (40, 100):
        text = to_text(example, ascii_only=True, width=width)
        text.encode("ascii")
        assert max((len(line) for line in text.splitlines()), default=0) <= width


def test_a_dead_stretch_is_dotted_and_a_spike_survives_the_thinning() -> None:
    run = nan_run()
    line = blocks(run.curves[0], 40, run.curves[0].step[-1])
    assert line.endswith("·······") and len(line) == 40
    spike = 40 * 5180 // 12_960
    assert max(line[spike - 1 : spike + 2]) > line[spike - 3]


def test_the_worst_run_comes_first_and_groups_stay_together() -> None:
    order = [r.run for r in worst_first(sweep())]
    assert order[:4] == ["lr3e-3-bs256-s1", "lr2e-3-bs128-s1", "lr3e-3-bs256-s2", "lr1e-3-bs256-s3"]
    assert order[4:6] == ["lr1e-3-wd0-s1", "old/stdout-only"]


def test_the_order_of_the_input_does_not_matter() -> None:
    d = sweep()
    assert to_text(replace(d, runs=d.runs[::-1])) == to_text(d)


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=90), st.text(max_size=300), st.integers(40, 130), st.booleans())
def test_any_name_and_headline_keep_the_layout(name: str, headline: str, width: int, ascii_only: bool) -> None:
    odd: RunDiagnosis = replace(SMALL, run=name, headline=headline)
    for d in (of(odd), of(odd, SMALL)):
        for line in to_text(d, width=width, ascii_only=ascii_only).splitlines():
            assert cell_len(line) <= width


def test_a_curve_without_any_finite_value_is_drawn_as_dots() -> None:
    curve = nan_run().curves[0]
    nan = tuple(float("nan") for _ in curve.mean)
    assert set(blocks(replace(curve, mean=nan, low=nan, high=nan), 10, curve.step[-1])) == {"·"}
    assert cells(replace(curve, step=(), mean=(), low=(), high=()), 10, 5) == ()


def test_hostile_text_is_spelled_out() -> None:
    text = to_text(of(hostile_run()), verbose=True, width=200)
    assert "\\u202egnp" in text and "\\u001b[31m" in text
    assert HOSTILE not in text


def _corpus_like(n: int) -> Diagnosis:
    calm = [healthy_run(f"calm-{i}") for i in range(n)]
    return of(*(replace(nan_run(), run=f"failed-{i}") for i in range(n)), *calm)


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_a_failing_sweep_takes_one_screen_at_any_width(width: int) -> None:
    text = to_text(_corpus_like(60), width=width)
    assert len(text.splitlines()) <= 30
    assert "60 healthy" in text and "failed-0" in text and "calm-" not in text


def test_a_narrow_terminal_keeps_the_onset_and_gives_up_the_rest() -> None:
    head = {
        w: next(x for x in to_text(_corpus_like(3), width=w).splitlines() if "finding" in x) for w in (40, 60, 80, 200)
    }
    assert "onset" in head[40] and "last" not in head[40]
    assert "last" in head[60] and "lost" not in head[60]
    assert "lost" in head[80] and "loss" not in head[80]
    assert "loss" in head[200] and len(head[200]) < 150  # no wider than what it holds


def test_gaps_and_what_the_headline_says_are_not_seen_twice() -> None:
    gap = Finding("missing-signal", "A signal was not logged", "gap", "note", 1.0, None, None, None)
    notice = Finding("truncated-log", "A log file is cut off", "notice", "note", 1.0, None, None, None)
    base = healthy_run()
    run = replace(base, findings=(gap, notice), headline="No problem found. Worth knowing: a log file is cut off.")
    assert "also seen" not in to_text(of(run))
    other = replace(notice, symptom="step-rewind", title="The step counter goes back")
    assert "also seen: the step counter goes back\n" in to_text(of(replace(run, findings=(gap, notice, other))))


def test_the_last_value_is_the_logged_one_and_not_the_mean_of_a_bucket() -> None:
    run = healthy_run()
    signals = tuple(replace(s, last_value=1.2345) if s.role == "loss" else s for s in run.signals)
    assert "→ 1.23," in to_text(of(replace(run, signals=signals)))


def test_a_name_of_wide_letters_keeps_its_end_and_its_columns() -> None:
    lines = Lines(80)
    for end in ("07", "08"):
        shown = lines.fit(f"训练-运行-实验-{end}", 16)
        assert cell_len(shown) == 16 and "…" in shown and shown.rstrip().endswith(end)
    assert cell_len(lines.fit("训练运行实验训练运行实验", 9, end=True)) == 9


def test_of_several_trainings_in_one_log_the_last_that_failed_is_told_or_the_last(tmp_path: Path) -> None:
    def rows(lost: bool) -> str:
        values = [2.3 * 0.9**e + 0.01 * (e % 3) for e in range(1, 31)]
        told = ["nan" if lost and e > 12 else f"{v:.4f}" for e, v in enumerate(values, 1)]
        return "".join(f"Epoch {e}/30 loss: {v}\n" for e, v in enumerate(told, 1))

    log = tmp_path / "train.log"
    log.write_text("".join(f"Namespace(lr={lr}, epochs=30)\n{rows(lr > 0.05)}" for lr in (0.1, 0.2, 0.01)))
    told = to_text(analyze([log]))
    assert "trainings in this log" in told and "Told here: number 2, the last that failed." in " ".join(told.split())
    log.write_text("".join(f"Namespace(lr={lr}, epochs=30)\n{rows(False)}" for lr in (0.1, 0.2, 0.01)))
    told = " ".join(to_text(analyze([log])).split())
    assert "The last (number 3): by epoch 30 the loss went from" in told and "::3 Evaluate" in told


def test_no_finding_of_the_table_is_cut_in_the_middle() -> None:
    """Every row has the id of its finding: ids beside parts of sentences read as prose, and dots leave one to guess."""
    titles = {
        "overfitting": "Mild overfitting: validation was best, 0.54, at epoch 2 and ended at 0.56",
        "stuck-at-chance": "The model does no better than guessing among 10 classes, at about 2.3",
    }
    base = nan_run()
    runs = [
        replace(base, run=f"r{i}", findings=(replace(base.findings[0], symptom=symptom, title=title),))
        for i, (symptom, title) in enumerate(titles.items())
    ]
    rows = [line for line in to_text(of(*runs), width=72).splitlines() if re.match(r"\S  r\d", line)]
    assert len(rows) == 2 and not any("…" in row for row in rows)
    assert "overfitting " in rows[0] and "stuck-at-chance " in rows[1] and "Mild" not in rows[0]
