"""What the lines of a log are to each other: copies, headings, means of what came before, parts of one table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random

from text_log import curve, losses, read


def lines(parts: Iterable[str]) -> str:
    return "".join(p + "\n" for p in parts)


def keras(values: list[float]) -> list[str]:
    out = []
    for e, v in enumerate(values, 1):
        out += [f"Epoch {e}/{len(values)}", "", f"  1/50 [......] - ETA: 9s - loss: {v + 0.2:.4f}"]
        out += [f" 25/50 [==>...] - ETA: 3s - loss: {v + 0.1:.4f}"]
        out += [f"50/50 [======] - 6s 22ms/step - loss: {v:.4f} - val_loss: {v + 0.05:.4f}"]
    return out


def test_bars_that_say_eta_are_those_of_the_training_and_three_trainings_are_three(tmp_path: Path) -> None:
    text = lines(p for k in range(3) for p in (f"#### CNN{k} ####", *keras(losses(12, k))))
    runs = read(tmp_path, text)
    assert [len(curve(r, "loss")) for r in runs] == [12, 12, 12]
    assert [curve(r, "val_loss")[-1][0] for r in runs] == [12, 12, 12]


def test_lines_that_two_handlers_wrote_count_once(tmp_path: Path) -> None:
    text = ""
    for i, v in enumerate(losses(40), 1):
        body = f"[{i * 100:6d}] | gnorm  0.31 lr  0.000250 | loss  {v:.2f}"
        text += f"INFO:tensorflow:{body}\nI1212 15:15:{i:02d}.123456 128529813321536 train.py:298] {body}\n"
    (run,) = read(tmp_path, text)
    assert len(curve(run, "loss")) == 40
    assert set(run.metrics()) == {"gnorm", "lr", "loss"}
    assert curve(run, "loss")[-1][0] == 4000


def test_a_line_that_says_again_what_the_record_beside_it_says_is_none(tmp_path: Path) -> None:
    text, best = "", 9.0
    for e, v in enumerate(losses(30), 1):
        val = v + (0.1 if e % 3 else 0.3)
        if val < best:
            best = val
            text += f"✓ 保存最佳模型，验证损失: {val:.4f}\n"
        text += f"Epoch {e} 完成 | 训练损失: {v:.4f} | 验证损失: {val:.4f}\n"
    (run,) = read(tmp_path, text)
    assert [s for s, _ in curve(run, "验证损失")] == list(range(1, 31))


def test_the_mean_of_an_epoch_stands_apart_from_the_records_within_it(tmp_path: Path) -> None:
    text = ""
    for e in range(10):
        for b in range(4):
            text += f"10:00:00 - INFO - epoch: {e}, batch_id: {b * 500}, ACC:0.9, loss:{2 - e * 0.1 - b * 0.01:.4f}\n"
        text += f"10:00:00 - INFO - epoch: {e} done, ACC:0.8,loss:{2.1 - e * 0.1:.4f}, epoch time: 1105.58 s\n"
    (run,) = read(tmp_path, text)
    assert [s for s, _ in curve(run, "loss")] == [500 * i for i in range(40)]
    assert [v for _, v in curve(run, "epoch loss")] == [round(2.1 - e * 0.1, 4) for e in range(10)]


def test_a_heading_says_of_which_split_the_lines_below_are(tmp_path: Path) -> None:
    text = ""
    for e, v in enumerate(losses(20), 1):
        text += f"Epoch {e}\nTrain:\nloss: {v:.4f}\n=== Evaluating on dev set ===\nloss: {v + 0.2:.4f}\n"
        text += f"Testing\nloss: {v + 0.4:.4f}\n"
    (run,) = read(tmp_path, text)
    roles = {m.role: m.metric for m in run.roles}
    assert roles["loss"] == "loss" and roles["val_loss"] == "dev loss" and roles["test_loss"] == "test loss"
    assert all(len(curve(run, m)) == 20 for m in ("loss", "dev loss", "test loss"))


def test_a_summary_below_an_evaluation_is_of_that_evaluation(tmp_path: Path) -> None:
    text = ""
    for e, v in enumerate(losses(8)):
        for b in range(0, 50, 10):
            text += f"Epoch: [{e}][{b:3d}/50]\tLoss {v:.4f} ({v:.4f})\tAcc@1  {40 + e} ({40 + e})\n"
        text += f"Test: [ 0/10]\tLoss {v:.4f} ({v:.4f})\tAcc@1  {41 + e} ({41 + e})\n * Acc@1 {41.5 + e:.3f}\n"
    (run,) = read(tmp_path, text)
    assert len(curve(run, "Loss")) == 40 and len(curve(run, "Acc@1")) == 40
    assert [v for _, v in curve(run, "test Acc@1")] == [41.5 + e for e in range(8)]


def test_the_scores_of_each_class_stand_apart_from_those_of_all(tmp_path: Path) -> None:
    text = ""
    for e in range(12):
        for split in ("dev", "test"):
            text += f"2020-02-10 21:{e:02d}:42,460 - log\\train.log - INFO - evaluate:{split}\n"
            for head, add in (("accuracy:  74.31%; ", 0), ("            PER: ", 5), ("            LOC: ", -5)):
                text += f"2020-02-10 21:{e:02d}:42,460 - log\\train.log - INFO - {head}"
                text += f"precision:  {50 + e + add}.85%; recall:  {40 + e + add}.41%; FB1:  {45 + e + add}.59\n"
    (run,) = read(tmp_path, text)
    assert [v for _, v in curve(run, "dev precision")] == [50.85 + e for e in range(12)]
    assert [v for _, v in curve(run, "test LOC/recall")] == [35.41 + e for e in range(12)]
    assert run.matches("val_metric") and run.matches("test_metric")


def test_words_before_a_colon_give_the_split_of_what_follows(tmp_path: Path) -> None:
    text = ""
    for e in range(1, 9):
        text += f"Epoch {e} - Loss: {2 / e:.4f}\n"
        text += f"Epoch {e} - Validation BLEU: BLEU-1 {60 + e}.65, BLEU-2 {50 + e}.76\n"
    (run,) = read(tmp_path, text)
    assert [v for _, v in curve(run, "validation BLEU-2")] == [50.76 + e for e in range(1, 9)]


def test_the_score_of_an_iteration_is_the_loss_where_it_falls(tmp_path: Path) -> None:
    said = "[main] INFO org.x.ScoreIterationListener - Score at iteration"
    text = lines(f"06:{i // 60:02d}:{i % 60:02d}.402 {said} {i * 100} is {v}" for i, v in enumerate(losses(60)))
    (run,) = read(tmp_path, text)
    (loss,) = run.matches("loss")
    assert loss.trust == "sure" and [s for s, _ in curve(run, loss.metric)] == list(range(0, 6000, 100))


def test_a_training_begins_where_its_steps_begin_not_with_its_first_loss(tmp_path: Path) -> None:
    text = ""
    for k in range(3):
        text += f"Training CNN (eta=0.{k}5)\n"
        for e, v in enumerate(losses(10, k), 1):
            text += "".join(f"[Step {(e - 1) * 300 + b}] SNR: {100 + b}.5\n" for b in (0, 100, 200))
            text += f">>> Ep {e}: Loss {v:.4f} | ACC {50 + e}.5%\n"
    runs = read(tmp_path, text)
    assert [len(curve(r, "SNR")) for r in runs] == [30, 30, 30]
    assert [curve(r, "SNR")[0][0] for r in runs] == [0, 0, 0]


def test_the_rows_of_a_bare_table_count_what_the_lines_around_count(tmp_path: Path) -> None:
    text = ""
    for e, v in enumerate(losses(20)):
        text += f"### EPOCH: {e}\nTest set: Average loss: {v:.4f}\n|  {e:3d} | {30 + e}.25% |  {v + 0.01:.4f} |\n"
    (run,) = read(tmp_path, text)
    assert run.axis == "epoch" and [s for s, _ in curve(run, "test Average loss")] == list(range(20))


def test_the_steps_of_an_episode_are_no_axis_beside_the_episode(tmp_path: Path) -> None:
    r = Random(1)
    text = "episode,reward,steps\n" + lines(
        f"{i},{i * 0.3 + r.gauss(0, 3):.2f},{r.randint(50, 900)}" for i in range(1, 90)
    )
    (run,) = read(tmp_path, text, "training_log.csv")
    assert [s for s, _ in curve(run, "reward")] == list(range(1, 90)) and "steps" in run.metrics()


def test_a_second_stage_that_prints_otherwise_is_another_training(tmp_path: Path) -> None:
    text = ""
    for e, v in enumerate(losses(60, 1, 7.0)):
        text += f"Epoch #{e}: train_loss={v:.6f}, val_loss={v:.6f}, time=0.29s, remaining=1.20min\n"
    text += "Training the forecast head\n"
    for e, v in enumerate(losses(10, 2, 0.1), 1):
        text += f"Epoch {e * 5}/50: train_loss={v:.6f}, val_loss={v + 0.3:.6f}\n"
    runs = read(tmp_path, text)
    assert [len(curve(r, "train_loss")) for r in runs] == [60, 10]


def test_settings_alone_make_no_curve(tmp_path: Path) -> None:
    said = (
        "task=detect, epochs=10, patience=100, batch=16, imgsz=800, workers=4, seed=0, fraction=1.0, iou=0.7, lr0=0.01"
    )
    (run,) = read(tmp_path, f"trainer: {said}\nERROR: pickle data was truncated\n")
    assert not run.metrics()


def test_a_dict_below_its_title_and_behind_a_stamp_is_settings(tmp_path: Path) -> None:
    head = "09-06 15:04:07 - INFO - __main__ - "
    text = f"{head}Configuration:\n{head}{{'batch_size': 128,\n 'epochs': 9,\n 'kl_warmup_epoch': 50,\n"
    text += " 'recon_loss': 'bpr',\n 'kl_beta': 1.0,\n 'lr': 0.01}\n" + lines(
        f"{head}Epoch {e}: loss {2 / e:.4f}" for e in range(1, 9)
    )
    (run,) = read(tmp_path, text)
    assert run.metrics() == ("loss",) and run.config["kl_beta"] == 1.0 and run.config["recon_loss"] == "bpr"


def test_a_sentence_before_training_tells_settings(tmp_path: Path) -> None:
    rows = [f"epoch {i}: loss {v:.3f} lr=0.1 momentum=0.9" for i, v in enumerate(losses(20), 1)]
    (run,) = read(tmp_path, lines(["net(width=24) on 900 rows, batch 30, Adam lr=0.2", *rows]))
    assert run.config["lr"] == 0.2 and len(curve(run, "loss")) == 20
    (run,) = read(tmp_path, lines(["lr=3e-4 batch_size=16 weight_decay=0.5 max_grad_norm=1.0", *rows[:12]]))
    assert run.config["max_grad_norm"] == 1.0 and "weight_decay" not in run.metrics()
    assert len(curve(run, "loss")) == 12


def test_values_alone_in_a_file_called_by_its_metric_are_that_curve(tmp_path: Path) -> None:
    (run,) = read(tmp_path, lines(str(v) for v in losses(40)), "forecast_train_loss.txt")
    assert [m.metric for m in run.matches("loss")] == ["forecast_train_loss"] and run.axis == "step"
    r = Random(1)
    assert not read(tmp_path, lines(f"{r.random():.6f}" for _ in range(40)), "train_loss.txt")
    assert not read(tmp_path, lines(str(v) for v in losses(40)), "per_class_accuracy.txt")


def test_precision_at_one_is_read_from_lines_of_its_own(tmp_path: Path) -> None:
    text = ""
    for e in range(6):
        for b in range(0, 30, 10):
            text += f"Epoch: [{e}][{b}/30]\tLoss {2.0 - e / 10:.4f} ({2.0 - e / 10:.4f})\n"
            text += f"Prec@1     {10.0 * e:.3f} ({9.0 * e:.3f})\tPrec@5     {12.0 * e:.3f} ({11.0 * e:.3f})\n"
    (run,) = read(tmp_path, text)
    assert len(curve(run, "Prec@1")) == 18 and run.matches("accuracy")


def test_settings_ahead_of_the_records_move_no_counter(tmp_path: Path) -> None:
    text = "Batch=16 | Workers=10 | LR=5e-05\n"
    text += lines(f"[{i * 500:06d}/50000] X4K | loss {v:.4f} | GPU 92% | batch 16" for i, v in enumerate(losses(50)))
    (run,) = read(tmp_path, text)
    assert [s for s, _ in curve(run, "loss")] == list(range(0, 25_000, 500)) and "Workers" not in run.metrics()


def test_the_rate_on_a_line_of_its_own_below_each_record_is_read(tmp_path: Path) -> None:
    rows = [f"epoch:{i // 10} || iter:{i * 10} || Loss:{v}\n->>lr:0.0005" for i, v in enumerate(losses(40))]
    (run,) = read(tmp_path, lines(rows))
    assert [s for s, _ in curve(run, "lr")] == list(range(0, 400, 10)) and run.matches("lr")


def test_a_bar_that_evaluates_after_the_last_epoch_leaves_that_epoch_alone(tmp_path: Path) -> None:
    text = lines([*keras(losses(12)), "7/7 [======] - 0s 23ms/step - loss: 0.7850"])
    (run,) = read(tmp_path, text)
    assert curve(run, "loss")[-1] == (12, losses(12)[-1])
    assert curve(run, "eval loss") == [(12, 0.785)]


def test_a_table_of_one_row_without_a_counter_is_no_training(tmp_path: Path) -> None:
    header = "model,lr,max_steps,training loss,validation loss\n"
    assert not read(tmp_path, f"{header}gemma,0.0002,60,0.1513,1.552\n", "training_log.csv")
    assert not read(tmp_path, "{'rouge1': 0.16, 'rouge2': 0.05, 'rougeL': 0.16}\n", "nohup.out")


def test_rows_of_a_layer_each_are_curves_of_these_layers(tmp_path: Path) -> None:
    layers = ["conv1.weight", "layer1.0.conv1.weight", "fc.weight", "fc.bias"]
    text = ""
    for s, v in enumerate(losses(20)):
        text += f"step {s}: loss {v:.4f}\n"
        text += lines(f"{n:45s} grad {10.0**-i:.1e}  grad/weight {10.0 ** (-i - 2):.1e}" for i, n in enumerate(layers))
        text += lines(f"relu{i:<36d} zero {50 + 10 * i}%, dead units {i * 10}%" for i in range(3))
    (run,) = read(tmp_path, text)
    assert [m.label for m in run.matches("layer_grad_norm")] == layers and not run.matches("grad_norm")
    assert [len(curve(run, m.metric)) for m in run.matches("layer_grad_norm")] == [20] * 4
    assert [v for _, v in curve(run, "zero/relu2")] == [70.0] * 20 and run.matches("zero_fraction")


def test_an_overfit_test_counts_its_steps(tmp_path: Path) -> None:
    (run,) = read(tmp_path, lines(f"overfit step {i * 10}: loss {v:.6f}" for i, v in enumerate(losses(40))))
    assert [s for s, _ in curve(run, "loss")] == list(range(0, 400, 10))


def test_the_loss_of_each_rank_is_a_curve_of_its_own(tmp_path: Path) -> None:
    values = losses(20)
    text = lines(f"[rank{k}] step {s}: loss {values[s] + k / 100:.4f}" for s in range(20) for k in range(3))
    (run,) = read(tmp_path, text)
    assert run.ranks() == (0, 1, 2) and all(len(run.metric("loss", k) or ()) == 20 for k in range(3))


def test_an_episode_within_a_stage_is_no_axis_beside_the_one_of_all(tmp_path: Path) -> None:
    text = "volume,episode,global_episode,total_reward,epsilon,queue_score\n"
    for i in range(60):
        text += (
            f"{200 * (1 + i // 15)},{i % 15},{i},{180 + i + i % 7:.2f},{0.93**i:.4f},{0.9 - i / 100 + i % 3 / 9:.3f}\n"
        )
    (run,) = read(tmp_path, text, "training_log.csv")
    assert [s for s, _ in curve(run, "total_reward")] == list(range(60))
    assert not run.matches("lr") and not run.matches("loss")


def test_a_counter_of_two_words_counts(tmp_path: Path) -> None:
    rows = [f"INFO: Epoch: {i // 20}/2, Iteration step: {i * 100}, loss: {v}" for i, v in enumerate(losses(40))]
    (run,) = read(tmp_path, lines(rows))
    assert [s for s, _ in curve(run, "loss")] == list(range(0, 4000, 100))


def test_what_is_logged_with_the_losses_of_two_players_is_a_term_of_them(tmp_path: Path) -> None:
    r = Random(3)
    text = ""
    for i in range(1, 40):
        values = {
            k: abs(1.0 / i + 0.3 + r.gauss(0, 0.1)) for k in ("D_A", "G_A", "cycle_A", "idt_A", "D_B", "G_B", "cycle_B")
        }
        said = ", ".join(f"{k}: {v:.3f}" for k, v in values.items())
        text += f"(epoch: {i}, iters: 100, time: 1.294, data: 0.90{i % 7}) , {said}\n"
    (run,) = read(tmp_path, text, "loss_log.txt")
    assert {m.metric for m in run.matches("game_loss")} == {"D_A", "G_A", "D_B", "G_B"}
    assert {m.metric for m in run.matches("aux_loss")} == {"cycle_A", "idt_A", "cycle_B"}


def test_the_batches_of_an_evaluation_are_no_points_of_the_training_loss(tmp_path: Path) -> None:
    rows, train = [], losses(60)
    for epoch in range(3):
        rows += [
            f"[Epoch {epoch + 1} Batch {10 * (k + 1)}/204] loss={v:.4f}, lr=0.00001{k % 9}, metrics:mcc:0.9"
            for k, v in enumerate(train[20 * epoch : 20 * epoch + 20])
        ]
        rows += ["Now we are doing evaluation on dev with gpu(0)."]
        rows += [f"[Batch {10 * (k + 1)}/131] loss={0.9 + 0.05 * (k % 4):.4f}, metrics:mcc:0.6" for k in range(13)]
    (run,) = read(tmp_path, lines(rows))
    loss, val = run.series("loss"), run.series("val_loss")
    assert loss is not None and len(loss) == 60 and float(loss.value[-1]) < 0.5
    assert val is not None and float(val.value.min()) > 0.8


def test_a_listing_of_the_program_raises_nothing_and_returns_no_reward(tmp_path: Path) -> None:
    code = [
        "def load(file):",
        "    if size != expected:",
        '        raise ValueError(f"Shard size mismatch for {file}")',
    ]
    code += ["    if not found:", "        return 1.0"]
    rows = [f"step:{10 * i}/400 train_loss:{v}" for i, v in enumerate(losses(40, top=6.9))]
    (run,) = read(tmp_path, lines([*code, *rows]))
    assert not any("Shard" in t for t in run.messages["text"])
    assert len(run.series("loss") or ()) == 40
