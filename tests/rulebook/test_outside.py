"""Rules and statistics of other packages, found by the entry points of one that is made up and really called."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

STATISTICS = '''
import numpy as np
from curvedoc.core.series import Series

def shiny_dip(series: Series, depth: float = 0.5) -> float | None:
    """How many rows lie below a share of the median."""
    if not len(series.value):
        return None
    return float(np.sum(series.value < depth * np.nanmedian(series.value)))

def shiny_broken(series: Series) -> float:
    """What fails."""
    raise ZeroDivisionError("no luck")

def phi(series: Series) -> float:
    """A name that is ours."""
    return 1.0

def shiny_untyped(series):
    """What the language cannot read."""
    return 1.0

ALL = [shiny_dip, shiny_broken, phi, shiny_untyped]
'''
RULE = """id: shiny-dip
kind: pathology
severity: warning
status: trial
title: The loss dips
what: The loss falls below half of its median.
why: It was asked for.
lookalikes: None that is known.
needs:
  loss: loss
params:
  least: {value: 2, unit: rows, why: "one may be noise"}
  depth: {value: 0.5, unit: of median, why: "half of it is no noise"}
  many: {value: 9, unit: rows, why: "so many are beyond doubt"}
measure:
  rows: shiny_dip(loss, depth)
  broken: shiny_broken(loss)
when:
  - rows >= least
strength: ramp(rows, 0, many)
onset: first_step(loss)
evidence:
  - say: "{rows:.0f} rows lie below half of the median"
  - given: known(broken)
    say: "never said"
causes:
  - {cause: lr-too-high, weight: 1, because: "it was asked for"}
tests:
  - {name: a loss that dips, expect: silent, series: {loss: [[0, 2], [1000, 2]]}}
  - {name: a run without a loss, expect: not-judged, series: {val_loss: [[0, 2], [1000, 1]]}}
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with a package as an installer leaves it, and beside it a run."""
    place = tmp_path / "site"
    info = place / "shiny-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shiny\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[curvedoc.rules]\nshiny = shiny\n[curvedoc.statistics]\nall = shiny.code:ALL\n"
    )
    rules = place / "shiny" / "extra"
    rules.mkdir(parents=True)
    (place / "shiny" / "__init__.py").touch()
    (place / "shiny" / "code.py").write_text(STATISTICS)
    (rules / "shiny-dip.yaml").write_text(RULE)
    rows = [{"step": i, "loss": 0.1 if i in (20, 30, 40) else 2.0 + i % 3 / 100} for i in range(60)]
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    return place


def call(package: Path, *given: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(package), *sys.path])}
    command = [sys.executable, "-m", "curvedoc", *given]
    return subprocess.run(
        command, cwd=package.parent, env=env, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_rule_of_another_package_calls_a_statistic_of_its_own(package: Path) -> None:
    done = call(package, "analyze", "run.jsonl", "--format", "json", "--select", "shiny-dip")
    assert done.returncode == 0, done.stderr
    (finding,) = json.loads(done.stdout)["runs"][0]["findings"]
    assert finding["symptom"] == "shiny-dip" and finding["evidence"][0]["text"].startswith("3 rows lie")


def test_what_cannot_be_used_is_told_and_costs_itself_alone(package: Path) -> None:
    done = call(package, "analyze", "run.jsonl", "--format", "json", "--select", "shiny-dip")
    assert "'phi'" in done.stderr and "its name is taken" in done.stderr and "'shiny_untyped'" in done.stderr
    (package / "shiny-1.0.dist-info" / "entry_points.txt").write_text(
        "[curvedoc.rules]\na = shiny.code:ALL\nb = shiny.gone\n"
    )
    done = call(package, "analyze", "run.jsonl")
    assert done.returncode == 0 and "no folder and no package" in done.stderr and "does not load" in done.stderr


def test_triage_keeps_no_result_that_another_package_made(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURVEDOC_CACHE", str(tmp_path / "cache"))
    with_it = call(package, "triage", "run.jsonl", "--format", "jsonl", "--select", "shiny-dip")
    (package / "shiny" / "extra" / "shiny-dip.yaml").write_text(RULE.replace("value: 2", "value: 9"))
    without = call(package, "triage", "run.jsonl", "--format", "jsonl", "--select", "shiny-dip")
    assert '"shiny-dip"' in with_it.stdout and '"shiny-dip"' not in without.stdout


def test_the_list_of_words_holds_them(package: Path) -> None:
    done = call(package, "rules", "--vocabulary")
    assert "shiny_dip(series: a series, depth: a number) -> a number" in done.stdout
