"""The brief: less than two kilobytes of JSON for any run, with what one needs to act."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import curvedoc
from curvedoc.cli.app import app
from curvedoc.core.diagnosis import Evidence, NextAction
from curvedoc.report.exchange.brief import MOST_BYTES, run_brief, to_brief

SAMPLES = Path(__file__).resolve().parents[2] / "sample_logs"


@pytest.fixture(scope="module")
def samples() -> curvedoc.Analysis:
    return curvedoc.analyze(SAMPLES)


def test_every_sample_is_told_in_two_kilobytes(samples: curvedoc.Analysis) -> None:
    lines = to_brief(samples.diagnosis).splitlines(keepends=True)
    assert len(lines) == len(samples.runs)
    for line, run in zip(lines, samples.runs, strict=True):
        told = json.loads(line)
        assert len(line) <= MOST_BYTES and line.isascii()
        assert (told["run"], told["verdict"], told["headline"]) == (run.run, run.verdict, run.headline)
        if run.verdict in ("failed", "warning"):
            assert told["onset"]["symptom"] and told["cause"]["id"] == run.causes[0].cause
            assert told["seen"] and told["next_action"]["text"]
        if run.ending.value:
            assert told["ended"]["how"] == run.ending.value


def test_stdout_gets_one_line_a_run() -> None:
    done = CliRunner().invoke(app, ["analyze", str(SAMPLES / "diverged"), str(SAMPLES / "killed"), "--format", "brief"])
    assert done.exit_code == 0, done.output
    assert [json.loads(line)["verdict"] for line in done.stdout.splitlines()] == ["failed", "ended-early"]


@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=3000), times=st.integers(1, 40))
def test_no_text_makes_it_longer(text: str, times: int, samples: curvedoc.Analysis) -> None:
    run = next(r for r in samples.runs if r.verdict == "failed")
    evidence = tuple(Evidence(f"{i} {text}") for i in range(times))
    findings = tuple(replace(f, evidence=evidence) for f in run.findings)
    cause = replace(run.causes[0], supports=evidence, against=evidence, title=text)
    grown = replace(
        run, run=text, headline=text, findings=findings * times, causes=(cause,) * times,
        next_action=NextAction(text, text, text),
    )  # fmt: skip
    assert len(json.dumps(run_brief(grown), separators=(",", ":"))) < MOST_BYTES


def test_credentials_are_masked(samples: curvedoc.Analysis) -> None:
    run = replace(samples.runs[0], headline="failed with password=hunter2hunter2hunter2")
    assert "hunter2" not in json.dumps(run_brief(run))
