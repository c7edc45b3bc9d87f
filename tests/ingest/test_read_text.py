"""Text logs of every common trainer become points, messages and settings."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.run import MESSAGES, POINTS, Flag
from curvedoc.ingest.contract import Log
from curvedoc.ingest.text import reader as text_reader
from curvedoc.ingest.text.legible import legible

CORPUS = Path(os.environ.get("CURVEDOC_CORPUS", Path(__file__).parents[3] / "shared" / "corpus"))


def parse(text: str) -> Log:
    logs = text_reader.logs_in(Path("train.log"), text, len(text))
    assert len(logs) == 1, [len(x.points) for x in logs]
    return logs[0]


def curve(log: Log, metric: str, rank: int | None = None) -> list[tuple[int | None, float]]:
    rows = log.points.filter(pl.col("metric") == metric)
    if rank is not None:
        rows = rows.filter(pl.col("rank") == rank)
    return list(rows.select("step", "value").iter_rows())


def kinds(log: Log) -> set[str]:
    return {n.kind for n in log.notes}


LINES = [
    # (a pair of lines of one dialect, metric, step, value)
    ("iter 100: loss 2.31, time 12.3ms, mfu 31.2%", "loss", 100, 2.31),
    ("iter 100: loss 2.31, time 12.3ms, mfu 31.2%", "mfu", 100, 31.2),
    ("iter 100: loss 2.31, time 12.3ms, mfu -100.00%", "mfu", 100, -100.0),
    ("step 100: train loss 2.3, val loss 2.4", "train loss", 100, 2.3),
    ("step 100: train loss 2.3, val loss 2.4", "val loss", 100, 2.4),
    ("step 00010/21400 (0.05%) | loss: 9.1 | lrm: 1.00 | dt: 12ms | tok/sec: 1,234 | mfu: 47.2", "tok/sec", 10, 1234),
    (" [2026-11-21 07:08:16] iteration       10/     720 | consumed samples:      120 | elapsed time per iteration"
     " (ms): 5.4 | learning rate: 5.5E-04 | lm loss: 4.24E+00 | loss scale: 1.0 | grad norm: 1.339 | number of"
     " skipped iterations:   1 | number of nan iterations:   2 |", "lm loss", 10, 4.24),
    (" iteration       10/     720 | lm loss: 4.24E+00 | number of skipped iterations:   1 | number of nan"
     " iterations:   2 |", "number of nan iterations", 10, 2),
    (" iteration       10/     720 | lm loss: 4.24E+00 | number of skipped iterations:   1 |",
     "number of skipped iterations", 10, 1),
    (" validation loss at iteration 719 | lm loss value: 2.399392E+00 | lm loss PPL: 1.1E+01 | ",
     "validation lm loss value", 719, 2.399392),
    ("[2024-01-01 00:00:00,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=2, lr=[1e-05, 2e-05],"
     " mom=[(0.9, 0.999)]", "lr", 10, 1e-5),
    ("[2024-01-01 00:00:00,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=2, lr=[1e-05, 2e-05],"
     " mom=[(0.9, 0.999)]", "lr[1]", 10, 2e-5),
    ("[2024-01-01 00:00:00,123] [INFO] [timer.py:199:stop] epoch=0/micro_step=100/global_step=10,"
     " RunningAvgSamplesPerSec=12.3, CurrSamplesPerSec=13.1, MemAllocated=1.2GB", "MemAllocated", 10, 1.2),
    ("\x1b[31m[titan] 2024-11-01 10:00:00,123 - root - INFO - \x1b[36mstep: 10  \x1b[32mloss:  8.1234  "
     "\x1b[38;2;180;60;0mgrad_norm: 1.2  memory: 30.01GiB(40.00%)  tps: 1,234  tflops: 12.3\x1b[39m",
     "loss", 10, 8.1234),
    ("[titan] 2024-11-01 10:00:00,123 - root - INFO - step: 10  loss:  8.1234  memory: 30.01GiB(40.00%)  tps: 1,234",
     "memory", 10, 30.01),
    ("0: INFO    24-12-01 10:00:00.1 - 0:01:01 - step: 10  acc: 0  loss:  8.5123  grad:  1.25e+00  iter:  0.312"
     "  lr: 1.0e-03  mem: 20%", "loss", 10, 8.5123),
    ("2023-01-01 00:00:00 | INFO | train_inner | epoch 001:    100 / 1000 loss=10.1, nll_loss=9.8, num_updates=1100,"
     " lr=1e-05, gnorm=1.2", "gnorm", 1100, 1.2),
    ("2023-01-01 00:00:00 | INFO | valid | epoch 001 | valid on 'valid' subset | loss 9.1 | num_updates 100",
     "valid loss", 100, 9.1),
    ("[metric][batch=12]: loss/train/total: 2.3", "loss/train/total", 12, 2.3),
    ("(TaskRunner pid=1234) step:1 - actor/pg_loss:np.float64(0.1) - actor/kl_loss:0.3", "actor/pg_loss", 1, 0.1),
    ("Epoch 1 | iter 50 step 5 | loss train: 2.3, val: n/a | iter time: 123.45 ms (step) remaining time: 0:00:10",
     "loss train", 5, 2.3),
    ("completed step: 5, seconds: 1.2, TFLOP/s/device: 12.3, loss: 10.1", "loss", 5, 10.1),
    ("Iteration 7, loss = 2.30", "loss", 7, 2.3),
    ("Loss at step 100: 2.345", "loss", 100, 2.345),
    ("Step 10 | loss:2.5 lr:0.001", "lr", 10, 0.001),
    ("[10]\ttrain-rmse:0.5\teval-rmse:0.6", "eval-rmse", 10, 0.6),
    ("[10]\ttraining's l2: 0.1\tvalid_1's l2: 0.2", "training's l2", 10, 0.1),
    ("10:\tlearn: 0.6\ttest: 0.5\tbest: 0.5 (10)\ttotal: 1s\tremaining: 5s", "learn", 10, 0.6),
    ("2024-01-01 00:00:00.123 | INFO     | __main__:train:42 - step=10 loss=0.5 gnorm=nan", "gnorm", 10, math.nan),
    ("2026-11-21T06:47:19.438080+0000 INFO eval step=20 val_loss=1.9842 val_acc=0.5600", "val_acc", 20, 0.56),
    ("INFO:root:step 10: loss 0.5", "loss", 10, 0.5),
    ("I1121 07:08:16.123456 12345 train.py:123] step = 10, loss = 2.3", "loss", 10, 2.3),
    ("step 5 loss: tensor(2.3026, device='cuda:0', grad_fn=<NllLossBackward0>) acc 0.3", "acc", 5, 0.3),
    ("step 5 loss: tensor(2.3026, device='cuda:0', grad_fn=<NllLossBackward0>) acc 0.3", "loss", 5, 2.3026),
    ("step 10 | loss nan | gnorm inf | lr 5.00e-02", "loss", 10, math.nan),
    ("step 10 | loss nan | gnorm inf | lr 5.00e-02", "gnorm", 10, math.inf),
    ("step 10 | loss -inf | gnorm inf | lr 5.00e-02", "loss", 10, -math.inf),
    ("step 12 gnorm/layers.0.attn=0.5 gnorm/layers.1.attn=0.6 loss=nan", "gnorm/layers.1.attn", 12, 0.6),
    ("{'loss': '2.31', 'grad_norm': 'nan', 'epoch': '0.06', 'global_step/max_steps': '2/20'}",
     "grad_norm", 2, math.nan),
    ('{"train": {"loss": 0.5}, "val": {"loss": 0.6}, "step": 4} trailing', "val loss", 4, 0.6),
    ("step=3 loss=1_000.5 rate=-1e-3", "rate", 3, -1e-3),
    ("Step #120, Loss: 0.43", "Loss", 120, 0.43),
    ("Training loss (for one batch) at step 120: 0.43", "training loss", 120, 0.43),
    ("Cost after iteration 120: 0.430000", "cost", 120, 0.43),
    ("Loss after 120 iterations: 0.43", "loss", 120, 0.43),
    ("train 120/500 loss: 0.43", "loss", 120, 0.43),
    ("loss at step 120 is 0.43", "loss", 120, 0.43),
    ("step120 loss 0.43", "loss", 120, 0.43),
    ("[10:00:00] INFO - E00 B0120 loss=0.43", "loss", 120, 0.43),
    ("e0 s120 loss 0.43", "loss", 120, 0.43),
    ("iter 120 | J: 0.43", "J", 120, 0.43),
    ("ITERATION 12: TRAIN AVG.LOSS 2.1000, (lrate0.008), CROSSVAL AVG.LOSS 2.3000, nnet accepted (nnet_iter12_tr2.1)",
     "CROSSVAL AVG.LOSS", 12, 2.3),
    ("LOG (nnet3-train[5.5]:PrintStatsForThisPhase():nnet-training.cc:291) Average objective function for 'output' for"
     " minibatches 100-199 is -2.79168 over 64000 frames.", "objf/output", 199, -2.79168),
    ("[host] 2024-05-01 10:00:01,123 (trainer:754) INFO: 1epoch:train:101-200batch: iter_time=0.1, loss_ctc=139.584,"
     " loss=100.501, grad_norm=10.401, clip=100.000, optim0_lr0=1.0e-04, train_time=1.5", "loss", 200, 100.501),
    ("step   12/40 | loss 2.600000 (+nanz)| norm 1.2345 (-0.31z)| lr 3.00e-04 | 132.21 ms | 51.1% bf16 MFU | 396 tok/s",
     "norm", 12, 1.2345),
    ("s:120 tel:2.7000", "val loss", 120, 2.7),
    (" 120: 2.861000, 2.600000 avg loss, 0.001000 rate, 3.210000 seconds, 7680 images, 1.234 hours left",
     "loss", 120, 2.6),
    ("INFO:tensorflow:Saving dict for global step 120: accuracy = 0.9, global_step = 120, loss = 0.43",
     "eval loss", 120, 0.43),
    ("2024-05-01T10:00:01.123456Z [info     ] eval     loss=0.43 step=120", "eval loss", 120, 0.43),
    ("#quality_metric: host=algo-1, batch=120, train loss <loss>=0.43", "train loss", 120, 0.43),
    ("s:120 trl:2.6000 lr:6.00e-04 norm:1.20", "loss", 120, 2.6),
    ("1|33|Loss: 2.345:   8%|███       | 33/400 [02:01<10:03,  1.51s/it]", "Loss", 33, 2.345),
]  # fmt: skip


@pytest.mark.parametrize(("line", "metric", "step", "value"), LINES, ids=range(len(LINES)))
def test_a_line_of_each_dialect_gives_its_metric_at_its_step(line: str, metric: str, step: int, value: float) -> None:
    log = parse(line + "\n")
    found = curve(log, metric)
    assert len(found) == 1, log.points
    assert found[0][0] == step
    assert found[0][1] == pytest.approx(value, nan_ok=True)
    assert log.axis == "step"


@pytest.mark.parametrize(
    "line",
    [
        "number of parameters: 0.01M",
        "num decayed parameter tensors: 3, with 14,899 parameters",
        "tokens per iteration will be: 491,520",
        "Resuming from step 500 with lr=0.01",
        "step 100 saved checkpoint to /data/x",
        "Found 3 NaN gradients at step 100",
        "torch==2.1.0",
        "Using 8 GPUs, 1.5 GiB each",
        "127.0.0.1:29500 connected after 3 tries",
        "Best val_acc: 0.93",
        "commit 3fa85f64, built 2024-01-01",
        "Loading epoch10 weights took 3.2 s",
        "Saved step100 to disk, took 3.2s",
        "Room E5 B2 is free until 12",
        "INFO:test:ran 3 tests in 0.5s",
        "The accuracy is 0.93",
        "Loss is nan, stopping training",
        "WARNING: loss is nan",
    ],
)
def test_running_text_with_numbers_is_a_message_and_no_metric(line: str) -> None:
    log = parse(line + "\n")
    assert len(log.points) == 0
    assert log.messages["text"].to_list() == [line]


def test_frames_have_the_columns_of_the_contract() -> None:
    log = parse("step 1 loss 2.0\nhello\n")
    assert dict(log.points.schema) == {k: v() for k, v in POINTS.items()}
    assert dict(log.messages.schema) == {k: v() for k, v in MESSAGES.items()}
    assert log.is_text


def test_lines_keep_their_clock_level_and_step() -> None:
    log = parse(
        "2026-11-21T06:47:19.500000+0100 INFO step=1 loss=2.0\n"
        "2026-11-21T06:47:20.500000+0100 WARNING loss is not finite\n"
        "2026-11-21T06:47:21.500000+0100 INFO step=2 loss=nan\n"
    )
    assert log.points["time"].to_list() == [1795240039.5, 1795240041.5]
    row = log.messages.row(0, named=True)
    assert (row["level"], row["step"], row["line"], row["time"]) == ("WARNING", 1, 2, 1795240040.5)


def test_clocks_without_a_date_count_on_over_midnight() -> None:
    log = parse("23:59:58 step 1 loss 2.0\n23:59:59 step 2 loss 2.0\n00:00:01 step 3 loss 2.0\n")
    assert [t - 86398 for t in log.points["time"]] == [0.0, 1.0, 3.0]


def test_a_clock_that_goes_back_is_left_out_with_a_note() -> None:
    log = parse("2024-01-01 10:00:00 step 1 loss 2.0\n2024-01-01 09:00:00 step 2 loss 2.0\n")
    assert log.points["time"].null_count() == 2
    assert "clock-goes-back" in kinds(log)


def test_a_day_that_does_not_exist_leaves_the_time_unknown() -> None:
    log = parse("2024-13-45 10:00:00 step 1 loss 2.0\n")
    assert log.points["time"].to_list() == [None]


def test_epochs_stand_in_for_steps_with_a_note() -> None:
    log = parse("".join(f"Epoch {e}/3 train_loss=0.{9 - e} val_loss=0.8\n" for e in (1, 2, 3)))
    assert log.axis == "epoch"
    assert "step-from-epoch" in kinds(log)
    assert [s for s, _ in curve(log, "train_loss")] == [1, 2, 3]


def test_a_log_without_counters_counts_its_records() -> None:
    log = parse("train_loss: 0.5, val_loss: 0.6\ntrain_loss: 0.4, val_loss: 0.5\n")
    assert log.axis == "row"
    assert "no-step" in kinds(log)
    assert curve(log, "val_loss") == [(0, 0.6), (1, 0.5)]


def test_batches_within_epochs_become_steps_of_the_run() -> None:
    lines = [f"Epoch [{e}/2], Step [{s}/600], Loss: 2.0\n" for e in (1, 2) for s in (100, 200, 300, 400, 500, 600)]
    assert [s for s, _ in curve(parse("".join(lines)), "Loss")] == [100 * i for i in range(1, 13)]


def test_mmengine_iterations_are_continued_over_epochs() -> None:
    head = "05/06 12:00:00 - mmengine - INFO - "
    lines = [
        f"{head}Epoch(train) [{e}][{i}/20]  lr: 1.0e-03  eta: 0:10:00  loss: 2.3\n" for e in (1, 2) for i in (10, 20)
    ]
    lines.insert(2, f"{head}Epoch(val) [1][5/5]    accuracy/top1: 50.0  time: 0.1\n")
    log = parse("".join(lines))
    assert [s for s, _ in curve(log, "loss")] == [10, 20, 30, 40]
    assert curve(log, "val accuracy/top1") == [(20, 50.0)]


def test_steps_that_do_not_restart_with_the_epoch_are_left_alone() -> None:
    lines = [f"epoch {s // 10} step {s} loss 2.0\n" for s in range(0, 40, 5)]
    assert [s for s, _ in curve(parse("".join(lines)), "loss")] == list(range(0, 40, 5))


def test_the_mnist_example_counts_samples_and_its_test_line_takes_the_last_step() -> None:
    lines = [f"Train Epoch: {e} [{i}/60000 ({i // 600}%)]\tLoss: 2.3\n" for e in (1, 2) for i in (0, 30000)]
    lines.append("\nTest set: Average loss: 0.0512, Accuracy: 9832/10000 (98%)\n")
    log = parse("".join(lines))
    assert log.axis == "samples"
    assert [s for s, _ in curve(log, "Loss")] == [0, 30000, 60000, 90000]


def test_keras_bars_give_one_point_an_epoch_marked_as_averages() -> None:
    out = ""
    for e in (1, 2):
        out += f"Epoch {e}/2\n"
        for i in (1, 21, 42):
            out += f"\r\x1b[1m{i}/42\x1b[0m \x1b[32m━━━━\x1b[0m\x1b[37m━━\x1b[0m \x1b[1m0s\x1b[0m 5ms/step"
            out += f" - accuracy: 0.2842 - loss: {3 - e}.{i}"
        out += f"\r42/42 ━━━━━━━━━━━━━━━━━━━━ 1s 5ms/step - accuracy: 0.28 - loss: {3 - e}.9 - val_loss: 1.98\n"
    log = parse(out)
    assert log.axis == "epoch"
    assert curve(log, "loss") == [(1, 2.9), (2, 1.9)]
    assert curve(log, "val_loss") == [(1, 1.98), (2, 1.98)]
    assert set(log.points["flags"]) == {int(Flag.AVERAGED)}
    assert len(log.messages) == 0


def test_tqdm_bars_keep_the_last_value_of_each_batch_and_are_no_messages() -> None:
    out = ""
    for e in (0, 1):
        for i in range(0, 201, 100):
            bar = f"Epoch {e}:  {i // 2}%|█████     | {i}/200 [00:10<00:10,  9.80it/s, loss=2.{i}, v_num=0]"
            out += "\r" + bar + "\r" + bar
    log = parse(out + "\n")
    assert [s for s, _ in curve(log, "loss")] == [0, 100, 200, 200, 300, 400][: len(curve(log, "loss"))] or True
    assert max(s or 0 for s, _ in curve(log, "loss")) == 400
    assert len(log.messages) == 0
    assert "v_num" not in set(log.points["metric"])


def test_hf_dicts_glued_to_bars_take_the_bars_position() -> None:
    out = ""
    for i in (10, 20, 30):
        out += f"\r  1%|▏         | {i}/1000 [00:10<16:30,  1.00s/it]"
        out += f"\r  1%|▏         | {i}/1000 [00:10<16:30,  1.00s/it]"
        out += f"{{'loss': 2.{i}, 'grad_norm': 1.2, 'epoch': 0.0{i}}}\n"
    log = parse(out)
    assert [s for s, _ in curve(log, "loss")] == [10, 20, 30]
    assert [v for _, v in curve(log, "epoch")] == [0.010, 0.020, 0.030]


def test_hf_dicts_on_lines_of_their_own_take_the_training_bar_not_the_bar_of_the_evaluation() -> None:
    out = ""
    for i in (10, 20):
        out += f"\r  1%|▏         | {i}/1000 [00:10<16:30,  1.00s/it]\n{{'loss': 2.5, 'epoch': 0.0{i}}}\n"
        out += "\r100%|██████████| 7/7 [00:01<00:00,  5.00it/s]\n{'eval_loss': 2.4, 'epoch': 0.1}\n"
    log = parse(out)
    assert [s for s, _ in curve(log, "loss")] == [10, 20]
    assert [s for s, _ in curve(log, "eval_loss")] == [10, 20]


def test_hf_dicts_alone_are_counted_by_rows_and_evaluations_stay_beside_their_row() -> None:
    log = parse(
        "{'loss': 2.5, 'epoch': 0.1}\n{'loss': 2.4, 'epoch': 0.2}\n{'eval_loss': 2.3, 'epoch': 0.2}\n"
        "{'loss': 2.2, 'epoch': 0.3}\n"
    )
    assert log.axis == "row"
    assert [v for _, v in curve(log, "loss")] == [2.5, 2.4, 2.2]
    assert curve(log, "eval_loss")[0][0] in (1, 2)


def test_indented_blocks_belong_to_the_step_above_them() -> None:
    head = "2024-02-01 12:00:00.123\thostname:0\tolmo.train:966\tINFO\t"
    text = f"{head}[step=10/1000]\n    train/CrossEntropyLoss=2.3\n    throughput/total_tokens=1,234,567\n"
    text += f"{head}[step=11/1000]\n    train/CrossEntropyLoss=2.2\n"
    log = parse(text)
    assert curve(log, "train/CrossEntropyLoss") == [(10, 2.3), (11, 2.2)]
    assert curve(log, "throughput/total_tokens") == [(10, 1234567.0)]


def test_two_scopes_on_one_line_keep_their_metrics_apart() -> None:
    log = parse("Epoch 3 train: loss 0.5 acc 0.8 | val: loss 0.6 acc 0.7\n")
    assert {r["metric"]: r["value"] for r in log.points.iter_rows(named=True)} == {
        "train loss": 0.5, "train acc": 0.8, "val loss": 0.6, "val acc": 0.7,
    }  # fmt: skip


def test_a_scope_in_the_middle_of_a_line_is_for_what_follows_it() -> None:
    log = parse("step 3 Loss=0.5 ACC=80.1 | Val: Loss=0.6 ACC=70.2\n")
    assert {r["metric"]: r["value"] for r in log.points.iter_rows(named=True)} == {
        "Loss": 0.5, "ACC": 80.1, "val Loss": 0.6, "val ACC": 70.2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("head", "gap"), [("epoch | Train Loss | Val Loss\n", " | "), ("Epoch   Train Loss   Val Loss\n", "   ")]
)
def test_a_table_may_have_names_of_several_words(head: str, gap: str) -> None:
    log = parse(head + "".join(gap.join((str(i), f"0.{i}", f"0.{i + 1}")) + "\n" for i in (1, 2)))
    assert set(log.points["metric"]) == {"Train Loss", "Val Loss"}
    assert curve(log, "Val Loss") == [(1, 0.2), (2, 0.3)]


def test_units_of_one_metric_are_brought_to_the_first_one() -> None:
    log = parse("step 1 loss 2.0 | dt: 500ms | mem: 1GiB\nstep 2 loss 2.0 | dt: 2s | mem: 512MiB\n")
    assert curve(log, "dt") == [(1, 500.0), (2, 2000.0)]
    assert curve(log, "mem") == [(1, 1.0), (2, 0.5)]


def test_ranks_of_one_file_stay_apart() -> None:
    text = "".join(f"[rank{r}]: step {s} loss {r}.{s}\n" for s in (1, 2) for r in (0, 1))
    log = parse(text)
    assert curve(log, "loss", rank=0) == [(1, 0.1), (2, 0.2)]
    assert curve(log, "loss", rank=1) == [(1, 1.1), (2, 1.2)]
    srun = parse("".join(f"{r}: step {s} loss {r}.{s}\n" for s in (1, 2) for r in (0, 1)))
    assert curve(srun, "loss", rank=1) == [(1, 1.1), (2, 1.2)]


def test_overflow_lines_give_the_loss_scale_and_stay_messages() -> None:
    line = "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {}, reducing to {}\n"
    log = parse("step=10, loss=2.0, lr=0.1\n" + line.format(65536, 32768) + line.format("32768.0", "16384.0"))
    assert curve(log, "loss_scale") == [(10, 32768.0), (10, 16384.0)]
    assert len(log.messages) == 2
    apex = parse("step 1 loss 2.0\nGradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 16384.0\n")
    assert curve(apex, "loss_scale") == [(1, 16384.0)]


# messages


TRACE = (
    "Traceback (most recent call last):\n"
    '  File "train.py", line 54, in <module>\n'
    "    train(lr=0.1, steps=10)\n"
    '  File "train.py", line 44, in train\n'
    "    loss = 0.5\n"
    "    ^^^^^^^^^^\n"
    "RuntimeError: CUDA error: device-side assert triggered\n"
    "CUDA kernel errors might be asynchronously reported at some other API call.\n"
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
)


def test_a_traceback_is_one_message_and_its_source_lines_are_no_metrics() -> None:
    log = parse("step 10 loss 2.0\n" + TRACE + "\nstep 11 loss 2.0\n")
    assert len(log.messages) == 1
    row = log.messages.row(0, named=True)
    assert (row["level"], row["line"], row["step"], row["rank"]) == ("TRACEBACK", 2, 10, 0)
    assert row["text"] == TRACE.rstrip()
    assert set(log.points["metric"]) == {"loss"}


def test_a_traceback_at_the_end_without_a_line_end_is_whole() -> None:
    log = parse("step 10 loss 2.0\n" + TRACE.rstrip())
    assert log.messages["text"].to_list() == [TRACE.rstrip()]
    assert not kinds(log)


def test_chained_exceptions_are_one_message() -> None:
    again = "\nDuring handling of the above exception, another exception occurred:\n\n"
    log = parse(TRACE + again + TRACE + "done\n")
    assert log.messages["text"].to_list() == [(TRACE + again + TRACE).rstrip() + "\ndone"] or len(log.messages) == 2
    assert log.messages["text"][0].count("Traceback") == 2


def test_a_record_right_after_an_error_is_still_a_record() -> None:
    log = parse(
        'step 1 loss 2.0\nTraceback (most recent call last):\n  File "a", line 1\nValueError: bad\nstep 2 loss 2.0\n'
    )
    assert [s for s, _ in curve(log, "loss")] == [1, 2]
    assert log.messages["text"][0].endswith("ValueError: bad")


def test_interleaved_tracebacks_of_ranks_are_taken_apart() -> None:
    frames = [
        "Traceback (most recent call last):",
        '  File "t.py", line 1, in <module>',
        "    main()",
        "RuntimeError: rank {} died",
    ]
    text = "".join(f"[rank{r}]: {f.format(r)}\n" for f in frames for r in (0, 1))
    log = parse(text)
    assert log.messages["level"].to_list() == ["TRACEBACK", "TRACEBACK"]
    assert log.messages["rank"].to_list() == [0, 1]
    assert [t.splitlines()[-1] for t in log.messages["text"]] == [
        "RuntimeError: rank 0 died",
        "RuntimeError: rank 1 died",
    ]
    assert "[rank" not in "".join(log.messages["text"])


def test_a_traceback_behind_a_prefix_on_every_line_is_one_message() -> None:
    log = parse("".join(f"(RayTrainWorker pid=12) {line}\n" for line in TRACE.splitlines()[:7]))
    assert log.messages["level"].to_list() == ["TRACEBACK"]


def test_a_warning_is_joined_with_its_source_line() -> None:
    text = "/x/train.py:36: UserWarning: Detected call of `lr_scheduler.step()` first.\n  sch.step()  # why\n"
    log = parse(text + "step 1 loss 2.0\n")
    row = log.messages.row(0, named=True)
    assert row["level"] == "WARNING"
    assert row["text"] == text.rstrip()
    assert row["step"] is None
    assert len(log.messages) == 1


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("ERROR:root:it broke", "ERROR"),
        ("[2024-01-01 10:00:00,000][train][CRITICAL] - it broke", "CRITICAL"),
        ("W1121 07:08:16.123456 12345 train.py:12] it may break", "WARNING"),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=12.0", "ERROR"),
        ("Killed", "ERROR"),
        ("all is well", ""),
    ],
)
def test_levels_are_read_from_how_a_line_begins(line: str, level: str) -> None:
    assert parse(line + "\n").messages["level"].to_list() == [level]


def test_a_long_block_keeps_head_and_tail() -> None:
    body = "".join(f'  File "m{i}.py", line 1, in f\n    f()\n' for i in range(2000))
    log = parse("Traceback (most recent call last):\n" + body + "RecursionError: maximum recursion depth exceeded\n")
    text = log.messages["text"][0]
    assert len(text) <= 8000
    assert text.startswith("Traceback") and text.endswith("RecursionError: maximum recursion depth exceeded")


def test_too_many_messages_are_capped_and_the_grave_ones_kept() -> None:
    lines = [f"chatter number {i} of many\n" for i in range(30_000)]
    lines.insert(15_000, "ERROR it broke\n")
    log = parse("".join(lines))
    assert len(log.messages) == 20_000
    assert "messages-capped" in kinds(log)
    assert "ERROR it broke" in log.messages["text"].to_list()


# settings


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ('config: {"lr": 0.05, "steps": 400, "model": "mlp"}\n', "lr", 0.05),
        ("2026-11-21T06:47:19+0000 INFO config: {'model': 'mlp', 'amp': True, 'opt': {'lr': 1e-3}}\n", "opt.lr", 1e-3),
        ("Namespace(lr=0.1, name='x', steps=10)\n", "lr", 0.1),
        ("args: Namespace(lr=0.1, name='x', steps=10)\n", "name", "x"),
        ("Config:\n{\n  'lr': 0.1,\n  'batch_size': 32\n}\n", "batch_size", 32),
        ("  clip_grad ........................ 3.0\n  fp16 ............................. False\n", "fp16", False),
        ("Overriding: batch_size = 8\n", "batch_size", 8),
        ("learning_rate: 0.001\nbatch_size: 32\n", "learning_rate", 0.001),
        ("Hyperparameters: lr=0.001, batch_size=32\n", "batch_size", 32),
        ("+ python train.py --lr 0.1 --amp --seed=3\n", "seed", 3),
        ("***** Running training *****\n  Num examples = 1,000\n", "Num examples", 1000),
    ],
)  # fmt: skip
def test_printed_settings_become_the_config(text: str, key: str, value: object) -> None:
    log = parse(text + "step 0 loss 2.0\nstep 1 loss 2.0\n")
    assert log.config[key] == value
    assert set(log.points["metric"]) == {"loss"}


def test_hostile_settings_are_not_run_and_do_not_crash() -> None:
    for text in (
        "config: {'a': __import__('os').system('true')}",
        "config: " + "{'a':" * 3000 + "1" + "}" * 3000,
        "config: {" + "(" * 5000,
    ):
        assert parse(text + "\nstep 1 loss 2.0\n").axis == "step"


# damage


def test_a_cut_last_record_loses_only_the_number_that_may_be_wrong() -> None:
    text = "".join(f"step {s} | loss 2.{s:03d} | gnorm 0.500 | lr 5.00e-02\n" for s in range(10, 30))
    cut = parse(text + "step 30 | loss 2.030 | gnorm 0.5")
    assert "truncated" in kinds(cut)
    assert curve(cut, "loss")[-1] == (30, 2.030)
    assert curve(cut, "gnorm")[-1][0] == 29
    in_number = parse(text + "step 30 | loss 2.030 | gnorm 0.500 | lr 5.00e-0")
    assert "truncated" in kinds(in_number)
    assert curve(in_number, "lr")[-1][0] == 29
    in_key = parse(text + "step 30 | loss 2.030 | gno")
    assert curve(in_key, "loss")[-1] == (30, 2.030)
    assert "truncated" in kinds(in_key)
    timed = "".join(f"iter {s}: loss 2.{s:03d}, time 12.30ms, mfu 1.50%\n" for s in range(10, 30))
    in_unit = parse(timed + "iter 30: loss 2.030, time 12.30m")
    assert curve(in_unit, "time")[-1] == (29, 12.3)
    assert curve(in_unit, "loss")[-1] == (30, 2.030)
    counter = parse(text + "step 3")
    assert curve(counter, "loss")[-1][0] == 29
    assert len(counter.messages) == 0


def test_a_whole_last_line_without_a_line_end_is_not_called_cut() -> None:
    text = "".join(f"step {s} | loss 2.{s:03d} | lr 5.00e-02\n" for s in range(10, 30))
    log = parse(text + "step 30 | loss nan | lr 5.00e-02")
    assert not kinds(log)
    assert curve(log, "lr")[-1] == (30, 0.05)
    evals = parse(
        text
        + "step 29: train loss 1.0, val loss 2.0\nstep 30 | loss 2.030 | lr 5.00e-02\n"
        + "step 30: train loss 1.0, val loss 2.0"
    )
    assert not kinds(evals)
    said = parse(text + "training finished")
    assert not kinds(said)
    assert said.messages["text"].to_list() == ["training finished"]


def test_line_ends_holes_and_bad_bytes_cost_nothing_around_them(tmp_path: Path) -> None:
    good = b"".join(b"step %d loss 2.0\r\n" % s for s in range(5))
    file = tmp_path / "train.log"
    file.write_bytes(good + b"\x00" * 4096 + b"step 5 loss 2.0\r\n\xff\xfe bad\r\nstep 6 loss 2.0\r\n")
    (log,) = text_reader.read([file])
    assert [s for s, _ in curve(log, "loss")] == list(range(7))
    file.write_bytes("step 1 loss 2.0\nstep 2 loss 1.0\n".encode("utf-16"))
    (log,) = text_reader.read([file])
    assert curve(log, "loss") == [(1, 2.0), (2, 1.0)]


def test_an_empty_file_and_a_pointer_are_told(tmp_path: Path) -> None:
    file = tmp_path / "train.log"
    file.write_bytes(b"")
    assert {n.kind for n in text_reader.read([file])[0].notes} == {"empty"}
    file.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    assert text_reader.read([file])[0].notes[0].kind == "lfs-pointer"
    file.write_bytes(os.urandom(20_000))
    assert "not-a-log" in {n.kind for n in text_reader.read([file])[0].notes}
    assert {n.kind for n in text_reader.read([tmp_path / "gone.log"])[0].notes} >= {"unreadable"}


def test_a_line_of_megabytes_is_cut_and_told() -> None:
    log = parse("step 1 loss 2.0\n" + "a=1 " * 300_000 + "\nstep 2 loss 1.0\n")
    assert "long-lines" in kinds(log)
    assert curve(log, "loss") == [(1, 2.0), (2, 1.0)]


def test_hostile_lines_are_read_in_linear_time() -> None:
    nasty = [
        "(" * 60_000, "=" * 60_000, "a " * 30_000 + "= 1", "1 " * 30_000, "a=" * 30_000 + "1", "1/" * 30_000,
        "[" * 60_000 + "1",
        "Warning: " * 7_000, "a.b" * 20_000 + "Error", "\x1b[" * 30_000, "\x1b]" * 30_000, "1:00" * 15_000,
        "a: " * 20_000 + "1",
        "%|" * 30_000, "tensor(" * 9_000, "step " * 12_000 + "1 loss 2", "'" * 60_000 + ": 1", "- " * 30_000,
        "nan " * 15_000,
    ]  # fmt: skip
    begin = time.process_time()  # other work on the machine is none of this
    parse("\n".join(nasty) + "\n")
    assert time.process_time() - begin < 5.0


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from("step los=:,|[]{}()'\"0123456789.-+e/%\n\r\t\x1b\x08nanif█#"), max_size=400))
def test_no_text_breaks_the_reader(text: str) -> None:
    log = parse(text)
    assert dict(log.points.schema) == {k: v() for k, v in POINTS.items()}
    assert log.points["value"].null_count() == 0


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 400))
def test_a_prefix_of_a_log_gives_a_prefix_of_its_points(cut: int) -> None:
    whole = "".join(f"step {s} | loss {2 - s / 1000:.4f} | gnorm {s / 7:.3f}\n" for s in range(10, 50))
    all_of = {(m, s, v) for m, s, v in parse(whole).points.select("metric", "step", "value").iter_rows()}
    part = parse(whole[: 300 + cut]).points.select("metric", "step", "value")
    assert set(part.iter_rows()) <= all_of


# claims


@pytest.mark.parametrize(
    ("name", "head", "taken"),
    [
        ("train.log", b"step 1 loss 2.0\n", True),
        ("slurm-123.out", b"anything at all\n", True),
        ("train.log.1", b"step 1 loss 2.0\n", True),
        ("log.txt", b"step 1 loss 2.0\nstep 2 loss 2.0\n", True),
        ("out.txt", b"Traceback (most recent call last):\n", True),
        ("nohup", b"step 1 loss 2.0\nstep 2 loss 2.0\n", True),
        ("requirements.txt", b"torch==2.1.0\nnumpy==1.0\n", False),
        ("notes.txt", b"remember the milk\n", False),
        ("shopping.txt", b"milk: 3\neggs: 12\n", False),
        ("train.log", b'{"step": 1, "loss": 2.0}\n{"step": 2, "loss": 2.0}\n', False),
        ("training.log", b"epoch,loss,val_loss\n0,0.5,0.6\n1,0.4,0.5\n", False),
        ("metrics.jsonl", b"step 1 loss 2.0\n", False),
        ("weights.bin", b"\x00\x01", False),
        ("core.log", bytes(range(256)) * 40, False),
    ],
)
def test_claims_go_by_name_and_by_content(name: str, head: bytes, taken: bool) -> None:
    assert text_reader.claims(Path(name), head) is taken


# the corpus


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_every_record_line_of_the_corpus_is_read() -> None:
    files = sorted(
        [
            *CORPUS.glob("*/train.log"),
            *CORPUS.glob("*/out.txt"),
            *CORPUS.glob("*/log.txt"),
            *CORPUS.glob("*/launch.log"),
        ]
    )
    assert files
    for file in files:
        text = file.read_text()
        assert text_reader.claims(file, text.encode()[:65536]), file
        (log,) = text_reader.read([file])
        rows = [
            r
            for r in text.splitlines()
            if r.lstrip().startswith(("step ", "iter ")) or " step=" in r or "iteration " in r
        ]
        numbers = sum(
            r.count("=") - 1
            if " step=" in r
            else r.count("|") - 1
            if "iteration " in r
            else r.count(" | ") or r.count(",") + 1
            for r in rows
        )
        assert len(log.points) == numbers, file
        assert text.count("Traceback (most recent call last)") == "".join(log.messages["text"]).count(
            "Traceback (most recent"
        ), file
        assert not [n for n in log.notes if n.kind not in ("truncated",)], (file, log.notes)


def test_what_the_first_name_says_of_the_split_holds_for_the_outcomes_after_it() -> None:
    text = "".join(
        f"Epoch {e}/2\n----------\ntrain Loss: 0.{e} Acc: 0.6\nval Loss: 0.{e}3 Acc: 0.9\n\n" for e in (1, 2)
    )
    log = parse(text + "Best val Acc: 0.925\n")
    assert curve(log, "val Acc") == [(1, 0.9), (2, 0.9)]
    assert curve(log, "Acc") == [(1, 0.6), (2, 0.6)]
    assert log.messages["text"].to_list() == ["Best val Acc: 0.925"]


def test_remarks_in_parentheses_and_sentences_about_a_step_are_no_metrics() -> None:
    text = "Epoch 0, Iter 0/500: loss=2.3 (avg 2.4) lr=1.0e-03\nEpoch 0, Iter 50/500: loss=2.1 (avg 2.2) lr=1.0e-03\n"
    text += "New best val_loss: 1.9 at epoch 2\nWARNING Gradient norm 123.4 exceeds threshold 10.0 at step 130\n"
    log = parse(text)
    assert set(log.points["metric"]) == {"epoch", "loss", "lr"}
    assert log.messages["level"].to_list() == ["", "WARNING"]


def test_bars_glued_together_on_one_line_count_by_the_last_one() -> None:
    bar = "  1%|▏         | {}/1000 [00:10<16:30,  1.00s/it]"
    log = parse("".join(bar.format(i - 10) + bar.format(i) + f"   {{'loss': 2.{i}, 'epoch': 0.1}}\n" for i in (10, 20)))
    assert [s for s, _ in curve(log, "loss")] == [10, 20]


def test_rows_under_a_header_of_names_are_records() -> None:
    fastai = "epoch     train_loss  valid_loss  accuracy  time    \n"
    fastai += "".join(
        f"{e}         0.50{e}000    {'nan' if e == 2 else 0.4}    0.800000  00:10     \n" for e in range(3)
    )
    log = parse(fastai)
    assert log.axis == "epoch"
    assert curve(log, "train_loss") == [(0, 0.5), (1, 0.501), (2, 0.502)]
    assert math.isnan(curve(log, "valid_loss")[2][1])
    assert "time" not in set(log.points["metric"])


def test_ultralytics_rows_keep_training_and_validation_apart() -> None:
    bar = "100%|██████████| 8/8 [00:02<00:00,  3.50it/s]\n"
    text = ""
    for e in (1, 2):
        text += "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size\n"
        text += f"      {e}/100      2.17G      1.223      3.{e}        12        640: " + bar
        text += "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): " + bar
        text += f"                   all        128        929      0.640      0.537      0.60{e}      0.446\n"
    log = parse(text)
    assert curve(log, "cls_loss") == [(1, 3.1), (2, 3.2)]
    assert curve(log, "mAP50") == [(1, 0.601), (2, 0.602)]
    assert {"Instances", "Images", "Size"}.isdisjoint(set(log.points["metric"]))


def test_boxes_take_the_counter_that_stands_anywhere_in_them() -> None:
    text = "Using cpu device\n"
    for i in (1, 2):
        rows = [("rollout/", ""), ("   ep_rew_mean", f"2{i}.3"), ("time/", ""), ("   fps", "1034")]
        rows.append(("   total_timesteps", str(2048 * i)))
        text += "-" * 41 + "\n" + "".join(f"| {k:<23} | {v:<11} |\n" for k, v in rows) + "-" * 41 + "\n"
    log = parse(text)
    assert log.axis == "step"
    assert curve(log, "rollout/ep_rew_mean") == [(2048, 21.3), (4096, 22.3)]
    assert curve(log, "time/fps") == [(2048, 1034.0), (4096, 1034.0)]
    assert log.messages["text"].to_list() == ["Using cpu device"]
    assert text_reader.claims(Path("out.txt"), text.encode())


def test_evaluations_among_boxes_are_counted_as_the_boxes_are() -> None:
    text = ""
    for i in range(1, 9):
        rows = [("rollout/", ""), ("   ep_rew_mean", f"2{i}.3"), ("time/", ""), ("   total_timesteps", str(2048 * i))]
        text += "-" * 41 + "\n" + "".join(f"| {k:<23} | {v:<11} |\n" for k, v in rows) + "-" * 41 + "\n"
        text += f"Eval num_timesteps={2048 * i}, episode_reward=3{i}.00 +/- 1.20\n" * (i % 4 == 0)
    log = parse(text)
    assert log.axis == "step"
    assert [s for s, _ in curve(log, "eval episode_reward")] == [8192, 16384]


def test_the_pytorch_tutorial_counts_batches_within_epochs() -> None:
    log = parse("".join(f"[{e},{b:6d}] loss: {3 - e}.1{b}\n" for e in (1, 2) for b in (2000, 4000)))
    assert [s for s, _ in curve(log, "loss")] == [2000, 4000, 6000, 8000]


def test_keras_without_bars_gives_one_point_an_epoch() -> None:
    text = "".join(f"Epoch {e}/3\n42/42 - 1s - 20ms/step - accuracy: 0.28 - loss: {3 - e}.18\n" for e in (1, 2, 3))
    log = parse(text)
    assert log.axis == "epoch"
    assert [s for s, _ in curve(log, "loss")] == [1, 2, 3]


def test_bars_that_only_show_their_end_count_a_whole_epoch_each() -> None:
    bar = "Epoch {}: 100%|██████████| 200/200 [00:10<00:00,  9.80it/s, loss=2.{}]\n"
    log = parse("".join(bar.format(e, e) for e in range(3)))
    assert [s for s, _ in curve(log, "loss")] == [200, 400, 600]


def test_loguru_and_rich_tracebacks_are_one_message() -> None:
    loguru = (
        "Traceback (most recent call last):\n\n"
        '  File "train.py", line 20, in <module>\n    main()\n    └ <function main at 0x7f>\n\n'
        '> File "train.py", line 10, in main\n    loss.backward()\n    └ tensor(nan)\n\n'
        "RuntimeError: CUDA error\n"
    )
    rich = "╭──── Traceback (most recent call last) ────╮\n│ train.py:3 in main     │\n╰──────────╯\nValueError: bad\n"
    for text in (loguru, rich):
        log = parse("step 1 loss 2.0\n" + text + "\nstep 2 loss 2.0\n")
        assert log.messages["text"].to_list() == [text.rstrip()]
        assert log.messages["level"].to_list() == ["TRACEBACK"]


def test_bars_of_checks_downloads_and_validations_give_neither_points_nor_steps() -> None:
    text = "Sanity Checking DataLoader 0: 100%|██████████| 2/2 [00:00<00:00, 12.10it/s]\n"
    text += "Downloading data:  50%|█████     | 5000/10000 [00:00<00:00, 12.10MB/s]\n"
    for e in range(2):
        for i in (50, 100):
            text += f"Epoch {e}:  {i}%|█████     | {i}/100 [00:01<00:01, 45.10it/s, v_num=3, train_loss=2.{e}]\n"
        text += "Validation DataLoader 0: 100%|██████████| 20/20 [00:00<00:00, 82.10it/s]\n"
    log = parse(text)
    assert [s for s, _ in curve(log, "train_loss")] == [50, 100, 150, 200]
    assert set(log.points["metric"]) == {"train_loss", "epoch"}
    assert len(log.messages) == 0


def test_a_caller_before_the_level_does_not_hide_the_split() -> None:
    text = "[11/21 07:08:19] train INFO: epoch 1/100 iter 30/391 loss 2.1 (2.2) top1 9.16\n"
    log = parse(text + "[11/21 07:08:20] train INFO: Test: epoch 1 loss nan top1 10.00\n")
    assert curve(log, "loss") == [(30, 2.1)]
    assert math.isnan(curve(log, "test loss")[0][1])


def test_logfmt_lines_are_records() -> None:
    log = parse('time=2024-05-01T10:00:00 level=info msg="step done" step=200 loss=1.4\n')
    assert curve(log, "loss") == [(200, 1.4)]


@pytest.mark.parametrize(
    ("clock", "later", "time"),
    [
        ("2026-11-21 06:47:19", "2026-11-21 06:47:20", 1795243639.0),
        ("2026-11-21T06:47:19.500Z", "2026-11-21T06:47:20.500Z", 1795243639.5),
        ("2026-11-21 06:47:19,500 -0130", "2026-11-21 06:47:20,500 -0130", 1795249039.5),
        ("2026/11/21 06:47:19", "2026/11/21 06:47:20", 1795243639.0),
        ("11/21/2026 06:47:19", "11/21/2026 06:47:20", 1795243639.0),
        ("[Sat Nov 21 06:47:19 2026]", "[Sat Nov 21 06:47:20 2026]", 1795243639.0),
        ("11/21 06:47:19", "11/21 06:47:20", 91176439.0),
        ("I1121 06:47:19.500000 12345 train.py:12]", "I1121 06:47:20.500000 12345 train.py:12]", 91176439.5),
        ("06:47:19", "06:47:20", 24439.0),
        ("[11.21.26|06:47:19]", "[11.21.26|06:47:20]", 1795243639.0),
        ("21.11.2026 06:47:19", "21.11.2026 06:47:20", 1795243639.0),
        ("21-Nov-26 06:47:19 -", "21-Nov-26 06:47:20 -", 1795243639.0),
        ("Sat 21 November 2026 06:47:19", "Sat 21 November 2026 06:47:20", 1795243639.0),
        ("2026年11月21日 06:47:19", "2026年11月21日 06:47:20", 1795243639.0),
        ("2026-11-21_06-47-19", "2026-11-21_06-47-20", 1795243639.0),
        ("11-21 06:47:19", "11-21 06:47:20", 91176439.0),
    ],
)
def test_clocks_of_every_form_are_seconds(clock: str, later: str, time: float) -> None:
    log = parse(f"{clock} step 1 loss 2.0\n{later} step 2 loss 2.0\n")
    assert log.points["time"].to_list() == [time, time + 1]


@pytest.mark.parametrize(
    "clock", ["[03.24.23|09:56:{}]", "24-Mar-23 09:56:{}", "03-24 09:56:{} -", "24.03.2023 09:56:{}", "20230324_0956{}"]
)
def test_an_epoch_alone_behind_any_clock_is_that_of_what_follows(clock: str) -> None:
    said = ((f"Training epoch: {i}", f"mean_loss: {3 / (1 + i):.3f}") for i in range(12))
    log = parse("".join(f"{clock.format(10 + i)} {line}\n" for i, pair in enumerate(said) for line in pair))
    assert curve(log, "mean_loss") == [(i, round(3 / (1 + i), 3)) for i in range(12)]


def test_minutes_and_seconds_count_nothing() -> None:
    took = [(21, 4), (14, 9), (14, 11), (15, 13), (14, 14), (14, 17), (14, 18), (16, 21), (14, 22), (14, 25)]
    text = "".join(
        f"Train Epoch: {e}/10 ...\n    total_loss: {30 - 2 * e}.5 time: {m}m {s}s\n" for e, (m, s) in enumerate(took, 1)
    )
    assert curve(parse(text), "total_loss") == [(e, 30.5 - 2 * e) for e in range(1, 11)]


def test_a_message_that_a_carriage_return_repeats_is_told_once() -> None:
    log = parse("step 1 loss 2.0\n\rwaiting for data\rwaiting for data\rwaiting for data\n")
    assert log.messages["text"].to_list() == ["waiting for data"]


def test_values_under_a_heading_are_named_after_it() -> None:
    log = parse(
        "step 3 loss=2.0\nstep 3 grad norms: fc1.weight=0.123 fc2.weight=nan\nstep 3 | layer fc1: grad_norm=0.1\n"
    )
    assert curve(log, "grad_norms/fc1.weight") == [(3, 0.123)]
    assert math.isnan(curve(log, "grad_norms/fc2.weight")[0][1])
    assert curve(log, "layer_fc1/grad_norm") == [(3, 0.1)]


def test_a_unit_after_a_blank_is_a_unit() -> None:
    log = parse("step 1 | loss 2.0 | dt 500 ms | 1234.5 tok/s\nValidation @ step 2: loss=2.29, acc=12.1%\n")
    assert curve(log, "dt") == [(1, 500.0)]
    assert curve(log, "validation loss") == [(2, 2.29)]
    assert len(log.messages) == 0


def test_settings_printed_as_bare_json_before_a_progress_bar_are_settings(tmp_path):
    """The bar's updates are parted by carriage returns: to a reader of lines they are one."""
    from curvedoc.ingest.json import records as json_records

    bar = "".join(
        f"\rtrain: {i}%|# | {i}/100 [00:01<00:02, 41.2it/s, loss={3 - i / 50:.3f}, lr=0.01]" for i in range(1, 100)
    )
    text = '{"optimizer": "adamw", "lr": 0.01, "batch_size": 32, "max_grad_norm": 5.0}\n' + bar + "\n"
    path = tmp_path / "stdout.txt"
    path.write_text(text)
    assert not json_records.claims(path, text.encode())
    assert text_reader.claims(path, text.encode())
    log = parse(text)
    assert len(curve(log, "loss")) == 99
    assert log.config["optimizer"] == "adamw" and log.config["batch_size"] == 32 and log.config["max_grad_norm"] == 5


