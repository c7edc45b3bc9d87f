"""Drawing data and its pictures: extremes are kept, odd curves are drawn, nothing crashes on a strange run."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from xml.etree import ElementTree

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from make_diagnosis import curve, healthy_run, nan_run, of, oom_run, overfit_run

import curvedoc
from curvedoc.core.diagnosis import Check, Curve, Evidence, Finding, KnownFact, Mark, RankedCause, RunDiagnosis, Waste
from curvedoc.report.charts.columns import thinned
from curvedoc.report.charts.drawing import drawing
from curvedoc.report.charts.panel_layers import layers, y_domain
from curvedoc.report.charts.panel_svg import svg_of_panels
from curvedoc.report.charts.panels import picture
from curvedoc.report.charts.ticks import labels, linear, logarithmic
from curvedoc.report.exchange.json_document import from_json, to_json
from curvedoc.report.figures.figure import figures
from curvedoc.report.html.page import to_html
from curvedoc.report.markdown import to_markdown
from curvedoc.report.terminal.summary import to_text
from curvedoc.report.tree import tree

odd_number = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from([0.0, -1.0, 1e308, -1e308, 5e-324])


@st.composite
def odd_curves(draw: st.DrawFn) -> Curve:
    n = draw(st.integers(0, 12))
    step = sorted(draw(st.sets(st.integers(-5, 10**12), min_size=n, max_size=n)))
    values = [draw(st.tuples(odd_number, odd_number, odd_number)) for _ in step]
    role = draw(st.sampled_from(["loss", "val_loss", "lr", "grad_norm", "accuracy", "layer_grad_norm", ""]))
    raw = (tuple(step), tuple(v[0] for v in values)) if draw(st.booleans()) else ((), ())
    columns = [tuple(v[i] for v in values) for i in range(3)]
    return Curve(draw(st.text(max_size=5)), role, draw(st.text(max_size=3)), tuple(step), *columns, n, ((3, 9),), raw)


@st.composite
def odd_runs(draw: st.DrawFn) -> RunDiagnosis:
    curves = tuple(draw(st.lists(odd_curves(), max_size=5)))
    metrics = st.sampled_from([c.metric for c in curves] or [""]) | st.none()
    steps = st.integers(-9, 10**12) | st.none()
    marks = st.builds(Mark, st.sampled_from([c.metric for c in curves] or [""]), steps, steps, odd_number | st.none())
    evidence = st.builds(Evidence, st.text(max_size=20), metrics, st.lists(marks, max_size=3).map(tuple))
    findings = st.builds(
        Finding,
        st.sampled_from(["a", "b"]),
        st.text(max_size=20),
        st.sampled_from(["pathology", "notice", "gap"]),
        st.sampled_from(["fatal", "error", "warning", "note"]),
        st.floats(0, 1),
        steps,
        steps,
        metrics,
        st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=1),
        st.lists(evidence, max_size=2).map(tuple),
        st.dictionaries(st.text(max_size=3), odd_number | st.booleans(), max_size=2),
        st.sampled_from(["a", "b", "elsewhere", None]),
    )
    answers = st.sampled_from(["yes", "no", "leaning-yes", "leaning-no", "open", "unanswerable"])
    word = st.sampled_from(["confirmed", "ruled-out", "lr-too-high", ""])
    checks = st.builds(
        Check, st.text(max_size=9), st.text(max_size=9), st.just("look"), word, word, answers, st.text(max_size=9)
    )
    causes = st.builds(
        RankedCause,
        st.text(max_size=6),
        st.text(max_size=9),
        st.floats(0, 1) | st.just(math.nan),
        st.text(max_size=9),
        st.lists(evidence, max_size=2).map(tuple),
        st.lists(evidence, max_size=2).map(tuple),
        st.lists(checks, max_size=3).map(tuple),
    )
    return replace(
        healthy_run(),
        run=draw(st.text(max_size=12)),
        verdict=draw(st.sampled_from(["failed", "warning", "healthy", "inconclusive"])),
        curves=curves,
        findings=tuple(draw(st.lists(findings, max_size=3))),
        causes=tuple(draw(st.lists(causes, max_size=2))),
        cost=draw(st.builds(Waste, steps, steps, odd_number | st.none())),
        signals=(),
    )


#: Shrinking a whole page would take minutes.
NO_SHRINK = (Phase.explicit, Phase.reuse, Phase.generate)


@settings(max_examples=25, deadline=None, phases=NO_SHRINK)
@given(odd_runs(), st.booleans())
def test_no_run_is_too_strange_for_any_view(run: RunDiagnosis, two: bool) -> None:
    d = of(run, replace(nan_run(), curves=())) if two else of(run)
    assert to_html(d, baked=0).endswith("</html>")
    to_markdown(d)
    to_text(d, verbose=True)
    again = from_json(to_json(d))
    assert to_json(again) == to_json(d)


@settings(max_examples=10, deadline=None, phases=NO_SHRINK)
@given(st.lists(odd_curves().filter(lambda c: len(c.step)), min_size=1, max_size=2))
def test_any_curve_can_be_baked(curves: list[Curve]) -> None:
    drawn = drawing(picture(replace(healthy_run(), curves=tuple(curves))), 420)
    for svg in svg_of_panels(drawn, "r1", ["loss"] * 9):
        root = ElementTree.fromstring(svg)
        assert root.get("role") == "img" and root.get("aria-label") == "loss"
        assert not re.search(r"nan|inf|None", " ".join(e.get("d", "") for e in root.iter()))


def test_a_static_panel_says_and_draws_what_the_script_will() -> None:
    drawn = drawing(picture(nan_run()), 420)
    first, *_ = svg_of_panels(drawn, "r1", ["a < b"] * 9)
    root = ElementTree.fromstring(first)
    assert root.get("aria-label") == "a < b"
    texts = [e.text for e in root.iter() if e.tag.endswith("text")]
    assert texts[-3:] == ["1", "2", "3"]  # a badge for each mark, on top
    assert [b["l"] for b in drawn["bands"] if b["l"] in texts]
    # two curves, where they are finite: each in pieces between what is not
    blown = curve("loss", "loss", range(100), [2.0] * 40 + [math.nan] * 20 + [1.0] * 40)
    line = layers(drawing(picture(replace(healthy_run(), curves=(blown,))), 420), 0).lines[0]
    assert sum(v is None for v in line.points[1]) == 20 and not line.dots
    (made,) = svg_of_panels(drawing(picture(replace(healthy_run(), curves=(blown,))), 420), "r1", ["x"])
    (path,) = [e.get("d", "") for e in ElementTree.fromstring(made).iter() if e.get("stroke-width") == "1.6"]
    assert path.count("M") == 2


@settings(max_examples=40, deadline=None)
@given(odd_curves(), st.integers(1, 8))
def test_merging_buckets_keeps_the_extremes(c: Curve, most: int) -> None:
    small = thinned(c, most)
    assert len(small.step) <= max(most, 0) or len(c.step) <= most
    for name, pick in (("low", min), ("high", max)):
        before = [v for v in getattr(c, name) if math.isfinite(v)]
        after = [v for v in getattr(small, name) if math.isfinite(v)]
        assert (pick(before) if before else None) == (pick(after) if after else None)


def test_a_spike_of_one_step_is_inside_the_band() -> None:
    value = [1.0] * 5000
    value[3333] = 50.0
    c = curve("loss", "loss", range(5000), value)
    line = drawing(picture(replace(healthy_run(), curves=(c,))), 60)["panels"][0]["lines"][0]
    assert max(line["hi"]) == 50 and line["lo"] and len(line["x"]) <= 60


def test_validation_stands_beside_training_and_a_rate_at_the_bottom() -> None:
    panels = picture(overfit_run()).panels
    assert [p.key for p in panels] == ["loss", "grad_norm", "accuracy", "lr"]
    assert [c.role for c in panels[0].curves] == ["loss", "val_loss", "val_loss"]


def test_the_curve_that_a_finding_needs_gets_a_panel_of_its_own() -> None:
    assert [p.key for p in picture(oom_run()).panels] == ["loss", "memory", "lr"]


def test_a_run_that_logged_only_an_accuracy_is_drawn() -> None:
    c = curve("accuracy", "acc", [1, 2, 3], [0.1, 0.4, 0.3])
    drawn = drawing(picture(replace(healthy_run(), curves=(c,))), 420)
    assert [p["k"] for p in drawn["panels"]] == ["accuracy"]
    assert drawn["panels"][0]["lines"][0]["dots"]


def test_a_dead_stretch_is_a_band_with_its_length_in_words() -> None:
    band = next(b for b in picture(nan_run()).bands if b.kind == "dead")
    assert (band.start, band.end, band.text) == (7508, 12_959, "5,452 steps without a finite loss")


def test_marks_are_numbered_by_step_and_the_headline_has_its_own_color() -> None:
    pins = picture(nan_run()).pins
    assert [(p.step, p.number) for p in pins] == [(5180, 1), (6600, 2), (7508, 3)]
    assert [p.number for p in pins if p.lead] == [3] and pins[2].text == nan_run().findings[0].title


def test_one_event_has_one_mark() -> None:
    run = nan_run()
    first = run.findings[0]
    assert first.first_step is not None
    mark = Mark(first.metric or "", start=first.first_step - 300)
    again = replace(
        first, symptom="loss-jump", first_step=first.first_step + 900, explained_by=first.symptom, evidence=()
    )
    told = replace(first, evidence=(*first.evidence, Evidence("the loss turned", first.metric, (mark,))))
    pins = picture(replace(run, findings=(told, *run.findings[1:], again))).pins
    assert [p.step for p in pins] == [p.step for p in picture(run).pins]


def test_a_notice_that_holds_from_the_start_on_gets_no_mark() -> None:
    run = nan_run()
    noted = replace(run.findings[0], symptom="epoch-only-logging", kind="notice", first_step=0, evidence=())
    assert [p.step for p in picture(replace(run, findings=(*run.findings, noted))).pins] == [5180, 6600, 7508]


def test_what_is_hardly_a_cause_marks_nothing() -> None:
    run = nan_run()
    turned = Evidence("the rate turned", "train/loss", (Mark("train/loss", start=2000),))
    likely = replace(run.causes[0], supports=(turned,))
    drawn = replace(run, causes=(likely,))
    assert 2000 in [p.step for p in picture(drawn).pins]
    unlikely = replace(run, causes=(replace(likely, probability=0.04),))
    assert 2000 not in [p.step for p in picture(unlikely).pins]


def test_a_sentence_without_a_place_still_brings_its_curve(  # an update that changes no policy, told by its median
) -> None:
    run = nan_run()
    kl = curve("kl", "train/approx_kl", range(50), [1e-8] * 50)
    told = replace(run.findings[0], evidence=(Evidence("an update changes nothing", "train/approx_kl"),))
    drawn = picture(replace(run, findings=(told,), causes=(), curves=(*run.curves, kl)))
    assert "kl" in [p.key for p in drawn.panels]


def test_what_fell_to_a_named_level_is_in_sight() -> None:
    scale = curve("loss_scale", "loss_scale", range(60), [65536.0] * 40 + [65536.0 / 2.0**i for i in range(1, 21)])
    level = Mark("loss_scale", level=0.0625, name="last scale")
    fell = replace(
        nan_run().findings[0], first_step=40, metric="loss_scale", evidence=(Evidence("fell", "loss_scale", (level,)),)
    )
    drawn = picture(replace(nan_run(), curves=(*nan_run().curves, scale), findings=(fell,), causes=()))
    panel = next(p for p in drawn.panels if p.key == "loss_scale")
    assert panel.clip is None or panel.clip[0] <= 0.0625


def test_a_policy_is_drawn_by_its_reward_first() -> None:
    reward = curve("reward", "ep_rew_mean", range(50), [float(i) for i in range(50)])
    assert picture(replace(nan_run(), curves=(*nan_run().curves, reward))).panels[0].key == "reward"


def test_peaks_above_zero_are_all_shown() -> None:
    kl = curve("kl", "approx_kl", range(100), [0.5 if i % 25 == 7 else 0.0 for i in range(100)])
    told = replace(nan_run().findings[0], evidence=(Evidence("an update moves far", "approx_kl"),))
    drawn = picture(replace(nan_run(), curves=(*nan_run().curves, kl), findings=(told,), causes=()))
    assert next(p for p in drawn.panels if p.key == "kl").clip is None


def test_values_of_one_magnitude_are_all_shown() -> None:
    c = curve("loss", "loss", range(200), [1.5, 1.45, 1.4, *([1.351, 1.35] * 99)][:200])
    assert picture(replace(healthy_run(), curves=(c,))).panels[0].clip is None


def test_a_level_is_drawn_by_its_name_and_one_without_a_name_is_not() -> None:
    run = nan_run()
    marks = (Mark("train/loss", level=2.3, name="guessing"), Mark("train/loss", level=1.0))
    said = replace(run.findings[0], evidence=(Evidence("rests", "train/loss", marks),))
    drawn = drawing(picture(replace(run, findings=(said,), causes=())), 420)
    assert drawn["panels"][0]["levels"] == [{"v": 2.3, "l": "guessing"}]


def test_layers_are_a_strip_in_the_order_of_the_model() -> None:
    layers = [curve("layer_grad_norm", f"h.{i}", range(50), [10.0**-i] * 50, label=f"h.{i}") for i in (0, 1, 10, 2)]
    run = replace(nan_run(), curves=(*nan_run().curves, *layers))
    panel = next(p for p in drawing(picture(run), 420)["panels"] if p["k"] == "layer_grad_norm")
    made = panel["cells"]
    assert made["names"] == ["h.0", "h.1", "h.2", "h.10"] and made["r"] == [0, 1, 2, 3]
    assert made["s"][0] > made["s"][1] > made["s"][2] > made["s"][3] >= 1
    (figure,) = (f for f in figures(of(run)) if f.drawn["panels"][0]["k"] == "layer_grad_norm")
    assert figure.legend.startswith("a row for each of 4 layers, 1 is h.0, 4 is h.10; pale")  # no lines, so no hues


def test_a_blow_up_over_thirty_decades_leaves_what_came_before_readable() -> None:
    calm = [2.0 - i / 400 for i in range(300)]
    c = curve("loss", "loss", range(330), [*calm, *(10.0**i for i in range(1, 31))])
    blown = replace(nan_run().findings[0], first_step=300, evidence=())
    panel = drawing(picture(replace(nan_run(), curves=(c,), findings=(blown,), causes=())), 420)["panels"][0]
    low, high = y_domain(panel, [0, 330])
    assert low > 0.5 and 10 < high < 1e4
    assert y_domain({**panel, "clip": None}, [0, 330])[1] > 1e30
    gentle = picture(replace(healthy_run(), curves=(curve("loss", "loss", range(300), calm),))).panels[0]
    assert gentle.clip is None


def test_the_phases_of_a_run_are_bands_that_do_not_overlap() -> None:
    rate = [*(i / 100 for i in range(100)), *(1 - i / 500 for i in range(500))]
    curves = (curve("loss", "loss", range(600), [1.0] * 600), curve("lr", "lr", range(600), rate))
    lead = replace(nan_run().findings[0], symptom="divergence", first_step=400, evidence=())
    shown = picture(replace(nan_run(), curves=curves, findings=(lead,), causes=())).bands
    assert [(b.kind, b.start, b.end) for b in shown] == [("warm", 0, 100), ("decay", 100, 400), ("diverge", 400, 599)]


def test_a_curve_of_one_value_an_epoch_has_its_axis_in_epochs() -> None:
    run = replace(
        healthy_run(), axis="step", curves=(curve("loss", "loss", range(0, 6000, 300), [1.0] * 20),), signals=()
    )
    known = KnownFact(300.0, "steps", "sure", "configuration", "the configuration says 300 steps")
    drawn = drawing(picture(replace(run, facts={"epoch_steps": known})), 420)
    assert (drawn["unit"], drawn["per"]) == ("epoch", 300.0)
    assert list(layers(drawn, 0).x.labels[:2]) == ["epoch 0", "2"]


@settings(max_examples=200, deadline=None)
@given(st.floats(1e-12, 1e12), st.floats(1.01, 1e30), st.integers(60, 240))
def test_an_axis_is_labeled_wherever_it_stands(low: float, factor: float, pixels: int) -> None:
    high = low * factor
    for values in (logarithmic(low, high, pixels), linear(low, high, 5)):
        assert values == sorted(set(values))
        assert all(low - 1e-6 * high <= v <= high * 1.000001 for v in values)
        assert len(values) >= (2 if factor > 1.5 else 1)
        assert len(set(labels(values))) == len(values)
    inside = [v for v in logarithmic(low, high, pixels) if f"{v:e}".startswith("1.000000e")]
    assert inside or factor < 10 or pixels / math.log10(factor) < 15 * 1.6
    steps = linear(low, high, 5, whole=True)
    assert all(v == round(v) for v in steps)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**15), st.integers(1, 200))
def test_a_few_steps_late_in_a_long_training_are_labeled(first: int, more: int) -> None:
    values = linear(first, first + more, 5, whole=True)
    assert values and values == sorted(set(values))
    assert all(v == round(v) and first <= v <= first + more for v in values)


def test_a_page_is_drawn_of_a_training_resumed_late() -> None:
    c = curve("loss", "loss", range(2_500_000, 2_500_012), [2 - i / 20 for i in range(12)])
    assert "<svg" in to_html(of(replace(healthy_run(), curves=(c,))))


def test_a_page_is_drawn_of_values_at_both_ends_of_the_floats() -> None:
    values = [1.1e-310 * (1 - i / 80) for i in range(40)]
    values[20] = 1e300
    assert "<svg" in to_html(curvedoc.analyze({"step": list(range(40)), "loss": values}).diagnosis)


def test_a_negative_loss_is_not_drawn_on_a_log_scale() -> None:
    c = curve("loss", "nll", range(100), [-i / 10 for i in range(100)])
    panel = picture(replace(healthy_run(), curves=(c,))).panels[0]
    assert not panel.log and not panel.can_log


def test_the_visible_range_ignores_what_is_not_finite() -> None:
    drawn = drawing(picture(nan_run()), 420)
    low, high = y_domain(drawn["panels"][0], drawn["view"])
    assert 1 < low < 2.5 and 10 < high < 20
    json.dumps(drawn, allow_nan=False)


def test_the_tree_leads_from_what_is_known_to_the_next_check() -> None:
    path = tree(nan_run())
    assert path
    assert [n.state for n in path.nodes] == ["answered", "leaning", "next", "later", "blocked"]
    assert path.answered == 1
    assert path.nodes[0].other == ("No", "Then the next suspect is: bad batch.")
    assert path.nodes[2].yes == "Confirmed: learning rate too high."
    assert [title for title, _ in path.unlikely] == ["bad batch", "no warm-up"]
    assert tree(healthy_run()) is None


def test_a_check_that_the_log_answered_is_never_the_next_one() -> None:
    run = overfit_run()
    known = run.causes[0].checks[0]
    assert run.next_check
    path = tree(replace(run, next_check=replace(run.next_check, ask=known.ask)))
    assert path and all(n.state != "next" for n in path.nodes)


def test_a_show_button_is_drawn_only_where_it_shows_something() -> None:
    run = nan_run()
    drawn, pinned, elsewhere = (
        Evidence("on a curve", "train/loss", (Mark("train/loss", 900, 1200),)),
        Evidence("at a mark", "messages", (Mark("messages", run.findings[0].first_step),)),
        Evidence("nowhere", "layer.7/norm", (Mark("layer.7/norm", 900, 1200),)),
    )
    causes = (replace(run.causes[0], supports=(drawn, pinned, elsewhere), against=()),)
    page = to_html(of(replace(run, causes=causes)), baked=0)
    for text, there in (("on a curve", True), ("at a mark", True), ("nowhere", False)):
        assert bool(re.search(rf"{text}[^\n]{{0,40}}</small> <button[^>]*data-zoom", page, re.IGNORECASE)) == there
