"""Names of metrics and configuration keys, and what they are taken for."""

import json
from pathlib import Path

import numpy as np
import pytest
from corpus import SIGNALS

from curvedoc import read
from curvedoc.core.errors import RuleError, UsageError
from curvedoc.core.run import ABSOLUTE_ERROR, RoleMatch
from curvedoc.core.series import Floats
from curvedoc.ingest.naming.canonical_settings import settings_of
from curvedoc.ingest.naming.metric_name import read_name
from curvedoc.ingest.naming.roles import assign, check_chosen, facts
from curvedoc.ingest.naming.signals import Signals, load_signals

TABLE = load_signals(SIGNALS)


def roles(table: Signals = TABLE, **values: list[float]) -> tuple[RoleMatch, ...]:
    return assign([facts(m.replace("__", "/"), np.array(v, dtype=float)) for m, v in values.items()], table)


def role_of(name: str) -> tuple[str, str] | None:
    found = read_name(name, TABLE)
    return None if found is None else (found.role, found.label)


SPELLINGS = {
    "loss": """loss|train_loss|train/loss|training_loss|train/loss_step|lm loss|train/lm_loss|reduced_train_loss
        |trainLoss
        |loss/train/total|train/CrossEntropyLoss|train/CE loss|loss_metrics/global_avg_loss|loss/out|learning/loss
        |total_loss|train/epoch_loss|Train/Samples/train_loss|losses/total|debiased/ewm_loss|Loss/train
        |eval/train_loss|trainloss|tloss|bits_per_dim|train/bits_per_byte|losses/train""",
    "val_loss": """val_loss|valid_loss|eval_loss|eval/loss|validation_loss|val/loss|validation_metrics/loss|valid/loss
        |lm loss validation|evaluation/loss|eval/CrossEntropyLoss|epoch_val_loss|val/bpb|Train/Samples/eval_loss
        |validation/epoch_loss|validation/evaluation_loss_vs_iterations|val/val_loss|dev_loss|va_loss|vloss|valloss
        |held_out_loss|heldout/loss|losses/val""",
    "accuracy": """accuracy|acc|train_acc|epoch_accuracy|sparse_categorical_accuracy|mean_token_accuracy|acc1/top1
        |accuracy/top1|train/accuracy""",
    "val_metric": "HellaSwag accuracy|eval/mmlu_acc|arc_easy/acc_norm",
    "val_accuracy": "va_acc|vacc|val_accuracy|eval_accuracy|valid_acc_top1|eval/acc@1|validation/epoch_accuracy",
    "perplexity": "ppl|perplexity|train/PPL|learning/perplexity|lm loss PPL",
    "val_perplexity": "val_ppl|eval_ppl|lm loss validation ppl",
    "lr": """lr|learning_rate|learning-rate|train/learning_rate|train/lr|optim/lr|optim/learning_rate_group0|lr-Adam
        |lr/pg0|epoch_learning_rate|charts/learning_rate|actor/lr|lrs/0|Train/Samples/lr|learning_rate_adam""",
    "grad_norm": """grad_norm|grad-norm|gnorm|gradient_norm|train/grad_norm|optim/total_grad_norm|optim/total grad norm
        |l2_norm/grad/global|learning/raw_grad_norm|grad_2.0_norm_total|actor/grad_norm
        |global_grad_norm|grad_norm/total|global_norm|g_norm|norms/grad|gradient_magnitude|optim/gnorm""",
    "weight_norm": "params-norm|param_norm|weight_norm|weight_norm_total|learning/param_norm|wnorm|train/weight_norm",
    "loss_scale": "loss_scale|loss-scale|train/loss_scale|scaler/scale|amp/loss_scale|loss scale",
    "throughput": """tokens_per_sec|tok/sec|tps|wps|throughput(tps)|tokens_per_second_per_gpu|it/s|charts/SPS|time/fps
        |throughput/device/tokens_per_sec|train_samples_per_second|samples_per_sec""",
    "step_time": """iteration-time|iter_time|dt|perf/step_time_seconds|elapsed time per iteration (ms)|batch_time
        |perf/step_time_s|time_metrics/end_to_end(s)""",
    "data_time": "data|data_time|data_load_time|time_metrics/data_loading(s)|speed/data_load_time",
    "memory": """memory/max_active(GiB)|gpu_memory/used|System/Peak GPU Memory (MB)|perf/max_memory_allocated_gb|rss_mb
        |vram_allocated|mem_mb|memory""",
    "gpu_utilization": "gpu_util|GPU utilization (%)",
    "clip_rate": "optim/clipping_rate|clip_frac|grad_clip_fraction",
    "epoch": "epoch|train/epoch",
    "aux_loss": "aux_loss|load_balancing_loss|router_z_loss",
}