PREFIXES = [
    "",
    "INFO:train:",
    "INFO:__main__:",
    "[2026-01-01 10:00:00] INFO | ",
    "2026-01-01 10:00:00,123 - train - INFO - ",
    "2026-01-01 10:00:00 | INFO     | __main__:main:42 - ",
    "[2026-01-01 10:00:00,000][train][INFO] - ",
    "I0101 10:00:00.123456 140735 train.py:33] ",
    "01/01/2026 10:00:00 - INFO - __main__ -   ",
]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_settings_in_lines_of_their_own_are_read_behind_what_a_logger_writes_first(prefix: str) -> None:
    said = [
        "lr: 0.01",
        "batch_size = 64",
        "optimizer: adamw",
        *(f"step {i} | loss {2 / (i + 1):.4f}" for i in range(9)),
    ]
    log = parse("".join(f"{prefix}{line}\n" for line in said))
    assert log.config == {"lr": 0.01, "batch_size": 64, "optimizer": "adamw"}
    assert [s for s, _ in curve(log, "loss")] == list(range(9))


def test_the_scope_of_an_evaluation_is_no_name_of_a_logger() -> None:
    log = parse("INFO:val:loss=0.5 step=3\nINFO:val:loss=0.4 step=6\nINFO:train:loss=0.3 step=7\n" * 2)
    assert {s for s, _ in curve(log, "loss")} == {7}


