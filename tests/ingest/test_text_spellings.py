# ruff: noqa: E501 (lines as programs print them)
"""One training run in the words of many programs and languages: the same curves in the same roles, without a setting."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import pytest

from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import signals_file

EPOCHS, PER = 6, 20


@dataclass(frozen=True)
class Moment:
    """What is known after one step."""

    step: int
    epoch: int
    batch: int
    loss: float
    lr: float
    val: float


def moments() -> list[Moment]:
    """A run of six epochs of twenty steps."""
    r = Random(7)
    out = []
    for i in range(EPOCHS * PER):
        loss = 0.4 + 1.9 * 0.97**i + r.gauss(0, 0.02)
        lr = 1e-3 * (1 - i / (EPOCHS * PER)) + 1e-6
        out.append(
            Moment(i + 1, i // PER + 1, i % PER + 1, round(loss, 4), float(f"{lr:.3e}"), round(0.5 + 1.7 * 0.975**i, 4))
        )
    return out


RUN = moments()

#: Name of the spelling -> what is printed at each step, and at the end of each epoch.
SPELLINGS: dict[str, tuple[str, str]] = {
    "equals signs": ("step={m.step} loss={m.loss} lr={m.lr:.3e}", "eval step={m.step} val_loss={m.val}"),
    "colons and commas": ("Step: {m.step}, Loss: {m.loss}, LR: {m.lr:.3e}", "Step: {m.step}, Val Loss: {m.val}"),
    "pipes": ("| step {m.step} | loss {m.loss} | lr {m.lr:.3e} |", "| step {m.step} | valid loss {m.val} |"),
    "tabs": ("step\t{m.step}\tloss\t{m.loss}\tlr\t{m.lr:.3e}", "step\t{m.step}\tval_loss\t{m.val}"),
    "hyphens": ("Step {m.step} - loss: {m.loss} - lr: {m.lr:.3e}", "Step {m.step} - val_loss: {m.val}"),
    "brackets": ("[{m.step}/120] loss: {m.loss} lr: {m.lr:.3e}", "[{m.step}/120] val_loss: {m.val}"),
    "arrow": ("step {m.step} -> loss {m.loss}, lr {m.lr:.3e}", "step {m.step} -> val loss {m.val}"),
    "is": (
        "At step {m.step} the loss is {m.loss}, the learning rate is {m.lr:.3e}",
        "At step {m.step} the validation loss is {m.val}",
    ),
    "of": (
        "step {m.step} finished with a loss of {m.loss}",
        "step {m.step} finished with a validation loss of {m.val}",
    ),
    "dictionary": (
        "{{'step': {m.step}, 'loss': {m.loss}, 'lr': {m.lr:.3e}}}",
        "{{'step': {m.step}, 'val_loss': {m.val}}}",
    ),
    "tensor": (
        "step {m.step} loss: tensor({m.loss}, device='cuda:0', grad_fn=<NllLossBackward0>)",
        "step {m.step} val_loss: tensor({m.val}, device='cuda:0')",
    ),
    "item with a mean behind": (
        "step {m.step} loss {m.loss} (1.0000) lr {m.lr:.3e}",
        "step {m.step} val_loss {m.val} (1.0000)",
    ),
    "pytorch imagenet": (
        "Epoch: [{m.epoch}][{m.batch:>2}/20]\tTime  0.11 ( 0.12)\tData  0.00 ( 0.01)\tLoss {m.loss:.4e} (1.0000e+00)",
        "Test: [20/20]\tTime  0.11 ( 0.12)\tLoss {m.val:.4e} (1.0000e+00)",
    ),
    "pytorch mnist": (
        "Train Epoch: {m.epoch} [{m.batch}/20 (5%)]\tLoss: {m.loss:.6f}",
        "\nTest set: Average loss: {m.val:.4f}, Accuracy: 9000/10000 (90%)\n",
    ),
    "pytorch cifar tutorial": ("[{m.epoch},  {m.batch:>4}] loss: {m.loss:.3f}", "[{m.epoch}] val loss: {m.val:.3f}"),
    "kaggle": (
        "Epoch {m.epoch}/6, Step {m.batch}/20, Loss: {m.loss}, LR: {m.lr:.3e}",
        "Epoch {m.epoch}/6 done, Validation Loss: {m.val}",
    ),
    "nanogpt": (
        "iter {m.step}: loss {m.loss:.4f}, time 12.34ms, mfu 31.20%",
        "step {m.step}: train loss 1.0, val loss {m.val:.4f}",
    ),
    "nanogpt fork": (
        "{m.step} | loss: {m.loss:.6f} | lr: {m.lr:.4e} | norm: 0.5 | dt: 12.3ms",
        "{m.step} | val loss: {m.val:.4f}",
    ),
    "llm.c": (
        "step {m.step:>4}/120 | train loss {m.loss:.6f} | norm 0.5 | lr {m.lr:.2e} | (12.3 ms | 1234 tok/s)",
        "val loss {m.val:.6f}",
    ),
    "tinygrad": (
        "{m.step:>4} 12.34 ms run, 1.20 ms python, {m.loss:.4f} loss, {m.lr:.6f} LR, 1.2 GB used",
        "eval loss: {m.val:.4f} at step {m.step}",
    ),
    "flax": (
        "I1121 07:08:16.123456 12345 train.py:123] [{m.step}] learning_rate={m.lr:.3e}, loss={m.loss}",
        "I1121 07:08:16.123456 12345 train.py:123] [{m.step}] eval_loss={m.val}",
    ),
    "flax tutorial": (
        "train epoch: {m.epoch}, step: {m.step}, loss: {m.loss:.4f}",
        "eval epoch: {m.epoch}, loss: {m.val:.4f}, accuracy: 90.10",
    ),
    "mmdetection 2": (
        "2021-09-03 19:05:28,330 - mmdet - INFO - Epoch [{m.epoch}][{m.batch}/20]\tlr: {m.lr:.3e}, eta: 1:02:03, time: 0.5, data_time: 0.01, memory: 3000, loss: {m.loss:.4f}",
        "2021-09-03 19:05:28,330 - mmdet - INFO - Epoch(val) [{m.epoch}][20]\tloss: {m.val:.4f}",
    ),
    "mmengine": (
        "2023/01/03 19:05:28 - mmengine - INFO - Epoch(train) [{m.epoch}][{m.batch:>2}/20]  lr: {m.lr:.4e}  eta: 0:01:02  time: 0.5  data_time: 0.01  memory: 3000  loss: {m.loss:.4f}",
        "2023/01/03 19:05:28 - mmengine - INFO - Epoch(val) [{m.epoch}][20/20]    loss: {m.val:.4f}  data_time: 0.01  time: 0.1",
    ),
    "detectron2": (
        "[09/03 19:05:28 d2.utils.events]:  eta: 0:10:11  iter: {m.step}  total_loss: {m.loss:.4f}  time: 0.5  data_time: 0.01  lr: {m.lr:.5g}  max_mem: 3000M",
        "[09/03 19:05:28 d2.utils.events]:  iter: {m.step}  validation_loss: {m.val:.4f}",
    ),
    "paddle": (
        "[2021/09/03 19:05:28] [INFO]: [TRAIN] epoch: {m.epoch}, iter: {m.step}/120, loss: {m.loss:.4f}, lr: {m.lr:.6f}, batch_cost: 0.1, reader_cost: 0.01, ips: 40.1 samples/sec | ETA 00:01:02",
        "[2021/09/03 19:05:28] [INFO]: [EVAL] epoch: {m.epoch}, iter: {m.step}/120, loss: {m.val:.4f}",
    ),
    "paddlex": (
        "2021-09-03 19:05:28 [INFO]\t[TRAIN] Epoch={m.epoch}/6, Step={m.batch}/20, loss={m.loss:.6f}, lr={m.lr:.6f}, time_each_step=0.12s, eta=0:1:2",
        "2021-09-03 19:05:28 [INFO]\t[EVAL] Finished, Epoch={m.epoch}, loss={m.val:.6f} .",
    ),
    "fastai table": ("", ""),
    "keras 2 verbose 2": ("", ""),
    "keras 3 bars": ("", ""),
    "theano": (
        "Epoch {m.epoch} of 6, minibatch {m.batch}/20, cost {m.loss:.6f}",
        "epoch {m.epoch}, minibatch 20/20, validation cost {m.val:.6f}",
    ),
    "caffe": (
        "I0903 19:05:28.330123  1234 solver.cpp:228] Iteration {m.step}, loss = {m.loss}\n"
        "I0903 19:05:28.330123  1234 sgd_solver.cpp:106] Iteration {m.step}, lr = {m.lr:.6f}",
        "I0903 19:05:28.330123  1234 solver.cpp:337] Iteration {m.step}, Testing net (#0)\n"
        "I0903 19:05:28.330123  1234 solver.cpp:404]     Test net output #0: loss = {m.val} (* 1 = {m.val} loss)",
    ),
    "mxnet": (
        "INFO:root:Epoch[{m.epoch}] Batch [{m.batch}]\tSpeed: 1234.56 samples/sec\tcross-entropy={m.loss:.6f}",
        "INFO:root:Epoch[{m.epoch}] Validation-cross-entropy={m.val:.6f}",
    ),
    "chainer table": ("", ""),
    "xgboost's matrices": ("[{m.step}]\tdtrain-logloss:{m.loss:.5f}", "[{m.step}]\tdval-logloss:{m.val:.5f}"),
    "xgboost": ("[{m.step}]\ttrain-logloss:{m.loss:.5f}", "[{m.step}]\tvalid-logloss:{m.val:.5f}"),
    "lightgbm": (
        "[{m.step}]\ttraining's binary_logloss: {m.loss:.5f}",
        "[{m.step}]\tvalid_1's binary_logloss: {m.val:.5f}",
    ),
    "sklearn verbose": ("Iteration {m.step}, loss = {m.loss:.8f}", "Iteration {m.step}, validation loss = {m.val:.8f}"),
    "fairseq": (
        "2021-09-03 19:05:28 | INFO | train_inner | epoch {m.epoch:03d}:  {m.batch:>4} / 20 loss={m.loss}, ppl=9.1, num_updates={m.step}, lr={m.lr:.3e}, gnorm=1.2",
        "2021-09-03 19:05:28 | INFO | valid | epoch {m.epoch:03d} | valid on 'valid' subset | loss {m.val} | ppl 9.1 | num_updates {m.step}",
    ),
    "opennmt": (
        "[2021-09-03 19:05:28,330 INFO] Step {m.step}/  120; acc:  50.12; ppl:  9.12; xent: {m.loss:.4f}; lr: {m.lr:.5f}; 1234/1234 tok/s;     12 sec",
        "[2021-09-03 19:05:28,330 INFO] Step {m.step}; Validation xent: {m.val:.4f}",
    ),
    "joeynmt": (
        "2021-09-03 19:05:28,330 - INFO - joeynmt.training - Epoch {m.epoch:>3}, Step: {m.step:>8}, Batch Loss: {m.loss:>12.6f}, Lr: {m.lr:.6f}",
        "2021-09-03 19:05:28,330 - INFO - joeynmt.training - Validation result at step {m.step}: loss: {m.val:.4f}",
    ),
    "megatron": (
        " [2021-09-03 19:05:28] iteration {m.step:>8}/     120 | consumed samples: 1200 | elapsed time per iteration (ms): 5.4 | learning rate: {m.lr:.3E} | lm loss: {m.loss:.6E} | grad norm: 1.339 |",
        " validation loss at iteration {m.step} | lm loss value: {m.val:.6E} | lm loss PPL: 1.1E+01 | ",
    ),
    "deepspeed chat": (
        "Epoch: {m.epoch} | Step: {m.batch} | Training loss: {m.loss}",
        "Epoch: {m.epoch} | Validation loss: {m.val}",
    ),
    "yolox": (
        "2021-09-03 19:05:28.330 | INFO     | yolox.core.trainer:after_iter:253 - epoch: {m.epoch}/6, iter: {m.batch}/20, mem: 1200Mb, iter_time: 0.1s, data_time: 0.01s, total_loss: {m.loss}, lr: {m.lr:.3e}, size: 640, ETA: 0:01:02",
        "2021-09-03 19:05:28.330 | INFO     | yolox.core.trainer:evaluate:300 - epoch: {m.epoch}/6, val_loss: {m.val}",
    ),
    "cyclegan line": (
        "(epoch: {m.epoch}, iters: {m.batch}, time: 0.334, data: 0.702) loss: {m.loss}",
        "(epoch: {m.epoch}) val_loss: {m.val}",
    ),
    "basicsr": (
        "2021-09-03 19:05:28,330 INFO: [train..][epoch:{m.epoch:>3}, iter:{m.step:>8}, lr:({m.lr:.3e},)] [eta: 1 day, 2:03:04, time (data): 0.512 (0.001)] l_pix: {m.loss:.4e}",
        "2021-09-03 19:05:28,330 INFO: [epoch:{m.epoch:>3}, iter:{m.step:>8}] val_l_pix: {m.val:.4e}",
    ),
    "mllog": (
        ':::MLLOG {{"namespace": "", "time_ms": 1630695928330, "event_type": "POINT_IN_TIME", "key": "train_loss", "value": {m.loss}, "metadata": {{"file": "t.py", "lineno": 3, "step_num": {m.step}}}}}',
        ':::MLLOG {{"namespace": "", "time_ms": 1630695928330, "event_type": "POINT_IN_TIME", "key": "eval_loss", "value": {m.val}, "metadata": {{"file": "t.py", "lineno": 3, "step_num": {m.step}}}}}',
    ),
    "mllog of v0.5": (
        ':::MLPv0.5.0 resnet 1541635299.449 (train.py:123) train_loss: {{"value": {m.loss}, "step": {m.step}}}',
        ':::MLPv0.5.0 resnet 1541635299.449 (train.py:140) eval_loss: {{"value": {m.val}, "step": {m.step}}}',
    ),
    "mllog of v0.6": (
        ':::MLL 1558515719.058 train_loss: {{"value": {m.loss}, "metadata": {{"step_num": {m.step}, "lineno": 481, "file": "t.py"}}}}',
        ':::MLL 1558515719.058 eval_loss: {{"value": {m.val}, "metadata": {{"step_num": {m.step}, "lineno": 481, "file": "t.py"}}}}',
    ),
    "glued to a warning": (
        "step {m.step} loss {m.loss} lr {m.lr:.3e}/opt/conda/lib/python3.10/site-packages/torch/nn/x.py:12: UserWarning: slow",
        "step {m.step} val_loss {m.val}",
    ),
    "epoch and batch words": (
        "Epoch #{m.epoch} batch #{m.batch} loss {m.loss}",
        "Epoch #{m.epoch} validation loss {m.val}",
    ),
    "short words": ("ep {m.epoch} it {m.batch} l={m.loss} loss={m.loss}", "ep {m.epoch} val_loss={m.val}"),
    "one letter counters": ("E{m.epoch:02d} B{m.batch:04d} loss={m.loss}", "E{m.epoch:02d} val_loss={m.val}"),
    "prose": (
        "After {m.step} iterations the training loss was {m.loss}.",
        "After {m.step} iterations the validation loss was {m.val}.",
    ),
    "loss first": ("loss {m.loss} at step {m.step}", "val loss {m.val} at step {m.step}"),
    "loss first in brackets": ("Loss: {m.loss} [step {m.step}]", "Val loss: {m.val} [step {m.step}]"),
    "indented block": (
        "Step {m.step}:\n    loss: {m.loss}\n    lr: {m.lr:.3e}",
        "Step {m.step}:\n    val_loss: {m.val}",
    ),
    "block with equals signs": (
        "[step={m.step}/120]\n    train/loss={m.loss}\n    optim/lr={m.lr:.3e}",
        "[step={m.step}/120]\n    eval/loss={m.val}",
    ),
    "counter on a line of its own": ("step {m.step}\nloss: {m.loss}", "val_loss: {m.val}"),
    "underscores": (
        "global_step {m.step} train_loss {m.loss} learning_rate {m.lr:.3e}",
        "global_step {m.step} validation_loss {m.val}",
    ),
    "capitals": ("STEP {m.step} TRAIN LOSS {m.loss} LR {m.lr:.3e}", "STEP {m.step} VALID LOSS {m.val}"),
    "slashes": ("step {m.step} train/loss {m.loss} train/lr {m.lr:.3e}", "step {m.step} eval/loss {m.val}"),
    "thousands": ("step {m.step:,} loss {m.loss} tokens 1,234,567", "step {m.step:,} val_loss {m.val}"),
    "emoji": ("🚀 step {m.step} | 📉 loss {m.loss}", "🚀 step {m.step} | 📉 val_loss {m.val}"),
    "German": (
        "Schritt {m.step}: Verlust {m.loss}, Lernrate {m.lr:.3e}",
        "Schritt {m.step}: Validierungsverlust {m.val}",
    ),
    "French": ("étape {m.step} : perte = {m.loss}", "étape {m.step} : perte de validation = {m.val}"),
    "Spanish": ("Paso {m.step}: pérdida: {m.loss}", "Paso {m.step}: pérdida de validación: {m.val}"),
    "Chinese": ("第{m.epoch}轮 第{m.batch}步 损失: {m.loss}", "第{m.epoch}轮 验证损失: {m.val}"),
    "Chinese with English counters": (
        "epoch {m.epoch}, step {m.batch}, 损失：{m.loss}",
        "epoch {m.epoch}, 验证损失：{m.val}",
    ),
    "Japanese": ("ステップ {m.step} 損失 {m.loss}", "ステップ {m.step} 検証損失 {m.val}"),
    "Russian": ("шаг {m.step}: потери = {m.loss}", "шаг {m.step}: потери на валидации = {m.val}"),
    "logging": ("INFO:root:step {m.step}: loss {m.loss}", "INFO:root:step {m.step}: val_loss {m.val}"),
    "loguru": (
        "2024-01-01 00:00:00.123 | INFO     | __main__:train:42 - step=[{m.step}] loss=[{m.loss}]",
        "2024-01-01 00:00:00.123 | INFO     | __main__:train:50 - step=[{m.step}] val_loss=[{m.val}]",
    ),
    "slurm": ("0: step {m.step} loss {m.loss}", "0: step {m.step} val_loss {m.val}"),
    "rank prefix": ("[rank0]: step {m.step} loss {m.loss}", "[rank0]: step {m.step} val_loss {m.val}"),
    "tqdm lines": (
        "train: {m.step:>3}/120 [00:10<00:50,  1.51it/s, loss={m.loss}, lr={m.lr:.3e}]",
        "epoch {m.epoch} val_loss: {m.val}",
    ),
    "no step": ("loss: {m.loss} lr: {m.lr:.3e}", "val_loss: {m.val}"),
    "epoch only": ("Epoch: {m.epoch}| train loss: {m.loss}", "Epoch {m.epoch}: Val loss is {m.val}"),
    "headless columns": ("[{m.epoch}] {m.step} {m.loss} 0.2523", "Validation loss: {m.val}"),
}


def table(header: str, row: str) -> str:
    """A table of one row an epoch."""
    return header + "\n" + "".join(row.format(m=m) + "\n" for m in RUN if m.batch == PER)


def bars(m: Moment) -> str:
    """An epoch of Keras 3, as a notebook keeps it."""
    at = f"\x1b[1m{m.batch}/20\x1b[0m \x1b[32m━━━━━━━━\x1b[0m\x1b[37m━━━━\x1b[0m \x1b[1m0s\x1b[0m 3ms/step - loss: {m.loss:.4f}"
    if m.batch < PER:
        return (f"Epoch {m.epoch}/6\n" if m.batch == 1 else "") + at + "\r"
    return at + f" - val_loss: {m.val:.4f} - learning_rate: {m.lr:.3e}\n"


WHOLE: dict[str, str] = {
    "fastai table": table(
        "epoch     train_loss  valid_loss  accuracy  time    ",
        "{m.epoch}         {m.loss:.6f}    {m.val:.6f}    0.912345  00:12     ",
    ),
    "keras 2 verbose 2": "".join(
        f"Epoch {m.epoch}/6\n20/20 - 1s - loss: {m.loss:.4f} - val_loss: {m.val:.4f}\n" for m in RUN if m.batch == PER
    ),
    "keras 3 bars": "".join(bars(m) for m in RUN),
    "chainer table": table(
        "epoch       main/loss   validation/main/loss  elapsed_time",
        "{m.epoch}           {m.loss:.6f}    {m.val:.6f}              12.3456       ",
    ),
}


def text_of(name: str) -> str:
    """The run as that program prints it."""
    if name in WHOLE:
        return WHOLE[name]
    train, end = SPELLINGS[name]
    out = []
    for m in RUN:
        out.append(train.format(m=m))
        if m.batch == PER:
            out.append(end.format(m=m))
    return "\n".join(out) + "\n"


def wrongs(path: Path, name: str) -> list[str]:
    """What of the run comes back otherwise than it was."""
    found = read_runs([path], signals_file=signals_file())
    if len(found.runs) != 1:
        return [f"{len(found.runs)} runs"]
    run = found.runs[0]
    coarse = name in WHOLE
    train = [m for m in RUN if not coarse or m.batch == PER]
    wanted = {"loss": [m.loss for m in train], "val_loss": [m.val for m in RUN if m.batch == PER]}
    out = []
    for role, values in wanted.items():
        s = run.series(role)
        if s is None:
            out.append(f"no {role} among {run.metrics()}")
        elif len(s.value) != len(values) or not np.allclose(s.value, values, atol=6e-4):
            out.append(f"{role} is {s.metric}: {len(s.value)} of {len(values)} values")
        elif role == "loss" and len(set(np.diff(s.step))) != 1:
            out.append(f"steps of {role}: {s.step[:5]}")
    rate = run.series("lr")
    if rate is not None and not np.allclose(rate.value, [m.lr for m in train][: len(rate.value)], rtol=0.3):
        out.append(f"lr is {rate.metric}")
    return out


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    root = tmp_path_factory.mktemp("spellings")
    out = {}
    for i, name in enumerate(SPELLINGS):
        path = root / f"{i}" / "train.log"
        path.parent.mkdir()
        path.write_text(text_of(name), encoding="utf-8")
        out[name] = wrongs(path, name)
    return out


def test_nearly_all_spellings_give_the_same_curves_in_the_same_roles(judged: dict[str, list[str]]) -> None:
    wrong = {name: w for name, w in judged.items() if w}
    assert len(SPELLINGS) >= 60
    assert len(wrong) <= len(SPELLINGS) // 20, "\n".join(f"{k}: {v}" for k, v in wrong.items())


def test_pairs_of_any_names_behind_a_counter_are_records_where_they_come_again(tmp_path: Path) -> None:
    rows = [f"iter {20 * i:5d} | errD {1.3 - 0.01 * i:.3f} errG {0.8 + 0.02 * i:.3f} D(x) 0.6{i}" for i in range(9)]
    (tmp_path / "game.log").write_text(
        "\n".join(["model lr 2e-4, batch 64, 900 iterations", *rows]) + "\n", encoding="utf-8"
    )
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    assert {"errD", "errG", "D(x)"} <= set(run.points["metric"].unique())
    assert "warm" not in set(run.points["metric"].unique())


@pytest.mark.parametrize(
    "line",
    ["E{e:03d} L_tr {t:.3f} L_va {v:.3f}", "Ep{e} Ltr={t:.3f} Lva={v:.3f}", "Epoch {e} Ltrain: {t:.3f} Lval: {v:.3f}"],
)
def test_the_letter_of_a_loss_with_its_split_below(tmp_path: Path, line: str) -> None:
    lines = [line.format(e=e, t=0.4 + 2 * 0.9**e, v=0.6 + 1.9 * 0.9**e) for e in range(1, 31)]
    (tmp_path / "train.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    loss, val = run.series("loss"), run.series("val_loss")
    assert loss is not None and val is not None and loss.step.tolist() == val.step.tolist() == list(range(1, 31))