@pytest.mark.parametrize(
    ("name", "role"), [(n.strip(), role) for role, names in SPELLINGS.items() for n in names.split("|")]
)
def test_a_spelling_found_in_the_wild_has_its_role(name: str, role: str) -> None:
    assert role_of(name) == (role, "")


@pytest.mark.parametrize(
    ("name", "role", "label"),
    [
        ("l2_norm/grad/layers.0.w", "layer_grad_norm", "layers.0.w"),
        ("grad_2.0_norm/layer.weight", "layer_grad_norm", "layer.weight"),
        ("train/grad_norm/fc1.weight", "layer_grad_norm", "fc1.weight"),
        ("gradients/head.weight", "layer_grad_norm", "head.weight"),
        ("encoder.layer.0/grad_norm", "layer_grad_norm", "encoder.layer.0"),
        ("weight_norm/3.weight", "layer_weight_norm", "3.weight"),
        ("weights/rnn.weight_hh_l0", "layer_weight_norm", "rnn.weight_hh_l0"),
        ("update_ratio/fc", "layer_update_ratio", "fc"),
        ("zero_frac/relu0", "zero_fraction", "relu0"),
        ("saturation/act_1", "saturation_fraction", "act_1"),
        ("sat(h1)", "saturation_fraction", "h1"),
        ("eval_wikitext_loss", "val_loss", "wikitext"),
        ("val_task2/accuracy", "val_accuracy", "task2"),
        ("val_domain_acc", "aux_accuracy", "domain"),
        ("train/disc_accuracy", "aux_accuracy", "disc"),
        ("val_loss_b", "val_loss", "b"),
        ("eval/old/accuracy", "val_accuracy", "old"),
        ("train/box_loss", "aux_loss", "box"),
        ("val/box_loss", "val_aux_loss", "box"),
        ("system.gpu.0.gpu", "gpu_utilization", "0"),
        ("val/mae", "val_metric", "mae"),
        ("Validation Dice Coeff", "val_metric", "dice_coeff"),
        ("val_binary_io_u", "val_metric", "binary_io_u"),
        ("norm_ED", "metric", "norm_ed"),
    ],
)
def test_layers_data_sets_and_parts_become_labels(name: str, role: str, label: str) -> None:
    assert role_of(name) == (role, label)


@pytest.mark.parametrize(
    "name",
    ["lrm", "lr_mult", "eval_samples_per_second", "eval_runtime", "hp_metric", "loss vs samples", "best_val_loss",
     "loss_std", "trainer/global_step", "foo", "", "///", "x" * 10_000, "gradients/layer1.weight@std"],
)  # fmt: skip
def test_other_names_have_no_role(name: str) -> None:
    assert read_name(name, TABLE) is None


def test_a_growing_counter_called_loss_is_no_loss() -> None:
    found = roles(loss=[float(i) for i in range(20)], train__loss=[2.0, 1.5, 1.2, 1.0, 0.9])
    assert [m.metric for m in found if m.role == "loss"] == ["train/loss"]


def test_a_time_that_only_grows_is_a_clock_and_one_that_varies_a_step_time() -> None:
    assert not roles(time=[float(i) for i in range(20)])
    assert roles(time=[1.0, 1.2, 0.9, 1.1, 1.0, 1.3])[0].role == "step_time"


def test_the_metric_logged_every_step_comes_before_the_epoch_mean() -> None:
    found = roles(train_loss_epoch=[2.0, 1.0], train_loss_step=[2.5, 2.0, 1.5, 1.2, 0.8])
    assert [m.metric for m in found if m.role == "loss"] == ["train_loss_step"]


def test_of_an_evaluation_the_mean_over_the_epoch_is_what_it_found() -> None:
    found = roles(val_loss_epoch=[2.0, 1.0], val_loss_step=[2.5, 2.0, 1.5, 1.2], train_loss=[2.0, 1.5, 1.2, 1.0])
    assert next(m.metric for m in found if m.role == "val_loss") == "val_loss_epoch"


def test_a_curve_over_the_whole_run_beats_a_denser_one_of_its_beginning(tmp_path: Path) -> None:
    whole = [f"step {500 * i}: train loss {3.7 * 0.85**i:.4f}" for i in range(11)]
    (tmp_path / "stdout.log").write_text("\n".join([*whole, ""]), encoding="utf-8")
    smoke = ["step,train_loss", *(f"{i},{4.3 * 0.99**i:.4f}" for i in range(36))]
    (tmp_path / "smoke_test.csv").write_text("\n".join([*smoke, ""]), encoding="utf-8")
    loss = read(tmp_path)[0].series("loss")
    assert loss is not None and int(loss.step[-1]) == 5000


def test_the_epoch_mean_is_the_loss_when_nothing_rawer_is_logged() -> None:
    assert roles(train_loss_epoch=[2.0, 1.0])[0].metric == "train_loss_epoch"


