"""Logs of models of language and speech, as their trainers write them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from test_first_contact import last, loss
from text_log import read

pytestmark = pytest.mark.fast

BOX = """\
+------------------+-------------+
| Setting          | Value       |
+------------------+-------------+
| peak rate (LR)   | 6.000000e-04 |
| vocab_size V     | 512         |
| device           | tiny card   |
| eval_loss_every  | 20          |
+------------------+-------------+
"""


def test_a_box_that_says_each_thing_once_holds_settings(tmp_path: Path) -> None:
    text = BOX + "".join(
        f"step {k}/40 | loss {loss(k)} | norm 1.{k:02} | 31.{7 * k % 10} ms | {8000 + k} tok/s\n" for k in range(1, 41)
    )
    run = read(tmp_path, text)[0]
    assert {k: run.config.get(k) for k in ("peak rate", "vocab_size", "device")} == {
        "peak rate": 0.0006, "vocab_size": 512, "device": "tiny card",
    }  # fmt: skip
    assert last(run, "loss") == ("loss", 40, loss(40))
    assert last(run, "throughput") == ("tok/s", 40, 8040)
    assert last(run, "step_time") == ("time per step", 40, 31.0)


def test_a_box_of_results_holds_no_settings(tmp_path: Path) -> None:
    text = "".join(f"step {k}/40 | loss {loss(k)}\n" for k in range(1, 41))
    text += "| name | tiny |\n| test loss | 0.31 |\n| test accuracy | 0.9 |\n| samples | 100 |\n"
    assert "test loss" not in read(tmp_path, text)[0].config


def test_an_evaluation_ahead_of_the_first_step_is_that_of_the_untrained_model(tmp_path: Path) -> None:
    text = ""
    for k in range(1, 31):
        text += f"val loss {loss(k - 1) + 0.5}\n" if k % 10 == 1 else ""
        text += f"step {k}/30 | loss {loss(k)}\n"
    run = read(tmp_path, text)[0]
    series = run.metric("val loss")
    assert series is not None
    assert series.step.tolist() == [0, 10, 20]


def test_the_logarithm_of_a_perplexity_stands_in_for_a_loss_that_is_not_logged(tmp_path: Path) -> None:
    text = ""
    for k in range(1, 41):
        text += f"update {k}: perplexity={math.exp(loss(k)):.5f}\n"
        text += f"update {k}: validation perplexity={math.exp(loss(k) + 0.3):.5f}\n" if k % 8 == 0 else ""
    run = read(tmp_path, text)[0]
    assert last(run, "loss")[1] == 40
    assert last(run, "loss")[2] == pytest.approx(loss(40), abs=1e-4)
    assert last(run, "val_loss")[1:] == (5, pytest.approx(loss(40) + 0.3, abs=1e-4))


def test_a_perplexity_of_powers_of_two_gives_validation_in_bits(tmp_path: Path) -> None:
    text = ""
    for k in range(1, 41):
        text += f"update {k}: loss={loss(k)} ppl={2 ** loss(k):.5f}\n"
        text += f"update {k}: valid ppl={2 ** (loss(k) + 0.3):.5f}\n" if k % 8 == 0 else ""
    assert last(read(tmp_path, text)[0], "val_loss")[2] == pytest.approx(loss(40) + 0.3, abs=1e-4)


def test_a_small_accuracy_beside_one_in_percent_counts_in_percent(tmp_path: Path) -> None:
    text = "".join(
        f"step {k} loss {loss(k)} acc {k / 2:.2f}\n" + (f"step {k} val acc {k / 30:.2f}\n" if k % 8 == 0 else "")
        for k in range(1, 41)
    )
    assert last(read(tmp_path, text)[0], "val_accuracy")[2] == pytest.approx(0.0133)


def test_means_of_an_epoch_are_the_curve_where_no_batch_has_a_line(tmp_path: Path) -> None:
    text = "".join(
        f"[host] 2026-01-02 03:0{k % 10}:04,5 (trainer:338) INFO: {k}epoch results: [train] iter_time=1e-04, "
        f"loss={loss(k)}, grad_norm=2.{k}, time=3.1 seconds, total_count={k}, [valid] loss={loss(k) + 0.2:.3f}, "
        f"cer={0.9 - k / 50:.3f}, time=0.2 seconds, total_count={k}\n"
        for k in range(1, 21)
    )
    run = read(tmp_path, text)[0]
    assert last(run, "loss")[1:] == (20, loss(20))
    assert last(run, "val_loss")[1] == 20


def test_a_dict_of_dicts_behind_the_head_of_a_logger_holds_settings(tmp_path: Path) -> None:
    text = "2026-01-02 03:04:05 | INFO | cli.train | {'common': {'seed': 7}, 'optimization': {'clip_norm': 0.1}}\n"
    text += "".join(
        f"2026-01-02 03:05:05 | INFO | inner | step {k} loss={loss(k)} clip={k % 3 * 50}\n" for k in range(40)
    )
    run = read(tmp_path, text)[0]
    assert (run.settings["seed"], run.settings["max_grad_norm"]) == (7, 0.1)
    assert last(run, "clip_rate")[2] == 0.0


def test_a_clip_of_one_value_is_no_share_of_clipped_steps(tmp_path: Path) -> None:
    text = "".join(f"step {k} loss={loss(k)} clip=0.25\n" for k in range(40))
    assert not list(read(tmp_path, text)[0].matches("clip_rate"))


def test_settings_behind_a_date_and_a_time_with_a_comma_between(tmp_path: Path) -> None:
    text = "2026-01-02,03:04:05 | INFO | Params:\n2026-01-02,03:04:05 | INFO |   batch_size: 48\n"
    text += "".join(
        f"2026-01-02,03:04:06 | INFO | Epoch: {k} loss: {loss(k)} i2t_R@1: 0.{10 + k}\n" for k in range(1, 31)
    )
    run = read(tmp_path, text)[0]
    assert run.settings["batch_size"] == 48
    assert last(run, "metric")[2] == 0.4


def test_the_power_of_an_evaluation_is_no_loss_of_training(tmp_path: Path) -> None:
    text = "".join(
        f"epoch {k}: perplexity: {math.exp(3 - k / 20):.6f} eval_loss: {3 - k / 20:.6f}\n" for k in range(20)
    )
    run = read(tmp_path, text)[0]
    assert last(run, "val_loss")[1] == 20
    assert not list(run.matches("loss"))


def test_a_loss_of_one_token_goes_before_a_sum_over_a_batch(tmp_path: Path) -> None:
    text = "".join(
        f"I0102 03:04:05.6 12 writer.py:64] [{k}] cross_ent_loss={64 * loss(k):.4f}, "
        f"cross_ent_loss_per_all_target_tokens={loss(k)}, z_loss=0.0{k % 10}\n"
        for k in range(1, 41)
    )
    assert last(read(tmp_path, text)[0], "loss")[0] == "cross_ent_loss_per_all_target_tokens"


def test_what_pairs_of_answers_are_given_is_no_reward(tmp_path: Path) -> None:
    text = "".join(
        str({
            "loss": loss(k), "rewards/chosen": 0.01 * k, "rewards/rejected": -0.02 * k, "rewards/margins": 0.03 * k,
            "rewards/accuracies": min(1.0, 0.5 + 0.01 * k), "epoch": k / 40,
        }) + "\n"
        for k in range(1, 41)
    )  # fmt: skip
    run = read(tmp_path, text)[0]
    assert not list(run.matches("reward"))
    assert last(run, "accuracy")[2] == 0.9


def test_grades_that_stay_at_zero_are_no_loss_and_its_parts(tmp_path: Path) -> None:
    text = "E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE \n"
    text += "---  ------  ------------  --------  ------  ------  ------  ------\n"
    text += "".join(
        f"{k:3d}  {100 * k:6d}  {loss(k):12.2f}  {7 * loss(k):8.2f}    {0 if k else 2.2:.2f}    "
        f"{0 if k else 2.3:.2f}    {0 if k else 2.1:.2f}    0.{0 if k else 2:02d}\n"
        for k in range(20)
    )
    run = read(tmp_path, text)[0]
    assert last(run, "loss")[0].startswith("LOSS")
    assert "ENTS_F" in {m.metric for m in run.matches("val_metric")}


def test_a_ranking_loss_that_rests_is_a_loss(tmp_path: Path) -> None:
    text = "".join(f"it {k} | ranking loss 0.69{k % 3} | acc 0.5{k % 7}\n" for k in range(1, 41))
    assert last(read(tmp_path, text)[0], "loss")[0] == "ranking loss"


def test_a_head_of_a_few_words_is_of_the_split_that_ends_it(tmp_path: Path) -> None:
    text = "".join(
        f"==== EPOCH {k} ====\n  tag/chunk train  : nll {loss(k)}\n"
        f"  tag/chunk dev    : nll {loss(k) + 0.2:.3f}  acc 0.{10 + k}\n"
        for k in range(1, 21)
    )
    run = read(tmp_path, text)[0]
    assert last(run, "loss")[1:] == (20, loss(20))
    assert last(run, "val_loss")[1] == 20
    assert last(run, "val_accuracy")[2] == 0.3
