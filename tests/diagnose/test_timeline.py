"""The timeline: which channel of a failed run moved first, and that healthy runs have none."""

from __future__ import annotations

import gc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.diagnosis import Diagnosis, Event, Finding, RunDiagnosis
from curvedoc.diagnose.cases import build
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.run import diagnose
from curvedoc.diagnose.story.timeline import timeline
from curvedoc.report.event_order import in_order
from curvedoc.report.exchange.json_document import from_json, to_json
from curvedoc.report.html.page import to_html
from curvedoc.report.markdown import to_markdown
from curvedoc.report.terminal.summary import to_text
from curvedoc.rulebook.load import load
from curvedoc.rulebook.remarks import shipped_remarks
from curvedoc.rulebook.schema.case import Case

TIMELINE = shipped_remarks()["timeline"]
FAULT = Finding("divergence", "The loss leaves for good", "pathology", "error", 1.0, 400, None, "loss")


def _case(**case: object) -> Case:
    return Case.model_validate({"name": "case", "expect": "fires", "points": 400, "noise": 0.02, **case})


def _events(case: Case, *findings: Finding) -> tuple[Event, ...]:
    run = build(case, case)
    return timeline(run, findings or (FAULT,), Bench(run).restarts(), TIMELINE)


GRADIENTS_FIRST = _case(
    series={
        "loss": {"knots": [[0, 4], [600, 1], [680, 60], [700, float("nan")], [720, float("nan")]], "log": True},
        "grad_norm": {"knots": [[0, 2], [400, 2], [680, 4000], [700, float("inf")], [720, float("inf")]], "log": True},
        "lr": {"knots": [[0, 0.1], [720, 0.1]], "noise": 0},
    }
)


def test_gradients_that_grow_before_the_loss_are_told_first_and_the_nan_last() -> None:
    told = [(e.channel, e.what) for e in _events(GRADIENTS_FIRST)]
    assert told == [
        ("grad_norm", "began to rise"),
        ("loss", "began to rise"),
        ("grad_norm", "became infinite"),
        ("loss", "became NaN"),
    ]


def test_each_event_has_its_step_and_how_far_its_channel_went() -> None:
    first, second, _, last = _events(GRADIENTS_FIRST)
    assert first.step == pytest.approx(400, abs=40)
    assert first.factor is not None and 1000 < first.factor < 4000
    assert second.step == pytest.approx(600, abs=30)
    assert second.factor is not None and 20 < second.factor < 100
    assert 690 <= last.step <= 705
    assert last.factor is None


def test_a_rate_that_climbs_before_the_loss_rises_is_told_first() -> None:
    case = _case(
        series={
            "loss": {"knots": [[0, 4], [390, 1], [440, 30], [800, 30]], "log": True},
            "lr": {"knots": [[0, 0.01], [300, 0.01], [800, 0.5]], "noise": 0},
        }
    )
    lr, loss = _events(case)
    assert (lr.channel, lr.what, loss.channel) == ("lr", "began to rise", "loss")
    assert lr.step == pytest.approx(300, abs=6) and lr.factor == pytest.approx(50, rel=0.1)


def test_a_norm_that_had_hardly_moved_when_the_failure_began_is_told_after_it() -> None:
    """A slow drift up from the start is no event before a failure: it had come to nothing by then."""
    case = _case(
        series={
            "loss": {"knots": [[0, 4], [398, 1], [440, 30], [800, 30]], "log": True},
            "grad_norm": {"knots": [[0, 1], [60, 1], [400, 1.3], [800, 90]], "log": True},
        }
    )
    steps = {e.channel: e.step for e in _events(case)}
    assert steps["loss"] <= steps["grad_norm"], steps


def test_a_rate_that_leaps_before_the_loss_rises_is_told_first() -> None:
    case = _case(
        series={
            "loss": [[0, 4], [500, 1], [540, 30], [800, 30]],
            "lr": {"knots": [[0, 0.01], [480, 0.01], [481, 0.5], [800, 0.5]], "noise": 0},
        }
    )
    lr, loss = _events(case)
    assert (lr.channel, lr.what, loss.channel) == ("lr", "jumped up", "loss")
    assert lr.factor == pytest.approx(50, rel=0.2)
    assert lr.step < loss.step


def test_a_loss_scale_that_retreats_counts_from_its_first_halving() -> None:
    knots = [[0, 65536], [300, 65536]]
    for i in range(1, 9):
        knots += [[290 + 10 * i + 1, 65536 / 2**i], [300 + 10 * i, 65536 / 2**i]]
    case = _case(series={"loss": [[0, 4], [400, 1]], "loss_scale": {"knots": knots, "noise": 0}})
    (event,) = [e for e in _events(case) if e.channel == "loss_scale"]
    assert event.step == pytest.approx(300, abs=3)
    assert event.factor == pytest.approx(1 / 256)