def test_a_final_summary_value_does_not_beat_the_curve() -> None:
    found = roles(train_loss=[1.7], loss=[2.5, 2.0, 1.5, 1.2])
    assert found[0] == RoleMatch("loss", "loss", "", "loss: loss")


def test_parts_of_an_objective_stand_in_for_the_whole_only_where_there_is_none() -> None:
    whole = roles(loss=[3.0, 2.0, 1.0], box_loss=[1.0, 0.5, 0.2])
    assert [m.metric for m in whole if m.role == "loss"] == ["loss"]
    parts = roles(train__box_loss=[1.0, 0.5, 0.2], train__cls_loss=[2.0, 1.0, 0.5])
    assert {m.metric for m in parts if m.role == "loss"} == {"train/box_loss", "train/cls_loss"}


def test_what_an_opponent_earns_stands_in_for_the_whole_only_where_nothing_else_does() -> None:
    falls, rises = [6.0 / (1 + i) for i in range(12)], [1.8 + 0.15 * i for i in range(12)]
    named = {m.role: m.metric for m in reversed(roles(recon_loss=falls, adv_loss=rises))}
    assert named["loss"] == "recon_loss"
    assert {m.role: m.metric for m in roles(adv_loss=rises)}["loss"] == "adv_loss"


def test_a_policy_loss_never_stands_in_for_the_loss() -> None:
    assert not [m for m in roles(actor__pg_loss=[0.1, -0.1, 0.0]) if m.role == "loss"]


@pytest.mark.parametrize(
    ("logged", "game", "loss"),
    [
        (("loss_G", "loss_D"), {"loss_G", "loss_D"}, set()),
        (("train/gen_loss", "train/disc_loss"), {"train/gen_loss", "train/disc_loss"}, set()),
        (("loss", "d_loss"), {"loss", "d_loss"}, set()),
        (("total_loss", "rec_loss", "loss/discriminator"), {"total_loss", "loss/discriminator"}, {"rec_loss"}),
        (("loss_gen", "loss_disc", "loss_mel"), {"loss_gen", "loss_disc"}, {"loss_mel"}),
        (("loss", "loss_d", "loss_seg"), set(), {"loss"}),
        (("critic_loss", "gen_loss"), {"critic_loss", "gen_loss"}, set()),
        (("loss", "rollout/ep_rew_mean"), {"loss"}, set()),
        (("loss", "reward", "kl"), {"loss"}, set()),
        (("loss", "accuracy", "mean_reward"), set(), {"loss"}),
        (("loss", "rewards/accuracies", "rewards/margins"), set(), {"loss"}),
        (("loss", "rewards/chosen"), set(), {"loss"}),
        (("loss", "score"), set(), {"loss"}),
        (("loss", "box_loss", "cls_loss"), set(), {"loss"}),
    ],
)
def test_the_losses_of_networks_that_play_against_each_other_show_no_progress(
    logged: tuple[str, ...], game: set[str], loss: set[str]
) -> None:
    found = roles(**{name.replace("/", "__"): [1.0, 0.7, 0.9, 0.8] for name in logged})
    assert {m.metric for m in found if m.role == "game_loss"} == game
    assert {m.metric for m in found if m.role == "loss"} == loss


def test_a_test_loss_stands_in_for_validation_only_where_there_is_none() -> None:
    assert [m.metric for m in roles(test_loss=[1.0, 0.5]) if m.role == "val_loss"] == ["test_loss"]
    both = roles(test_loss=[1.0, 0.5], val_loss=[1.1, 0.6])
    assert [m.metric for m in both if m.role == "val_loss"] == ["val_loss"]


def test_each_validation_set_is_a_match_with_its_own_label() -> None:
    found = roles(val_loss=[1.0, 0.9, 0.8], val_loss_b=[2.0, 1.9, 1.8])
    assert [(m.metric, m.label) for m in found if m.role == "val_loss"] == [("val_loss", ""), ("val_loss_b", "b")]


def test_of_several_validation_sets_the_one_that_holds_what_is_trained_on_comes_first() -> None:
    found = roles(
        **{
            "train/loss": [3.6, 3.2, 2.5, 2.0],
            "val_loss/general": [0.02, 0.02, 0.03, 0.05],
            "val_loss/lawyers": [3.7, 3.3, 2.6, 2.2],
            "val_acc/general": [0.99, 0.99, 0.99, 0.98],
            "val_acc/lawyers": [0.3, 0.35, 0.4, 0.5],
        }
    )
    firsts = {role: next(m.metric for m in found if m.role == role) for role in ("val_loss", "val_accuracy")}
    assert firsts == {"val_loss": "val_loss/lawyers", "val_accuracy": "val_acc/lawyers"}


def test_the_only_data_set_needs_no_label() -> None:
    assert roles(eval_wikitext_loss=[1.0, 0.9])[0].label == ""


