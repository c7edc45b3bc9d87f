"""What a log did to its values is told: averages, samples, thinning, zeros, summary rows, steps written again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulate import curve

from curvedoc import analyze
from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.core.series import Series
from curvedoc.report.limits import limits
from curvedoc.stats.noise.averaging import MOST, averaged_rows

quick = settings(max_examples=40, deadline=None)
N = 800
T = np.arange(N)
Row = Mapping[str, float]


def loss(seed: int = 0, n: int = N, noise: float = 0.05) -> np.ndarray:
    """A healthy decay with noise in proportion."""
    level = 0.3 + 2.0 * np.exp(-np.arange(n) / (0.2 * n))
    return np.asarray(level * (1.0 + noise * np.random.default_rng(seed).standard_normal(n)))


def rows(
    values: Sequence[float] | np.ndarray, step: Sequence[int] | np.ndarray | None = None
) -> list[dict[str, float]]:
    at = range(len(values)) if step is None else step
    return [{"step": int(s), "loss": float(v), "lr": 1e-3} for s, v in zip(at, values, strict=True)]


@pytest.fixture
def told(tmp_path: Path) -> Callable[[Sequence[Row]], RunDiagnosis]:
    """The diagnosis of a JSON-lines log with these rows."""

    def write(records: Sequence[Row]) -> RunDiagnosis:
        (tmp_path / "log.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
        return analyze(tmp_path).runs[0]

    return write


def kinds(run: RunDiagnosis) -> dict[str, str]:
    return {n.kind: n.text for n in run.notes}


Told = Callable[[Sequence[Row]], RunDiagnosis]
HYGIENE = {
    "data-again",
    "looks-averaged",
    "gaps-at-random",
    "interval-grows",
    "zero-values",
    "steps-again",
    "summary-row",
}


def test_an_ordinary_log_has_no_remark(told: Told) -> None:
    assert HYGIENE & set(kinds(told(rows(loss())))) == set()


@pytest.mark.parametrize("width", [10, 20, 40])
def test_a_moving_average_is_told_with_its_width(told: Told, width: int) -> None:
    run = told(rows(np.convolve(loss(n=2000), np.ones(width) / width, "valid")))
    assert f"about {width} rows" in kinds(run)["looks-averaged"]
    assert any("running average" in text for text in limits(run))


def test_an_exponential_average_is_told(told: Told) -> None:
    values = loss(n=2000)
    for i in range(1, len(values)):
        values[i] = 0.9 * values[i - 1] + 0.1 * values[i]
    assert "looks-averaged" in kinds(told(rows(values)))


@quick
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.2]), st.sampled_from([150, 400, 2000]))
def test_raw_noise_is_no_average(seed: int, phi: float, n: int) -> None:
    assert averaged_rows(curve(n, np.random.default_rng(seed), phi=phi).series()) == 0.0


def test_curves_without_noise_are_no_averages() -> None:
    assert averaged_rows(Series.of(2.0 * np.exp(-T / 100.0))) == 0.0
    assert averaged_rows(Series.of(np.sin(T / 20.0))) == 0.0
    assert averaged_rows(Series.of([1.0] * N)) == 0.0
    assert averaged_rows(Series.of([0.0, 1.0] * 400)) == 0.0
    assert averaged_rows(Series.of([1.0] * 30)) is None


def test_averages_are_found_and_their_span_is_at_most_what_can_be_told() -> None:
    for i in range(10):
        walk = np.random.default_rng(i).standard_normal(1500)
        for j in range(1, len(walk)):
            walk[j] = 0.98 * walk[j - 1] + 0.02 * walk[j]
        span = averaged_rows(Series.of(walk))
        assert span is not None and 0.5 * MOST <= span <= MOST


def test_a_random_sample_of_rows_is_told_and_regular_logging_is_not(told: Told) -> None:
    values = loss(n=40_000)
    at = np.sort(np.random.default_rng(1).choice(40_000, 1_000, replace=False))
    run = told(rows(values[at], at))
    assert "TensorBoard" in kinds(run)["gaps-at-random"]
    assert any("random sample" in text for text in limits(run))
    every = np.arange(0, 40_000, 40)
    assert "gaps-at-random" not in kinds(told(rows(values[every], every)))
    by_clock = np.cumsum(40 + np.random.default_rng(2).integers(-6, 7, 900))
    assert "gaps-at-random" not in kinds(told(rows(values[by_clock], by_clock)))


def test_an_interval_that_grows_is_told(told: Told) -> None:
    at = np.concatenate([np.arange(200), np.arange(200, 2_000, 10), np.arange(2_000, 20_000, 100)])
    run = told(rows(loss(n=20_000)[at], at))
    assert "every 1 steps at first and every 100" in kinds(run)["interval-grows"]
    assert "gaps-at-random" not in kinds(run)


def test_single_zeros_are_told_and_a_loss_that_comes_to_zero_is_not(told: Told) -> None:
    holes = loss()
    holes[[100, 203, 555]] = 0.0
    assert kinds(told(rows(holes)))["zero-values"].startswith("3 of 800")
    rounded = np.round(0.004 * np.random.default_rng(5).gamma(0.5, 1.0, N), 4)
    assert (rounded == 0.0).any() and "zero-values" not in kinds(told(rows(rounded)))
    memorized = np.maximum(2.3 * np.exp(-T / 20.0) - 1e-6, 0.0)
    assert "zero-values" not in kinds(told(rows(memorized)))


def test_a_loss_of_nothing_but_zeros_is_told(told: Told) -> None:
    run = told(rows(np.zeros(N)))
    assert "All 800 values" in kinds(run)["zero-values"]
    assert "loss-collapsed-to-zero" in {f.symptom for f in run.findings}


@pytest.mark.parametrize("step", [{"step": N - 1}, {"step": N}, {}], ids=["again", "next", "none"])
def test_a_last_row_with_the_mean_is_left_out(told: Told, step: dict[str, float]) -> None:
    values = loss()
    run = told([*rows(values), {**step, "loss": float(values.mean())}])
    assert "loss (mean)" in kinds(run)["summary-row"]
    assert next(s for s in run.signals if s.role == "loss").last_value == pytest.approx(values[-1])


def test_the_best_value_written_once_more_is_left_out_and_a_new_best_is_kept(told: Told) -> None:
    values = loss()
    again = told([*rows(values), {"step": N - 1, "loss": float(values.min())}])
    assert "loss (best)" in kinds(again)["summary-row"]
    better = told([*rows(values), {"step": N, "loss": float(values.min()) - 0.01}])
    assert "summary-row" not in kinds(better)
    assert next(s for s in better.signals if s.role == "loss").points == N + 1


def test_a_curve_that_rests_at_its_mean_has_no_summary(told: Told) -> None:
    assert "summary-row" not in kinds(told(rows([0.5] * 100)))
    assert "summary-row" not in kinds(told(rows([0.4, 0.6] * 50 + [0.5])))


@pytest.mark.parametrize(
    ("seed", "scale", "says"), [(0, 1.0, "same values"), (0, 1.1, "same data"), (9, 1.0, "other noise")]
)
def test_steps_written_again_say_how_alike_they_are(told: Told, seed: int, scale: float, says: str) -> None:
    first, second = loss(), loss(seed) * scale
    run = told([*rows(first[:500]), *rows(second[300:], T[300:])])
    assert says in kinds(run)["steps-again"]
    assert "step-rewind" in {f.symptom for f in run.findings}


@pytest.mark.parametrize("replayed", [True, False])
def test_data_that_was_read_from_its_beginning_again_after_a_restart_is_told(told: Told, replayed: bool) -> None:
    level = 0.3 + 2.0 * np.exp(-T / 160.0)
    batch = np.random.default_rng(3).standard_normal(N)
    order = np.arange(N)
    order[300:] = order[:500] if replayed else order[300:][::-1]
    own = 0.3 * np.random.default_rng(4).standard_normal(N)
    second = level * (1.0 + 0.05 * (batch[order] + own))
    run = told([*rows((level * (1.0 + 0.05 * batch))[:400]), *rows(second[300:], T[300:])])
    assert ("data-again" in kinds(run)) is replayed
