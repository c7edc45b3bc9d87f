"""Shapes of lines as strangers write them, whether what they tell falls, rests, rises or is NaN."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from corpus import SIGNALS
from text_log import read

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs

pytestmark = pytest.mark.fast

#: One training loss in each of its ways; the validation loss is a tenth above.
CURVES: dict[str, Callable[[int], float]] = {
    "falls": lambda i: round(0.2 + 2.0 / (1 + i) + 0.01 * (i * 7 % 5), 4),
    "rests": lambda i: round(2.303 + 0.003 * (i * 7 % 5 - 2), 4),
    "rises": lambda i: round(0.9 + 0.02 * i * i + 0.02 * (i * 7 % 5), 4),
    "breaks": lambda i: round(2.0 / (1 + i) + 0.2, 4) if i < 9 else math.nan,
}
EPOCHS = 14


def values(run: Run, role: str) -> list[float]:
    """The values of the first metric of a role, NaN as -1."""
    match = next(iter(run.matches(role)), None)
    series = None if match is None else run.metric(match.metric)
    assert series is not None, (role, run.metrics())
    return [-1.0 if math.isnan(v) else round(float(v), 4) for v in series.value]


@pytest.fixture(params=CURVES)
def curve(request: pytest.FixtureRequest) -> Callable[[int], float]:
    return CURVES[request.param]


def told(curve: Callable[[int], float], factor: float = 1.0) -> list[float]:
    found = [round(factor * curve(i), 4) for i in range(EPOCHS)]
    return [-1.0 if math.isnan(v) else v for v in found]


def rows(line: Callable[[int, float, float], str], curve: Callable[[int], float]) -> str:
    return "".join(line(i, curve(i), round(1.1 * curve(i), 4)) + "\n" for i in range(EPOCHS))


@pytest.mark.parametrize(
    "line",
    [
        lambda i, t, v: f"epoch {i}: (train, val) loss = ({t}, {v}), lr 0.01",
        lambda i, t, v: f"epoch {i} | loss (train, val): {t}, {v} | lr 0.01",
        lambda i, t, v: f"{i + 1}. train {t}  dev {v}",
        lambda i, t, v: f"epoch-{i} loss-{t} val_loss-{v}",
        lambda i, t, v: f"[{i}/14] it {20 * i + 20}: loss {t} | dev loss {v}",
        lambda i, t, v: f"[info] epoch={i} | trn: loss={t} err=0.5 | tst: loss={v} err=0.6",
        lambda i, t, v: f" EPOCH {i}  ETRAIN {t}  ETEST {v}",
        lambda i, t, v: f"{100 * i / 14:.1f}% done, error {t}, validation error {v}",
        lambda i, t, v: f"Epoch {i}: trainingsverlies {t}, validatieverlies {v}",
        lambda i, t, v: f"Epoka {i}: strata treningowa {t}, strata walidacyjna {v}",
        lambda i, t, v: f"Devir {i}: eğitim kaybı {t}, doğrulama kaybı {v}",
        lambda i, t, v: f"epoch {i} loss {t} |g| 0.5 ||w|| 12.5\nEvaluation result (greedy): loss: {v}",
    ],
)
def test_a_line_of_its_own_kind_tells_both_losses(
    line: Callable[[int, float, float], str], curve: Callable[[int], float], tmp_path: Path
) -> None:
    run = read(tmp_path, rows(line, curve))[0]
    assert values(run, "loss") == told(curve)
    assert values(run, "val_loss") == told(curve, 1.1)


def test_rows_of_two_splits_under_one_header(curve: Callable[[int], float], tmp_path: Path) -> None:
    head = "\n  Train      #    Epoch      wall       LR       loss_a         loss\n"
    run = read(
        tmp_path,
        rows(
            lambda i, t, v: f"{head}! Train   {i}  4.5  0.01  0.1  {t}\n! Validation  {i}  4.5  0.01  0.1  {v}", curve
        ),
    )[0]
    assert values(run, "loss") == told(curve)
    assert values(run, "val_loss") == told(curve, 1.1)


def test_names_that_stand_twice_are_of_two_splits(curve: Callable[[int], float], tmp_path: Path) -> None:
    head = " epoch         MAE       <RMSE>          MAE       <RMSE>\n"
    run = read(tmp_path, head + rows(lambda i, t, v: f"  {i}   0.1   {t}   0.2   {v} <", curve))[0]
    assert values(run, "loss") == told(curve)
    assert values(run, "val_loss") == told(curve, 1.1)


def test_a_bound_below_zero_is_told_with_the_other_sign(curve: Callable[[int], float], tmp_path: Path) -> None:
    head = "  iter             ELBO   delta_mean   notes \n"
    run = read(tmp_path, head + rows(lambda i, t, v: f"  {100 * i + 100}   {-t}   0.5", curve))[0]
    assert values(run, "loss") == told(curve)
    run = read(tmp_path, rows(lambda i, t, v: f"<{10 * i}> LL/token: {-t}", curve))[0]
    assert values(run, "loss") == told(curve)
    run = read(tmp_path, rows(lambda i, t, v: f"step {i} neg_elbo {-t} elbo_loss {t}", curve))[0]
    assert not any(m.unit == "negated" for m in run.roles)


@pytest.mark.parametrize("way", ["falls", "rests"])
def test_two_errors_without_any_name_are_of_two_splits(way: str, tmp_path: Path) -> None:
    curve = CURVES[way]
    path = tmp_path / "train.log"
    path.write_text(
        "1000 200\n" + "".join(f"{i} {1.5 + i % 3} {curve(i % 14)} {1.1 * curve(i % 14)}\n" for i in range(28))
    )
    run = read_runs([path], signals_file=SIGNALS).runs[0]
    assert [(m.metric, m.trust) for m in run.matches("loss")] == [("column 3", "guess")]
    assert [m.metric for m in run.matches("val_loss")] == ["column 4"]
    path.write_text(rows(lambda i, t, v: f"Epoch {i}: ({t}, {v}, 12)", curve))
    run = read_runs([path], signals_file=SIGNALS).runs[0]
    assert values(run, "loss") == told(curve)
    assert values(run, "val_loss") == told(curve, 1.1)


def test_terms_in_brackets_under_a_header(curve: Callable[[int], float], tmp_path: Path) -> None:
    head = "Step      Train loss                Test metric (rel. L2)\n"
    run = read(tmp_path, head + rows(lambda i, t, v: f"{100 * i}   [{t}, 1.2e-03]    [{v}]", curve))[0]
    assert values(run, "loss") == told(curve)
    assert run.axis == "step"
    assert [m.metric for m in run.matches("val_loss")] == ["Test metric rel. L2"]


def test_a_window_in_brackets_is_no_value(curve: Callable[[int], float], tmp_path: Path) -> None:
    text = rows(lambda i, t, v: f"round {200 * i}/6000 | avg reward (200) {t:+.4f} | td error {v}", curve)
    assert values(read(tmp_path, text)[0], "reward") == told(curve)


def test_the_number_of_candidates_behind_a_loss(curve: Callable[[int], float], tmp_path: Path) -> None:
    path = tmp_path / "retrieval.txt"
    head = f"{ {'batch': 64, 'lr': 0.01} }\n"
    path.write_text(head + rows(lambda i, t, v: str({"epoch": i, "nce": t, "dev_nce@300": v, "medR": 90.0 - i}), curve))
    run = read_runs([path], signals_file=SIGNALS).runs[0]
    assert values(run, "loss") == told(curve)
    assert values(run, "val_loss") == told(curve, 1.1)
    assert run.axis == "epoch"
    assert [m.metric for m in run.matches("metric")] == ["medR"]


def test_a_similarity_turned_round_is_a_loss(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps({"epoch": i, "neg_cos_sim": -0.03 * i, "z_std": 0.1}) + "\n" for i in range(14)))
    run = read_runs([path], signals_file=SIGNALS).runs[0]
    assert [(m.metric, m.trust) for m in run.matches("loss")] == [("neg_cos_sim", "sure")]
    path.write_text(
        "".join(
            json.dumps({"epoch": i, "loss": 2.0 - i / 9, "pos_sim": 0.05 * i, "neg_sim": -0.01 * i}) + "\n"
            for i in range(14)
        )
    )
    run = read_runs([path], signals_file=SIGNALS).runs[0]
    assert [m.metric for m in run.matches("loss")] == ["loss"]


@pytest.mark.parametrize("error", ["falls with the loss", "rests where the loss does"])
def test_top1_that_goes_with_the_loss_is_an_error(error: str, tmp_path: Path) -> None:
    curve = CURVES["falls" if error.startswith("falls") else "rests"]
    text = rows(
        lambda i, t, v: f"Epoch {i} top1: {min(40 * t, 91.0):.2f} loss: {t} | val top1: {20 * v:.2f} val loss: {v}",
        curve,
    )
    run = read(tmp_path, text)[0]
    assert not list(run.matches("accuracy")) and not list(run.matches("val_accuracy"))
    right = rows(lambda i, t, v: f"Epoch {i} top1: {90 - 20 * t:.2f} loss: {t}", CURVES["falls"])
    assert [m.metric for m in read(tmp_path, right)[0].matches("accuracy")] == ["top1"]


def test_two_splits_that_rise_by_numbers_above_one_are_losses(tmp_path: Path) -> None:
    run = read(tmp_path, rows(lambda i, t, v: f"epoch {i}: train {t} valid {v}", CURVES["rises"]))[0]
    assert values(run, "loss") == told(CURVES["rises"])