def found(**values: list[float]) -> dict[str, str]:
    return {m.metric: m.role for m in roles(**values)}


def test_names_that_say_only_the_split_are_losses_or_accuracies_by_their_values() -> None:
    falls, near, learns = [2.3, 1.9, 1.2, 0.9], [2.4, 2.0, 1.4, 1.1], [0.1, 0.4, 0.6, 0.8]
    assert found(train=falls, val=near) == {"train": "loss", "val": "val_loss"}
    assert found(loss=falls, val=near) == {"loss": "loss", "val": "val_loss"}
    assert found(trn=falls, acc=learns, val=near) == {"trn": "loss", "acc": "accuracy", "val": "val_loss"}
    assert found(trn=falls, val=near, acc=learns) == {"trn": "loss", "val": "val_loss", "acc": "val_accuracy"}
    percent = [100 * v for v in learns]
    for shares in (learns, percent):
        told = found(Loss=falls, Train=shares, Val=shares, Test=shares)
        assert told == {"Loss": "loss", "Train": "accuracy", "Val": "val_accuracy", "Test": "test_accuracy"}
    assert found(Train=learns, Val=learns) == {"Train": "accuracy", "Val": "val_accuracy"}
    errors = [1 - v for v in learns]
    assert found(train=errors, val=errors) == {"train": "loss", "val": "val_loss"}


def test_names_that_say_only_the_split_stay_unknown_where_their_values_tell_nothing() -> None:
    assert found(train=[0.5, 0.4, 0.6, 0.5], val=[0.5, 0.3, 0.5, 0.4]) == {}
    assert found(train_loss=[2.0, 1.0, 0.5, 0.4], train=[3.0, 2.0, 1.5, 1.4]) == {"train_loss": "loss"}
    assert found(train=[1.0, 2.0, 3.0, 4.0, 5.0, 600.0]) == {}


def test_the_letter_of_a_loss_is_the_loss_where_nothing_else_is() -> None:
    falls, near = [2.3, 1.9, 1.2, 0.9], [2.4, 2.0, 1.4, 1.1]
    assert found(L=falls) == {"L": "loss"}
    assert found(J=falls) == {"J": "loss"}
    assert found(L=falls, J=near) == {"L": "loss"}
    assert found(L_train=falls, L_val=near) == {"L_train": "loss", "L_val": "val_loss"}
    assert found(loss=falls, L=near) == {"loss": "loss"}


def test_a_letter_whose_values_are_no_loss_stays_unknown() -> None:
    assert found(L=[128.0, 256.0, 128.0, 512.0]) == {}
    assert found(L=[0.5, 0.5, 0.5, 0.5]) == {}
    assert found(D=[2.3, 1.9, 1.2, 0.9], G=[0.3, 0.9, 1.2, 1.9]) == {}
    assert found(R=[2.3, 1.9, 1.2, 0.9], L=[20.3, 41.9, 51.2, 60.9]) == {}
    assert found(ep_ret=[2.3, 1.9, 1.2, 0.9], L=[20.3, 41.9, 51.2, 60.9]) == {"ep_ret": "reward"}


def test_seconds_an_iteration_are_no_throughput() -> None:
    assert found(time_this_iter_s=[10.1, 10.3, 9.9, 10.0]) == {"time_this_iter_s": "step_time"}
    assert found(iters_per_s=[10.1, 10.3, 9.9, 10.0]) == {"iters_per_s": "throughput"}


def test_an_error_metric_stands_in_for_the_loss_of_a_run_without_one() -> None:
    found = roles(**{"train-rmse": [3.0, 2.0, 1.0], "eval-rmse": [3.1, 2.2, 1.5]})
    assert [(m.role, m.metric) for m in found] == [("loss", "train-rmse"), ("val_loss", "eval-rmse")]


def test_all_values_nan_do_not_cost_a_metric_its_role() -> None:
    assert roles(loss=[float("nan")] * 9)[0].role == "loss"


def test_an_accuracy_outside_of_any_scale_is_no_accuracy() -> None:
    assert not roles(accuracy=[512.0, 700.0, 900.0])


def test_what_the_user_chose_comes_first_and_in_one_role_only() -> None:
    metrics = [facts(m, np.array([2.0, 1.0])) for m in ("loss", "acc", "my/metric")]
    found = assign(metrics, TABLE, {"loss": "my/metric", "metric": "acc"})
    assert [(m.role, m.metric) for m in found] == [("loss", "my/metric"), ("loss", "loss"), ("metric", "acc")]


def test_an_unknown_role_or_metric_is_refused_with_near_matches() -> None:
    with pytest.raises(UsageError, match="did you mean 'loss'"):
        check_chosen({"los": "x"}, ["x"], TABLE)
    with pytest.raises(UsageError, match="'train/loss'"):
        check_chosen({"loss": "train/los"}, ["train/loss", "acc"], TABLE)