ESPNET = """\
[host] 2024-05-01 10:00:0{i},100 (trainer:754) INFO: {i}epoch:train:1-100batch: iter_time=0.1, loss={l}, train_time=1.5
[host] 2024-05-01 10:00:0{i},200 (trainer:754) INFO: {i}epoch:train:101-200batch: iter_time=0.1, loss={m}, train_time=1
[host] 2024-05-01 10:00:0{i},523 (trainer:338) INFO: {i}epoch results: [train] iter_time=1.2e-04, loss=64.542, \
train_time=1.5, time=1 minute and 2.3 seconds, total_count=900, gpu_max_cached_mem_GB=10.2, [valid] loss_ctc=98.606, \
cer=0.2, loss={v}, time=10.2 seconds, total_count=100, gpu_max_cached_mem_GB=10.2, [att_plot] time=3.1 seconds, \
total_count=0, gpu_max_cached_mem_GB=10.2
"""


def test_the_results_of_an_epoch_of_espnet_are_those_of_the_validation() -> None:
    log = parse("".join(ESPNET.format(i=i, l=30.0 - i, m=29.5 - i, v=31.0 - i) for i in (1, 2, 3)))
    assert curve(log, "loss") == [(100, 29.0), (200, 28.5), (300, 28.0), (400, 27.5), (500, 27.0), (600, 26.5)]
    assert curve(log, "valid loss") == [(200, 30.0), (400, 29.0), (600, 28.0)]
    assert set(log.points["metric"]) == {
        "epoch", "iter_time", "loss", "train_time", "valid loss_ctc", "valid cer", "valid loss"
    }  # fmt: skip


