"""Roles of metrics that no table of names holds: by a hint and the values, by the values alone, and by neither."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from corpus import SIGNALS

from curvedoc.core.run import RoleMatch, Scalar
from curvedoc.ingest.naming.roles import assign, facts
from curvedoc.ingest.naming.signals import load_signals
from curvedoc.ingest.naming.values import curve_shape
from curvedoc.ingest.naming.values.vague_names import rises

TABLE = load_signals(SIGNALS)
N = 300
RNG = np.random.default_rng(5)
LOSS = 0.4 + 2.0 * np.exp(-np.arange(N) / 80) + 0.05 * RNG.standard_normal(N)
WARM = np.minimum(np.arange(N) / 30, 1.0) * 1e-3 * (0.55 + 0.45 * np.cos(np.pi * np.arange(N) / N))
SHARE = np.clip(0.9 - 0.8 * np.exp(-np.arange(N) / 60) + 0.02 * RNG.standard_normal(N), 0, 1)
NORM = np.exp(0.4 * RNG.standard_normal(N))


def roles(config: dict[str, Scalar] | None = None, /, **curves: np.ndarray) -> dict[str, RoleMatch]:
    metrics = [facts(name, np.asarray(v, dtype=float)) for name, v in curves.items()]
    return {m.metric: m for m in assign(metrics, TABLE, {}, config or {})}


def test_a_curve_of_unknown_name_that_falls_is_guessed_to_be_the_loss() -> None:
    found = roles(quux=LOSS, warble=NORM)
    assert found["quux"].role == "loss"
    assert found["quux"].trust == "guess"
    assert "warble" not in found


@pytest.mark.parametrize("name", ["time_left", "gpu_temp", "data", "batch", "buffer_size", "sec"])
def test_a_clock_a_counter_or_hardware_that_falls_is_no_loss(name: str) -> None:
    assert not roles(**{name: LOSS})


def test_data_is_the_wait_for_a_batch_beside_the_time_of_a_step() -> None:
    assert roles(loss=LOSS, time=NORM, data=NORM / 10)["data"].role == "data_time"
    assert "data" not in roles(loss=LOSS, data=NORM / 10)


def test_nothing_is_guessed_beside_a_known_loss_or_a_reward() -> None:
    assert set(roles(loss=LOSS, quux=LOSS * 3)) == {"loss"}
    assert "quux" not in roles(reward=SHARE * 100, quux=LOSS)


@pytest.mark.parametrize("name", ["eta", "opt.alpha", "step_size", "rate"])
def test_a_weak_name_that_walks_like_a_schedule_is_the_learning_rate(name: str) -> None:
    found = roles(**{"loss": LOSS, name: WARM})
    assert (found[name].role, found[name].trust == "guess") == ("lr", False)


def test_the_time_left_is_no_rate_although_it_is_called_so() -> None:
    assert "eta" not in roles(loss=LOSS, eta=3600.0 - 12.0 * np.arange(N))


def test_a_curve_that_peaks_at_the_configured_rate_is_it_whatever_its_name() -> None:
    peak = float(WARM.max())
    found = roles({"lr": peak}, loss=LOSS, qq=WARM)
    assert (found["qq"].role, found["qq"].trust) == ("lr", "likely")
    assert "configuration" in found["qq"].why


def test_a_weight_that_is_turned_up_is_no_rate() -> None:
    assert "beta_kl" not in roles(loss=LOSS, beta_kl=np.minimum(np.arange(N) / 100, 1.0) * 0.1)


def test_what_rises_within_a_share_is_a_quality_and_a_ramp_is_none() -> None:
    found = roles(loss=LOSS, zork=SHARE, ramp=np.arange(N) / N)
    assert (found["zork"].role, found["zork"].trust) == ("metric", "guess")
    assert "ramp" not in found


def test_right_answers_in_percent_are_an_accuracy() -> None:
    found = roles(alpha=WARM[::-1].copy() * 0 + 0.001, Correct=100 * SHARE)
    assert (found["Correct"].role, found["Correct"].trust) == ("accuracy", "likely")


def test_losses_whose_sum_is_another_column_are_its_parts() -> None:
    box, cls = LOSS, 0.3 * LOSS[::-1] + 0.1 * NORM
    found = roles(box=box, cls=cls, total=box + 0.5 * cls)
    assert found["total"].role == "loss"
    assert found["total"].why in ("the sum of box, cls", "the sum of cls, box")
    assert found["box"].role == found["cls"].role == "aux_loss"


@pytest.mark.parametrize("weights", [(7.5, 0.5, 1.5), (1.0, 0.1, 20.0), (0.03, 4.0, 1.0)])
@pytest.mark.parametrize("digits", [3, 6])
def test_parts_of_a_sum_may_have_weights_and_few_digits(weights: tuple[float, float, float], digits: int) -> None:
    parts = {"box": LOSS, "zork": 0.3 * LOSS[::-1] + 0.1 * NORM, "obj_q": 0.2 * NORM + 0.1}
    total = sum(w * p for w, p in zip(weights, parts.values(), strict=True))
    found = roles(**{k: np.round(v, digits) for k, v in parts.items()}, total=np.round(total, digits))
    assert found["total"].role == "loss"
    assert {found[k].role for k in parts} == {"aux_loss"}


def test_a_loss_that_is_a_part_of_a_total_is_not_the_whole() -> None:
    part = 0.2 * NORM
    found = roles(loss=LOSS, loss_part=part, total=LOSS + part)
    assert found["total"].role == "loss"
    assert found["loss"].role == "aux_loss"


def test_three_curves_that_are_no_sum_stay_what_they_are() -> None:
    found = roles(loss=LOSS, aux_loss=0.2 * NORM, total_loss=LOSS + 0.3 * RNG.standard_normal(N) ** 2)
    assert found["total_loss"].role == "loss"
    assert found["aux_loss"].role == "aux_loss"


def test_a_loss_of_the_beginning_does_not_beat_one_of_the_whole_run() -> None:
    metrics = [facts("loss", LOSS[:180], 0.1), facts("train/loss", LOSS, 1.0)]
    found = assign(metrics, TABLE)
    assert next(m.metric for m in found if m.role == "loss") == "train/loss"


def test_the_untrained_loss_of_the_classes_tells_which_curve_is_the_loss() -> None:
    config: dict[str, Scalar] = {"num_classes": 50}
    found = roles(config, zeta_q=5 + LOSS, omega_q=LOSS * math.log(50) / float(LOSS[0]))
    assert found["omega_q"].role == "loss"
    assert "untrained" in found["omega_q"].why


def test_networks_called_by_their_letters_play_a_game() -> None:
    found = roles(G_A=LOSS, D_A=NORM, cycle_A=LOSS * 2)
    assert found["G_A"].role == found["D_A"].role == "game_loss"


@pytest.mark.parametrize(
    "names",
    [
        "Verlust Validierungsverlust Lernrate Gradientennorm",
        "perte perte_validation taux_apprentissage norme_gradient",
        "pérdida pérdida_validación tasa_aprendizaje norma_gradiente",
        "perda perda_validação taxa_aprendizado norma_do_gradiente",
        "训练损失 验证损失 学习率 梯度范数",
        "損失 検証損失 学習率 勾配ノルム",
    ],
)  # fmt: skip
def test_names_of_other_languages_are_known(names: str) -> None:
    found = roles(**dict(zip(names.split(), [LOSS, LOSS, WARM, NORM], strict=True)))
    assert [found[n].role for n in names.split()] == ["loss", "val_loss", "lr", "grad_norm"]
    assert all(found[n].trust == "sure" for n in names.split())


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("recall@5", "val_metric"), ("val/NDCG@10", "val_metric"), ("LMOutput_f1_score_lm", "metric"),
        ("mean 100 episode reward", "reward"), ("eval/bbox_mAP", "val_metric"), ("chrF++", "metric"),
        ("val_top_3_accuracy", "val_metric"), ("test/RougeLsum", "test_metric"), ("x/lr0", "lr"),
        ("val PSNR", "val_metric"), ("dev_WER", "val_loss"), ("percent_correct", "accuracy"),
    ],
)  # fmt: skip
def test_qualities_are_known_with_numbers_and_words_around_them(name: str, role: str) -> None:
    found = assign([facts(name, 0.1 * SHARE)], TABLE)
    got = {m.role for m in found}
    assert got & {role, role.replace("test_", "val_")}


def test_a_printed_schedule_and_a_smooth_decay_are_told_apart() -> None:
    assert curve_shape.is_schedule(np.round(WARM, 7))
    assert curve_shape.is_schedule(np.repeat([0.1, 0.01, 0.001], 30))
    assert curve_shape.is_schedule(np.linspace(1e-3, 0, 100))
    assert not curve_shape.is_schedule(2 * np.exp(-np.arange(100) / 20))
    assert not curve_shape.is_schedule(LOSS)


def test_the_total_of_a_reward_is_a_reward_and_no_loss() -> None:
    rewards = [-81.0, -80.2, -79.5, -79.9, -78.0, -77.1, -77.4, -76.0, -75.5, -75.0]
    told = assign([facts("Total Prey Reward", np.array(rewards))], TABLE)
    assert [m.role for m in told] == ["reward"]


def test_a_terse_word_for_validation_that_the_values_contradict_is_a_guess_at_most() -> None:
    spread = 1.1 + 0.3 * RNG.random(N)
    assert roles(loss=LOSS, loss_cv=1.08 * LOSS)["loss_cv"].trust == "sure"
    assert roles(loss=LOSS, loss_cv=spread)["loss_cv"].trust == "guess"
    assert roles(loss=LOSS, val_loss=spread)["val_loss"].trust == "sure"
    assert "loss_cv" not in roles(loss=LOSS, val_loss=1.1 * LOSS, loss_cv=0.01 * spread)


@pytest.mark.parametrize("name", ["loss_test_rate", "eval_loss_weight", "val_loss_factor"])
def test_a_setting_of_a_loss_is_none_of_validation(name: str) -> None:
    found = roles(**{"loss": LOSS, name: 0.5 + 0.0 * LOSS})
    assert name not in found or not found[name].role.startswith(("val", "test"))


def test_a_column_at_the_level_of_the_graded_error_is_that_error_in_training() -> None:
    rng = np.random.default_rng(3)
    flat, share = 7.0 + 0.1 * rng.standard_normal(N), 0.4 - 0.1 * np.arange(N) / N + 0.001 * rng.standard_normal(N)
    graded = 7.3 + 0.01 * rng.standard_normal(12)
    found = roles(**{"column 2": share, "column 3": flat, "Validation Harbor EPE": graded})
    assert found["column 3"].role == "loss"
    assert found["column 3"].trust == "guess"
    assert "column 2" not in found or found["column 2"].role != "loss"


@pytest.mark.parametrize(
    ("name", "role"),
    [("Validation Harbor EPE", "val_loss"), ("val night ssim", "val_metric"), ("test_cam2_abs_rel", "val_loss")],
)
def test_what_a_set_is_measured_by_is_known_behind_the_name_of_the_set(name: str, role: str) -> None:
    assert roles(loss=LOSS, **{name: LOSS[:12]})[name].role == role


@pytest.mark.parametrize("name", ["val_seconds_per", "val num pass", "harbor epe", "val_big_is"])
def test_a_word_that_ends_another_name_measures_nothing(name: str) -> None:
    assert name not in roles(loss=LOSS, **{name: LOSS[:12]})


def test_a_score_between_precision_and_recall_is_no_sum_of_losses() -> None:
    precision, recall = 60 + 20 * SHARE, 50 + 25 * SHARE
    between = 2 * precision * recall / (precision + recall)
    found = roles(tagger_loss=LOSS, seg_p=precision, seg_r=recall, seg_f=np.round(between, 2))
    assert found["tagger_loss"].role == "loss"
    assert not {"seg_p", "seg_r", "seg_f"} & {m for m, r in found.items() if "loss" in r.role}


def test_a_measure_of_both_splits_is_what_is_trained_wherever_it_goes() -> None:
    swing = 1 + 0.02 * np.sin(5 * np.arange(30))
    for course in (np.linspace(2.3, 0.4, 30), np.full(30, 2.3), np.linspace(1.0, 2.0, 30)):
        found = roles(train_blub=course * swing, val_blub=course * swing * 1.01)
        assert {n: m.role for n, m in found.items()} == {"train_blub": "loss", "val_blub": "val_loss"}
        assert {m.trust for m in found.values()} == {"guess"}


def test_a_measure_that_rises_within_a_share_in_one_split_is_one_in_both() -> None:
    swing = 1 + 0.02 * np.sin(5 * np.arange(30))
    found = roles(train_blub=np.linspace(0.2, 0.95, 30) * swing, val_blub=np.linspace(0.5, 0.4, 30) * swing)
    assert {n: m.role for n, m in found.items()} == {"train_blub": "metric", "val_blub": "val_metric"}


def test_errors_alone_stand_in_for_the_loss_and_beside_one_they_do_not() -> None:
    falls = np.linspace(0.9, 0.2, 30)
    assert {m.role for m in roles(train_merror=falls, val_merror=falls).values()} == {"loss", "val_loss"}
    assert roles(loss=falls, val_wer=falls)["val_wer"].role == "val_metric"


def test_one_value_does_not_rise() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not rises(np.array([0.5]))


def test_what_names_the_data_it_is_of_is_no_rate_and_has_its_like_on_other_data() -> None:
    falls = 0.02 + 0.3 * np.exp(-np.arange(N) / 40)
    found = roles(**{"learn/quux": falls, "test/quux": falls * 1.2 + 0.01})
    assert {name: m.role for name, m in found.items()} == {"learn/quux": "loss", "test/quux": "val_loss"}


def test_how_weights_lie_is_never_the_loss_and_a_part_of_a_graph_called_weight_has_one() -> None:
    names = ("mean", "absmax", "zero_frac")
    found = roles(**{f"score/bias/top_bias@{n}": -LOSS for n in names}, **{f"conv/w@{n}": LOSS for n in names})
    assert not {"loss", "metric"} & {m.role for m in found.values()}
    found = roles(**{"weight/loss": LOSS, "weight/accuracy": SHARE, "dense/bias@mean": -LOSS / 1e4})
    assert (found["weight/loss"].role, found["weight/accuracy"].role) == ("loss", "accuracy")


@pytest.mark.parametrize("name", ["exploration_rate", "explore.rate", "teacher_forcing_rate"])
def test_what_is_left_to_chance_less_and_less_is_no_learning_rate(name: str) -> None:
    found = roles(**{"loss": LOSS, name: np.linspace(0.3, 0.1, N)})
    assert name not in found or found[name].role == "exploration"
