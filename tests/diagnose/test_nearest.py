"""A failed run is put beside the healthy one whose configuration differs least; names and seeds are no differences."""

from __future__ import annotations

import csv
import io
import json
import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from curvedoc.cli.app import app
from curvedoc.core.diagnosis import RunDiagnosis, Verdict, Waste
from curvedoc.core.errors import UsageError
from curvedoc.diagnose.siblings.baseline_run import beside_baseline
from curvedoc.diagnose.siblings.nearest import nearest
from curvedoc.diagnose.siblings.outline import Outline
from curvedoc.report.exchange.json_document import from_json
from curvedoc.report.mask import masked, masker

CANONICAL = ("lr", "batch_size", "warmup_steps", "model", "seed")


def log(root: Path, name: str, failed: bool, config: dict[str, Any]) -> None:
    (root / name).mkdir(parents=True)
    values = [2 * math.exp(-i / 20) + 0.2 + 0.01 * math.sin(i * 7.3) for i in range(100)]
    rows = [{"step": i, "loss": math.nan if failed and i >= 50 else v} for i, v in enumerate(values)]
    (root / name / "metrics.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    (root / name / "config.json").write_text(json.dumps({**config, "output_dir": f"out/{name}"}))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    base = {"optimizer": {"lr": 1e-3}, "warmup_steps": 500, "batch_size": 32, "model": "mlp"}
    root = tmp_path / "sweep"
    log(root, "far", False, {**base, "batch_size": 64, "optimizer": {"lr": 1e-4}, "seed": 1})
    log(root, "run-12", False, {**base, "seed": 1})
    log(root, "bad", True, {**base, "optimizer": {"lr": 1e-2}, "warmup_steps": 0, "seed": 2})
    log(root, "unlucky", True, {**base, "seed": 3})
    return root


def test_every_view_of_a_tree_tells_the_difference(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURVEDOC_CACHE", str(tmp_path / "cache"))
    files = {kind: tmp_path / f"out.{kind}" for kind in ("html", "markdown", "csv", "json")}
    args = [a for kind, path in files.items() for a in (f"--{kind}", str(path))]
    result = CliRunner().invoke(app, ["triage", str(tree), "--select", "nan-sudden", *args])
    assert result.exit_code == 0, result.output
    want = "earest healthy run: run-12; here lr is 0.01 (0.001 there), warmup_steps is 0 (500 there)"
    texts = {kind: path.read_text("utf-8") for kind, path in files.items()}
    for kind, text in texts.items():
        assert want in " ".join(text.replace("\\", "").split()), kind
    rows = {r["run"]: r for r in csv.DictReader(io.StringIO(texts["csv"]))}
    assert "nearest healthy run: run-12; no logged setting differs but the seed" in rows["unlucky"]["differs"]
    assert "(3 here, 1 there)" in rows["unlucky"]["differs"]
    assert not rows["run-12"]["differs"]
    d = from_json(texts["json"])
    near = next(r.nearest for r in d.runs if r.run == "bad")
    assert near is not None and [(s.key, s.here, s.there) for s in near.settings] == [
        ("lr", 0.01, 0.001), ("warmup_steps", 0.0, 500.0),
    ]  # fmt: skip
    hidden = masked(d, masker(["run-12"]))
    assert "run-12" not in str(hidden)
    assert next(r.nearest for r in hidden.runs if r.run == "bad").run in {r.run for r in hidden.runs}  # type: ignore[union-attr]


def judged(name: str, verdict: Verdict) -> RunDiagnosis:
    return RunDiagnosis(name, verdict, "", (), (), (), (), (), None, Waste())


def told(verdicts: dict[str, tuple[Verdict, dict[str, Any]]]) -> dict[str, Any]:
    outlines = [Outline(n, c, {k: v for k, v in c.items() if k in CANONICAL}) for n, (_, c) in verdicts.items()]
    done = [RunDiagnosis(n, v, "", (), (), (), (), (), None, Waste(), config=c) for n, (v, c) in verdicts.items()]
    return dict(nearest(outlines, done))


def test_a_run_named_as_the_baseline_stands_beside_every_other(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURVEDOC_CACHE", str(tmp_path / "cache"))
    call = ["analyze", str(tree), "--select", "nan-sudden", "-f", "json", "--no-html", "--baseline-run"]
    done = CliRunner().invoke(app, [*call, "far"])
    assert done.exit_code == 0, done.output
    runs = {r.run: r for r in from_json(done.stdout).runs}
    assert runs["far"].nearest is None and runs["run-12"].verdict == "healthy"
    want = "baseline run: far; here batch_size is 32 (64 there), lr is 0.001 (0.0001 there)"
    assert runs["run-12"].nearest and runs["run-12"].nearest.text == want
    unknown = CliRunner().invoke(app, [*call, "fra"])
    assert unknown.exit_code == 2 and "no run 'fra'" in unknown.output and "far" in unknown.output


def test_a_loss_that_ends_above_the_baseline_is_noted_and_one_that_scatters_is_not() -> None:
    ends = {"base": 0.40, "alike": 0.41, "worse": 0.52, "better": 0.3}
    outlines = [Outline(n, {"lr": 0.1}, {"lr": 0.1}, end) for n, end in ends.items()]
    beside = beside_baseline(outlines, [judged(o.name, "healthy") for o in outlines], "base")
    notes = {d.run: [n.text for n in d.notes] for d in beside if d.notes}
    assert notes == {"worse": ["The loss ends at 0.52, that of the baseline run base at 0.4."]}
    with pytest.raises(UsageError, match="names 2 runs"):
        twice = [Outline(n, {}, {}) for n in ("a/x", "b/x")]
        beside_baseline(twice, [judged(o.name, "healthy") for o in twice], "x")


def test_fewest_keys_win_then_the_closest_values_then_one_seed() -> None:
    found = told(
        {
            "f": ("failed", {"lr": 0.1, "batch_size": 8, "seed": 2}),
            "h0": ("healthy", {"lr": 0.09, "batch_size": 9, "seed": 2}),
            "h1": ("healthy", {"lr": 1e-5, "batch_size": 8, "seed": 1}),
            "h2": ("healthy", {"lr": 0.05, "batch_size": 8, "seed": 1}),
            "h3": ("healthy", {"lr": 0.05, "batch_size": 8, "seed": 2}),
        }
    )
    assert found["f"].run == "h3" and [s.key for s in found["f"].settings] == ["lr"]


def test_what_a_trainer_writes_of_itself_is_no_setting() -> None:
    state = {"lr": 0.1, "trainer.is_world_process_zero": True}
    found = told({"f": ("failed", state), "h": ("healthy", {"lr": 0.01})})
    assert [s.key for s in found["f"].settings] == ["lr"]


@pytest.mark.parametrize(
    ("mine", "other"),
    [
        ({"lr": 0.1, "model": "a"}, {"lr": 0.1, "model": "b"}),  # another model is no sibling
        ({}, {"lr": 0.1}),  # nothing was logged
        ({"run_name": "x", "output_dir": "y"}, {"run_name": "z", "output_dir": "w"}),  # names alone
        ({f"key{i}": 1.0 for i in range(9)}, {f"key{i}": 2.0 for i in range(9)}),  # another training altogether
        ({"lr": 0.1, "batch_size": 40, "dropout": 0.5}, {"lr": 0.1, "width": 64}),  # another script's settings
    ],
)
def test_runs_that_cannot_be_compared_are_not(mine: dict[str, Any], other: dict[str, Any]) -> None:
    assert told({"f": ("failed", mine), "h": ("healthy", other)}) == {}


def test_two_runs_without_settings_are_not_compared_though_others_log_some() -> None:
    counted = {"printed.epochs": 20}
    assert "f" not in told(
        {"f": ("failed", {"printed.epochs": 10}), "h": ("healthy", counted), "x": ("healthy", {"lr": 0.1})}
    )


def test_only_failed_runs_get_one_and_only_from_healthy_runs() -> None:
    verdicts: tuple[Verdict, ...] = ("failed", "warning", "inconclusive")
    assert told({v: (v, {"lr": 0.1 * i + 0.1}) for i, v in enumerate(verdicts)}) == {}
    assert set(told({v: (v, {"lr": 0.1}) for v in (*verdicts, "healthy")})) == {"failed"}  # type: ignore[arg-type]


def test_absent_long_and_secret_values_are_told_as_such() -> None:
    found = told(
        {
            "f": ("failed", {"lr": 0.1, "momentum": 0.9, "note_text": "x" * 500, "db_password": "hunter2"}),
            "h": ("healthy", {"lr": 0.1, "momentum": 0.9, "dropout": 0.5, "db_password": "two"}),
        }
    )["f"]
    assert "dropout is not set (0.5 there)" in found.text and "…" in found.text and len(found.text) < 200
    assert "hunter2" not in str(found)


CONFIGS = st.fixed_dictionaries(
    {"lr": st.sampled_from([0.1, 0.01]), "batch_size": st.sampled_from([8, 16]), "flag": st.booleans()},
    optional={"dropout": st.sampled_from([0.1, 0.5]), "kind": st.sampled_from(["a", "b"])},
)


@given(st.lists(st.tuples(st.booleans(), CONFIGS), min_size=2, max_size=12))
@settings(max_examples=60, deadline=None)
def test_no_healthy_run_differs_in_fewer_keys(drawn: list[tuple[bool, dict[str, Any]]]) -> None:
    runs = {f"r{i}": ("failed" if bad else "healthy", config) for i, (bad, config) in enumerate(drawn)}
    found = told(runs)  # type: ignore[arg-type]
    healthy = [c for v, c in runs.values() if v == "healthy"]
    assert set(found) == ({n for n, (v, _) in runs.items() if v == "failed"} if healthy else set())
    for name, near in found.items():
        mine = runs[name][1]
        counts = [sum(mine.get(k) != c.get(k) for k in {*mine, *c}) for c in healthy]
        assert len(near.settings) == min(counts)
        there = runs[near.run][1]
        assert {s.key for s in near.settings} == {k for k in {*mine, *there} if mine.get(k) != there.get(k)}


def test_thousands_of_runs_take_a_bounded_time() -> None:
    runs: dict[str, tuple[Verdict, dict[str, Any]]] = {}
    for i in range(4000):
        config = {"lr": (i % 61) / 1000, "batch_size": i % 53, **{f"k{j}": (i * (j + 3)) % 7 for j in range(15)}}
        runs[f"r{i}"] = ("failed" if i % 2 else "healthy", config)
    start = time.process_time()
    assert len(told(runs)) > 1000
    assert time.process_time() - start < 60  # all pairs would take many minutes


def test_a_run_without_a_neighbor_is_saved_and_read_as_before() -> None:
    from curvedoc.report.exchange.json_document import to_json

    run = RunDiagnosis("a", "failed", "", (), (), (), (), (), None, Waste())
    from curvedoc.core.diagnosis import Diagnosis

    text = to_json(Diagnosis("1", "x", (run,)))
    assert from_json(text).runs[0].nearest is None
    old = json.loads(text)
    del old["runs"][0]["nearest"]
    assert from_json(json.dumps(old)).runs[0] == replace(run, nearest=None)