def test_a_single_gradient_surge_before_the_loss_breaks_is_told() -> None:
    case = _case(
        series={
            "loss": [[0, 4], [500, 1], [502, float("nan")], [700, float("nan")]],
            "grad_norm": [[0, 2], [496, 2], [498, 300], [500, 2], [700, 2]],
        }
    )
    surge, end = _events(case)
    assert (surge.channel, surge.what, surge.step) == ("grad_norm", "spiked", 498)
    assert (end.channel, end.what) == ("loss", "became NaN")


def test_a_restart_and_an_error_message_take_their_place() -> None:
    case = _case(
        series={"loss": [[0, 4], [600, 1], [640, 40], [800, 40]]},
        resumed=[300, 200],
        points=401,
        log=["@120 Traceback (most recent call last):"],
    )
    assert [(e.step, e.channel) for e in _events(case)][:2] == [(120, "log"), (200, "log")]


def test_a_channel_that_does_not_leave_its_course_is_not_told() -> None:
    case = _case(
        series={
            "loss": [[0, 4], [600, 1], [640, 40], [800, 40]],
            "grad_norm": [[0, 3], [800, 2]],
            "weight_norm": [[0, 10], [800, 13]],
            "accuracy": [[0, 0.1], [600, 0.9], [800, 0.9]],
            "lr": {"knots": [[0, 0.1], [800, 0.001]], "noise": 0},
        }
    )
    assert {e.channel for e in _events(case)} == {"loss"}


def test_a_run_without_a_fault_has_no_timeline() -> None:
    notice = replace(FAULT, kind="notice")
    assert timeline(build(GRADIENTS_FIRST, GRADIENTS_FIRST), (notice,), Bench(_run()).restarts(), TIMELINE) == ()


def _run():  # type: ignore[no-untyped-def]
    return build(GRADIENTS_FIRST, GRADIENTS_FIRST)


@pytest.fixture(scope="module")
def diagnosed() -> RunDiagnosis:
    return diagnose(_run(), load(), strict=True)


def test_the_timeline_of_a_diagnosis_survives_json(diagnosed: RunDiagnosis) -> None:
    assert diagnosed.timeline[0].channel == "grad_norm"
    d = Diagnosis("0", "digest", (diagnosed,))
    assert from_json(to_json(d)).runs[0].timeline == diagnosed.timeline


def test_a_diagnosis_saved_before_there_were_timelines_still_reads(diagnosed: RunDiagnosis) -> None:
    text = to_json(Diagnosis("0", "digest", (replace(diagnosed, timeline=()),)))
    assert from_json(text.replace('"timeline":[],', "").replace(',"timeline":[]', "")).runs[0].timeline == ()


def test_every_report_tells_the_order(diagnosed: RunDiagnosis) -> None:
    d = Diagnosis("0", "digest", (diagnosed,))
    at, what = in_order(diagnosed)[0]
    assert what.startswith("the gradient norm began to rise, to ")
    for text in (to_text(d, verbose=True, width=140), to_markdown(d), to_html(d, baked=0)):
        assert "In order" in text
        assert what[4:] in text.replace("\\", "")
        assert at in text.replace("\\", "")
    assert "In order" not in to_text(d)


def test_one_event_alone_is_no_order(diagnosed: RunDiagnosis) -> None:
    alone = replace(diagnosed, timeline=diagnosed.timeline[:1])
    assert in_order(alone) == ()
    assert "In order" not in to_html(Diagnosis("0", "digest", (alone,)), baked=0)


@settings(max_examples=25, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["loss", "val_loss", "grad_norm", "weight_norm", "lr", "loss_scale", "accuracy"]),
        st.lists(st.floats(width=64, allow_nan=True, allow_infinity=True), min_size=1, max_size=30),
        min_size=1,
    )
)
def test_strange_values_give_few_events_in_order_and_no_warning(values: dict[str, list[float]]) -> None:
    knots = {k: {"knots": [[i, x] for i, x in enumerate(v)], "noise": 0} for k, v in values.items()}
    case = _case(series=knots, points=1)
    with np.errstate(all="raise"):
        run = build(case, case)
    events = timeline(run, (FAULT,), Bench(run).restarts(), TIMELINE)
    assert len(events) <= TIMELINE.program.given["most_events"]
    assert [e.step for e in events] == sorted(e.step for e in events)
    assert all(e.factor is None or np.isfinite(e.factor) for e in events)


def test_a_judged_run_is_let_go_at_once() -> None:
    # a thousand runs judged in a row would each stay in memory until the collector comes by
    book = load()
    run = build(GRADIENTS_FIRST, GRADIENTS_FIRST)
    diagnose(run, book)  # what is made ready at the first run stays
    gc.collect()
    gc.disable()
    try:
        diagnose(run, book)
        assert not any(isinstance(o, Bench) for o in gc.get_objects())
    finally:
        gc.enable()
