"""SARIF and JUnit: what other tools read must be well formed, complete, and stable over time."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make_diagnosis import EXAMPLES, healthy_run, nan_run, of, overfit_run, sweep

from curvedoc.core.diagnosis import Diagnosis, Unreadable
from curvedoc.report.exchange.junit import to_junit
from curvedoc.report.exchange.sarif import to_sarif

SMALL = replace(nan_run(), curves=())


@pytest.fixture(scope="module", params=sorted(EXAMPLES))
def example(request: pytest.FixtureRequest) -> Diagnosis:
    return EXAMPLES[request.param]()


def test_each_sarif_result_has_its_rule_a_level_and_a_place(example: Diagnosis) -> None:
    sarif = json.loads(to_sarif(example))
    (run,) = sarif["runs"]
    rules = {r["id"] for r in run["tool"]["driver"]["rules"]}
    for result in run["results"]:
        assert result["ruleId"] in rules
        assert result["level"] in ("error", "warning", "note")
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri and not set(uri) & set(' <>"\\\n')
        assert 0 <= result["rank"] <= 100 if "rank" in result else True


def test_a_consequence_and_a_gap_are_no_results() -> None:
    results = json.loads(to_sarif(of(nan_run())))["runs"][0]["results"]
    assert [r["ruleId"] for r in results] == ["nan-after-blowup", "loss-spike-recovered"]
    assert [r["level"] for r in results] == ["error", "note"]
    assert results[0]["rank"] == 78 and results[0]["properties"]["steps"] == [7508, 12_959]


def test_the_fingerprint_stays_when_the_step_moves_and_differs_between_runs() -> None:
    def mark(d: Diagnosis) -> str:
        return json.loads(to_sarif(d))["runs"][0]["results"][0]["partialFingerprints"]["curvedoc/v1"]

    later = replace(nan_run(), findings=(replace(nan_run().findings[0], first_step=9), *nan_run().findings[1:]))
    assert mark(of(nan_run())) == mark(of(later))
    assert mark(of(nan_run())) != mark(of(replace(nan_run(), run="other")))


def test_junit_counts_agree_with_its_cases(example: Diagnosis) -> None:
    root = ET.fromstring(to_junit(example))
    assert int(root.get("tests", "-1")) == len(root.findall(".//testcase"))
    assert int(root.get("failures", "-1")) == len(root.findall(".//failure"))
    assert int(root.get("skipped", "-1")) == len(root.findall(".//skipped"))
    for suite in root:
        assert int(suite.get("tests", "-1")) == len(suite.findall("testcase"))


def test_a_healthy_run_is_one_passed_case_and_a_warning_is_a_failure() -> None:
    (healthy,) = ET.fromstring(to_junit(of(healthy_run()))).findall(".//testcase")
    assert healthy.get("name") == "healthy" and len(healthy) == 0
    assert [f.get("message") for f in ET.fromstring(to_junit(of(overfit_run()))).iter("failure")] == [
        "Overfitting: validation loss turned up"
    ]


def test_the_worst_run_is_the_first_suite_and_what_was_not_read_is_an_error() -> None:
    root = ET.fromstring(to_junit(sweep()))
    assert root[0].get("name") == "lr3e-3-bs256-s1"
    assert [e.get("message") for e in root.iter("error")] == ["no complete record in 24 bytes"]


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=20), st.text(max_size=20))
def test_any_name_gives_well_formed_documents(name: str, text: str) -> None:
    run = replace(
        SMALL, run=name, headline=text, findings=(replace(SMALL.findings[0], title=text, scope={text: name}),)
    )
    d = replace(of(run), unreadable=(Unreadable(name + "\udcff", text + "\x00"),))
    ET.fromstring(to_junit(d).encode("utf-8"))
    json.loads(to_sarif(d).encode("utf-8"))
