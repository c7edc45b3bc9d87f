"""Whole runs of damaged, extreme and senseless curves: every rule gives a judgment or a reason, without a warning."""

from __future__ import annotations

import json
import math
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.core.run import ASSEMBLED, MESSAGES, RoleMatch, Run, Scalar, Source
from curvedoc.diagnose.judge.detect import detect
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.run import diagnose
from curvedoc.ingest import read_runs
from curvedoc.report.limits import limits
from curvedoc.rulebook.load import load, signals_file
from curvedoc.rulebook.rule import Rulebook

NAN, INF = float("nan"), float("inf")
ODD = [0.0, -0.0, 1.0, -1.0, NAN, INF, -INF, 5e-324, 1e-300, -1e-300, 1e300, -1e300, 1.7e308, 2.302585, 65536.0]
ROLES = (
    "loss", "val_loss", "accuracy", "val_accuracy", "lr", "grad_norm", "weight_norm", "epoch", "memory", "throughput",
    "step_time", "data_time", "gpu_utilization", "loss_scale", "update_ratio", "perplexity",
)  # fmt: skip
LAYERED = ("layer_grad_norm", "layer_weight_norm", "zero_fraction", "saturation_fraction", "layer_update_ratio")
SETTINGS = (
    "num_classes", "vocab_size", "batch_size", "grad_accum", "lr", "warmup_steps", "max_steps", "steps_per_epoch",
    "epochs", "max_grad_norm", "dropout", "weight_decay", "loss_scale", "seq_len", "label_smoothing",
)  # fmt: skip
SCALES = st.sampled_from([1.0, -1.0, 1e-300, 1e300, 1e-9, 1e9])


@cache
def book() -> Rulebook:
    return load()