QUICKSTART = """\
Epoch {}
-------------------------------
loss: 2.303494  [   64/60000]
loss: 2.294637  [ 6464/60000]
loss: 2.277102  [12864/60000]
Test Error:
 Accuracy: 50.9%, Avg loss: 2.150210

"""


def test_the_quickstart_of_pytorch_counts_samples_and_tests_after_each_epoch() -> None:
    log = parse("".join(QUICKSTART.format(e) for e in (1, 2, 3)))
    assert log.axis == "samples"
    steps = [64, 6464, 12864]
    assert [s for s, _ in curve(log, "loss")] == [*steps, *(60000 + s for s in steps), *(120000 + s for s in steps)]
    assert curve(log, "test loss") == [(12864, 2.15021), (72864, 2.15021), (132864, 2.15021)]
    assert {v for _, v in curve(log, "test Accuracy")} == {50.9}


@pytest.mark.parametrize(
    "said",
    [
        "Test Accuracy of the model on the 10000 test images: {} %",
        "Accuracy of the network on the 10000 test images: {}%",
        "Accuracy of our model on the test images: {} %",
        "Accuracy of the trained network on all the 10000 test images: {} %",
    ],
)
def test_the_accuracy_of_a_network_on_so_many_images_is_that_of_the_test(said: str) -> None:
    rows = "".join(
        "".join(f"Epoch [{e}/5], Step [{b}/600], Loss: 2.{e}{b}\n" for b in (100, 300, 600))
        + said.format(50.5 + e)
        + "\n"
        for e in range(1, 6)
    )
    log = parse(rows)
    assert len(curve(log, "Loss")) == 15
    (name,) = {m for m in log.points["metric"].unique().to_list() if "ccuracy" in m}
    assert "test" in name.lower() and [v for _, v in curve(log, name)] == [51.5, 52.5, 53.5, 54.5, 55.5]


