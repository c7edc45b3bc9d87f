"""The action, the GitLab report and the job snippets, run as the scripts that they are."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import curvedoc
from curvedoc.core.diagnosis import Unreadable
from curvedoc.report.exchange.ci import MOST_ANNOTATIONS, to_github, to_gitlab

ROOT = Path(__file__).resolve().parents[2]
SAMPLES, SNIPPETS = ROOT / "sample_logs", ROOT / "docs" / "snippets"
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


@pytest.fixture(scope="module")
def found() -> curvedoc.Analysis:
    return curvedoc.analyze(SAMPLES)


def test_annotations_are_workflow_commands_and_few(found: curvedoc.Analysis) -> None:
    lines = to_github(found.diagnosis).splitlines()
    form = re.compile(r"::(error|warning|notice) file=[^,:]+,title=[^,:]+::\S.*")
    assert lines and all(form.fullmatch(line) for line in lines), lines
    kinds = [line.split()[0] for line in lines]
    assert kinds == sorted(kinds, key=["::error", "::warning", "::notice"].index)
    assert max(map(kinds.count, kinds)) <= MOST_ANNOTATIONS


def test_no_text_of_a_log_is_a_command_of_its_own(found: curvedoc.Analysis) -> None:
    evil = "x\n::set-env name=A::b\r,file=/etc/passwd"
    run = next(r for r in found.runs if r.verdict == "failed")
    source = replace(run.sources[0], path=evil)
    worse = replace(run, run=evil, sources=(source,), findings=tuple(replace(f, title=evil) for f in run.findings))
    d = replace(found.diagnosis, runs=(worse,), unreadable=(Unreadable(evil, evil),))
    lines = to_github(d).split("\n")[:-1]
    assert all(line.startswith(("::error file=", "::warning file=")) for line in lines), lines
    assert all(i["location"]["lines"]["begin"] == 1 for i in json.loads(to_gitlab(d)))


def test_the_report_for_gitlab_has_its_keys_and_lasting_fingerprints(found: curvedoc.Analysis) -> None:
    issues = json.loads(to_gitlab(found.diagnosis))
    assert issues and len({i["fingerprint"] for i in issues}) == len(issues)
    for issue in issues:
        assert set(issue) == {"check_name", "description", "fingerprint", "severity", "location"}
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert not Path(issue["location"]["path"]).is_absolute()
    assert to_gitlab(found.diagnosis) == to_gitlab(curvedoc.analyze(SAMPLES).diagnosis)


def commands(place: Path, **programs: str) -> dict[str, str]:
    """The surroundings of a script: `curvedoc` and other programs as this test gives them."""
    folder = place / "bin"
    folder.mkdir()
    known = {"curvedoc": f'exec "{sys.executable}" -m curvedoc "$@"', "python": f'exec "{sys.executable}" "$@"'}
    for name, body in {**known, **programs}.items():
        (folder / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    paths = os.pathsep.join([str(folder), os.environ["PATH"]])
    return {**os.environ, "PATH": paths, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


def test_the_action_is_a_composite_one_whose_inputs_are_used() -> None:
    assert {"name", "description", "inputs", "outputs", "runs"} <= set(ACTION)
    assert ACTION["runs"]["using"] == "composite"
    text = (ROOT / "action.yml").read_text("utf-8")
    for name, given in ACTION["inputs"].items():
        assert given["description"] and f"inputs.{name} " in text.replace("}", " ").replace(")", " ")
    for step in ACTION["runs"]["steps"]:
        assert ("run" in step) != ("uses" in step) and ("run" not in step or step["shell"] == "bash")
        # an expression inside a script would be a way in for whoever names a branch or an input
        assert "${{" not in step.get("run", "")


def acted(place: Path, paths: str, fail_on: str = "failed") -> tuple[subprocess.CompletedProcess[str], str, str]:
    """(the Analyze step as the runner would run it, its outputs, its summary)."""
    (step,) = [s for s in ACTION["runs"]["steps"] if s.get("id") == "analyze"]
    given = {"PATHS": paths, "FAIL_ON": fail_on, "HTML": "page.html", "SARIF": "found.sarif"}
    assert set(step["env"]) == set(given)
    files = {"GITHUB_OUTPUT": str(place / "outputs"), "GITHUB_STEP_SUMMARY": str(place / "summary.md")}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=place, text=True, timeout=240,
        capture_output=True, check=False, env={**commands(place), **given, **files},
    )  # fmt: skip
    written = [Path(f).read_text("utf-8") if Path(f).exists() else "" for f in files.values()]
    return done, written[0], written[1]


@needs_bash
def test_the_action_annotates_sums_up_and_fails(tmp_path: Path) -> None:
    done, outputs, summary = acted(tmp_path, f"{SAMPLES / 'diverged'}\n{SAMPLES / 'cosine-schedule'}\n")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error file=") and "verdict=failed" in outputs and "exit-code=1" in outputs
    assert "diverged" in summary and (tmp_path / "page.html").exists()
    assert json.loads((tmp_path / "found.sarif").read_text("utf-8"))["version"] == "2.1.0"


@needs_bash
def test_the_action_passes_a_healthy_run_and_names_a_missing_one(tmp_path: Path) -> None:
    done, outputs, _ = acted(tmp_path, str(SAMPLES / "cosine-schedule"))
    assert done.returncode == 0 and "verdict=healthy" in outputs and not done.stdout, (done.stdout, done.stderr)
    (tmp_path / "second").mkdir()
    done, outputs, _ = acted(tmp_path / "second", "nothing-here")
    assert done.returncode == 2 and "nothing-here" in done.stderr and "exit-code=2" in outputs


def test_the_snippet_for_gitlab_calls_what_exists(tmp_path: Path) -> None:
    job = yaml.safe_load((SNIPPETS / "gitlab-ci.yml").read_text("utf-8"))["curvedoc"]
    (tmp_path / "runs").symlink_to(SAMPLES / "diverged", target_is_directory=True)
    surroundings = commands(tmp_path, pip="exit 0")
    codes = [
        subprocess.run(["sh", "-c", line], cwd=tmp_path, timeout=120, check=False, env=surroundings).returncode
        for line in job["script"]
    ]
    assert codes == [0, 0, 1]
    assert json.loads((tmp_path / job["artifacts"]["reports"]["codequality"]).read_text("utf-8"))
    assert (tmp_path / job["artifacts"]["paths"][0]).exists()


def run_of(place: Path) -> Path:
    folder = place / "run"
    shutil.copytree(SAMPLES / "diverged", folder)
    return folder


def test_the_epilog_leaves_a_report_and_never_fails(tmp_path: Path) -> None:
    runs = run_of(tmp_path)
    call = ["sh", str(SNIPPETS / "slurm-epilog.sh"), str(runs)]
    surroundings = commands(tmp_path)
    assert subprocess.run(call, timeout=120, check=False, env=surroundings).returncode == 0
    assert (runs / "curvedoc-report.html").exists() and "diverged" in (runs / "curvedoc-report.md").read_text("utf-8")
    broken = {**surroundings, "PATH": f"{tmp_path / 'none'}{os.pathsep}/usr/bin{os.pathsep}/bin", "SLURM_JOB_ID": "7"}
    done = subprocess.run(call, timeout=120, check=False, env=broken, capture_output=True, text=True)
    assert done.returncode == 0 and "for job 7" in done.stderr
    nowhere = [*call[:2], str(tmp_path / "not-there")]
    assert subprocess.run(nowhere, timeout=60, check=False, env=surroundings).returncode == 0


@pytest.mark.parametrize(("code", "verdict"), [(0, "healthy"), (137, "ended-early")])
def test_the_pod_tells_its_end_and_keeps_its_exit_code(code: int, verdict: str, tmp_path: Path) -> None:
    job = yaml.safe_load((SNIPPETS / "kubernetes-job.yaml").read_text("utf-8"))
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert container["command"] == ["sh", "-c"] and job["spec"]["backoffLimit"] == 0
    last = 200 if code == 0 else 120
    train = (
        "for i in range(1, {}): print(f'step {{i}}/200 loss {{2.3 * (1 + i / 10) ** -0.4:.4f}}')\nraise SystemExit({})"
    )
    (tmp_path / "train.py").write_text(train.format(last + 1, code), encoding="utf-8")
    told = tmp_path / "told"
    done = subprocess.run(
        [*container["command"], container["args"][0]], cwd=tmp_path, timeout=120, check=False, capture_output=True,
        env={
            **commands(tmp_path), "RUN": str(tmp_path / "run"), "TRAIN": "python train.py",
            "TERMINATION_LOG": str(told),
        },
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert json.loads(told.read_text("utf-8").splitlines()[0])["verdict"] == verdict
    assert b"step 100/200" in done.stdout and (tmp_path / "run" / "curvedoc-report.html").exists()
