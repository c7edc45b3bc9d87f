"""The reports that the browser opens, each written once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from make_diagnosis import curve, healthy_run, nan_run, of, oom_run, overfit_run, sweep

from curvedoc.core.diagnosis import Diagnosis, RunDiagnosis
from curvedoc.pipeline import Options, analyze
from curvedoc.report.html.page import to_html

SAMPLES = Path(__file__).resolve().parents[2] / "sample_logs"
METRICS = 12


def with_metrics(run: RunDiagnosis, n: int = METRICS) -> RunDiagnosis:
    """The run with further metrics, so that it has `n` curves."""
    base = run.curves[0]
    more = tuple(replace(base, role="other", metric=f"extra/{i}") for i in range(n - len(run.curves)))
    return replace(run, curves=(*run.curves, *more))


def fifty() -> Diagnosis:
    """Fifty runs of every verdict, twelve metrics each."""
    kinds = [with_metrics(r) for r in (nan_run(), overfit_run(), oom_run(), healthy_run(), healthy_run(seed=3))]
    return of(*(replace(kinds[i % len(kinds)], run=f"sweep/run-{i:02}") for i in range(50)))


def hundred() -> Diagnosis:
    """Failed runs of more metrics than fit, beside more healthy ones than have a section."""
    bad = [with_metrics(replace(nan_run(), run=f"bad-{i:03}"), 20) for i in range(160)]
    return of(*bad, *(replace(healthy_run(), run=f"good-{i:02}") for i in range(20)))


def edges() -> Diagnosis:
    """A run whose findings begin at its first step, beside it and at its last."""
    run = nan_run()
    first, last = run.curves[0].step[0], run.curves[0].step[-1]
    kinds = [replace(run.findings[0], first_step=s, last_step=s, evidence=()) for s in (first, first + 90, last)]
    return of(replace(run, findings=tuple(kinds), causes=()))


def lone() -> Diagnosis:
    """A run of whose gradient norm single values are finite, here and there."""
    run = nan_run()
    steps = list(range(0, 400))
    norm = [1.0 if i < 200 or i % 40 == 0 else float("nan") for i in steps]
    curves = (curve("loss", "loss", steps, [2.0] * 400), curve("grad_norm", "grad_norm", steps, norm))
    return of(replace(run, curves=curves, findings=(), causes=()))


def sampled(name: str) -> Diagnosis:
    """A recorded run, read and diagnosed."""
    return analyze(SAMPLES / name, Options())


MADE: dict[str, Callable[[], Diagnosis]] = {
    "one": lambda: of(nan_run()),
    "failed": lambda: sampled("nan-after-blowup"),
    "healthy": lambda: sampled("converged-flat"),
    "edges": edges,
    "lone": lone,
    "few": lambda: of(nan_run(), oom_run(), healthy_run()),
    "sweep": sweep,
    "fifty": fifty,
    "hundred": hundred,
}


def write(name: str, folder: Path) -> Path:
    """The page of one of MADE as a file."""
    path = folder / f"{name}.html"
    if not path.exists():
        path.write_text(to_html(MADE[name](), title=f"runs/{name}"), "utf-8")
    return path