def test_settings_are_found_under_their_aliases_and_in_nested_keys() -> None:
    found = settings_of(
        {"optimizer.lr": "1e-4", "model.dropout": 0.1, "num_labels": 10.0, "fp16": True, "trainer.max_steps": 100,
         "trainer.max_epochs": 10, "overfit_batches": 1.0, "data.name": "x", "clip_grad": 3.0}, TABLE,
    )  # fmt: skip
    assert found["lr"] == 1e-4 and found["dropout"] == 0.1 and found["num_classes"] == 10
    assert found["precision"] == "fp16" and found["single_batch"] is True and found["max_grad_norm"] == 3
    assert found["steps_per_epoch"] == 10


def test_what_a_trainer_prints_of_its_length_is_known_by_its_name() -> None:
    found = settings_of({"Num examples": 1400, "Total optimization steps": 344}, TABLE)
    assert found["train_size"] == 1400 and found["max_steps"] == 344


@pytest.mark.parametrize(
    ("config", "precision"),
    [({"precision": "16-mixed"}, "fp16"), ({"precision": "bf16-mixed"}, "bf16"), ({"precision": 32}, "fp32"),
     ({"mixed_precision": "no"}, "fp32"), ({"bf16": True, "fp16": False}, "bf16"), ({"amp": True}, "fp16"),
     ({"torch_dtype": "bfloat16"}, "bf16"), ({"fp16": False}, None), ({"fp16.enabled": True}, "fp16")],
)  # fmt: skip
def test_precision_has_one_spelling(config: dict[str, object], precision: str | None) -> None:
    assert settings_of(config, TABLE).get("precision") == precision  # type: ignore[arg-type]


def test_the_single_norm_of_a_run_is_the_norm_of_the_whole() -> None:
    assert [m.role for m in roles(generator__grad_norm=[1.0, 2.0])] == ["grad_norm"]
    assert {m.role for m in roles(a__grad_norm=[1.0, 2.0], b__grad_norm=[1.0, 2.0])} == {"layer_grad_norm"}


def test_a_policy_clip_fraction_is_no_gradient_clipping() -> None:
    found = roles(clip_fraction=[0.1, 0.2], approx_kl=[0.01, 0.02])
    assert {m.role for m in found} == {"kl"}
    assert {m.role for m in roles(clip_fraction=[0.1, 0.2])} == {"clip_rate"}


def test_parts_of_the_configuration_that_are_not_about_training_are_left_out() -> None:
    found = settings_of({"eval.batch_size": 512, "trainer.batch_size": 32, "logging.steps": 10}, TABLE)
    assert found["batch_size"] == 32 and "max_steps" not in found


def test_lengths_follow_from_one_another() -> None:
    found = settings_of({"epochs": 10, "train_size": 1000, "batch_size": 32, "warmup": 0.1}, TABLE)
    assert found["steps_per_epoch"] == 32 and found["max_steps"] == 320
    assert found["warmup_ratio"] == 0.1 and found["warmup_steps"] == 32
    assert "world_size" not in settings_of({"gpus": "0,1"}, TABLE)
    assert settings_of({"max_steps": "1,000"}, TABLE)["max_steps"] == 1000


def test_the_shorter_path_wins_and_impossible_values_are_left_out() -> None:
    assert settings_of({"teacher.head.lr": 1.0, "lr": 0.1}, TABLE)["lr"] == 0.1
    assert "num_classes" not in settings_of({"num_classes": 0}, TABLE)
    assert "lr" not in settings_of({"lr": float("nan")}, TABLE)


def test_a_well_known_data_set_tells_its_number_of_classes() -> None:
    assert settings_of({"dataset": "CIFAR-10"}, TABLE)["num_classes"] == 10
    assert settings_of({"dataset": "cifar10", "num_classes": 3}, TABLE)["num_classes"] == 3


@pytest.mark.parametrize(
    ("text", "told"),
    [("famlies: []", "did you mean 'families'"), ("families: [{name: x, roles: {train: y}}]", "needs names"),
     ("patterns: [{role: x, raw: ['(']}]", "bad regular expression"), ("ignore: [no]", "quote"), ("a: [", "not YAML"),
     ("config: {lr: {type: numbr}}", "unknown type"), ("patterns: [{role: x, raw: [a], range: 3}]", "lowest")],
)  # fmt: skip
def test_a_wrong_table_is_refused_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "signals.yaml"
    path.write_text(text)
    with pytest.raises(RuleError) as e:
        load_signals(path)
    assert told in str(e.value) and "signals.yaml" in str(e.value)