@st.composite
def values(draw: st.DrawFn, n: int) -> np.ndarray:
    """n values: a shape on a scale, or anything at all; some of them replaced."""
    kind = draw(st.sampled_from(["any", "constant", "decay", "grow", "alternate", "noise", "steps", "zero then"]))
    i = np.arange(n)
    seed = draw(st.integers(0, 99))
    shapes = {
        "any": lambda: np.resize(np.array(draw(st.lists(st.sampled_from(ODD), min_size=1, max_size=12))), n),
        "constant": lambda: np.ones(n),
        "decay": lambda: 0.1 + 2.0 * np.exp(-i / max(1, n / 5)),
        "grow": lambda: np.exp(np.minimum(i, 600) / 3.0),
        "alternate": lambda: np.where(i % 2, 1.0, 3.0),
        "noise": lambda: 1.0 + 0.3 * np.random.default_rng(seed).standard_normal(n),
        "steps": lambda: 0.1 ** np.floor(4 * i / max(1, n)),
        "zero then": lambda: np.where(i < n // 2, 0.0, 1.0),
    }
    with np.errstate(over="ignore"):
        v = np.asarray(shapes[kind]() * draw(SCALES), dtype=np.float64)
    for _ in range(draw(st.integers(0, 3)) if n else 0):
        at = draw(st.integers(0, n - 1))
        v[at : at + draw(st.sampled_from([1, 1, 2, n]))] = draw(st.sampled_from(ODD))
    return v


@st.composite
def steps(draw: st.DrawFn, n: int) -> np.ndarray:
    """n growing steps: even, with random gaps, from a negative start, or those of a clock in nanoseconds."""
    kind = draw(st.sampled_from(["even", "sparse", "random", "negative", "enormous", "leap"]))
    i = np.arange(n, dtype=np.int64)
    gaps = np.random.default_rng(draw(st.integers(0, 99))).integers(1, 1000, n).cumsum()
    return {
        "even": i,
        "sparse": i * 1000,
        "random": gaps,
        "negative": i - 50,
        "enormous": i * 4096 + 2**60,
        "leap": np.where(i < n // 2, i, i + 10**15),
    }[kind]  # fmt: skip


@st.composite
def runs(draw: st.DrawFn) -> Run:
    """A run of a few roles, perhaps of two ranks, perhaps restarted, with senseless settings."""
    n = draw(st.sampled_from([1, 2, 3, 5, 9, 24, 60, 130, 260]))
    axis = draw(steps(n))
    names = draw(st.lists(st.sampled_from(ROLES), min_size=0, max_size=5, unique=True))
    matches = [RoleMatch(r, r) for r in dict.fromkeys(["loss", *names] if draw(st.booleans()) else names)]
    for role in draw(st.lists(st.sampled_from(LAYERED), max_size=2, unique=True)):
        matches += [RoleMatch(role, f"{role}/{k}.weight", f"{k}.weight") for k in range(2)]
    parts = []
    for m in matches:
        part = draw(st.sampled_from([1, 1, 7]))
        for rank in range(draw(st.sampled_from([1, 1, 1, 2]))):
            v = draw(values(len(axis[::part])))
            clock = axis[::part].astype(np.float64) * draw(st.sampled_from([1.0, -1.0, 0.0, 1e200, NAN]))
            parts.append(_frame(m.metric, axis[::part], v, clock, rank))
    points = pl.concat(parts) if parts else pl.DataFrame(schema=dict(ASSEMBLED))
    if len(points) and draw(st.booleans()):
        points = _restarted(points, int(axis[n // 3]), int(axis[2 * n // 3]))
    numbers = st.sampled_from([0, 1, -1, 2, 10, 1e300, 1e-300, 50_000, True])
    chosen: dict[str, Scalar] = draw(st.dictionaries(st.sampled_from(SETTINGS), numbers, max_size=5))
    text = draw(st.booleans())
    lines = ["step 5 loss nan", "CUDA out of memory", "x" * 3000, "\x00\x1b[31m"] if text else []
    rows = [("log", k + 1, None, "ERROR", int(axis[0]), 0, line, None) for k, line in enumerate(lines)]
    messages = pl.DataFrame(rows, schema=dict(MESSAGES), orient="row")
    return Run("r", points, messages, tuple(matches), chosen, chosen, (Source("s", "case", len(points), 0),),
               axis=draw(st.sampled_from(["step", "epoch", "row"])), has_text=text)  # fmt: skip


def _frame(metric: str, step: np.ndarray, value: np.ndarray, time: np.ndarray, rank: int) -> pl.DataFrame:
    n = len(step)
    columns: dict[str, Any] = {
        "metric": [metric] * n, "step": step, "value": value, "time": time, "rank": [rank] * n, "flags": [0] * n,
        "segment": [0] * n, "superseded": [False] * n,
    }  # fmt: skip
    return pl.DataFrame(columns, schema=dict(ASSEMBLED))


def _restarted(points: pl.DataFrame, landed: int, came_from: int) -> pl.DataFrame:
    """The counter went back from `came_from` to `landed`: rows between stand twice."""
    old = points.filter(pl.col("step") <= came_from).with_columns(superseded=pl.col("step") >= landed)
    new = points.filter(pl.col("step") >= landed).with_columns(segment=pl.lit(1, dtype=pl.Int32))
    return pl.concat([old, new])


def _sound(found: RunDiagnosis) -> None:
    """Every number of a diagnosis can be shown, every silence has its reason."""
    for f in found.findings:
        assert math.isfinite(f.strength) and 0.0 <= f.strength <= 1.0
        assert all(math.isfinite(v) for v in f.measures.values()), (f.symptom, f.measures)
        assert f.evidence and all(e.text and "nan" not in e.text.split() for e in f.evidence), (
            f.symptom,
            f.evidence,
            f.measures,
        )
    assert all(0.0 < c.probability <= 1.0 for c in found.causes)
    assert all(n.reason for n in found.not_judged)
    assert not [n for n in found.notes if n.kind == "rule-failed"]
    assert limits(found)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(runs())
def test_any_run_is_judged_by_every_rule_without_a_warning(run: Run) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bench = Bench(run)
        for rule in book().rules:
            judgment = detect(rule, bench, (), strict=True)
            assert judgment.outcome != "not-judged" or judgment.reason
        _sound(diagnose(run, book()))


def judged(place: Path) -> list[RunDiagnosis]:
    """As the command judges a directory, with the rules loaded once for all tests."""
    harvest = read_runs([place], signals={}, signals_file=signals_file())
    return [diagnose(run, book()) for run in harvest.runs]


WRITTEN: dict[str, list[Any]] = {
    "one point": [0],
    "two points": [0, 10],
    "the same step again": [0, 1, 1, 1, 2, 3, 3, 4] * 4,
    "steps as floats": [i + 0.0 for i in range(40)],
    "halves of steps": [i / 2 for i in range(40)],
    "steps beyond 64 bits": [2**70 + i for i in range(40)],
    "steps beyond what a float can tell apart": [2**54 + i for i in range(40)],
    "nanoseconds": [1_700_000_000_000_000_000 + i * 10**6 for i in range(40)],
    "steps at the end of 64 bits": [2**63 - 41 + i for i in range(40)],
    "infinite steps": [1e400 if i % 5 == 0 else i for i in range(40)],
    "steps as text": [str(i) for i in range(40)],
    "no step": [None] * 40,
    "negative steps": list(range(-40, 0)),
    "backwards": list(range(40, 0, -1)),
    "irregular": [i**4 for i in range(40)],
}
LOSSES: dict[str, Any] = {
    "falling": lambda i: 2.3 * 0.9**i + 0.01 * math.sin(7 * i),
    "negative": lambda i: -1.0 - 0.1 * i,
    "tiny": lambda i: 1e-300 * (2.0 + math.sin(i)),
    "enormous": lambda i: 1e300 * (2.0 + math.sin(i)),
    "breaking": lambda i: 2.3 - 0.05 * i if i < 20 else NAN,
    "nothing but infinity": lambda i: INF,
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("step", WRITTEN)
def test_a_log_of_strange_steps_gives_an_answer(step: str, loss: str, tmp_path: Path) -> None:
    rows = [
        {"step": s, "loss": LOSSES[loss](i), "lr": 1e-3, "time": 1e9 - 60.0 * i, "grad_norm": 1.0 + i % 3}
        for i, s in enumerate(WRITTEN[step])
    ]
    text = "".join(json.dumps({k: v for k, v in row.items() if v is not None}) + "\n" for row in rows)
    (tmp_path / "log.jsonl").write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = judged(tmp_path)
    assert found
    for run in found:
        _sound(run)
        if len(rows) < 3:
            assert run.verdict != "healthy"


def test_steps_that_a_float_cannot_tell_apart_are_counted(tmp_path: Path) -> None:
    rows = [json.dumps({"step": 2**54 + i, "loss": 2.0 - 0.01 * i + 0.01 * (i % 3)}) for i in range(40)]
    (tmp_path / "log.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (run,) = judged(tmp_path)
    assert next(s for s in run.signals if s.role == "loss").points == 40
    assert "step-from-order" in {n.kind for n in run.notes}
