"""Every sample run gives just what its expect.yaml says.

`python tests/rules/test_sample_logs.py --rewrite` writes it anew.

A rewritten expectation is a claim about a run whose fault is known (`about`): read it before it is committed.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from curvedoc.core.diagnosis import Finding, RunDiagnosis
from curvedoc.pipeline import Options, analyze

SAMPLES = Path(__file__).resolve().parents[2] / "sample_logs"
NAMES = sorted(p.parent.name for p in SAMPLES.glob("*/expect.yaml"))
#: A measure may move by this share of itself before the expectation is wrong.
TOLERANCE = 0.05
#: Measures kept per finding, so that an expectation stays readable; counts of rows tell nothing about the fault.
KEPT = 2
COUNTS = ("rows", "evals", "bad_rows")
#: What a sample may weigh, in bytes.
RUN_BYTES, ALL_BYTES = 200_000, 1_200_000


def expected(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((SAMPLES / name / "expect.yaml").read_text())
    return found


@cache
def everything() -> dict[str, RunDiagnosis]:
    d = analyze(SAMPLES, Options(siblings=False))
    assert not d.unreadable, d.unreadable
    return {r.run: r for r in d.runs}


def diagnosed(name: str) -> RunDiagnosis:
    return everything()[name]


def points(run: RunDiagnosis) -> dict[str, int]:
    """Points of the metric that was taken for each role."""
    out: dict[str, int] = {}
    for s in run.signals:
        out.setdefault(s.role, s.points)
    return dict(sorted(out.items()))


def notes(run: RunDiagnosis) -> list[str]:
    return sorted({n.kind for n in run.notes} | {n.kind for s in run.sources for n in s.notes})


def found(run: RunDiagnosis, gaps: bool) -> dict[str, Finding]:
    return {f.symptom: f for f in run.findings if (f.kind == "gap") == gaps}


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_gives_these_findings_and_no_others(name: str) -> None:
    want, run = expected(name), diagnosed(name)
    assert sorted(found(run, gaps=False)) == sorted(want["fires"])
    assert sorted(found(run, gaps=True)) == sorted(want["gaps"])
    assert run.verdict == want["verdict"]


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_read_whole_and_what_was_odd_is_noted(name: str) -> None:
    want, run = expected(name), diagnosed(name)
    assert points(run) == want["points"]
    assert notes(run) == want["notes"]
    assert all("expect" not in s.path for s in run.sources)


def true_causes(want: dict[str, Any]) -> list[str]:
    """What was done to the run; a list where several things were."""
    cause: str | list[str] = want["cause"]
    return [cause] if isinstance(cause, str) else cause


def causes_to_find() -> list[Any]:
    """Samples whose cause is known; `known` in expect.yaml tells why another one still comes first."""
    out = []
    for name in NAMES:
        want = expected(name)
        if "cause" in want:
            marks = [pytest.mark.xfail(reason=want["known"])] if "known" in want else []
            out.append(pytest.param(name, marks=marks))
    return out


@pytest.mark.parametrize("name", causes_to_find())
def test_the_cause_of_a_sample_comes_first(name: str) -> None:
    got = [(c.cause, c.probability) for c in diagnosed(name).causes[:4]]
    assert got[0][0] in true_causes(expected(name)), got


@pytest.mark.parametrize("name", [n for n in NAMES if expected(n).get("fires")])
def test_the_findings_of_a_sample_name_their_causes_and_measures(name: str) -> None:
    want, findings = expected(name), found(diagnosed(name), gaps=False)
    for symptom, told in want["fires"].items():
        finding = findings[symptom]
        if "first" in told:
            assert finding.causes[0][0] == told["first"], (symptom, finding.causes)
        for measure, (value, tolerance) in told.get("near", {}).items():
            got = finding.strength if measure == "strength" else finding.measures[measure]
            assert got == pytest.approx(value, abs=tolerance), (symptom, measure)


def test_samples_are_small_and_none_is_without_an_expectation() -> None:
    folders = sorted(p for p in SAMPLES.iterdir() if p.is_dir())
    assert [f.name for f in folders] == NAMES == sorted(everything())
    sizes = [sum(p.stat().st_size for p in f.rglob("*") if p.is_file()) for f in folders]
    assert max(sizes) < RUN_BYTES and sum(sizes) < ALL_BYTES


def test_healthy_samples_have_no_pathology_and_faulty_ones_have_one() -> None:
    for name in NAMES:
        kinds = {f.kind for f in diagnosed(name).findings}
        assert ("pathology" in kinds) == (expected(name)["verdict"] in ("failed", "warning")), name


def _near(finding: Finding) -> dict[str, list[float]]:
    """The first measures with a size of their own, each with its tolerance."""
    numbers = {k: float(v) for k, v in finding.measures.items() if not isinstance(v, bool) and k not in COUNTS}
    chosen = {k: v for k, v in numbers.items() if 1e-6 < abs(v) < 1e6}
    return {k: [float(f"{v:.4g}"), float(f"{abs(v) * TOLERANCE:.1g}")] for k, v in list(chosen.items())[:KEPT]}


def _rewrite() -> None:
    for name in sorted(p.name for p in SAMPLES.iterdir() if p.is_dir()):
        path = SAMPLES / name / "expect.yaml"
        kept, run = expected(name), diagnosed(name)
        fires: dict[str, Any] = {}
        for symptom, finding in sorted(found(run, gaps=False).items()):
            first = {"first": finding.causes[0][0]} if finding.causes else {}
            fires[symptom] = {**first, "near": _near(finding)}
        # the cause is what was done to the run, not what comes out
        cause = {"cause": kept["cause"]} if "cause" in kept else {}
        if cause and run.causes and run.causes[0].cause not in true_causes(kept):
            cause["known"] = f"{run.causes[0].cause} comes first"
        whole = {
            "about": kept["about"], "made_by": kept["made_by"], "verdict": run.verdict, **cause, "fires": fires,
            "gaps": sorted(found(run, gaps=True)), "notes": notes(run), "points": points(run),
        }  # fmt: skip
        path.write_text(yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None))


if __name__ == "__main__" and sys.argv[1:] == ["--rewrite"]:
    _rewrite()