def test_the_validation_of_a_trained_part_is_a_part_and_of_anything_else_a_data_set() -> None:
    falls = [3.0, 2.0, 1.0]
    told = roles(loss=falls, loss_bc=falls, val_loss=falls, val_loss_bc=falls, val_loss_wild=falls)
    assert [m.role for m in told if m.metric == "val_loss_bc"] == ["val_aux_loss"]
    assert [(m.role, m.label) for m in told if m.metric == "val_loss_wild"] == [("val_loss", "wild")]
    alone = roles(loss=falls, val_loss=falls, val_loss_bc=falls)
    assert [(m.role, m.label) for m in alone if m.metric == "val_loss_bc"] == [("val_loss", "bc")]


def test_an_error_among_the_best_answers_is_no_accuracy_and_no_loss_of_validation() -> None:
    falls = [0.95, 0.5, 0.3, 0.27, 0.25]
    told = roles(
        rmse=[0.026, 0.022, 0.02, 0.019, 0.018], **{"validation err-top1": falls, "validation err-top5": falls}
    )
    assert {m.role for m in told if m.metric.startswith("validation")} == {"val_metric"}
    assert [m.metric for m in told if m.role == "loss"] == ["rmse"]


def test_a_cost_beside_losses_is_that_of_time() -> None:
    told = roles(
        **{"Training cost": [484.0, 479.4, 480.1], "HeatmapFocal": [10.4, 6.8, 5.9], "WHL1 loss": [1.2, 0.8, 0.7]}
    )
    assert "Training cost" not in {m.metric for m in told if m.role == "loss"}
    assert [m.metric for m in roles(cost=[3.0, 2.0, 1.0]) if m.role == "loss"] == ["cost"]
    parts = [2.2, 1.3, 0.9, 0.8, 0.7, 0.6, 0.55, 0.5, 0.48, 0.47, 0.46, 0.45]
    told = roles(**{"Training cost": [484.0 + k % 3 for k in range(12)], "WHL1": parts})
    assert "Training cost" not in {m.metric for m in told if m.role == "loss"}


def test_a_clock_that_begins_anew_is_no_time_of_a_step() -> None:
    clock = [148.8, 263.6, 377.2, *(112.0 * (k + 1) for k in range(40))]
    assert not any(m.role == "step_time" for m in roles(time=clock))
    assert any(m.role == "step_time" for m in roles(time=[0.11, 0.12, 0.1, 0.13, 0.11] * 8))


def test_parts_of_what_rewards_steer_do_not_stand_in_for_a_loss() -> None:
    values = [0.07, 60.0, 3.0, 0.4, 0.01]
    told = roles(
        total_loss=values, intrinsic_loss=values, value_loss=values, ep_rew_mean=[-140.0, -35.0, -16.0, -11.0, -9.0]
    )
    assert not any(m.role == "loss" for m in told)


def test_what_falls_beside_a_loss_and_is_named_by_its_split_alone_is_no_accuracy() -> None:
    told = roles(train=[0.4, 0.3, 0.2, 0.1, 0.06], val=[0.4, 0.6, 0.8, 0.9, 0.92], loss=[2.0, 1.5, 1.2, 0.6, 0.4])
    assert [m.metric for m in told if m.role in ("accuracy", "val_accuracy")] == ["val"]


def test_settings_called_like_the_loss_of_a_rival_make_no_game() -> None:
    metrics = {"train_loss": [2.0 / (1 + i) for i in range(40)], "loss_disc": [16.0] * 4, "loss_gen": [16.0] * 4}
    assert found(**metrics)["train_loss"] == "loss"


@pytest.mark.parametrize("name", ["poisson-nloglik", "gamma-deviance", "cox-nloglik", "aft-nloglik", "mphe"])
def test_what_boosted_trees_minimize_is_a_loss(name: str) -> None:
    roles = found(**{f"train-{name}": [4.9, 4.7, 4.6], f"eval-{name}": [5.0, 4.8, 4.75]})
    assert (roles[f"train-{name}"], roles[f"eval-{name}"]) == ("loss", "val_loss")


@pytest.mark.parametrize("split", ["train's", "valid's", "eval's"])
def test_a_set_in_the_genitive_is_a_split(split: str) -> None:
    role = "loss" if split == "train's" else "val_loss"
    assert (
        found(**{f"{split} multi_logloss": [1.0, 0.7, 0.5], f"{split} multi_error": [0.5, 0.3, 0.2]})[
            f"{split} multi_logloss"
        ]
        == role
    )


@pytest.mark.parametrize("name", [
    "eval_sts_pearson_cosine", "eval_sts_spearman_cosine", "eval_NanoBEIR_mean_cosine_ndcg@10", "val_entities_mrr@10",
])  # fmt: skip
def test_a_quality_of_a_named_set_keeps_the_set_as_its_label(name: str) -> None:
    read = role_of(name)
    assert read is not None and read[0] == "val_metric"


