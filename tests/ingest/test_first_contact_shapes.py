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
        lambda i, t, v: f"Ep {i}/14 | TL {t} | VL {v} | TA 10.0 | VA 11.0 | 3.2s",
        lambda i, t, v: f"Epoch {i}\n  training loss ........ {t}\n  validation loss ...... {v}",
        lambda i, t, v: f"Epoch {i} Update {10 * i} Cost  {t}\nValid  {v}",
        lambda i, t, v: f"(:epoch, {i}, :trn, {t}, :tst, {v})",
        lambda i, t, v: f"[epoch {i}] loss {t}/{v} acc 0.5/0.4 (train/val)",
        lambda i, t, v: f"train_loss|{t}|val_loss|{v}|epoch|{i}",
        lambda i, t, v: f"<{i}> loss<train>={t} loss<val>={v}",
        lambda i, t, v: f"e={i}  E_in={t}  E_out={v}",
        lambda i, t, v: f"sweep {i}: empirical risk {t}; held-out risk {v}",
        lambda i, t, v: f"Pass {i}: training cost={t}, cross-validation cost={v}",
        lambda i, t, v: (
            f"Epoch {i}\n+-----+-----+-----+\n| metric | train | val |\n| loss | {t} | {v} |\n| acc | 0.5 | 0.4 |"
        ),
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


def test_decibels_and_a_likeness_that_rises_with_them_are_qualities_whatever_they_are_called(
    curve: Callable[[int], float], tmp_path: Path
) -> None:
    head = "epoch,train_loss,valid_mae_loss,valid_psnr_loss,valid_ssim_loss\n"
    path = tmp_path / "history.csv"
    path.write_text(head + rows(lambda i, t, v: f"{i},{t},{v},{40 - 4 * v},{1 - v / 9}", curve))
    run = read_runs([path], signals_file=SIGNALS).runs[0]
    assert values(run, "val_loss") == told(curve, 1.1)
    assert {m.metric for m in run.matches("val_metric")} == {"valid_psnr_loss", "valid_ssim_loss"}


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


@pytest.mark.parametrize("way", ["falls", "rests"])
def test_what_is_called_like_the_total_of_training_is_the_total_there(way: str, tmp_path: Path) -> None:
    def line(i: int, t: float, v: float) -> str:
        part = 0.1 * (i % 3)
        return f"[E {i}] total={t} (ce={t - part:.4f}, kd={part:.4f}) || dev total={v} (ce=0.9, kd=0.3)"

    run = read(tmp_path, rows(line, CURVES[way]))[0]
    assert values(run, "loss") == told(CURVES[way])
    assert values(run, "val_loss") == told(CURVES[way], 1.1)


def test_numbered_names_above_columns(curve: Callable[[int], float], tmp_path: Path) -> None:
    run = read(tmp_path, "# 1:epoch 2:trainloss 3:valloss\n" + rows(lambda i, t, v: f"{i} {t} {v}", curve))[0]
    assert values(run, "loss") == told(curve)
    assert values(run, "val_loss") == told(curve, 1.1)


@pytest.mark.parametrize("way", ["falls", "rests", "breaks"])
def test_exponents_of_double_precision(way: str, tmp_path: Path) -> None:
    curve = CURVES[way]
    text = rows(lambda i, t, v: f"At iterate {i:5d}    f= {t:.4e}    |proj g|=  1.5e-01\n", curve)
    run = read(tmp_path, text.replace("e+", "D+").replace("e-", "D-"))[0]
    assert values(run, "loss") == told(curve)


def test_names_in_percent_that_are_splits_are_accuracies(curve: Callable[[int], float], tmp_path: Path) -> None:
    run = read(tmp_path, rows(lambda i, t, v: f"Epoch: {i}, Loss: {t}, Train: 12.5%, Valid: {10 + v:.2f}%", curve))[0]
    assert values(run, "loss") == told(curve)
    assert [m.metric for m in run.matches("val_accuracy")] == ["Valid acc"]
    assert not list(run.matches("val_loss"))


def test_unnamed_measures_behind_an_epoch_begin_anew_with_each_fold(tmp_path: Path) -> None:
    fold = rows(lambda i, t, v: f"ep {i + 1} tr {t} va {v}", CURVES["rests"])
    runs = read(tmp_path, "".join(f"=== fold {k}/3 ===\n{fold}fold {k} best va 0.5\n" for k in (1, 2, 3)))
    assert [values(r, "loss") for r in runs] == 3 * [told(CURVES["rests"])]


def test_an_object_a_file_with_its_splits_inside(tmp_path: Path) -> None:
    for i in range(6):
        (tmp_path / f"epoch_{i}.json").write_text(json.dumps({"train": {"loss": 2.0 - i / 9}, "val": {"loss": 2.5}}))
    run = read_runs([tmp_path], signals_file=SIGNALS).runs[0]
    assert len(values(run, "loss")) == 6 and len(values(run, "val_loss")) == 6


def test_a_loss_that_falls_smoothly_with_a_little_noise_is_no_schedule(tmp_path: Path) -> None:
    text = "".join(
        f"  {i + 1}   {2.3 * math.exp(-0.09 * i) + 0.15 + 0.009 * (i * 7 % 5 - 2):.6f}   {0.3 + 0.01 * (i % 3)}\n"
        for i in range(24)
    )
    run = read(tmp_path, "  Niter        Obj       |grad|\n" + text)[0]
    assert [(m.metric, m.trust) for m in run.matches("loss")] == [("Obj", "likely")]


def test_terms_in_brackets_under_a_header(curve: Callable[[int], float], tmp_path: Path) -> None:
    head = "Step      Train loss                Test metric (rel. L2)\n"
    run = read(tmp_path, head + rows(lambda i, t, v: f"{100 * i}   [{t}, 0.0e+00]    [{v}]", curve))[0]
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
