"""Reports stay small, say what they left out for it, and are the same bytes in every process."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from make_diagnosis import healthy_run, nan_run, of

from curvedoc.core.diagnosis import Curve, RunDiagnosis
from curvedoc.core.series import Series
from curvedoc.diagnose.curves import BUCKETS
from curvedoc.diagnose.thinning import thin
from curvedoc.report.html.levels import LIMIT
from curvedoc.report.html.page import to_html

ROOT = Path(__file__).resolve().parents[2]
ROLES = ("loss", "val_loss", "grad_norm", "lr", "accuracy", "val_accuracy", "weight_norm", "loss_scale", "memory",
         "throughput", "step_time", "gpu_utilization")  # fmt: skip


def twelve(steps: int, seed: int = 0, near: tuple[int, ...] = ()) -> tuple[Curve, ...]:
    """Twelve noisy metrics of so many steps."""
    rng = np.random.default_rng(seed)
    step = np.arange(steps)
    return tuple(thin(Series(step, np.exp(rng.standard_normal(steps)), f"m/{r}"), r, "", BUCKETS, near) for r in ROLES)


def run_of(name: str, steps: int, seed: int, failed: bool = True) -> RunDiagnosis:
    base = nan_run(name) if failed else healthy_run(name)
    return replace(base, curves=twelve(steps, seed, (steps // 2, steps // 3) if failed else ()))


def test_one_run_of_twelve_metrics_and_ten_thousand_steps_takes_at_most_a_megabyte_and_a_half() -> None:
    page = to_html(of(run_of("one", 10_000, 1)))
    assert len(page.encode()) <= 1_500_000
    assert "Left out for size" not in page


@pytest.fixture(scope="module")
def fifty() -> str:
    return to_html(of(*(run_of(f"run-{i}", 5_000, i) for i in range(50))))


def test_fifty_failed_runs_of_twelve_metrics_take_at_most_three_and_a_half_megabytes(fifty: str) -> None:
    assert len(fifty.encode()) <= LIMIT == 3_500_000
    assert len(re.findall(r'<section class="run"', fifty)) == 50


def test_what_was_left_out_for_size_is_said(fifty: str) -> None:
    (said,) = re.findall(r"<dt>Left out for size</dt><dd>(.*?)</dd>", fifty)
    assert re.search(r"at most \d+ buckets instead of 420", said)
    assert re.search(r"near a finding are not drawn one by one for \d+ runs", said)
    assert "JSON holds all of it" in said


def test_more_runs_than_fit_are_told_in_short_and_it_is_said() -> None:
    base = nan_run()
    causes = (*base.causes, *(replace(c, mechanism="a long story " * 4_000) for c in base.causes))
    many = [replace(base, run=f"run-{i}", curves=(), causes=causes) for i in range(70)]
    page = to_html(of(*many, replace(healthy_run("calm"), curves=())))
    assert len(page.encode()) <= LIMIT
    (said,) = re.findall(r"<dt>Left out for size</dt><dd>(.*?)</dd>", page)
    sections = len(re.findall(r'<section class="run"', page))
    assert sections == 71 or f"{71 - sections} runs have no section" in said
    short = len(re.findall("Told in short, to keep this file small", page))
    assert short and f"{short} runs are told in short" in said
    assert page.count('data-state="') == 71


def test_every_run_that_went_wrong_stands_in_the_page_of_two_hundred_and_fifty_as_text() -> None:
    """Verdict, cause and first action of each; curves of as many as there is room for."""
    page = to_html(of(*(run_of(f"run-{i:03}", 2_000, i) for i in range(250))))
    assert len(page.encode()) <= LIMIT
    made = re.findall(r'<section class="run" id="r\d+">.*?</section>', page, re.DOTALL)
    first = nan_run()
    assert len(made) == 250 and first.next_action
    for text in made:
        assert "Failed</span>" in text and first.causes[0].title.lower() in text.lower()
        assert first.next_action.text[:40] in text
    drawn, told = page.count('class="card curves'), page.count("Told as text, to keep this file small")
    assert drawn + told == 250 and drawn >= 40


def test_a_table_of_thousands_of_runs_is_cut_with_a_remark_and_keeps_the_healthy_reference() -> None:
    slim = replace(nan_run(), curves=(), findings=(), causes=(), not_judged=())
    many = [replace(slim, run=f"run-{i:04}") for i in range(3_500)]
    page = to_html(of(*many, replace(healthy_run("calm"), curves=())))
    assert len(page.encode()) <= LIMIT
    assert re.search(r"The table lists the worst [\d,]+ of 3,501 runs", page)
    assert "<bdi>calm</bdi></a>" in page


SCRIPT = """
import sys, hashlib
from pathlib import Path
import curvedoc
found = curvedoc.analyze([Path(p) for p in sys.argv[1:]])
for text in (found.to_html(), found.to_markdown(), found.to_json()):
    print(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
"""


def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for name, rate in (("a", 0.99), ("b", 1.02)):
        folder = tmp_path / name
        folder.mkdir()
        loss = 2.0 * rate ** np.arange(400) + 0.02 * rng.standard_normal(400)
        rows = [
            {"step": i, "train/loss": v, "val/loss": v * 1.1, "grad_norm": abs(v)} for i, v in enumerate(loss.tolist())
        ]
        (folder / "metrics.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
        (folder / "config.json").write_text(json.dumps({"lr": 0.1, "zeta": 1, "alpha": "x"}), encoding="utf-8")
    said = []
    for seed in ("1", "77"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path)], env=env, capture_output=True, text=True, check=True
        )
        said.append(done.stdout.split())
    assert said[0] == said[1]
    assert len(set(said[0])) == 3 and all(len(s) == len(hashlib.sha256().hexdigest()) for s in said[0])