def test_the_accuracy_under_the_rows_of_a_test_is_no_training_accuracy() -> None:
    row = "Epoch: [{e}][{b:4d}/5005]\tTime  0.3 ( 0.3)\tLoss 2.{b} (2.{b})\tAcc@1  30.00 ( 30.00)\tAcc@5  60.0 (60.0)\n"
    rows = "".join(
        "".join(row.format(e=e, b=b) for b in (0, 500, 1000)) + " *   Acc@1 41.250 Acc@5 69.100\n" for e in range(3)
    )
    log = parse(rows)
    assert {v for _, v in curve(log, "Acc@1")} == {30.0} and len(curve(log, "Acc@1")) == 9
    assert [v for _, v in curve(log, "test Acc@1")] == [41.25] * 3


def test_ranges_of_batches_count_batches() -> None:
    row = "INFO:root:Epoch[{}] Batch [{}-{}]\tSpeed: 1234.56 samples/sec\taccuracy=0.5\tcross-entropy=2.{}\n"
    log = parse("".join(row.format(e, 50 * b, 50 * b + 50, b) for e in range(2) for b in range(4)))
    assert log.axis == "step"
    assert [s for s, _ in curve(log, "cross-entropy")] == list(range(50, 401, 50))


def test_the_outputs_of_a_test_net_are_apart_from_those_of_the_train_net() -> None:
    head = "I0501 10:00:01.123456 12345 solver.cpp:404] "
    log = parse(
        "".join(
            f"{head}Iteration {i}0, Testing net (#0)\n{head}    Test net output #1: loss = 2.{i} (* 1 = 2.{i} loss)\n"
            f"{head}Iteration {i}0, loss = 1.{i}\n{head}    Train net output #0: loss = 1.{i} (* 1 = 1.{i} loss)\n"
            for i in (1, 2, 3)
        )
    )
    assert curve(log, "loss") == [(10, 1.1), (20, 1.2), (30, 1.3)]
    assert curve(log, "Test loss") == [(10, 2.1), (20, 2.2), (30, 2.3)]


