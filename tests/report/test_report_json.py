"""The JSON contract: what is written, that it reads back, and that its schema tells the truth."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make_diagnosis import EXAMPLES, nan_run, of

from curvedoc.core.diagnosis import Diagnosis, Signal
from curvedoc.core.errors import UsageError
from curvedoc.report.exchange.json_document import from_json, json_schema, to_json
from curvedoc.serialize.dataclass_json import build, to_plain
from curvedoc.serialize.fast_json import Odd, maker


@pytest.fixture(scope="module", params=sorted(EXAMPLES))
def example(request: pytest.FixtureRequest) -> Diagnosis:
    return EXAMPLES[request.param]()


def test_what_was_written_reads_back_and_writes_the_same_bytes(example: Diagnosis) -> None:
    text = to_json(example)
    assert to_json(from_json(text)) == text


def test_every_example_fits_the_schema(example: Diagnosis) -> None:
    jsonschema.Draft202012Validator(json_schema()).validate(json.loads(to_json(example)))


def test_the_schema_is_itself_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())


def test_the_schema_rejects_a_verdict_that_is_none() -> None:
    document = json.loads(to_json(of(nan_run())))
    document["runs"][0]["verdict"] = 3
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(json_schema()).validate(document)


def test_the_document_has_exactly_the_keys_of_the_contract() -> None:
    d = json.loads(to_json(EXAMPLES["sweep"]()))
    assert set(d) == {"schema", "curvedoc", "rules_digest", "runs", "groups", "contrasts", "unreadable"}
    assert d["schema"] == "curvedoc/1"
    run = next(r for r in d["runs"] if r["run"] == "lr3e-3-bs256-s1")
    contract = {
        "run",
        "verdict",
        "headline",
        "sources",
        "signals",
        "findings",
        "causes",
        "not_judged",
        "next_check",
        "next_action",
        "cost",
    }
    assert set(run) == contract | {
        "curves",
        "messages",
        "notes",
        "config",
        "axis",
        "timeline",
        "nearest",
        "facts",
        "ending",
        "abort_rules",
        "none_of_these",
    }
    assert set(run["sources"][0]) >= {"path", "format", "points", "bytes", "notes"}
    assert set(run["signals"]["loss"]) >= {"metric", "points", "first_step", "last_step", "last_value"}
    finding = {
        "symptom",
        "kind",
        "severity",
        "strength",
        "first_step",
        "last_step",
        "metric",
        "scope",
        "evidence",
        "measures",
        "explained_by",
    }
    assert set(run["findings"][0]) >= finding
    assert set(run["findings"][0]["evidence"][0]) == {"text", "metric", "marks"}
    assert set(run["causes"][0]) >= {"cause", "probability", "for", "against", "checks", "fix"}
    assert set(run["not_judged"][0]) == {"symptom", "reason", "needs"}
    assert set(run["cost"]) == {"steps_wasted", "hours_wasted", "first_detectable_step"}


def test_keys_are_sorted_and_no_number_is_spelled_nan(example: Diagnosis) -> None:
    def no_constants(name: str) -> Any:
        raise AssertionError(name)

    def check(value: Any) -> None:
        if isinstance(value, dict):
            assert list(value) == sorted(value)
            for v in value.values():
                check(v)
        elif isinstance(value, list):
            for v in value:
                check(v)

    check(json.loads(to_json(example), parse_constant=no_constants))


def test_a_role_with_several_metrics_keeps_the_best_and_lists_the_others() -> None:
    document = json.loads(to_json(EXAMPLES["overfit"]()))
    best = document["runs"][0]["signals"]["val_loss"]
    assert best["metric"] == "eval_loss"
    assert [o["metric"] for o in best["others"]] == ["eval_other_loss"]
    back = from_json(to_json(EXAMPLES["overfit"]())).runs[0]
    assert [s.metric for s in back.signals if s.role == "val_loss"] == ["eval_loss", "eval_other_loss"]


def test_nan_in_a_curve_is_null_and_comes_back_as_nan() -> None:
    d = of(nan_run())
    assert json.loads(to_json(d))["runs"][0]["curves"][0]["mean"][-1] is None
    assert math.isnan(from_json(to_json(d)).runs[0].curves[0].mean[-1])


def test_a_numpy_number_that_slipped_into_a_measure_is_written_as_a_number() -> None:
    run = nan_run()
    odd = replace(run.findings[0], measures={"n": np.int64(3), "yes": np.bool_(True), "x": np.float64("inf")})
    document = json.loads(to_json(of(replace(run, findings=(odd,)))))
    assert document["runs"][0]["findings"][0]["measures"] == {"n": 3, "yes": True, "x": None}


def test_a_name_that_is_not_valid_unicode_survives() -> None:
    d = of(replace(nan_run(), run="run-\udcff"))
    text = to_json(d)
    text.encode("ascii")
    assert from_json(text).runs[0].run == "run-\udcff"


@pytest.mark.parametrize(
    ("damage", "where"),
    [
        (lambda d: d["runs"][0].pop("verdict"), "$.runs[0]"),
        (lambda d: d["runs"][0].update(verdict="fine"), "$.runs[0].verdict"),
        (lambda d: d["runs"][0].update(findings={}), "$.runs[0].findings"),
        (lambda d: d["runs"][0]["causes"][0].update(probability="high"), "$.runs[0].causes[0].probability"),
        (lambda d: d["runs"][0]["curves"][0].update(raw=[[]]), "$.runs[0].curves[0].raw"),
        (lambda d: d["runs"][0]["signals"].update(loss=3), "$.runs[0].signals.loss"),
        (lambda d: d.update(runs=None), "$.runs"),
    ],
)
def test_a_damaged_document_is_refused_with_the_place(damage: Any, where: str) -> None:
    document = json.loads(to_json(of(nan_run())))
    damage(document)
    with pytest.raises(UsageError) as caught:
        from_json(json.dumps(document))
    assert caught.value.where == where


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", "{}", '{"schema": "curvedoc/9"}', "[" * 100_000, '{"schema": {}}']
)
def test_what_is_no_diagnosis_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        from_json(text)
    assert caught.value.hint


def test_a_key_from_a_later_version_is_left_out() -> None:
    document = json.loads(to_json(of(nan_run())))
    document["runs"][0]["mood"] = "gloomy"
    assert from_json(json.dumps(document)).runs[0].run == "lr3e-3-bs256-s1"


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.builds(
            Signal,
            st.sampled_from(["loss", "lr", "x"]),
            st.text(),
            st.integers(0, 9),
            st.none() | st.integers(),
            st.none() | st.integers(),
            st.none() | st.floats(),
            st.text(),
        ),
        max_size=6,
    )
)
def test_any_signals_are_written_once_and_read_back(signals: list[Signal]) -> None:
    d = of(replace(SMALL, signals=tuple(signals)))
    text = to_json(d)
    again = from_json(text)
    assert to_json(again) == text
    assert sorted((s.role, s.metric, s.label) for s in again.runs[0].signals) == sorted(
        (s.role, s.metric, s.label) for s in signals
    )


SMALL = replace(nan_run(), curves=())


def test_the_quick_way_back_gives_what_the_slow_one_gives(example: Diagnosis) -> None:
    value = json.loads(json.dumps(to_plain(example)))
    assert repr(maker(Diagnosis)(value)) == repr(build(Diagnosis, value))
    value["unreadable"] = [{"path": "a", "reason": None}]
    with pytest.raises(Odd):
        maker(Diagnosis)(value)