@pytest.mark.parametrize("name, role", [
    ("HR@20", "val_metric"), ("ndcg@5", "val_metric"), ("MRR", "val_metric"), ("recall@50", "val_metric"),
    ("R@1", "val_metric"),
    ("train_ndcg@5", "metric"), ("recall", "metric"), ("test hits@3", "test_metric"),
])  # fmt: skip
def test_what_stands_high_in_a_list_was_held_out_unless_training_is_named(name: str, role: str) -> None:
    read = role_of(name)
    assert read is not None and read[0] == role


def test_an_accuracy_that_goes_with_the_root_of_the_loss_is_an_absolute_error() -> None:
    falls = np.linspace(1.2, 0.05, 14)
    wobble = 1 + 0.01 * np.sin(np.arange(14))
    rests = 1.01 + 0.002 * np.sin(np.arange(14.0))
    for loss, share in ((falls, 0.8 * np.sqrt(falls) * wobble), (rests, np.round(0.822 * np.sqrt(rests), 4))):
        found = assign([facts("val_loss", loss), facts("val_accuracy", share)], TABLE)
        assert [(m.role, m.label) for m in found] == [("val_loss", ""), ("val_metric", ABSOLUTE_ERROR)]


@pytest.mark.parametrize(
    "loss, share",
    [
        (np.linspace(2.3, 0.4, 14), np.linspace(0.1, 0.87, 14)),  # it learns
        (np.linspace(0.9, 1.3, 14), np.linspace(0.78, 0.82, 14)),  # it grows too sure of itself, and still gets better
        (np.full(14, 1.0), np.full(14, 0.82)),  # one answer to all
    ],
)
def test_an_accuracy_beside_the_loss_of_a_classifier_stays_one(loss: Floats, share: Floats) -> None:
    assert {m.role for m in assign([facts("val_loss", loss), facts("val_accuracy", share)], TABLE)} == {
        "val_loss",
        "val_accuracy",
    }


def test_the_losses_and_accuracies_of_two_tasks_are_validation() -> None:
    rows = {"train/loss": 40, "task_a/loss": 8, "task_a/acc": 8, "task_b/loss": 8, "task_b/acc": 8}
    found = assign([facts(name, np.linspace(0.9, 0.1, n)) for name, n in rows.items()], TABLE)
    assert [(m.role, m.label) for m in found] == [
        ("loss", ""), ("val_loss", "task_a"), ("val_loss", "task_b"),
        ("val_accuracy", "task_a"), ("val_accuracy", "task_b"),
    ]  # fmt: skip


def test_heads_that_are_graded_at_each_step_are_parts_of_training() -> None:
    rows = {"train/loss": 40, "head_a/loss": 40, "head_a/acc": 40, "head_b/loss": 40, "head_b/acc": 40}
    found = assign([facts(name, np.linspace(0.9, 0.1, n)) for name, n in rows.items()], TABLE)
    assert not [m for m in found if m.role.startswith("val")]


def test_parts_that_are_evaluated_by_their_labels_alone_stand_in_for_the_loss_of_validation() -> None:
    names = ["Loss/pitch", "Loss/energy", "Loss/total", "Val/pitch", "Val/energy"]
    found = assign([facts(name, np.linspace(0.9 + 0.1 * i, 0.1, 20)) for i, name in enumerate(names)], TABLE)
    assert [(m.role, m.label) for m in found if m.metric.startswith("Val")] == [
        ("val_loss", "energy"), ("val_loss", "pitch"),
    ]  # fmt: skip


def test_of_parts_without_a_sum_the_heaviest_at_the_end_is_the_loss() -> None:
    falls, rests = np.linspace(0.8, 0.01, 20), np.linspace(0.7, 0.69, 20)
    for first, second in (("train/box_loss", "train/cls_loss"), ("train loss", "train loss[1]")):
        unseen = [n.replace("train", "test") for n in (first, second)]
        found = assign([facts(n, v) for n, v in zip((first, second, *unseen), (falls, rests) * 2, strict=True)], TABLE)
        assert next(m.metric for m in found if m.role == "loss") == second
        assert next(m.metric for m in found if m.role == "val_loss") == unseen[1]


def test_what_hardly_moves_is_no_sum_of_its_neighbors() -> None:
    rng = np.random.default_rng(3)
    flat = {n: v + 1e-4 * rng.normal(size=20) for n, v in (("box_loss", 0.7), ("obj_loss", 0.6), ("cls_loss", 1.5))}
    found = assign([facts(n, v) for n, v in flat.items()], TABLE)
    assert [m.metric for m in found if m.role == "loss"] == ["cls_loss", "box_loss", "obj_loss"]