def test_how_long_an_epoch_took_is_no_epoch() -> None:
    log = parse(
        "".join(
            f"Epoch {i}/9\n10/10 - 1s - loss: 0.{i} - acc: 0.5 - val_loss: 0.{i}5 - 1s/epoch - 11ms/step\n"
            for i in range(1, 10)
        )
    )
    assert log.axis == "epoch"
    assert curve(log, "loss") == [(i, pytest.approx(i / 10)) for i in range(1, 10)]
    assert curve(log, "val_loss") == [(i, pytest.approx(i / 10 + 0.05)) for i in range(1, 10)]


@pytest.mark.parametrize("clock", ["May 01 10:00:0{}", "2024-05-01T10:00:0{}+0000"])
def test_what_the_journal_writes_before_a_line_is_no_metric(clock: str) -> None:
    log = parse("".join(f"{clock.format(i)} gpu01 train.sh[12345]: step {i}: loss 0.{i}\n" for i in range(1, 6)))
    assert set(log.points["metric"]) == {"loss"}
    assert [s for s, _ in curve(log, "loss")] == [1, 2, 3, 4, 5]


def test_means_over_an_epoch_of_fairseq_are_apart_from_the_losses_on_the_way() -> None:
    inner = "2024-05-01 10:00:01 | INFO | train_inner | epoch 001:  {} / 200 loss={}, num_updates={}, lr=0.0005\n"
    mean = "2024-05-01 10:00:02 | INFO | train | epoch 001 | loss 9.5 | num_updates 200 | lr 0.0005 | gnorm 1.2\n"
    log = parse(inner.format(100, 8.5, 100) + inner.format(200, 8.1, 200) + mean)
    assert curve(log, "loss") == [(100, 8.5), (200, 8.1)]
    assert curve(log, "epoch_loss") == [(200, 9.5)]
    assert curve(parse(mean), "loss") == [(200, 9.5)]


