"""Logs as strangers write them: whose values a line tells, and which training a row is of."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from test_first_contact import last, loss, walk
from text_log import read

pytestmark = pytest.mark.fast


def test_what_stands_beside_the_loss_of_training_is_of_training(tmp_path: Path) -> None:
    text = ""
    for e in range(8):
        text += f"Epoch [{e + 1}]\n"
        text += "".join(
            f"Training:  {k}0%|##   | {k}/9 [00:0{k}<00:09, 1.1it/s, loss={loss(e)}, dice=0.5{k}]\n" for k in (3, 6, 9)
        )
        text += "".join(f"Validation:  {k}0%|##   | {k}/4 [00:0{k}<00:04, 1.1it/s]\n" for k in (2, 4))
        text += f"Train Loss: {loss(e)} | Dice: 0.6{e}\nVal Loss:   {loss(e) + 0.1:.4f} | Dice: 0.7{e}\n"
    run = read(tmp_path, text)[0]
    dice = run.metric("Dice")
    assert dice is not None and (len(dice), float(dice.value[-1])) == (8, 0.67)
    assert last(run, "val_metric") == ("val Dice", 8, 0.77)


def test_a_letter_tells_the_validation_where_all_is_logged_without_it_too(tmp_path: Path) -> None:
    text = "".join(
        f"[10/12/23 23:{i:02}:41][src.callback.progress][INFO] - Epoch {i}: v_recons {loss(i) / 2:.3e}  recons"
        f" {loss(i) / 3 + i % 3:.3e}  v_loss {loss(i) + 0.2:.3e}  loss {loss(i):.3e}  v_kl {2 + loss(i):.3e}"
        f"  kl {loss(i):.3e}  v_latent {3 + loss(i):.3e}  latent {1 + i % 2 + loss(i):.3e}\n"
        for i in range(20)
    )
    run = read(tmp_path, text)[0]
    assert last(run, "loss")[0] == "loss"
    assert last(run, "val_loss")[:2] == ("v_loss", 20)
    assert {m.metric for m in run.matches("val_aux_loss")} == {"v_recons", "v_latent", "v_kl"}
    assert {m.metric for m in run.matches("aux_loss")} == {"recons", "latent"}


def test_a_velocity_loss_beside_a_loss_is_none_of_validation(tmp_path: Path) -> None:
    run = read(tmp_path, "".join(f"step {i} loss {loss(i)} v_loss {loss(i) / 2:.4f}\n" for i in range(20)))[0]
    assert not list(run.matches("val_loss"))


def test_of_an_evaluation_the_mean_over_its_batches_counts(tmp_path: Path) -> None:
    rows = ["epoch,step,train_loss_step,train_loss_epoch,val_loss_step,val_loss_epoch"]
    batch = 0
    for e in range(6):
        rows += [f"{e},{10 * e + k},{loss(e) + 0.01 * k},,," for k in range(10)]
        for k in range(5):
            rows.append(f"{e},{batch},,,{loss(e) + 0.1 * k:.3f},")
            batch += 1
        rows.append(f"{e},{10 * e + 9},,{loss(e)},,{loss(e) + 0.2:.4f}")
    run = walk(tmp_path, "\n".join(rows) + "\n", "metrics.csv")[0]
    assert last(run, "val_loss") == ("val_loss_epoch", 6, round(loss(5) + 0.2, 4))
    assert last(run, "loss")[:2] == ("train_loss_step", 60)


def test_the_best_so_far_of_early_stopping_is_the_validation_where_nothing_else_tells_it(tmp_path: Path) -> None:
    best = [0.9, 0.5, 0.42, 0.4, 0.39]
    text = f"Metric val_loss improved. New best score: {best[0]}\n"
    text += "".join(
        f"Metric val_loss improved by {a - b:.3f} >= min_delta = 0.0. New best score: {b}\n" for a, b in pairwise(best)
    )
    assert last(read(tmp_path, text)[0], "val_loss") == ("val_loss", 5, 0.39)
    both = "".join(f"epoch {i} loss {loss(i)} val_loss {loss(i)}\n{t}\n" for i, t in enumerate(text.splitlines()))
    assert last(read(tmp_path, both)[0], "val_loss") == ("val_loss", 5, loss(4))


def test_a_loss_that_decreased_is_what_it_decreased_to(tmp_path: Path) -> None:
    said = ["inf", *(f"{loss(i):.6f}" for i in range(6))]
    text = "".join(
        f"Epoch {i} done\nValidation loss decreased ({a} --> {b}).  Saving model ...\n"
        for i, (a, b) in enumerate(pairwise(said))
    )
    assert last(read(tmp_path, text)[0], "val_loss")[1:] == (6, loss(5))


def test_an_outcome_in_a_global_step_is_a_record(tmp_path: Path) -> None:
    text = ""
    for i in range(40):
        text += f"2019-02-24 18:46:{i:02}.717727: --Global-step {i} --Accept model update with alpha=0.5\n"
        text += f"Total reward in global step {i}: {6.5 + i % 3}\n" if i % 5 == 4 else ""
    assert last(read(tmp_path, text)[0], "reward") == ("Total reward", 8, 6.5)


def test_two_measures_of_which_the_second_stands_in_brackets(tmp_path: Path) -> None:
    text = "".join(
        f"Global Step: {10 * i}, accuracy: {9 + i}.5%, loss = {loss(i)} (611.0 examples/sec, 0.21 sec/batch)\n"
        f"Discriminator Accuracy (Loss): 0.5{i} ({loss(i) / 2:.4f})\n"
        for i in range(10, 30)
    )
    run = read(tmp_path, text)[0]
    assert {m.metric: m.role for m in run.roles if m.metric.startswith("Disc")} == {
        "Discriminator Loss": "game_loss", "Discriminator Accuracy": "aux_accuracy",
    }  # fmt: skip
    assert not list(run.matches("loss"))  # no accuracy stands in for it


def test_a_game_of_two_rows_is_one_by_the_words_for_its_players(tmp_path: Path) -> None:
    text = "".join(
        f"(epoch: 1, iters: {500 * i}, time: 1.5, data: 0.2) idt: 2.{i}63 disc: 0.7{i} gen: 1.6{i} cycle: 0.8{i} \n"
        for i in (1, 2)
    )
    roles = {m.metric: m.role for m in read(tmp_path, text)[0].roles}
    assert (roles["disc"], roles["gen"], roles["idt"], roles["cycle"]) == ("game_loss",) * 2 + ("aux_loss",) * 2


def test_a_table_that_was_written_again_and_again_holds_several_trainings(tmp_path: Path) -> None:
    one = [4.32, 3.67, 3.41, 3.3, 3.08, 3.11]
    rows = [
        f"{s},{v + 0.003 * k},{v + 0.01}" for k in range(4) for s, v in zip((0, 10, 20, 30, 40, 49), one, strict=True)
    ]
    runs = walk(tmp_path, "\n".join(["step,train_loss,val_loss", *rows]) + "\n", "train_log.csv")
    assert [last(r, "loss")[1] for r in runs] == [6, 6, 6, 6]


def test_a_counter_within_the_epoch_is_no_other_training(tmp_path: Path) -> None:
    rows = [f"{s},{2.0 / (1 + e) + 0.3 / (1 + s):.4f}" for e in range(5) for s in range(0, 60, 10)]
    runs = walk(tmp_path, "\n".join(["step,train_loss", *rows]) + "\n", "train_log.csv")
    assert [last(r, "loss")[1] for r in runs] == [30]


def test_evaluations_that_a_buffer_held_back_stand_at_the_ends_of_their_epochs(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch [{e}][{k}/20] Time/b 3.23 (1.15) Loss {loss(e)} (2.4)\n" for e in range(6) for k in range(0, 20, 2)
    )
    text += "".join(f"begin validation\n * MAE_Count {9 - e}.5\n * Best MAE 4.1\n" for e in range(6))
    run = read(tmp_path, text)[0]
    series = run.metric("validation MAE_Count")
    assert series is not None
    assert (len(series), float(series.value[-1])) == (6, 4.5)
    assert len(set(series.step.tolist())) == 6


def test_the_copy_with_more_digits_counts(tmp_path: Path) -> None:
    value = [round(25.75 * (1 + i) ** 0.7 + 0.013 * i, 3) for i in range(20)]
    (tmp_path / "progress.csv").write_text(
        "loss,mean reward\n" + "".join(f"{loss(i)},{v}\n" for i, v in enumerate(value))
    )
    box = "".join(
        f"-------------------------\n| loss        | {loss(i):<9.3g} |\n| mean reward | {v:<9.3g} |\n"
        "-------------------------\n"
        for i, v in enumerate(value)
    )
    run = walk(tmp_path, box, "log.txt")[0]
    assert last(run, "reward")[1:] == (20, value[-1])
    assert not any("@" in name for name in run.metrics())


def test_a_pass_that_counts_as_the_training_does_is_of_other_data(tmp_path: Path) -> None:
    lines = []
    for e in range(1, 6):
        lines += [
            f"Epoch {e}/5",
            *(f"step {b}/40 - loss: {3.0 / (e + b / 40):.4f} - auc: 0.5" for b in range(10, 41, 10)),
        ]
        lines += ["Eval begin...", *(f"step {b}/12 - loss: {3.5 / (e + b / 12):.4f} - auc: 0.6" for b in (6, 12))]
        lines.append("Eval samples: 1200")
    (run,) = read(tmp_path, "\n".join(lines) + "\n")
    loss, val = run.series("loss"), run.series("val_loss")
    assert loss is not None and len(loss) == 20 and loss.value[-1] == 0.5
    assert val is not None and val.value[-1] == pytest.approx(3.5 / 6, abs=1e-4)


def test_a_remark_in_brackets_and_times_with_a_unit_in_brackets_leave_an_evaluation_its_split(tmp_path: Path) -> None:
    text = ""
    for e in range(1, 13):
        text += f"Epoch {e}, Step: {100 * e}, Batch Loss: {loss(e)}, Batch Acc: 0.4{e:02d}\n"
        text += f"Evaluation result (greedy) loss: {loss(e) + 0.2:.2f}, ppl: {31 - e:.2f}, acc: 0.3{e:02d}, "
        text += "generation: 335.8109[sec], evaluation: 0.0000[sec]\n"
    text += "".join(f"evl set : loss {loss(e) + 0.3:.3f}, f1 0.{40 + e}\n" for e in range(1, 13))
    run = read(tmp_path, text)[0]
    assert last(run, "val_loss")[1] == 12
    assert {m.metric for m in run.roles if m.role == "val_accuracy"} == {"eval acc"}