@pytest.mark.parametrize("names", [("errD", "errG"), ("err_disc", "err_gen")])
def test_the_errors_of_two_players_are_losses_of_a_game(names: tuple[str, str]) -> None:
    found = assign([facts(name, np.linspace(0.9, 0.4 + i, 20)) for i, name in enumerate(names)], TABLE)
    assert [m.role for m in found] == ["game_loss", "game_loss"]


def test_a_likelihood_that_is_nan_throughout_is_a_loss_by_its_name() -> None:
    nothing = np.full(12, np.nan)
    found = assign([facts("neg_partial_ll", nothing), facts("valid_neg_partial_ll", nothing)], TABLE)
    assert [m.role for m in found] == ["loss", "val_loss"]


def test_games_that_were_lost_are_no_loss() -> None:
    found = roles(
        policy_loss=[8.3, 8.1, 7.9], eval_win=[0.0, 1.0, 4.0], eval_draw=[0.0, 1.0, 0.0], eval_loss=[20.0, 18.0, 16.0]
    )
    assert not {m.role for m in found} & {"loss", "val_loss"}
    assert "val_loss" in {
        m.role for m in roles(loss=[2.3, 1.9, 1.7], eval_win=[0.0, 1.0, 4.0], eval_loss=[2.4, 2.0, 1.9])
    }


def test_answers_in_the_domain_that_a_model_is_adapted_to_are_those_of_unseen_data() -> None:
    found = {
        m.metric: m.role
        for m in roles(source__loss=[2.3, 1.1, 0.6], source__acc=[0.2, 0.5, 0.8], target__acc=[0.2, 0.3, 0.5])
    }
    assert found["target/acc"] == "val_accuracy" and found["source/acc"] == "accuracy"
    assert "target/acc" not in {m.metric for m in roles(loss=[2.3, 1.1, 0.6], target__acc=[0.9, 0.9, 0.9])}


def test_accuracies_of_tasks_that_are_taken_up_one_after_another_are_validation() -> None:
    rows = {"loss": 30, "acc_task1": 30, "acc_task2": 20, "acc_task3": 10}
    found = assign([facts(name, np.linspace(0.9, 0.1, n)) for name, n in rows.items()], TABLE)
    assert [(m.role, m.label) for m in found if m.metric != "loss"] == [
        ("val_accuracy", "task1"), ("val_accuracy", "task2"), ("val_accuracy", "task3"),
    ]  # fmt: skip


def test_a_share_that_rises_on_other_data_is_a_quality_beside_one_that_is_known(tmp_path: Path) -> None:
    rows = "".join(
        f"{e},{2.0 / (e + 1):.4f},{0.9 / (e + 1):.4f},{0.8 * e / (e + 3) + e % 3 / 50:.4f}\n" for e in range(24)
    )
    (tmp_path / "log.csv").write_text("epoch,train_loss,val_cer,val_wholly\n" + rows, encoding="utf-8")
    (run,) = read(tmp_path)
    assert [m.metric for m in run.roles if m.role == "val_metric"] == ["val_cer", "val_wholly"]


def test_of_an_evaluation_the_mean_is_what_it_found(tmp_path: Path) -> None:
    text = ""
    for e in range(1, 9):
        text += "".join(f"TRAIN Batch {100 * k}/400, Loss {6 / (e + k / 5):.4f}\n" for k in range(1, 5))
        text += f"VALID Batch 0100/105, Loss {5.9 / e:.4f}\nVALID Batch 0105/105, Loss {4.1 / e:.4f}\n"
        text += f"VALID Epoch {e}/8, Mean Loss: {5.5 / e:.4f}\n"
    (tmp_path / "rnn.log").write_text(text, encoding="utf-8")
    (run,) = read(tmp_path)
    assert next(m.metric for m in run.roles if m.role == "val_loss") == "valid Mean Loss"


def test_what_stands_under_losses_is_one_unless_it_says_what_it_is() -> None:
    assert role_of("dev_task_losses/tagging") == ("val_loss", "tagging")
    assert role_of("train_losses.box") == role_of("losses/box") == ("aux_loss", "box")
    assert role_of("losses/clipfrac") == ("clip_rate", "")
    assert role_of("losses/step") is None
    assert role_of("losses_g") == role_of("loss_g")


def test_what_is_tested_once_at_the_end_is_no_validation_beside_evaluations_of_every_epoch(tmp_path: Path) -> None:
    rows = [
        {"epoch": e, "train_loss": 2.0 / e, "train_accuracy": 1 - 0.5 / e, "val_accuracy": 0.7} for e in range(1, 9)
    ]
    lines = [*rows, {"epoch": 8, "test_error_rate": 0.31, "test_f1": 0.66}]
    (tmp_path / "history.jsonl").write_text("".join(json.dumps(r) + "\n" for r in lines), encoding="utf-8")
    (run,) = read(tmp_path)
    assert {m.role for m in run.roles if m.metric.startswith("test")} <= {"test_metric", "test_loss"}