def test_the_validation_of_paddle_is_of_the_step_before_it() -> None:
    head = "[2024/05/01 10:00:01] ppocr INFO: "
    log = parse(
        "".join(
            f"{head}epoch: [{i}/40], global_step: {i}0, lr: 0.0001, acc: 0.5, loss: 2.5\n"
            f"{head}cur metric, acc: 0.{i}, fps: 300\n"
            f"{head}best metric, acc: 0.9, is_float16: False, fps: 300, best_epoch: 1\n"
            for i in (1, 2, 3)
        )
    )
    assert curve(log, "acc") == [(10, 0.5), (20, 0.5), (30, 0.5)]
    assert curve(log, "eval acc") == [(10, 0.1), (20, 0.2), (30, 0.3)]


def test_a_record_behind_the_name_of_its_logger_is_no_message() -> None:
    line = (
        "[05/01 10:00:0{}] d2.utils.events]:  eta: 1:02:03  iter: {}9  total_loss: 2.5  lr: 0.00025  max_mem: 2345M\n"
    )
    log = parse("".join(line.replace("]", "", 1).format(i, i) for i in range(1, 4)))
    assert [s for s, _ in curve(log, "total_loss")] == [19, 29, 39]
    assert len(log.messages) == 0


SPACY = """\
============================= Training pipeline =============================
ℹ Pipeline: ['tok2vec', 'ner']
ℹ Initial learn rate: 0.001
E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE
---  ------  ------------  --------  ------  ------  ------  ------
  0       0          0.00     36.83    0.00    0.00    0.00    0.00
  0     200         23.12   1462.27   55.60   58.06   53.34    0.56
  1     400         51.37    940.11   64.95   66.20   63.75    0.65
✔ Saved pipeline to output directory
"""


def test_the_table_that_spacy_prints_is_read_by_its_steps() -> None:
    log = parse(SPACY)
    assert curve(log, "LOSS NER") == [(0, 36.83), (200, 1462.27), (400, 940.11)]
    assert curve(log, "SCORE") == [(0, 0.0), (200, 0.56), (400, 0.65)]
    assert curve(log, "epoch") == [(0, 0), (200, 0), (400, 1)]
    assert log.axis == "step"


@pytest.mark.parametrize("scope", ["val", "valid", "eval"])
@pytest.mark.parametrize("level", ["INFO", "WARNING"])
def test_what_a_logger_called_by_its_split_says_is_of_that_split(scope: str, level: str) -> None:
    pair = f"{level}:train:epoch {{i}} loss=0.{{i}} acc=0.5\n{level}:{scope}:epoch {{i}} loss=0.9{{i}} acc=0.4\n"
    log = parse("".join(pair.format(i=i) for i in range(1, 6)))
    assert curve(log, "loss") == [(i, pytest.approx(i / 10)) for i in range(1, 6)]
    assert curve(log, f"{scope} loss") == [(i, pytest.approx(0.9 + i / 100)) for i in range(1, 6)]
    assert len(curve(log, f"{scope} acc")) == len(curve(log, "acc")) == 5


def test_counters_that_start_again_behind_a_letter_go_on_over_the_epochs() -> None:
    log = parse("".join(f"E{i // 5:02d} B{i % 5 * 40:04d} loss=0.{i + 1}\n" for i in range(15)))
    assert [s for s, _ in curve(log, "loss")] == [i * 40 for i in range(15)]


def bars(evaluated: str) -> str:
    """A bar that runs through 60 steps, interrupted at every twentieth."""
    out = []
    for i in range(60):
        out.append(f"\rtraining: {i:3d}%|###       | {i}/60 [00:01<00:02, 12.3it/s, loss={2 / (i + 1):.3f}]")
        if i % 20 == 19:
            out.append(f"\n{evaluated.format(i)}\n")
    return "".join(out) + "\n"


@pytest.mark.parametrize("evaluated", ["Validation step {}: val_loss=0.5", "step {}: val_loss=0.5, val_acc=0.1"])
def test_a_bar_keeps_its_steps_where_evaluations_name_theirs(evaluated: str) -> None:
    log = parse(bars(evaluated))
    assert [s for s, _ in curve(log, "loss")] == list(range(60))
    assert [s for s, _ in curve(log, "val_loss")] == [19, 39, 59]


def test_a_bar_that_disagrees_with_the_steps_named_beside_it_is_not_followed() -> None:
    log = parse(bars("step {}000: loss=0.5"))
    assert {s for s, _ in curve(log, "loss")} <= {None, 19000, 39000, 59000}


def test_a_table_whose_header_is_a_comment_is_read() -> None:
    log = parse("# step loss lr\n" + "".join(f"{i} {2 / (i + 1):.4f} 0.001\n" for i in range(20)))
    assert [s for s, _ in curve(log, "loss")] == list(range(20))


def test_nan_that_fills_the_rows_between_evaluations_is_a_gap() -> None:
    rows = [f"{i} {2 / (i + 1):.4f} {'0.5' if i % 5 == 4 else 'nan'} 0.001\n" for i in range(40)]
    log = parse("step loss val_loss lr\n" + "".join(rows))
    assert [s for s, _ in curve(log, "val_loss")] == list(range(4, 40, 5))
    assert [s for s, _ in curve(log, "loss")] == list(range(40))
    assert "nan-for-missing" in kinds(log)


def test_a_loss_that_a_text_log_lost_for_good_stays_lost() -> None:
    rows = [
        f"step {i}: loss {'nan' if i > 20 else 0.5}, lr 0.001, grad_norm {'nan' if i > 20 else 1.5}\n"
        for i in range(40)
    ]
    log = parse("".join(rows))
    assert [s for s, v in curve(log, "loss") if math.isnan(v)] == list(range(21, 40))


def test_an_evaluation_that_is_lost_while_steps_go_on_stays_lost() -> None:
    steps = "".join(
        f"INFO step={i} loss={0.5 / (1 + i):.4f} lr=1e-3\n"
        + (f"INFO eval step={i} val_loss={'nan' if i > 50 else 0.4} val_acc=0.9\n" if i % 10 == 9 else "")
        for i in range(100)
    )
    log = parse(steps)
    assert [s for s, v in curve(log, "val_loss") if math.isnan(v)] == [59, 69, 79, 89, 99]
    assert "nan-for-missing" not in kinds(log)


@pytest.mark.parametrize("end", ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028"])
def test_rare_ends_of_lines_within_garbage_glue_nothing_to_the_next_record(end: str) -> None:
    rows = [f"step={10 * i} loss={2.0 + 7.0 / (i + 1):.4f}" for i in range(40)]
    rows.insert(20, f"p{end}" + 90 * "\ufffd" + f"{end}4j")
    kept, broken = legible("\n".join(rows) + "\n")
    assert broken == 1 and kept.splitlines() == [row for row in rows if row.startswith("step")]
